"""The fields of the records of one block, all at once: where they are, their first bytes, where a column changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets, places
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.records import Rows

#: What may be asked for behind the end of a block.
_PAD = 64
_CR, _SPACE = 13, 0x20
_MASKS = np.array([(1 << (8 * min(width, 8))) - 1 for width in range(9)], np.uint64)


def _whole(rows: Rows, used: Offsets | None, columns: int) -> Offsets:
    """Indices of the records that lie in the block as a whole and have `columns` fields."""
    if rows.is_regular:
        return np.arange(len(rows)) if used is None else used
    chosen = np.arange(len(rows)) if used is None else used
    whole: Offsets = chosen[(rows.fields[chosen] == columns) & (rows.starts[chosen] >= 0)]
    return whole


@dataclass(frozen=True, slots=True)
class Grid:
    """The records of a block that have the expected number of fields, as a table of the delimiters between them.

    `rows` are their indices among the records of the block; `starts` and `ends` where each begins and where its text ends,
    before the line end; `delimiters` has a row for each delimiter of a record. `quote` is -1 where the block has none.
    """

    codes: npt.NDArray[np.uint8]
    quote: int
    skip_space: bool
    rows: Offsets
    starts: Offsets
    ends: Offsets
    delimiters: Offsets

    @classmethod
    def of(cls, codes: npt.NDArray[np.uint8], dialect: Dialect, rows: Rows, used: Offsets | None, columns: int) -> Grid:
        """The records of `used` (None: all) that have `columns` fields."""
        chosen = _whole(rows, used, columns)
        starts = rows.starts if len(chosen) == len(rows) else rows.starts[chosen]
        if rows.grid is not None:
            # Columns side by side: each is gone over several times.
            table = np.ascontiguousarray((rows.grid if len(chosen) == len(rows) else rows.grid[chosen]).T)
            table, ends = table[:-1], table[-1]
        else:
            delimiters = places(rows.delimiters, len(codes))
            firsts = rows.ranks.at(starts)
            table = delimiters[firsts + np.arange(columns - 1)[:, None]]
            ends = rows.ends[chosen] - 1
        if rows.has_returns and len(ends):
            ends = ends - (codes[np.maximum(ends - 1, 0)] == _CR)
        return cls(codes, dialect.quote if rows.has_quotes else -1, dialect.skip_space, chosen, starts, ends, table)

    def outer(self, column: int) -> tuple[Offsets, Offsets]:
        """Where the fields of a column begin and end, with their quotes."""
        starts = self.starts if column == 0 else self.delimiters[column - 1] + 1
        return starts, self.delimiters[column] if column < len(self.delimiters) else self.ends

    def inner(self, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
        """Where fields begin and end inside their quotes, if they have any."""
        if self.skip_space:
            blank = (self.codes[starts] == _SPACE) & (starts < ends)
            while blank.any():
                starts = starts + blank
                blank = (self.codes[np.minimum(starts, len(self.codes) - 1)] == _SPACE) & (starts < ends)
        if self.quote >= 0 and len(starts):
            quoted = self.codes[starts] == self.quote
            if quoted.any():
                quoted &= ends - starts > 1
                starts, ends = starts + quoted, ends - quoted
        return starts, ends

    def bounds(self, column: int) -> tuple[Offsets, Offsets]:
        """Where the fields of a column begin and end, outside their quotes."""
        return self.inner(*self.outer(column))


class Words:
    """The bytes of a block as numbers of eight bytes, at any offset."""

    def __init__(self, data: bytes) -> None:
        padded = np.frombuffer(data + bytes(_PAD + 8), np.uint8)
        self._view = np.ndarray((len(data) + _PAD,), "<u8", padded, 0, (1,))

    def at(self, offsets: Offsets, width: int = 8) -> npt.NDArray[np.uint64]:
        """The `width` bytes from each offset on."""
        words: npt.NDArray[np.uint64] = self._view[offsets]
        return words if width >= 8 else words & _MASKS[width]

    def upto(self, starts: Offsets, widths: Offsets) -> npt.NDArray[np.uint64]:
        """The first eight bytes from each offset on, without what lies behind the widths (of which none is negative)."""
        words: npt.NDArray[np.uint64] = self._view[starts]
        if len(widths) and int(widths.min()) >= 8:
            return words
        return words & _MASKS.take(np.minimum(widths, 8))

    def short(self, starts: Offsets, ends: Offsets) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """The first eight bytes of each field, without what lies behind it, and eight more; longer ones are cut."""
        widths = ends - starts
        return self.upto(starts, widths), self.upto(starts + 8, np.maximum(widths - 8, 0))


def changes(words: Words, starts: Offsets, ends: Offsets, prefix: int) -> Offsets:
    """Indices (from 1) of the fields that differ from the one before in their first `prefix` bytes (0: first 16)."""
    low, high = words.short(starts, np.minimum(ends, starts + prefix) if prefix else ends)
    return np.flatnonzero((low[1:] != low[:-1]) | (high[1:] != high[:-1])) + 1
