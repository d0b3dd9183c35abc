"""What lines of one template differ in, in few words: ranges of numbers, the first distinct words, and how many there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from milepost.digest.condense.lines import common_beginning

Decode = Callable[[bytes], str]

_WORD_BYTES = 28
_LONGEST_WORD = 64
_WORDS = 3
_MEASURE_DIGITS = 9
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?")
_DIGIT = re.compile(rb"\d")
_INSIDE_PREFIX = re.compile(rb"(?:[-+]?[\d.]*\d|[-+.]|[A-Za-z\x80-\xff]+\d*)\Z")
_INSIDE_SUFFIX = re.compile(rb"^(?:\.?\d[\d.]*|[A-Za-z\x80-\xff]+)")


def describe_rows(rows: Sequence[Sequence[bytes]], decode: Decode, separator: str = " ") -> str:
    """The tokens that all rows share as they are, and in braces what varies; `rows` is not empty.

    Rows of unlike length are compared as far as the shortest goes, and it is said how many tokens more there are.
    """
    fewest = min(map(len, rows))
    most = max(map(len, rows))
    parts = [describe_values(column, decode) for column in zip(*[row[:fewest] for row in rows], strict=True)]
    if most > fewest:
        parts.append(f"{{{most - fewest}+ more}}" if fewest else f"{{{fewest}–{most} words}}")
    return separator.join(parts)


def describe_values(values: Sequence[bytes], decode: Decode) -> str:
    """One value if all are the same, else what they share and in braces what varies."""
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return decode(distinct[0])
    prefix, suffix = _shared(distinct)
    end = len(suffix)
    inner = [value[len(prefix) : len(value) - end] for value in distinct]
    return f"{decode(prefix)}{{{_in_braces(inner, decode)}}}{decode(suffix)}"


def _in_braces(distinct: Sequence[bytes], decode: Decode) -> str:
    numbers = [value for value in distinct if _NUMBER.fullmatch(value)]
    if len(numbers) == len(distinct):
        if max(map(len, numbers)) <= _MEASURE_DIGITS:
            ordered = sorted(numbers, key=lambda value: (float(value), value))
            if len(ordered) <= _WORDS:
                return ", ".join(map(decode, ordered))
            return f"{decode(ordered[0])}–{decode(ordered[-1])}"
        return f"{len(numbers):,} numbers of {_spread(numbers)} digits"
    if len(distinct) <= _WORDS:
        return ", ".join(_word(value, decode) for value in distinct)
    ids = sum(1 for value in distinct[:32] if len(value) >= 12 and len(_DIGIT.findall(value)) * 4 >= len(value))
    if ids * 2 >= len(distinct[:32]):
        return f"{len(distinct):,} ids"
    words = ", ".join(_word(value, decode) for value in distinct[:_WORDS])
    return f"{words} … {len(distinct):,} distinct"


def _spread(numbers: Sequence[bytes]) -> str:
    lengths = [len(_DIGIT.findall(number)) for number in numbers]
    low, high = min(lengths), max(lengths)
    return str(low) if low == high else f"{low}–{high}"


def _word(value: bytes, decode: Decode) -> str:
    text = decode(value)
    if not text:
        return '""'
    return text if len(text) <= _WORD_BYTES else f"{text[: _WORD_BYTES - 1]}…"


def _shared(distinct: Sequence[bytes]) -> tuple[bytes, bytes]:
    """What all values begin with and what they end with, without cutting a word or a number."""
    prefix = common_beginning(distinct)
    tail = prefix[-_LONGEST_WORD:]
    inside = _INSIDE_PREFIX.search(tail)
    if inside is not None:
        prefix = prefix[: len(prefix) - len(tail) + inside.start()]
    suffix = common_beginning([value[len(prefix) :][::-1] for value in distinct])[::-1]
    inside = _INSIDE_SUFFIX.match(suffix)
    if inside is not None:
        suffix = suffix[inside.end() :]
    return prefix, suffix


def odd_rows(rows: Sequence[Sequence[bytes]]) -> list[int]:
    """The rows that hold a value unlike that of all others in its place: another sign, far more digits, no number."""
    if len(rows) < 4:
        return []
    odd: set[int] = set()
    most = max(1, len(rows) // 100)
    fewest = min(map(len, rows))
    for column in zip(*[row[:fewest] for row in rows], strict=True):
        first = column[0]
        if column.count(first) == len(column):
            continue
        found = _odd_values(column, most)
        if found:
            odd.update(place for place, value in enumerate(column) if value in found)
    return sorted(odd) if len(odd) <= 2 * most + 2 else []


def differ_widely(rows: Sequence[Sequence[bytes]]) -> bool:
    """Whether two or three rows hold numbers so unlike that one of them may have gone wrong, though none can be told odd."""
    if len(rows) < 2:
        return False
    fewest = min(map(len, rows))
    for column in zip(*[row[:fewest] for row in rows], strict=True):
        if column.count(column[0]) == len(column):
            continue
        measures = [_MEASURE.match(value.strip(_AFFIXES)) for value in column]
        numbers = [match for match in measures if match is not None]
        if not numbers:
            continue
        digits = [len(match.group(2)) for match in numbers]
        signs = {match.group(1) == b"-" for match in numbers}
        if max(digits) >= min(digits) + _FAR_DIGITS or len(signs) > 1 or len(numbers) < len(column):
            return True
    return False


_FAR_DIGITS = 4
_AFFIXES = b"\"'()[]{}<>,;:=%"
_MEASURE = re.compile(
    rb"(?:[\w.-]*[=:\[(])?([-+]?)(\d*)(?:(?<=\d)\.?|\.(?=\d))(?:\d+)?(?:[eE][-+]?\d+)?(?:%|[a-zA-Z]{1,3})?$"
)


def _odd_values(column: Sequence[bytes], most: int) -> set[bytes]:
    counts: dict[bytes, int] = {}
    for value in column:
        counts[value] = counts.get(value, 0) + 1
    measures: list[tuple[int, bool, bytes]] = []
    others: list[bytes] = []
    for value in counts:
        match = _MEASURE.match(value.strip(_AFFIXES))
        if match is None:
            others.append(value)
        else:
            measures.append((len(match.group(2)), match.group(1) == b"-", value))
    if not measures:
        return set()
    odd: set[bytes] = set()
    if others and sum(counts[value] for value in others) <= most and len(column) >= 8:
        odd.update(others)
    negative = [value for _, minus, value in measures if minus]
    if negative and len(negative) < len(measures) and sum(counts[value] for value in negative) <= most:
        odd.update(negative)
    # Longer by three digits at least than all that come before in the order of length.
    measures.sort()
    total = len(column)
    below = 0
    for (shorter, _, value), (longer, _, _) in pairwise(measures):
        below += counts[value]
        if longer >= shorter + 3 and total - below - sum(counts[one] for one in others) <= most and below >= 3:
            odd.update(value for digits, _, value in measures if digits >= longer)
            break
    return odd
