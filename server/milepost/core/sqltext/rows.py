"""The rows that INSERT statements add, counted by the brackets that stand outside strings."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets, Ranks, Words, count, from_place, has, inside, pack, places, upto_place

_TAIL = re.compile(rb"(?i)\bON\s+(?:CONFLICT|DUPLICATE)\b|\bRETURNING\b")


class Brackets:
    """The round brackets of a piece that are not hidden. Depths are worked out only where they are asked for."""

    def __init__(self, data: bytes, codes: npt.NDArray[np.uint8], hidden: Words) -> None:
        self._data = data
        self._codes = codes
        self._hidden = hidden
        self._opens: Words | None = None
        self._closes: Words | None = None
        self._ranks: Ranks | None = None
        self._places: Offsets | None = None
        self._depths: Offsets = np.zeros(1, np.int64)

    def _opening(self) -> Words:
        if self._opens is None:
            self._opens = pack(self._codes == 0x28) & ~self._hidden
        return self._opens

    def _counted(self) -> Ranks:
        if self._ranks is None:
            self._ranks = Ranks(self._opening())
        return self._ranks

    def opened(self, starts: Offsets, ends: Offsets) -> Offsets:
        """How many are opened in each of the ranges, at any depth."""
        ranks = self._counted()
        counts: Offsets = (ranks.at(ends) - ranks.at(starts)).astype(np.int64)
        return counts

    def count_outer(self, start: int, end: int, depth: int) -> tuple[int, int]:
        """How many are opened that lie in no others, from `start` to `end`, and the depth at the end."""
        if end - start < len(self._codes) // 8:
            found, depth = self._outer_of_slice(start, end, depth)
            return len(found), depth
        if depth <= 1:
            opening, closing = self._between(self._opening(), start, end), self._between(self._closing(), start, end)
            within = inside(opening | closing, depth == 1)
            if not ((opening & ~within) | (closing & within)).any():
                # Opened and closed by turns: none lies in another.
                opened = count(opening)
                return opened, depth + opened - count(closing)
        found, depth = self.outer(start, end, depth)
        return len(found), depth

    def _closing(self) -> Words:
        if self._closes is None:
            self._closes = pack(self._codes == 0x29) & ~self._hidden
        return self._closes

    def _between(self, words: Words, start: int, end: int) -> Words:
        words = from_place(words, start)
        return words if end >= len(self._codes) else upto_place(words, end)

    def _outer_of_slice(self, start: int, end: int, depth: int) -> tuple[Offsets, int]:
        codes = self._codes[start:end]
        found = np.flatnonzero((codes == 0x28) | (codes == 0x29)) + start
        found = found[~has(self._hidden, found)]
        if not len(found):
            return found, depth
        depths = np.append(0, np.cumsum(np.where(self._codes[found] == 0x28, 1, -1))) + depth
        return found[(depths[1:] == 1) & (depths[:-1] == 0)], max(0, int(depths[-1]))

    def outer(self, start: int, end: int, depth: int) -> tuple[Offsets, int]:
        """Where brackets are opened that lie in no others, from `start` to `end`, and the depth at the end."""
        if self._places is None:
            if end - start < len(self._codes) // 8:
                return self._outer_of_slice(start, end, depth)
            self._places = places(self._opening() | self._closing(), len(self._codes))
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
        return self.count_outer(match.start(), end, 0)[0]
