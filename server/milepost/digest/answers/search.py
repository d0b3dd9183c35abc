"""The lines of a chunk that may answer a question, ranked.

A line is worth what of the question it holds: each term by itself or by what stands for it, rare ones more than those that
are everywhere; less what the lines hold that belong to it (those above it that it is indented under, those of its stanza,
the title of its section). It is worth more if it holds the kind of thing that was asked for; where only a line beside it
does, both are quoted.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from milepost.core.text import cut_text
from milepost.digest.answers.causes import find_causes
from milepost.digest.answers.context import Context
from milepost.digest.answers.expected import fit, focus, has_shape
from milepost.digest.answers.form import Form
from milepost.digest.answers.magnitude import measure_of, share_of
from milepost.digest.answers.matching import credit, quality
from milepost.digest.answers.patterns import NeedlePatterns, literal_of
from milepost.digest.answers.question import Question
from milepost.digest.answers.survey import Statistics
from milepost.digest.answers.terms import Term
from milepost.digest.answers.units import Units
from milepost.digest.values import NOTE_MAX_BYTES, ChunkText, Note

MAX_NOTES = 8

_MAX_CANDIDATES = 160
_MAX_ANCHORS = 16
_MAX_ALIKE = 2
_PAIR_REACH = 3

_COVERAGE_SCORE, _RARITY_SCORE = 6.0, 4.0
#: What the score is multiplied with where a line does not at all hold the kind of thing that was asked for.
_UNFIT = 0.72
FULL_SCORE = _COVERAGE_SCORE + _RARITY_SCORE
"""The score of a line that holds all of the question in its own words, at a place that is unique."""

#: What the score is multiplied with where nothing says what was done.
_UNTOLD, _TOLD = 0.8, 0.62
_BY_SHAPE = 0.65
#: So much of a question at most may be held by the lines around.
_BY_OTHERS = 0.45
#: Less than this by itself is too little.
_ALONE = 0.3
#: What the whole file is about need not be said again.
_GENERIC_WEIGHT, _TAKEN_AS_SAID = 0.2, 0.7

_LATER = 0.1
#: Lines whose scores differ by less fit a superlative equally; then the number decides.
_EQUALLY_FIT = 0.5
_REPEATED = 0.02
_TOO_LITTLE = 0.85

_DIGITS = re.compile(r"\d+")


def search_chunk(chunk: ChunkText, question: Question, statistics: Statistics) -> tuple[Note, ...]:
    """The best candidates of a chunk, at most `MAX_NOTES`, in file order."""
    if question.is_cause:
        causes = find_causes(chunk, of_stop=question.is_stop)
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
        self._terms = tuple(_occurring(term, statistics) for term in question.terms)
        self._rareness = tuple(_rareness(term, statistics) for term in question.terms)
        self._weights = tuple(
            _weight(term, rareness) for term, rareness in zip(self._terms, self._rareness, strict=True)
        )
        self._weight = sum(self._weights) or 1.0
        self._full = sum(term.weight * rareness for term, rareness in zip(self._terms, self._rareness, strict=True))
        self._focus = focus(question)
        self._measure = measure_of(question)
        self._form = Form(question, self._terms, units.chunk.format)
        self._patterns = statistics.patterns or NeedlePatterns(question.needles)
        self._masks: dict[int, set[str]] = {}
        for literal, end in self._patterns.find(units.chunk.data):
            self._masks.setdefault(units.at(end - 1), set()).add(self._patterns.literals[literal])
        self._worth = tuple(
            {literal_of(needle): needle.worth * (0.5 + statistics.rarity(needle)) for needle in reversed(term.needles)}
            for term in self._terms
        )
        self._own: dict[int, tuple[float, ...]] = {}
        self._context = Context(units, statistics, self._masks)

    def notes(self) -> tuple[Note, ...]:
        """The best units as notes."""
        ranked = sorted(self._masks, key=lambda unit: (-self._promise(unit), -self._measured(unit), unit))
        ranked = ranked[:_MAX_CANDIDATES]
        found = [self._judged(unit) for unit in ranked]
        found.sort(key=lambda one: (-one.score, one.unit))
        for one in found[:_MAX_ANCHORS]:
            self._pair(one)
        if self.question.counted and self.units.chunk.index == 0:
            found.append(_Candidate(0, FULL_SCORE / 2, 0, 0))
        self._spread(found)
        found.sort(key=lambda one: (-one.score, one.unit))
        return self._picked(found)

    def _promise(self, unit: int) -> float:
        """What a unit may be worth at most, before its words are looked at."""
        found = self._masks[unit]
        return sum(
            term.weight * max((worth.get(name, 0.0) for name in found), default=0.0)
            for term, worth in zip(self._terms, self._worth, strict=True)
        )

    def _measured(self, unit: int) -> float:
        """How far a unit holds what a superlative asks for, from 0 to 1, before all else is looked at."""
        if self._measure is None:
            return 0.0
        size = self._measure.of(self.units.text(unit))
        if size is None:
            return 0.0
        return share_of(size) if self.question.superlative == "most" else 1 - share_of(size)

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
        text = self.units.text(unit)
        own = list(self.own(unit))
        first = last = unit
        for index, term in enumerate(self._terms):
            if term.text.startswith("how "):
                own[index] = max(own[index], 0.7 * fit(self.question, text))
            if self._focus is not None and own[index] < _BY_SHAPE and re.search(self._focus[0], term.text.lower()):
                own[index] = _BY_SHAPE if self._focus[1].search(text) else own[index]
        held = [credit(value) for value in own]
        by_itself = sum(weight * one for weight, one in zip(self._weights, held, strict=True)) / self._weight
        value = list(own)
        if any(one < 0.6 for one in own):
            for other, worth in self._context.around(unit):
                for index, theirs in enumerate(self.own(other)):
                    if (
                        self._context.is_prose(unit)
                        and abs(other - unit) == 1
                        and credit(theirs) * worth > held[index] + 0.2
                    ):
                        first, last = min(first, other), max(last, other)
                    held[index] = max(held[index], credit(theirs) * worth)
                    value[index] = max(value[index], theirs * worth)
            for index, term in enumerate(self._terms):
                title = self._context.in_titles(unit, term)
                held[index] = max(held[index], title)
                value[index] = max(value[index], title)
        for index, term in enumerate(self._terms):
            if term.weight < _GENERIC_WEIGHT:
                held[index], value[index] = max(held[index], _TAKEN_AS_SAID), max(value[index], _TAKEN_AS_SAID)
        coverage = sum(weight * one for weight, one in zip(self._weights, held, strict=True)) / self._weight
        coverage = min(coverage, by_itself + _BY_OTHERS)
        rarity = (
            sum(
                term.weight * one * rareness
                for term, one, rareness in zip(self._terms, value, self._rareness, strict=True)
            )
            / self._full
        )
        base = _COVERAGE_SCORE * coverage + _RARITY_SCORE * rarity
        score = base * (_UNFIT + (1 - _UNFIT) * fit(self.question, text))
        if by_itself < _ALONE:
            score *= _TOO_LITTLE
        if any(term.is_predicate and one < _TOLD for term, one in zip(self._terms, held, strict=True)):
            score *= _UNTOLD
        score += self._form.bonus(text)
        if self._measure is not None:
            score = math.floor(score / _EQUALLY_FIT) * _EQUALLY_FIT
        return _Candidate(unit, score + self._order(unit, text), first, last)

    def _pair(self, one: _Candidate) -> None:
        """Where the line beside holds the kind of thing that is asked for and this one does not, quote both."""
        mine = fit(self.question, self.units.text(one.unit))
        if mine >= 0.5 or not has_shape(self.question) or not self._context.is_stanza(one.unit):
            return
        beside = [
            (fit(self.question, self.units.text(other)), -abs(other - one.unit), -other)
            for other in self.units.block(one.unit, _PAIR_REACH)
            if other != one.unit
        ]
        theirs, _, other = max(beside, default=(0.0, 0, 0))
        if theirs > max(mine, 0.75):
            one.first, one.last = min(one.unit, -other), max(one.unit, -other)
            one.score *= (_UNFIT + (1 - _UNFIT) * theirs * 0.9) / (_UNFIT + (1 - _UNFIT) * mine)

    def _order(self, unit: int, text: str) -> float:
        """A little more for what a superlative asks for."""
        chunk = self.units.chunk
        done = (chunk.index + unit / max(1, self.units.count)) / max(1, chunk.total)
        return _LATER * done if self.question.superlative == "last" else self._form.extreme(text)

    def _spread(self, found: Sequence[_Candidate]) -> None:
        """A little less for lines that come again and again: what is asked for is seldom what is everywhere."""
        if self.question.superlative:
            return
        alike = Counter(self._template(one.unit) for one in found)
        for one in found:
            one.score -= _REPEATED * math.log2(alike[self._template(one.unit)])

    def _template(self, unit: int) -> str:
        return _DIGITS.sub("0", self.units.text(unit))[:200]

    def _picked(self, best: Sequence[_Candidate]) -> tuple[Note, ...]:
        alike: Counter[str] = Counter()
        places: set[tuple[int, int]] = set()
        picked: list[Note] = []
        for one in self._distinct(best, alike, places):
            if len(picked) >= MAX_NOTES or one.score <= 0:
                break
            picked.append(self._note(one))
        return tuple(sorted(picked, key=lambda note: note.start_byte))

    def _distinct(
        self, best: Sequence[_Candidate], alike: Counter[str], places: set[tuple[int, int]]
    ) -> Iterator[_Candidate]:
        for one in best:
            template = self._template(one.unit)
            if alike[template] < _MAX_ALIKE and (one.first, one.last) not in places:
                alike[template] += 1
                places.add((one.first, one.last))
                yield one

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


def _occurring(term: Term, statistics: Statistics) -> Term:
    """The term with those of its needles that occur at all, the surest first."""
    needles = sorted((needle for needle in term.needles if statistics.occurs(needle)), key=lambda one: -one.worth)
    return replace(term, needles=tuple(needles))


def _weight(term: Term, rareness: float) -> float:
    """What a term counts for whether the question is answered: less if it is everywhere, or generic and nowhere."""
    if term.weight < 1 and not term.needles:
        return term.weight * 0.3
    return term.weight * (0.7 + 0.3 * min(1.0, rareness))


def _rareness(term: Term, statistics: Statistics) -> float:
    """How much finding a term tells: that of its surest needle that occurs."""
    rarities = [statistics.rarity(needle) for needle in term.needles if statistics.occurs(needle)]
    return 0.1 + rarities[0] if rarities else 1.0
