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
    bit_counts,
    character_end,
    pack,
    pairs_by_depth,
    prefix_xor,
    quote_bits,
    set_bits,
)

COMMA, COLON = 0x2C, 0x3A
OPEN_SQUARE, CLOSE_SQUARE, OPEN_BRACE, CLOSE_BRACE = 0x5B, 0x5D, 0x7B, 0x7D
WHITESPACE = b" \t\n\r"

#: Rounds of taking out innermost brackets before pairs are found by sorting instead (which any nesting suits).
_PEELING_ROUNDS = 8

#: Up to this many unmatched brackets are looked for one by one.
_LISTED_LEVELS = 32
#: How much of a stretch may be left to the next one for the sake of a better place to cut.
_SHALLOW_BYTES = 96 << 10

_SCALAR_BYTES = bytes(set(range(256)) - set(b' \t\n\r{}[],:"'))
_STRING_OR_COMMA = re.compile(rb'"(?:[^"\\]|\\.)*"|(,)', re.DOTALL)
_HIGH_SURROGATE_AT_END = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")


class Stretch:
    """The structure of `data`, which begins outside of a string unless `in_string`, and never inside an escape."""

    def __init__(self, data: bytes, in_string: bool) -> None:
        self.data = data
        self.array: npt.NDArray[np.uint8] = np.frombuffer(data, np.uint8)
        self.quotes = quote_bits(data, self.array)
        self.strings = prefix_xor(self.quotes, in_string)
        self.begins_in_string = in_string
        last = len(data) - 1
        self.ends_in_string = in_string if last < 0 else bool((int(self.strings[last >> 6]) >> (last & 63)) & 1)
        self.positions = set_bits(pack(self.array & 0xD9 == 0x59) & ~self.strings, len(data))
        self._keep_brackets()

    def _keep_brackets(self) -> None:
        """Drop what the mask takes for brackets and is none: `Y`, `y`, `_` and DEL, which valid JSON has in strings only."""
        types = self.types
        others = np.flatnonzero(((types >> 1) ^ (types >> 2)) & 1 == 0)
        if len(others):
            self.positions = np.delete(self.positions, others)
            self.__dict__.pop("types")

    def cut(self, end: int) -> None:
        """Forget the brackets from `end` on."""
        kept = int(self.positions.searchsorted(end))
        if kept == len(self.positions):
            return
        self.positions = self.positions[:kept]
        self.__dict__.pop("unmatched", None)
        for name in ("opens", "depths", "types"):
            if name in self.__dict__:
                self.__dict__[name] = self.__dict__[name][:kept]

    @cached_property
    def types(self) -> npt.NDArray[np.uint8]:
        """The bracket at each of `positions`."""
        found: npt.NDArray[np.uint8] = self.array[self.positions]
        return found

    @cached_property
    def opens(self) -> npt.NDArray[np.bool_]:
        """Whether each of `positions` opens."""
        found: npt.NDArray[np.bool_] = (self.types & 0x06) == 0x02
        return found

    @cached_property
    def depths(self) -> npt.NDArray[np.int32]:
        """How deep the text lies after each of `positions`."""
        steps = self.opens.view(np.int8) * np.int8(2) - np.int8(1)
        return np.cumsum(steps, dtype=np.int32)

    def is_in_string(self, positions: Positions) -> npt.NDArray[np.bool_]:
        """Whether the bytes at `positions` lie inside strings (an opening quote does, a closing one does not)."""
        words = self.strings[positions >> 6]
        found: npt.NDArray[np.bool_] = ((words >> (positions & 63).astype(np.uint64)) & np.uint64(1)).astype(bool)
        return found

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

    @cached_property
    def _quotes_before_word(self) -> npt.NDArray[np.int64]:
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(bit_counts(self.quotes))))

    def quotes_before(self, positions: Positions) -> Positions:
        """How many unescaped quotes lie before each of `positions`."""
        word = positions >> 6
        below = (np.uint64(1) << (positions & 63).astype(np.uint64)) - np.uint64(1)
        head = np.append(self.quotes, np.uint64(0))[word] & below
        found: Positions = self._quotes_before_word[word] + bit_counts(head)
        return found

    # --- brackets ---------------------------------------------------------------------------------------------------

    @cached_property
    def unmatched(self) -> tuple[Positions, Positions]:
        """Indexes into `positions`: closers of what was open before the stretch, and openers still open at its end."""
        depths = self.depths
        if not len(depths):
            none = np.zeros(0, np.int64)
            return none, none
        lowest, last = min(0, int(depths.min())), int(depths[-1])
        if last - 2 * lowest > _LISTED_LEVELS:
            return self._unmatched_deep()
        # A closer of that kind is the first to reach its depth; such an opener follows the last place of the depth above.
        closers = [int((depths == depth).argmax()) for depth in range(-1, lowest - 1, -1)]
        openers = [
            len(depths) - int((depths[::-1] == depth).argmax()) if depth < 0 or (depths == depth).any() else 0
            for depth in range(lowest, last)
        ]
        return np.array(closers, np.int64), np.array(openers, np.int64)

    def _unmatched_deep(self) -> tuple[Positions, Positions]:
        """The same for any number of levels."""
        depths = self.depths
        lowest = np.minimum(np.minimum.accumulate(depths), 0)
        before = np.concatenate((np.zeros(1, np.int32), lowest[:-1]))
        lowest_after = np.minimum.accumulate(depths[::-1])[::-1]
        return np.flatnonzero(lowest < before), np.flatnonzero(self.opens & (depths <= lowest_after))

    def large_pairs(self, min_bytes: int, max_depth: int) -> tuple[Positions, Positions]:
        """Indexes into `positions` of openers and closers of the pairs that span `min_bytes` or more, in no order.

        Only pairs whose inside lies at most `max_depth` deep are looked for.
        """
        at = np.flatnonzero(self.depths - self.opens < max_depth)
        places, opens = self.positions[at], self.opens[at]
        for _ in range(_PEELING_ROUNDS):
            if min_bytes <= 2 or len(places) < 64:
                break
            small = opens[:-1] & ~opens[1:]
            small &= (places[1:] - places[:-1]) < min_bytes - 1
            if not small.any():
                break
            keep = np.ones(len(places), bool)
            keep[:-1] &= ~small
            keep[1:] &= ~small
            at, places, opens = at[keep], places[keep], opens[keep]
        openers, closers = pairs_by_depth(self.depths[at], opens)
        large = places[closers] - places[openers] >= min_bytes - 1
        return at[openers[large]], at[closers[large]]

    # --- separators -------------------------------------------------------------------------------------------------

    def separators(self, start: int, end: int, depth: int, of_object: bool) -> Positions:
        """The commas in [start, end) that lie at `depth`: those between the members of a container, none inside them.

        The range begins and ends at that depth, and outside of strings (except at the ends of the stretch).
        """
        low, high = self.positions.searchsorted((start, end)).tolist()
        if low == high:
            return self._commas(start, end)
        depths, opens, places = self.depths[low:high], self.opens[low:high], self.positions[low:high]
        openers = places[opens & (depths == depth + 1)]
        closers = places[~opens & (depths == depth)]
        if len(openers) == len(closers) and len(openers) >= 8:
            between = self._between_containers(openers, closers, of_object)
            if between is not None:
                head, tail = self._commas(start, int(openers[0])), self._commas(int(closers[-1]) + 1, end)
                return np.concatenate((head, between, tail))
        starts = np.concatenate((np.array([start]), closers + 1))
        ends = np.concatenate((openers, np.array([end])))
        if len(starts) < 16 and int((ends - starts).sum()) < 2000 and (start or not self.begins_in_string):
            return self._commas_in_small(starts.tolist(), ends.tolist())
        return self._commas_in(starts, ends)

    def _commas_in_small(self, starts: list[int], ends: list[int]) -> Positions:
        """The same as `_commas_in`, quicker where there is little text."""
        found = [
            match.start()
            for start, end in zip(starts, ends, strict=True)
            for match in _STRING_OR_COMMA.finditer(self.data, start, end)
            if match.lastindex
        ]
        return np.array(found, np.int64)

    def _commas_in(self, starts: Positions, ends: Positions) -> Positions:
        """The commas outside of strings in several ranges, which are in order."""
        lengths = ends - starts
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
        found: Positions = places[self.array[places] == COMMA]
        return found[~self.is_in_string(found)] if len(found) else found

    def _commas(self, start: int, end: int) -> Positions:
        found = np.flatnonzero(self.array[start:end] == COMMA) + start
        return found[~self.is_in_string(found)] if len(found) else found

    def _between_containers(self, openers: Positions, closers: Positions, of_object: bool) -> Positions | None:
        """The commas between neighbouring containers, when it is certain that nothing else lies between them."""
        commas, following = closers[:-1] + 1, openers[1:]
        if not (self.array[commas] == COMMA).all():
            return None
        if of_object:
            # One key, and so one member: a scalar member in between would bring a key of its own.
            keys = self.quotes_before(following) - self.quotes_before(commas)
            return commas if bool((keys == 2).all()) else None
        gaps = following - commas
        width = int(gaps[0])
        if width > 64 or not (gaps == width).all():
            return None
        if self.data[int(commas[0]) + 1 : int(following[0])].strip(WHITESPACE):
            return None
        for offset in range(1, width):
            column = self.array[commas + offset]
            if not (column == column[0]).all():
                return None
        return commas

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
        window = min(_SHALLOW_BYTES, len(self.data) // 4)
        low, high = self.positions.searchsorted((end - window, end)).tolist()
        depths = self.depths[low:high]
        if not len(depths) or int(depths.min()) >= int(depths[-1]) - 1:
            return end
        last = high - 1 - int((depths[::-1] == depths.min()).argmax())
        return int(self.positions[last]) + 1

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
