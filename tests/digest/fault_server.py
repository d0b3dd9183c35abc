"""A server like a model's endpoint that misbehaves on purpose: `http://127.0.0.1:PORT/FAULT/v1`.

Each fault is a method named after it. A fault that ends with `_once` happens at the first call only; then the server is good.
A fault named `later-FAULT` begins with the third call.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from model_fakes import honest_reply, lying_reply

MODEL = "good-model"
STALL_S = 30.0


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it came."""

    fault: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def schema(self) -> str:
        """The name of what is asked for, also where no schema is sent."""
        described = self.body.get("response_format", {}).get("json_schema", {}).get("name")
        if described:
            return str(described)
        if "Join them into one summary" in self.user:
            return "merge"
        if "questions to ask next" in self.user:
            return "final_answer" if "Question:" in self.user else "final"
        return "question" if "Question:" in self.user else "summary"


@dataclass
class FaultServer:
    """A context manager; serves until it is left. `calls` are the requests for completions, in order."""

    tls: ssl.SSLContext | None = None
    calls: list[Seen] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)
    broken_off: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> FaultServer:
        outer = self

        class Handler(_Handler):
            server_state = outer

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *arguments: None  # type: ignore[method-assign]
        if self.tls is not None:
            self._server.socket = self.tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, fault: str) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/{fault}/v1"

    def calls_of(self, fault: str) -> list[Seen]:
        return [seen for seen in self.calls if seen.fault == fault]


