"""Messages in and out, apart from the event loop.

pygls reads standard input by three executor calls a message and writes standard output on the event loop, which stands
still while a slow client lets the pipe fill. Here a thread of its own reads and parses, another one writes.

A `didOpen` of 45 MB takes `json.loads` a quarter of a second in one call that lets nothing else run; the text of such a
message is decoded piece by piece. Copying it once takes some 20 ms in the same way, so its bytes go from the pipe to
where they stay, a few at a time.
"""

from __future__ import annotations

import json
import mmap
import os
import queue
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from milepost.lsp.documents import PIECE_CHARACTERS, Piece

#: From this size on a message's long text is decoded piece by piece.
LARGE_MESSAGE_BYTES = 1 << 20

_READ_BYTES = 1 << 16
_CONTENT_LENGTH = re.compile(rb"^content-length:[ \t]*(\d+)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_BACKSLASH, _LETTER_U = b"\\u"
_HIGH_SURROGATE = re.compile(rb"\\ud[89ab][0-9a-f]{2}$")
_LOW_SURROGATE = re.compile(rb"\\ud[c-f][0-9a-f]{2}$")
_TEXT_PLACEHOLDER = "\x00milepost:text\x00"


@dataclass(frozen=True, slots=True)
class Received:
    """One message: its JSON value, None where it could not be parsed; the text of a large `didOpen` comes apart."""

    value: Any
    pieces: tuple[Piece, ...] | None = None


def content_length(header: bytes) -> int | None:
    """The length that a message's header gives; None where it gives none."""
    match = _CONTENT_LENGTH.search(header)
    return int(match[1]) if match else None


#: A message's body. A large one lies in memory of its own, which is not cleared and copied as bytes would be.
Body = bytes | bytearray | mmap.mmap


def empty_body(length: int) -> bytearray | mmap.mmap:
    """Room for the body of a message, to be filled piece by piece."""
    return mmap.mmap(-1, length) if length >= LARGE_MESSAGE_BYTES else bytearray(length)


def read_bodies(read: Callable[[int], bytes]) -> Iterator[Body]:
    """The bodies of the messages on a byte stream, until it ends. `read(n)` gives 1 to n bytes, or none at the end."""
    buffer = b""
    while True:
        end = buffer.find(b"\r\n\r\n")
        if end < 0:
            data = read(_READ_BYTES)
            if not data:
                return
            buffer += data
            continue
        length = content_length(buffer[:end])
        buffer = buffer[end + 4 :]
        if length is None:
            continue
        body = empty_body(length)
        filled = 0
        while filled < length:
            data = buffer or read(min(_READ_BYTES, length - filled))
            if not data:
                return
            part, buffer = data[: length - filled], data[length - filled :]
            body[filled : filled + len(part)] = part
            filled += len(part)
        yield body


def decode_message(body: Body) -> Received:
    """A message's body as a JSON value."""
    try:
        if len(body) >= LARGE_MESSAGE_BYTES:
            large = _decode_large(body)
            if large is not None:
                return large
        return Received(json.loads(body if isinstance(body, bytes | bytearray) else body[:]))
    except (ValueError, RecursionError):
        return Received(None)


def _decode_large(body: Body) -> Received | None:
    """A message that opens a document, its text cut out and decoded by pieces; None for any other message."""
    marker = re.search(rb'"text"\s*:\s*"', body)
    if marker is None:
        return None
    start = marker.end()
    end = _end_of_string(body, start)
    if end is None or end - start < LARGE_MESSAGE_BYTES // 2:
        return None
    rest = json.loads(body[:start] + json.dumps(_TEXT_PLACEHOLDER)[1:-1].encode() + body[end:])
    try:
        document = rest["params"]["textDocument"]
        if rest["method"] != "textDocument/didOpen" or document["text"] != _TEXT_PLACEHOLDER:
            return None
    except (KeyError, TypeError):
        return None
    document["text"] = ""
    return Received(rest, tuple(_decode_pieces(memoryview(body)[start:end])))


def _end_of_string(body: Body, start: int) -> int | None:
    """The offset of the quote that ends the JSON string which starts at `start`."""
    end = body.find(b'"', start)
    while end >= 0:
        backslashes = end
        while body[backslashes - 1] == _BACKSLASH:
            backslashes -= 1
        if (end - backslashes) % 2 == 0:
            return end
        end = body.find(b'"', end + 1)
    return None


def _decode_pieces(data: memoryview) -> Iterator[Piece]:
    """The text of a JSON string in pieces that end with a line end, each with its line ends counted."""
    rest = ""
    start = 0
    while start < len(data):
        end = _safe_cut(data, min(start + PIECE_CHARACTERS, len(data)))
        text = rest + json.loads(b'"%b"' % bytes(data[start:end]))
        start = end
        if start >= len(data):
            rest = text
            break
        # The last character may be the CR of a CRLF: what follows it is not known yet.
        cut = max(text.rfind("\n"), text.rfind("\r", 0, len(text) - 1)) + 1
        rest = text[cut:]
        if cut:
            yield _counted(text[:cut])
    yield _counted(rest)


def _counted(text: str) -> Piece:
    piece = Piece(text)
    piece.line_ends  # noqa: B018 counted here, off the event loop
    return piece


def _safe_cut(data: memoryview, end: int) -> int:
    """The largest offset up to `end` that is inside no UTF-8 character, no escape and no pair of surrogate escapes."""
    if end >= len(data):
        return len(data)
    while data[end] & 0xC0 == 0x80:
        end -= 1
    for back in range(1, 6):
        if data[end - back] == _BACKSLASH:
            if _starts_escape(data, end - back) and (back == 1 or data[end - back + 1] == _LETTER_U):
                end -= back
            break
    before, behind = bytes(data[end - 6 : end]).lower(), bytes(data[end : end + 6]).lower()
    if _HIGH_SURROGATE.match(before) and _LOW_SURROGATE.match(behind) and _starts_escape(data, end - 6):
        end -= 6
    return end


def _starts_escape(data: memoryview, offset: int) -> bool:
    """Whether the backslash at `offset` is not itself escaped."""
    first = offset
    while first > 0 and data[first - 1] == _BACKSLASH:
        first -= 1
    return (offset - first) % 2 == 0


class PipeWriter:
    """Writes to a file descriptor in a thread, so that nobody waits for a client that reads slowly."""

    def __init__(self, descriptor: int, on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="milepost-writer", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes to be written."""
        self._queue.put(data)

    def close(self, timeout_s: float = 2.0) -> None:
        """Write what is queued, as far as the client takes it within the time."""
        self._queue.put(None)
        self._thread.join(timeout_s)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            view = memoryview(data)
            try:
                while view:
                    view = view[os.write(self._descriptor, view) :]
            except OSError:
                self._on_broken()
                return


class PipeReader:
    """Reads messages from a file descriptor in a thread and hands them over a few at a time."""

    #: How many messages may wait at the event loop: it shall come to other things between them. Beside threads that compute
    #: each takes it one to two milliseconds.
    WAITING_MESSAGES = 4

    def __init__(self, descriptor: int, deliver: Callable[[Received], None], on_end: Callable[[], None]) -> None:
        """`deliver` is called in the reading thread, and `done` must follow for each message; then `on_end` once."""
        self._descriptor = descriptor
        self._deliver = deliver
        self._on_end = on_end
        self._room = threading.Semaphore(self.WAITING_MESSAGES)
        threading.Thread(target=self._run, name="milepost-reader", daemon=True).start()

    def done(self) -> None:
        """One delivered message has been dealt with."""
        self._room.release()

    def _run(self) -> None:
        try:
            for body in read_bodies(lambda length: os.read(self._descriptor, length)):
                message = decode_message(body)
                self._room.acquire()
                self._deliver(message)
        except (OSError, RuntimeError):
            pass  # the pipe broke, or the event loop has ended
        finally:
            self._on_end()
