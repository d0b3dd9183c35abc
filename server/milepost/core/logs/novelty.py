"""Lines that look like nothing before them, found for all lines of a block at once.

A line's *signature* is a hash of 16 bytes of its head with the digits masked, gathered for every line of a block by one
unaligned view. In most logs there are a few hundred signatures; a line with a new one, deep in the file, is worth a look
although it carries no word that says so. Where in the line the 16 bytes are taken is learnt from the head of the file: the
furthest place where signatures soon repeat. Where none does (each line begins with another name), novelty stays off.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WINDOW_BYTES = 16
#: More signatures than this say that the place was badly chosen: novelty is switched off from there.
MAX_KNOWN = 4096
_OFFSETS = tuple(range(0, 136, 8))

_U64 = npt.NDArray[np.uint64]


class Novelty:
    """Learns which line heads a log has, then reports lines with a new one."""

    def __init__(self) -> None:
        self._known: _U64 = np.empty(0, np.uint64)
        self.offset: int | None = None

    def learn(self, data: bytes, starts: npt.NDArray[np.int64]) -> None:
        """Choose the place from the head of a file; off (and `offset` None) when no place repeats enough."""
        if len(starts) < 400:
            return
        half = len(starts) // 2
        for offset in reversed(_OFFSETS):
            signatures = _signatures(data, starts, offset)
            if not np.any(signatures):
                continue
            early, late = np.unique(signatures[:half]), signatures[half:]
            long_enough = np.count_nonzero(signatures) >= 0.8 * len(signatures)
            unseen = 1.0 - np.count_nonzero(np.isin(late, early)) / len(late)
            if long_enough and unseen <= 0.01 and len(early) <= half // 10:
                self.offset = offset
                self._known = np.unique(signatures)
                return

    def signatures(self, data: bytes, starts: npt.NDArray[np.int64]) -> _U64:
        """A hash of each line's head; all 0 where novelty is off."""
        if self.offset is None or not len(starts):
            return np.zeros(len(starts), np.uint64)
        return _signatures(data, starts, self.offset)

    def new_lines(self, signatures: _U64) -> npt.NDArray[np.int64]:
        """The indexes of the lines whose signature was not seen before this block (each line of a new kind in it)."""
        if self.offset is None or not len(signatures):
            return np.empty(0, np.int64)
        places = np.searchsorted(self._known, signatures)
        places[places == len(self._known)] = 0
        unseen = np.flatnonzero(self._known[places] != signatures)
        if len(unseen):
            self._known = np.union1d(self._known, signatures[unseen])
            if len(self._known) > MAX_KNOWN:
                self.offset = None
        return unseen


def _signatures(data: bytes, starts: npt.NDArray[np.int64], offset: int) -> _U64:
    """A hash of the 16 bytes at `offset` of each line, digits masked; 0 where the line is not that long."""
    result = np.zeros(len(starts), np.uint64)
    if len(data) < offset + WINDOW_BYTES:
        return result
    # A line is long enough if the next one starts behind the window; the last one must end behind it.
    usable = np.empty(len(starts), np.bool_)
    np.greater(starts[1:] - starts[:-1], offset + WINDOW_BYTES, out=usable[:-1])
    usable[-1] = len(data) - int(starts[-1]) > offset + WINDOW_BYTES
    words = np.ndarray(shape=(len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
    at = (starts if usable.all() else starts[usable]) + offset
    mixed = np.zeros(len(at), np.uint64)
    for step in range(0, WINDOW_BYTES, 8):
        mixed = (mixed ^ _mask_digits(words[at + step])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    result[usable] = mixed | np.uint64(1)
    return result


def _mask_digits(word: _U64) -> _U64:
    """Eight bytes with every ASCII digit set to zero (a carry-free test of all bytes at once)."""
    high = np.uint64(0x8080808080808080)
    low_bits = (word ^ np.uint64(0x3030303030303030)) & np.uint64(0x7F7F7F7F7F7F7F7F)
    not_digit = ((low_bits + np.uint64(0x7676767676767676)) | word) & high
    digit = not_digit ^ high
    return word & ~((digit >> np.uint64(7)) * np.uint64(0xFF))
