"""A block of a log by its lines: what the scanner asks of it again and again."""

from __future__ import annotations

from bisect import bisect_left

from milepost.core.logs.ansi import strip_ansi
from milepost.core.logs.layouts import Layout
from milepost.core.logs.timestamps import Stamp, StampReader
from milepost.core.scan import Block

#: How much of a line is looked at: what a person would call its head.
LINE_BYTES = 4096
_LOOK_BACK_LINES = 64
#: Up to which offset stamps are read how far apart; gaps between are found by bisection, whatever the distance.
_SPACING = ((1 << 20, 4 << 10), (16 << 20, 16 << 10), (64 << 20, 64 << 10))
_STAMP_SEARCH_LINES = 8


def mark_spacing(offset: int) -> int:
    """How far apart stamps are read at this offset of the file: closer at its head, so that small files get segments too."""
    for end, spacing in _SPACING:
        if offset < end:
            return spacing
    return 256 << 10


class BlockView:
    """Lines of a block by index. Lines come without their ends and at most `LINE_BYTES` long."""

    def __init__(self, block: Block, layout: Layout | None) -> None:
        self.block = block
        self.layout = layout
        self.starts: list[int] = block.starts.tolist()
        self.count = len(self.starts)
        self._data = block.data
        self._first_number = block.first_line if block.starts_line else block.first_line + 1

    def start_of(self, index: int) -> int:
        """Where a line starts, as an offset in the file."""
        return self.block.start + self.starts[index]

    def end_of(self, index: int) -> int:
        """Where a line ends, its line end included, as an offset in the file."""
        return self.block.start + (self.starts[index + 1] if index + 1 < self.count else len(self._data))

    def number(self, index: int) -> int:
        """The 1-based number of a line."""
        return self._first_number + index

    def line(self, index: int) -> bytes:
        """The head of a line, without its end."""
        start = self.starts[index]
        end = self.starts[index + 1] if index + 1 < self.count else len(self._data)
        return self._data[start : min(end, start + LINE_BYTES)].rstrip(b"\r\n")

    def text(self, start: int, end: int) -> bytes:
        """The bytes of lines `start` to `end` (exclusive), at most 64 KiB."""
        first = self.starts[start]
        last = self.starts[end] if end < self.count else len(self._data)
        return self._data[first : min(last, first + 65536)]

    def is_head(self, index: int) -> bool:
        """Whether a line begins a record."""
        line = strip_ansi(self.line(index))
        return self.layout.is_head(line) if self.layout else line[:1] not in b" \t" and bool(line)

    def head_before(self, index: int, lowest: int) -> int:
        """The line that begins the record in which line `index` lies, no earlier than `lowest`; else `index` itself."""
        for candidate in range(index - 1, max(lowest, index - _LOOK_BACK_LINES) - 1, -1):
            if self.is_head(candidate):
                return candidate
            if not self.line(candidate).strip() and (self.layout is None or self.layout.name == "console"):
                break
        return index

    def mark_indexes(self, next_mark: int) -> tuple[list[int], int]:
        """The first line at or after each mark in this block, and the next mark after it."""
        indexes: list[int] = []
        end = self.block.start + len(self._data)
        while next_mark < end:
            index = bisect_left(self.starts, next_mark - self.block.start)
            if index == self.count:
                break  # The mark lies in this block's last line: the next block's first line is the one.
            if not indexes or indexes[-1] != index:
                indexes.append(index)
            next_mark += mark_spacing(next_mark)
        return indexes, next_mark

    def stamp_near(self, reader: StampReader, index: int) -> tuple[int, Stamp] | None:
        """The first stamped line at or after a line, within a few lines, with its stamp."""
        for candidate in range(index, min(self.count, index + _STAMP_SEARCH_LINES)):
            stamp = reader.read(strip_ansi(self.line(candidate)))
            if stamp is not None:
                return candidate, stamp
        return None

    def last_stamp(self, reader: StampReader) -> tuple[int, Stamp] | None:
        """The last stamped line of the block, with its stamp, if it is near the end."""
        for candidate in range(self.count - 1, max(-1, self.count - 1 - _STAMP_SEARCH_LINES), -1):
            stamp = reader.read(strip_ansi(self.line(candidate)))
            if stamp is not None:
                return candidate, stamp
        return None

    def bisect_gap(
        self, reader: StampReader, left: tuple[int, Stamp], right: tuple[int, Stamp]
    ) -> tuple[tuple[int, Stamp], tuple[int, Stamp]]:
        """Between two stamped lines far apart in time, two neighbouring ones between which most of the time passes."""
        while right[0] - left[0] > 1:
            middle = (left[0] + right[0]) // 2
            found = self.stamp_near(reader, middle)
            if found is None or not left[0] < found[0] < right[0]:
                found = None
                for candidate in range(middle, max(left[0], middle - 4 * _STAMP_SEARCH_LINES), -1):
                    stamp = reader.read(strip_ansi(self.line(candidate)))
                    if stamp is not None:
                        found = (candidate, stamp)
                        break
                if found is None:
                    break
            if abs(found[1].seconds - left[1].seconds) >= abs(right[1].seconds - found[1].seconds):
                right = found
            else:
                left = found
        return left, right
