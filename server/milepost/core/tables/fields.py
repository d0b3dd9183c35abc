"""The fields of the records of one block, all at once: which are empty, and where the value of a column changes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milepost.core.tables.records import Offsets, Rows

_PAD = 16
_MASKS = np.array([(1 << (8 * min(width, 8))) - 1 for width in range(9)], np.uint64)


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
    def of(
        cls, codes: npt.NDArray[np.uint8], quote: int, rows: Rows, selected: Offsets | None, first: int, columns: int
    ) -> Grid:
        """The records from index `first` on (of those `selected`, if not all) that have `columns` fields."""
        if rows.is_regular and selected is None:
            count = len(rows)
            table = rows.delimiters[: count * (columns - 1)].reshape(count, columns - 1)
            chosen = np.arange(first, count)
            return cls(codes, quote, chosen, rows.starts[first:], rows.ends[first:], table[first:])
        chosen = np.arange(len(rows)) if selected is None else selected
        chosen = chosen[first:]
        chosen = chosen[(rows.fields[chosen] == columns) & (rows.starts[chosen] >= 0)]
        places = rows.first_delimiter[chosen][:, None] + np.arange(columns - 1)
        return cls(codes, quote, chosen, rows.starts[chosen], rows.ends[chosen], rows.delimiters[places])

    def empty_counts(self) -> Offsets:
        """How many fields are empty, for each column; a pair of quotes with nothing between is."""
        count, inner = self.delimiters.shape
        counts = np.zeros(inner + 1, np.int64)
        if not count or not inner:
            return counts
        flat = np.ascontiguousarray(self.delimiters).ravel()
        counts[0] += self._empty_at(self.starts, self.delimiters[:, 0])
        last = self.codes[np.minimum(flat[inner - 1 :: inner] + 1, len(self.codes) - 1)]
        counts[inner] += int(np.count_nonzero((last == 10) | (last == 13)))
        gaps = flat[1:] - flat[:-1]
        found = np.flatnonzero(gaps == 1)
        if self.quote >= 0:
            pairs = np.flatnonzero(gaps == 3)
            pairs = pairs[(self.codes[flat[pairs] + 1] == self.quote) & (self.codes[flat[pairs] + 2] == self.quote)]
            found = np.concatenate((found, pairs))
            tail = flat[inner - 1 :: inner] + 1
            ending = tail[np.minimum(tail + 2, len(self.codes) - 1) < self.ends]
            quoted = (self.codes[ending] == self.quote) & (self.codes[ending + 1] == self.quote)
            behind = self.codes[ending + 2]
            counts[inner] += int(np.count_nonzero(quoted & ((behind == 10) | (behind == 13))))
        columns = found % inner + 1
        return counts + np.bincount(columns[columns < inner], minlength=inner + 1)[: inner + 1]

    def _empty_at(self, starts: Offsets, ends: Offsets) -> int:
        widths = ends - starts
        empty = int(np.count_nonzero(widths == 0))
        if self.quote >= 0:
            twos = starts[widths == 2]
            empty += int(np.count_nonzero((self.codes[twos] == self.quote) & (self.codes[twos + 1] == self.quote)))
        return empty

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
