"""One pass over a file: counts its lines, hashes it, and feeds a format's scanner.

The file is fed in *units*: the whole lines that start within one stripe of 1 MiB. Stripes lie at fixed offsets of the
file, so that nothing a scanner sees depends on how the file was read, and a scan that stopped at the end of one stripe goes
on after an append exactly as if the file had always been longer. A line longer than `PIECE_BYTES` comes in pieces.

A `Scan` keeps the state after the last whole stripe; the rest of the file (less than a stripe, unless it is one giant
line) is fed to a copy whenever an outline is asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import xxhash

from milepost.core.lines import LineIndex, count_line_ends, line_starts
from milepost.core.outline import Problem, Section
from milepost.core.source import ByteSource, never
from milepost.errors import Cancelled

STRIPE_BYTES = 1 << 20
PIECE_BYTES = 4 << 20

Progress = Callable[[int, int], None]


def no_progress(done_bytes: int, total_bytes: int) -> None:
    """Progress that nobody wants to see."""


class Block:
    """Consecutive bytes of a file: whole lines, or a piece of one giant line.

    `start` is the offset of the first byte, `first_line` the 1-based number of the line it lies in. `starts_line` and
    `ends_line` are False only inside a giant line (and `ends_line` at the end of a file without a last line end).
    """

    __slots__ = ("_array", "_starts", "data", "ends_line", "first_line", "start", "starts_line")

    def __init__(self, start: int, first_line: int, data: bytes, starts_line: bool, ends_line: bool) -> None:
        self.start = start
        self.first_line = first_line
        self.data = data
        self.starts_line = starts_line
        self.ends_line = ends_line
        self._starts: npt.NDArray[np.int64] | None = None
        self._array: npt.NDArray[np.uint8] | None = None

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.start + len(self.data)

    @property
    def array(self) -> npt.NDArray[np.uint8]:
        """The bytes as numbers, without a copy."""
        if self._array is None:
            self._array = np.frombuffer(self.data, np.uint8)
        return self._array

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Where lines start, relative to `data`, in order. The first is 0 unless the block begins inside a line."""
        if self._starts is None:
            starts = line_starts(self.data)
            if not self.starts_line and len(starts) and starts[0] == 0:
                starts = starts[1:]
            self._starts = starts
        return self._starts

    def line_at(self, offset: int) -> int:
        """The 1-based line that holds the byte at `offset` (relative to `data`)."""
        index = int(np.searchsorted(self.starts, offset, side="right"))
        return self.first_line + index - (1 if self.starts_line else 0)


@dataclass(frozen=True, slots=True)
class End:
    """Where the scanned range ends: the offset after its last byte, and the number of its last line (0 when empty)."""

    byte: int
    line: int


@dataclass(frozen=True, slots=True)
class Context:
    """What a scanner is told before the first block.

    `start_byte` and `start_line` are where the scanned range begins. `resume` is None for a whole file, else what the
    section that is being expanded carries. `reference_seconds` is the file's mtime, for years that lines leave out.
    """

    name: str = ""
    encoding: str = "utf-8"
    start_byte: int = 0
    start_line: int = 1
    total_bytes: int = 0
    reference_seconds: float = 0.0
    max_nodes: int = 5000
    head: bytes = b""
    resume: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Findings:
    """What a scanner found. `sections` cover the scanned range; `facts` are of the file as a whole."""

    sections: tuple[Section, ...]
    problems: tuple[Problem, ...] = ()
    degraded: str = ""
    facts: dict[str, Any] = field(default_factory=dict)


class Scanner(Protocol):
    """A format's state machine. It is copied with `copy.deepcopy`; `finish` is called on a copy, never on the original."""

    def feed(self, block: Block) -> None:
        """Take the next block."""

    def finish(self, end: End) -> Findings:
        """Say what was found up to `end`."""


@dataclass(slots=True)
class _State:
    """How far the scan has come: everything before `offset` has been fed."""

    offset: int
    line: int
    starts_line: bool
    scanner: Scanner
    index: LineIndex
    digest: Any


