"""The least and greatest of many numbers without reading each: by their widths, then by their first bytes.

Of two numbers with as many digits before the point the greater is the one whose bytes are. So the greatest is looked for
among those with most digits, eight bytes at a time; whether a block can have a new one at all is mostly seen from the first.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets
from milepost.core.tables.fields import Words
from milepost.core.tables.values import ColumnProfile

Words8 = npt.NDArray[np.uint64]

_POINTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_FAR = 9
_MINUS, _POINT = 0x2D, 0x2E


def widen(
    profile: ColumnProfile,
    data: bytes,
    words: Words,
    starts: Offsets,
    widths: Offsets,
    negative: npt.NDArray[np.bool_] | None,
    form: str,
) -> None:
    """Widen the range of a column by plain numbers of one form, with a minus before them if `negative`.

    "integer" has digits alone, "number" a point behind some, "fraction" begins with the point.
    """
    has_points = form == "number"
    parts: list[tuple[bool, Offsets, Offsets]] = []
    if negative is None:
        parts.append((False, starts, widths))
    else:
        below, above = np.flatnonzero(negative), np.flatnonzero(~negative)
        if len(below):
            parts.append((True, starts[below] + 1, widths[below] - 1))
        if len(above):
            parts.append((False, starts[above], widths[above]))
    for is_negative, firsts, sizes in parts:
        heads = words.upto(firsts, sizes) if has_points else None
        digits = sizes if heads is None else _digits_before_point(heads)
        for wants_most in (True, False):
            is_high = wants_most != is_negative
            if not wants_most and not _matters(profile, is_high, is_negative):
                continue
            end = (form, is_high, is_negative)
            found = _extreme(words, firsts, sizes, digits, heads, wants_most, profile.bounds.get(end))
            if found is None:
                continue
            index, profile.bounds[end] = found
            at = int(firsts[index])
            profile.add_number(data[at - is_negative : at + int(sizes[index])])


def outside(
    profile: ColumnProfile,
    codes: npt.NDArray[np.uint8],
    starts: Offsets,
    widths: Offsets,
    form: str,
    has_minus: bool,
) -> Offsets | None:
    """Indices of all numbers that may lie outside the range so far, and some that do not; None for all of them."""
    bounds = profile.bounds
    high, low = bounds.get((form, True, False)), profile.low
    if high is None or low is None or high[0] >= _FAR:
        return None
    first = codes[starts]
    if form == "integer":
        beyond = (widths > high[0]) | ((widths == high[0]) & (first >= high[1] >> 56))
    else:
        beyond = _is_digit(codes[starts + high[0]]) | (first >= high[1] >> 56)
    if low >= 0:
        least = bounds.get((form, False, False))
        if least is None or least[0] >= _FAR:
            return None
        if form == "integer":
            beyond |= (widths < least[0]) | ((widths == least[0]) & (first <= least[1] >> 56))
        else:
            behind = codes[starts + least[0]]
            beyond |= ~_is_digit(behind) & ((behind != _POINT) | (first <= least[1] >> 56))
    if not has_minus:
        return np.flatnonzero(beyond)
    negative = first == _MINUS
    deepest = bounds.get((form, False, True))
    if low < 0 and deepest is not None and deepest[0] < _FAR:
        places = np.flatnonzero(negative)
        second = codes[starts[places] + 1]
        if form == "integer":
            sizes = widths[places] - 1
            deeper = (sizes > deepest[0]) | ((sizes == deepest[0]) & (second >= deepest[1] >> 56))
        else:
            deeper = _is_digit(codes[starts[places] + 1 + deepest[0]]) | (second >= deepest[1] >> 56)
        negative[places] = deeper
        # Of numbers below zero none is the greatest, as long as there are others.
        beyond[places] = deeper
        return np.flatnonzero(beyond)
    return np.flatnonzero(beyond | negative)


def _is_digit(codes: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    digits: npt.NDArray[np.bool_] = (codes - np.uint8(0x30)) < 10
    return digits


def _matters(profile: ColumnProfile, is_high: bool, is_negative: bool) -> bool:
    """Whether the number nearest to zero can be an end of the range: not if there are some on the other side of zero."""
    end = profile.high if is_high else profile.low
    if end is None:
        return True
    return end <= 0 if is_negative else end >= 0


def _digits_before_point(heads: Words8) -> Offsets:
    """How many digits stand before the point in numbers that begin with these eight bytes; `_FAR` for more than seven."""
    marked = heads ^ _POINTS
    marked = (marked - _ONES) & ~marked & _HIGH
    lowest = marked & (~marked + np.uint64(1))
    found: Offsets = (lowest == 0).astype(np.int64) * _FAR
    for place in range(1, 8):
        # The mark of the byte before is 2 ** (8 * place - 1).
        found += lowest > np.uint64(1 << (8 * place - 1))
    return found


def _extreme(
    words: Words,
    starts: Offsets,
    widths: Offsets,
    digits: Offsets,
    heads: Words8 | None,
    wants_most: bool,
    bound: tuple[int, int] | None,
) -> tuple[int, tuple[int, int]] | None:
    """The index of the greatest (or least) number, and its digits and first bytes; None where `bound` is as far."""
    pick = np.max if wants_most else np.min
    most = int(pick(digits))
    if bound is not None and (most < bound[0] if wants_most else most > bound[0]):
        return None
    chosen = np.flatnonzero(digits == most)
    sizes = widths[chosen]
    widest, first = int(sizes.max()), 0
    for at in range(0, widest, 8):
        if at:
            keys = words.upto(starts[chosen] + at, np.maximum(widths[chosen] - at, 0)).byteswap()
        else:
            keys = (words.upto(starts[chosen], sizes) if heads is None else heads[chosen]).byteswap()
        key = int(pick(keys))
        if not at:
            first = key
            if bound is not None and most == bound[0]:
                if key < bound[1] if wants_most else key > bound[1]:
                    return None
                if key == bound[1] and widest <= 8:
                    return None
        chosen = chosen[keys == np.uint64(key)]
        if len(chosen) == 1:
            break
    return int(chosen[0]), (most, first)
