"""The parser's process as the scanner sees it: blocks go in, pieces with their symbols come out, in order.

One thread talks to one process, so that the scanner never waits for a pipe. What is parsed next depends on where the last
piece was cut; that state is a `Chain`, which only the thread touches. The process is started when there is something to
parse and ended with the scan.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from milepost.core.code.cuts import Header
from milepost.core.code.messages import headers_from, headers_to, read_message, write_message

#: A piece that takes longer than this is outlined by its line heads. The slowest real one seen took under a second.
PIECE_TIMEOUT_S = 30.0
#: Without a safe place to cut at, text is cut anywhere once it is this long.
LONGEST_PIECE_BYTES = 5 << 19
#: So much is parsed at a time: a tree takes some twenty times as much.
_PIECE_BYTES = 1 << 20
#: Less than this is not parsed by itself while more is to come.
_SHORTEST_PIECE_BYTES = 256 << 10

Symbol = tuple[int, int, int, int, str, str, str, str]
Symbols = list[Symbol]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the file that begins and ends with a line. `symbols` is None where `error` says why."""

    start: int
    body: bytes
    symbols: Symbols | None
    error: str = ""


@dataclass(slots=True)
class Chain:
    """What is not parsed yet, and what is open where it begins."""

    start: int
    buffer: bytes = b""
    headers: tuple[Header, ...] = ()

    def copy(self) -> Chain:
        """The same state, to go on from in another way."""
        return Chain(self.start, self.buffer, self.headers)


class ParserClient:
    """Parses one language. Jobs run one after the other, in the order in which they were given."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._thread = ThreadPoolExecutor(1, "milepost-code")
        self._holder: list[subprocess.Popen[bytes]] = []
        weakref.finalize(self, _end, self._holder, self._thread)

    def __deepcopy__(self, memo: dict[int, Any]) -> ParserClient:
        return self

    def fork(self, chain: Future[Chain]) -> Future[Chain]:
        """A copy of a chain as it is after the jobs that were given so far."""
        return self._thread.submit(lambda: chain.result().copy())

    def begin(self, start: int, headers: tuple[Header, ...]) -> Future[Chain]:
        """A chain that begins at an offset of the file."""
        return self._thread.submit(Chain, start, b"", headers)

    def feed(self, chain: Future[Chain], data: bytes, *, final: bool = False) -> Future[list[Piece]]:
        """Parse what can be parsed with these bytes added; with `final`, all there is."""
        return self._thread.submit(self._parse, chain, data, final)

    def drain(self, chain: Future[Chain]) -> Future[list[Piece]]:
        """What is left, unparsed."""
        return self._thread.submit(_drain, chain)

    def rest(self) -> None:
        """End the process once the jobs given so far are done; it is started again if there are more."""
        self._thread.submit(_kill, self._holder)

    # --- in the thread ----------------------------------------------------------------------------------------------

    def _parse(self, future: Future[Chain], data: bytes, final: bool) -> list[Piece]:
        chain = future.result()
        chain.buffer += data
        pieces: list[Piece] = []
        limit, least = _PIECE_BYTES, _SHORTEST_PIECE_BYTES
        while chain.buffer and (final or len(chain.buffer) >= least):
            body = chain.buffer[:limit]
            is_all = len(body) == len(chain.buffer)
            request = {
                "language": self._language,
                "headers": headers_to(chain.headers),
                "low": len(body) // 2,
                "final": final and is_all,
                "must_cut": len(body) >= LONGEST_PIECE_BYTES,
            }
            reply = self._ask(request, body)
            error = str(reply.get("error", ""))
            taken = int(reply.get("size", 0))
            if error:
                taken = len(body) if is_all else body.rfind(b"\n") + 1 or len(body)
            taken = _to_line_end(chain.buffer, taken)
            if not taken:
                if is_all:
                    break
                limit += _PIECE_BYTES // 2
                continue
            symbols = None if error else [tuple(one) for one in reply["symbols"]]
            pieces.append(Piece(chain.start, chain.buffer[:taken], symbols, error))
            chain.start += taken
            chain.buffer = chain.buffer[taken:]
            chain.headers = () if error else headers_from(reply["headers"])
            limit = least = _PIECE_BYTES
        return pieces

    def _ask(self, request: dict[str, Any], body: bytes) -> dict[str, Any]:
        try:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            timer = threading.Timer(PIECE_TIMEOUT_S, process.kill)
            timer.daemon = True
            timer.start()
            try:
                write_message(process.stdin, json.dumps(request).encode() + b"\n" + body)  # type: ignore[arg-type]
                answer = read_message(process.stdout)  # type: ignore[arg-type]
            finally:
                timer.cancel()
        except OSError as problem:
            _kill(self._holder)
            return {"error": f"the parser's process failed: {problem.strerror or problem}"}
        if answer is None:
            _kill(self._holder)
            return {"error": "the parser's process ended, or took too long"}
        reply: dict[str, Any] = json.loads(answer)
        return reply

    def _running(self) -> subprocess.Popen[bytes]:
        if not self._holder or self._holder[0].poll() is not None:
            _kill(self._holder)
            # The same modules, wherever this process has them from.
            code = f"import sys; sys.path[:] = {sys.path!r}; from milepost.core.code.worker import main; main()"
            flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
            self._holder.append(
                subprocess.Popen(
                    [sys.executable, "-S", "-c", code],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    creationflags=flags,
                )
            )
        return self._holder[0]


def _to_line_end(buffer: bytes, taken: int) -> int:
    """The end of the line that a piece ends in: nothing is cut inside a line, however long it is."""
    if not taken or buffer[taken - 1 : taken] in (b"\n", b"\r"):
        return taken
    newline = buffer.find(b"\n", taken)
    return newline + 1 if newline >= 0 else len(buffer)


def _drain(future: Future[Chain]) -> list[Piece]:
    chain = future.result()
    piece = Piece(chain.start, chain.buffer, None)
    chain.start += len(chain.buffer)
    chain.buffer, chain.headers = b"", ()
    return [piece] if piece.body else []


def _kill(holder: list[subprocess.Popen[bytes]]) -> None:
    while holder:
        process = holder.pop()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _end(holder: list[subprocess.Popen[bytes]], thread: ThreadPoolExecutor) -> None:
    thread.shutdown(wait=False, cancel_futures=True)
    _kill(holder)
