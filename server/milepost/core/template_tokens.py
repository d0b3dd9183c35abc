r"""Which parts of a log line's tokens are values: the masking under the template miner.

A token is masked by what it looks like alone, so that the answer can be remembered by token: numbers, addresses, dates,
host names, identifiers, paths and URLs become one placeholder byte; letters and punctuation about them stay.  That is
the usual masking of Drain-like parsers (He et al., "Drain: An Online Log Parsing Approach with Fixed Depth Tree", ICWS
2017), widened to the kinds of value that system logs hold.

Before masking, every digit is written as `0` and every control byte as a space.  Which digit it was never matters to a
template, and tokens that differ in digits alone are then masked once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import eq

MAX_LINE_BYTES = 512
"""Only so many bytes at the start of a line decide its template: a longer rest is payload, not wording."""

MAX_TOKENS = 16
"""Only so many tokens decide a template.  Wording differs early in a line; past that, lists of differing length would
give one event many token counts.  Any number from 16 to 40 groups the labelled loghub files alike; 12 is worse."""

MIN_UNBROKEN_BYTES = 160
MAX_UNBROKEN_TOKENS = 4
"""A line at least so long with at most so many tokens is no prose, but CSV or the like.  As in JSON, commas then part its
tokens too."""

MASK = b"\0"
"""Stands for a value.  No line can hold it: NULs are blanked, as all control bytes are."""

MASK_BYTE = 0
"""The same as a number: looking for that in a token is several times faster than for a bytes object."""

Tokens = tuple[bytes, ...]

_MAX_MASKS = 16384

_FOLDED = bytes(
    0x30 if 0x30 <= byte <= 0x39 else 0x20 if (byte < 0x20 and byte != 0x0A) or byte == 0x7F else byte
    for byte in range(256)
)
_DIGIT = 0x30
_DIGITS = b"0123456789"
_ESCAPE = 0x1B
_ANSI_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\^_])")

# `user` is followed by a name after these words; after others it may be a part of the wording ("user request").
_BEFORE_USER = frozenset(b"for by as to from of invalid illegal unknown".split())

# Words that are values wherever they stand: parts of dates, units that change with the size of the number before them,
# empty brackets and quotes (a value left out).
_VALUE_WORDS = (
    *("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "AM", "PM"),
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    *("UTC", "GMT", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "CET", "CEST"),
    *("B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "ns", "us", "ms", "s"),
)
_WORD_MASKS = {
    **{(word + end).encode(): MASK + end.encode() for word in _VALUE_WORDS for end in ("", ",", ".", ";", ":", ")")},
    **{pair: pair[:1] + MASK + pair[1:] for pair in (b"()", b"[]", b"{}", b"<>", b'""', b"''")},
}

# Hexadecimal words with a digit, joined by hyphens or not: UUIDs, object ids, addresses in memory.
_HEX_ID = re.compile(rb"\b(?=[a-fA-F-]*[0-9])[0-9a-fA-FxX]{2,}(?:-[0-9a-fA-F]+)*\b")

_WORD = rb"\w\x80-\xff"
_NAME = _WORD + rb"$@%+.:/\\&#!*^~-"
_NAME_WITHOUT_DIGIT = rb"A-Za-z_\x80-\xff$@%+.:/\\&#!*^~-"

# The order below is the order of use.  Each expression runs over many tokens at once, one a line.
# From a slash that begins a name (not `a/b`) to the end, bar a closing quote or bracket and end marks.
_PATH = re.compile(rb"/(?=[%b./])(?<![%b.\])/]/)[^\s\"'()\[\]{}<>|]*[%b/%%*=-]" % (_WORD, _WORD, _WORD))
_DRIVE_PATH = re.compile(rb"\b[A-Za-z]:\\[^\s\"'()\[\]{}<>|]*[%b\\%%*=-]" % _WORD)
# A name with two numbers or more (address, date, decimal, version, UUID, job id), or a host name numbered in its first
# part.  The look-behinds make each name be tried once, from its start: without them the cost is quadratic.  The colon
# after a quoted name is no part of the value.
_COMPOUND = re.compile(
    rb"(?:(?<![\"%b])|(?<=\")(?!:)|(?<=\":))"
    rb"[%b]*0+(?:[%b]+0(?:[%b]*[%b%%])?|[A-Za-z-]*(?:\.[a-z][a-z-]*){2,}(?![%b]))"
    % (_NAME, _NAME_WITHOUT_DIGIT, _NAME_WITHOUT_DIGIT, _NAME, _WORD, _NAME)
)
_DOMAIN_END = re.compile(rb"\.(?:com|net|org|edu|gov|mil|arpa|local|localdomain|lan|internal)(?![\w.])")
_DOMAIN_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_LONG_HEX = re.compile(rb"\b[0a-fA-F]{8,}\b")
_NUMBER = re.compile(rb"0+(?:[xX][0a-fA-F]+)?")
_SIGN = re.compile(rb"[-+]\0(?<![A-Za-z0-9\0][-+]\0)")
_VALUE_LIST = re.compile(rb"\0(?:[,/:x-]\0)+")


def fold_key(line: bytes) -> bytes:
    """A key that lines share which differ in numbers and hexadecimal ids only: for counting repeats without a miner.

    Some 2 µs for a line of 70 bytes.  It is no text to show: digits and ids are cut out of it, and what comes after the
    first 512 bytes.
    """
    line = line[:MAX_LINE_BYTES]
    if _ESCAPE in line:
        line = _ANSI_ESCAPE.sub(b"", line)
    return _HEX_ID.sub(b"", line).translate(None, _DIGITS)


def masked_lines(lines: Sequence[bytes], masks: dict[bytes, bytes]) -> list[Tokens]:
    """The masked tokens of each line.  `masks` remembers tokens from call to call; it never changes the result."""
    if max(map(len, lines), default=0) > MAX_LINE_BYTES:
        lines = [line if len(line) <= MAX_LINE_BYTES else _head(line) for line in lines]
    text = b"\n".join(lines)
    if _ESCAPE in text:
        text = _ANSI_ESCAPE.sub(b"", text)
    rows = text.translate(_FOLDED).split(b"\n")
    if len(rows) != len(lines):  # some line holds a line feed
        rows = [_ANSI_ESCAPE.sub(b"", line.replace(b"\n", b" ")).translate(_FOLDED) for line in lines]
    flat: list[bytes] = []
    ends = []
    for row in rows:
        tokens = row.split(None, MAX_TOKENS)
        if len(tokens) <= MAX_UNBROKEN_TOKENS and (len(row) >= MIN_UNBROKEN_BYTES or row[:2] == b'{"'):
            tokens = row.replace(b",", b", ").split(None, MAX_TOKENS)
        if len(tokens) > MAX_TOKENS:
            tokens.pop()
        flat += tokens
        ends.append(len(flat))
    _learn(set(flat), masks)
    masked = tuple(map(masks.__getitem__, flat))
    return [masked[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def shaped(tokens: Tokens) -> Tokens:
    """Mask what needs a look at the neighbours: a user's name, and lists of values, whose length says nothing."""
    if b"user" in tokens:
        at = tokens.index(b"user")
        if 0 < at < len(tokens) - 1 and tokens[at - 1] in _BEFORE_USER:
            tokens = (*tokens[: at + 1], MASK, *tokens[at + 2 :])
    if len(set(tokens)) < len(tokens) and any(map(eq, tokens, tokens[1:])):
        pairs = zip(tokens, (b"", *tokens), strict=False)
        return tuple([token for token, last in pairs if token != last or MASK_BYTE not in token])
    return tokens


