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


def not_settled(
    profile: ColumnProfile, data: bytes, words: Words, starts: Offsets, widths: Offsets, form: int
) -> Offsets | None:
    """The indices of cells that are not plainly of the form, few of all; the range has been widened by the others.

    None where that cannot be told so easily.
    """
    if profile.low is None or int(widths.max()) > (8 if form == INTEGER else LONGEST):
        return None
    heads = words.at(starts)
    negative: Mask | None = (heads & BYTE) == MINUS
    other = heads ^ ZEROS
    if negative is not None and negative.any():
        other ^= negative * _SIGN
    else:
        negative = None
    keys, bad = (_integer_keys if form == INTEGER else _decimal_keys)(words, starts, widths, heads, other, negative)
    left = np.flatnonzero(bad)
    if len(left) * 4 > len(starts):
        return None
    good = ~bad if len(left) else None
    scale = ("short" if form == INTEGER else "long") + f" {form}"
    return left if _are_inside(profile, data, starts, widths, keys, negative, good, scale) else None


def _integer_keys(
    words: Words, starts: Offsets, widths: Offsets, heads: Words8, other: Words8, negative: Mask | None
) -> tuple[Words8, Mask]:
    shifts = _SIXTY_FOUR - (widths.astype(np.uint64) << _THREE)
    bad = (not_digits(other) & HIGHS[widths]) != 0
    bad |= ((heads & BYTE) == 0x30) & (widths > 1)
    keys = heads << shifts
    if negative is not None:
        # Without the sign; one that stands alone or before a zero is odd.
        keys &= ~((negative * BYTE) << shifts)
        bad |= negative & ((widths < 2) | ((heads >> _EIGHT) & BYTE == 0x30))
    return keys.byteswap(), bad


def _decimal_keys(
    words: Words, starts: Offsets, widths: Offsets, heads: Words8, other: Words8, negative: Mask | None
) -> tuple[Words8, Mask]:
    sizes = np.minimum(widths, 8)
    highs = HIGHS[sizes]
    points = points_of(other) & highs
    bad = (not_digits(other) & highs) != points
    bad |= (points & (points - _ONE)) != 0
    for at in range(8, int(widths.max()), 8):
        wide = np.flatnonzero(widths > at)
        more = words.at(starts[wide] + at) ^ ZEROS
        odd = (not_digits(more) & HIGHS[np.minimum(widths[wide] - at, 8)]) != 0
        if odd.any():
            bad[wide] |= odd
    heads = heads & MASKS[sizes]
    if negative is not None:
        signs = negative.astype(np.uint64) << _THREE
        points, heads = points >> signs, heads >> signs
    # No point or one in front, or a needless zero.
    bad |= (points <= _FIRST) | (((heads & BYTE) == 0x30) & (points != _SECOND))
    return (digits_before(points) << _TOP) | (heads.byteswap() >> _EIGHT), bad


def _are_inside(
    profile: ColumnProfile,
    data: bytes,
    starts: Offsets,
    widths: Offsets,
    keys: Words8,
    negative: Mask | None,
    good: Mask | None,
    scale: str,
) -> bool:
    """Whether few of the good numbers are at or beyond the ends of the range; by those the range is widened."""
    ends = [(False, True)] if negative is None else [(True, True), (False, True)]
    if profile.low is not None and profile.low >= 0:
        ends.append((False, False))
    for is_negative, is_far in ends:
        end = end_of(scale, is_far, is_negative)
        bound = profile.bounds.get(end)
        if bound is None:
            return False
        key = np.uint64(bound)
        at_end = keys > key if is_far else keys < key
        if not scale.startswith("short"):
            # The key is of eight bytes less one: what is longer may go on behind.
            at_end |= (keys == key) & (widths > 7 + is_negative)
        if negative is not None:
            at_end &= negative if is_negative else ~negative
        if good is not None:
            at_end &= good
        places = np.flatnonzero(at_end)
        if len(places) > _FEW:
            return False
        for place in places.tolist():
            start, found = int(starts[place]), int(keys[place])
            profile.add_number(data[start : start + int(widths[place])])
            bound = max(bound, found) if is_far else min(bound, found)
        profile.bounds[end] = bound
    return True
