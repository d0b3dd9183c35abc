"""What belongs to a line: the lines it is indented under, its stanza, the record it is in, the title of its section."""

from __future__ import annotations

import re
from collections.abc import Mapping

from milepost.digest.answers.matching import quality
from milepost.digest.answers.survey import Statistics
from milepost.digest.answers.terms import Term
from milepost.digest.answers.units import Units
from milepost.digest.answers.words import words_of

#: What a term counts that is not on the line itself, by where it is.
_IN_ANCESTOR, _IN_STANZA, _IN_CHILD, _IN_RECORD, _IN_TITLE, _IN_HEAD, _NEARBY, _AT_ONCE = (
    0.75,
    0.7,
    0.5,
    0.45,
    0.5,
    0.9,
    0.2,
    0.6,
)
_NEXT_LINE, _IN_PARAGRAPH = 0.9, 0.55
_STANZA_REACH, _NEARBY_REACH = 4, 2
#: Lines of a log that begin alike for so long were written at one moment by one process.
_SAME_HEAD = 28
_MOMENT = re.compile(rb"[.,]\d{3}")
_MAX_STANZA, _MAX_RECORD, _MAX_CHILDREN = 12, 120, 30

#: Formats in which every line is a record of its own, but for stanzas between blank lines.
_BY_LINE = frozenset(("log", "ndjson", "csv", "gc_log", "strace"))


_PROSE = frozenset(("text", "markup"))


class Context:
    """What belongs to the units of a chunk. `masks` has the units in which anything was found."""

    def __init__(self, units: Units, statistics: Statistics, masks: Mapping[int, object]) -> None:
        self._units = units
        self._masks = masks
        self._head = _header_of(statistics.head) if units.chunk.format == "csv" else ""
        self._by_line = units.chunk.format in _BY_LINE
        self._all_prose = units.chunk.format in _PROSE
        self._around: dict[int, list[tuple[int, float]]] = {}

    def is_stanza(self, unit: int) -> bool:
        """Whether the lines beside belong to it."""
        if not self._by_line:
            return True
        block = self._units.block(unit, _MAX_STANZA)
        return 1 < len(block) <= _MAX_STANZA and self._has_edges(block)

    def _has_edges(self, block: range) -> bool:
        """Whether blank lines are around it, and it is not the whole chunk."""
        low, high = block[0], block[-1]
        is_after_blank = low > 0 and self._units.is_blank(low - 1)
        return is_after_blank or (high + 1 < self._units.count and self._units.is_blank(high + 1))

    def around(self, unit: int) -> list[tuple[int, float]]:
        """The units that belong to one and hold anything: (unit, what a term in it counts)."""
        around = self._around.get(unit)
        if around is None:
            best: dict[int, float] = {}
            for other, worth in self._all_around(unit):
                if other != unit and other in self._masks:
                    best[other] = max(best.get(other, 0.0), worth)
            around = self._around[unit] = list(best.items())
        return around

    def _all_around(self, unit: int) -> list[tuple[int, float]]:
        units = self._units
        if self._by_line and not self.is_stanza(unit):
            low, high = max(0, unit - _NEARBY_REACH), min(units.count - 1, unit + _NEARBY_REACH)
            return [(other, self._nearby(unit, other)) for other in range(low, high + 1)]
        reach = _MAX_STANZA if self._by_line else _STANZA_REACH
        prose = self.is_prose(unit)
        found = [(other, _in_prose(abs(other - unit)) if prose else _IN_STANZA) for other in units.block(unit, reach)]
        if units.is_nested:
            found += [(other, _IN_ANCESTOR) for other in units.ancestors(unit)]
            found += [(other, _IN_CHILD) for other in units.children(unit, _MAX_CHILDREN)]
            found += [(other, _IN_RECORD) for other in units.record(unit, _MAX_RECORD)]
        return found

    def _nearby(self, unit: int, other: int) -> float:
        if self._units.chunk.format == "log":
            here, there = self._units.raw(unit)[:_SAME_HEAD], self._units.raw(other)[:_SAME_HEAD]
            if here == there and len(here) == _SAME_HEAD and _MOMENT.search(here):
                return _AT_ONCE
        return _NEARBY if abs(other - unit) == 1 else 0.0

    def is_prose(self, unit: int) -> bool:
        """Whether a line is one of running text, which is broken anywhere."""
        return self._all_prose or (
            self._units.chunk.format == "xml" and not self._units.raw(unit).lstrip().startswith(b"<")
        )

    def in_titles(self, unit: int, term: Term) -> float:
        """How far the title of the section holds a term, or the header of the table."""
        best = 0.0
        piece = self._units.piece(unit)
        if piece is not None and piece.title:
            best = _IN_TITLE * quality(term, piece.title.lower(), words_of(piece.title))
        if self._head:
            best = max(best, _IN_HEAD * quality(term, self._head.lower(), words_of(self._head)))
        return best


def _in_prose(distance: int) -> float:
    """The next line of running text is as good as the same."""
    return _NEXT_LINE if distance <= 1 else _IN_STANZA if distance == 2 else _IN_PARAGRAPH


def _header_of(head: str) -> str:
    """The first line of a table if it names columns: no cell of it is a number."""
    first = head.splitlines()[0] if head else ""
    return "" if any(character.isdigit() for character in first[:12]) else first
