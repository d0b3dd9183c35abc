"""What of a piece of SQL lies inside strings, quoted names, comments and dollar-quoted bodies: its structure does not count.

Apostrophes are paired by their running count over the whole piece. Whatever else may hide text (`--`, `/*`, `#`, `"`,
backticks, `$tag$`) is looked at where it opens outside a string; its end is looked for directly. Quoted names that hold
nothing of interest, of which a dump may have several in every row, are taken in pairs without being looked at.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from milepost.core.sqltext.at_once import Marks, escapes, hidden_at_once
from milepost.core.tables.bits import (
    Offsets,
    Ranks,
    Words,
    after,
    as_mask,
    before,
    from_place,
    has,
    holds,
    inside,
    pack,
    pack_places,
    sparse_places,
)

Codes = npt.NDArray[np.uint8]

#: So many of a byte are looked for one by one.
_FEW = 64

_TICK, _DOUBLE, _BACKTICK, _BACKSLASH, _HASH, _DOLLAR = 0x27, 0x22, 0x60, 0x5C, 0x23, 0x24
_DOLLAR_TAG = re.compile(rb"(?<![A-Za-z0-9_\x80-\xff])\$(?:[A-Za-z_\x80-\xff][A-Za-z_0-9\x80-\xff]*)?\$")
_LINE_END = re.compile(rb"[\r\n]")
_ESCAPED_TEXT = re.compile(rb"(?:[^'\\]|\\.|'')*", re.DOTALL)
_WORD_BEFORE = re.compile(rb"[A-Za-z0-9_$\x80-\xff]")


class Inside(Enum):
    """What a text is inside of where it is cut."""

    NOTHING = "nothing"
    STRING = "a string"
    NAME = "a quoted name"
    BACKTICK = "a name in backticks"
    LINE_COMMENT = "a comment to the end of the line"
    COMMENT = "a comment"
    DOLLAR = "a dollar-quoted body"


_STATES = {
    b"": Inside.NOTHING, b"'": Inside.STRING, b'"': Inside.NAME, b"`": Inside.BACKTICK, b"--": Inside.LINE_COMMENT,
    b"/*": Inside.COMMENT,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rules:
    """What a dialect lets hide text: backslashes that escape in strings, comments from `#`, bodies in dollar signs."""

    backslashes: bool = False
    hashes: bool = False
    dollars: bool = True


class Lexer:
    """Goes through pieces of SQL in order; `state` is what the next one begins inside of."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.state = Inside.NOTHING
        self.tag = b""
        self._skips_first = False

    def hidden(self, data: bytes, codes: Codes) -> Words:
        """The places of `data` (which is not empty) that are hidden."""
        was_string = self.state is Inside.STRING
        start = 0 if was_string or self.state is Inside.NOTHING else self._end_from(data, 0)
        escaped = self._escaped(data, codes)
        ticks = self._ticks(data, codes, escaped)
        if start < len(data):
            found = hidden_at_once(data, codes, self._marks(data, codes, ticks, escaped, start), start, was_string)
            if found is not None:
                self.state = _STATES[found.open_mark]
                self.tag = found.open_mark if self.state is Inside.COMMENT else b""
                return found.places
        return self._one_by_one(data, codes, ticks, escaped, start, was_string)

    def _one_by_one(
        self,
        data: bytes,
        codes: Codes,
        ticks: Words,
        escaped: Words | None,
        start: int,
        was_string: bool,
    ) -> Words:
        """The hidden places, where each opener outside strings is followed to where it ends."""
        size = len(data)
        firsts, stops = ([0], [start]) if start else ([], [])
        openers, kinds = self._openers(data, codes, escaped, start) if start < size else _nothing()
        names = openers[:0]
        if len(openers):
            counted = Ranks(ticks)
            ranks = counted.at(openers).astype(np.int64)
            # In MySQL what stands in double quotes is a string, which may well hold an apostrophe.
            marks = (_BACKTICK,) if self.rules.backslashes else (_DOUBLE, _BACKTICK)
            paired = _pairs_of_names(ranks, kinds, marks)
            names, openers, ranks = openers[paired], openers[~paired], ranks[~paired]
            self._follow(data, counted, openers, ranks, start, was_string, firsts, stops)
        hidden = _combined(as_mask(ticks, size), firsts, stops, was_string)
        if not stops or stops[-1] < size or self.state is Inside.NOTHING:
            self.state = (
                Inside.STRING if holds(hidden, size - 1) and not (stops and stops[-1] == size) else Inside.NOTHING
            )
        if len(names):
            pairs = np.zeros(size, np.bool_)
            pairs[names] = True
            hidden = hidden | inside(pack(pairs), False)
        return hidden

    # --- what may hide text -----------------------------------------------------------------------------------------

    def _escaped(self, data: bytes, codes: Codes) -> Words | None:
        """The places that a backslash escapes, in dialects where it does so in every string; None for nowhere."""
        skips_first, self._skips_first = self._skips_first, False
        if not self.rules.backslashes or not (skips_first or data.find(_BACKSLASH) >= 0):
            return None
        escaped, self._skips_first = escapes(codes, skips_first)
        return escaped

    def _ticks(self, data: bytes, codes: Codes, escaped: Words | None) -> Words:
        """The apostrophes that no backslash escapes."""
        ticks = pack(codes == _TICK)
        if escaped is not None:
            return ticks & ~escaped
        is_escaping = self.rules.dollars and data.find(_BACKSLASH) >= 0 and data.find(b"\\'") >= 0
        if is_escaping and (data.find(b"E'") >= 0 or data.find(b"e'") >= 0):
            # PostgreSQL's E'…' strings alone have escapes: each is followed from its beginning, since there are few.
            found = []
            place = data.find(b"\\'")
            while place >= 0:
                opened = max(data.rfind(b"E'", 0, place), data.rfind(b"e'", 0, place))
                is_word = opened > 0 and _WORD_BEFORE.match(data, opened - 1) is not None
                if opened >= 0 and not is_word and _ESCAPED_TEXT.fullmatch(data, opened + 2, place):
                    found.append(place + 1)
                place = data.find(b"\\'", place + 1)
            ticks &= ~pack_places(np.array(found, np.int64), len(codes))
        return ticks

    def _marks(self, data: bytes, codes: Codes, ticks: Words, escaped: Words | None, start: int) -> Marks:
        """Where what hides text may open or close, from `start` on."""
        quotes: list[Words | None] = []
        for code in (_DOUBLE, _BACKTICK):
            found = pack(codes == code) if data.find(code, start) >= 0 else None
            if found is not None and code == _DOUBLE and escaped is not None:
                found &= ~escaped
            quotes.append(found if found is None else from_place(found, start))
        others = None
        if self.rules.dollars and data.find(_DOLLAR, start) >= 0:
            others = pack(codes == _DOLLAR)
        if self.rules.hashes and data.find(_HASH, start) >= 0:
            others = pack(codes == _HASH) if others is None else others | pack(codes == _HASH)
        return Marks(
            from_place(ticks, start),
            quotes[0],
            quotes[1],
            others if others is None else from_place(others, start),
        )

    def _openers(self, data: bytes, codes: Codes, escaped: Words | None, start: int) -> tuple[Offsets, Codes]:
        """Where text may begin to be hidden, other than by an apostrophe, and the first byte of each."""
        dashes = pack(codes == 0x2D)
        found: list[Offsets] = [sparse_places(dashes & before(dashes) & ~after(dashes))]
        if data.find(b"*", start) >= 0:
            found.append(sparse_places(pack(codes == 0x2F) & before(pack(codes == 0x2A))))
        if self.rules.dollars and data.find(b"$", start) >= 0:
            found.append(np.array([match.start() for match in _DOLLAR_TAG.finditer(data, start)], np.int64))
        if self.rules.hashes and data.find(b"#", start) >= 0:
            found.append(_line_beginnings(data, codes, _HASH))
        for code in (_DOUBLE, _BACKTICK):
            count = data.count(code)
            if count <= _FEW:
                places = _all_of(data, code)
            else:
                places = sparse_places(pack(codes == code))
            if code == _DOUBLE and escaped is not None:
                places = places[~has(escaped, places)]
            found.append(places)
        openers = np.concatenate(found)
        if sum(len(some) > 0 for some in found) > 1:
            openers = np.sort(openers, kind="stable")
        openers = openers[int(np.searchsorted(openers, start)) :]
        return openers, codes[openers]

    def _follow(
        self,
        data: bytes,
        ticks: Ranks,
        openers: Offsets,
        ranks: Offsets,
        start: int,
        was_string: bool,
        firsts: list[int],
        stops: list[int],
    ) -> None:
        """Follow each opener that is outside strings to where it ends."""
        by_parity = [np.flatnonzero(ranks % 2 == parity).tolist() for parity in (0, 1)]
        places = openers.tolist()
        at, base = start, ticks.one(start) - was_string
        self.state = Inside.NOTHING
        while at < len(data):
            # Outside strings are those that have an even number of apostrophes between `at` and them.
            usable = by_parity[base % 2]
            index = bisect_left(usable, bisect_left(places, at))
            if index >= len(usable):
                break
            place = places[usable[index]]
            self._open(data, place)
            at = self._end_from(data, place + max(1, len(self.tag)))
            firsts.append(place)
            stops.append(at)
            base = ticks.one(at)

    def _open(self, data: bytes, place: int) -> None:
        code = data[place]
        self.tag = b""
        if code == _DOLLAR:
            match = _DOLLAR_TAG.match(data, place)
            self.state, self.tag = Inside.DOLLAR, match.group() if match else b"$$"
        elif code in (_DOUBLE, _BACKTICK):
            self.state = Inside.NAME if code == _DOUBLE else Inside.BACKTICK
        elif code == 0x2F:
            self.state, self.tag = Inside.COMMENT, b"/*"
        else:
            self.state = Inside.LINE_COMMENT

    def _end_from(self, data: bytes, at: int) -> int:
        """Where what is open ends, looking from `at` on; the size of `data`, and it stays open, if it does not."""
        state = self.state
        if state is Inside.LINE_COMMENT:
            match = _LINE_END.search(data, at)
            end = match.start() if match else -1
        elif state is Inside.COMMENT:
            end = data.find(b"*/", at) + 2 if data.find(b"*/", at) >= 0 else -1
        elif state is Inside.DOLLAR:
            found = data.find(self.tag, at)
            end = found + len(self.tag) if found >= 0 else -1
        else:
            mark = b'"' if state is Inside.NAME else b"`"
            found = data.find(mark, at)
            while self.rules.backslashes and found > at and state is Inside.NAME:
                before = data[at:found]
                if (len(before) - len(before.rstrip(b"\\"))) % 2 == 0:
                    break
                found = data.find(mark, found + 1)
            end = found + 1 if found >= 0 else -1
        if end < 0:
            return len(data)
        self.state = Inside.NOTHING
        return end


