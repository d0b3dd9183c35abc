"""What pygls 2.1.1 does wrong, put right in one place.

Each method says which fault it is there for; `tests/lsp/test_pygls_faults.py` shows each fault in pygls itself and
fails once it is gone, so that the method can go too. Faults of its documents are avoided by `milepost.lsp.documents`,
those of its input and output by `milepost.lsp.transport`, those of its URIs by `milepost.uris`.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
import uuid
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from typing import Any

import cattrs
from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import FeatureNotificationError
from pygls.lsp.server import LanguageServer
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
    LanguageServerProtocol,
    default_converter,
    lsp_method,
)

from milepost.lsp.documents import Piece
from milepost.lsp.errors import RefusalError, refusal_of
from milepost.lsp.transport import Received

logger = logging.getLogger(__name__)

#: How long a client may take to answer a request of ours.
ANSWER_TIMEOUT_S = 5.0

CommandHandler = Callable[[types.ExecuteCommandParams], Coroutine[Any, Any, Any]]


class Encoded:
    """A result that is JSON already, made in a thread.

    pygls converts a result to JSON on the event loop: 0.19 s for 5,000 symbols, 1.8 s for 50,000.
    """

    __slots__ = ("json",)

    def __init__(self, data: bytes) -> None:
        self.json = data


def quiet_pygls() -> None:
    """Keep pygls from logging below WARNING: at INFO it writes out the whole of every message."""
    logging.getLogger("pygls").setLevel(logging.WARNING)


def make_converter() -> Converter:
    """A converter that leaves the params of our own requests as the JSON values they are.

    pygls turns them into namedtuples with renamed keys, which no model can read.
    """
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    for message in (JsonRPCRequestMessage, JsonRPCNotification, JsonRPCResponseMessage):
        converter.register_structure_hook(message, _keep_values)
    return converter


def _keep_values(data: dict[str, Any], message: type[Any]) -> Any:
    names = [attribute.name for attribute in message.__attrs_attrs__]
    return message(**{name: data.get(name) for name in names})


class Protocol(LanguageServerProtocol):
    """pygls' protocol with its faults put right."""

    _server: LanguageServer

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.exit_code: int | None = None
        self.exited = asyncio.Event()
        self.initialize_params: dict[str, Any] = {}
        self.initialize_options: Callable[[types.InitializeResult], None] | None = None
        #: When the last message came, by `time.monotonic`.
        self.last_received = time.monotonic()
        self._incoming_pieces: tuple[Piece, ...] | None = None
        self._notifications = itertools.count()
        self._initialized = False

    # Messages in

    def receive(self, message: Received) -> None:
        """Take one message.

        pygls answers nothing at all where a message is no JSON or a request's params do not fit their type, and shows
        the user an error box instead; the client waits for ever.
        """
        self.last_received = time.monotonic()
        value = message.value
        if not isinstance(value, dict):
            code, sentence = (-32700, "no JSON") if value is None else (-32600, "no JSON-RPC object")
            self._send_response(None, error=RefusalError(code, f"The message is {sentence}.", "invalid_params").error)
            return
        self._incoming_pieces = message.pieces
        try:
            self._take(value)
        finally:
            self._incoming_pieces = None

    def _take(self, value: dict[str, Any]) -> None:
        msg_id, method = value.get("id"), value.get("method")
        if method is None:
            if msg_id is not None:
                error = value.get("error")
                self._handle_response(msg_id, value.get("result"), _response_error(error) if error else None)
            return
        refusal = self._out_of_turn(method)
        if refusal is None:
            if method == types.INITIALIZE:
                self.initialize_params = value.get("params") or {}
            try:
                structured = self._structured(value)
            except (cattrs.BaseValidationError, TypeError, ValueError, KeyError, AttributeError) as error:
                logger.warning("Params of %s do not fit: %s", method, _first_fault(error))
                refusal = RefusalError(
                    -32602, f"The params of {method} do not fit: {_first_fault(error)}.", "invalid_params"
                )
            else:
                self._initialized = self._initialized or method == types.INITIALIZE
                self.handle_message(structured)
                return
        if msg_id is not None:
            self._send_response(msg_id, error=refusal.error)

    def _out_of_turn(self, method: str) -> RefusalError | None:
        if method == types.EXIT:
            return None
        if self._shutdown:  # pygls drops requests here, without an answer
            return RefusalError(-32600, "The server is shutting down.", "shut_down")
        if not self._initialized and method != types.INITIALIZE:
            return RefusalError(-32002, "The server is not initialized yet.", "not_initialized")
        if self._initialized and method == types.INITIALIZE:
            return RefusalError(-32600, "The server is initialized already.", "invalid_params")
        return None

    def _structured(self, value: dict[str, Any]) -> Any:
        method = value["method"]
        is_request = "id" in value
        known = self.get_message_type(method)
        try:
            return self._converter.structure(
                value, known or (JsonRPCRequestMessage if is_request else JsonRPCNotification)
            )
        except Exception:
            if method != types.INITIALIZE:
                raise
            # A client newer than lsprotocol may name capabilities that this does not know: no reason to refuse it.
            params = dict(value.get("params") or {})
            general = params.get("capabilities", {}).get("general") or {}
            encodings = [name for name in general.get("positionEncodings") or () if isinstance(name, str)]
            params["capabilities"] = {"general": {"positionEncodings": encodings}} if encodings else {}
            return self._converter.structure({**value, "params": params}, types.InitializeRequest)

    def take_incoming_pieces(self) -> tuple[Piece, ...] | None:
        """The text of the `didOpen` that is being handled, where it came apart from the message."""
        return self._incoming_pieces

    def get_message_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """The type of a message. pygls' `lru_cache` here keeps every connection's protocol alive."""
        return types.METHOD_TO_TYPES.get(method, (None,))[0]

    def get_result_type(self, method: str) -> type[Any] | None:  # type: ignore[override]
        """The type of a result: none, so that what a client answers is taken as it comes."""
        return None

    # Requests and their ends

    def _execute_handler(
        self,
        msg_id: Any,
        handler: Any,
        callback: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        """As pygls, which never forgets the futures of notifications and of handlers called by handlers."""

        def forget(future: Future[Any]) -> None:
            if self._request_futures.get(msg_id) is future:
                del self._request_futures[msg_id]
            callback(future)

        super()._execute_handler(msg_id, handler, forget, args, kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None and future.done() and not isinstance(future, asyncio.Future):
            del self._request_futures[msg_id]

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        """As pygls, which warns of every cancel that comes after the answer, and forgets the request too early."""
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.cancel()

    def _handle_notification(self, method_name: str, params: Any) -> None:
        """As pygls, which asks the system for a random number each time, and so waits for the interpreter's lock."""
        if method_name == types.CANCEL_REQUEST:
            self._handle_cancel_notification(params.id)
            return
        handler = self.fm.builtin_features.get(method_name) or self.fm.features.get(method_name)
        if handler is None:
            return
        try:
            self._execute_handler(
                f"milepost-notification-{next(self._notifications)}", handler, self._check_handler_result, (params,)
            )
        except Exception as error:
            logger.exception("%s could not be handled", method_name)
            self._server._report_server_error(error, FeatureNotificationError)

    def _handle_request(self, msg_id: Any, method_name: str, params: Any) -> None:
        handler = self.fm.builtin_features.get(method_name) or self.fm.features.get(method_name)
        if handler is None:
            refusal = RefusalError(-32601, f"There is no request {method_name}.", "unknown_method")
            self._send_response(msg_id, error=refusal.error)
            return
        self._ctx_msg_id.set(msg_id)
        self._execute_handler(
            msg_id,
            handler,
            lambda future: self._send_handler_result(future, msg_id=msg_id),
            args=(params,),
        )

    def _send_handler_result(self, future: Future[Any], *, msg_id: Any) -> None:
        """As pygls, but every error carries `data.kind`, and only faults of ours are logged with their traceback."""
        error = asyncio.CancelledError() if future.cancelled() else future.exception()
        if error is None:
            self._send_response(msg_id, result=future.result())
        else:
            self._send_response(msg_id, error=refusal_of(error).error)

    def _check_handler_result(self, future: Future[Any]) -> None:
        """The end of a notification: a fault is logged, and the user sees no box about it."""
        if not future.cancelled() and (error := future.exception()) is not None:
            refusal_of(error)

    def _handle_response(
        self, msg_id: Any, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        """As pygls, which keeps a request's result type for ever when the client answers with an error."""
        self._result_types.pop(msg_id, None)
        future = self._request_futures.get(msg_id)
        if future is not None and not future.done():
            super()._handle_response(msg_id, result, error)

    async def ask(self, method: str, params: Any, timeout_s: float = ANSWER_TIMEOUT_S) -> tuple[bool, Any]:
        """A request to the client: whether it answered, with other than an error and in time, and what.

        pygls waits for ever for a client that never answers, and keeps the future for ever too.
        """
        msg_id = str(uuid.uuid4())
        answer = asyncio.wrap_future(self.send_request(method, params, msg_id=msg_id))
        try:
            await asyncio.wait({answer}, timeout=timeout_s)
            if not answer.done() or answer.cancelled() or answer.exception() is not None:
                return False, None
            return True, answer.result()
        finally:
            answer.cancel()
            self._request_futures.pop(msg_id, None)
            self._result_types.pop(msg_id, None)

    # Messages out

    def _send_response(self, msg_id: Any, result: Any | None = None, error: types.ResponseError | None = None) -> None:
        if error is None and isinstance(result, Encoded):
            self._write_body(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (json.dumps(msg_id).encode(), result.json))
        else:
            super()._send_response(msg_id, result, error)

    def _write_body(self, body: bytes) -> None:
        if self.writer is None:
            return
        header = b"Content-Length: %d\r\n\r\n" % len(body) if self._include_headers else b""
        # Both writers that are used here (a pipe's, asyncio's) queue what they are given.
        self.writer.write(header + body)

    # Features of pygls' own

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """As pygls; then `initialize_options` may change what is announced."""
        result = yield from super().lsp_initialize(params)
        if self.initialize_options is not None:
            self.initialize_options(result)
        return result

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        """As pygls, which walks through the open requests while cancelling them changes their number: RuntimeError."""
        if (user_handler := self.fm.features.get(types.SHUTDOWN)) is not None:
            yield user_handler, args, None
        current = self.msg_id
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != current and not future.done():
                future.cancel()
        self._shutdown = True

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # type: ignore[override]
        """Say that this connection is over. pygls ends the process, and with it every other client on TCP."""
        self.exit_code = 0 if self._shutdown else 1
        self.exited.set()

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a command as a coroutine of the request: in pygls a cancelled command runs on to its end."""
        handler: CommandHandler | None = self.fm.commands.get(params.command)
        if handler is None:
            known = ", ".join(self.fm.commands)
            raise RefusalError(-32602, f"There is no command {params.command}; known are {known}.", "invalid_params")
        return await handler(params)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> Generator[Any, Any, None]:
        """Left to our own progress: pygls' keeps every token for ever, and cancels a future that nobody looks at."""
        if (user_handler := self.fm.features.get(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)) is not None:
            yield user_handler, (params,), None

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Left to our own documents, as are change and close."""
        yield from self._hand_on(types.TEXT_DOCUMENT_DID_OPEN, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Left to our own documents."""
        yield from self._hand_on(types.TEXT_DOCUMENT_DID_CHANGE, params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Left to our own documents."""
        yield from self._hand_on(types.TEXT_DOCUMENT_DID_CLOSE, params)

    def _hand_on(self, method: str, params: Any) -> Generator[Any, Any, None]:
        if (user_handler := self.fm.features.get(method)) is not None:
            yield user_handler, (params,), None


def _response_error(value: Any) -> types.ResponseError:
    if not isinstance(value, dict):
        value = {}
    return types.ResponseError(code=int(value.get("code") or 0), message=str(value.get("message") or ""))


def _first_fault(error: BaseException) -> str:
    if isinstance(error, cattrs.BaseValidationError):
        try:
            return "; ".join(cattrs.transform_error(error)[:1]) or "they have another shape"
        except Exception:  # a description must not fail where the message has failed already
            return "they have another shape"
    return f"{type(error).__name__}: {error}"[:200]
