"""Where the bytes of a stretch lie in the file: offsets, lines, and columns as an editor counts them."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_PAGE = 4096


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
        self, data: bytes, base: int, line: int, units: int, starts: npt.NDArray[np.int64], line_start: int
    ) -> None:
        self.data = data
        self.base = base
        self.line = line
        self.units = units
        self.starts = starts
        self.line_start = line_start

    def line_and_start(self, offset: int) -> tuple[int, int]:
        """The line that holds the byte at `offset` of the file, and where that line starts."""
        passed = int(np.searchsorted(self.starts, offset, side="right"))
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
        return self._units_before(end) - self._units_before(start)

    @cached_property
    def _is_ascii(self) -> bool:
        return self.data.isascii()

    @cached_property
    def _unit_counts(self) -> npt.NDArray[np.int64]:
        """UTF-16 units before every page of `data`."""
        counts = [_count_units(self.data[start : start + _PAGE]) for start in range(0, len(self.data), _PAGE)]
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(np.array(counts, np.int64))))

    def _units_before(self, offset: int) -> int:
        page = offset // _PAGE
        return int(self._unit_counts[page]) + _count_units(self.data[page * _PAGE : offset])


def _count_units(data: bytes) -> int:
    """UTF-16 units of UTF-8 text: one for every character, two for one that takes four bytes."""
    if data.isascii():
        return len(data)
    array = np.frombuffer(data, np.uint8)
    return int(np.count_nonzero((array & 0xC0) != 0x80) + np.count_nonzero(array >= 0xF0))