class Scan:
    """A scan of `source[start:end]` that can be stopped, asked at any time, and continued after an append.

    `index_lines` is off when only a range is scanned (a group that is expanded): its first line is given instead.
    """

    def __init__(
        self,
        source: ByteSource,
        scanner: Scanner,
        *,
        start_byte: int = 0,
        start_line: int = 1,
        end_byte: int | None = None,
    ) -> None:
        self.source = source
        self.end_byte = source.size if end_byte is None else end_byte
        self._state = _State(start_byte, start_line, True, scanner, LineIndex(), xxhash.xxh3_128())
        self.examined_bytes = 0

    @property
    def offset(self) -> int:
        """Everything before this offset has been fed to the scanner."""
        return self._state.offset

    def run(self, *, should_stop: Callable[[], bool] = never, progress: Progress = no_progress) -> None:
        """Feed every whole stripe that is not fed yet. Raises `Cancelled`; the scan can then be run again."""
        state = self._state
        while state.offset < self.end_byte:
            if should_stop():
                raise Cancelled("Stopped.")
            if not self._feed_next(state, final=False):
                break
            progress(state.offset, self.end_byte)

    def extend(self, source: ByteSource) -> None:
        """Go on with a longer state of the same file: the next `run` scans only what is new."""
        self.source = source
        self.end_byte = source.size

    def result(self, *, should_stop: Callable[[], bool] = never) -> ScanResult:
        """What there is to say now; exact once `run` has ended, else of the bytes before `offset` only."""
        complete = self.offset >= self._last_stripe()
        state = copy.deepcopy(self._state, {id(self._state.digest): self._state.digest.copy()})
        if complete:
            while state.offset < self.end_byte:
                if should_stop():
                    raise Cancelled("Stopped.")
                self._feed_next(state, final=True)
        state.index.finish()
        last_line = state.line if not state.starts_line or state.offset == 0 else state.line - 1
        if state.offset == 0:
            last_line = 0
        end = End(state.offset, last_line)
        return ScanResult(state.scanner.finish(end), end, state.index, state.digest.hexdigest(), complete)

    def _last_stripe(self) -> int:
        """From this offset on, the rest of the file is no whole stripe."""
        return self.end_byte - self.end_byte % STRIPE_BYTES - PIECE_BYTES

    def _feed_next(self, state: _State, *, final: bool) -> bool:
        """Feed the next unit. False when the rest of the range does not fill a stripe and this is not the `final` call."""
        stripe_end = (state.offset // STRIPE_BYTES + 1) * STRIPE_BYTES
        while True:
            if stripe_end > self.end_byte:
                if not final:
                    return False
                stripe_end = self.end_byte
            data = self.source.read_at(state.offset, stripe_end - state.offset)
            at_end = stripe_end >= self.end_byte and final
            cut = len(data) if at_end else _last_line_end(data)
            if cut or at_end:
                break
            if len(data) >= PIECE_BYTES:
                cut = len(data) - (1 if data.endswith(b"\r") else 0)
                break
            stripe_end += STRIPE_BYTES
        data = data if cut == len(data) else data[:cut]
        ends_line = data.endswith((b"\n", b"\r"))
        block = Block(state.offset, state.line, data, state.starts_line, ends_line)
        state.scanner.feed(block)
        state.index.feed(data)
        state.digest.update(data)
        state.line += count_line_ends(data)
        state.offset += len(data)
        state.starts_line = ends_line
        self.examined_bytes += len(data)
        return True


def _last_line_end(data: bytes) -> int:
    """The offset after the last line end that is certain: a CR at the very end may be half of a CRLF."""
    newline = data.rfind(b"\n")
    carriage_return = data.rfind(b"\r", newline + 1, len(data) - 1)
    return max(newline, carriage_return) + 1


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The findings of a scan, with the line index and the hash of the same bytes."""

    findings: Findings
    end: End
    index: LineIndex
    digest: str
    complete: bool
