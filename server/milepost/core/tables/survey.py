"""What the cells of a table are, of all records: kinds counted, ranges found, block by block and column by column.

Each column is first held against what it was so far (`tables.numeric` where a block holds numbers alone, `tables.plain` for
other numbers, shapes for dates); only what differs is looked at more closely, and cells that nothing quick decides one by
one, up to a limit. Texts need less: a column of which more than a fiftieth is text is called so whatever the rest is, so
that its cells are only looked at in every block until that is certain, then in some, and everywhere for being empty. What
was not looked at is counted, and if the type of a column could depend on it, that is said.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from milepost.core.scan import STRIPE_BYTES, Block
from milepost.core.tables.bits import Offsets
from milepost.core.tables.fields import Grid, Words
from milepost.core.tables.numeric import Left
from milepost.core.tables.plain import CODE, FORMS, FRACTION, INTEGER, NUMBER, ODD, Plain, kind_of_form, plain, widen
from milepost.core.tables.settled import not_settled
from milepost.core.tables.values import ColumnProfile, kind_of

Numbers8 = npt.NDArray[np.uint64]

#: Texts are looked at in every block up to here, behind it in one of a few.
_CLOSE_BYTES = 4 << 20
_CLOSE_EVERY = 8
#: So many cells of a column are looked at one by one in a block, and so many shapes and widths are told apart.
_ONE_BY_ONE = 1000
#: So few cells are looked at one by one at once.
_FEW = 256
_SHAPES = 12
_WIDTHS = 12
_MOST_TEXT = 64
_LONGEST_WORD = 5
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
        self.blank = np.zeros(256, np.bool_)
        self.blank[list(b" \t\n\r\x0b\x0c")] = True
        self.empty_firsts |= self.blank
        self.certain = np.ones(256, np.uint8)
        self.certain[[*range(0x21), *b"0123456789+-.,'\\:/"]] = 0
        heads = [word[:3] for word in (*_WORDS, *_MONTHS) if word[:1].isalpha()]
        for head in heads:
            self.certain[[head[0], bytes([head[0]]).upper()[0]]] = 2
        self.heads = np.array(sorted({_as_number(bytes(code | 0x20 for code in head)) for head in heads}), np.uint64)


def is_close(block: Block) -> bool:
    """Whether texts are looked at in a block."""
    return block.start < _CLOSE_BYTES or block.start // STRIPE_BYTES % _CLOSE_EVERY == 0


class Survey:
    """Surveys the columns of consecutive blocks into their profiles."""

    def __init__(self) -> None:
        self._tables = Tables()

    def take(self, block: Block, grid: Grid, profiles: list[ColumnProfile], columns: Iterable[int]) -> None:
        """Survey some columns of the records of `grid`."""
        if len(grid.starts):
            cells = Cells(block, self._tables)
            for index in columns:
                starts, ends = grid.bounds(index)
                profiles[index].seen += len(starts)
                cells.survey(profiles[index], starts, ends)

    def take_left(self, block: Block, left: list[Left], profiles: list[ColumnProfile]) -> None:
        """Survey cells that are counted as seen already."""
        if left:
            cells = Cells(block, self._tables)
            for one in left:
                survey = cells.survey_each if len(one.starts) <= _FEW else cells.survey
                survey(profiles[one.column], one.starts, one.ends)


class Cells:
    """The cells of one block."""

    def __init__(self, block: Block, tables: Tables) -> None:
        self._data = block.data
        self._codes = block.array
        self._tables = tables
        self._is_close = is_close(block)
        self._words: Words | None = None

    @property
    def words(self) -> Words:
        """The bytes of the block, eight at a time."""
        if self._words is None:
            self._words = Words(self._data)
        return self._words

    def survey_each(self, profile: ColumnProfile, starts: Offsets, ends: Offsets) -> None:
        """The same as `survey`, quicker for few cells."""
        expected = profile.expected
        cells = [self._data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        for value, count in Counter(cells).items():
            if expected == "text" and not self._is_close and kind_of(value) != "empty":
                profile.unseen += count
            else:
                profile.add_kinds_of(value, count)

    def survey(self, profile: ColumnProfile, starts: Offsets, ends: Offsets) -> None:
        """Take note of cells of one column, which are in `seen` already."""
        count = len(starts)
        expected = profile.expected
        widths = ends - starts
        none = widths == 0
        found = int(np.count_nonzero(none))
        if found:
            profile.add_kind("empty", found)
            if found == count:
                return
            filled = np.flatnonzero(~none)
            starts, ends, widths = starts[filled], ends[filled], widths[filled]
        if expected in FORMS:
            form = FORMS[expected]
            if form != CODE:
                left = not_settled(profile, self._data, self.words, starts, widths, form)
                if left is not None:
                    profile.add_kind(expected, len(starts) - len(left))
                    if not len(left):
                        return
                    starts, ends, widths = starts[left], ends[left], widths[left]
            left = self._numbers(profile, starts, widths, form)
            if left is None:
                return
            starts, ends, widths = starts[left], ends[left], widths[left]
        elif expected == "text" and not self._is_close:
            self._only_empty(profile, starts, ends, widths)
            return
        self._rest(profile, expected, starts, ends, widths)

    # --- numbers ----------------------------------------------------------------------------------------------------

    def _numbers(self, profile: ColumnProfile, starts: Offsets, widths: Offsets, expected: int) -> Offsets | None:
        """Count what is plainly a number; the indices of what is left, None for nothing."""
        cells = plain(self.words, starts, widths)
        first = cells.forms == expected
        found = int(np.count_nonzero(first))
        if found == len(starts):
            self._add(profile, starts, widths, cells, expected)
            return None
        counts = np.bincount(cells.forms, minlength=CODE + 1).tolist()
        for form in (INTEGER, NUMBER, FRACTION, CODE):
            if counts[form]:
                chosen = np.flatnonzero(cells.forms == form)
                self._add(profile, starts[chosen], widths[chosen], cells.of(chosen), form)
        return np.flatnonzero(cells.forms == ODD) if counts[ODD] else None

    def _add(self, profile: ColumnProfile, starts: Offsets, widths: Offsets, cells: Plain, form: int) -> None:
        profile.add_kind(kind_of_form(form), len(starts))
        if form != CODE:
            widen(profile, self._data, self.words, starts, widths, cells, form)

    def _rest(self, profile: ColumnProfile, expected: str, starts: Offsets, ends: Offsets, widths: Offsets) -> None:
        """Cells that are not what their column leads to expect: words, texts, numbers, dates and odd ones, in turn."""
        left = np.arange(len(starts))
        long = widths > _MOST_TEXT
        if long.any():
            profile.add_kind("text", int(np.count_nonzero(long)))
            left = np.flatnonzero(~long)
        short = left[widths[left] <= _LONGEST_WORD]
        if len(short):
            keep = np.ones(len(starts), np.bool_)
            keep[short] = False
            keep[self._words_of(profile, starts, widths, short)] = True
            left = left[keep[left]]
        if len(left) > _SHAPES or expected == "text":
            left = self._texts(profile, starts, widths, left)
            if len(left) and profile.is_certainly_text:
                profile.unseen += len(left)
                self._padded(profile, starts[left], ends[left], widths[left])
                return
        if len(left) > _SHAPES:
            firsts, lasts = self._stripped(starts[left], ends[left])
            found = self._numbers(profile, firsts, lasts - firsts, -1)
            if found is None:
                return
            left = left[found]
        if len(left) > _SHAPES:
            left = self._shapes(profile, starts, ends, widths, left)
        if len(left):
            self._one_by_one(profile, starts, ends, left)

    def _stripped(self, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
        """Without white space at either end."""
        for is_start in (True, False):
            while True:
                edge = self._codes[starts if is_start else ends - 1]
                blank = self._tables.blank[edge] & (starts < ends)
                if not blank.any():
                    break
                if is_start:
                    starts = np.minimum(starts + blank, len(self._codes) - 1)
                else:
                    ends = ends - blank
        return starts, ends

    # --- short words and texts --------------------------------------------------------------------------------------

    def _only_empty(self, profile: ColumnProfile, starts: Offsets, ends: Offsets, widths: Offsets) -> None:
        """Count the cells of a text that are nothing, or a word for nothing; the others are unseen."""
        profile.unseen += len(starts)
        maybe = np.flatnonzero(self._tables.empty_firsts[self._codes[starts]])
        if not len(maybe):
            return
        starts, ends, widths = starts[maybe], ends[maybe], widths[maybe]
        short = np.flatnonzero(widths <= _LONGEST_WORD)
        if len(short):
            left = self._words_of(profile, starts, widths, short, only_empty=True)
            profile.unseen -= len(short) - len(left)
        self._padded(profile, starts, ends, widths)

    def _words_of(
        self, profile: ColumnProfile, starts: Offsets, widths: Offsets, short: Offsets, *, only_empty: bool = False
    ) -> Offsets:
        """Count what of the `short` cells is a word that stands for something else than text; the others."""
        begins = (self._tables.empty_firsts if only_empty else self._tables.firsts)[self._codes[starts[short]]]
        maybe = np.flatnonzero(begins)
        if not len(maybe):
            return short
        chosen = short[maybe]
        raw = self.words.upto(starts[chosen], widths[chosen])
        # Capitals made small, and blanks behind: other bytes may become the same, so that each is looked at then.
        small = raw | _SMALL
        matched = np.zeros(len(chosen), np.bool_)
        for word in self._tables.empty_words if only_empty else self._tables.words:
            matched |= small == word
        if not matched.any():
            return short
        keep = np.ones(len(short), np.bool_)
        values, counts = np.unique(raw[matched], return_counts=True)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            profile.add_kinds_of(value.to_bytes(8, "little").rstrip(b"\0"), count)
        keep[maybe[matched]] = False
        others: Offsets = short[keep]
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

    def _padded(self, profile: ColumnProfile, starts: Offsets, ends: Offsets, widths: Offsets) -> None:
        """Look at those of cells counted as unseen that may be nothing, or a word for it, with blanks around."""
        first = self._codes[starts]
        sixth = self._codes[np.minimum(starts + _LONGEST_WORD, len(self._codes) - 1)]
        last = self._codes[np.maximum(ends - 1, 0)]
        blank = self._tables.blank
        maybe = blank[first] | (
            self._tables.empty_firsts[first] & blank[last] & (blank[sixth] | (widths <= _LONGEST_WORD))
        )
        maybe &= (widths <= _MOST_TEXT) & (widths > 0)
        cells = (self._data[starts[one] : ends[one]] for one in np.flatnonzero(maybe).tolist())
        for value, count in Counter(cells).items():
            if value.strip() != value and kind_of(value) == "empty":
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
            if kind in ("integer", "number", "code"):
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
