"""What the values of a column are: numbers, dates, words, nothing. Columns are profiled value by value, from a sample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_MONTH = rb"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_TIME = rb"\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[ap]m)?"
_ZONE = rb"(?: ?(?:z|utc|gmt|[a-z]{3,4}|[+-]\d\d:?\d\d|[+-]\d\d))?"
_ISO_DAY = rb"\d{4}(?P<dash%d>[-/.])\d{1,2}(?P=dash%d)\d{1,2}"
_OTHER_DAY = (
    rb"(?:\d{1,2}(?P<slash%d>[-/.])\d{1,2}(?P=slash%d)(?:\d{4}|\d\d)|\d{1,2}[ -/]" + _MONTH + rb"[ ,-/]{1,2}\d{2,4}"
    rb"|" + _MONTH + rb"[ -]\d{1,2},? \d{4}|\d{4}[ -]" + _MONTH + rb"[ -]\d{1,2})"
)

_KINDS = re.compile(
    rb"(?:(?P<empty>|\\N|null|none|n/?a|nan|-)"
    rb"|(?P<code>0\d+)"
    rb"|(?P<integer>[+-]?\d{1,30})"
    rb"|(?P<number>[+-]?(?:\d+[.,]\d*|[.,]\d+|\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?|\d+)(?:e[+-]?\d+)?|[+-]?inf)"
    rb"|(?P<boolean>true|false|yes|no)"
    rb"|(?P<iso_date>" + _ISO_DAY % (1, 1) + rb")"
    rb"|(?P<date>" + _OTHER_DAY % (1, 1) + rb")"
    rb"|(?P<datetime>(?:" + _ISO_DAY % (2, 2) + rb"|" + _OTHER_DAY % (2, 2) + rb")[t ]" + _TIME + _ZONE + rb")"
    rb"|(?P<time>" + _TIME + rb"))",
    re.IGNORECASE,
)
_GROUPS = {"iso_date": "date"}

#: A column is called by its type when at most one value in so many is of another.
_EXCEPTIONS = 50
_MAX_KEPT_TEXT = 40
_MAX_DISTINCT = 5000


def kind_of(value: bytes) -> str:
    """The kind of one value: empty, code (digits with a leading zero), integer, number, boolean, date, time, text …"""
    if len(value) > 64:
        return "text"
    match = _KINDS.fullmatch(value.strip())
    if match is None:
        return "text"
    for name in ("empty", "code", "integer", "number", "boolean", "iso_date", "date", "datetime", "time"):
        if match.group(name) is not None:
            return _GROUPS.get(name, name)
    return "text"


def numeric(value: bytes) -> float | int | None:
    """The number that an integer or number value stands for; None where that is not plain."""
    text = value.strip().decode("ascii", "replace")
    try:
        return int(text)
    except ValueError:
        pass
    if "," in text and ("." in text or text.count(",") > 1 or re.fullmatch(r"[+-]?\d{1,3},\d{3}", text)):
        text = text.replace(",", "")
    text = text.replace(",", ".").replace("'", "").replace(" ", "")
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


@dataclass(slots=True)
class ColumnProfile:
    """What has been seen of one column. `seen` values in all; `kinds` how many of each kind."""

    name: str
    seen: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    low: float | int | None = None
    high: float | int | None = None
    first: bytes | None = None
    last: bytes | None = None
    close: int = 0
    """Of how many values the longest, the distinct ones and the examples are."""
    longest: int = 0
    distinct: set[int] = field(default_factory=set)
    repeats: int = 0
    examples: list[str] = field(default_factory=list)
    unseen: int = 0
    """How many of the values were not looked at, since they hardly can matter."""
    bounds: dict[tuple[str, bool, bool], int] = field(default_factory=dict)
    """By form of number, end of the range (is it the high one) and sign: the first bytes as a number (`tables.plain`)."""

    def add(self, values: Iterable[bytes], encoding: str) -> None:
        """Take note of values; each different one is looked at once."""
        for value, count in Counter(values).items():
            kind = kind_of(value)
            self.seen += count
            self.close += count
            self.add_kind(kind, count)
            if kind != "empty":
                self._add_filled(value, kind, count, encoding)

    def _add_filled(self, value: bytes, kind: str, count: int, encoding: str) -> None:
        self.longest = max(self.longest, len(value))
        if len(self.distinct) < _MAX_DISTINCT:
            # A hash of text is not the same in every process, so an integer made of the bytes is kept.
            mark = int.from_bytes(value[:24], "little") ^ len(value) << 200
            self.repeats += count - (mark not in self.distinct)
            self.distinct.add(mark)
        if len(self.examples) < 3:
            text = value.strip().decode(encoding, "replace")[:_MAX_KEPT_TEXT]
            if text not in self.examples:
                self.examples.append(text)
        self._add_to_range(kind, value)

    def add_kind(self, kind: str, count: int) -> None:
        """Count values of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + count

    def add_kinds(self, values: Iterable[bytes]) -> None:
        """Count values that are in `seen` already by their kinds, and widen the range by them."""
        for value, count in Counter(values).items():
            self.add_kinds_of(value, count)

    def add_kinds_of(self, value: bytes, count: int) -> None:
        """The same for one value that was seen so often."""
        kind = kind_of(value)
        self.add_kind(kind, count)
        self._add_to_range(kind, value)

    def _add_to_range(self, kind: str, value: bytes) -> None:
        if kind in ("integer", "number"):
            self.add_number(value)
        elif kind in ("date", "datetime"):
            self.add_time(value)

    def add_number(self, value: bytes) -> None:
        """Widen the range by one number."""
        number = numeric(value)
        if number is not None:
            self.low = number if self.low is None or number < self.low else self.low
            self.high = number if self.high is None or number > self.high else self.high

    def add_time(self, value: bytes) -> None:
        """Widen the range by one date or time, if it begins with a year."""
        if value[:4].isdigit():
            stamp = value[:_MAX_KEPT_TEXT]
            self.first = stamp if self.first is None or stamp < self.first else self.first
            self.last = stamp if self.last is None or stamp > self.last else self.last

    @property
    def expected(self) -> str:
        """What the next values are likely to be: "text" where a good part of those looked at is, else what most are."""
        kinds = [(count, kind) for kind, count in self.kinds.items() if kind != "empty"]
        total = sum(count for count, _ in kinds)
        if self.kinds.get("text", 0) * 5 > total:
            return "text"
        return max(kinds)[1] if kinds else ""

    @property
    def is_certainly_text(self) -> bool:
        """Whether so much of it is text that it is called so, whatever the values are that were not looked at."""
        return self.kinds.get("text", 0) * _EXCEPTIONS > self.seen - self.kinds.get("empty", 0)

    @property
    def is_uncertain(self) -> bool:
        """Whether the type or range might be another if all values had been looked at."""
        return self.unseen > 0 and not self.is_certainly_text

    @property
    def type(self) -> str:
        """The type of the column: that of all its values but a few."""
        if self.is_certainly_text:
            return "text"
        kinds = {kind: count for kind, count in self.kinds.items() if kind != "empty"}
        total = sum(kinds.values())
        if not total:
            return "empty"
        if "number" in kinds:
            kinds["number"] += kinds.pop("integer", 0)
        if "datetime" in kinds:
            kinds["datetime"] += kinds.pop("date", 0)
        if "code" in kinds:
            # Numbers of which some begin with a zero: a code, unless that is a rare way to write one.
            if kinds["code"] * 20 > total or "integer" not in kinds:
                kinds["code"] += kinds.pop("integer", 0)
            else:
                kinds["integer"] += kinds.pop("code")
        best = max(kinds, key=lambda kind: (kinds[kind], kind))
        if (total - kinds[best]) * _EXCEPTIONS > total:
            return "text"
        return best

    @property
    def is_distinct(self) -> bool:
        """Whether no value was seen twice; only known where all were looked at closely."""
        return self.close == self.seen and not self.repeats and 1 < len(self.distinct) < _MAX_DISTINCT

    @property
    def distinct_share(self) -> float:
        """How many of the values are not repeats of another, 0 to 1."""
        return len(self.distinct) / max(1, len(self.distinct) + self.repeats)

    def facts(self, encoding: str) -> dict[str, Any]:
        """Name, type and range as JSON values."""
        kind = self.type
        facts: dict[str, Any] = {"name": self.name, "type": kind}
        if kind in ("integer", "number") and self.low is not None:
            facts["min"], facts["max"] = self.low, self.high
        elif kind in ("date", "datetime") and self.first is not None and self.last is not None:
            facts["min"], facts["max"] = self.first.decode(encoding, "replace"), self.last.decode(encoding, "replace")
        elif kind in ("text", "boolean", "code", "time") and self.examples:
            facts["examples"] = list(self.examples)
        return facts
