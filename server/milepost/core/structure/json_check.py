"""Whether a stretch of JSON is valid, at the speed of a C parser, wherever in the document it begins and ends.

The stretch is made a document of its own: before it comes the shortest text that puts a parser into the state the
document is in there (`{"":0` where a member of an object has just ended), after it the shortest text that completes it.
msgspec reads that as `Raw`, which checks the whole grammar and builds nothing. It does not look at the encoding of
strings, so that is checked beside it. What it refuses is looked into by `json_faults`, which is slow and exact.
"""

from __future__ import annotations

import codecs
import enum
import re
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from milepost.core.structure.json_index import CLOSE_BRACE, CLOSE_SQUARE, COLON, COMMA, OPEN_BRACE, OPEN_SQUARE, Stretch

#: Deeper than this no document is followed: far more than any real one has, and what recursive parsers bear.
MAX_DEPTH = 900


class Expect(enum.Enum):
    """What the grammar lets come next."""

    ROOT = "a JSON value"
    NOTHING = "the end of the file"
    FIRST_KEY = "a key or '}'"
    KEY = "a key"
    COLON = "':'"
    VALUE = "a value after ':'"
    NEXT_KEY = "',' or '}'"
    FIRST_ELEMENT = "a value or ']'"
    ELEMENT = "an element"
    NEXT_ELEMENT = "',' or ']'"

    @property
    def is_key(self) -> bool:
        """Whether a string that begins here is a key."""
        return self in (Expect.FIRST_KEY, Expect.KEY)

    def after_value(self) -> Expect:
        """What comes next once the value or key that is expected has been read."""
        return _AFTER[self]


