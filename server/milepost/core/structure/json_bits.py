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


def set_bits(words: Words) -> Positions:
    """Where bits are set, in order."""
    masks = words.view(np.uint8)
    filled = np.flatnonzero(masks != 0)
    bits = np.flatnonzero(np.unpackbits(masks[filled], bitorder="little").view(bool))
    found: Positions = (filled[bits >> 3] << 3) + (bits & 7)
    return found


def first_bits(words: Words, count: int) -> Words:
    """The words of the first `count` bits, without those that come after them in the last."""
    kept = words[: (count + 63) >> 6].copy()
    if count & 63 and len(kept):
        kept[-1] &= np.uint64((1 << (count & 63)) - 1)
    return kept


def quote_bits(data: bytes, array: npt.NDArray[np.uint8]) -> Words:
    """The quotes that no backslash escapes: a run of backslashes escapes what follows it when their number is odd."""
    quotes = pack(array == QUOTE)
    if BACKSLASH not in data:
        return quotes
    slashes = pack(array == BACKSLASH)
    escaped, behind = np.zeros_like(quotes), quotes
    for count in range(1, 64):
        behind = behind & _shifted(slashes, count)  # those with at least so many backslashes before them
        if not behind.any():
            return quotes & ~escaped
        escaped ^= behind
    return _quotes_after_long_runs(array, quotes)


def _shifted(words: Words, count: int) -> Words:
    """Every bit as many places further on as `count` says, which is below 64."""
    shifted = words << np.uint64(count)
    shifted[1:] |= words[:-1] >> np.uint64(64 - count)
    return shifted


def _quotes_after_long_runs(array: npt.NDArray[np.uint8], quotes: Words) -> Words:
    """The same, backslash by backslash."""
    slashes = np.flatnonzero(array == BACKSLASH)
    breaks = np.flatnonzero(np.diff(slashes) != 1)
    firsts = slashes[np.concatenate((np.zeros(1, np.int64), breaks + 1))]
    lasts = slashes[np.append(breaks, len(slashes) - 1)]
    escaped = lasts[(lasts - firsts) % 2 == 0] + 1
    follows = np.zeros(len(array), bool)
    follows[escaped[escaped < len(array)]] = True
    return quotes & ~pack(follows)


def prefix_xor(words: Words, initial: bool) -> Words:
    """Bit i of the result is the exclusive or of `initial` and all bits up to i."""
    result = words.copy()
    for shift in (1, 2, 4, 8, 16, 32):
        result ^= result << np.uint64(shift)
    flips = np.empty(len(words), np.uint64)
    flips[:1] = initial
    np.bitwise_xor(np.bitwise_xor.accumulate(result[:-1] >> np.uint64(63)), flips[:1], out=flips[1:])
    result ^= np.uint64(0) - flips  # all bits of a word where the one before it ended inside
    return result


_BYTE_COUNTS = np.array([bin(byte).count("1") for byte in range(256)], np.uint8)


def byte_counts(words: Words) -> npt.NDArray[np.uint8]:
    """How many bits of each byte of the mask are set."""
    if hasattr(np, "bitwise_count"):  # NumPy 2
        counted: npt.NDArray[np.uint8] = np.bitwise_count(words.view(np.uint8))
        return counted
    counts: npt.NDArray[np.uint8] = _BYTE_COUNTS[words.view(np.uint8)]
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
