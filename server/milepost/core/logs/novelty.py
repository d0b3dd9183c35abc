"""Lines that look like nothing before them, found for all lines of a block at once.

A line's *signature* is a hash of 16 bytes of its head with the digits masked, gathered for every line of a block by one
unaligned view. In most logs there are a few hundred signatures; a line with a new one, deep in the file, is worth a look
although it carries no word that says so. Where in the line the 16 bytes are taken is learnt from the head of the file:
the place that tells most kinds of lines apart and yet soon repeats. Where none does (names everywhere), novelty stays off.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WINDOW_BYTES = 16
#: More signatures than this say that the place was badly chosen: novelty is switched off from there.
MAX_KNOWN = 4096
_OFFSETS = tuple(range(0, 136, 8))

#: The share of lines, those of the rarest signatures, that are looked at one by one.
RARE_SHARE = 0.005

_U64 = npt.NDArray[np.uint64]
_Indexes = npt.NDArray[np.int64]
_NONE: _Indexes = np.empty(0, np.int64)


class Novelty:
    """Learns which line heads a log has, then reports lines with a new one, and those with a rare one."""

    def __init__(self) -> None:
        self._known: _U64 = np.empty(0, np.uint64)
        self._counts: _Indexes = _NONE
        self._table: _Indexes = _NONE
        self._is_rare: npt.NDArray[np.bool_] = np.empty(0, np.bool_)
        self.offset: int | None = None

    def learn(self, data: bytes, starts: npt.NDArray[np.int64]) -> _Indexes:
        """Choose the place from the head of a file; off (and `offset` None) when no place repeats enough.

        Gives one line of each kind.
        """
        if len(starts) < 400:
            return _NONE
        half = len(starts) // 2
        best: tuple[int, int, _U64] | None = None
        for offset in _OFFSETS:
            signatures = _signatures(data, starts, offset)
            early = np.unique(signatures[:half])
            further = len(np.setdiff1d(signatures[half:], early))
            # Few, and hardly any more in the second half: what stands here is wording, not values.
            if (
                len(early) <= half // 16
                and further <= max(6, len(early) // 2)
                and (best is None or len(early) > best[0])
            ):
                best = (len(early), offset, signatures)
        if best is None or best[0] < 2:
            return _NONE
        self.offset = best[1]
        self._known, examples, self._counts = np.unique(best[2], return_index=True, return_counts=True)
        self._find_rare()
        return examples

    def signatures(self, data: bytes, starts: npt.NDArray[np.int64]) -> _U64:
        """A hash of each line's head; all 0 where novelty is off."""
        if self.offset is None or not len(starts):
            return np.zeros(len(starts), np.uint64)
        return _signatures(data, starts, self.offset)

    def sift(self, signatures: _U64) -> tuple[_Indexes, _Indexes]:
        """The lines whose signature was not seen before this block, and those whose signature is among the rare ones.

        Rare are the least frequent signatures that together make up `RARE_SHARE` of the lines before this block.
        """
        if self.offset is None or not len(signatures):
            return _NONE, _NONE
        places, is_known = self._look_up(signatures)
        rare = np.flatnonzero(self._is_rare[places] & is_known)
        self._counts += np.bincount(places[is_known], minlength=len(self._counts))
        unseen = np.flatnonzero(~is_known)
        if len(unseen):
            self._learn_more(*np.unique(signatures[unseen], return_counts=True))
        self._find_rare()
        return unseen, rare

    def _look_up(self, signatures: _U64) -> tuple[_Indexes, npt.NDArray[np.bool_]]:
        """Where among the known signatures these are, and whether they are known at all.

        By a table of their highest 16 bits; only where two share one, and for what is new, by bisection.
        """
        places = self._table[signatures >> np.uint64(48)]
        is_known = self._known[places] == signatures
        others = np.flatnonzero(~is_known)
        if len(others):
            found = np.searchsorted(self._known, signatures[others])
            found[found == len(self._known)] = 0
            places[others] = found
            is_known[others] = self._known[found] == signatures[others]
        return places, is_known

    def _learn_more(self, signatures: _U64, counts: _Indexes) -> None:
        known = np.concatenate([self._known, signatures])
        order = np.argsort(known)
        self._known = known[order]
        self._counts = np.concatenate([self._counts, counts])[order]
        if len(self._known) > MAX_KNOWN:
            self.offset = None

    def _find_rare(self) -> None:
        self._table = np.zeros(1 << 16, np.int64)
        self._table[self._known >> np.uint64(48)] = np.arange(len(self._known))
        order = np.argsort(self._counts, kind="stable")
        self._is_rare = np.zeros(len(order), np.bool_)
        together = np.cumsum(self._counts[order])
        self._is_rare[order[together <= RARE_SHARE * together[-1]]] = True


def _signatures(data: bytes, starts: npt.NDArray[np.int64], offset: int) -> _U64:
    """A hash of the 16 bytes at `offset` of each line, or of its last 16 if it is shorter, digits masked; 0 below 16."""
    result = np.zeros(len(starts), np.uint64)
    if len(data) < WINDOW_BYTES:
        return result
    lengths = np.empty(len(starts), np.int64)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1] = len(data) - int(starts[-1])
    usable = lengths >= WINDOW_BYTES
    all_usable = bool(usable.all())
    if not all_usable:
        starts, lengths = starts[usable], lengths[usable]
    at = starts + np.minimum(lengths - WINDOW_BYTES, offset)
    words = np.ndarray(shape=(len(data) - 7,), dtype="<u8", buffer=data, strides=(1,))
    mixed = np.zeros(len(at), np.uint64)
    for step in range(0, WINDOW_BYTES, 8):
        mixed = (mixed ^ _mask_digits(words[at + step])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    mixed |= np.uint64(1)
    if all_usable:
        return mixed
    result[usable] = mixed
    return result


def _mask_digits(word: _U64) -> _U64:
    """Eight bytes with every ASCII digit set to zero (a carry-free test of all bytes at once)."""
    high = np.uint64(0x8080808080808080)
    low_bits = (word ^ np.uint64(0x3030303030303030)) & np.uint64(0x7F7F7F7F7F7F7F7F)
    not_digit = ((low_bits + np.uint64(0x7676767676767676)) | word) & high
    digit = not_digit ^ high
    return word & ~((digit >> np.uint64(7)) * np.uint64(0xFF))