_AFTER = {
    Expect.ROOT: Expect.NOTHING,
    Expect.NOTHING: Expect.NOTHING,
    Expect.FIRST_KEY: Expect.COLON,
    Expect.KEY: Expect.COLON,
    Expect.COLON: Expect.VALUE,
    Expect.VALUE: Expect.NEXT_KEY,
    Expect.NEXT_KEY: Expect.NEXT_KEY,
    Expect.FIRST_ELEMENT: Expect.NEXT_ELEMENT,
    Expect.ELEMENT: Expect.NEXT_ELEMENT,
    Expect.NEXT_ELEMENT: Expect.NEXT_ELEMENT,
}
_BEFORE_TEXT = {
    Expect.ROOT: b"",
    Expect.NOTHING: b"0",
    Expect.FIRST_KEY: b"{",
    Expect.KEY: b'{"":0,',
    Expect.COLON: b'{""',
    Expect.VALUE: b'{"":',
    Expect.NEXT_KEY: b'{"":0',
    Expect.FIRST_ELEMENT: b"[",
    Expect.ELEMENT: b"[0,",
    Expect.NEXT_ELEMENT: b"[0",
}
_AFTER_TEXT = {
    Expect.ROOT: b"0",
    Expect.NOTHING: b"",
    Expect.FIRST_KEY: b"}",
    Expect.KEY: b'"":0}',
    Expect.COLON: b":0}",
    Expect.VALUE: b"0}",
    Expect.NEXT_KEY: b"}",
    Expect.FIRST_ELEMENT: b"]",
    Expect.ELEMENT: b"0]",
    Expect.NEXT_ELEMENT: b"]",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the grammar a stretch begins: the open containers (`{` and `[`), what may come, whether in a string."""

    stack: bytes = b""
    expect: Expect = Expect.ROOT
    in_string: bool = False

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self.stack)


def place_after(place: Place, stretch: Stretch, end: int, stack: bytes) -> Place:
    """Where in the grammar `stretch`, which begins at `place`, is at its byte `end`, with `stack` open there."""
    in_string = end == len(stretch.data) and stretch.ends_in_string
    if not in_string and end < len(stretch.data):
        in_string = bool((int(stretch.strings[(end - 1) >> 6]) >> ((end - 1) & 63)) & 1) if end else place.in_string
    if in_string:
        quote = stretch.last_quote_before(end)
        before = place.expect if quote < 0 else _expect_at(place, stretch, quote, stack)
        return Place(stack, before, True)
    return Place(stack, _expect_at(place, stretch, end, stack))


def _expect_at(place: Place, stretch: Stretch, end: int, stack: bytes) -> Expect:
    """What may come at `end`, which is outside of strings."""
    last = stretch.last_significant(end)
    if last < 0:
        return place.expect
    byte = stretch.data[last]
    of_object = stack.endswith(b"{")
    if byte == OPEN_BRACE:
        return Expect.FIRST_KEY
    if byte == OPEN_SQUARE:
        return Expect.FIRST_ELEMENT
    if byte == COMMA:
        return Expect.KEY if of_object else Expect.ELEMENT
    if byte == COLON:
        return Expect.VALUE
    after_value = Expect.NOTHING if not stack else Expect.NEXT_KEY if of_object else Expect.NEXT_ELEMENT
    if byte in (CLOSE_BRACE, CLOSE_SQUARE) or not of_object or byte != 0x22:
        return after_value
    quote = stretch.last_quote_before(last)
    if quote < 0:
        return place.expect.after_value()
    before = stretch.last_significant(quote)
    expect = place.expect if before < 0 else Expect.VALUE if stretch.data[before] == COLON else Expect.KEY
    return expect.after_value()


def open_after(place: Place, stretch: Stretch) -> tuple[bytes, int]:
    """The containers open after all brackets of `stretch`, and how many of those open before stayed open throughout."""
    closers, openers = stretch.unmatched
    kept = max(0, len(place.stack) - len(closers))
    return place.stack[:kept] + stretch.array[openers].tobytes(), kept


# What other readers and writers let pass. The replacements are as long as what they replace, and do no harm in strings.
_LENIENT: dict[str, tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], bytes] | bytes]] = {
    "lone surrogate": (re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}"), rb"\\u0020"),
    "NaN": (re.compile(rb"\bNaN\b|-?\bInfinity\b"), lambda match: b"0" + b" " * (len(match[0]) - 1)),
    "trailing comma": (re.compile(rb",(?=[ \t\n\r]*[}\]])"), b" "),
}

_DECODED_BYTES = 64 << 10
_DECODER = msgspec.json.Decoder(msgspec.Raw)


def is_valid(place: Place, text: bytes | memoryview, after: Place, kept: int, allowed: frozenset[str]) -> bool:
    """Whether `text` leads from `place` to `after` by the grammar of JSON, variants in `allowed` let pass.

    `kept` is how many of the containers open at `place` stay open throughout.
    """
    # The innermost container that stays open is needed too: members of it may come before and after what is closed.
    base = max(0, kept - 1)
    before = b"".join([b'{"":' if kind == OPEN_BRACE else b"[" for kind in place.stack[base:-1]])
    head = _BEFORE_TEXT[place.expect]
    tail = b"".join([b"}" if kind == OPEN_BRACE else b"]" for kind in reversed(after.stack[base:-1])])
    end = b'"' + _AFTER_TEXT[after.expect.after_value()] if after.in_string else _AFTER_TEXT[after.expect]
    document = b"".join((before, head, b'"' if place.in_string else b"", text, end, tail))
    if is_valid_document(document):
        return True
    for name, (pattern, replacement) in _LENIENT.items():
        if name in allowed:
            document = pattern.sub(replacement, document)
    return bool(allowed) and is_valid_document(document)


def is_valid_document(document: bytes) -> bool:
    """Whether `document` is valid JSON, the encoding of its strings aside."""
    try:
        _DECODER.decode(document)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def first_bad_utf8(text: bytes, stop: int | None = None) -> int:
    """Where `text`, up to `stop`, stops being UTF-8; -1 when it does not."""
    if text.isascii():
        return -1
    view, at = memoryview(text)[:stop], 0
    while at < len(view):
        # Decoded by pieces, what is decoded stays in the processor's cache: twice as fast.
        end = at + _DECODED_BYTES
        try:
            at += codecs.utf_8_decode(view[at:end], "strict", end >= len(view))[1]
        except UnicodeDecodeError as error:
            return at + error.start
    return -1
