"""Where a stretch of source code may be cut, and what must be put around a piece so that it parses by itself.

Source code is indented: the line at which to cut is the last one with the smallest indentation that looks like the
beginning of something. What it lies in are the lines before it with ever smaller indentation; they go before the piece,
what closes them after it. Lines inside strings and comments are passed over where it is known which those are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple

_LINE = re.compile(rb"^([ \t]*)([^\s])", re.MULTILINE)
_CLOSERS = b"})]>,.;:?&|+=`\\"
_NOT_A_START = re.compile(
    rb"(?:else|elif|elsif|except|finally|catch|end|endif|fi|done|esac|then|do|while|default|case|rescue|ensure|when|public|private|protected)\b|#\s*(?:else|elif|endif)|\w+:\s"
)
_TEXTS = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_BRACKETS = re.compile(rb"[(){}\[\]]")
_CLOSING = {b"(": b")", b"{": b"}", b"[": b"]"}
_HEADER_BYTES = 4000
_TAB = 8
_HEADS = {
    "indent": re.compile(rb"\s*(?:class|def|async|if|elif|else|for|while|with|try|except|finally|match|case)\b"),
    "end": re.compile(
        rb".*\b(?:class|module|def|function|do|if|unless|while|until|for|case|begin|then|else|elseif|repeat)\b|.*[({]\s*$"
    ),
    "brace": re.compile(rb"[^\n]*[({\[]|[^\n]*\n\s*[({\[]"),
}


@dataclass(frozen=True, slots=True)
class Header:
    """A construct that is open where a piece begins: its indentation and its text up to its first deeper line."""

    indent: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A place to cut at, what is open there, and the blanks that the line there begins with."""

    offset: int
    headers: tuple[Header, ...]
    blanks: bytes = b""


class Line(NamedTuple):
    """A line that is not blank: its indentation, where it starts, and its first byte that is no blank."""

    indent: int
    start: int
    first: int


def best_cut(
    body: bytes, headers: tuple[Header, ...], low: int, style: str, hidden: list[tuple[int, int]] | None = None
) -> Cut | None:
    """The best place after `low` to cut `body` at. `headers` are open where it begins, `hidden` are no lines of code."""
    lines = _lines(body, hidden or [])
    directives: list[int] = []
    plain: list[int] = []
    preferred: list[int] = []
    for index in range(len(lines) - 1, 0, -1):
        line = lines[index]
        if line.start < low:
            break
        first = body[line.first : line.first + 2]
        if first[0] in _CLOSERS or first[:1] == b"{" or _NOT_A_START.match(body, line.first):
            continue
        if style == "brace" and first[:1] == b"#" and first != b"#[":
            directives.append(index)  # of a preprocessor: they stand in column 0 inside functions too
            continue
        plain.append(index)
        before = lines[index - 1]
        if body.count(b"\n", before.start, line.start) > 1 or body[before.first] in b"})]":
            preferred.append(index)
    # After a blank line or a closing bracket if that is not deeper than elsewhere.
    least = min((lines[index].indent for index in plain), default=0)
    for choice in (preferred, plain, directives):
        if choice:
            index = min(choice, key=lambda one: (lines[one].indent, -one))
            if choice is not preferred or lines[index].indent <= least:
                line = lines[index]
                around = _open_at(body, lines, index, headers, style)
                return Cut(line.start, around, body[line.start : line.first])
    return None


def lines_of(body: bytes, low: int, high: int) -> list[Line]:
    """The lines of a stretch that begins with one, without blank ones."""
    if body.find(b"\t", low, high) >= 0:
        return [Line(_width(match[1]), match.start(), match.start(2)) for match in _LINE.finditer(body, low, high)]
    spans = [(match.start(), match.end() - 1) for match in _LINE.finditer(body, low, high)]
    return [Line(first - start, start, first) for start, first in spans]


def _lines(body: bytes, hidden: list[tuple[int, int]]) -> list[Line]:
    lines = lines_of(body, 0, len(body))
    if not hidden:
        return lines
    starts = [start for start, _ in hidden]
    visible = []
    for line in lines:
        place = bisect_left(starts, line.start) - 1
        if place < 0 or hidden[place][1] <= line.start:
            visible.append(line)
    return visible


def closing(cut: Cut, style: str) -> bytes:
    """What closes all that is open at a cut, innermost first."""
    if style == "indent":
        return cut.blanks + b"pass" if cut.headers else b""
    if style == "end":
        return b"\nend" * len(cut.headers)
    closers: list[bytes] = []
    for header in cut.headers:
        for match in _BRACKETS.finditer(_TEXTS.sub(b"", header.text)):
            bracket = match[0]
            if bracket in _CLOSING:
                closers.append(_CLOSING[bracket])
            elif closers and closers[-1] == bracket:
                closers.pop()
    return b"".join(reversed(closers))


def _width(blanks: bytes) -> int:
    return len(blanks) + (_TAB - 1) * blanks.count(b"\t")


def _open_at(body: bytes, lines: list[Line], index: int, headers: tuple[Header, ...], style: str) -> tuple[Header, ...]:
    """The constructs that line `index` lies in."""
    found: list[Header] = []
    indent = lines[index].indent
    position = index - 1
    end = lines[index].start
    while position >= 0 and indent:
        line = lines[position]
        if line.indent >= indent or (body[line.first : line.first + 1] == b"#" and style != "indent"):
            if line.indent >= indent:
                end = line.start
            position -= 1
            continue
        # A line that closes, or a brace of its own, is the end of a header of several lines.
        while position > 0 and body[lines[position].first] in b"){]":
            level = lines[position].indent
            position -= 1
            while position > 0 and lines[position].indent > level:
                position -= 1
        line = lines[position]
        if not _HEADS[style].match(body, line.start):
            position -= 1
            continue
        found.insert(0, Header(line.indent, body[line.start : min(end, line.start + _HEADER_BYTES)]))
        indent = line.indent
        end = line.start
        position -= 1
    if not indent:
        return tuple(found)
    return tuple([one for one in headers if one.indent < indent] + found)
