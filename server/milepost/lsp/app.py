"""The language server as a whole: made by `create_server`, run by `run_stdio`, `run_tcp` or `run_websockets`.

There is no server at module level: every client on a socket gets one of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from milepost import __version__
from milepost.lsp.handlers import documents, features, lifecycle, requests
from milepost.lsp.pauses import shorten
from milepost.lsp.pygls_fixes import Protocol, make_converter, quiet_pygls
from milepost.lsp.session import Engine, EngineFactory, Session
from milepost.lsp.sockets import hand_on, serve_tcp, serve_websockets
from milepost.lsp.transport import PipeReader, PipeWriter, Received

if TYPE_CHECKING:
    from milepost.settings import Settings

logger = logging.getLogger(__name__)


class MilepostServer(LanguageServer):
    """A language server for one client. `session` holds that client's state."""

    protocol: Protocol
    session: Session

    def report_server_error(self, error: Exception, source: object) -> None:
        """Into the log: pygls would show the user a box."""
        logger.error("pygls: %s", error)


def _make_service(settings: Callable[[], Settings]) -> Engine:
    from milepost.service import Service

    return Service(settings)


def create_server(make_engine: EngineFactory = _make_service) -> MilepostServer:
    """A server for one client, with everything registered. `make_engine` makes the service behind it, when needed."""
    quiet_pygls()
    server = MilepostServer(
        "milepost",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
        protocol_cls=Protocol,
        converter_factory=make_converter,
    )
    server.session = Session(server.protocol, make_engine)
    lifecycle.register(server, server.session)
    documents.register(server, server.session)
    features.register(server, server.session)
    requests.register(server, server.session)
    return server


def run_stdio(make_engine: EngineFactory = _make_service) -> None:
    """Serve one client on standard input and output until it is done.

    Raises SystemExit with code 1 where the client went away without `shutdown`, as the protocol wants it.
    """
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    shorten()
    descriptor_in, descriptor_out = _take_over_standard_streams()
    code, quiet = asyncio.run(_serve_pipes(make_engine, descriptor_in, descriptor_out))
    if not quiet:
        # A thread still reads from a file system that does not answer; the interpreter would wait for it.
        sys.stderr.flush()
        os._exit(code)
    if code:
        raise SystemExit(code)


def _take_over_standard_streams() -> tuple[int, int]:
    """Descriptors for the messages. Whatever else is printed goes to standard error and cannot break a message."""
    descriptor_in, descriptor_out = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(descriptor_in, os.O_BINARY)
        msvcrt.setmode(descriptor_out, os.O_BINARY)
    return descriptor_in, descriptor_out


async def _serve_pipes(make_engine: EngineFactory, descriptor_in: int, descriptor_out: int) -> tuple[int, bool]:
    loop = asyncio.get_running_loop()
    server = create_server(make_engine)
    protocol = server.protocol

    def end() -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(protocol.exited.set)

    def receive(message: Received) -> None:
        try:
            hand_on(protocol, message)
        finally:
            reader.done()

    writer = PipeWriter(descriptor_out, on_broken=end)
    protocol.set_writer(writer)
    reader = PipeReader(descriptor_in, lambda message: _call_soon(loop, receive, message), on_end=end)
    try:
        await protocol.exited.wait()
    finally:
        quiet = await server.session.close()
        await asyncio.to_thread(writer.close)
    # The end of the input without an `exit` is the end of the client.
    return (protocol.exit_code if protocol.exit_code is not None else 1), quiet


def _call_soon(loop: asyncio.AbstractEventLoop, receive: Callable[[Received], None], message: Received) -> None:
    loop.call_soon_threadsafe(receive, message)


def run_tcp(host: str, port: int) -> None:
    """Serve any number of clients on TCP, each with a server of its own, until interrupted.

    The address, with the port that the system chose where `port` is 0, is printed on standard error.
    """
    _run_listener(serve_tcp, host, port)


def run_websockets(host: str, port: int) -> None:
    """The same for clients on websockets. Raises ImportError where the library `websockets` is not installed."""
    _run_listener(serve_websockets, host, port)


def _run_listener(
    serve: Callable[[Callable[[], MilepostServer], str, int], Coroutine[Any, Any, None]], host: str, port: int
) -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    shorten()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(create_server, host, port))
