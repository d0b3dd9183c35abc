"""What long stretches without symbols hold, by their indentation: literals, configuration in code, texts in strings.

A line that deeper ones follow holds them, up to the next that is no deeper; one that only closes belongs to what it closes.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from milepost.core.code.cuts import Line, lines_of
from milepost.core.code.gaps import blank_end

_OPENS = re.compile(rb"(?:[\s{\[(:=,<|>]|\"\"\"|''')+$")
_COMMENT = re.compile(rb"^(?://+|#+|/\*+|--+|;+)[ \t]*")
_QUOTED = re.compile(rb"([\"'])([^\"']+)\1")
#: Lines that say nothing of what they lie in: directives of a preprocessor, with the lines that they go on in; and what are
#: comments in one language or another, in the first column.
DIRECTIVES = re.compile(rb"[ \t]*#(?:[^\n\\]|\\\r\n|\\.)*", re.DOTALL)
COMMENTS = re.compile(rb"(?:[#\";%]|//|--|/\*)[^\n]*")
_CLOSES = re.compile(rb"[)}\]]|(?:end\w*|fi|done|esac)\b|</|\"\"\"|'''")
_ONLY_OPENS = re.compile(rb"[\[({]+[ \t\r]*$", re.MULTILINE)
#: What holds fewer lines is not listed by itself, nor what lies deeper.
LEAST_LINES = 25
_MOST_DEPTH = 6
_TITLE_BYTES = 300


class Held(NamedTuple):
    """A line and those it holds. `end` is None where more may follow behind the stretch."""

    start: int
    end: int | None
    indent: int


def held_lines(
    body: bytes, low: int, high: int, open_indents: list[int], least_lines: int, passed_over: re.Pattern[bytes] | None
) -> tuple[list[int | None], list[Held]]:
    """Where what is open ends (None: not in this stretch), and what begins and holds enough, outer before inner.

    `low` is the start of a line. What lies in nothing that is open must hold `least_lines`, what lies deeper or is cut off at
    `high` only `LEAST_LINES`.
    """
    lines = _telling(body, lines_of(body, low, high), high, passed_over)
    ends: list[int | None] = [None] * len(open_indents)
    found: list[Held] = []
    # What is open: its indentation, and its place in `found`, or in `ends` counted from -1 downwards.
    stack = [(indent, -1 - place) for place, indent in enumerate(open_indents)]
    for number, line in enumerate(lines):
        deeper = number + 1 < len(lines) and lines[number + 1].indent > line.indent
        closes = not deeper and _closes(body, line)
        while stack and line.indent <= stack[-1][0]:
            indent, place = stack.pop()
            is_its_end = closes and line.indent == indent
            end = _after_closers(body, lines, number, high) if is_its_end else line.start
            if place < 0:
                ends[-1 - place] = end
            else:
                found[place] = found[place]._replace(end=end)
            if is_its_end:
                break
        if deeper:
            before = lines[number - 1] if number else line
            # A bracket on a line of its own opens what the line above it says.
            is_lower = before.indent == line.indent and _ONLY_OPENS.match(body, line.first)
            stack.append((line.indent, len(found)))
            start = before.start if is_lower and not _closes(body, before) else line.start
            found.append(Held(start, None, line.indent))
    return ends, _large_ones(body, high, found, ends, least_lines)


def _after_closers(body: bytes, lines: list[Line], number: int, high: int) -> int:
    """Behind a line that closes, those right below that close more of the same, and blank ones."""
    indent = lines[number].indent
    following = number + 1
    while following < len(lines) and lines[following].indent == indent and _closes(body, lines[following]):
        if following + 1 < len(lines) and lines[following + 1].indent > indent:
            break  # it opens something
        number, following = following, following + 1
    end = body.find(b"\n", lines[number].start, high) + 1
    return min(high, blank_end(body, end)) if end else high


def _large_ones(body: bytes, high: int, found: list[Held], ends: list[int | None], least_lines: int) -> list[Held]:
    kept: list[Held] = []
    around: list[int] = []
    for one in found:
        end = high if one.end is None else one.end
        while around and around[-1] <= one.start:
            around.pop()
        depth = len(around) + sum(1 for other in ends if other is None or other > one.start)
        wanted = LEAST_LINES if depth or one.end is None else least_lines
        if depth < _MOST_DEPTH and body.count(b"\n", one.start, end) >= wanted:
            kept.append(one)
            around.append(end)
    return kept


def title_of_line(body: bytes, start: int) -> bytes:
    """What a line says, without what only opens. `start` is that of a line."""
    end = body.find(b"\n", start)
    text = body[start : min(end if end >= 0 else len(body), start + _TITLE_BYTES)].strip()
    said = _OPENS.sub(b"", _COMMENT.sub(b"", text))
    quoted = _QUOTED.fullmatch(said)
    return (quoted[2] if quoted else said) or text


def _closes(body: bytes, line: Line) -> bool:
    return _CLOSES.match(body, line.first) is not None


def _telling(body: bytes, lines: list[Line], high: int, passed_over: re.Pattern[bytes] | None) -> list[Line]:
    """The lines without those that are passed over."""
    if passed_over is None:
        return lines
    kept = []
    passed_until = 0
    for line in lines:
        if line.start < passed_until:
            continue
        passed = passed_over.match(body, line.start, high)
        if passed is None:
            kept.append(line)
        else:
            passed_until = passed.end()
    return kept
