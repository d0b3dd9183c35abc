"""How big a number a line holds of what a superlative asks for ("the slowest query", "the largest upload")."""

from __future__ import annotations

import re

from milepost.digest.answers.question import Question

_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "micros": 1e-6,
    "ms": 1e-3,
    "msec": 1e-3,
    "msecs": 1e-3,
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
_NUMBER = r"(\d+(?:[.,]\d+)?)"
_SPAN = re.compile(rf"(?<![\w.]){_NUMBER} ?({'|'.join(sorted(_UNITS, key=len, reverse=True))})\b")
_SIZE = re.compile(rf"(?<![\w.]){_NUMBER} ?({'|'.join(sorted(_SIZES, key=len, reverse=True))})\b", re.I)
_AFTER_TIME = re.compile(rf"(?i)(?:time|took|elapsed|duration|latency)\w*\"?\W{{0,4}}{_NUMBER}")
_PLAIN = re.compile(rf"(?<![\w.:/-]){_NUMBER}(?![\w:/-])")


def magnitude(question: Question, text: str) -> float | None:
    """The number that counts, in seconds, bytes or as it stands; None where there is none."""
    lowered = question.text.lower()
    if question.kind == "how_long" or re.search(r"slow|long|fast|short|quick|pause|time", lowered):
        spans = [_number(number) * _UNITS[unit] for number, unit in _SPAN.findall(text)]
        spans += [_number(number) for number in _AFTER_TIME.findall(text)[:1]]
        if spans:
            return max(spans)
    if re.search(r"big|large|small|size|heav|memory|bytes|upload|download", lowered):
        sizes = [_number(number) * _SIZES[unit.lower()] for number, unit in _SIZE.findall(text)]
        if sizes:
            return max(sizes)
    for term in question.terms:
        at = text.lower().find(term.text.lower()[:5])
        if at >= 0 and (found := _PLAIN.search(text, at)):
            return _number(found[1])
    numbers = [_number(number) for number in _PLAIN.findall(text)]
    return max(numbers) if numbers else None


def _number(text: str) -> float:
    return float(text.replace(",", "."))
