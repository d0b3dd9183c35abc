"""The lines of a chunk that may answer a question, ranked.

A line is worth what of the question it holds: each term by itself or by what stands for it, rare ones more than those that
are everywhere; a little less what the lines around it hold that belong to it (those above it that it is indented under,
those of its block, the title of its section); and more if it holds the kind of thing that was asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from milepost.core.text import cut_text
from milepost.digest.answers.causes import find_causes
from milepost.digest.answers.expected import fit
from milepost.digest.answers.magnitude import magnitude
from milepost.digest.answers.matching import quality
from milepost.digest.answers.patterns import NeedlePatterns, literal_of
from milepost.digest.answers.question import Question, Term
from milepost.digest.answers.survey import Statistics
from milepost.digest.answers.units import Units
from milepost.digest.answers.words import words_of
from milepost.digest.values import NOTE_MAX_BYTES, ChunkText, Note

MAX_NOTES = 8

_MAX_CANDIDATES = 160
_MAX_ANCHORS = 12
_MAX_ALIKE = 2

#: What a term counts that is not on the line itself, by where it is.
_IN_ANCESTOR, _IN_BLOCK, _IN_TITLE, _IN_HEAD, _NEARBY = 0.75, 0.65, 0.5, 0.4, 0.3
_BLOCK_REACH, _NEARBY_REACH = 4, 2
#: Formats in which every line is a record of its own.
_BY_LINE = frozenset(("log", "ndjson", "csv", "gc_log", "strace"))

_COVERAGE_SCORE, _RARITY_SCORE, _FIT_SCORE = 6.0, 4.0, 1.0
FULL_SCORE = _COVERAGE_SCORE + _RARITY_SCORE
"""The score of a line that holds all of the question in its own words, at a place that is unique."""

_DIGITS = re.compile(r"\d+")


def search_chunk(chunk: ChunkText, question: Question, statistics: Statistics) -> tuple[Note, ...]:
    """The best candidates of a chunk, at most `MAX_NOTES`, in file order."""
    if question.is_cause:
        causes = find_causes(chunk)
        if causes:
            return causes[:MAX_NOTES]
    if not question.terms or not chunk.data:
        return ()
    return _Search(Units(chunk), question, statistics).notes()


@dataclass(slots=True)
class _Candidate:
    """A unit with what it is worth; `first` and `last` are the units to quote."""

    unit: int
    score: float
    first: int
    last: int


class _Search:
    def __init__(self, units: Units, question: Question, statistics: Statistics) -> None:
        self.units = units
        self.question = question
        self.statistics = statistics
        self.by_line = units.chunk.format in _BY_LINE
        self._terms = tuple(_occurring(term, statistics) for term in question.terms)
        self._weight = sum(term.weight for term in question.terms)
        self._full = sum(term.weight * _rareness(term, statistics) for term in question.terms)
        self._masks = self._literals_by_unit()
        self._own: dict[int, tuple[float, ...]] = {}

    def notes(self) -> tuple[Note, ...]:
        ranked = sorted(self._masks, key=lambda unit: (-self._promise(unit), unit))
        found = {unit: self._judged(unit) for unit in ranked[:_MAX_CANDIDATES]}
        anchors = sorted(found.values(), key=lambda one: (-one.score, one.unit))[:_MAX_ANCHORS]
        if not self.by_line:
            for anchor in anchors:
                for unit in self.units.block(anchor.unit, _BLOCK_REACH):
                    if unit not in found and fit(self.question, self.units.text(unit)) >= 1.0:
                        found[unit] = self._judged(unit)
        best = sorted(found.values(), key=lambda one: (-one.score, one.unit))
        return self._picked(best)

    def _picked(self, best: Sequence[_Candidate]) -> tuple[Note, ...]:
        alike: dict[str, int] = {}
        places: set[tuple[int, int]] = set()
        picked: list[Note] = []
        for one in best:
            if len(picked) >= MAX_NOTES or one.score <= 0:
                break
            template = _DIGITS.sub("0", self.units.text(one.unit))[:200]
            place = (one.first, one.last)
            if alike.get(template, 0) >= _MAX_ALIKE or place in places:
                continue
            alike[template] = alike.get(template, 0) + 1
            places.add(place)
            picked.append(self._note(one))
        return tuple(sorted(picked, key=lambda note: note.start_byte))

    def _note(self, one: _Candidate) -> Note:
        start_line, end_line, start_byte, end_byte = self.units.place(one.first, one.last)
        return Note(
            score=one.score,
            start_line=start_line,
            end_line=end_line,
            start_byte=start_byte,
            end_byte=end_byte,
            text=cut_text(self.units.text(one.unit), NOTE_MAX_BYTES),
        )

    def _literals_by_unit(self) -> dict[int, set[int]]:
        patterns = self.statistics.patterns or NeedlePatterns(self.question.needles)
        masks: dict[int, set[int]] = {}
        for literal, end in patterns.find(self.units.chunk.data):
            masks.setdefault(self.units.at(end - 1), set()).add(literal)
        names = patterns.literals
        self._literal_worth: list[dict[str, float]] = [
            {
                literal_of(needle): needle.worth * (0.5 + self.statistics.rarity(needle))
                for needle in reversed(term.needles)
            }
            for term in self._terms
        ]
        self._names = names
        return masks

    def _promise(self, unit: int) -> float:
        """What a unit may be worth at most, before its words are looked at."""
        found = [self._names[literal] for literal in self._masks[unit]]
        return sum(
            term.weight * max((worth.get(name, 0.0) for name in found), default=0.0)
            for term, worth in zip(self._terms, self._literal_worth, strict=True)
        )

    def own(self, unit: int) -> tuple[float, ...]:
        """How surely the unit itself holds each term."""
        own = self._own.get(unit)
        if own is None:
            if unit in self._masks:
                text, words = self.units.text(unit).lower(), self.units.words(unit)
                own = tuple(quality(term, text, words) for term in self._terms)
            else:
                own = (0.0,) * len(self._terms)
            self._own[unit] = own
        return own

    def _judged(self, unit: int) -> _Candidate:
        own = self.own(unit)
        held = list(own)
        first = last = unit
        reach = self._around(unit)
        for index, term in enumerate(self._terms):
            if own[index] >= 0.6:
                continue
            for other, worth, quoted in reach:
                value = self.own(other)[index] * worth
                if value > held[index] + 0.05:
                    held[index] = value
                    if quoted and term.weight >= 1:
                        first, last = min(first, other), max(last, other)
            title = self._in_titles(unit, term)
            held[index] = max(held[index], title)
        coverage = sum(term.weight * value for term, value in zip(self._terms, held, strict=True)) / self._weight
        rarity = (
            sum(
                term.weight * value * _rareness(term, self.statistics)
                for term, value in zip(self._terms, held, strict=True)
            )
            / self._full
        )
        text = self.units.text(unit)
        score = _COVERAGE_SCORE * coverage + _RARITY_SCORE * rarity + _FIT_SCORE * fit(self.question, text)
        if not any(own):
            score -= 0.5
        return _Candidate(unit, score + self._order(unit, text), first, last)

    def _order(self, unit: int, text: str) -> float:
        """A little more for what a superlative asks for."""
        how = self.question.superlative
        if how in ("most", "least"):
            size = magnitude(self.question, text)
            if size is None:
                return -1.0
            share = min(1.0, math.log1p(size * 1e6) / 60)
            return share if how == "most" else 1 - share
        if how == "last":
            chunk = self.units.chunk
            return 0.1 * (chunk.index + unit / max(1, self.units.count)) / max(1, chunk.total)
        return 0.0

    def _around(self, unit: int) -> list[tuple[int, float, bool]]:
        """The units around that belong to one: (unit, what a term in it counts, whether it is to be quoted along)."""
        if self.by_line:
            low, high = max(0, unit - _NEARBY_REACH), min(self.units.count - 1, unit + _NEARBY_REACH)
            return [(other, _NEARBY, False) for other in range(low, high + 1) if other != unit]
        around = [(other, _IN_ANCESTOR, unit - other <= 3) for other in self.units.ancestors(unit)]
        around += [
            (other, _IN_BLOCK, abs(other - unit) <= 3)
            for other in self.units.block(unit, _BLOCK_REACH)
            if other != unit
        ]
        return around

    def _in_titles(self, unit: int, term: Term) -> float:
        best = 0.0
        piece = self.units.piece(unit)
        if piece is not None and piece.title:
            best = _IN_TITLE * quality(term, piece.title.lower(), words_of(piece.title))
        if self.units.chunk.format == "csv" and self.statistics.head:
            head = self.statistics.head.splitlines()[0]
            best = max(best, _IN_HEAD * quality(term, head.lower(), words_of(head)))
        return best


def _occurring(term: Term, statistics: Statistics) -> Term:
    """The term with those of its needles that occur at all, the surest first."""
    needles = sorted((needle for needle in term.needles if statistics.occurs(needle)), key=lambda one: -one.worth)
    return replace(term, needles=tuple(needles))


def _rareness(term: Term, statistics: Statistics) -> float:
    """How much finding a term tells: that of its surest needle that occurs."""
    rarities = [statistics.rarity(needle) for needle in term.needles if statistics.occurs(needle)]
    return 0.1 + rarities[0] if rarities else 1.0
