"""The fields of the records of one block, all at once: which are empty, and where the value of a column changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets, after, places, sparse_places
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.records import Rows

_PAD = 16
_MASKS = np.array([(1 << (8 * min(width, 8))) - 1 for width in range(9)], np.uint64)


def empty_counts(
    codes: npt.NDArray[np.uint8], dialect: Dialect, rows: Rows, used: Offsets | None, columns: int
) -> Offsets:
    """How many fields are empty, for each column, in the records of `used` (None: all) that have `columns` fields.

    A pair of quotes with nothing between counts as a value here.
    """
    counts = np.zeros(columns, np.int64)
    is_all = rows.is_regular and used is None
    chosen = np.zeros(0, np.int64) if is_all else _whole(rows, used, columns)
    starts, ends = (rows.starts, rows.ends) if is_all else (rows.starts[chosen], rows.ends[chosen])
    if not len(starts):
        return counts
    counts[0] = int(np.count_nonzero(codes[starts] == dialect.delimiter))
    found = sparse_places(rows.delimiters & after(rows.delimiters))
    # Where every record has as many delimiters their number tells the column.
    columns_of = rows.ranks.at(found) % (columns - 1) if is_all else _columns_of(found, rows, chosen)
    counts += np.bincount(columns_of, minlength=columns)[:columns]
    lasts = codes[np.maximum(ends - 2, 0)]
    if (lasts == 13).any():
        lasts = np.where(lasts == 13, codes[np.maximum(ends - 3, 0)], lasts)
    counts[columns - 1] += int(np.count_nonzero(lasts == dialect.delimiter))
    return counts


def _whole(rows: Rows, used: Offsets | None, columns: int) -> Offsets:
    """Indices of the records that lie in the block as a whole and have `columns` fields."""
    if rows.is_regular:
        return np.arange(len(rows)) if used is None else used
    chosen = np.arange(len(rows)) if used is None else used
    whole: Offsets = chosen[(rows.fields[chosen] == columns) & (rows.starts[chosen] >= 0)]
    return whole


def _columns_of(found: Offsets, rows: Rows, chosen: Offsets) -> npt.NDArray[np.int32]:
    """The columns of the fields that end at the delimiters `found`, of those in the records of `chosen`."""
    good = np.zeros(len(rows) + 1, np.bool_)
    good[chosen] = True
    index = np.searchsorted(rows.ends, found, side="right")
    keep = good[index]
    found, index = found[keep], index[keep]
    columns: npt.NDArray[np.int32] = rows.ranks.at(found) - rows.ranks.at(rows.starts[index])
    return columns


@dataclass(frozen=True, slots=True)
class Grid:
    """The records of a block that have the expected number of fields, as a table of the delimiters between them.

    `rows` are their indices among the records of the block, `delimiters` has one row for each.
    """

    codes: npt.NDArray[np.uint8]
    quote: int
    rows: Offsets
    starts: Offsets
    ends: Offsets
    delimiters: Offsets

    @classmethod
    def of(cls, codes: npt.NDArray[np.uint8], quote: int, rows: Rows, used: Offsets | None, columns: int) -> Grid:
        """The records of `used` (None: all) that have `columns` fields."""
        chosen = _whole(rows, used, columns)
        delimiters = places(rows.delimiters, len(codes))
        firsts = rows.ranks.at(rows.starts[chosen])
        table = delimiters[firsts[:, None] + np.arange(columns - 1)]
        return cls(codes, quote, chosen, rows.starts[chosen], rows.ends[chosen], table)

    def bounds(self, column: int) -> tuple[Offsets, Offsets]:
        """Where the fields of a column begin and end, outside their quotes."""
        inner = self.delimiters.shape[1]
        starts = self.starts if column == 0 else self.delimiters[:, column - 1] + 1
        ends = self.delimiters[:, column] if column < inner else self.ends
        if self.quote >= 0 and len(starts):
            starts = starts + (self.codes[np.minimum(starts, len(self.codes) - 1)] == self.quote)
        return starts, ends


class Words:
    """The bytes of a block as numbers of eight bytes, at any offset."""

    def __init__(self, data: bytes) -> None:
        padded = np.frombuffer(data + bytes(_PAD), np.uint8)
        self._view = np.ndarray((len(data) + 8,), "<u8", padded, 0, (1,))

    def at(self, offsets: Offsets, width: int = 8) -> npt.NDArray[np.uint64]:
        """The `width` bytes from each offset on."""
        words: npt.NDArray[np.uint64] = self._view[offsets]
        return words if width >= 8 else words & _MASKS[width]

    def short(self, starts: Offsets, ends: Offsets) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        """The first eight bytes of each field, without what lies behind it, and eight more; longer ones are cut."""
        widths = np.clip(ends - starts, 0, 16)
        low = self._view[starts] & _MASKS[np.minimum(widths, 8)]
        high = self._view[np.minimum(starts + 8, len(self._view) - 1)] & _MASKS[np.maximum(widths - 8, 0)]
        return low, high


def changes(words: Words, starts: Offsets, ends: Offsets, prefix: int) -> Offsets:
    """Indices (from 1) of the fields that differ from the one before in their first `prefix` bytes (0: first 16)."""
    low, high = words.short(starts, np.minimum(ends, starts + prefix) if prefix else ends)
    return np.flatnonzero((low[1:] != low[:-1]) | (high[1:] != high[:-1])) + 1
