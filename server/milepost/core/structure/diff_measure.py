"""How far the hunks of a block reach, for all of them at once.

Hunks are unified ones (`@@ -1,3 +1,4 @@`, or `@@@` of a merge), or those of a normal diff (`1,3c1,4`, `< ` and `> `).
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from milepost.core.structure.line_view import LineView, table_of

Ints = npt.NDArray[np.int64]
_LF, _CR, _SPACE, _PLUS, _MINUS, _BACKSLASH = 10, 13, 32, 43, 45, 92
_LESS, _GREATER = 60, 62
_AT_SIGN = 64
_UNIFIED = re.compile(rb"@@ -\d{1,15}(?:,(\d{1,15}))? \+\d{1,15}(?:,(\d{1,15}))? @@")
_COMBINED = re.compile(rb"@@@+ (?:-\d+(?:,\d+)? )+\+\d+(?:,\d+)? @@@+")
_NORMAL = re.compile(rb"(\d{1,15})(?:,(\d{1,15}))?([acd])(\d{1,15})(?:,(\d{1,15}))?[\r\n]")
_UNIFIED_BODY, _NORMAL_BODY = table_of(b"+- "), table_of(b"<>")


class LineSums:
    """Running sums over the lines of a view: how many are added, removed, or context, before each of them.

    An empty line counts as context: mailers strip the blank of an empty context line. So does the line between the two
    sides of a `normal` hunk.
    """

    def __init__(self, view: LineView, *, normal: bool = False) -> None:
        heads = view.heads
        self.is_normal = normal
        #: First bytes of the lines that change something.
        self.body = _NORMAL_BODY if normal else _UNIFIED_BODY
        plus, minus = (heads == _GREATER, heads == _LESS) if normal else (heads == _PLUS, heads == _MINUS)
        context = heads == _MINUS if normal else (heads == _SPACE) | (heads == _LF) | (heads == _CR)
        self.size = view.size
        self.added, self.removed, self.context = running(plus), running(minus), running(context)
        self._old, self._new = self.removed + self.context, self.added + self.context
        self._is_note = np.append(heads == _BACKSLASH, False)
        #: Lines that no hunk can hold.
        self.foreign: Ints = np.flatnonzero(~(plus | minus | context | self._is_note[:-1]))

    def heads(self, view: LineView, position: int) -> Ints:
        """The heads of hunks at or after line `position`: of each its line, and how many old and new lines it announces.

        -1 where that is not known.
        """
        places = self.foreign[np.searchsorted(self.foreign, position) :]
        first_bytes = view.heads[places]
        # A digit or an `@`; as a number of one byte, digits are the ten from 48 on.
        places = places[first_bytes - 48 < 10 if self.is_normal else first_bytes == _AT_SIGN]
        data, starts = view.data, view.starts[places].tolist()
        if self.is_normal:
            read = [_read_normal(data, start) for start in starts]
        else:
            match = _UNIFIED.match
            read = [
                (int(found[1] or 1), int(found[2] or 1))
                if (found := match(data, start)) is not None
                else ((-1, -1) if _COMBINED.match(data, start) else None)
                for start in starts
            ]
        found_heads = [(index, *sizes) for index, sizes in zip(places.tolist(), read, strict=True) if sizes is not None]
        return np.array(found_heads, np.int64).reshape(-1, 3)

    def limits(self, firsts: Ints) -> Ints:
        """For each line, the first at or after it that no hunk can hold."""
        return np.append(self.foreign, self.size)[np.searchsorted(self.foreign, firsts)]

    def stops(self, firsts: Ints, old: Ints, new: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """The line after each hunk's last, and which hunks have fewer lines than their heads say.

        `firsts` are the lines after the heads, `old` and `new` the lines of either side still to come; -1 takes as many
        as there are. "\\ No newline at end of file" belongs to the hunk before it.
        """
        limits = self.limits(firsts)
        old_stops = np.searchsorted(self._old, self._old[firsts] + np.maximum(old, 0))
        new_stops = np.searchsorted(self._new, self._new[firsts] + np.maximum(new, 0))
        stops = np.maximum(np.maximum(old_stops, new_stops), firsts)
        is_short = (stops > limits) & (old >= 0)
        stops = np.where(old < 0, limits, np.minimum(stops, limits))
        return stops + (self._is_note[stops] & (stops < limits)), is_short

    def left(self, first: int, old: int, new: int) -> tuple[int, int]:
        """How many lines of either side are still to come after the view, of those to come from `first` on."""
        if old < 0:
            return -1, -1
        context = int(self.context[-1] - self.context[first])
        removed, added = int(self.removed[-1] - self.removed[first]), int(self.added[-1] - self.added[first])
        return max(0, old - removed - context), max(0, new - added - context)


def _read_normal(data: bytes, start: int) -> tuple[int, int] | None:
    match = _NORMAL.match(data, start)
    if match is None:
        return None
    first, last, what, new_first, new_last = match.groups()
    old = 0 if what == b"a" else int(last or first) - int(first) + 1
    new = 0 if what == b"d" else int(new_last or new_first) - int(new_first) + 1
    # The line between both sides counts for either.
    return (old + 1, new + 1) if what == b"c" else (old, new)


def running(counts: npt.NDArray[np.bool_] | Ints) -> Ints:
    """The sum of the counts before each place; one longer than `counts`."""
    sums = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=sums[1:])
    return sums