def _head(line: bytes) -> bytes:
    """The start of a long line; without its last token, cut at a place that depends on the values before it."""
    head = line[:MAX_LINE_BYTES]
    return head[: head.rfind(b" ") + 1] or head


def _learn(tokens: set[bytes], masks: dict[bytes, bytes]) -> None:
    """Mask the unknown of many tokens: one run of each expression over all costs a fraction of one run for each."""
    if len(masks) > _MAX_MASKS:
        masks.clear()
    unknown = tokens.difference(masks)
    others = [token for token in unknown if _DIGIT not in token]
    masks.update(zip(others, _mask_names(b"\n".join(others)).split(b"\n"), strict=False))
    numbered = [token for token in unknown if _DIGIT in token]
    masks.update(zip(numbered, _mask_numbers(_mask_names(b"\n".join(numbered))).split(b"\n"), strict=False))
    for token in _WORD_MASKS.keys() & unknown:
        masks[token] = _WORD_MASKS[token]


def _mask_names(text: bytes) -> bytes:
    if b"/" in text:
        text = _PATH.sub(MASK, text)
    if b":\\" in text:
        text = _DRIVE_PATH.sub(MASK, text)
    pieces = []
    end = 0
    for match in _DOMAIN_END.finditer(text):
        pieces.append(text[end : match.start()].rstrip(_DOMAIN_BYTES))
        end = match.end()
    return MASK.join([*pieces, text[end:]])


def _mask_numbers(text: bytes) -> bytes:
    text = _COMPOUND.sub(MASK, text)
    text = _LONG_HEX.sub(MASK, text)
    text = _NUMBER.sub(MASK, text)
    text = _SIGN.sub(MASK, text)
    return _VALUE_LIST.sub(MASK, text)
