"""What a whole piece of SQL hides, found at once: supposed for all of it, and then proved.

Strings are where the running count of apostrophes is odd, quoted names where that of their marks is, comments where a line
begins with `--`. That holds unless one of them stands in another. So it is supposed, and looked at what contradicts it:
a mark of one kind inside another, a comment that begins inside a string, one that was not reckoned with. Comments are put
right (more of them, or fewer) and all is done again; what is left over is followed from mark to mark (`sqltext.lexer`).

If nothing contradicts, it is what going from left to right would find: up to any place where both find nothing open, the
next mark is the same for both, and so is where it ends.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.tables.bits import (
    Offsets,
    Words,
    after,
    before,
    from_place,
    has,
    holds,
    inside,
    pack,
    sparse_places,
)

Codes = npt.NDArray[np.uint8]

_LF, _CR, _STAR, _DASH, _SLASH, _BACKSLASH = 10, 13, 0x2A, 0x2D, 0x2F, 0x5C
#: So often comments are put right before a piece is given up, and runs of backslashes are followed so far.
_ROUNDS = 6
_SHORT_RUN = 8
_FEW = 64
_ONE = np.uint64(1)
_NONE = np.zeros(0, np.int64)
_END = re.compile(rb"[\r\n]")


class Marks(NamedTuple):
    """The places of what opens or closes text that is hidden; escaped ones are left out.

    `others` are openers that are only to be met inside what is hidden already: comments from `#`, `$tag$`.
    """

    ticks: Words
    doubles: Words | None
    backticks: Words | None
    others: Words | None


class Hidden(NamedTuple):
    """The places that are hidden, and what is open at the end: the mark that opened it, or nothing."""

    places: Words
    open_mark: bytes


class _Comments(NamedTuple):
    """Comments in order, none in another; those that do not end stop at the size of the piece."""

    starts: Offsets
    stops: Offsets


def escapes(codes: Codes, skips_first: bool) -> tuple[Words, bool]:
    """The places that a backslash escapes, and whether it escapes the place behind the piece.

    `skips_first` says that the first place is escaped.
    """
    slashes = pack(codes == _BACKSLASH)
    if skips_first:
        slashes[0] &= ~_ONE
    behind = after(slashes)
    active = slashes & ~behind
    doubled = slashes & behind
    # Of a run of backslashes every second one escapes the next: two by two, and the rest of very long runs at once.
    found = active
    for _ in range(_SHORT_RUN):
        found = after(after(found) & doubled) & doubled
        if not found.any():
            break
        active = active | found
    else:
        active = _active_of_runs(slashes, len(codes))
    escaped = after(active)
    if skips_first:
        escaped[0] |= _ONE
    return escaped, holds(active, len(codes) - 1)


def _active_of_runs(slashes: Words, size: int) -> Words:
    """The first, third, fifth … of each run."""
    places = sparse_places(slashes)
    index = np.arange(len(places))
    begins = np.ones(len(places), np.bool_)
    begins[1:] = np.diff(places) != 1
    firsts = np.maximum.accumulate(np.where(begins, index, 0))
    mask = np.zeros(size, np.bool_)
    mask[places[(index - firsts) % 2 == 0]] = True
    return pack(mask)


def hidden_at_once(data: bytes, codes: Codes, marks: Marks, start: int, was_string: bool) -> Hidden | None:
    """What is hidden from `start` on (all before it is); None where suppositions do not come to rest.

    `was_string` says that the piece begins inside a string.
    """
    size = len(codes)
    openers, supposed = _openers(data, codes, start)
    comments = _with_ends(data, codes, supposed)
    for _ in range(_ROUNDS):
        covered = _covered(comments, size) if len(comments.starts) else None
        ticks = _without(marks.ticks, covered)
        hidden = inside(ticks, was_string)
        open_mark = b"'" if holds(hidden, size - 1) else b""
        quoted = ticks
        for quotes, mark in ((marks.doubles, b'"'), (marks.backticks, b"`")):
            if quotes is not None:
                quotes = _without(quotes & ~hidden, covered)
                if not quotes.any():
                    continue
                names = inside(quotes, False)
                if (quoted & names).any():
                    return None
                quoted = quoted | quotes
                hidden |= names
                open_mark = mark if holds(names, size - 1) else open_mark
        if marks.others is not None and _without(marks.others & ~hidden, covered).any():
            return None
        missed = sparse_places(_without(openers & ~hidden, covered))
        false = has(hidden, comments.starts)
        if not len(missed) and not false.any():
            if covered is not None:
                hidden |= covered
                if int(comments.stops[-1]) == size:
                    place = int(comments.starts[-1])
                    open_mark = open_mark or data[place : place + 2]
            return Hidden(_before_start(hidden, start), open_mark)
        kept = comments.starts[~false]
        comments = _with_ends(data, codes, np.sort(np.concatenate((kept, missed))))
    return None


def _openers(data: bytes, codes: Codes, start: int) -> tuple[Words, Offsets]:
    """Where comments may begin, from `start` on, and where they are supposed to: at the beginnings of lines."""
    dashes = pack(codes == _DASH)
    openers = dashes & before(dashes)
    supposed = _NONE
    if openers.any():
        openers &= ~after(dashes)
        supposed = sparse_places(from_place(openers & after(_line_ends(data, codes)), start))
    if data.find(_STAR, start) >= 0:
        openers |= pack(codes == _SLASH) & before(pack(codes == _STAR))
    return from_place(openers, start), supposed


def _line_ends(data: bytes, codes: Codes) -> Words:
    ends = pack(codes == _LF)
    return ends | pack(codes == _CR) if data.find(_CR) >= 0 else ends


def _without(words: Words, covered: Words | None) -> Words:
    return words if covered is None else words & ~covered


def _before_start(hidden: Words, start: int) -> Words:
    """The set with all places before `start`."""
    if start:
        hidden[: start >> 6] = ~np.uint64(0)
        hidden[start >> 6] |= (_ONE << np.uint64(start & 63)) - _ONE
    return hidden


def _with_ends(data: bytes, codes: Codes, starts: Offsets) -> _Comments:
    """Comments from where each begins to where it ends, without those that begin in another."""
    if not len(starts):
        return _Comments(starts, starts)
    size = len(data)
    if len(starts) < _FEW:
        found = [_END.search(data, start) for start in starts.tolist()]
        stops = np.array([match.start() if match else size for match in found], np.int64)
    else:
        ends = np.append(sparse_places(_line_ends(data, codes)), size)
        stops = ends[np.searchsorted(ends, starts)]
    for index in np.flatnonzero(codes[starts] == _SLASH).tolist():
        place = data.find(b"*/", int(starts[index]) + 2)
        stops[index] = place + 2 if place >= 0 else size
    if (starts[1:] < stops[:-1]).any():
        kept, reached = [], 0
        for index, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            if start >= reached:
                kept.append(index)
                reached = stop
        starts, stops = starts[kept], stops[kept]
    return _Comments(starts, stops)


def _covered(comments: _Comments, size: int) -> Words:
    """The places of comments."""
    edges = np.zeros(size + 1, np.bool_)
    edges[comments.starts] = True
    edges[comments.stops] ^= True
    return inside(pack(edges[:size]), False)
