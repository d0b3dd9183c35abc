"""Which cells are plain numbers, and the least and greatest of them, eight bytes of every cell at a time.

All bytes of a number of eight bytes are compared with the digits at once (Warren, "Hacker's Delight", chapter 6). The
order of numbers with as many digits before the point is that of their bytes, so that ranges need no number to be read but
the new ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets, bit_counts
from milepost.core.tables.fields import Words
from milepost.core.tables.values import ColumnProfile

Words8 = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.uint8]

#: What a cell is: nothing plain, digits alone, with a point behind some, with a point before, digits behind a needless zero.
ODD, INTEGER, NUMBER, FRACTION, CODE = range(5)
FORMS = {"integer": INTEGER, "number": NUMBER, "code": CODE}
_KINDS = {INTEGER: "integer", NUMBER: "number", FRACTION: "number", CODE: "code"}

LONGEST = 30
MINUS = 0x2D
ZEROS = np.uint64(0x3030303030303030)
_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
_OVER = np.uint64(0x7676767676767676)
_HIGH = np.uint64(0x8080808080808080)
_POINTS = np.uint64(0x1E1E1E1E1E1E1E1E)
"""A point as it is after the exclusive or with zeros."""
BYTE = np.uint64(0xFF)
_SECOND, _THIRD = np.uint64(0x8000), np.uint64(0x800000)
_SECOND_BYTE = np.uint64(0xFF00)
MASKS = np.array([(1 << 8 * width) - 1 for width in range(9)], np.uint64)
HIGHS = MASKS & _HIGH
_DIGITS = np.uint64(sum(digits << 8 * (7 - digits) for digits in range(8)))
"""Times 2 ** (8 * n) its highest byte is n."""
_SEVEN = np.uint64(7)
_EIGHT, _TOP = np.uint64(8), np.uint64(56)


class Plain(NamedTuple):
    """What cells are, their first eight bytes, and which begin with a minus (None: none does)."""

    forms: Codes
    heads: Words8
    negative: Mask | None

    def of(self, chosen: Offsets) -> Plain:
        """The same of some of them."""
        return Plain(self.forms[chosen], self.heads[chosen], None if self.negative is None else self.negative[chosen])


def plain(words: Words, starts: Offsets, widths: Offsets) -> Plain:
    """What the cells of one column are that begin at `starts`."""
    heads = words.at(starts)
    other = heads ^ ZEROS
    negative: Mask | None = (heads & BYTE) == MINUS
    if negative is not None and negative.any():
        # A digit in its place.
        other &= ~(negative.astype(np.uint64) * BYTE)
    else:
        negative = None
    highs = HIGHS[np.minimum(widths, 8)]
    odd = not_digits(other) & highs
    has_odd = odd.any()
    widest = int(widths.max())
    signs = 0 if negative is None else negative
    good = widths > signs
    if has_odd or widest > 8:
        points = points_of(other) & highs
        bad = odd != points
        counts = bit_counts(points)
        dotted = points != 0
        for at in range(8, min(widest, LONGEST), 8):
            wide = np.flatnonzero(widths > at)
            more = words.at(starts[wide] + at) ^ ZEROS
            some = HIGHS[np.minimum(widths[wide] - at, 8)]
            others = not_digits(more) & some
            behind = points_of(more) & some
            bad[wide] |= others != behind
            counts[wide] += bit_counts(behind)
        if widest > LONGEST:
            bad |= widths > LONGEST
        good &= ~bad
        forms = np.where(counts == 0, np.uint8(INTEGER), np.uint8(ODD))
        forms[(counts == 1) & dotted] = NUMBER
        first = odd & (HIGHS[1] if negative is None else np.where(negative, _SECOND, HIGHS[1]))
        led = (first != 0) & (forms == NUMBER)
        if led.any():
            forms[led] = FRACTION
            good &= ~(led & (widths == 1 + signs))
        forms *= good
    else:
        forms = good * np.uint8(INTEGER)
    return Plain(_without_zeros(forms, heads, odd, widths, negative), heads, negative)


def not_digits(other: Words8) -> Words8:
    """The highest bit of each byte that is no digit, after the exclusive or with zeros."""
    found: Words8 = ((other & _LOW7) + _OVER) | other
    return found


def points_of(other: Words8) -> Words8:
    """The highest bit of each byte that is a point, after the exclusive or with zeros; other bits are 0."""
    apart = other ^ _POINTS
    found: Words8 = ~(((apart & _LOW7) + _LOW7) | apart) & _HIGH
    return found


def _without_zeros(forms: Codes, heads: Words8, odd: Words8, widths: Offsets, negative: Mask | None) -> Codes:
    """Digits that begin with a needless zero are a code; with a sign or a point they are odd."""
    led = (heads & BYTE) == 0x30
    if led.any():
        led &= ((odd & _SECOND) == 0) & (widths > 1)
        forms[led & (forms == INTEGER)] = CODE
        forms[led & (forms == NUMBER)] = ODD
    if negative is not None:
        led = negative & ((heads & _SECOND_BYTE) == 0x3000) & ((odd & _THIRD) == 0) & (widths > 2)
        forms[led] = ODD
    return forms


def kind_of_form(form: int) -> str:
    """The kind that a form belongs to."""
    return _KINDS[form]


def widen(
    profile: ColumnProfile, data: bytes, words: Words, starts: Offsets, widths: Offsets, cells: Plain, form: int
) -> None:
    """Widen the range of a column by numbers that are all of one form."""
    if cells.negative is None:
        _widen_by(profile, data, words, starts, widths, cells.heads, form, False)
        return
    below, above = np.flatnonzero(cells.negative), np.flatnonzero(~cells.negative)
    if len(below):
        firsts = starts[below] + 1
        _widen_by(profile, data, words, firsts, widths[below] - 1, words.at(firsts), form, True)
    if len(above):
        _widen_by(profile, data, words, starts[above], widths[above], cells.heads[above], form, False)


def _widen_by(
    profile: ColumnProfile,
    data: bytes,
    words: Words,
    starts: Offsets,
    widths: Offsets,
    heads: Words8,
    form: int,
    is_negative: bool,
) -> None:
    widest = int(widths.max())
    if form == INTEGER and widest <= 8:
        # At the right end of eight bytes: all that is behind the number is moved out.
        keys = (heads << (np.uint64(64) - (widths.astype(np.uint64) << np.uint64(3)))).byteswap()
        end_at, scale = widest, "short"
    else:
        digits = widths.astype(np.uint64) if form == INTEGER else _digits_before_point(heads)
        sizes = np.minimum(widths, 8)
        keys = (heads & MASKS[sizes]).byteswap() >> _EIGHT
        keys |= digits << _TOP
        end_at, scale = 7, "long"
    for wants_most in (True, False):
        is_high = wants_most != is_negative
        if not wants_most and not _matters(profile, is_high, is_negative):
            continue
        pick = np.max if wants_most else np.min
        key, end = int(pick(keys)), end_of(f"{scale} {form}", wants_most, is_negative)
        bound = profile.bounds.get(end)
        if bound is not None:
            if key < bound if wants_most else key > bound:
                continue
            if key == bound and widest <= end_at:
                continue
        profile.bounds[end] = key
        chosen = np.flatnonzero(keys == np.uint64(key))
        for at in range(end_at, int(widths[chosen].max()), 8):
            if len(chosen) == 1:
                break
            behind = words.upto(starts[chosen] + at, np.maximum(widths[chosen] - at, 0)).byteswap()
            chosen = chosen[behind == pick(behind)]
        at = int(starts[chosen[0]])
        profile.add_number(data[at - is_negative : at + int(widths[chosen[0]])])


def _matters(profile: ColumnProfile, is_high: bool, is_negative: bool) -> bool:
    """Whether the number nearest to zero can be an end of the range: not if there are some on the other side of zero."""
    end = profile.high if is_high else profile.low
    if end is None:
        return True
    return end <= 0 if is_negative else end >= 0


def _digits_before_point(heads: Words8) -> Words8:
    """How many digits stand before the point in numbers that have one in these first eight bytes."""
    points = points_of(heads ^ ZEROS)
    return digits_before(points & (~points + np.uint64(1)))


def digits_before(points: Words8) -> Words8:
    """How many digits stand before the point, whose byte's highest bit alone is set."""
    found: Words8 = ((points >> _SEVEN) * _DIGITS) >> _TOP
    return found


def end_of(scale: str, is_far: bool, is_negative: bool) -> tuple[str, bool, bool]:
    """The key of `ColumnProfile.bounds` for the numbers of one sign that are farthest from zero, or nearest."""
    return scale, is_far != is_negative, is_negative
