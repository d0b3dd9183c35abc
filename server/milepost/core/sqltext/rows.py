"""The rows that INSERT statements add, counted by the brackets that stand outside strings."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets, Ranks, Words, pack, places

_TAIL = re.compile(rb"(?i)\bON\s+(?:CONFLICT|DUPLICATE)\b|\bRETURNING\b")


class Brackets:
    """The round brackets of a piece that are not hidden. Depths are worked out only where they are asked for."""

    def __init__(self, data: bytes, codes: npt.NDArray[np.uint8], hidden: Words) -> None:
        self._data = data
        self._codes = codes
        self._hidden = hidden
        self._opens: Words | None = None
        self._ranks: Ranks | None = None
        self._places: Offsets | None = None
        self._depths: Offsets = np.zeros(1, np.int64)

    def _opening(self) -> Words:
        if self._opens is None:
            self._opens = pack(self._codes == 0x28) & ~self._hidden
        return self._opens

    def opened(self, starts: Offsets, ends: Offsets) -> Offsets:
        """How many are opened in each of the ranges, at any depth."""
        if self._ranks is None:
            self._ranks = Ranks(self._opening())
        counts: Offsets = (self._ranks.at(ends) - self._ranks.at(starts)).astype(np.int64)
        return counts

    def outer(self, start: int, end: int, depth: int) -> tuple[Offsets, int]:
        """Where brackets are opened that lie in no others, from `start` to `end`, and the depth at the end."""
        if self._places is None:
            closing = pack(self._codes == 0x29) & ~self._hidden
            self._places = places(self._opening() | closing, len(self._codes))
            steps = np.where(self._codes[self._places] == 0x28, 1, -1)
            self._depths = np.append(0, np.cumsum(steps))
        low, high = np.searchsorted(self._places, (start, end))
        if low == high:
            return self._places[:0], depth
        depths = self._depths[low : high + 1] + (depth - int(self._depths[low]))
        is_outer = (depths[1:] == 1) & (depths[:-1] == 0)
        return self._places[low:high][is_outer], max(0, int(depths[-1]))

    def tail_rows(self, start: int, end: int) -> int:
        """Outer brackets of a statement that belong to no row: those behind ON CONFLICT and its kin."""
        at = max(start, end - 4000)
        match = _TAIL.search(self._data, at, end)
        if match is None or (int(self._hidden[match.start() >> 6]) >> (match.start() & 63)) & 1:
            return 0
        return len(self.outer(match.start(), end, 0)[0])
