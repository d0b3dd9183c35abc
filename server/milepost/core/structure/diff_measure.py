"""How far the hunks of a block reach, for all of them at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.structure.line_view import LineView

Ints = npt.NDArray[np.int64]
_LF, _CR, _SPACE, _PLUS, _MINUS, _BACKSLASH = 10, 13, 32, 43, 45, 92


class LineSums:
    """Running sums over the lines of a view: how many are added, removed, or context, before each of them.

    An empty line counts as context: mailers strip the blank of an empty context line.
    """

    def __init__(self, view: LineView) -> None:
        heads = view.heads
        plus, minus = heads == _PLUS, heads == _MINUS
        context = (heads == _SPACE) | (heads == _LF) | (heads == _CR)
        self.size = view.size
        self.added, self.removed, self.context = running(plus), running(minus), running(context)
        self._old, self._new = self.removed + self.context, self.added + self.context
        self._is_note = np.append(heads == _BACKSLASH, False)
        #: Lines that no hunk can hold.
        self.foreign: Ints = np.flatnonzero(~(plus | minus | context | self._is_note[:-1]))

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


def running(counts: npt.NDArray[np.bool_] | Ints) -> Ints:
    """The sum of the counts before each place; one longer than `counts`."""
    sums = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=sums[1:])
    return sums
