"""Years for timestamps that carry none (`Jun  9 06:06:20`), from the order of the lines and a declared reference."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Protocol

from milepost.core.logs.stamp_shapes import DAY_SECONDS, is_leap

PLACEHOLDER_YEAR = 2000
"""The year that year-less stamps stand in until they are placed: a leap year, so that 29 February keeps its day."""

_ORIGIN = datetime(1970, 1, 1, tzinfo=timezone.utc)
_PLACEHOLDER_START = (datetime(PLACEHOLDER_YEAR, 1, 1, tzinfo=timezone.utc) - _ORIGIN).total_seconds()
_LEAP_DAY = 59
_DISORDER_SECONDS = 45 * DAY_SECONDS
_SLACK_SECONDS = DAY_SECONDS


class Dated(Protocol):
    """What the resolver needs of a stamp."""

    @property
    def seconds(self) -> float: ...
    @property
    def has_year(self) -> bool: ...
    @property
    def has_date(self) -> bool: ...
    @property
    def shape(self) -> str: ...


class YearResolver:
    """Places year-less stamps of one file, read forwards.

    A step back of more than 45 days is the turn of a year; less is disorder. At the end of the file the last line is at
    or before the reference (a day of slack for zones), which fixes the years of all. `observe` gives provisional times
    that are right whenever the file spans less than a year, and always in order; `settle` corrects them after the pass.
    A clock without a date counts days from 0 in the same manner. The state is a few numbers: it can be deep-copied.
    """

    __slots__ = ("_days", "_first_year", "_latest", "_leap_turns", "_second_of_day", "_turn", "reference_seconds")

    def __init__(self, reference_seconds: float) -> None:
        self.reference_seconds = reference_seconds
        self._turn = 0
        self._latest: float | None = None
        self._first_year = 0
        self._leap_turns: set[int] = set()
        self._days = 0
        self._second_of_day: float | None = None

    def observe(self, stamp: Dated) -> float:
        """Takes the next line's stamp in, and returns its provisional seconds since 1970."""
        if stamp.has_year:
            return stamp.seconds
        if not stamp.has_date:
            return self._observe_clock(stamp.seconds) if stamp.shape == "time" else stamp.seconds
        position = stamp.seconds - _PLACEHOLDER_START
        turn = self._turn
        if self._latest is None:
            self._latest = position
            self._first_year = self._year_at_or_before_reference(position)
        elif position >= self._latest:
            # A line of late December among lines of early January is one that came late, not eleven months on.
            if self._latest + 366 * DAY_SECONDS - position <= _DISORDER_SECONDS and turn > 0:
                turn -= 1
            else:
                self._latest = position
        elif self._latest - position > _DISORDER_SECONDS:
            self._turn += 1
            turn = self._turn
            self._latest = position
        if int(position // DAY_SECONDS) == _LEAP_DAY:
            self._leap_turns.add(turn)
        return _seconds_in(self._first_year + turn, position)

    def settle(self, provisional_seconds: float) -> float:
        """The final time of a year-less stamp that `observe` returned, once every line has been observed.

        A 29 February that stood in a common year provisionally is lost: it settles on 1 March.
        """
        shift = self.first_year - self._first_year
        if not shift:
            return provisional_seconds
        moment = _ORIGIN + timedelta(seconds=provisional_seconds)
        start = (datetime(moment.year, 1, 1, tzinfo=timezone.utc) - _ORIGIN).total_seconds()
        offset = provisional_seconds - start
        if not is_leap(moment.year) and offset >= _LEAP_DAY * DAY_SECONDS:
            offset += DAY_SECONDS
        return _seconds_in(moment.year + shift, offset)

    @property
    def first_year(self) -> int:
        """The year of the first line, as far as it can be known now."""
        if self._latest is None:
            return self._first_year
        year = self._year_at_or_before_reference(self._latest) - self._turn
        if self._leap_turns:
            for candidate in range(year, year - 12, -1):
                if all(is_leap(candidate + turn) for turn in self._leap_turns):
                    return candidate
        return year

    def _year_at_or_before_reference(self, position: float) -> int:
        year = (_ORIGIN + timedelta(seconds=self.reference_seconds)).year
        # The year in UTC may be the one before or after the file's own, so begin one later.
        while _seconds_in(year + 1, position) <= self.reference_seconds + _SLACK_SECONDS:
            year += 1
        while _seconds_in(year, position) > self.reference_seconds + _SLACK_SECONDS:
            year -= 1
        return year

    def _observe_clock(self, second_of_day: float) -> float:
        day = self._days
        if self._second_of_day is None:
            self._second_of_day = second_of_day
        else:
            step = second_of_day - self._second_of_day
            if step < -DAY_SECONDS / 2:
                self._days += 1
                day = self._days
                self._second_of_day = second_of_day
            elif step > DAY_SECONDS / 2 and self._days > 0:
                day -= 1
            else:
                self._second_of_day = max(self._second_of_day, second_of_day)
        return day * DAY_SECONDS + second_of_day


def _seconds_in(year: int, leap_position: float) -> float:
    """Seconds since 1970 of a position in a leap year (seconds since its beginning), moved into another year."""
    start = (datetime(year, 1, 1, tzinfo=timezone.utc) - _ORIGIN).total_seconds()
    if not is_leap(year) and leap_position >= (_LEAP_DAY + 1) * DAY_SECONDS:
        # 29 February itself becomes 1 March.
        leap_position -= DAY_SECONDS
    return start + leap_position
