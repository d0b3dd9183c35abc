"""Where the brackets of a stretch of JSON lie, found with a handful of operations on whole arrays.

The method is simdjson's first stage (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019): quotes become
a bit mask, escaped ones are taken out, and the running exclusive or of the mask says which bytes lie inside strings.
Masks are packed one bit to the byte of text, so that all but the comparisons costs next to nothing.

Positions are relative to the stretch. Depths are relative to the nesting where it begins. Nothing here validates: it is
right for valid JSON, and harmless for anything else.
"""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np
import numpy.typing as npt

from milepost.core.structure.json_bits import (
    Positions,
    character_end,
    first_bits,
    pack,
    pairs_by_depth,
    prefix_xor,
    quote_bits,
    set_bits,
)
from milepost.core.structure.json_kernel import MOST_BYTES, JsonKernel
from milepost.core.structure.json_levels import LEAST_PAIR_BYTES, Levels

COMMA, COLON = 0x2C, 0x3A
OPEN_SQUARE, CLOSE_SQUARE, OPEN_BRACE, CLOSE_BRACE = 0x5B, 0x5D, 0x7B, 0x7D
WHITESPACE = b" \t\n\r"

#: How much of a stretch may be left to the next one for the sake of a better place to cut.
_SHALLOW_BYTES = 96 << 10

_SCALAR_BYTES = bytes(set(range(256)) - set(b' \t\n\r{}[],:"'))
_HIGH_SURROGATE_AT_END = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