class _Handler(BaseHTTPRequestHandler):
    """One request. `self.seen` is what was asked, `self.number` which call of its fault it is, from 1."""

    protocol_version = "HTTP/1.1"
    server_state: FaultServer
    seen: Seen
    number: int

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        self._json(
            200, {"object": "list", "data": [{"id": name, "object": "model"} for name in (MODEL, "other-model")]}
        )

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        fault = self.path.split("/")[1]
        self.seen = Seen(fault, self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.server_state.calls.append(self.seen)
        self.number = len(self.server_state.calls_of(fault))
        is_good = (fault.endswith("_once") and self.number > 1) or (fault.startswith("later-") and self.number <= 2)
        try:
            if is_good:
                self.good()
            else:
                getattr(self, fault.removeprefix("later-"))()
        except (ConnectionError, ssl.SSLError):
            self.server_state.broken_off.set()
            self.close_connection = True

    # What a good server does.

    def reply(self) -> dict[str, Any]:
        return honest_reply(self.seen.schema, self.seen.user)

    def good(self) -> None:
        self._stream(json.dumps(self.reply()))

    def good_unstreamed(self) -> None:
        message = {"role": "assistant", "content": json.dumps(self.reply())}
        usage = {"prompt_tokens": 900, "completion_tokens": 90, "total_tokens": 990}
        self._json(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage})

    # Refusals by status.

    def status_401(self) -> None:
        key = self.seen.headers.get("authorization", "")
        self._error(
            401, f"Incorrect API key provided: {key}. See {key.removeprefix('Bearer ')[:12]}", "invalid_api_key"
        )

    def status_403(self) -> None:
        self._error(403, "Country not supported")

    def status_404(self) -> None:
        self._error(404, f"The model `{self.seen.body['model']}` does not exist", "model_not_found")

    def status_400(self) -> None:
        self._error(400, "Bad things happen")

    def context(self) -> None:
        self._error(400, "This model's maximum context length is 512 tokens. However, you requested 9000 tokens.")

    def quota(self) -> None:
        self._error(
            429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"
        )

    def busy_once(self) -> None:
        self._error(429, "Rate limit reached", headers={"retry-after": "1"})

    def busy_silent_once(self) -> None:
        self._error(429, "Rate limit reached")

    def busy_always(self) -> None:
        self._error(429, "Rate limit reached", headers={"retry-after": "0"})

    def busy_for_an_hour(self) -> None:
        self._error(429, "Rate limit reached", headers={"retry-after": "3600"})

    def broken_once(self) -> None:
        self._error(500, "Internal error")

    def broken_always(self) -> None:
        self._raw(
            b"HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 29\r\n\r\n<html>502 Bad Gateway</html>\n"
        )

    def redirect(self) -> None:
        self._error(307, "", headers={"location": "http://elsewhere.invalid/v1/chat/completions"})

    def no_schema(self) -> None:
        kind = self.seen.body.get("response_format", {}).get("type")
        if kind:
            self._error(400, f"response_format type '{kind}' is not supported")
        else:
            self.good()

    def no_schema_unnamed(self) -> None:
        if "response_format" in self.seen.body:
            self._error(422, "Unprocessable")
        else:
            self.good()

    def fussy(self) -> None:
        """Takes neither `stream_options` nor `temperature` nor `max_tokens`, one complaint at a time."""
        for name, more in (
            ("stream_options", ""),
            ("temperature", ""),
            ("max_tokens", " Use 'max_completion_tokens' instead."),
        ):
            if name in self.seen.body:
                return self._error(400, f"Unsupported parameter: '{name}' is not supported with this model.{more}")
        return self.good()

    # Time-outs and cuts.

    def silent(self) -> None:
        self._stall()

    def silent_once(self) -> None:
        self._stall()

    def stalls(self) -> None:
        self._begin_stream()
        self._event(self._chunk(json.dumps(self.reply())[:20]))
        self._stall()

    def drips(self) -> None:
        self._begin_stream()
        for _ in range(2000):
            self._event(self._chunk(" "))
            if self.server_state.closing.wait(0.05):
                return

    def cut(self) -> None:
        self._begin_stream()
        self._event(self._chunk(json.dumps(self.reply())[:25]))
        self._hang_up()

    def cut_once(self) -> None:
        self.cut()

    def cut_quietly(self) -> None:
        """The stream ends as if it were whole, but nothing says so."""
        self._begin_stream()
        self._event(self._chunk(json.dumps(self.reply())[:25]))
        self._end_stream()

    def hangs_up(self) -> None:
        self._hang_up()

    def error_in_stream(self) -> None:
        self._begin_stream()
        self._event({"error": {"message": "The engine has died", "type": "server_error"}})
        self._end_stream()

    # Replies that are no use.

    def empty(self) -> None:
        self._stream("")

    def refusal(self) -> None:
        self._begin_stream()
        self._event(
            {**self._chunk(""), "choices": [{"index": 0, "delta": {"refusal": "I cannot."}, "finish_reason": None}]}
        )
        self._event(self._chunk("", "stop"))
        self._end_stream()

    def filtered(self) -> None:
        self._stream("", finish="content_filter")

    def non_json(self) -> None:
        self._stream("I am only a poor language model and cannot do that.")

    def non_json_once(self) -> None:
        self.non_json()

    def truncated_json(self) -> None:
        text = json.dumps(self.reply())
        self._stream(text[: len(text) * 2 // 3], finish="length")

    def breaks_schema(self) -> None:
        self._stream(
            json.dumps(
                {"summary": ["not", "a", "text"], "sections": 7, "quotes": {"a": 1}, "answer": "yes", "extra": None}
            )
        )

    def invents(self) -> None:
        import random

        self._stream(json.dumps(lying_reply(self.seen.user, random.Random(self.number))))

    def megabytes(self) -> None:
        self._begin_stream()
        for _ in range(10_000):
            self._event(self._chunk("x" * 1000))
        self._end_stream()

    def megabytes_in_a_line(self) -> None:
        self._begin_stream()
        self._write(b"data: ")
        for _ in range(200):
            self._write(b"x" * 100_000)
        self._end_stream()

    def megabytes_unstreamed(self) -> None:
        self._json(200, {"choices": [{"message": {"content": "x" * 20_000_000}, "finish_reason": "stop"}]})

    def wrong_usage(self) -> None:
        wrong: list[Any] = [
            {"prompt_tokens": -5, "completion_tokens": 10**12},
            {"prompt_tokens": "many", "completion_tokens": None},
            [1, 2],
        ]
        self._stream(json.dumps(self.reply()), usage=wrong[self.number % 3])

    def no_usage(self) -> None:
        self._stream(json.dumps(self.reply()), usage=None)

    def web_page(self) -> None:
        self._page(b"200 OK", b"<html><body>Welcome to nginx!</body></html>")

    def garbage(self) -> None:
        self._begin_stream()
        self._write(b"data: {this is no json\n\n")
        self._end_stream()

    def not_http(self) -> None:
        self._raw(b"220 mail.example.org ESMTP\r\n")
        self._hang_up()

    def compressed(self) -> None:
        self._raw(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc"
        )

    # Writing.

    def _stream(self, text: str, finish: str = "stop", usage: Any = "true") -> None:
        self._begin_stream()
        for start in range(0, len(text), 400):
            self._event(self._chunk(text[start : start + 400]))
        self._event(self._chunk("", finish))
        if usage == "true":
            size = len(self.seen.user) // 4
            usage = {
                "prompt_tokens": size,
                "completion_tokens": len(text) // 4 + 1,
                "total_tokens": size + len(text) // 4,
            }
        if usage is not None:
            self._event({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": usage})
        self._end_stream()

    def _chunk(self, text: str, finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        return {"id": "c", "object": "chat.completion.chunk", "model": MODEL, "created": 1, "choices": [choice]}

    def _begin_stream(self) -> None:
        self._raw(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")

    def _event(self, value: dict[str, Any]) -> None:
        self._write(b"data: " + json.dumps(value).encode() + b"\n\n")

    def _end_stream(self) -> None:
        self._write(b"data: [DONE]\n\n")
        self._raw(b"0\r\n\r\n")

    def _write(self, data: bytes) -> None:
        self._raw(b"%x\r\n%s\r\n" % (len(data), data))

    def _raw(self, data: bytes) -> None:
        self.wfile.write(data)
        self.wfile.flush()

    def _page(self, status: bytes, page: bytes) -> None:
        self._raw(b"HTTP/1.1 %s\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n%s" % (status, len(page), page))

    def _json(self, status: int, value: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for name, text in (headers or {}).items():
            self.send_header(name, text)
        self.end_headers()
        self._raw(data)

    def _error(self, status: int, message: str, code: str = "", headers: dict[str, str] | None = None) -> None:
        self._json(status, {"error": {"message": message, "type": "error", "code": code or None}}, headers)

    def _stall(self) -> None:
        """Say nothing until the other side has gone, or the server closes."""
        until = time.monotonic() + STALL_S
        self.connection.settimeout(0.05)
        while time.monotonic() < until and not self.server_state.closing.is_set():
            try:
                if not self.connection.recv(1):
                    self.server_state.broken_off.set()
                    break
            except TimeoutError:
                continue
            except OSError:
                self.server_state.broken_off.set()
                break
        self.close_connection = True

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()
