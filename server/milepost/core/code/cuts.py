"""Where a stretch of source code may be cut, and what must be put around a piece so that it parses by itself.

Source code is indented: the line at which to cut is the last one with the smallest indentation that looks like the
beginning of something. What it lies in are the lines before it with ever smaller indentation; they go before the piece,
what closes them after it. Whether a cut lies inside a comment or a string is not known here: the parse tells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LINE = re.compile(rb"^([ \t]*)([^\s])", re.MULTILINE)
_CLOSERS = b"})]>,.;:?&|+=`\\"
_NOT_A_START = re.compile(
    rb"(?:else|elif|elsif|except|finally|catch|end|endif|fi|done|esac|then|do|while|default|case|rescue|ensure|when|public|private|protected)\b|#\s*(?:else|elif|endif)"
)
_TEXTS = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|//[^\n]*|/\*.*?\*/", re.DOTALL)
_BRACKETS = re.compile(rb"[(){}\[\]]")
_CLOSING = {b"(": b")", b"{": b"}", b"[": b"]"}
_HEADER_BYTES = 4000
_TAB = 8


@dataclass(frozen=True, slots=True)
class Header:
    """A construct that is open where a piece begins: its indentation and its text up to its first deeper line."""

    indent: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Cut:
    """A place to cut at, and what is open there."""

    offset: int
    headers: tuple[Header, ...]


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    start: int
    first: int


def cuts_of(body: bytes, headers: tuple[Header, ...], low: int, style: str, most: int = 4) -> list[Cut]:
    """Places after `low` to cut `body` at, best first. `headers` are open where it begins."""
    lines = [_Line(_width(match[1]), match.start(), match.start(2)) for match in _LINE.finditer(body)]
    directives: list[int] = []
    plain: list[int] = []
    preferred: list[int] = []
    for index in range(len(lines) - 1, 0, -1):
        line = lines[index]
        if line.start < low:
            break
        if (
            body[line.first] in _CLOSERS
            or body[line.first : line.first + 1] == b"{"
            or _NOT_A_START.match(body, line.first)
        ):
            continue
        if (
            style == "brace"
            and body[line.first : line.first + 1] == b"#"
            and body[line.first : line.first + 2] != b"#["
        ):
            directives.append(index)  # of a preprocessor: they stand in column 0 inside functions too
            continue
        plain.append(index)
        before = lines[index - 1]
        if body.count(b"\n", before.start, line.start) > 1 or body[before.first] in b"})]":
            preferred.append(index)
    chosen: list[int] = []
    for choice in (preferred, plain, directives):
        least = sorted({lines[index].indent for index in choice})[:2]
        for indent in least:
            chosen += [index for index in choice if lines[index].indent == indent and index not in chosen][:2]
    chosen = sorted(chosen[:most], key=lambda index: lines[index].indent) if chosen else []
    return [Cut(lines[index].start, _open_at(body, lines, index, headers, style)) for index in chosen]


def closing(headers: tuple[Header, ...], style: str) -> bytes:
    """What closes all that is open, innermost first."""
    if style == "indent":
        return b""
    if style == "end":
        return b"\nend" * len(headers)
    closers: list[bytes] = []
    for header in headers:
        for match in _BRACKETS.finditer(_TEXTS.sub(b"", header.text)):
            bracket = match[0]
            if bracket in _CLOSING:
                closers.append(_CLOSING[bracket])
            elif closers and closers[-1] == bracket:
                closers.pop()
    return b"".join(reversed(closers))


def _width(blanks: bytes) -> int:
    return len(blanks) + (_TAB - 1) * blanks.count(b"\t")


def _open_at(
    body: bytes, lines: list[_Line], index: int, headers: tuple[Header, ...], style: str
) -> tuple[Header, ...]:
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
        found.insert(0, Header(line.indent, body[line.start : min(end, line.start + _HEADER_BYTES)]))
        indent = line.indent
        end = line.start
        position -= 1
    if not indent:
        return tuple(found)
    return tuple([one for one in headers if one.indent < indent] + found)
