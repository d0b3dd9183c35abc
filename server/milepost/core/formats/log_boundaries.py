"""Where the cells of a log begin: at stamps read at fixed places, at gaps, new days, restarts and build steps."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from milepost.core.formats.log_view import BlockView
from milepost.core.logs.ansi import strip_ansi
from milepost.core.logs.ledger import Kind
from milepost.core.logs.phases import phase_label
from milepost.core.logs.timestamps import Stamp, StampReader
from milepost.core.logs.years import YearResolver

#: A gap between stamps is one that is longer than a minute and so many times the usual distance.
_GAP_FACTOR = 12.0
_GAP_SECONDS = 60.0
#: A start or stop this soon after another one belongs to the same restart.
_RESTART_LINES = 100
#: In a log without times, so many places may pass at which no record begins.
_MOST_WITHOUT_HEAD = 4


@dataclass(slots=True)
class Found:
    """An incident in a block: line indexes `start` to `end` (exclusive); line `hit` is the one that told."""

    start: int
    end: int
    kind: Kind
    hit: int


@dataclass(slots=True)
class Mark:
    """A place where a cell may begin. `seconds` is the time of its line, if it was read."""

    strength: float
    label: str = ""
    seconds: float | None = None


class Boundaries:
    """Finds the places in each block; remembers the last time, and how far apart stamps usually are."""

    def __init__(self, reader: StampReader | None, years: YearResolver | None, start_byte: int) -> None:
        self.reader = reader
        self.years = years
        self.last_time: float | None = None
        self._typical_gap = 0.0
        self._next_mark = start_byte
        self._restart_line = -_RESTART_LINES

    def marks(self, view: BlockView, found: list[Found], phases: list[int], covered: int) -> dict[int, Mark]:
        """Where cells may begin in this block, by line index; never inside an incident."""
        marks: dict[int, Mark] = {}
        indexes, self._next_mark = view.mark_indexes(self._next_mark)
        if self.reader is not None:
            self._time_marks(view, indexes, marks)
        else:
            self._head_marks(view, indexes, marks)
        for index in phases:
            marks[index] = Mark(2.0, phase_label(strip_ansi(view.line(index))))
        for one in found:
            number = view.number(one.start)
            if one.kind.category == "restart" and one.kind.count < 8 and number - self._restart_line > _RESTART_LINES:
                self._restart_line = number
                marks[one.start] = Mark(2.5, "", self._time_of(view, one.start))
        begins = [one.start for one in found]
        result: dict[int, Mark] = {}
        for index, mark in marks.items():
            place = bisect_right(begins, index) - 1
            target = index
            if place >= 0 and found[place].start < index < found[place].end:
                target = found[place].end
            target = max(target, covered)
            if target >= view.count:
                continue
            if target != index:
                mark = Mark(mark.strength, mark.label)
            if target not in result or result[target].strength < mark.strength:
                result[target] = mark
        return result

    def _head_marks(self, view: BlockView, indexes: list[int], marks: dict[int, Mark]) -> None:
        """Without times, cells begin at records; where only continuations come for long, at one of them."""
        without = 0
        for index in indexes:
            without += 1
            if without > _MOST_WITHOUT_HEAD or view.is_head(index):
                marks[index] = Mark(0.0)
                without = 0

    def _time_of(self, view: BlockView, index: int) -> float | None:
        stamp = self.reader.read(strip_ansi(view.line(index))) if self.reader else None
        return self.years.observe(stamp) if stamp and self.years else None

    def _time_marks(self, view: BlockView, indexes: list[int], marks: dict[int, Mark]) -> None:
        reader, years = self.reader, self.years
        assert reader is not None
        assert years is not None
        samples: list[tuple[int, Stamp]] = []
        for index in indexes:
            if samples and index <= samples[-1][0]:
                continue
            stamped = view.stamp_near(reader, index)
            if stamped is not None:
                samples.append(stamped)
        last = view.last_stamp(reader)
        if last is not None and (not samples or last[0] > samples[-1][0]):
            samples.append(last)
        previous: tuple[int, Stamp] | None = None
        for index, stamp in samples:
            if previous is None:
                seconds = years.observe(stamp)
                if self.last_time is not None:
                    self._mark_gap(index, self.last_time, seconds, marks)
            else:
                gap = stamp.seconds - previous[1].seconds
                if abs(gap) > max(_GAP_SECONDS, _GAP_FACTOR * self._typical_gap) and index - previous[0] > 1:
                    left, right = view.bisect_gap(reader, previous, (index, stamp))
                    before = years.observe(left[1])
                    self._mark_gap(right[0], before, years.observe(right[1]), marks)
                elif stamp.seconds // 86400 != previous[1].seconds // 86400:
                    self._mark_gap(index, previous[1].seconds, stamp.seconds, marks)
                elif gap >= 0:
                    self._typical_gap += (gap - self._typical_gap) * (0.1 if self._typical_gap else 1.0)
                seconds = years.observe(stamp)
            if index in marks:
                marks[index].seconds = seconds
            else:
                marks[index] = Mark(0.0, "", seconds)
            self.last_time = seconds
            previous = (index, stamp)

    def _mark_gap(self, index: int, before: float, seconds: float, marks: dict[int, Mark]) -> None:
        """A cut between two neighbouring stamps: a new day, a gap, or a clock that goes back."""
        gap = seconds - before
        if gap < -_GAP_SECONDS:
            marks[index] = Mark(3.0, "the clock goes back", seconds)
        elif gap > max(_GAP_SECONDS, _GAP_FACTOR * self._typical_gap):
            strength = min(4.0, 1.0 + float(np.log10(max(1.0, gap / max(self._typical_gap, 5.0)))))
            marks[index] = Mark(strength, f"after a gap of {_span(gap)}", seconds)
        elif gap > 0 and seconds // 86400 != before // 86400:
            marks[index] = Mark(2.2, "", seconds)


def _span(seconds: float) -> str:
    for size, unit in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
