"""The tags of a stretch of XML, found with whole-array operations.

A `<` begins a tag unless it stands in a comment, a CDATA section, a processing instruction or a document type declaration;
those are few and are looked for one by one. A tag ends at the next `>` unless that stands in a quoted value, which the
number of quotes before it tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milepost.core.structure.line_view import table_of

Ints = npt.NDArray[np.int64]
_LT, _GT, _SLASH, _BANG, _QUESTION, _DOUBLE, _SINGLE = 60, 62, 47, 33, 63, 34, 39
_NAME_START = table_of(bytes(range(65, 91)) + bytes(range(97, 123)) + b"_:" + bytes(range(128, 256)))
_NAME_END = table_of(b" \t\r\n/>")
_BLANK = table_of(b" \t\r\n")
#: The first bytes of a name, as one number of eight bytes, masked to its length.
_MASKS = np.array([(1 << (8 * length)) - 1 for length in range(8)] + [(1 << 64) - 1], np.uint64)
_SUBSET = re.compile(rb"<!--.*?-->|<\?.*?\?>|\"[^\"]*\"|'[^']*'|\]\s*>", re.DOTALL)
_OUTSIDE_SUBSET = re.compile(rb"\"[^\"]*\"|'[^']*'|[\[>]")
_ENTITY = re.compile(rb"<!ENTITY\s")


@dataclass(slots=True)
class Counts:
    """What a file holds besides elements."""

    comments: int = 0
    cdata: int = 0
    instructions: int = 0
    entities: int = 0
    doctype: bytes = b""

    def note(self, data: bytes, place: int, end: int) -> None:
        """Count a construct. Entities that a document type declares are counted; none is expanded."""
        head = data[place : place + 9]
        if head.startswith(b"<!--"):
            self.comments += 1
        elif head.startswith(b"<?"):
            self.instructions += 1
        elif head == b"<![CDATA[":
            self.cdata += 1
        elif head.upper() == b"<!DOCTYPE":
            self.doctype = data[place + 9 : min(end, place + 200)].split(b"[")[0].split(b">")[0].strip()
            self.entities += len(_ENTITY.findall(data, place, end))


@dataclass(frozen=True, slots=True)
class Tags:
    """Tags in order: where each begins (`<`), the byte after its `>`, and whether it opens (1), closes (-1) or both (0).

    `used` bytes need not be seen again. `until` ends a construct that is open there (empty: none). `fault` is where the
    first thing stands that no XML has, with what it is.
    """

    data: bytes
    array: npt.NDArray[np.uint8]
    begins: Ints
    stops: Ints
    kinds: npt.NDArray[np.int8]
    used: int
    until: bytes
    fault: tuple[int, str] | None
    #: The eight bytes from each place on, as one number.
    words: npt.NDArray[np.uint64]
    #: The byte after each `<`.
    heads: npt.NDArray[np.uint8]


def read_tags(data: bytes, until: bytes, counts: Counts, *, final: bool) -> Tags:
    """The tags of `data`, which begins inside a construct that `until` ends, or between tags."""
    array = np.frombuffer(data, np.uint8)
    size = len(data)
    start = 0
    if until:
        found = data.find(until)
        if found < 0:
            used = size if final else max(0, size - len(until) + 1)
            return _none(data, array, used, until)
        start = found + len(until)
    begins = np.flatnonzero(array == _LT)
    begins = begins[np.searchsorted(begins, start) :]
    following = array[np.minimum(begins + 1, size - 1)]
    specials = begins[(following == _BANG) | (following == _QUESTION)].tolist()
    low, high, cut, open_until = _constructs(data, specials, start, final=final)
    kept = _outside(begins, low, high, cut)
    if kept is not None:
        begins, following = begins[kept], following[kept]
    used = size if not open_until else max(cut, size - len(open_until) + 1)
    if cut < size and not open_until:
        used = cut
    if len(begins) and begins[-1] == size - 1 and not final:
        used = min(used, size - 1)
        begins, following = begins[:-1], following[:-1]
    tags = _finish(data, array, begins, following, used, open_until, (low, high, start))
    for place, end in zip(low, high, strict=True):
        if place < tags.used:
            counts.note(data, place, end)
    if tags.until:
        counts.note(data, cut, size)
    return tags


def _outside(places: Ints, low: list[int], high: list[int], cut: int) -> npt.NDArray[np.bool_] | None:
    """Which places lie before `cut` and in none of the stretches; None for all of them."""
    if not len(places) or (not low and cut > places[-1]):
        return None
    kept = np.ones(len(places), np.bool_)
    kept[np.searchsorted(places, cut) :] = False
    bounds = np.searchsorted(places, [*low, *high]).tolist()
    for first, last in zip(bounds[: len(low)], bounds[len(low) :], strict=True):
        if first < last:
            kept[first:last] = False
    return kept


def _none(data: bytes, array: npt.NDArray[np.uint8], used: int, until: bytes) -> Tags:
    empty = np.zeros(0, np.int64)
    return Tags(data, array, empty, empty, np.zeros(0, np.int8), used, until, None, np.zeros(0, np.uint64), array[:0])


def _constructs(
    data: bytes, specials: list[int], start: int, *, final: bool
) -> tuple[list[int], list[int], int, bytes]:
    """Comments and the like: where they begin and end; where what is not complete begins, and what would end it."""
    low: list[int] = []
    high: list[int] = []
    position = start
    for place in specials:
        if place < position:
            continue
        head = data[place : place + 9]
        if head.startswith(b"<!--"):
            end, until = data.find(b"-->", place + 4), b"-->"
        elif head == b"<![CDATA[":
            end, until = data.find(b"]]>", place + 9), b"]]>"
        elif head.startswith(b"<?"):
            end, until = data.find(b"?>", place + 2), b"?>"
        elif len(head) < 9 and b"<![CDATA[".startswith(head) and not final:
            return low, high, place, b""
        else:
            end, until = _declaration_end(data, place), b""
        if end < 0:
            if not until and final:
                end = len(data)
            else:
                return low, high, place, until
        low.append(place)
        position = end + len(until)
        high.append(position)
    return low, high, len(data), b""


def _declaration_end(data: bytes, place: int) -> int:
    """The byte after `<!…>`, the internal subset of a DOCTYPE included; -1 where that is not in `data`."""
    position = place + 2
    while True:
        match = _OUTSIDE_SUBSET.search(data, position)
        if match is None:
            return -1
        position = match.end()
        if match[0] == b">":
            return position
        if match[0] == b"[":
            while True:
                token = _SUBSET.search(data, position)
                if token is None:
                    return -1
                position = token.end()
                if token[0][:1] == b"]":
                    return position


def _finish(
    data: bytes,
    array: npt.NDArray[np.uint8],
    begins: Ints,
    following: npt.NDArray[np.uint8],
    used: int,
    until: bytes,
    constructs: tuple[list[int], list[int], int],
) -> Tags:
    ends = np.flatnonzero(array == _GT)
    low, high, start = constructs
    ends = ends[np.searchsorted(ends, start) :] if start else ends
    kept = _outside(ends, low, high, len(data))
    own = ends if kept is None else ends[kept]
    own = own[: len(begins)]
    # As a rule each tag has a `>` of its own, and none stands in a value.
    is_plain = len(own) > 0 and _take_turns(begins, own)
    if is_plain and len(own) + 1 == len(begins):
        used, until = int(begins[-1]), b""
        begins, following = begins[:-1], following[:-1]
    is_plain = is_plain and len(own) == len(begins)
    if is_plain:
        stops = own
    else:
        which = np.searchsorted(ends, begins)
        if len(which) and which[-1] == len(ends):
            complete = int(np.searchsorted(which, len(ends)))
            used, until = int(begins[complete]), b""
            begins, following, which = begins[:complete], following[:complete], which[:complete]
        stops = ends[which] if len(which) else begins
    is_close = following == _SLASH
    is_open = _NAME_START[following]
    fault: tuple[int, str] | None = None
    # Quotes before the `>` of tags that are long enough to hold any.
    long = begins[:0] if is_plain else np.flatnonzero(is_open & (stops - begins > 5))
    if len(long):
        doubles = _count_between(np.flatnonzero(array == _DOUBLE), begins[long], stops[long])
        singles = _count_between(np.flatnonzero(array == _SINGLE), begins[long], stops[long])
        odd = long[((doubles | singles) & 1 == 1) | ((doubles > 0) & (singles > 0))]
        stops = stops.copy() if len(odd) else stops
        for index in odd.tolist():
            stop = _tag_end(data, int(begins[index]))
            if stop < 0:
                used, until = int(begins[index]), b""
                begins, stops, is_close, is_open = begins[:index], stops[:index], is_close[:index], is_open[:index]
                break
            stops[index] = stop
    stray = np.flatnonzero(~(is_close | is_open))
    if len(stray):
        fault = (int(begins[stray[0]]), "a < that begins no tag")
    overlap = np.flatnonzero(begins[1:] < stops[:-1])
    if len(overlap) and (fault is None or begins[overlap[0]] < fault[0]):
        fault = (int(begins[overlap[0]]), "a tag without its >, or with a < inside")
    if fault is not None:
        last = int(np.searchsorted(begins, fault[0]))
        begins, stops, is_close = begins[:last], stops[:last], is_close[:last]
    words = np.ndarray((len(data) + 8,), np.dtype("<u8"), data + bytes(16), 0, (1,))
    kinds = np.where(is_close, -1, np.where(array[stops - 1] == _SLASH, 0, 1)).astype(np.int8)
    return Tags(data, array, begins, stops + 1, kinds, used, until, fault, words, following[: len(begins)])


def _take_turns(begins: Ints, ends: Ints) -> bool:
    """Whether each end comes after its beginning and before the next one."""
    following = begins[1 : len(ends) + 1]
    return bool((ends > begins[: len(ends)]).all() and (ends[: len(following)] < following).all())


def _count_between(places: Ints, low: Ints, high: Ints) -> Ints:
    return np.searchsorted(places, high) - np.searchsorted(places, low)


def _tag_end(data: bytes, begin: int) -> int:
    """Where the `>` of a tag stands, not counting those in quoted values; -1 where it is not in `data`."""
    position = begin + 1
    while True:
        end = data.find(b">", position)
        if end < 0:
            return -1
        quotes = [(place, mark) for mark in (b'"', b"'") if (place := data.find(mark, position, end)) >= 0]
        if not quotes:
            return end
        place, mark = min(quotes)
        position = data.find(mark, place + 1) + 1
        if not position:
            return -1


def names_differ(tags: Tags, opens: Ints, closes: Ints) -> npt.NDArray[np.bool_]:
    """For pairs of opening and closing tags, whether their names differ (beyond 16 bytes only in length)."""
    open_at, close_at = tags.begins[opens] + 1, tags.begins[closes] + 2
    open_words, close_words = tags.words[open_at], tags.words[close_at]
    length = np.maximum(tags.stops[closes] - 1 - close_at, 0)
    is_long = length > 7
    # Up to seven bytes, the byte after a name is in its word too.
    short = np.where(is_long, 7, length)
    _without_blanks(tags, close_at, length, _byte_of(close_words, np.maximum(short - 1, 0)), is_long)
    differ: npt.NDArray[np.bool_] = (open_words ^ close_words) & _MASKS[np.minimum(length, 8)] != 0
    differ |= ~_NAME_END[_byte_of(open_words, np.minimum(length, 7))] & ~is_long
    long = np.flatnonzero(is_long)
    if len(long):
        differ[long] |= ~_NAME_END[tags.array[np.minimum(open_at[long] + length[long], len(tags.data) - 1)]]
    tail = np.flatnonzero(length > 8)
    if len(tail):
        back = length[tail] - 8
        differ[tail] |= tags.words[open_at[tail] + back] != tags.words[close_at[tail] + back]
    return differ


def _byte_of(words: npt.NDArray[np.uint64], index: Ints) -> npt.NDArray[np.uint8]:
    """One byte of each word, by its index."""
    found: npt.NDArray[np.uint8] = (words >> (index << 3).astype(np.uint64)).astype(np.uint8)
    return found


def _without_blanks(
    tags: Tags, at: Ints, length: Ints, last: npt.NDArray[np.uint8], is_long: npt.NDArray[np.bool_]
) -> None:
    """Shorten the names that have blanks before their `>`: `last` is the last byte of each that is not long."""
    long = np.flatnonzero(is_long)
    if len(long):
        last[long] = tags.array[at[long] + length[long] - 1]
    for index in np.flatnonzero(_BLANK[last]).tolist():
        begin = int(at[index])
        name = tags.data[begin : begin + int(length[index])].rstrip(b" \t\r\n")
        length[index] = len(name)
        is_long[index] = len(name) > 7


def first_words(tags: Tags, indexes: Ints) -> npt.NDArray[np.uint64]:
    """The eight bytes from the name on of each tag."""
    found: npt.NDArray[np.uint64] = tags.words[tags.begins[indexes] + 1]
    return found


def have_name(tags: Tags, indexes: Ints, name: bytes) -> bool:
    """Whether all of these tags, the first of which does, have this name."""
    places = tags.begins[indexes] + 1
    if len(name) < 8:
        # As a rule the byte after the name is the same, too.
        words = tags.words[places]
        if not bool(((words ^ words[0]) & _MASKS[len(name) + 1]).any()):
            return True
    if not bool(_NAME_END[tags.array[np.minimum(places + len(name), len(tags.array) - 1)]].all()):
        return False
    for offset in range(0, len(name), 8):
        words = tags.words[places + offset] & _MASKS[min(len(name) - offset, 8)]
        if bool((words != words[0]).any()):
            return False
    return True
