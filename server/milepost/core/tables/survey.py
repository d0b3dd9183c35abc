"""What the cells of a table are, of all records: kinds counted, ranges found, block by block and column by column.

Each column is first held against what it was so far (`tables.numbers` for numbers, shapes for dates); only what differs is
looked at more closely, and cells that nothing quick decides one by one, up to a limit. Texts need less: a column of
which more than a fiftieth is text is called so whatever the rest is, so that its cells are only looked at in every block
until that is certain, then in some, and everywhere for being empty. What was not looked at is counted, and if the type of a
column could depend on it, that is said.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from milepost.core.scan import STRIPE_BYTES, Block
from milepost.core.tables.bits import Offsets
from milepost.core.tables.extremes import outside, widen
from milepost.core.tables.fields import Grid, Words
from milepost.core.tables.numbers import PLAIN, Codes, Numbers
from milepost.core.tables.values import ColumnProfile, kind_of

Numbers8 = npt.NDArray[np.uint64]

#: Texts are looked at in every block up to here, behind it in one of a few.
_CLOSE_BYTES = 4 << 20
_CLOSE_EVERY = 8
#: So many cells of a column are looked at one by one in a block, and so many shapes and widths are told apart.
_ONE_BY_ONE = 1000
_SHAPES = 12
_WIDTHS = 12
_MOST_TEXT = 64
_TAKEN = len(PLAIN) + 1
_LONGEST_WORD = 5
_LONGEST_NUMBER = 30
_LONGEST_SHAPE = 40

_WORDS = (
    b"\\n", b"null", b"none", b"n/a", b"na", b"nan", b"-", b"true", b"false", b"yes", b"no", b"inf", b"+inf", b"-inf",
)  # fmt: skip
#: So many of them stand for nothing.
_EMPTY_WORDS = 7
_MONTHS = (b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec")
_SMALL = np.uint64(0x2020202020202020)
_HIGH = np.uint64(0x8080808080808080)
_ZEROS = np.uint64(0x3030303030303030)
_OVER = np.uint64(0x7676767676767676)
_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
_FF = np.uint64(0xFF)
_SEVEN = np.uint64(7)
_THREE_BYTES = np.uint64(0xFFFFFF)


def _as_number(text: bytes) -> int:
    return int.from_bytes(text[:8], "little")


class Tables:
    """Look-up tables: what the first byte of a cell says, and words that stand for something else than text.

    `firsts` says which begin one of `words` (eight bytes, small letters, blanks behind). `certain` is 1 where what begins
    so is text, 2 where it is unless its first three letters are those of a month or a word.
    """

    def __init__(self) -> None:
        # Made once for a scan: a table of 256 entries each.
        self.firsts = np.zeros(256, np.bool_)
        self.words = [np.uint64(_as_number(word.ljust(8)) | int(_SMALL)) for word in _WORDS]
        self.empty_words = self.words[:_EMPTY_WORDS]
        self.empty_firsts = np.zeros(256, np.bool_)
        for index, word in enumerate(_WORDS):
            firsts = [word[0], word.upper()[0]]
            self.firsts[firsts] = True
            self.empty_firsts[firsts] |= index < _EMPTY_WORDS
        self.certain = np.ones(256, np.uint8)
        self.certain[[*range(0x21), *b"0123456789+-.,'\\:/"]] = 0
        heads = [word[:3] for word in (*_WORDS, *_MONTHS) if word[:1].isalpha()]
        for head in heads:
            self.certain[[head[0], bytes([head[0]]).upper()[0]]] = 2
        self.heads = np.array(sorted({_as_number(bytes(code | 0x20 for code in head)) for head in heads}), np.uint64)


class Survey:
    """Surveys the columns of consecutive blocks into their profiles."""

    def __init__(self) -> None:
        self._tables = Tables()

    def take(self, block: Block, grid: Grid, numbers: Numbers, profiles: list[ColumnProfile]) -> None:
        """Survey the records of `grid`."""
        if not len(grid.starts):
            return
        Cells(block, grid, numbers, self._tables).survey(profiles)


class Cells:
    """The cells of one block."""

    def __init__(self, block: Block, grid: Grid, numbers: Numbers, tables: Tables) -> None:
        self._data = block.data
        self._codes = block.array
        self._grid = grid
        self._numbers = numbers
        self._tables = tables
        self._is_close = block.start < _CLOSE_BYTES or block.start // STRIPE_BYTES % _CLOSE_EVERY == 0
        self._words: Words | None = None

    @property
    def words(self) -> Words:
        """The bytes of the block, eight at a time."""
        if self._words is None:
            self._words = Words(self._data)
        return self._words

    def survey(self, profiles: list[ColumnProfile]) -> None:
        """Take note of all cells."""
        plane = self._numbers.plane
        for index, profile in enumerate(profiles):
            starts, ends = self._grid.outer(index)
            profile.seen += len(starts)
            self._column(profile, starts, ends, plane[ends])

    def _column(self, profile: ColumnProfile, starts: Offsets, ends: Offsets, plain: Codes) -> None:
        """Take note of the cells of one column; `plain` has what each is, if that is plain."""
        expected = profile.expected
        code = PLAIN.get(expected, 0)
        same = plain == code
        found = int(np.count_nonzero(same))
        if code and found:
            chosen = None if found == len(starts) else np.flatnonzero(same)
            if not self._add_plain(profile, expected, starts, ends, chosen):
                same[:] = False
                plain = np.where(plain == code, 0, plain)
            elif chosen is None:
                return
        if code or found < len(starts):
            if code:
                plain = np.where(same, _TAKEN, plain)
            left = self._others(profile, starts, ends, plain)
            if not len(left):
                return
            starts, ends = starts[left], ends[left]
        if expected == "text" and not self._is_close:
            short = np.flatnonzero(ends - starts <= _LONGEST_WORD + 2 * (self._grid.quote >= 0))
            profile.unseen += len(starts)
            if len(short):
                firsts, lasts = self._grid.inner(starts[short], ends[short])
                widths = lasts - firsts
                left = np.arange(len(short))
                profile.unseen -= len(short) - len(self._short(profile, firsts, widths, left, only_empty=True))
            self._padded(profile, starts, ends)
            return
        self._rest(profile, expected, starts, ends)

    def _others(self, profile: ColumnProfile, starts: Offsets, ends: Offsets, plain: Codes) -> Offsets:
        """Count cells that are plain, but something else than most; the indices of those that are not plain."""
        counts = np.bincount(plain, minlength=_TAKEN + 1).tolist()
        for kind, code in PLAIN.items():
            if not counts[code]:
                continue
            if kind == "empty":
                chosen = np.flatnonzero((plain == code) & (ends - starts > _MOST_TEXT))
                firsts, lasts = self._grid.inner(starts[chosen], ends[chosen])
                long = int(np.count_nonzero(lasts - firsts > _MOST_TEXT))
                profile.add_kind("empty", counts[code] - long)
                profile.add_kind("text", long)
            elif not self._add_plain(profile, kind, starts, ends, np.flatnonzero(plain == code)):
                plain = np.where(plain == code, 0, plain)
        return np.flatnonzero(plain == 0)

    def _add_plain(
        self, profile: ColumnProfile, kind: str, starts: Offsets, ends: Offsets, chosen: Offsets | None
    ) -> bool:
        """Count cells that are numbers of one form; False if some are too long for that, and none was counted."""
        if chosen is not None:
            starts, ends = starts[chosen], ends[chosen]
        starts, ends = self._grid.inner(starts, ends)
        widths = ends - starts
        if int(widths.max()) > (_MOST_TEXT if kind == "code" else _LONGEST_NUMBER):
            return False
        if kind != "code":
            self._widen(profile, starts, ends, widths, kind)
        profile.add_kind("number" if kind == "fraction" else kind, len(starts))
        return True

    def _rest(self, profile: ColumnProfile, expected: str, starts: Offsets, ends: Offsets) -> None:
        """Cells that are not plain: words, texts, odd numbers and dates, in turn."""
        outer_starts, outer_ends = starts, ends
        starts, ends = self._grid.inner(starts, ends)
        widths = ends - starts
        left = np.arange(len(starts))
        long = widths > _MOST_TEXT
        if long.any():
            profile.add_kind("text", int(np.count_nonzero(long)))
            left = np.flatnonzero(~long)
        short = left[widths[left] <= _LONGEST_WORD]
        if len(short):
            keep = np.ones(len(starts), np.bool_)
            keep[short] = False
            keep[self._short(profile, starts, widths, short)] = True
            left = left[keep[left]]
        if len(left) > _SHAPES or (len(left) and expected not in PLAIN):
            left = self._texts(profile, starts, widths, left)
            if len(left) and profile.is_certainly_text:
                profile.unseen += len(left)
                self._padded(profile, outer_starts[left], outer_ends[left])
                return
        if len(left) > _SHAPES:
            fractions = self._numbers.of("fraction")[outer_ends[left]]
            if fractions.any() and self._add_plain(profile, "fraction", starts, ends, left[fractions]):
                left = left[~fractions]
        if len(left) > _SHAPES:
            left = self._shapes(profile, starts, ends, widths, left)
        if len(left):
            self._one_by_one(profile, starts, ends, left)

    # --- numbers ----------------------------------------------------------------------------------------------------

    def _widen(self, profile: ColumnProfile, starts: Offsets, ends: Offsets, widths: Offsets, form: str) -> None:
        """Widen the range of a column by numbers of one form."""
        if self._numbers.has_edges:
            starts, ends = self._stripped(starts, ends)
            widths = ends - starts
        has_minus = self._numbers.has_minus
        chosen = outside(profile, self._codes, starts, widths, form, has_minus) if form != "fraction" else None
        if chosen is not None:
            if not len(chosen):
                return
            starts, widths = starts[chosen], widths[chosen]
        negative = None
        if has_minus:
            negative = self._codes[starts] == 0x2D
            if not negative.any():
                negative = None
        widen(profile, self._data, self.words, starts, widths, negative, form=form)

    def _stripped(self, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
        """Without white space at either end; cells have something else in them."""
        codes = self._codes
        for step, is_start in ((1, True), (-1, False)):
            while True:
                blank = codes[starts if is_start else ends - 1] <= 0x20
                if not blank.any():
                    break
                if is_start:
                    starts = starts + blank * step
                else:
                    ends = ends + blank * step
        return starts, ends

    # --- short words and texts --------------------------------------------------------------------------------------

    def _short(
        self, profile: ColumnProfile, starts: Offsets, widths: Offsets, short: Offsets, *, only_empty: bool = False
    ) -> Offsets:
        """Count what of the `short` cells is nothing, or a word that stands for something else than text; the others."""
        decided = widths[short] == 0
        none = int(np.count_nonzero(decided))
        if none:
            profile.add_kind("empty", none)
            if none == len(short):
                return short[:0]
        firsts = self._tables.empty_firsts if only_empty else self._tables.firsts
        begins = firsts[self._codes[starts[short] if len(short) < len(starts) else starts]]
        maybe = np.flatnonzero(begins & ~decided if none else begins)
        if len(maybe):
            chosen = short[maybe]
            raw = self.words.upto(starts[chosen], widths[chosen])
            # Capitals made small, and blanks behind: other bytes may become the same, so that each is looked at then.
            small = raw | _SMALL
            matched = np.zeros(len(chosen), np.bool_)
            for word in self._tables.empty_words if only_empty else self._tables.words:
                matched |= small == word
            if matched.any():
                values, counts = np.unique(raw[matched], return_counts=True)
                for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                    text = value.to_bytes(8, "little").rstrip(b"\0")
                    profile.add_kind(kind_of(text), count)
                decided[maybe[matched]] = True
        others: Offsets = short[~decided]
        return others

    def _texts(self, profile: ColumnProfile, starts: Offsets, widths: Offsets, left: Offsets) -> Offsets:
        """Count what can be nothing but text by how it begins; what is left."""
        certain = self._tables.certain[self._codes[starts[left]]]
        is_text = certain == 1
        maybe = np.flatnonzero(certain == 2)
        if len(maybe):
            chosen = left[maybe]
            heads = (self.words.upto(starts[chosen], widths[chosen]) | _SMALL) & _THREE_BYTES
            is_text[maybe] = ~np.isin(heads, self._tables.heads) & (widths[chosen] > 2)
        found = int(np.count_nonzero(is_text))
        if found:
            profile.add_kind("text", found)
        others: Offsets = left[~is_text]
        return others

    def _padded(self, profile: ColumnProfile, starts: Offsets, ends: Offsets) -> None:
        """Look at those of cells counted as unseen that may be a word for nothing with blanks around it."""
        padded = self._numbers.padded
        if padded is None:
            return
        left = np.flatnonzero(padded[ends] & (ends - starts <= _MOST_TEXT + 2))
        if not len(left):
            return
        starts, ends = self._grid.inner(starts[left], ends[left])
        first, sixth = self._codes[starts], self._codes[np.minimum(starts + _LONGEST_WORD, len(self._codes) - 1)]
        maybe = (first <= 0x20) | (self._tables.empty_firsts[first] & (sixth <= 0x20) & (ends - starts > _LONGEST_WORD))
        maybe |= self._tables.empty_firsts[first] & (ends - starts <= _LONGEST_WORD)
        for value, count in Counter(
            self._data[starts[one] : ends[one]] for one in np.flatnonzero(maybe).tolist()
        ).items():
            if kind_of(value) == "empty" and value.strip() != value:
                profile.add_kind("empty", count)
                profile.unseen -= count

    # --- dates, and whatever else has few shapes --------------------------------------------------------------------

    def _shapes(
        self, profile: ColumnProfile, starts: Offsets, ends: Offsets, widths: Offsets, left: Offsets
    ) -> Offsets:
        """Count cells by their shape, all digits taken as alike; a kind depends on nothing else, except for codes."""
        rest: list[Offsets] = []
        sizes = np.bincount(widths[left])
        for width in np.argsort(-sizes, kind="stable")[:_WIDTHS].tolist():
            if not sizes[width]:
                break
            group = left[widths[left] == width]
            if len(group) <= 4 or width > _LONGEST_SHAPE or width == 0:
                rest.append(group)
                continue
            raw = [self.words.at(starts[group] + at, width - at) for at in range(0, width, 8)]
            rest.append(self._by_shape(profile, starts, group, width, raw))
        counted = np.argsort(-sizes, kind="stable")[:_WIDTHS]
        others = left[~np.isin(widths[left], counted)]
        return np.concatenate([*rest, others])

    def _by_shape(
        self, profile: ColumnProfile, starts: Offsets, group: Offsets, width: int, raw: list[Numbers8]
    ) -> Offsets:
        shapes = [_shape(words) for words in raw]
        open_ones = np.arange(len(group))
        undecided: list[Offsets] = []
        for _ in range(_SHAPES):
            if not len(open_ones):
                break
            first = int(open_ones[0])
            same = np.ones(len(open_ones), np.bool_)
            for words in shapes:
                same &= words[open_ones] == words[first]
            chosen = open_ones[same]
            open_ones = open_ones[~same]
            at = int(starts[group[first]])
            kind = kind_of(self._data[at : at + width])
            if kind in PLAIN and kind != "empty":
                undecided.append(group[chosen])
                continue
            profile.add_kind(kind, len(chosen))
            if kind in ("date", "datetime"):
                self._add_times(profile, starts, group[chosen], width, [words[chosen] for words in raw])
        return np.concatenate([*undecided, group[open_ones]])

    def _add_times(
        self, profile: ColumnProfile, starts: Offsets, group: Offsets, width: int, raw: list[Numbers8]
    ) -> None:
        """Widen the range of a column by dates of one shape, which are in the order of their bytes."""
        for pick in (np.min, np.max):
            chosen = np.arange(len(group))
            for words in raw:
                keys = words[chosen].byteswap()
                chosen = chosen[keys == pick(keys)]
            at = int(starts[group[int(chosen[0])]])
            profile.add_time(self._data[at : at + width])

    # --- one by one -------------------------------------------------------------------------------------------------

    def _one_by_one(self, profile: ColumnProfile, starts: Offsets, ends: Offsets, left: Offsets) -> None:
        """Look at each cell, or at evenly spread ones where there are too many."""
        if len(left) > _ONE_BY_ONE:
            profile.unseen += len(left) - _ONE_BY_ONE
            left = left[np.arange(_ONE_BY_ONE) * len(left) // _ONE_BY_ONE]
        values = [self._data[low:high] for low, high in zip(starts[left].tolist(), ends[left].tolist(), strict=True)]
        profile.add_kinds(values)


def _shape(words: Numbers8) -> Numbers8:
    """The bytes with each digit as `0`."""
    other = words ^ _ZEROS
    # The highest bit of a byte of `over` is set where the byte is no digit.
    over = ((other & _LOW7) + _OVER) | other
    digits = ~over & _HIGH
    filled = (digits >> _SEVEN) * _FF
    shapes: Numbers8 = (words & ~filled) | (_ZEROS & filled)
    return shapes