def _all_of(data: bytes, code: int) -> Offsets:
    """Where a byte stands that is rare."""
    found = []
    place = data.find(code)
    while place >= 0:
        found.append(place)
        place = data.find(code, place + 1)
    return np.array(found, np.int64)


def _line_beginnings(data: bytes, codes: Codes, code: int) -> Offsets:
    """Where a byte is the first on its line that is not blank."""
    places = sparse_places(pack(codes == code))
    earlier = codes[np.maximum(places - 1, 0)]
    places = places[(places == 0) | (earlier == 10) | (earlier == 13) | (earlier == 32) | (earlier == 9)]
    return np.array(
        [place for place in places.tolist() if data[max(0, place - 80) : place].rstrip(b" \t")[-1:] in b"\r\n"],
        np.int64,
    )


def _nothing() -> tuple[Offsets, Codes]:
    return np.zeros(0, np.int64), np.zeros(0, np.uint8)


def _pairs_of_names(ranks: Offsets, kinds: Codes, marks: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Which openers are quoted names with nothing of interest in them: an even number of one kind side by side.

    Side by side is: no apostrophe and no other opener between. Behind a comment's opener the first may belong to it; and
    behind an odd number of the same kind the first may close what was opened earlier, as in `"it's", "that's"`.
    """
    changes = np.ones(len(kinds), np.bool_)
    changes[1:] = (kinds[1:] != kinds[:-1]) | (ranks[1:] != ranks[:-1])
    firsts = np.flatnonzero(changes)
    lengths = np.diff(np.append(firsts, len(kinds)))
    kind = kinds[firsts]
    good = np.isin(kind, marks) & (lengths % 2 == 0)
    before = kinds[np.maximum(firsts - 1, 0)]
    follows_comment = (firsts > 0) & (ranks[np.maximum(firsts - 1, 0)] == ranks[firsts])
    for code in marks:
        earlier = np.cumsum(np.where(kind == code, lengths, 0)) - lengths
        good &= (kind != code) | (earlier % 2 == 0)
    good &= ~(follows_comment & (before != _DOUBLE) & (before != _BACKTICK))
    return np.repeat(good, lengths)


def _combined(ticks: npt.NDArray[np.bool_], firsts: list[int], stops: list[int], was_string: bool) -> Words:
    """Strings and other hidden stretches as one set."""
    size = len(ticks)
    if firsts:
        for first, stop in zip(firsts, stops, strict=True):
            ticks[first:stop] = False
        ticks[firsts] = True
        # One that ends where another begins, or where a string begins, keeps the text hidden.
        ends = np.array(stops)
        ends = ends[ends < size]
        ticks[ends] ^= True
    return inside(pack(ticks), was_string)
