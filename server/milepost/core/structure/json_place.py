"""Where the bytes of a stretch lie in the file: offsets, lines, and columns as an editor counts them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

#: The encoding of a text that is UTF-8 but for some bytes: an editor shows a mark for each of those.
LOSSY = "utf-8 in part"


class Mark(NamedTuple):
    """A boundary between sections. `column` is in UTF-16 units from the start of the line; None at its start."""

    byte: int
    line: int
    column: int | None


class Lines:
    """The lines of `data`, which begins at `base` of the file, in `line` (1-based), `units` UTF-16 units into it.

    `starts` are the offsets in the file where further lines start, all of them after `base` and in order.
    """

    def __init__(
        self,
        data: bytes,
        base: int,
        line: int,
        units: int,
        starts: npt.NDArray[np.int64],
        line_start: int,
        encoding: str = "utf-8",
    ) -> None:
        self.data = data
        self.base = base
        self.line = line
        self.units = units
        self.starts = starts
        self.line_start = line_start
        self.encoding = encoding
        self._known = (0, 0)

    def line_and_start(self, offset: int) -> tuple[int, int]:
        """The line that holds the byte at `offset` of the file, and where that line starts."""
        passed = int(self.starts.searchsorted(offset, side="right"))
        return self.line + passed, int(self.starts[passed - 1]) if passed else self.line_start

    def mark(self, after: int, offset: int) -> Mark:
        """The boundary before what begins at `offset`: the start of its line, unless `after` lies on that line too."""
        line, start = self.line_and_start(offset)
        if start > after:
            return Mark(start, line, None)
        return self.mark_at(offset)

    def mark_at(self, offset: int) -> Mark:
        """The boundary at `offset` itself."""
        line, start = self.line_and_start(offset)
        if start == offset:
            return Mark(offset, line, None)
        return Mark(offset, line, self.column(offset, start))

    def column(self, offset: int, line_start: int) -> int:
        """UTF-16 units between the start of a line and `offset`."""
        if line_start < self.base:
            return self.units + self._units_between(0, offset - self.base)
        return self._units_between(line_start - self.base, offset - self.base)

    def end_of(self, mark: Mark) -> tuple[int, int | None]:
        """The last line and the end column of a section that ends at `mark`."""
        return (mark.line - 1, None) if mark.column is None else (mark.line, mark.column)

    def _units_between(self, start: int, end: int) -> int:
        if self._is_ascii:
            return end - start
        if start == 0:
            return self._units_before(end)
        return self._count(start, end)

    @cached_property
    def _is_ascii(self) -> bool:
        return self.data.isascii()

    def _units_before(self, offset: int) -> int:
        """UTF-16 units before `offset` of `data`. Asked in ascending order, it counts every byte once."""
        known, units = self._known
        if offset >= known:
            units += self._count(known, offset)
        else:
            units -= self._count(offset, known)
        self._known = (offset, units)
        return units

    @cached_property
    def _array(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def _has_four_byte_characters(self) -> bool:
        return bool(len(self._array)) and int(self._array.max()) >= 0xF0

    def _count(self, start: int, end: int) -> int:
        """UTF-16 units of the characters in a range of `data`."""
        if self.encoding == "utf-8":
            # One unit for every byte that continues no character, one more for the first of four.
            array = self._array[start:end]
            units = len(array) - int(np.count_nonzero(array.view(np.int8) < -64))
            return units + int(np.count_nonzero(array >= 0xF0)) if self._has_four_byte_characters else units
        data = self.data[start:end]
        if data.isascii():
            return len(data)
        text = data.decode("utf-8" if self.encoding == LOSSY else self.encoding, "replace")
        return len(text.encode("utf-16-le")) // 2
