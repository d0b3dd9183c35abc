"""How big a number a line holds of what a superlative asks for ("the slowest query", "the largest upload").

What is measured follows from the superlative: a slow thing by a time, a heavy one by a weight. A number counts with its unit,
or after the word for what is measured, in seconds, bytes, or as it stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from milepost.digest.answers.question import Question

_SPANS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "micros": 1e-6,
    "ms": 1e-3,
    "msec": 1e-3,
    "msecs": 1e-3,
    "millis": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "secs": 1.0,
    "second": 1.0,
    "seconds": 1.0,
    "m": 60.0,
    "min": 60.0,
    "minutes": 60.0,
    "h": 3600.0,
    "hours": 3600.0,
    "d": 86400.0,
    "days": 86400.0,
}
_SIZES = {
    "b": 1.0,
    "byte": 1.0,
    "bytes": 1.0,
    "k": 1e3,
    "kb": 1e3,
    "kib": 1024.0,
    "m": 1e6,
    "mb": 1e6,
    "mib": 2.0**20,
    "g": 1e9,
    "gb": 1e9,
    "gib": 2.0**30,
    "t": 1e12,
    "tb": 1e12,
}
_WEIGHTS = {"mg": 1e-3, "g": 1.0, "grams": 1.0, "kg": 1e3, "lb": 453.6, "lbs": 453.6, "oz": 28.35}
_NUMBER = r"(\d+(?:[.,]\d+)?)"
_PLAIN = re.compile(rf"(?<![\w.:/-]){_NUMBER}(?![\w:/-])")
_CLOCK = re.compile(r"(?i)(?:time|took|elapsed|duration)\W{0,4}(\d+):(\d\d):(\d\d(?:[.,]\d+)?)")
#: What an access log says of a reply: its status and its size.
_REPLY_SIZE = re.compile(r"\" [1-5]\d\d (\d+)\b")
#: The smallest and the largest number that are told apart, as powers of ten.
_LEAST_POWER, _MOST_POWER = -9.0, 15.0


@dataclass(frozen=True, slots=True)
class Measure:
    """One thing that is measured. `is_sure` says that a superlative of it can be of nothing else."""

    asked: re.Pattern[str]
    with_unit: re.Pattern[str]
    after_word: re.Pattern[str]
    units: Mapping[str, float]
    is_sure: bool

    def of(self, text: str) -> float | None:
        """The largest such number of a line; None where there is none."""
        found = [_number(number) * self.units[unit.lower()] for number, unit in self.with_unit.findall(text)]
        if not found:
            found = [
                _number(number) * self.units.get(unit.lower(), 1.0)
                for unit, number in self.after_word.findall(text)[:1]
            ]
        if self.units is _SPANS and not found:
            found = [
                int(hours) * 3600 + int(minutes) * 60 + _number(rest) for hours, minutes, rest in _CLOCK.findall(text)
            ]
        if self.units is _SIZES and not found:
            found = [float(number) for number in _REPLY_SIZE.findall(text)]
        return max(found, default=None)

    def shown(self, text: str) -> str:
        """The number with its unit as it stands in a line, the largest of them; "" where none has a unit."""
        found = [(_number(one[1]) * self.units[one[2].lower()], one[0]) for one in self.with_unit.finditer(text)]
        return max(found)[1] if found else ""


def _measure(asked: str, words: str, units: Mapping[str, float], *, is_sure: bool = True, flags: int = 0) -> Measure:
    names = "|".join(sorted(units, key=len, reverse=True)) or "(?!)"
    return Measure(
        re.compile(rf"\b(?:{asked})"),
        re.compile(rf"(?<![\w.:-]){_NUMBER} ?({names})\b", flags),
        re.compile(rf"(?i)(?:{words})\w*?_?({names}|)\"?\W{{0,4}}{_NUMBER}(?![\d:])"),
        units,
        is_sure,
    )


_MEASURES = (
    _measure("slow|long|fast|quick|short|pause", "time|took|elapsed|duration|latency|pause", _SPANS),
    _measure("heav|light", "weight|mass", _WEIGHTS),
    _measure("hott|cold|warm", "temp(?:erature)?", {"c": 1.0, "°c": 1.0, "f": 1.0, "°f": 1.0}),
    _measure("cheap|cost|expens|pric", "price|cost|amount|total|fee", {"eur": 1.0, "usd": 1.0, "€": 1.0, "$": 1.0}),
    _measure(
        "big|larg|small|size|memory|bytes|upload|download",
        "size|bytes|length",
        _SIZES,
        is_sure=False,
        flags=re.IGNORECASE,
    ),
)


def measure_of(question: Question) -> Measure | None:
    """What the superlative of a question measures; None where there is none, or nothing is known of it."""
    if question.superlative not in ("most", "least"):
        return None
    lowered = question.text.lower()
    if question.kind == "how_long":
        return _MEASURES[0]
    return next((one for one in _MEASURES if one.asked.search(lowered)), None)


def magnitude(question: Question, text: str) -> float | None:
    """The number that counts, in seconds, bytes or as it stands; None where there is none."""
    measure = measure_of(question)
    if measure is not None:
        value = measure.of(text)
        if value is not None or measure.is_sure:
            return value
    for term in question.terms:
        at = text.lower().find(term.text.lower()[:5])
        if at >= 0 and (found := _PLAIN.search(text, at)):
            return _number(found[1])
    numbers = [_number(number) for number in _PLAIN.findall(text)]
    return max(numbers) if numbers else None


def share_of(size: float) -> float:
    """A number as a share from 0 to 1 that grows with it, whatever its order of magnitude."""
    power = math.log10(size) if size > 0 else _LEAST_POWER
    return min(1.0, max(0.0, (power - _LEAST_POWER) / (_MOST_POWER - _LEAST_POWER)))


def _number(text: str) -> float:
    return float(text.replace(",", "."))
