"""Whether the numbers of a column are what they were so far: all of one form, and hardly any at an end of the range.

That is how it is with most blocks of most tables, and told with a few operations on whole arrays; all else is left to
`tables.plain`, whose keys are used here.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import Offsets
from milepost.core.tables.fields import Words
from milepost.core.tables.plain import (
    BYTE,
    HIGHS,
    INTEGER,
    LONGEST,
    MASKS,
    MINUS,
    ZEROS,
    Words8,
    digits_before,
    end_of,
    not_digits,
    points_of,
)
from milepost.core.tables.values import ColumnProfile

_FEW = 32
_SEVEN, _EIGHT, _SIXTY_FOUR, _TOP = np.uint64(7), np.uint64(8), np.uint64(64), np.uint64(56)
_ONE, _THREE, _FIRST, _SECOND = np.uint64(1), np.uint64(3), np.uint64(0x80), np.uint64(0x8000)
_SIGN = np.uint64(MINUS ^ 0x30)

Mask = npt.NDArray[np.bool_]


def are_settled(profile: ColumnProfile, data: bytes, words: Words, starts: Offsets, widths: Offsets, form: int) -> bool:
    """Whether all cells are of the form; if so, the range has been widened by those at its ends. False says nothing."""
    if profile.low is None or int(widths.max()) > (8 if form == INTEGER else LONGEST):
        return False
    heads = words.at(starts)
    negative: Mask | None = (heads & BYTE) == MINUS
    other = heads ^ ZEROS
    if negative is not None and negative.any():
        other ^= negative * _SIGN
    else:
        negative = None
    scale = "short" if form == INTEGER else "long"
    keys = (_integer_keys if form == INTEGER else _decimal_keys)(words, starts, widths, heads, other, negative)
    if keys is None:
        return False
    return _are_inside(profile, data, starts, widths, keys, negative, f"{scale} {form}")


def _integer_keys(
    words: Words, starts: Offsets, widths: Offsets, heads: Words8, other: Words8, negative: Mask | None
) -> Words8 | None:
    sizes = widths.astype(np.uint64) << _THREE
    if (not_digits(other) & HIGHS[widths]).any() or (((heads & BYTE) == 0x30) & (widths > 1)).any():
        return None
    keys = heads << (_SIXTY_FOUR - sizes)
    if negative is not None:
        # Without the sign; one that stands alone or before a zero is odd.
        keys &= ~((negative * BYTE) << (_SIXTY_FOUR - sizes))
        if (negative & ((widths < 2) | ((heads >> _EIGHT) & BYTE == 0x30))).any():
            return None
    found: Words8 = keys.byteswap()
    return found


def _decimal_keys(
    words: Words, starts: Offsets, widths: Offsets, heads: Words8, other: Words8, negative: Mask | None
) -> Words8 | None:
    sizes = np.minimum(widths, 8)
    highs = HIGHS[sizes]
    points = points_of(other) & highs
    if ((not_digits(other) & highs) != points).any() or not points.all() or (points & (points - _ONE)).any():
        return None
    for at in range(8, int(widths.max()), 8):
        wide = np.flatnonzero(widths > at)
        more = words.at(starts[wide] + at) ^ ZEROS
        if (not_digits(more) & HIGHS[np.minimum(widths[wide] - at, 8)]).any():
            return None
    heads = heads & MASKS[sizes]
    if negative is not None:
        signs = negative.astype(np.uint64) << _THREE
        points, heads = points >> signs, heads >> signs
    # A point in front, or a needless zero.
    if (points <= _FIRST).any() or (((heads & BYTE) == 0x30) & (points != _SECOND)).any():
        return None
    found: Words8 = (digits_before(points) << _TOP) | (heads.byteswap() >> _EIGHT)
    return found


def _are_inside(
    profile: ColumnProfile,
    data: bytes,
    starts: Offsets,
    widths: Offsets,
    keys: Words8,
    negative: Mask | None,
    scale: str,
) -> bool:
    """Whether few of the numbers are at or beyond the ends of the range; by those the range is widened."""
    ends = [(False, True)] if negative is None else [(True, True), (False, True)]
    if profile.low is not None and profile.low >= 0:
        ends.append((False, False))
    for is_negative, is_far in ends:
        if is_negative and negative is None:
            continue
        end = end_of(scale, is_far, is_negative)
        bound = profile.bounds.get(end)
        if bound is None:
            return False
        at_end = keys >= np.uint64(bound) if is_far else keys <= np.uint64(bound)
        if negative is not None:
            at_end &= negative if is_negative else ~negative
        places = np.flatnonzero(at_end)
        if len(places) > _FEW:
            return False
        for place in places.tolist():
            start, key = int(starts[place]), int(keys[place])
            profile.add_number(data[start : start + int(widths[place])])
            bound = max(bound, key) if is_far else min(bound, key)
        profile.bounds[end] = bound
    return True
