"""Bit masks over text: one bit to a byte, packed in words of 64, the first byte of text in the lowest bit."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

QUOTE, BACKSLASH = 0x22, 0x5C


def pack(mask: npt.NDArray[np.bool_]) -> Words:
    """A mask with a byte to each byte of text as one with a bit."""
    packed = np.packbits(mask, bitorder="little")
    missing = -len(packed) % 8
    if missing:
        packed = np.concatenate((packed, np.zeros(missing, np.uint8)))
    return packed.view("<u8").astype(np.uint64, copy=False)


def set_bits(words: Words, size: int) -> Positions:
    """Where bits are set, in order, among the first `size`."""
    bits = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), count=size, bitorder="little")
    return np.flatnonzero(bits.view(bool))


def quote_bits(data: bytes, array: npt.NDArray[np.uint8]) -> Words:
    """The quotes that no backslash escapes: a run of backslashes escapes what follows it when their number is odd."""
    quotes = array == QUOTE
    if BACKSLASH in data:
        slashes = np.flatnonzero(array == BACKSLASH)
        breaks = np.flatnonzero(np.diff(slashes) != 1)
        firsts = slashes[np.concatenate((np.zeros(1, np.int64), breaks + 1))]
        lasts = slashes[np.append(breaks, len(slashes) - 1)]
        escaped = lasts[(lasts - firsts) % 2 == 0] + 1
        quotes[escaped[escaped < len(array)]] = False
    return pack(quotes)


def prefix_xor(words: Words, initial: bool) -> Words:
    """Bit i of the result is the exclusive or of `initial` and all bits up to i."""
    result = words.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        result ^= result << np.uint64(shift)
    parity = np.bitwise_xor.accumulate(result >> np.uint64(63))
    flips = np.empty(len(words), bool)
    flips[:1] = initial
    flips[1:] = parity[:-1].astype(bool) ^ initial
    np.invert(result, out=result, where=flips)
    return result


_BYTE_COUNTS = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def bit_counts(words: Words) -> npt.NDArray[np.int64]:
    """How many bits of each word are set."""
    if hasattr(np, "bitwise_count"):  # NumPy 2
        counted: npt.NDArray[np.int64] = np.bitwise_count(words).astype(np.int64)
        return counted
    counts: npt.NDArray[np.int64] = _BYTE_COUNTS[words.view(np.uint8)].reshape(-1, 8).sum(axis=1, dtype=np.int64)
    return counts


def pairs_by_depth(depths: npt.NDArray[np.int32], opens: npt.NDArray[np.bool_]) -> tuple[Positions, Positions]:
    """Which opener and closer belong together: neighbours among the brackets of one depth."""
    outer = depths - opens
    order = np.argsort(outer.astype(np.int16), kind="stable")  # NumPy sorts 16 bits by radix, without comparisons
    if len(order) < 2:
        none = np.zeros(0, np.int64)
        return none, none
    left, right = order[:-1], order[1:]
    matched = opens[left] & ~opens[right] & (outer[left] == outer[right])
    return left[matched], right[matched]


def character_end(data: bytes, end: int) -> int:
    """`end`, or the start of the UTF-8 character that would be split there."""
    for back in range(1, min(4, end + 1)):
        byte = data[end - back]
        if byte < 0x80:
            return end
        if byte >= 0xC0:
            length = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return end - back if length > back else end
    return end
