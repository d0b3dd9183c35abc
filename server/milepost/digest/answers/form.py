"""The form of a line: whether it defines what was asked for, counts it, is a comment, or names the largest of it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from milepost.digest.answers.expected import focus
from milepost.digest.answers.magnitude import magnitude, share_of
from milepost.digest.answers.matching import quality
from milepost.digest.answers.patterns import literal_of
from milepost.digest.answers.question import Question
from milepost.digest.answers.terms import Term
from milepost.digest.answers.words import words_of

_DEFINES, _COUNTS, _INSERTS, _COMMENT = 0.6, 1.5, 1.5, 1.0
_BESIDE, _BESIDE_REACH = 0.4, 16
#: From this length on a line says much else.
_LONG = 240

_VALUE_KINDS = frozenset(("how_many", "how_much", "how_long", "whether", "when"))
_COMMENTED = frozenset(("yaml", "ini", "code", "sql"))
_COMMENT_START = re.compile(r"\s*(?:#(?!\w+:)|//|--\s|\*\s|/\*|;)")
_DEFINITION = re.compile(
    r"(?i)\b(?:def|function|func|fn|class|define|procedure|table|view|trigger|interface|struct)\s+[`\"\[]?([\w.]+)"
)
_KEY = re.compile(r"^[\W\d]*([A-Za-z][\w .-]{0,60}?)[\"'`]?\s*[:=]\s*\S")
_NAMED = re.compile(r"\bname=\"([\w .-]{1,60})\"\s+value=\"[^\"]*\"")
_NUMBER_AT_END = re.compile(r"[:=]\s*[\"']?\d+[\"']?,?\s*(?:/?>)?\s*$")
_INTO = re.compile(r"(?i)^\s*(?:insert\s+into|copy)\s+\W?([\w.]+)")
_LIMIT = {
    "most": re.compile(r"(?i:(?:\b|_)max(?:imum)?(?![a-z]))|[a-z]Max(?![a-z])|\bmax(?=[A-Z])"),
    "least": re.compile(r"(?i:(?:\b|_)min(?:imum)?(?![a-z]))|[a-z]Min(?![a-z])|\bmin(?=[A-Z])"),
}


class Form:
    """Judges the form of lines for one question. `terms` hold those needles only that occur."""

    def __init__(self, question: Question, terms: Sequence[Term], format: str) -> None:
        self._question = question
        self._terms = terms
        self._format = format
        self._focus = focus(question)

    def bonus(self, text: str) -> float:
        """More for a line that defines what was asked for, less for a comment and for one that says much else."""
        bonus = self._of_definition(text) + self._of_key(text)
        if len(text) > _LONG and self._format != "ndjson":
            bonus -= min(1.0, 0.25 * math.log2(len(text) / _LONG))
        if self._format in _COMMENTED and _COMMENT_START.match(text):
            bonus -= _COMMENT * (1.5 if self._question.kind in _VALUE_KINDS else 1.0)
        if self._is_beside(text):
            bonus += _BESIDE
        into = _INTO.match(text) if self._question.kind == "how_many" else None
        if into is not None and len(words := words_of(into[1])) == 1 and self._best(into[1].lower(), words) >= 1:
            bonus += _INSERTS
        return bonus

    def extreme(self, text: str) -> float:
        """A little more the larger (or smaller) the number is that a superlative asks for; less where there is none."""
        how = self._question.superlative
        if how not in ("most", "least"):
            return 0.0
        if _LIMIT[how].search(text):
            return 1.0
        size = magnitude(self._question, text)
        if size is None:
            return -1.0
        share = share_of(size)
        return share if how == "most" else 1 - share

    def _of_definition(self, text: str) -> float:
        """The share of a defined name that was asked for: `delete_node` is more than `delete_collection_node`."""
        defined = _DEFINITION.search(text)
        words = words_of(defined[1]) if defined is not None else []
        return _DEFINES * sum(self._best(word, [word], 0.0) >= 0.6 for word in words) / len(words) if words else 0.0

    def _of_key(self, text: str) -> float:
        """More for `retries: 3` where retries are asked for."""
        key = _KEY.match(text) or _NAMED.search(text)
        if key is None:
            return 0.0
        words = words_of(key[1])
        if not words or self._best(key[1].lower(), words, 0.5) < 0.75:
            return 0.0
        counts = self._question.kind == "how_many" and _NUMBER_AT_END.search(text) is not None
        return _DEFINES / max(1, len(words) - 1) + (_COUNTS / len(words) if counts else 0.0)

    def _is_beside(self, text: str) -> bool:
        """Whether what looks like the answer stands right after a word of the question."""
        if self._focus is None:
            return False
        lowered = text.lower()
        for match in self._focus[1].finditer(text):
            before = lowered[max(0, match.start() - _BESIDE_REACH) : match.end()]
            for term in self._terms:
                if term.weight >= 1 and any(literal_of(needle) in before for needle in term.needles[:6]):
                    return True
        return False

    def _best(self, text: str, words: Sequence[str], least_weight: float = 0.5) -> float:
        """How surely a name is one of the terms."""
        return max((quality(term, text, words) for term in self._terms if term.weight >= least_weight), default=0.0)
