"""Numbers that leave their range: `latency_ms=98213` where it had two digits, `queue=-1` where it never was below 0.

Learnt from the head of a file: for each name before a number (`name=12`, `name: 12`), and each pair of word and unit around
one (`took 12 ms`), how many digits it had at most and whether it was ever negative. From then on a number with two digits
more, or a first minus sign, points at its line. Whether the line stands out is decided at the end like for all weak
messages: where a counter simply grows, there are too many.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_PAIR = re.compile(rb"(?<![\w.-])([A-Za-z_][\w.]{1,30})(=|: ?)(-?)(\d+)(?![\w:-])")
_UNIT = re.compile(rb"\b([A-Za-z_]{2,20}) (\d+)(?:\.\d+)? ?(ms|us|ns|s|sec|seconds|[kKMG]i?B|bytes|%)(?!\w)")
#: A name seen less often than this in the head has no range yet.
_SEEN_OFTEN = 40
#: Numbers of more digits than this are ids, not measures.
_MOST_DIGITS = 7
_MOST_NAMES = 24


@dataclass(slots=True)
class _Range:
    count: int = 0
    digits: int = 0
    negative: bool = False


def learn_ranges(lines: Iterable[bytes]) -> tuple[bytes, ...]:
    """Expressions for numbers out of the range they have in these lines, for hyperscan and `re` alike."""
    pairs: dict[tuple[bytes, bytes], _Range] = {}
    units: dict[tuple[bytes, bytes], _Range] = {}
    for line in lines:
        head = line[:600]
        for name, separator, minus, digits in _PAIR.findall(head):
            _note(pairs.setdefault((name, separator), _Range()), digits, bool(minus))
        for word, digits, unit in _UNIT.findall(head):
            _note(units.setdefault((word, unit), _Range()), digits, False)
    found = [
        (known.count, _escape(name) + separator + (rb"(?:" if known.negative else rb"(?:-\d|") + _longer(known) + rb")")
        for (name, separator), known in pairs.items()
        if _is_measure(known)
    ]
    found += [
        (known.count, rb"\b" + word + b" " + _longer(known) + rb"(?:\.\d+)? ?" + unit)
        for (word, unit), known in units.items()
        if _is_measure(known)
    ]
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(expression for _, expression in found[:_MOST_NAMES])


_NUMBER = re.compile(rb"(?<![\w.])(-?)(\d+)(?![\w:-]|\.\d+\.)")
#: After so many lines of one kind, their numbers have a range.
_LINES_OF_A_KIND = 8
_MOST_KINDS = 2000
#: Before that, a number is out of range when it has so many digits more than any before.
_FAR_DIGITS = 4
_KEY_BYTES = 56


class RareValues:
    """The ranges of the numbers in rare kinds of lines, which are looked at one by one (see `novelty`)."""

    def __init__(self) -> None:
        self._ranges: dict[tuple[bytes, int], list[_Range]] = {}

    def leaves_range(self, key: bytes, text: bytes) -> bool:
        """Take in a line of the kind `key`; whether one of its numbers is far out of the range of those before it."""
        numbers = _NUMBER.findall(text[:600])
        key = key.replace(b"-", b"")[:_KEY_BYTES]  # lists of values at the end make no kind of their own
        ranges = self._ranges.get((key, len(numbers)))
        if ranges is None:
            if len(self._ranges) < _MOST_KINDS:
                self._ranges[key, len(numbers)] = [_Range(1, len(digits), bool(minus)) for minus, digits in numbers]
            return False
        leaves = False
        for known, (minus, digits) in zip(ranges, numbers, strict=True):
            if known.digits <= _MOST_DIGITS:
                if known.count >= _LINES_OF_A_KIND:
                    leaves |= len(digits) >= known.digits + 2 or (bool(minus) and not known.negative)
                else:
                    leaves |= len(digits) >= known.digits + _FAR_DIGITS
            _note(known, digits, bool(minus))
        return leaves


def _note(known: _Range, digits: bytes, negative: bool) -> None:
    known.count += 1
    known.digits = max(known.digits, len(digits))
    known.negative |= negative


def _is_measure(known: _Range) -> bool:
    return known.count >= _SEEN_OFTEN and known.digits <= _MOST_DIGITS


def _longer(known: _Range) -> bytes:
    return rb"\d{%d,}" % (known.digits + 2)


def _escape(name: bytes) -> bytes:
    return name.replace(b".", rb"\.")
