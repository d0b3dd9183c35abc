"""Clients on TCP and on websockets: any number of them, each with a server of its own."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from milepost.lsp.transport import Received, content_length, decode_message, empty_body

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

    from milepost.lsp.app import MilepostServer
    from milepost.lsp.pygls_fixes import Protocol

logger = logging.getLogger(__name__)

MakeServer = Callable[[], "MilepostServer"]

_READ_BYTES = 1 << 16

#: A larger message on a websocket is refused: an editor's document of 50 MB, escaped, still fits.
MAX_MESSAGE_BYTES = 256 << 20


async def serve_tcp(make_server: MakeServer, host: str, port: int) -> None:
    """Listen until cancelled; the address is printed on standard error."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server = make_server()
        server.protocol.set_writer(writer)
        try:
            await _until_exit(server, _read_stream(reader, server.protocol))
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    listener = await asyncio.start_server(serve, host, port)
    async with listener:
        for socket in listener.sockets:
            _announce("", *socket.getsockname()[:2])
        await listener.serve_forever()


async def serve_websockets(make_server: MakeServer, host: str, port: int) -> None:
    """Listen until cancelled; a message of the protocol is one message of the websocket, without a header."""
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed

    async def serve_one(connection: ServerConnection) -> None:
        server = make_server()
        writer = _WebsocketWriter(connection)
        server.protocol.set_writer(writer, include_headers=False)
        sending = asyncio.create_task(writer.run())
        try:
            with contextlib.suppress(ConnectionClosed):
                await _until_exit(server, _read_websocket(connection, server.protocol))
        finally:
            await writer.drained()
            sending.cancel()

    # Compression costs more than a local connection does.
    async with serve(serve_one, host, port, max_size=MAX_MESSAGE_BYTES, compression=None) as listener:
        for socket in listener.sockets:
            _announce("ws://", *socket.getsockname()[:2])
        await listener.serve_forever()


def hand_on(protocol: Protocol, message: Received) -> None:
    """Hand on a message; a fault of ours does not end the connection."""
    try:
        protocol.receive(message)
    except Exception:
        logger.exception("A message could not be handled")


def _announce(scheme: str, address: str, port: int) -> None:
    print(f"milepost: listening on {scheme}{address}:{port}", file=sys.stderr, flush=True)


async def _until_exit(server: MilepostServer, reading_messages: Coroutine[Any, Any, None]) -> None:
    """Read until the client is done or gone."""
    reading = asyncio.create_task(reading_messages)
    exiting = asyncio.create_task(server.protocol.exited.wait())
    try:
        await asyncio.wait({reading, exiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        reading.cancel()
        exiting.cancel()
        await asyncio.wait({reading, exiting})
        await server.session.close()


async def _read_stream(reader: asyncio.StreamReader, protocol: Protocol) -> None:
    while True:
        try:
            header = await reader.readuntil(b"\r\n\r\n")
            length = content_length(header)
            if length is None:
                continue
            body = empty_body(length)
            filled = 0
            while filled < length:
                data = await reader.read(min(_READ_BYTES, length - filled))
                if not data:
                    return
                body[filled : filled + len(data)] = data
                filled += len(data)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
            return
        hand_on(protocol, await asyncio.to_thread(decode_message, body) if length >= 1 << 16 else decode_message(body))
        await asyncio.sleep(0)


async def _read_websocket(connection: ServerConnection, protocol: Protocol) -> None:
    async for text in connection:
        body = text.encode() if isinstance(text, str) else text
        large = len(body) >= 1 << 16
        hand_on(protocol, await asyncio.to_thread(decode_message, body) if large else decode_message(body))
        await asyncio.sleep(0)


class _WebsocketWriter:
    """What the protocol writes to: queues messages, and sends them as text in the order they came."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._queue: asyncio.Queue[bytes] = asyncio.Queue()

    def write(self, data: bytes) -> None:
        """Queue a message (on the event loop)."""
        self._queue.put_nowait(data)

    def close(self) -> None:
        """The connection is closed by who serves it."""

    async def run(self) -> None:
        """Send what is queued until cancelled."""
        from websockets.exceptions import ConnectionClosed

        while True:
            data = await self._queue.get()
            try:
                await self._connection.send(data, text=True)
            except ConnectionClosed:
                logger.debug("a message came too late for its client")
            finally:
                self._queue.task_done()

    async def drained(self, timeout_s: float = 2.0) -> None:
        """Wait a little until all that is queued was sent."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._queue.join(), timeout_s)
