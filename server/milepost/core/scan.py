"""One pass over a file: counts its lines, hashes it, and feeds a format's scanner.

The file is fed in *units*: the whole lines that start within one stripe of 1 MiB. Stripes lie at fixed offsets of the
file, so that nothing a scanner sees depends on how the file was read, and a scan that stopped at the end of one stripe goes
on after an append exactly as if the file had always been longer. A line longer than `PIECE_BYTES` comes in pieces.

A `Scan` keeps the state after the last whole stripe; the rest of the file (less than a stripe, unless it is one giant
line) is fed to a copy whenever an outline is asked for.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import xxhash

from milepost.core.heap import keep_freed_memory
from milepost.core.lines import LineIndex, line_starts
from milepost.core.outline import Problem, Section
from milepost.core.source import ByteSource, Progress, StopFlag, never, no_progress, raise_if_stopped

STRIPE_BYTES = 1 << 20
PIECE_BYTES = 4 << 20


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

    def know_starts(self, starts: npt.NDArray[np.int64]) -> None:
        """Take where lines start from a scanner that found them on its way, as `starts` would give them."""
        self._starts = starts

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
    section that is being expanded carries. `head` is the file's first 256 KiB, or all of it. `reference_seconds` is the
    file's mtime, for years that lines leave out.
    """

    name: str = ""
    encoding: str = "utf-8"
    start_byte: int = 0
    start_line: int = 1
    total_bytes: int = 0
    reference_seconds: float = 0.0
    max_nodes: int = 5000
    head: bytes = b""
    head_is_whole: bool = True
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


@runtime_checkable
class Extensible(Protocol):
    """A scanner that wants to hear that the file has grown: of its new size and mtime."""

    def extend(self, context: Context) -> None:
        """Take note of the grown file's context."""


@dataclass(slots=True)
class _State:
    """How far the scan has come: everything before `offset` has been fed."""

    offset: int
    starts_line: bool
    scanner: Scanner
    index: LineIndex
    digest: Any
    stripe_end: int = 0
    """Where the last stripe ended: between `offset` and here there is no whole line."""


class Scan:
    """A scan of `source[start_byte:end_byte]` that can be stopped, asked at any time, and continued after an append.

    `start_byte` and `start_line` (the 1-based number of its line) are only given when a section of a file is scanned
    again to list what it holds. The bytes before `skip_until` (a run of NULs at the head) are counted and hashed, but
    not fed to the scanner, for which the text begins after them.
    """

    def __init__(
        self,
        source: ByteSource,
        scanner: Scanner,
        *,
        start_byte: int = 0,
        start_line: int = 1,
        starts_line: bool = True,
        end_byte: int | None = None,
        skip_until: int = 0,
    ) -> None:
        self.source = source
        self.end_byte = source.size if end_byte is None else end_byte
        self.examined_bytes = 0
        self._start_line = start_line
        self._skip_until = skip_until
        self._state = _State(start_byte, starts_line, scanner, LineIndex(), xxhash.xxh3_128())
        self._at_tail = False

    @property
    def offset(self) -> int:
        """Everything before this offset has been fed to the scanner for good."""
        return self._state.offset

    @property
    def scanner(self) -> Scanner:
        """The scanner that is fed."""
        return self._state.scanner

    @property
    def complete(self) -> bool:
        """Whether `run` has come to the end, so that `result` is exact."""
        return self._at_tail

    def run(self, *, should_stop: StopFlag = never, progress: Progress = no_progress) -> None:
        """Feed every whole stripe that is not fed yet. Raises `Cancelled`; the scan can then be run again."""
        state = self._state
        if self.end_byte - state.offset > 8 * STRIPE_BYTES:
            keep_freed_memory()
        while not self._at_tail:
            raise_if_stopped(should_stop)
            self._at_tail = not self._feed_next(state, final=False)
            progress(state.offset, self.end_byte)

    def extend(self, source: ByteSource) -> None:
        """Go on with a longer state of the same file: the next `run` scans only what is new."""
        self.source = source
        self.end_byte = source.size
        self._at_tail = False

    def result(self, *, should_stop: StopFlag = never) -> ScanResult:
        """What there is to say now; exact once `run` has ended, else of the bytes before `offset` only."""
        state = copy.deepcopy(self._state, {id(self._state.digest): self._state.digest.copy()})
        while self._at_tail and state.offset < self.end_byte:
            raise_if_stopped(should_stop)
            self._feed_next(state, final=True)
        last_line = self._line(state) - (1 if state.starts_line else 0)
        findings = state.scanner.finish(End(state.offset, last_line))
        return ScanResult(findings, state.offset, last_line, state.index, state.digest.hexdigest(), self._at_tail)

    def _line(self, state: _State) -> int:
        """The number of the line that holds the byte at `state.offset`."""
        return self._start_line + state.index.line_ends

    def _feed_next(self, state: _State, *, final: bool) -> bool:
        """Feed the next unit. False when the rest of the range does not fill a stripe and this is not the `final` call."""
        if state.offset < self._skip_until:
            self._skip(state)
            return True
        stripe_end = (max(state.offset, state.stripe_end) // STRIPE_BYTES + 1) * STRIPE_BYTES
        parts: list[bytes] = []
        size = 0
        while True:
            if stripe_end > self.end_byte:
                if not final:
                    return False
                stripe_end = self.end_byte
            part = self.source.read_at(state.offset + size, stripe_end - state.offset - size)
            at_end = stripe_end >= self.end_byte and final
            cut = size + len(part) if at_end else _line_end_after(size, part, parts)
            parts.append(part)
            size += len(part)
            if cut or at_end:
                break
            if size >= PIECE_BYTES:
                cut = size - (1 if part.endswith(b"\r") else 0)
                break
            stripe_end += STRIPE_BYTES
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        data = data if cut == len(data) else data[:cut]
        ends_line = data.endswith((b"\n", b"\r"))
        block = Block(state.offset, self._line(state), data, state.starts_line, ends_line)
        state.scanner.feed(block)
        if state.starts_line and ends_line:
            state.index.feed_lines(data, block.starts)
        else:
            state.index.feed(data)
        state.digest.update(data)
        state.offset += len(data)
        state.starts_line = ends_line
        state.stripe_end = stripe_end
        self.examined_bytes += len(data)
        return True

    def _skip(self, state: _State) -> None:
        """Count and hash bytes that the scanner does not see."""
        data = self.source.read_at(state.offset, min(STRIPE_BYTES, self._skip_until - state.offset))
        state.index.feed(data)
        state.digest.update(data)
        state.offset += len(data)
        self.examined_bytes += len(data)


def _line_end_after(size: int, part: bytes, before: list[bytes]) -> int:
    """The offset after the last line end that is certain, 0 where there is none: a CR at the very end may be half of a CRLF.

    `part` comes after `size` bytes, those of `before`, in which there was none.
    """
    newline = part.rfind(b"\n")
    end = max(newline, part.rfind(b"\r", newline + 1, len(part) - 1)) + 1
    if end:
        return size + end
    return size if part and before and before[-1].endswith(b"\r") else 0


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The findings of a scan, with the line index and the hash of the same bytes.

    `end_byte` and `end_line` (0 when there is none) say how far it reaches; `complete` that this is the end of the range.
    """

    findings: Findings
    end_byte: int
    end_line: int
    index: LineIndex
    digest: str
    complete: bool
