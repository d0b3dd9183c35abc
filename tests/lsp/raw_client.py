"""A client that speaks JSON-RPC to a real server process and hides nothing: every message is kept as it came.

Requests of the server (progress, registration, refresh, configuration) are answered in the reading thread.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

CAPABILITIES = Path(__file__).parent.parent / "data" / "capabilities"
TIMEOUT_S = 30.0

Message = dict[str, Any]


class ErrorReplyError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]
        self.kind: Any = (error.get("data") or {}).get("kind")


def capabilities_of(editor: str) -> Message:
    """The recorded capabilities of an editor (`tests/data/capabilities/EDITOR.json`)."""
    recorded: Message = json.loads((CAPABILITIES / f"{editor}.json").read_text(encoding="utf-8"))
    return recorded["capabilities"]


class RawClient:
    """One connection. `received` holds all messages in the order they came, `asked` each request by its id."""

    def __init__(self, reader: BinaryIO, write: Callable[[bytes], object]) -> None:
        self.received: list[Message] = []
        self.asked: dict[Any, Message] = {}
        self.arrived_at: dict[Any, float] = {}
        self.configuration: Any = None
        #: What a request of the server is answered with: a result, "error", or "nothing" for no answer at all.
        self.answers: dict[str, Any] = {}
        self._write = write
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._replies: dict[Any, queue.SimpleQueue[Message | None]] = {}
        self._changed = threading.Condition()
        self.closed = threading.Event()
        threading.Thread(target=self._read, args=(reader,), daemon=True).start()

    # Out

    def send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(body)

    def send_bytes(self, body: bytes) -> None:
        with self._lock:
            self._write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        self.send({"method": method} | ({} if params is None else {"params": params}))

    def start(self, method: str, params: Any = None) -> int:
        """Send a request and return its id."""
        request_id = next(self._ids)
        self._replies[request_id] = queue.SimpleQueue()
        self.asked[request_id] = {"id": request_id, "method": method} | ({} if params is None else {"params": params})
        self.send(self.asked[request_id])
        return request_id

    def wait(self, request_id: int, timeout_s: float = TIMEOUT_S) -> Any:
        """The result of a request. Raises ErrorReplyError, queue.Empty when none comes, ConnectionError when none can."""
        message = self._replies[request_id].get(timeout=timeout_s)
        if message is None:
            raise ConnectionError(f"the server went away before it answered {self.asked.get(request_id)}")
        if "error" in message:
            raise ErrorReplyError(message["error"])
        return message["result"]

    def request(self, method: str, params: Any = None, timeout_s: float = TIMEOUT_S) -> Any:
        return self.wait(self.start(method, params), timeout_s)

    def command(self, name: str, argument: Any, timeout_s: float = TIMEOUT_S) -> Any:
        return self.request("workspace/executeCommand", {"command": name, "arguments": [argument]}, timeout_s)

    def cancel(self, request_id: int) -> None:
        self.notify("$/cancelRequest", {"id": request_id})

    # The usual

    def initialize(self, capabilities: Message | None = None, **params: Any) -> Message:
        result = self.request(
            "initialize", {"processId": None, "rootUri": None, "capabilities": capabilities or {}, **params}
        )
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1, language_id: str = "log") -> None:
        document = {"uri": uri, "languageId": language_id, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def symbols(self, uri: str, timeout_s: float = TIMEOUT_S) -> Any:
        return self.request("textDocument/documentSymbol", {"textDocument": {"uri": uri}}, timeout_s)

    # In

    def messages(self, method: str) -> list[Message]:
        """What came with this method so far."""
        return [message for message in list(self.received) if message.get("method") == method]

    def progress(self, token: Any = None) -> list[str]:
        """The kinds of progress notifications so far, of one token or of all."""
        notes = [message["params"] for message in self.messages("$/progress")]
        return [note["value"]["kind"] for note in notes if token is None or note["token"] == token]

    def until(self, condition: Callable[[], Any], timeout_s: float = TIMEOUT_S) -> Any:
        """Wait until the condition, asked after every message, holds; its value."""
        end = time.monotonic() + timeout_s
        with self._changed:
            while not (value := condition()):
                left = end - time.monotonic()
                if left <= 0 or (self.closed.is_set() and not condition()):
                    raise AssertionError("what was waited for did not come")
                self._changed.wait(min(left, 0.5))
        return value

    def _read(self, reader: BinaryIO) -> None:
        try:
            while True:
                length = None
                while (line := reader.readline()) not in (b"\r\n", b""):
                    name, _, value = line.partition(b":")
                    if name.lower() == b"content-length":
                        length = int(value)
                if length is None:
                    return
                self._take(json.loads(reader.read(length)))
        except (OSError, ValueError):
            pass
        finally:
            self.closed.set()
            for replies in list(self._replies.values()):
                replies.put(None)
            with self._changed:
                self._changed.notify_all()

    def _take(self, message: Message) -> None:
        self.received.append(message)
        if "method" in message and "id" in message:
            self._answer(message)
        elif "id" in message and message["id"] in self._replies:
            self.arrived_at[message["id"]] = time.monotonic()
            self._replies[message["id"]].put(message)
        with self._changed:
            self._changed.notify_all()

    def _answer(self, message: Message) -> None:
        method = message["method"]
        result = self.answers.get(method)
        if result == "nothing":
            return
        if result == "error":
            self.send({"id": message["id"], "error": {"code": -32601, "message": f"no {method} here"}})
            return
        if method == "workspace/configuration":
            result = [self.configuration for _ in message["params"]["items"]]
        self.send({"id": message["id"], "result": result})


class ServerProcess:
    """A server process and a client on its standard streams."""

    def __init__(self, *command: str, cwd: Path | None = None) -> None:
        arguments = command or (sys.executable, "-m", "milepost", "serve")
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._stdin = self.process.stdin
        self._stderr = self.process.stderr
        self._log: list[bytes] = []
        threading.Thread(target=self._read_log, daemon=True).start()
        self.client = RawClient(self.process.stdout, self._write)

    def _write(self, data: bytes) -> None:
        self._stdin.write(data)
        self._stdin.flush()

    def _read_log(self) -> None:
        for line in self._stderr:
            self._log.append(line)

    @property
    def log(self) -> str:
        """What the server wrote to standard error."""
        return b"".join(self._log).decode()

    def leave(self, timeout_s: float = TIMEOUT_S) -> int:
        """Shut down and exit as the protocol wants it; the exit code."""
        self.client.request("shutdown", timeout_s=timeout_s)
        self.client.notify("exit")
        return self.process.wait(timeout_s)

    def end(self) -> None:
        """End the process whatever its state."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self._stdin, self.process.stdout, self._stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def connect(host: str, port: int) -> tuple[RawClient, socket.socket]:
    """A client on a TCP connection."""
    connection = socket.create_connection((host, port), timeout=TIMEOUT_S)
    connection.settimeout(None)
    return RawClient(connection.makefile("rb"), connection.sendall), connection
