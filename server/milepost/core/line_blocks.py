"""A source in blocks of whole lines, for what looks at each line by itself.

A line too long for a block comes in pieces that overlap, so that what lies across an edge is whole in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from milepost.core.source import ByteSource

OVERLAP_BYTES = 65536
"""How much of a giant line's piece is seen again in the next, where blocks are twice that or more."""


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Bytes of the source: whole lines, or a piece of one line, of which the first `overlap` bytes were seen before."""

    start: int
    data: bytes
    starts_line: bool
    ends_line: bool
    overlap: int = 0

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        return self.start + len(self.data)


def line_blocks(source: ByteSource, start: int, block_bytes: int) -> Iterator[LineBlock]:
    """The source from the line start `start` on: whole lines, and lines longer than a block in overlapping pieces."""
    starts_line = True
    overlap = 0
    while start < source.size:
        data = source.read_at(start, block_bytes + 1)
        following = data[block_bytes] if len(data) > block_bytes else None
        data = data[:block_bytes]
        if following is None and starts_line:
            yield LineBlock(start, data, True, True)
            return
        # Up to the last line end; but a giant line's last piece ends where that line does.
        cut = _after_last_line_end(data, following) if starts_line else _after_first_line_end(data, overlap, following)
        if cut:
            yield LineBlock(start, data[:cut], starts_line, True, overlap)
            start, starts_line, overlap = start + cut, True, 0
        else:
            yield LineBlock(start, data, starts_line, following is None, overlap)
            if following is None:
                return
            overlap = min(OVERLAP_BYTES, block_bytes // 2)
            start, starts_line = start + len(data) - overlap, False


def _after_last_line_end(data: bytes, following: int | None) -> int:
    """The offset after the last line end, 0 where there is none; `following` is the byte after the data."""
    line_feed, carriage_return = data.rfind(b"\n"), data.rfind(b"\r")
    if carriage_return == len(data) - 1 and following == ord("\n"):
        carriage_return = data.rfind(b"\r", 0, carriage_return)
    return max(line_feed, carriage_return) + 1


def _after_first_line_end(data: bytes, start: int, following: int | None) -> int:
    """The offset after the first line end at or after `start`, 0 where there is none."""
    line_feed = data.find(b"\n", start)
    carriage_return = data.find(b"\r", start, line_feed if line_feed >= 0 else len(data))
    if carriage_return < 0:
        return line_feed + 1
    if carriage_return + 1 == len(data):
        return 0 if following == ord("\n") else len(data)
    return carriage_return + 1 + (data[carriage_return + 1] == ord("\n"))
