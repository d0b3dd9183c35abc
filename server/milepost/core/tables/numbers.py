"""Which cells of a block are plain numbers, found for all cells at once.

A mark at the beginning of each cell is moved through what may follow there (digits, a point, digits), as in parallel bit
streams (Lin, Medforth, Herdy, Shriraman and Cameron, "Parabix: boosting the efficiency of text processing on commodity
processors", 2012): adding a set of marks to the set of digits carries each mark to the first byte that is no digit. A cell
is a number if its mark arrives at the cell's end. That costs the same however many cells there are.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Words, after, as_mask, before, pack
from milepost.core.tables.dialect import Dialect

Codes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

_LF, _CR, _SPACE, _MINUS, _POINT, _ZERO = 10, 13, 0x20, 0x2D, 0x2E, 0x30
_WHITE = (0x20, 0x09, 0x0A, 0x0B, 0x0C, 0x0D)
#: What the plane says of a cell.
PLAIN = {"integer": 1, "number": 2, "code": 3, "empty": 4}
_ONE, _FULL = np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)


def through(marks: Words, passable: Words) -> Words:
    """Where marks come to when each goes on through what is passable: the first place that is not, its own if that is none.

    No mark may stand where another arrives.
    """
    total = marks + passable
    carries = total < passable
    if carries.any():
        # Words add without each other: what is carried out of one, also through full ones, is added to the next.
        generated = int.from_bytes(np.packbits(carries, bitorder="little").tobytes(), "little")
        full = int.from_bytes(np.packbits(total == _FULL, bitorder="little").tobytes(), "little")
        carried = ((generated << 1) + full) ^ full
        size = -(-(len(total) + 1) // 8)
        added = np.unpackbits(
            np.frombuffer(carried.to_bytes(size + 1, "little"), np.uint8), count=len(total), bitorder="little"
        )
        total += added
    total &= ~passable
    return total


class Numbers:
    """The cells of a block that are numbers, told by the places where cells end: those of the delimiters behind them.

    `marks` are the delimiters and line ends that count, `quotes` the quotes if there are any. `has_edges` says that cells
    have blanks at an end, which do not count.
    """

    def __init__(self, data: bytes, codes: Codes, dialect: Dialect, marks: Words, quotes: Words | None) -> None:
        self._codes = codes
        self._data = data
        ends = marks
        returns = None
        if data.find(_CR) >= 0:
            returns = pack(codes == _CR) & before(pack(codes == _LF) & marks)
            ends = (marks & ~after(returns)) | returns
        starts = after(marks)
        starts[0] |= _ONE
        if dialect.skip_space:
            spaces = pack(codes == _SPACE) & ~marks
            starts = (starts & ~spaces) | through(starts & spaces, spaces)
        self._closing = None
        if quotes is not None:
            opened = starts & quotes
            starts = (starts & ~opened) | after(opened)
            self._closing = quotes & before(ends)
            ends = (ends & ~after(self._closing)) | self._closing
        self._blanks = self._edges(marks if returns is None else marks | returns, starts, ends)
        self._led = None
        if self._blanks is not None:
            self._led = through(starts & self._blanks, self._blanks)
            starts = (starts & ~self._blanks) | self._led
        self._starts, self._ends = starts, ends
        self.has_edges = self._blanks is not None
        self._digits = pack((codes - np.uint8(_ZERO)) < 10)
        minuses = starts & pack(codes == _MINUS) if data.find(_MINUS) >= 0 else None
        self.has_minus = minuses is not None and bool(minuses.any())
        signed = after(minuses) if minuses is not None else None
        begun = (starts if signed is None else starts | signed) & self._digits
        # A number that begins with a needless zero is a code, unless a sign or a point says otherwise: rare, left to others.
        zeros = begun & pack(codes == _ZERO) & before(self._digits)
        self._led_by_zero = zeros if zeros.any() else None
        self._unsigned_zeros = zeros & starts
        self._begun = starts if signed is None else starts | signed
        self._behind = through(begun, self._digits)
        self._masks: dict[str, Mask] = {}

    def _edges(self, marks: Words, starts: Words, ends: Words) -> Words | None:
        """The white space of cells, if some begin or end with it."""
        low = pack(self._codes <= _SPACE) & ~marks
        if not (low & (starts | before(ends))).any():
            return None
        blanks = np.zeros_like(low)
        for code in _WHITE:
            if self._data.find(code) >= 0:
                blanks |= pack(self._codes == code)
        blanks &= low & ~ends
        return blanks if (blanks & (starts | before(ends))).any() else None

    @cached_property
    def plane(self) -> Codes:
        """At the end of each cell what it is, as one of `PLAIN`; 0 there for everything else, and anything elsewhere."""
        found = as_mask(self._outer(self._starts & self._ends), len(self._codes)).view(np.uint8) * np.uint8(
            PLAIN["empty"]
        )
        for form in ("integer", "number", "code"):
            words = self._words(form)
            if words.any():
                found += as_mask(self._outer(words), len(self._codes)).view(np.uint8) * np.uint8(PLAIN[form])
        return found

    def of(self, form: str) -> Mask:
        """Where cells end that are of a form: "integer", "number", "fraction" (`.5`) or "code". Odd ones are left out."""
        found = self._masks.get(form)
        if found is None:
            found = self._masks[form] = as_mask(self._outer(self._words(form)), len(self._codes))
        return found

    def _words(self, form: str) -> Words:
        forms = {"integer": self._integers, "number": self._decimals, "code": self._coded}
        return forms.get(form, self._fractions)()

    def _outer(self, words: Words) -> Words:
        """Ends at closing quotes moved behind them."""
        if self._closing is None:
            return words
        closing = words & self._closing
        return (words ^ closing) | after(closing)

    def _arrived(self, marks: Words) -> Words:
        """The marks that are at the end of a cell, blanks before it aside."""
        if self._blanks is not None:
            marks = (marks & ~self._blanks) | through(marks & self._blanks, self._blanks)
        return marks & self._ends

    def _integers(self) -> Words:
        found = self._arrived(self._behind)
        if self._led_by_zero is not None:
            found &= ~self._arrived(through(self._led_by_zero, self._digits))
        return found

    def _coded(self) -> Words:
        if self._led_by_zero is None:
            return np.zeros_like(self._ends)
        return self._arrived(through(self._unsigned_zeros, self._digits))

    def _fractions(self) -> Words:
        if self._data.find(_POINT) < 0:
            return np.zeros_like(self._ends)
        points = self._begun & pack(self._codes == _POINT) & before(self._digits)
        return self._arrived(through(after(points), self._digits))

    @cached_property
    def padded(self) -> Mask | None:
        """Where cells end that have blanks at an end and at most one word; None where there are none."""
        blanks = self._blanks
        if blanks is None:
            return None
        behind = through(self._starts & ~self._ends, ~(blanks | self._ends))
        found = through(behind & blanks, blanks) & self._ends
        if self._led is not None:
            found |= through(self._led & ~self._ends, ~self._ends) | (self._led & self._ends)
        return as_mask(self._outer(found), len(self._codes)) if found.any() else None

    def _decimals(self) -> Words:
        if self._data.find(_POINT) < 0:
            return np.zeros_like(self._ends)
        points = self._behind & pack(self._codes == _POINT)
        if self._led_by_zero is not None:
            points &= ~through(self._led_by_zero, self._digits)
        return self._arrived(through(after(points), self._digits))
