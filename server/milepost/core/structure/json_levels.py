"""How deep each part of a text lies, told for whole words of 64 bytes at a time from the masks of its brackets.

A bracket costs nothing here: what is kept of 64 bytes of text is the depth where they begin and the lowest they come
to. That is enough to find a container which is longer than a few words, and to leave out whatever lies too deep to matter;
only the words in which such a container begins or ends are looked into bit by bit.

Depths are relative to where the text begins. Words are little-endian, as on every machine for which there are wheels.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from milepost.core.structure.json_bits import Positions, Words, byte_counts
from milepost.core.structure.json_kernel import JsonKernel

Depths = npt.NDArray[np.int32]
#: A depth relative to the start of a word, or part of it.
Steps = npt.NDArray[np.int8]

_Masks = TypeVar("_Masks", npt.NDArray[np.uint8], npt.NDArray[np.uint64])

_EACH_BYTE = np.uint64(0x0101010101010101)


class Levels:
    """The depths of a text, from the bits of its brackets.

    `before` has the depth where each word begins, and at last that where the text ends; `lowest` the least depth in each
    word, its beginning included. `byte_lows` is the same for every 8 bytes, relative to their word's beginning.
    """

    before: Depths
    lowest: Depths
    byte_lows: Steps

    def __init__(self, openers: Words, closers: Words, kernel: JsonKernel | None = None) -> None:
        self.openers = openers
        self.closers = closers
        self._greatest: int | None = None
        if kernel is None:
            self._measure()
        else:
            self.before, self.lowest, self.byte_lows, self._greatest = kernel.measure(openers, closers)

    def _measure(self) -> None:
        openers, closers = self.openers, self.closers
        rises, falls = byte_counts(openers), byte_counts(closers)
        # A product with a one in each byte has in each byte the sum of all up to it.
        risen, fallen = rises.view(np.uint64) * _EACH_BYTE, falls.view(np.uint64) * _EACH_BYTE
        sums = risen.view(np.int8) - fallen.view(np.int8)
        self.before = np.zeros(len(openers) + 1, np.int32)
        np.cumsum(sums[7::8], dtype=np.int32, out=self.before[1:])
        self._rises_of_words = risen.view(np.uint8)[7::8]
        self._rises: Steps = rises.view(np.int8)
        self._falls: Steps = falls.view(np.int8)
        self._starts: Steps = sums - self._rises + self._falls
        # Right where no opener comes before a closer; the few others are looked up.
        self.byte_lows = self._starts - self._falls
        masks, first = openers.view(np.uint8), _lowest_bits(openers.view(np.uint8))
        self._returning = np.flatnonzero((first != 0) & (closers.view(np.uint8) > first))
        self._orders = masks[self._returning] | (
            closers.view(np.uint8)[self._returning].astype(np.uint16) << np.uint16(8)
        )
        self.byte_lows[self._returning] = self._starts[self._returning] + _extremes()[0][self._orders]
        self.lowest = self.before[:-1] + _word_extremes(self.byte_lows, np.minimum)

    @property
    def last(self) -> int:
        """The depth where the text ends."""
        return int(self.before[-1])

    @cached_property
    def least(self) -> int:
        """The least depth anywhere."""
        return int(self.lowest.min()) if len(self.lowest) else 0

    def greatest(self, known: int) -> int:
        """The greatest depth anywhere, or `known` if that is greater."""
        if not len(self.lowest):
            return known
        if self._greatest is not None:
            return max(known, self._greatest)
        bounds = self.before[:-1] + self._rises_of_words
        if int(bounds.max()) <= known:
            return known
        # Where all closers come before all openers, a word does not rise above its two ends.
        falls_first = self.closers < _lowest_bits(self.openers)
        bounds[falls_first] = np.maximum(self.before[:-1], self.before[1:])[falls_first]
        if int(bounds.max()) <= known:
            return known
        first = _lowest_bits(self.closers.view(np.uint8))
        # Closers that come first have to be made up for before anything rises.
        is_returning = (first != 0) & (self.openers.view(np.uint8) > first)
        made_up = np.minimum(self._rises, self._falls) & np.negative(is_returning.view(np.int8))
        highs: Steps = self._starts + self._rises - made_up
        highs[self._returning] = self._starts[self._returning] + _extremes()[1][self._orders]
        return max(known, int((self.before[:-1] + _word_extremes(highs, np.maximum)).max()))

    def depths_at(self, positions: Positions) -> Depths:
        """How deep the bytes at `positions` lie."""
        words = positions >> 6
        below = (np.uint64(1) << (positions & 63).astype(np.uint64)) - np.uint64(1)
        rises = byte_counts_of_words(self.openers[words] & below)
        falls = byte_counts_of_words(self.closers[words] & below)
        found: Depths = self.before[words] + rises - falls
        return found

    def reach(self, words: Positions, depths: Depths) -> Words:
        """All bits of every 8 bytes of `words` in which the text comes as low as the depth that is given for their word."""
        wanted = (depths - self.before[words]).clip(-128, 127).astype(np.int8).view(np.uint8)
        lows = self.byte_lows.view(np.uint64)[words].view(np.int8)
        is_low = lows <= (wanted.astype(np.uint64) * _EACH_BYTE).view(np.int8)
        return np.negative(is_low.view(np.uint8)).view(np.uint64)

    # --- brackets ---------------------------------------------------------------------------------------------------

    def unmatched_closers(self) -> Positions:
        """Where what was open before the text is closed, in order."""
        levels = np.arange(-1, self.least - 1, -1)
        if len(levels) <= _FEW_LEVELS:
            words = np.array([(self.lowest <= level).argmax() for level in levels.tolist()], np.int64)
        else:
            words = np.searchsorted(-np.minimum.accumulate(self.lowest), -levels)
        return self._falls_below(words, levels + 1)

    def unmatched_openers(self) -> Positions:
        """Where what is still open at the end of the text was opened, in order."""
        levels, backwards = np.arange(min(0, self.least), self.last), self.lowest[::-1]
        if len(levels) <= _FEW_LEVELS:
            behind = np.array([(backwards <= level).argmax() for level in levels.tolist()], np.int64)
            words = len(backwards) - 1 - behind
        else:
            words = np.searchsorted(np.minimum.accumulate(backwards)[::-1], levels, side="right") - 1
        return self._rises_to(words, levels + 1)

    def pairs(self, first_level: int, least_bytes: list[int]) -> tuple[Positions, Positions, Positions]:
        """Openers, closers and levels of the containers that are large: from `least_bytes[i]` bytes on, where their inside
        lies at `first_level` + i. The sizes must be `LEAST_PAIR_BYTES` or more, and rise.
        """
        none = np.zeros(0, np.int64)
        found: list[tuple[Positions, ...]] = [(none, none, none)]
        before, after = np.full(1, -1), np.full(1, len(self.lowest))
        for level, size in enumerate(least_bytes, first_level):
            shallow = np.concatenate((before, np.flatnonzero(self.lowest < level), after))
            far = np.flatnonzero(shallow[1:] - shallow[:-1] >= size // 64 - 1)
            if not len(far):
                break  # deeper ones are no longer, and have to be larger
            far = far[(shallow[far] >= 0) & (shallow[far + 1] < len(self.lowest))]
            levels = np.full(len(far), level)
            openers = self._rises_to(shallow[far], levels)
            closers = self._falls_below(shallow[far + 1], levels)
            large = closers - openers >= size - 1
            found.append((openers[large], closers[large], levels[large]))
        openers, closers, levels = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return openers, closers, levels

    def _falls_below(self, words: Positions, levels: Positions) -> Positions:
        """The first closer in each of `words` that leads out of its level."""
        found = words << 6
        for rows in _few(len(words)):
            found[rows] += self._is_below(words[rows], levels[rows]).argmax(axis=1)
        return found

    def _rises_to(self, words: Positions, levels: Positions) -> Positions:
        """The last opener in each of `words` that leads to its level, where the word ends at that level or deeper."""
        found = words << 6
        for rows in _few(len(words)):
            below = self._is_below(words[rows], levels[rows])
            found[rows] += np.where(below.any(axis=1), 64 - below[:, ::-1].argmax(axis=1), 0)
        return found

    def _is_below(self, words: Positions, levels: Positions) -> npt.NDArray[np.bool_]:
        """Whether the text after each of the 64 bytes of each of `words` lies less deep than the level for that word."""
        steps = _bits(self.openers[words]).view(np.int8) - _bits(self.closers[words]).view(np.int8)
        depths = np.cumsum(steps, axis=1, dtype=np.int8)
        found: npt.NDArray[np.bool_] = depths < (levels - self.before[words])[:, None]
        return found


#: A shorter container may have no word to itself.
LEAST_PAIR_BYTES = 192


#: Up to so many levels are looked for one by one.
_FEW_LEVELS = 8
#: So many words are spread out to bits at one time.
_FEW = 4096


def _few(count: int) -> Iterator[slice]:
    return (slice(start, start + _FEW) for start in range(0, count, _FEW))


def _bits(words: Words) -> npt.NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), bitorder="little").reshape(-1, 64)


def byte_counts_of_words(words: Words) -> npt.NDArray[np.int32]:
    """How many bits of each word are set."""
    found: npt.NDArray[np.int32] = ((byte_counts(words).view(np.uint64) * _EACH_BYTE) >> np.uint64(56)).astype(np.int32)
    return found


def _lowest_bits(masks: _Masks) -> _Masks:
    """The lowest bit that is set in each, zero where none is."""
    found: _Masks = masks & np.negative(masks)
    return found


def _word_extremes(steps: Steps, extreme: np.ufunc) -> Steps:
    """The least (`np.minimum`) or greatest (`np.maximum`) of each eight steps."""
    for shift in (32, 16, 8):
        # What is shifted in at the other end are zeros, and no step that counts.
        steps = extreme(steps, (steps.view(np.uint64) >> np.uint64(shift)).view(np.int8))
    return steps[::8]


@cache
def _extremes() -> tuple[Steps, Steps]:
    """The least and the greatest depth in 8 bytes of text, by the bits of their openers and (times 256) closers."""
    masks = np.arange(1 << 16, dtype=np.uint16)
    depth = np.zeros(1 << 16, np.int8)
    low, high = depth.copy(), depth.copy()
    for bit in range(8):
        depth += (masks >> np.uint16(bit)).astype(np.int8) & 1
        depth -= (masks >> np.uint16(bit + 8)).astype(np.int8) & 1
        np.minimum(low, depth, out=low)
        np.maximum(high, depth, out=high)
    return low, high
