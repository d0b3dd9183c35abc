"""The final answer: what the file says, in a sentence or two, with the exact places; or that it does not say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from milepost.core.text import clip_text
from milepost.digest.answers.counting import Counted, count_of
from milepost.digest.answers.magnitude import measure_of
from milepost.digest.answers.patterns import literal_of
from milepost.digest.answers.question import Question
from milepost.digest.answers.search import FULL_SCORE
from milepost.digest.answers.survey import Statistics
from milepost.digest.answers.tally import wording_of
from milepost.digest.values import FileFacts, Note, Place

MAX_PLACES = 3

#: From this score on a place answers; from the other on there is hardly a better one anywhere.
ENOUGH = 6.4
DECISIVE = 0.97 * FULL_SCORE
_CAUSE_ENOUGH = 2.5
#: Why something was so is told in other words than it is asked, so that less of the question recurs.
_WHY_ENOUGH = 5.5
_FEW_WINDOWS = 4
_CLOSE = 0.85
_SHOWN_BYTES = 240
_BY_LINE = frozenset(("log", "strace", "gc_log"))
_SUPERLATIVE = re.compile(r"(?i)\b\w{3,}est\b")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer in a sentence or two. `places`, the best first, prove it; where nothing was found they are the nearest."""

    found: bool
    text: str
    places: tuple[Place, ...] = ()


def decide(
    notes: Sequence[Note],
    question: Question,
    statistics: Statistics,
    facts: FileFacts,
    lines_with: Callable[[str], int] | None = None,
) -> Answered:
    """The answer from the notes of a walk, whose places were read again from the file.

    `lines_with` counts the lines of the file that hold some wording; it is left out where not all of it was examined.
    """
    by_start = {place.start_byte: place for place in facts.places}
    ranked = sorted(
        ((note, by_start[note.start_byte]) for note in notes if note.start_byte in by_start),
        key=lambda one: (-one[0].score, one[0].start_byte),
    )
    if not ranked:
        return Answered(False, f"{_nothing(question, statistics)}.")
    counted = count_of(question, facts.outline)
    if counted is not None:
        return _counted(counted, ranked)
    enough = _CAUSE_ENOUGH if question.is_cause else _WHY_ENOUGH if question.kind == "why" else ENOUGH
    best = ranked[0][0].score
    if best < enough:
        nearest = ranked[0][1]
        text = f"{_nothing(question, statistics)}; the nearest is line {nearest.start_line:,}: {_shown(nearest)}"
        return Answered(False, text, (nearest,))
    places = tuple(place for note, place in ranked if note.score >= max(enough, best * _CLOSE))[:MAX_PLACES]
    if question.kind == "how_many" and lines_with is not None and facts.outline.format in _BY_LINE:
        wording = wording_of(question, places[0].text)
        count = lines_with(wording) if wording else 0
        if count:
            return Answered(True, _tallied(wording, count, places[0]), places)
    return Answered(True, _said(places, question), places)


def _counted(counted: Counted, ranked: Sequence[tuple[Note, Place]]) -> Answered:
    """A number that was computed, with the place it is of."""
    inside = [place for _, place in ranked if counted.start_line <= place.start_line <= counted.end_line]
    text = f"There are {counted.number:,} {counted.what}, counted over lines {counted.start_line:,} to {counted.end_line:,}."
    return Answered(True, text, tuple(inside[:1]))


def is_decisive(notes: Sequence[Note], question: Question, statistics: Statistics) -> bool:
    """Whether hardly any later chunk can hold a better answer than these notes."""
    if question.superlative or question.is_cause or question.kind == "how_many":
        return False
    return _is_rare(question, statistics) and any(note.score >= DECISIVE for note in notes)


def _is_rare(question: Question, statistics: Statistics) -> bool:
    """Whether what is asked for can be at a few places only: one of its terms is, with all that may stand for it."""
    counts = (
        sum(statistics.counts.get(literal, 0) for literal in {literal_of(needle) for needle in term.needles})
        for term in question.terms
        if term.weight >= 1
    )
    return any(0 < count <= _FEW_WINDOWS for count in counts)


def _tallied(wording: str, count: int, place: Place) -> str:
    """How many lines say so, and one of them."""
    lines, hold = ("line", "holds") if count == 1 else ("lines", "hold")
    return f"{count:,} {lines} {hold} “{wording}”, as line {place.start_line:,} does: {_shown(place)}"


def _said(places: Sequence[Place], question: Question) -> str:
    """What the best place says, and where else to look."""
    first, *others = places
    measure = measure_of(question)
    amount = measure.shown(first.text) if measure is not None else ""
    superlative = _SUPERLATIVE.search(question.text)
    if amount and superlative is not None:
        text = f"The {superlative[0].lower()} found is {amount}, on line {first.start_line:,}: {_shown(first)}"
    else:
        text = f"Line {first.start_line:,} says: {_shown(first)}"
    if not others:
        return text
    return f"{text} See also {' and '.join(f'line {place.start_line:,}' for place in others)}."


def _nothing(question: Question, statistics: Statistics) -> str:
    """That there is no answer, and for want of what, if some of what was asked for occurs nowhere."""
    nowhere = [
        f"“{term.text}”"
        for term in question.terms
        if term.weight >= 1 and not any(map(statistics.occurs, term.needles))
    ]
    return f"Nothing in the file speaks of {' or '.join(nowhere)}" if nowhere else "Nothing in the file answers that"


def _shown(place: Place) -> str:
    return clip_text(place.text, _SHOWN_BYTES)
