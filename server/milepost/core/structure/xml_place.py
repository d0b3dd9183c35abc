"""Where elements begin and end as sections do: at line ends where they can, else inside a line, at a column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from milepost.core.scan import Block

_BOM = b"\xef\xbb\xbf"
#: Encodings in which what a byte means depends on those before it in its line.
_STATEFUL = ("iso2022", "iso-2022", "hz", "utf-7")
_BLANKS = b" \t\r\n"
_MOST_BLANKS = 400


class Mark(NamedTuple):
    """A boundary before the byte `byte`, which lies on `line`. `column` is in UTF-16 units; None at the line's start."""

    byte: int
    line: int
    column: int | None


class Places:
    """The lines of a buffer that slides over a file. `base` is the offset of its first byte."""

    def __init__(self, byte: int, line: int, units: int, encoding: str) -> None:
        self.base = byte
        self.data = b""
        self._encoding = encoding
        self._line = line
        self._line_start = byte
        #: Units before `_line_start` (more than 0 where the first buffer begins inside a line), and before `base`.
        self._line_units = units
        self._units = units
        self._starts = np.zeros(0, np.int64)
        self._known = (byte, units)
        self._ends_line = False

    def extend(self, block: Block) -> bytes:
        """Append a block; returns the whole buffer."""
        if block.start == 0 and block.data.startswith(_BOM):
            self._units = self._line_units = -1  # an editor does not count it
            self._known = (0, -1)
        starts = block.starts + block.start
        if len(starts) and starts[0] == self._line_start:
            starts = starts[1:]
        self._starts = np.concatenate((self._starts, starts)) if len(self._starts) else starts
        self._ends_line = block.data.endswith((b"\n", b"\r"))
        self.data = self.data + block.data if self.data else block.data
        return self.data

    def drop(self, size: int) -> None:
        """Let go of the first `size` bytes."""
        byte = self.base + size
        self._units = self._column(byte)
        passed = int(self._starts.searchsorted(byte, "right"))
        if passed:
            self._line_start, self._line_units = self._starts.item(passed - 1), 0
            self._line += passed
            self._starts = self._starts[passed:]
        self.data = self.data[size:]
        self.base = byte
        self._known = (byte, self._units)

    def before(self, byte: int) -> Mark:
        """The boundary before what begins at `byte`: its line's start, if only blanks stand before it there."""
        line, start = self._line_of(byte)
        if start == byte and not self._begins_inside(start):
            return Mark(byte, line, None)
        is_near = start >= self.base and not self._begins_inside(start) and byte - start < _MOST_BLANKS
        if is_near and not self.data[start - self.base : byte - self.base].strip(_BLANKS):
            return Mark(start, line, None)
        return Mark(byte, line, self._column(byte))

    def after(self, byte: int) -> Mark:
        """The boundary after what ends at `byte`: the start of the next line, if only blanks follow on this one."""
        line, start = self._line_of(byte)
        if start == byte and not self._begins_inside(start):
            return Mark(byte, line, None)
        passed = line - self._line
        if passed < len(self._starts):
            following = self._starts.item(passed)
            if following - byte < _MOST_BLANKS and not self.data[byte - self.base : following - self.base].strip(
                _BLANKS
            ):
                return Mark(following, line + 1, None)
        elif len(self.data) + self.base - byte < _MOST_BLANKS:
            rest = self.data[byte - self.base :]
            if rest.endswith((b"\n", b"\r")) and not rest.strip(_BLANKS):
                return Mark(byte + len(rest), line + 1, None)
        return Mark(byte, line, self._column(byte))

    def end(self, byte: int, line: int, *, is_range: bool) -> Mark:
        """The boundary at the end of the file, or of a range, whose last line is `line`."""
        if not is_range or self._ends_line or byte == self.base + len(self.data) == self._line_start:
            return Mark(byte, line + 1, None)
        return Mark(byte, line, self._column(byte))

    def _begins_inside(self, start: int) -> bool:
        """Whether what counts as the start of a line is where a range begins inside it."""
        return start == self._line_start and self._line_units > 0

    def line_of(self, byte: int) -> int:
        """The 1-based line that holds a byte."""
        return self._line_of(byte)[0]

    def _line_of(self, byte: int) -> tuple[int, int]:
        passed = int(self._starts.searchsorted(byte, "right"))
        return self._line + passed, self._starts.item(passed - 1) if passed else self._line_start

    def _column(self, byte: int) -> int:
        """UTF-16 units between the start of a line and `byte`. Asked in ascending order, it counts every byte once."""
        _, start = self._line_of(byte)
        known, units = self._known
        if known <= start or byte < known or self._encoding.startswith(_STATEFUL):
            if start >= self.base:
                known, units = start, self._line_units if start == self._line_start else 0
            else:
                known, units = self.base, self._units
        units += self._count(self.data[known - self.base : byte - self.base])
        self._known = (byte, units)
        return units

    def _count(self, data: bytes) -> int:
        if data.isascii() and not self._encoding.startswith(_STATEFUL):
            return len(data)
        if self._encoding.startswith("utf"):
            array = np.frombuffer(data, np.uint8)
            return int(np.count_nonzero((array & 0xC0) != 0x80) + np.count_nonzero(array >= 0xF0))
        return len(data.decode(self._encoding, "replace").encode("utf-16-le")) // 2
