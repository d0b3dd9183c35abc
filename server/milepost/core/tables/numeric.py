"""Blocks that hold nothing but plain numbers, whose columns are what they were: told from first digits and widths alone.

A number's rank is how many digits stand before its point, and the first of them: sixteen times the one and the other, in a
byte. Numbers whose rank lies between those of the ends of the range known so far cannot widen it, those at an end are held
against it by their first bytes; and where no byte of a block is anything but a digit, a delimiter, a point or a sign in its
place, nothing else needs to be looked at. What is left, few of all, is handed back, to be looked at as any other cell.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.tables.bits import Offsets, after, pack
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.fields import Words
from milepost.core.tables.records import Rows
from milepost.core.tables.values import ColumnProfile

Codes = npt.NDArray[np.uint8]

_LF, _CR, _MINUS, _POINT = 10, 13, 0x2D, 0x2E
_PLAIN = b"0123456789.-\r\n"
#: So much of a block is looked at before all of it is.
_PEEK_BYTES = 2048
#: Ranks are bytes: numbers with more digits before the point are looked at one by one.
_MOST_DIGITS = 14
#: A number whose digits go on behind the point for longer may be no plain one.
_LONGEST = 30
_KEY_BYTES = 8
_ZERO = 1 << 4
"""The rank of a zero that leads nothing."""
#: Where more than this share of a column is left, it is better looked at as a whole.
_MOST_LEFT = 4


class Left(NamedTuple):
    """Cells of one column that are still to be looked at: where they begin and end."""

    column: int
    starts: Offsets
    ends: Offsets


def settle(block: Block, rows: Rows, dialect: Dialect, profiles: list[ColumnProfile]) -> tuple[list[int], list[Left]]:
    """Take note of the columns of a block of whole records; which columns it could not tell of, and which cells are left.

    The cells that are left are counted as seen, but nothing more.
    """
    others = list(range(len(profiles)))
    if rows.grid is None or rows.has_quotes or dialect.skip_space or not _begins_plain(block.data, dialect.delimiter):
        return others, []
    expected = [profile.expected for profile in profiles]
    points = _points(block, rows, dialect, rows.grid)
    if points is None:
        return others, []
    cells = _Cells(block, rows, points)
    others, left = [], []
    for column, profile in enumerate(profiles):
        kind = "number" if column in points else "integer"
        suspects = cells.suspects(column, profile) if expected[column] == kind else None
        if suspects is None:
            others.append(column)
            continue
        profile.seen += cells.count
        if cells.count > len(suspects):
            profile.add_kind(kind, cells.count - len(suspects))
        if len(suspects):
            left.append(Left(column, *cells.bounds(column, suspects)))
    return others, left


def _begins_plain(data: bytes, delimiter: int) -> bool:
    plain = _PLAIN + bytes([delimiter])
    return delimiter not in _PLAIN and not data[:_PEEK_BYTES].translate(None, plain)


def _points(block: Block, rows: Rows, dialect: Dialect, grid: Offsets) -> dict[int, Offsets] | None:
    """Where the points are in each column that has one in every cell; None where there is anything but plain numbers."""
    data, codes = block.data, block.array
    marks = grid.size
    if rows.has_returns:
        if data.count(b"\r") != len(grid):
            return None
        marks += len(grid)
    more = int(np.count_nonzero((codes - np.uint8(0x30)) > 9)) - marks
    if not more:
        return {}
    is_point, is_sign = codes == _POINT, codes == _MINUS
    points, signs = int(np.count_nonzero(is_point)), int(np.count_nonzero(is_sign))
    if more != points + signs:
        return None
    if signs:
        may_begin = after(pack((codes == dialect.delimiter) | (codes == _LF)))
        may_begin[0] |= np.uint64(1)
        if (pack(is_sign) & ~may_begin).any():
            return None
    per_row, rest = divmod(points, len(grid))
    if rest:
        return None
    pattern = np.flatnonzero(is_point[: int(grid[0, -1])])
    columns = np.searchsorted(grid[0], pattern).tolist()
    if len(set(columns)) != per_row:
        return None
    # As a rule all numbers of a column have as many decimals.
    places = [
        grid[:, column] - (int(grid[0, column]) - place)
        for column, place in zip(columns, pattern.tolist(), strict=True)
    ]
    if not all((codes.take(place) == _POINT).all() for place in places):
        rows_of_points = np.flatnonzero(is_point).reshape(len(grid), per_row)
        places = [np.ascontiguousarray(rows_of_points[:, at]) for at in range(per_row)]
    found = dict(zip(columns, places, strict=True))
    for column, place in found.items():
        # Behind the delimiter before it, or the line end: of the row before, for the first column.
        behind = place > grid[:, column - 1] if column else place[1:] > grid[:-1, -1]
        if not behind.all() or int(place[0]) < 0 or (place >= grid[:, column]).any():
            return None
    return found


class _End(NamedTuple):
    """An end of a range: its rank and first bytes; `is_open` where more digits may follow."""

    rank: int
    key: np.uint64
    is_open: bool

    @classmethod
    def of(cls, value: float) -> _End | None:
        text = str(value)
        whole = text.split(".")[0]
        if not whole.isdigit() or "e" in text or len(whole) > _MOST_DIGITS:
            return None
        key = np.uint64(int.from_bytes(text[:_KEY_BYTES].ljust(_KEY_BYTES, "\0").encode(), "big"))
        return cls(len(whole) << 4 | int(whole[0]), key, len(text) > _KEY_BYTES)


class _Cells:
    """The cells of a block by their ranks."""

    def __init__(self, block: Block, rows: Rows, points: dict[int, Offsets]) -> None:
        grid = rows.grid
        assert grid is not None
        self._data, self._codes = block.data, block.array
        self.count, self._columns = grid.shape
        self._points = points
        ends = grid.ravel()
        starts = np.empty_like(ends)
        starts[0] = 0
        np.add(ends[:-1], 1, out=starts[1:])
        widths = ends - starts
        if rows.has_returns:
            widths.reshape(grid.shape)[:, -1] -= 1
        self._starts, self._widths = starts, widths
        ranks = np.minimum(widths, _MOST_DIGITS + 1).astype(np.uint8)
        ranks <<= 4
        ranks |= block.array.take(starts) & 15
        self._ranks = np.ascontiguousarray(ranks.reshape(grid.shape).T)

    @cached_property
    def _words(self) -> Words:
        return Words(self._data)

    def suspects(self, column: int, profile: ColumnProfile) -> Offsets | None:
        """The cells of a column that may not be plain numbers inside its range; None where they are too many."""
        if profile.low is None or profile.high is None or profile.high < 0:
            return None
        # Nothing is less than zero without a sign.
        low, high = _End.of(max(profile.low, 0)), _End.of(profile.high)
        if low is None or high is None:
            return None
        point = self._points.get(column)
        ranks = self._ranks[column]
        if point is not None:
            if int(self._widths[column :: self._columns].max()) > _LONGEST:
                return None
            digits = np.minimum(point - self._starts[column :: self._columns], _MOST_DIGITS + 1).astype(np.uint8)
            ranks = (digits << 4) | (ranks & 15)
        # Bytes wrap around, so that one comparison tells of both ends.
        found = (ranks - np.uint8(low.rank)) > np.uint8(high.rank - low.rank)
        # A zero that leads others, a sign, nothing at all.
        found |= _is_odd(ranks)
        for end, is_high in ((low, False), (high, True)):
            # Whole numbers of one digit are told by their rank.
            if (is_high or profile.low > 0) and (point is not None or end.rank >= 2 << 4):
                chosen = self._near(column, np.flatnonzero(ranks == end.rank), end, is_high)
                found[chosen] |= self._is_beyond(*self.bounds(column, chosen), end, is_high)
        if profile.low < 0:
            self._settle_negative(column, ranks, found, -profile.low)
        suspects = np.flatnonzero(found)
        return suspects if len(suspects) * _MOST_LEFT <= self.count else None

    def _near(self, column: int, chosen: Offsets, end: _End, is_high: bool) -> Offsets:
        """Those of the cells with the rank of an end whose next digit does not tell that they lie inside."""
        at = 1 if end.rank >> 4 > 1 else 2
        starts = self._starts[chosen * self._columns + column]
        digits = self._codes[np.minimum(starts + at, len(self._codes) - 1)]
        digit = int(end.key) >> 8 * (_KEY_BYTES - 1 - at) & 0xFF
        near: Offsets = chosen[digits >= digit if is_high else digits <= digit]
        return near

    def _settle_negative(self, column: int, ranks: Codes, found: npt.NDArray[np.bool_], most: float) -> None:
        """Unmark negative numbers that are plain, and less than the greatest of them."""
        end = _End.of(most)
        negative = np.flatnonzero((ranks & 15) == _MINUS & 15)
        if end is None or not len(negative):
            return
        starts, ends = self.bounds(column, negative)
        starts += 1
        first = self._codes[np.minimum(starts, len(self._codes) - 1)] & np.uint8(15)
        above = (ranks[negative] & np.uint8(0xF0)) - np.uint8(1 << 4) | first
        is_left = (above > end.rank) | (above < _ZERO) | _is_odd(above) | (ranks[negative] >= _MOST_DIGITS + 1 << 4)
        at_end = np.flatnonzero(above == end.rank)
        is_left[at_end] = self._is_beyond(starts[at_end], ends[at_end], end, True)
        found[negative] = is_left

    def _is_beyond(self, starts: Offsets, ends: Offsets, end: _End, is_high: bool) -> npt.NDArray[np.bool_]:
        """Which cells that have the rank of an end of the range may lie beyond it."""
        widths = ends - starts
        keys = self._words.upto(starts, widths).byteswap()
        is_beyond = keys > end.key if is_high else keys < end.key
        is_beyond |= (keys == end.key) & ((widths > _KEY_BYTES) | end.is_open)
        return is_beyond

    def bounds(self, column: int, chosen: Offsets) -> tuple[Offsets, Offsets]:
        """Where some cells of a column begin and end."""
        at = chosen * self._columns + column
        starts = self._starts[at]
        return starts, starts + self._widths[at]


def _is_odd(ranks: Codes) -> npt.NDArray[np.bool_]:
    """Which do not begin with a digit, or begin with a zero that leads others."""
    is_odd: npt.NDArray[np.bool_] = (((ranks & 15) - np.uint8(1)) > 8) & (ranks != _ZERO)
    return is_odd
