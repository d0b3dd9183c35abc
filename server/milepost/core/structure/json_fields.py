"""What the fields of many records hold: types, ranges, the few values of those that have few."""

from __future__ import annotations

import math
import re
from typing import Any

from milepost.core.structure.json_values import type_of
from milepost.core.text import clip_text

MAX_FIELDS = 64
_MAX_DISTINCT = 12
_TEXT_BYTES = 60

_TIME_NAMES = (
    "@timestamp", "timestamp", "time", "ts", "datetime", "date", "created_at", "createdat", "created", "start", "starttime",
    "start_time", "eventtime", "event_time", "logged_at", "asctime", "t",
)  # fmt: skip
_LEVEL_NAMES = ("level", "severity", "loglevel", "log_level", "levelname", "lvl", "log.level", "error_severity", "s")
_MESSAGE_NAMES = ("message", "msg", "event", "text", "body", "log", "fields")
_KINDS = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "array",
}
_DATE_LIKE = re.compile(r"\d{4}-\d\d-\d\d|\d\d[:/.-]\d\d[:/.-]\d\d")
_KIND_NAMES = ("type", "event", "kind", "_type", "action", "code", "level", "severity", "name", "status", "method")


class Fields:
    """Gathers what is seen of the fields of records; nested objects one level deep, as `outer.inner`."""

    def __init__(self) -> None:
        self.records = 0
        self._fields: dict[str, _Field] = {}
        self.is_clipped = False

    def add(self, record: Any) -> None:
        """Take a decoded record."""
        self.records += 1
        if not isinstance(record, dict):
            self._see("(value)", record)
            return
        for key, value in record.items():
            if isinstance(value, dict) and 0 < len(value) <= 12:
                self._see(key, value)
                for inner, one in value.items():
                    self._see(f"{key}.{inner}", one)
            else:
                self._see(key, value)

    def _see(self, name: str, value: Any) -> None:
        field = self._fields.get(name)
        if field is None:
            if len(self._fields) >= MAX_FIELDS:
                self.is_clipped = True
                return
            field = self._fields[name] = _Field()
        field.add(value)

    def copy(self) -> Fields:
        """An independent copy."""
        twin = Fields()
        twin.records, twin.is_clipped = self.records, self.is_clipped
        twin._fields = {name: field.copy() for name, field in self._fields.items()}
        return twin

    def facts(self) -> dict[str, Any]:
        """The fields by name, in the order in which they were first seen."""
        return {clip_text(name, 60): field.facts(self.records) for name, field in self._fields.items()}

    def names(self) -> list[str]:
        """The names of the outer fields."""
        return [name for name in self._fields if "." not in name]

    def kind_field(self) -> str:
        """The field that tells sorts of record apart, where one has a few values and every record has it."""
        for wanted in _KIND_NAMES:
            field = self._fields.get(wanted)
            if field is not None and field.times == self.records and field.distinct and len(field.distinct) > 1:
                return wanted
        return ""


class _Field:
    __slots__ = ("distinct", "high", "longest", "low", "times", "types")

    def __init__(self) -> None:
        self.times = 0
        self.types: dict[str, int] = {}
        self.low: Any = None
        self.high: Any = None
        self.longest = 0
        self.distinct: dict[str, int] | None = {}

    def add(self, value: Any) -> None:
        self.times += 1
        sort = type(value)
        kind = _KINDS.get(sort) or type_of(value)
        self.types[kind] = self.types.get(kind, 0) + 1
        if sort is str:
            if len(value) > _TEXT_BYTES:
                self.longest = max(self.longest, len(value))
                value = value[:_TEXT_BYTES]
        elif kind != "number" or not math.isfinite(value):
            return
        low = self.low
        if low is None:
            self.low = self.high = value
        elif (sort is str) is isinstance(low, str):
            if value < low:
                self.low = value
            elif value > self.high:
                self.high = value
        if self.distinct is not None:
            text = value if sort is str else str(value)
            self.distinct[text] = self.distinct.get(text, 0) + 1
            if len(self.distinct) > _MAX_DISTINCT:
                self.distinct = None

    def copy(self) -> _Field:
        twin = _Field()
        twin.times, twin.types, twin.longest = self.times, dict(self.types), self.longest
        twin.low, twin.high = self.low, self.high
        twin.distinct = None if self.distinct is None else dict(self.distinct)
        return twin

    def facts(self, records: int) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "|".join(sorted(self.types))}
        if self.times < records:
            found["in"] = f"{self.times} of {records}"
        if self.low is not None:
            found["min"], found["max"] = _shown(self.low), _shown(self.high)
        if self.longest > _TEXT_BYTES:
            found["longest"] = self.longest
        if self.distinct and len(self.distinct) < self.times:
            ranked = sorted(self.distinct.items(), key=lambda item: (-item[1], item[0]))
            found["values"] = {clip_text(text, 40): times for text, times in ranked}
        return found


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _shown(value: Any) -> Any:
    return clip_text(value, _TEXT_BYTES) if isinstance(value, str) else value


def time_of(record: Any) -> Any:
    """The time a record carries, as it is written; None when it has none."""
    if not isinstance(record, dict):
        return None
    by_name = {key.lower(): value for key, value in record.items()}
    for name in _TIME_NAMES:
        value = by_name.get(name)
        if isinstance(value, dict) and len(value) == 1:
            value = value.get("$date")  # MongoDB
        if isinstance(value, str) and _DATE_LIKE.search(value):
            return value
        if isinstance(value, (int, float)) and value > 100_000_000:
            return value
    return None


def is_log_record(record: Any) -> bool:
    """Whether a record is a log event: it has a time, a level and a message."""
    if not isinstance(record, dict) or time_of(record) is None:
        return False
    names = {key.lower() for key in record}
    return any(name in names for name in _LEVEL_NAMES) and any(name in names for name in _MESSAGE_NAMES)