class Stretch:
    """The structure of `data`, which begins outside of a string unless `in_string`, and never inside an escape.

    With a `kernel`, compiled code finds it.
    """

    def __init__(self, data: bytes, in_string: bool, kernel: JsonKernel | None = None) -> None:
        self.data = data
        self.end = len(data)
        self.array: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8)
        self._kernel = kernel if len(data) <= MOST_BYTES else None
        self.begins_in_string = in_string
        if self._kernel is not None:
            self.quotes, self.strings, self.openers, self.closers = self._kernel.mark(self.array, in_string)
        else:
            self._mark(in_string)
        last = len(data) - 1
        self.ends_in_string = in_string if last < 0 else bool((int(self.strings[last >> 6]) >> (last & 63)) & 1)

    def _mark(self, in_string: bool) -> None:
        self.quotes = quote_bits(self.data, self.array)
        self.strings = prefix_xor(self.quotes, in_string)
        outside = ~self.strings
        merged = self.array & 0xDF  # no letter outside of strings, of valid JSON, becomes a bracket by that
        self.openers = pack(merged == OPEN_SQUARE) & outside
        self.closers = pack(merged == CLOSE_SQUARE) & outside

    def cut(self, end: int) -> None:
        """Forget the brackets from `end` on."""
        self.end = end
        self.openers, self.closers = first_bits(self.openers, end), first_bits(self.closers, end)
        for name in ("levels", "unmatched", "positions", "types", "opens", "depths"):
            self.__dict__.pop(name, None)

    @cached_property
    def levels(self) -> Levels:
        """How deep each part lies."""
        return Levels(self.openers, self.closers, self._kernel)

    @cached_property
    def unmatched(self) -> tuple[Positions, Positions]:
        """Where what was open before the stretch is closed, and where what is open at its end was opened."""
        return self.levels.unmatched_closers(), self.levels.unmatched_openers()

    @cached_property
    def positions(self) -> Positions:
        """Where the brackets are. There may be very many: only where the small ones matter."""
        return set_bits(self.openers | self.closers)

    @cached_property
    def opens(self) -> npt.NDArray[np.bool_]:
        """Whether each of `positions` opens."""
        found: npt.NDArray[np.bool_] = (self.array[self.positions] & 0x06) == 0x02
        return found

    @cached_property
    def depths(self) -> npt.NDArray[np.int32]:
        """How deep the text lies after each of `positions`."""
        return np.cumsum(self.opens.view(np.int8) * np.int8(2) - np.int8(1), dtype=np.int32)

    def last_quote_before(self, end: int) -> int:
        """The last quote before `end` that begins or ends a string; -1 when there is none."""
        word = end >> 6
        if word < len(self.quotes):
            head = int(self.quotes[word]) & ((1 << (end & 63)) - 1)
            if head:
                return (word << 6) + head.bit_length() - 1
        filled = np.flatnonzero(self.quotes[:word])
        if not len(filled):
            return -1
        last = int(filled[-1])
        return (last << 6) + int(self.quotes[last]).bit_length() - 1

    # --- containers -------------------------------------------------------------------------------------------------

    def large_pairs(self, least_bytes: list[int]) -> tuple[Positions, Positions, Positions]:
        """Openers, closers and levels of the pairs that are large, in no order.

        Those whose inside lies i + 1 levels above the least depth are large from `least_bytes[i]` bytes on (the sizes rise);
        none are where that list does not reach.
        """
        first = self.levels.least + 1
        if min(least_bytes, default=0) < LEAST_PAIR_BYTES:
            return self._pairs_one_by_one(first, np.array(least_bytes, np.int64))
        return self.levels.pairs(first, least_bytes)

    def _pairs_one_by_one(self, first: int, least_bytes: Positions) -> tuple[Positions, Positions, Positions]:
        if not len(least_bytes):
            none = np.zeros(0, np.int64)
            return none, none, none
        at = np.flatnonzero(self.depths - self.opens < first + len(least_bytes) - 1)
        openers, closers = pairs_by_depth(self.depths[at], self.opens[at])
        places = self.positions[at]
        levels = self.depths[at[openers]].astype(np.int64)
        openers, closers = places[openers], places[closers]
        large = closers - openers >= least_bytes[levels - first] - 1
        return openers[large], closers[large], levels[large]

    # --- separators -------------------------------------------------------------------------------------------------

    def separators(self, edges: Positions, depths: npt.NDArray[np.int32]) -> Positions:
        """The commas between members: those that lie exactly as deep as the part of the text they are in is said to lie.

        The parts lie before, between and after `edges`, which are brackets in order; each has its entry in `depths`.
        """
        levels, size = self.levels, len(self.openers)
        commas = pack(self.array[: self.end] == COMMA) & ~self.strings[:size]
        edge_words = edges >> 6
        firsts = np.concatenate((np.zeros(1, np.int64), edge_words + 1, np.array([size])))
        asked = np.repeat(depths, firsts[1:] - firsts[:-1])
        has_edge = np.zeros(size, bool)
        has_edge[edge_words] = True  # such a word belongs to two parts: each of its commas has to be looked at
        words = np.flatnonzero((levels.lowest <= asked) | has_edge)
        held = commas[words] & (
            levels.reach(words, asked[words]) | np.where(has_edge[words], ~np.uint64(0), np.uint64(0))
        )
        places = set_bits(held)
        places = (words[places >> 6] << 6) + (places & 63)
        depth = asked[places >> 6]
        near = np.flatnonzero(has_edge[places >> 6])
        depth[near] = depths[edges.searchsorted(places[near])]
        found: Positions = places[levels.depths_at(places) == depth]
        return found

    def skip_space(self, start: int, end: int) -> int:
        """The first byte from `start` on that is not white space; `end` when there is none."""
        data = self.data
        while start < end:
            if data[start] > 0x20:
                return start
            window = data[start : min(end, start + 4096)]
            rest = len(window.lstrip(WHITESPACE))
            if rest:
                return start + len(window) - rest
            start += len(window)
        return end

    def last_significant(self, end: int) -> int:
        """The last byte before `end` that is not white space; -1 when there is none."""
        while end > 0:
            if self.data[end - 1] > 0x20:
                return end - 1
            window = self.data[max(0, end - 4096) : end]
            rest = len(window.rstrip(WHITESPACE))
            if rest:
                return end - len(window) + rest - 1
            end -= len(window)
        return -1

    def shallow_end(self, end: int) -> int:
        """A place to cut before `end`, but close to it, where as few containers as possible are left open.

        What is open at a cut has to be followed on suspicion that it will be large; this leaves little to follow.
        """
        first = max(0, end - min(_SHALLOW_BYTES, len(self.data) // 4)) >> 6
        window = first_bits(self.openers | self.closers, end)[first:]
        places = set_bits(window) + (first << 6)
        if not len(places):
            return end
        opens = (self.array[places] & 0x06) == 0x02
        depths = np.cumsum(opens.view(np.int8) * np.int8(2) - np.int8(1), dtype=np.int32)
        least = int(depths.min())
        if least >= int(depths[-1]) - 1:
            return end
        return int(places[len(depths) - 1 - int((depths[::-1] == least).argmax())]) + 1

    def safe_end(self) -> int:
        """Where the stretch can be cut so that no number, word, escape or character is split."""
        data, end = self.data, len(self.data)
        if not self.ends_in_string:
            return len(data.rstrip(_SCALAR_BYTES))
        slash = data.rfind(b"\\", max(0, end - 6))
        if slash >= 0:
            run = slash + 1 - len(data[: slash + 1].rstrip(b"\\"))
            escape_bytes = 6 if data[slash + 1 : slash + 2] == b"u" else 2
            if run % 2 and end - slash < escape_bytes:
                end = slash
        if _HIGH_SURROGATE_AT_END.search(data, max(0, end - 6), end):
            end -= 6
        return character_end(data, end)
