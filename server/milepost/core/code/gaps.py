"""What lies between the symbols of a source file: imports, comments, statements, long tables of data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from milepost.core.code.languages import Language, expression

_BLANK_LINES = re.compile(rb"(?:[ \t\f]*(?:\r\n|\n|\r))*")
_PARAGRAPH = re.compile(rb"(?:\n|\r)[ \t]*(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*")
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|$)")
_MARKS = re.compile(rb"^[\s/*#;!=\-~+]+|[\s/*=\-~+]+$")
_SAYS = re.compile(rb"[0-9A-Za-z\x80-\xff]")
#: What ends something: closing brackets, `#endif`. It belongs to what it follows.
_CLOSING_LINES = re.compile(
    rb"(?:(?:[ \t]*(?:[)}\];,]+|#[ \t]*(?:endif|else)\b[^\r\n]*)?[ \t\f]*(?:\r\n|\n|\r))*)(?:[ \t]*[)}\];,]+$)?"
)
#: What begins something: `#ifdef`. It belongs to what follows.
_OPENING_LINES = re.compile(rb"(?:[ \t]*#[ \t]*(?:if|ifdef|ifndef|pragma)\b(?:[^\r\n]|\\\r?\n)*(?:\r\n|\n|\r)\s*){1,4}")
#: A comment of fewer lines belongs to what follows it.
_OWN_COMMENT_LINES = 12
_DATA = re.compile(rb".*[=(\[{]\s*$")
_DATA_LINES = 30
_TITLE_BYTES = 300


@dataclass(frozen=True, slots=True)
class Gap:
    """A stretch without symbols, in whole lines."""

    kind: str
    start: int
    end: int
    title: bytes


def blank_end(body: bytes, offset: int) -> int:
    """Where the blank lines from `offset` on end."""
    match = _BLANK_LINES.match(body, offset)
    return match.end() if match is not None else offset


def closing_end(body: bytes, offset: int) -> int:
    """Where the blank lines and the lines that only close something end, from `offset` on."""
    match = _CLOSING_LINES.match(body, offset)
    return match.end() if match is not None else offset


def only_opens(body: bytes, low: int, high: int) -> bool:
    """Whether the lines between two places do nothing but begin what follows."""
    return _OPENING_LINES.fullmatch(body, low, high) is not None


def split_gap(body: bytes, low: int, high: int, language: Language | None, most: int, *, parts_only: bool) -> list[Gap]:
    """The runs of one kind between two places where lines start; none has many more than `most` lines."""
    runs: list[Gap] = []
    for start, end in _paragraphs(body, low, high, language, most):
        kind = "statements" if parts_only else _kind(body, start, end, language)
        if runs and _joins(body, runs[-1], kind, end, most, at_head=runs[-1].start == 0):
            last = runs.pop()
            kind = kind if last.kind == "comment" else last.kind
            start = last.start
        runs.append(Gap(kind, start, end, b""))
    return [_finished(body, run, language, parts_only) for run in runs]


def _finished(body: bytes, run: Gap, language: Language | None, parts_only: bool) -> Gap:
    lines = body.count(b"\n", run.start, run.end)
    kind = run.kind
    if parts_only:
        kind = "lines"
    elif kind == "statements" and lines >= _DATA_LINES and _DATA.match(_first_line(body, run.start, run.end, language)):
        kind = "data"
    return Gap(kind, run.start, run.end, _title(body, run.start, run.end, kind, language))


def _joins(body: bytes, last: Gap, kind: str, end: int, most: int, *, at_head: bool) -> bool:
    if body.count(b"\n", last.start, end) > most:
        return False
    if last.kind == kind:
        return True
    is_short = body.count(b"\n", last.start, last.end) < _OWN_COMMENT_LINES
    return last.kind == "comment" and is_short and not at_head


def _paragraphs(body: bytes, low: int, high: int, language: Language | None, most: int) -> list[tuple[int, int]]:
    """Stretches that end with blank lines, or before a comment where they would get too long."""
    cuts = [match.end() for match in _PARAGRAPH.finditer(body, low, high) if match.end() < high]
    found: list[tuple[int, int]] = []
    start = low
    for end in [*cuts, high]:
        if not body[start:end].strip() and end < high:
            continue
        if body.count(b"\n", start, end) > most:
            found += _shorter(body, start, end, language, most)
        else:
            found.append((start, end))
        start = end
    return found


def _shorter(body: bytes, low: int, high: int, language: Language | None, most: int) -> list[tuple[int, int]]:
    marks = language.comment if language is not None else (b"//", b"#", b"--", b";")
    found: list[tuple[int, int]] = []
    start, lines, wanted = low, 0, most * 3 // 4
    was_comment = True
    position = low
    while position < high:
        newline = body.find(b"\n", position, high)
        after = newline + 1 if newline >= 0 else high
        is_comment = body[position : position + 40].lstrip().startswith(marks)
        if lines >= most + most // 2 or (lines >= wanted and is_comment and not was_comment):
            found.append((start, position))
            start, lines = position, 0
        was_comment = is_comment
        lines += 1
        position = after
    found.append((start, high))
    return found


def _kind(body: bytes, start: int, end: int, language: Language | None) -> str:
    line = body[blank_end(body, start) : end][:400].lstrip()
    if not line:
        return "statements"
    if language is None:
        return "comment" if line.startswith((b"//", b"/*", b"--", b"# ", b";")) else "statements"
    if expression(language.imports).match(line):
        return "imports"
    if line.startswith(language.comment):
        rest = _first_line(body, start, end, language)
        return (
            "imports" if rest and expression(language.imports).match(rest) else "comment" if not rest else "statements"
        )
    return "statements"


def _first_line(body: bytes, start: int, end: int, language: Language | None) -> bytes:
    """The first line that is neither blank nor a comment, among the first hundred."""
    marks = language.comment if language is not None else (b"//", b"#")
    inside = False
    for number, match in enumerate(_LINE.finditer(body, start, min(end, start + 20_000))):
        line = match[0].strip()
        if inside:
            inside = b"*/" not in line
        elif line.startswith(b"/*") and b"*/" not in line:
            inside = True
        elif line and not line.startswith(marks):
            return line
        if number > 100:
            break
    return b""


def _title(body: bytes, start: int, end: int, kind: str, language: Language | None) -> bytes:
    first = body[blank_end(body, start) : min(end, start + 4000)]
    if kind in ("comment", "lines", "statements", "data") and (
        language is None or first.lstrip().startswith(language.comment)
    ):
        for match in _LINE.finditer(first):
            said = _MARKS.sub(b"", match[0])
            if _SAYS.search(said) and not said.startswith(b"!"):
                if kind == "comment" or first.lstrip().startswith(language.comment if language else (b"#", b"//")):
                    return said[:_TITLE_BYTES]
                break
    line = _first_line(body, start, end, language)
    return (line or first.strip().split(b"\n", 1)[0] or b"(blank)")[:_TITLE_BYTES]
