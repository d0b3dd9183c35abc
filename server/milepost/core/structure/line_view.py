"""The lines of a block as a format of lines sees them: where each starts, its first byte, its text."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block

#: So much of a line is looked at. What is said of a line never needs more.
LINE_BYTES = 1024
#: A list is indexed ten times as fast as an array, but to make it of all lines pays only if many are asked for.
_WORTH_A_LIST = 16
_WORD_BYTES = 8
_BLANK_WORD = np.uint64(int.from_bytes(b" " * _WORD_BYTES, "little"))


class LineView:
    """The lines that start in a block. `first` is the number of the first of them, `starts` are relative to the block.

    With `only_lf`, a lone CR does not end a line here (formats whose tools know no other line end than LF count that
    way); `number` is right in both cases.
    """

    __slots__ = (
        "_asked",
        "_blanks",
        "_bounds",
        "_has_odd_lines",
        "_words",
        "block",
        "data",
        "first",
        "heads",
        "size",
        "starts",
    )

    def __init__(self, block: Block, *, only_lf: bool = False) -> None:
        self.block = block
        self.data = block.data
        starts = block.starts
        self.first = block.first_line + (0 if block.starts_line else 1)
        self._has_odd_lines = False
        if only_lf and b"\r" in self.data and len(starts):
            follows_lf = block.array[np.maximum(starts, 1) - 1] == 10
            follows_lf[0] = True
            self._has_odd_lines = not bool(follows_lf.all())
            starts = starts[follows_lf]
        self.starts: npt.NDArray[np.int64] = starts
        self.heads: npt.NDArray[np.uint8] = block.array[starts]
        self.size = len(starts)
        self._bounds: list[int] | None = None
        self._asked = 0
        self._blanks: list[int] | None = None
        self._words: npt.NDArray[np.uint64] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> LineView:
        return self  # nothing in it changes

    @property
    def words(self) -> npt.NDArray[np.uint64]:
        """The eight bytes from each place of the block on, as one number; zeros behind its end."""
        if self._words is None:
            padded = self.data + bytes(2 * _WORD_BYTES)
            self._words = np.ndarray((len(self.data) + _WORD_BYTES,), np.dtype("<u8"), padded, 0, (1,))
        return self._words

    def number(self, index: int) -> int:
        """The file's number of a line of this view; `size` gives that of the line after the block."""
        if self._has_odd_lines:
            if index >= self.size:
                return self.first + len(self.block.starts)
            return self.first + int(np.searchsorted(self.block.starts, self.starts[index]))
        return self.first + index

    def offset(self, index: int) -> int:
        """Where a line starts in the file; `size` gives the end of the block."""
        return self.block.end if index >= self.size else self.block.start + int(self.starts[index])

    def offsets(self, indexes: npt.NDArray[np.int64]) -> list[int]:
        """`offset` of many lines."""
        bounds = np.append(self.starts, len(self.data))
        found: list[int] = (bounds[indexes] + self.block.start).tolist()
        return found

    def numbers(self, indexes: npt.NDArray[np.int64]) -> list[int]:
        """`number` of many lines."""
        if self._has_odd_lines:
            bounds = np.append(self.starts, len(self.data) + 1)
            indexes = np.searchsorted(self.block.starts, bounds[indexes])
        found: list[int] = (indexes + self.first).tolist()
        return found

    def text(self, index: int, most_bytes: int = LINE_BYTES) -> bytes:
        """A line without its end, or the first `most_bytes` of it."""
        bounds = self._bounds
        if bounds is None:
            self._asked += 1
            if self._asked * _WORTH_A_LIST < self.size:
                start = self.starts.item(index)
                end = self.starts.item(index + 1) if index + 1 < self.size else len(self.data)
                return self.data[start : min(end, start + most_bytes)].rstrip(b"\r\n")
            bounds = self._bounds = [*self.starts.tolist(), len(self.data)]
        start = bounds[index]
        return self.data[start : min(bounds[index + 1], start + most_bytes)].rstrip(b"\r\n")

    def after_blank(self, low: int, high: int) -> int | None:
        """The first line from `low` on, and before `high`, that follows an empty line."""
        if self._blanks is None:
            self._blanks = (np.flatnonzero((self.heads == 10) | (self.heads == 13)) + 1).tolist()
        at = bisect_left(self._blanks, low)
        return self._blanks[at] if at < len(self._blanks) and self._blanks[at] < high else None

    def first_bytes(self, most_blanks: int = 3) -> npt.NDArray[np.uint8]:
        """The first byte of each line after at most so many blanks (a blank, where there are more)."""
        found = self.heads
        last = len(self.data) - 1
        for step in range(1, most_blanks + 1):
            blank = np.flatnonzero(found == 32)
            if not len(blank):
                break
            if step == 1:
                found = found.copy()
            found[blank] = self.block.array[np.minimum(self.starts[blank] + step, last)]
        return found

    def shallow(self, most_blanks: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The lines that begin with at most so many blanks, and how many each of them begins with."""
        near = np.arange(self.size)
        if most_blanks < _WORD_BYTES:
            # Eight bytes at once tell most of the deeper ones.
            mask = np.uint64((1 << (8 * (most_blanks + 1))) - 1)
            near = np.flatnonzero((self.words[self.starts] ^ _BLANK_WORD) & mask)
        starts = self.starts[near]
        indents = np.zeros(len(near), np.int64)
        inside = np.flatnonzero(self.heads[near] == 32)
        last = len(self.data) - 1
        for step in range(1, most_blanks + 2):
            indents[inside] = step
            inside = inside[self.block.array[np.minimum(starts[inside] + step, last)] == 32]
        is_shallow = indents <= most_blanks
        return near[is_shallow], indents[is_shallow]

    def lengths(self) -> npt.NDArray[np.int64]:
        """How many bytes each line has, its end included."""
        ends = np.append(self.starts[1:], len(self.data))
        return ends - self.starts


def table_of(members: bytes) -> npt.NDArray[np.bool_]:
    """A table of 256 truth values, for looking up many first bytes at once."""
    table = np.zeros(256, np.bool_)
    table[list(members)] = True
    return table
