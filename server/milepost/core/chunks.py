"""Where a file is cut into chunks that can be examined one at a time.

A plan is a pure function of (bytes, target size). A chunk has between 80 % and 120 % of the target size; only the last
may have less. It ends, by preference,

1. before a section (a heading, `---`, `===`, a form feed, `diff `, `[name]`), after blank lines, or after a closing
   bracket in column 0;
2. after the least indented closing bracket of a pretty-printed document;
3. before a line that is not indented (an indented one goes on with what is above);
4. at any line end;
5. inside a line: after `},` or `],`, else at the boundary of a character;

each time as near to the target as there is such a place. Chunks before the last do not change when the file grows.

Only the 40 % of the file in which a cut may lie is read, and all of it if no line index is given.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import xxhash

from milepost.core.lines import LineIndex, line_starts
from milepost.core.source import (
    ByteSource,
    FileSource,
    FileState,
    Progress,
    StopFlag,
    display_path,
    never,
    no_progress,
    raise_if_stopped,
)
from milepost.core.transcode import TranscodedSource
from milepost.errors import FileChanged, InvalidParams

TARGET_BYTES = 180_000
MIN_TARGET_BYTES = 16

_READ_BYTES = 1 << 20
# Read beyond the places for a cut: before, to see a blank line; after, to see what starts there.
_MARGIN_UNITS = 16

_CR, _LF, _SPACE, _TAB = 13, 10, 32, 9
_CLOSING = b"}])"
_SECTION_STARTS = (b"# ", b"## ", b"### ", b"#### ", b"---", b"===", b"***", b"\f", b"diff ", b"Index: ")
_SECTION_NAME = re.compile(rb"\[[^\]\r\n]{1,80}\][ \t]*[\r\n]")
_SECTION_FIRST_BYTES = np.frombuffer(bytes({start[0] for start in _SECTION_STARTS} | {ord("[")}), np.uint8)
_CLOSING_BYTES = np.frombuffer(_CLOSING, np.uint8)

Codes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One part of a plan: lines 1-based and inclusive, bytes half-open. Neighbours share a line that a cut divides."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


@dataclass(frozen=True, slots=True)
class ChunkPlan:
    """A file's chunks, in order, without gap or overlap, from byte 0 to `byte_count`."""

    chunks: tuple[Chunk, ...]
    line_count: int
    byte_count: int
    target_bytes: int
    plan_hash: str
    state: FileState | None = field(default=None, compare=False)
    """What the file was when planned; no part of the plan itself."""

    def hash_of_first(self, count: int) -> str:
        """The hash of the first `count` chunks, which stays when a file grows by an append."""
        return _hash_plan(self.chunks[:count], self.target_bytes)

    def chunk_at(self, offset: int) -> int:
        """The index of the chunk that holds the byte at `offset`."""
        return bisect_right(self.chunks, offset, key=lambda chunk: chunk.start_byte) - 1


def plan_chunks(
    source: ByteSource,
    *,
    target_bytes: int = TARGET_BYTES,
    index: LineIndex | None = None,
    should_stop: StopFlag = never,
    progress: Progress = no_progress,
) -> ChunkPlan:
    """Cut the source into chunks. An empty one has none.

    `source` is an ASCII superset or a `TranscodedSource`; offsets are the file's own either way. `index` is the line
    index of all of `source`; without it, one pass builds it. Raises `InvalidParams` and `Cancelled`.
    """
    if target_bytes < MIN_TARGET_BYTES:
        raise InvalidParams(f"A chunk of {target_bytes} bytes is too small; the least is {MIN_TARGET_BYTES}.")
    if index is None:
        index = _index_lines(source, should_stop, progress)
    file = source.original if isinstance(source, TranscodedSource) else source
    cutter = _Cutter(file, source.encoding.name if isinstance(source, TranscodedSource) else "", target_bytes)
    chunks: list[Chunk] = []
    start = 0
    start_line = 1
    while start < file.size:
        raise_if_stopped(should_stop)
        end, at_line_start = cutter.next_cut(start)
        last = end - 1
        if isinstance(source, TranscodedSource):
            last = source.from_original(last)
        end_line = index.line_at_offset(last, source)
        chunks.append(Chunk(start_line, end_line, start, end))
        start = end
        start_line = end_line + at_line_start
        progress(start, file.size)
    return ChunkPlan(
        chunks=tuple(chunks),
        line_count=index.total_lines,
        byte_count=file.size,
        target_bytes=target_bytes,
        plan_hash=_hash_plan(tuple(chunks), target_bytes),
        state=file.state if isinstance(file, FileSource) else None,
    )


