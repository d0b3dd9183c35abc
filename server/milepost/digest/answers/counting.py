"""How many there are: from what was counted when the file was scanned, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from milepost.core.outline import Outline, Section, walk
from milepost.digest.answers.question import Question
from milepost.digest.answers.terms import Term
from milepost.digest.answers.words import base_of, is_form_of, words_of

#: What is counted of a file as a whole: the bases of the words for it, and the names of the facts, of which the first counts.
_WHOLE: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("row", "record", "entri", "entry", "entr"), ("records", "rows", "entries")),
    (("document",), ("documents", "records")),
    (("tabl", "table"), ("tables",)),
    (("column", "field"), ("fields",)),
    (("index", "indic"), ("indexes",)),
    (("trigger",), ("triggers",)),
    (("constraint",), ("constraints",)),
    (("statement",), ("statements",)),
    (("element",), ("elements",)),
)
_LINES = ("lin", "line")
_SEVERITIES = {"error": "error", "warn": "warning", "warning": "warning", "fail": "error"}


@dataclass(frozen=True, slots=True)
class Counted:
    """A number, what it is of, and the lines it is of."""

    number: int
    what: str
    start_line: int
    end_line: int


def count_of(question: Question, outline: Outline) -> Counted | None:
    """The number a question asks for, if it was counted."""
    if question.kind != "how_many" or not question.counted:
        return None
    base = question.counted[0]
    last_line = outline.total_lines or 1
    others = [term for term in question.terms[1:] if term.weight >= 1]
    named = [table for term in (*others, *question.terms[:1]) for table in _tables(outline, term)]
    if named:
        section, rows = named[0]
        return Counted(rows, f"rows in {section.facts['table']}", section.start_line, section.end_line)
    if others:
        return None
    stats = outline.stats
    for bases, names in _WHOLE:
        if base in bases:
            for name in names:
                number = stats.get(name)
                if isinstance(number, int):
                    return Counted(number, name, 1, last_line)
    if base in _LINES and outline.total_lines is not None:
        return Counted(outline.total_lines, "lines", 1, last_line)
    severities: Any = stats.get("severities")
    if base in _SEVERITIES and isinstance(severities, dict):
        severity = _SEVERITIES[base]
        return Counted(severities.get(severity, 0), f"lines of severity {severity}", 1, last_line)
    return _members(outline, base)


def _tables(outline: Outline, term: Term) -> Iterator[tuple[Section, int]]:
    """The tables of a name, where their rows are counted; the data before the definition."""
    found: list[tuple[bool, Section, int]] = []
    for section in walk(outline.sections):
        table, rows = section.facts.get("table"), section.facts.get("table_rows", section.facts.get("rows"))
        if isinstance(table, str) and isinstance(rows, int) and _is_called(table, term):
            found.append((section.kind != "data", section, rows))
    for _, section, rows in sorted(found, key=lambda one: (one[0], one[1].start_line)):
        yield section, rows


def _members(outline: Outline, base: str) -> Counted | None:
    """An array or object of JSON that is called so."""
    for section in walk(outline.sections):
        members = section.facts.get("members")
        if isinstance(members, int) and section.facts.get("type") == "array":
            words = words_of(str(section.facts.get("path", "")).rpartition(".")[2])
            if words and all(is_form_of(word, base) for word in words):
                return Counted(members, section.title, section.start_line, section.end_line)
    return None


def _is_called(name: str, term: Term) -> bool:
    words = words_of(name)
    return len(words) == len(term.needles[0].phrase) and all(
        base_of(word) == base or is_form_of(word, base)
        for word, base in zip(words, term.needles[0].phrase, strict=True)
    )
