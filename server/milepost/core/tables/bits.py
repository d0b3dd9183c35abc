"""Sets of places in a block as bits, 64 to a number: what lies inside quotes, and how many delimiters precede a place.

The set of places inside quotes is the running exclusive-or of the set of quotes, as in simdjson (Langdale and Lemire,
"Parsing gigabytes of JSON per second", 2019), here over whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Offsets = npt.NDArray[np.int64]

_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SHIFTS = tuple(np.uint64(1 << power) for power in range(6))
_SIX, _LOW = np.uint64(6), np.uint64(63)


def _count_by_halving(words: Words) -> npt.NDArray[np.uint8]:
    """The bits of each number by sums of neighbouring pairs, fours and eights (Warren, "Hacker's Delight", 5-1)."""
    words = words - ((words >> _ONE) & np.uint64(0x5555555555555555))
    words = (words & np.uint64(0x3333333333333333)) + ((words >> np.uint64(2)) & np.uint64(0x3333333333333333))
    words = (words + (words >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    counts: npt.NDArray[np.uint8] = ((words * np.uint64(0x0101010101010101)) >> np.uint64(56)).astype(np.uint8)
    return counts


#: How many bits are set in each number; numpy has it from 2.0 on.
bit_counts: Callable[[Words], npt.NDArray[np.uint8]] = getattr(np, "bitwise_count", _count_by_halving)


def pack(mask: npt.NDArray[np.bool_]) -> Words:
    """The places where `mask` is true."""
    packed = np.packbits(mask, bitorder="little")
    whole = -(-len(packed) // 8) * 8
    if whole != len(packed):
        packed = np.append(packed, np.zeros(whole - len(packed), np.uint8))
    return packed.view(np.uint64)


def as_mask(words: Words, size: int) -> npt.NDArray[np.bool_]:
    """Which of the `size` places of a block are in the set."""
    return np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.bool_)


def places(words: Words, size: int) -> Offsets:
    """The places in the set, ascending, of a block of `size` bytes."""
    # numpy looks for what is not zero several times quicker among truth values than among numbers.
    return np.flatnonzero(as_mask(words, size))


def sparse_places(words: Words) -> Offsets:
    """The same, quicker where few numbers are not zero."""
    used = np.flatnonzero(words)
    if not len(used):
        return used
    if len(used) == len(words):
        return places(words, 64 * len(words))
    found = np.flatnonzero(as_mask(words[used], 64 * len(used)))
    found_places: Offsets = (used[found >> 6] << 6) | (found & 63)
    return found_places


def first_place(words: Words) -> int:
    """The first place in the set; -1 when it is empty."""
    used = words != 0
    index = int(np.argmax(used))
    if not used[index]:
        return -1
    word = int(words[index])
    return index * 64 + (word & -word).bit_length() - 1


def last_place(words: Words) -> int:
    """The last place in the set; -1 when it is empty."""
    used = np.flatnonzero(words)
    if not len(used):
        return -1
    return int(used[-1]) * 64 + int(words[used[-1]]).bit_length() - 1


def pack_places(found: Offsets, size: int) -> Words:
    """The set of the given places of a block of `size` bytes."""
    mask = np.zeros(size, np.bool_)
    mask[found] = True
    return pack(mask)


def inside(quotes: Words, is_inside: bool) -> Words:
    """Every place from an opening quote on, up to before the closing one; `is_inside` at the beginning."""
    words = quotes ^ (quotes << _ONE)
    for shift in _SHIFTS[1:]:
        words ^= words << shift
    # The last bit of a word says whether it holds an odd number of quotes; their running parity flips whole words.
    odd = (words >> _LOW).astype(np.uint8)
    parity = np.bitwise_xor.accumulate(odd)
    flips = np.empty(len(words), np.uint64)
    flips[0] = is_inside
    flips[1:] = parity[:-1] ^ np.uint8(is_inside)
    words ^= np.negative(flips.view(np.int64)).view(np.uint64)
    return words


def after(words: Words) -> Words:
    """The places behind those in the set."""
    moved = words << _ONE
    moved[1:] |= words[:-1] >> _LOW
    return moved


def before(words: Words) -> Words:
    """The places before those in the set."""
    moved = words >> _ONE
    moved[:-1] |= words[1:] << _LOW
    return moved


def from_place(words: Words, place: int) -> Words:
    """The set without what lies before `place`."""
    if place <= 0:
        return words
    words = words.copy()
    words[: place >> 6] = 0
    if place >> 6 < len(words):
        words[place >> 6] &= _ALL << np.uint64(place & 63)
    return words


def upto_place(words: Words, place: int) -> Words:
    """The set without what lies at `place` or behind it."""
    words = words.copy()
    words[(place >> 6) + 1 :] = 0
    if place >> 6 < len(words):
        words[place >> 6] &= (_ONE << np.uint64(place & 63)) - _ONE
    return words


def has(words: Words, at: Offsets) -> npt.NDArray[np.bool_]:
    """Which of the places are in the set."""
    found: npt.NDArray[np.bool_] = ((words[at >> 6] >> (at & 63).astype(np.uint64)) & _ONE).astype(np.bool_)
    return found


def holds(words: Words, place: int) -> bool:
    """Whether one place is in the set."""
    return bool(int(words[place >> 6]) >> (place & 63) & 1)


def count(words: Words) -> int:
    """How many places there are in the set."""
    return int(np.add.reduce(bit_counts(words), dtype=np.int64))


class Ranks:
    """How many places of a set lie before a given one."""

    def __init__(self, words: Words) -> None:
        self._words = words
        counts = bit_counts(words)
        self._before = np.empty(len(words) + 1, np.int32)
        self._before[0] = 0
        np.cumsum(counts, out=self._before[1:])

    @property
    def total(self) -> int:
        """How many places there are."""
        return int(self._before[-1])

    def one(self, place: int) -> int:
        """How many lie before one place, which may be the end of the block."""
        index = place >> 6
        if index >= len(self._words):
            return self.total
        return int(self._before[index]) + (int(self._words[index]) & ((1 << (place & 63)) - 1)).bit_count()

    def at(self, at: Offsets) -> npt.NDArray[np.int32]:
        """How many lie before each of the places (which are inside the block)."""
        index = at >> 6
        below = (_ONE << (at & 63).astype(np.uint64)) - _ONE
        found: npt.NDArray[np.int32] = self._before[index] + bit_counts(self._words[index] & below)
        return found