def verify_plan(plan: ChunkPlan, source: ByteSource) -> None:
    """Raise `FileChanged` unless the file still has the size and the mtime with which it was planned."""
    file = source.original if isinstance(source, TranscodedSource) else source
    state = file.current_state() if isinstance(file, FileSource) else None
    shown = display_path(file.name)
    size = file.size if state is None else state.size
    if size != (plan.byte_count if plan.state is None else plan.state.size):
        raise FileChanged(f"{shown} has {size:,} bytes and had {plan.byte_count:,} when it was planned; plan it again.")
    if plan.state is not None and state is not None and state != plan.state:
        raise FileChanged(f"{shown} was written since it was planned; plan it again.")


def _hash_plan(chunks: tuple[Chunk, ...], target_bytes: int) -> str:
    cuts = ",".join(f"{chunk.start_line}-{chunk.end_line}:{chunk.start_byte}-{chunk.end_byte}" for chunk in chunks)
    return xxhash.xxh3_128_hexdigest(f"{target_bytes};{cuts}".encode())


def _index_lines(source: ByteSource, should_stop: StopFlag, progress: Progress) -> LineIndex:
    index = LineIndex()
    while index.size < source.size:
        raise_if_stopped(should_stop)
        index.feed(source.read_at(index.size, _READ_BYTES))
        progress(index.size, source.size)
    return index


class _Cutter:
    """Finds the next cut. Works in code units, so that one search serves UTF-8, UTF-16 and UTF-32.

    Wide units become one byte each: ASCII as it is, all else as 0x80, a low surrogate as 0xBF.
    """

    def __init__(self, file: ByteSource, wide_name: str, target_bytes: int) -> None:
        self._file = file
        self._unit_type = np.dtype(
            {"": "u1", "utf-16-le": "<u2", "utf-16-be": ">u2", "utf-32-le": "<u4", "utf-32-be": ">u4"}[wide_name]
        )
        unit = self._unit_type.itemsize
        self._unit_bytes = unit
        self._target = target_bytes // unit
        self._least = -(-target_bytes * 4 // (5 * unit))
        self._most = target_bytes * 6 // (5 * unit)

    def next_cut(self, start: int) -> tuple[int, bool]:
        """Where the chunk that begins at byte `start` ends, and whether a line starts there."""
        unit = self._unit_bytes
        rest = self._file.size - start
        if rest <= self._most * unit:
            return self._file.size, True
        low = start // unit + self._least - _MARGIN_UNITS
        window_start = max(start // unit, low)
        window_end = start // unit + self._most + _MARGIN_UNITS
        codes = self._narrow(self._file.read_at(window_start * unit, (window_end - window_start) * unit))
        least = start // unit + self._least - window_start
        most = start // unit + self._most - window_start
        target = start // unit + self._target - window_start
        cut = _line_cut(codes, least, target, most)
        if cut is not None:
            return (window_start + cut) * unit, True
        return (window_start + _cut_in_line(codes, least, target, most, self._unit_bytes)) * unit, False

    def _narrow(self, data: bytes) -> bytes:
        if self._unit_bytes == 1:
            return data
        units = np.frombuffer(data[: len(data) // self._unit_bytes * self._unit_bytes], self._unit_type)
        codes = np.where(units < 0x80, units, 0x80)
        if self._unit_bytes == 2:
            codes[(units & 0xFC00) == 0xDC00] = 0xBF
        return codes.astype(np.uint8).tobytes()


def _line_cut(data: bytes, least: int, target: int, most: int) -> int | None:
    """The best line start in [least, most] of the window, or None where there is none."""
    codes = np.frombuffer(data, np.uint8)
    every_start = line_starts(data)[1:]  # the window's own first byte may lie within a line
    low, high = np.searchsorted(every_start, (least, most + 1))
    starts = every_start[low:high]
    if not len(starts):
        return None
    first = codes[starts]
    is_blank = (first == _LF) | (first == _CR)
    # The line before each candidate. That of the window's first line start begins outside, and is no blank line.
    before = every_start[max(0, low - 1) : high - 1]
    known = len(starts) - len(before)
    first_before = codes[before]
    follows_blank = np.zeros(len(starts), bool)
    follows_blank[known:] = (first_before == _LF) | (first_before == _CR)
    follows_closing = np.zeros(len(starts), bool)
    follows_closing[known:] = np.isin(first_before, _CLOSING_BYTES)
    natural = ~is_blank & (follows_blank | follows_closing)
    for position in np.flatnonzero(np.isin(first, _SECTION_FIRST_BYTES) & ~natural).tolist():
        offset = int(starts[position])
        natural[position] = data.startswith(_SECTION_STARTS, offset) or _SECTION_NAME.match(data, offset) is not None
    if natural.any():
        return _nearest(starts[natural], target)
    brackets = _after_least_indented_closing(data, starts, before, first)
    if len(brackets):
        return _nearest(brackets, target)
    flush = ~is_blank & (first != _SPACE) & (first != _TAB)
    return _nearest(starts[flush] if flush.any() else starts, target)


def _after_least_indented_closing(data: bytes, starts: Positions, before: Positions, first: Codes) -> Positions:
    """Where all lines are indented: line starts that follow a closing bracket, those of the least indent."""
    if not bool(((first == _SPACE) | (first == _TAB)).all()):
        return starts[:0]
    found: list[tuple[int, int]] = []
    for line, after in zip(before.tolist(), starts[len(starts) - len(before) :].tolist(), strict=True):
        text = data[line:after]
        stripped = text.lstrip(b" \t")
        if stripped[:1] in (b"}", b"]", b")"):
            found.append((len(text) - len(stripped), after))
    least_indent = min((indent for indent, _ in found), default=0)
    return np.array([after for indent, after in found if indent == least_indent], np.int64)


def _nearest(positions: Positions, target: int) -> int:
    """The position nearest to the target; the earlier of two as near."""
    return int(positions[np.argmin(np.abs(positions - target))])


def _cut_in_line(data: bytes, least: int, target: int, most: int, unit_bytes: int) -> int:
    """The best cut where the window holds no line start: between records, else between characters."""
    for mark in (b"},", b"],"):
        before = data.rfind(mark, least - len(mark), target)
        after = data.find(mark, target - len(mark), most)
        cuts = [found + len(mark) for found in (before, after) if found >= 0]
        cuts = [cut for cut in cuts if least <= cut <= most]
        if cuts:
            return min(cuts, key=lambda cut: abs(cut - target))
    if unit_bytes == 4:
        return target
    # Not before a continuation byte of UTF-8, nor before a low surrogate, which `_narrow` shows as one.
    nearby: tuple[int, ...] = (
        *range(target, max(least, target - 4) - 1, -1),
        *range(target + 1, min(most, target + 4) + 1),
    )
    for cut in nearby:
        if data[cut] & 0xC0 != 0x80 or (unit_bytes == 2 and data[cut] != 0xBF):
            return cut
    return target
