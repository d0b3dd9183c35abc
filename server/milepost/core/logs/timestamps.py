"""When a log line was written: finding its timestamp once, and reading it fast in every further line of the file.

`find_stamp` tries every known shape on one line. `StampReader.learn` looks at a sample of a file's lines and keeps the
shapes that explain it, with the places where they stand; `read` then costs a few microseconds. Years that a shape does
not carry are inferred by `YearResolver` from a declared reference (the file's mtime), never from the clock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from milepost.core.logs.stamp_shapes import (
    ANY_STRONG,
    BY_NAME,
    EPOCH,
    EPOCH_FINE,
    TIME,
    UPTIME,
    WEAK,
    Shape,
    shape_of,
)
from milepost.core.logs.years import PLACEHOLDER_YEAR, YearResolver

__all__ = ["PLACEHOLDER_YEAR", "Stamp", "StampReader", "YearResolver", "find_stamp"]

HEAD_BYTES = 200
"""A stamp begins within so many bytes of the line's beginning, unless a field's name announces it."""
_STAMP_BYTES = 60
_FIELD_BYTES = 8_192
_WEAK_HEAD_BYTES = 100
_TIME_HEAD_BYTES = 48
_ANCHOR_BYTES = 12

# Nothing is a stamp without two digits that a separator or further digits follow.
_DIGITS = re.compile(rb"\d[:.,-]\d\d|\d{6}|\d/|\d [A-Za-z]|@4[0-9a-f]")
_JSON_KEY = re.compile(
    rb'[{,]\s*"(?:@?timestamp(?:_?ns)?|@?time|ts|t|@t|_?date|date_?time|event_?time|start(?:ed)?_?(?:at|time)|created_?at'
    rb'|creation_?time|asctime|instant|__REALTIME_TIMESTAMP|(?:observed)?timeunixnano|\w*_?timestamp)"\s*:\s*(?:\{\s*"[$\w]+"\s*:\s*)?"?',
    re.IGNORECASE,
)
_SCCM_MARK = b'<time="'


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time in a line.

    seconds: since 1970-01-01 UTC. Local times are taken as UTC, and `has_zone` is then False. Without a year the time
        stands in the year the caller hinted; without a date it is the second of the day, or the uptime.
    start, end: the stamp's byte range in the line.
    shape: the name of the shape.
    """

    seconds: float
    start: int
    end: int
    has_year: bool
    has_zone: bool
    has_date: bool
    shape: str


def find_stamp(line: bytes, year_hint: int) -> Stamp | None:
    """The timestamp in the head of a line that nothing is known about, or None. The most certain early one wins.

    `year_hint` is the year for shapes without one.
    """
    if not _DIGITS.search(line, 0, HEAD_BYTES) and b'"' not in line[:HEAD_BYTES]:
        return None
    if b'{"' in line[:64] or line[:1] == b"{":
        stamp = _find_in_json(line, year_hint)
        if stamp is not None:
            return stamp
    strong = _find_strong(line, year_hint)
    weak = _find_weak(line, year_hint)
    if strong is None or weak is None:
        return strong or weak
    # A number of seconds or a clock at the very beginning is the line's own time; a date far behind it is in the text.
    leads = weak.start <= 3 and (strong.start > weak.end + 30 or weak.shape.startswith("epoch"))
    return weak if leads else strong


def _stamp(match: re.Match[bytes], shape: Shape, year_hint: int) -> Stamp | None:
    reading = shape.read(match, year_hint)
    if reading is None:
        return None
    start, end = match.span()
    return Stamp(reading[0], start, end, shape.has_year, reading[1], shape.has_date, shape.name)


def _stamp_at(line: bytes, start: int, shape: Shape, year_hint: int) -> Stamp | None:
    match = shape.regex.match(line, start)
    stamp = None if match is None else _stamp(match, shape, year_hint)
    if stamp is None:
        for rival in shape.rivals:
            stamp = _stamp_at(line, start, BY_NAME[rival], year_hint)
            if stamp is not None:
                break
    return stamp


def _find_strong(line: bytes, year_hint: int, head_bytes: int = HEAD_BYTES) -> Stamp | None:
    start = 0
    while True:
        match = ANY_STRONG.search(line, start, head_bytes + _STAMP_BYTES)
        if match is None or match.start() > head_bytes:
            break
        stamp = _stamp_at(line, match.start(), shape_of(match), year_hint)
        if stamp is not None:
            return stamp
        start = match.start() + 1
    mark = line.find(_SCCM_MARK)
    return None if mark < 0 else _stamp_at(line, mark, BY_NAME["sccm"], year_hint)


def _find_weak(line: bytes, year_hint: int) -> Stamp | None:
    best: Stamp | None = None
    for shape in WEAK:
        head_bytes = _TIME_HEAD_BYTES if shape is TIME else _WEAK_HEAD_BYTES
        match = shape.regex.search(line, 0, head_bytes + 20)
        if match is None or match.start() > head_bytes:
            continue
        stamp = _stamp(match, shape, year_hint)
        if stamp is not None and (best is None or stamp.start < best.start):
            best = stamp
    return best


def _find_in_json(line: bytes, year_hint: int) -> Stamp | None:
    for key in _JSON_KEY.finditer(line, 0, _FIELD_BYTES):
        start = key.end()
        match = ANY_STRONG.match(line, start)
        stamp = None if match is None else _stamp_at(line, start, shape_of(match), year_hint)
        if stamp is None:
            stamp = _stamp_at(line, start, EPOCH, year_hint) or _stamp_at(line, start, EPOCH_FINE, year_hint)
        if stamp is not None:
            return stamp
    return None


@dataclass(frozen=True, slots=True)
class _Plan:
    """How one shape is found in this file: at known places, after known bytes, or by search in the head."""

    shape: Shape
    positions: tuple[int, ...]
    anchors: tuple[bytes, ...]
    head_bytes: int


class StampReader:
    """Reads the timestamps of one file's lines; made by `learn`. Holds no state that reading changes."""

    __slots__ = ("_plans", "coverage", "reference_seconds")

    def __init__(self, plans: Sequence[_Plan], coverage: float, reference_seconds: float) -> None:
        self._plans = tuple(plans)
        self.coverage = coverage
        self.reference_seconds = reference_seconds

    @property
    def shapes(self) -> tuple[str, ...]:
        """Names of the shapes this reader knows, the most frequent first."""
        return tuple(plan.shape.name for plan in self._plans)

    @property
    def needs_years(self) -> bool:
        """Whether the main shape has a date but no year, so that a `YearResolver` must place its times."""
        main = self._plans[0].shape
        return main.has_date and not main.has_year

    def years(self) -> YearResolver:
        """A fresh resolver for one pass over the file."""
        return YearResolver(self.reference_seconds)

    @classmethod
    def learn(cls, lines: Sequence[bytes], reference_seconds: float = 0.0) -> StampReader | None:
        """Learns from a sample of lines (without ANSI escapes); None where too few of them have a timestamp in common.

        `reference_seconds` is the time (seconds since 1970) that the file's last line is at or before: its mtime.
        """
        sample = [line for line in lines if line.strip()]
        stamps = [_candidates(line) for line in sample]
        chosen = _choose(stamps, len(sample))
        if not chosen:
            return None
        plans: list[_Plan] = []
        explained = 0
        for names in chosen:
            hits = [
                (line, stamp)
                for line, found in zip(sample, stamps, strict=True)
                for stamp in found
                if stamp.shape in names
            ]
            explained += len(hits)
            plans.append(_plan(_best_rival(hits, names), hits))
        # A clock would also match within a whole date, so dates are tried first.
        plans.sort(key=lambda plan: plan.shape in WEAK)
        return cls(plans, min(1.0, explained / len(sample)), reference_seconds)

    def read(self, line: bytes) -> Stamp | None:
        """The line's timestamp, or None. Shapes without a year are put into `PLACEHOLDER_YEAR`."""
        for plan in self._plans:
            shape = plan.shape
            regex = shape.regex
            match: re.Match[bytes] | None = None
            for position in plan.positions:
                match = regex.match(line, position)
                if match is not None:
                    break
            else:
                for anchor in plan.anchors:
                    at = line.find(anchor, 0, plan.head_bytes)
                    if at >= 0:
                        match = regex.match(line, at + len(anchor))
                        if match is not None:
                            break
                if match is None and plan.head_bytes <= HEAD_BYTES:
                    match = regex.search(line, 0, plan.head_bytes + _STAMP_BYTES)
                    if match is not None and match.start() > plan.head_bytes:
                        match = None
            if match is not None:
                reading = shape.read(match, PLACEHOLDER_YEAR)
                if reading is not None:
                    start, end = match.span()
                    return Stamp(reading[0], start, end, shape.has_year, reading[1], shape.has_date, shape.name)
        return None


def _candidates(line: bytes) -> list[Stamp]:
    """What may be the line's time: the first of the strong shapes, the first of each weak one, a JSON field."""
    if b'{"' in line[:64] or line[:1] == b"{":
        found = _find_in_json(line, PLACEHOLDER_YEAR)
        if found is not None:
            return [found]
    result: list[Stamp] = []
    strong = _find_strong(line, PLACEHOLDER_YEAR)
    if strong is not None:
        result.append(strong)
    for shape in WEAK:
        match = shape.regex.search(line, 0, _WEAK_HEAD_BYTES)
        if match is not None and not (strong is not None and strong.start <= match.start() < strong.end):
            weak = _stamp(match, shape, PLACEHOLDER_YEAR)
            if weak is not None and not (shape is TIME and weak.start > _TIME_HEAD_BYTES):
                result.append(weak)
    return result


def _family(name: str) -> tuple[str, ...]:
    """The shape with all that are written alike, so that they are counted together."""
    for shape in BY_NAME.values():
        if name == shape.name or name in shape.rivals:
            if shape.rivals:
                return (shape.name, *shape.rivals)
            if name == shape.name:
                continue
    return (name,)


_WEIGHT = {EPOCH.name: 0.8, EPOCH_FINE.name: 0.8, UPTIME.name: 0.5, TIME.name: 0.5}


def _choose(stamps: Sequence[Sequence[Stamp]], total: int) -> list[tuple[str, ...]]:
    """The families of shapes that explain the sample, best first: most lines, certain ones before numbers."""
    remaining = [list(found) for found in stamps]
    chosen: list[tuple[str, ...]] = []
    while len(chosen) < 4:
        counts: Counter[tuple[str, ...]] = Counter()
        for found in remaining:
            counts.update({_family(stamp.shape) for stamp in found})
        if not counts:
            break
        family, count = max(
            counts.items(),
            key=lambda item: (item[1] * _WEIGHT.get(item[0][0], 1.0), -_mean_start(remaining, item[0]), item),
        )
        enough = max(1, total // 100) if not chosen else max(2, total // 50)
        if count < enough or (chosen and family[0] in _WEIGHT):
            break
        chosen.append(family)
        remaining = [found if all(stamp.shape not in family for stamp in found) else [] for found in remaining]
    return chosen


def _mean_start(stamps: Iterable[Sequence[Stamp]], family: tuple[str, ...]) -> float:
    starts = [stamp.start for found in stamps for stamp in found if stamp.shape in family]
    return sum(starts) / max(1, len(starts))


def _best_rival(hits: Sequence[tuple[bytes, Stamp]], names: tuple[str, ...]) -> Shape:
    """Of shapes that differ only in the order of day, month and year, the one under which the file is shortest."""
    best, best_key = BY_NAME[names[0]], (len(hits) + 1, 0.0)
    for name in names:
        shape = BY_NAME[name]
        seconds: list[float] = []
        for line, stamp in hits:
            match = shape.regex.match(line, stamp.start)
            reading = None if match is None else shape.read(match, PLACEHOLDER_YEAR)
            if reading is not None:
                seconds.append(reading[0])
        if seconds:
            # The first named wins a tie: it is the usual order.
            key = (len(hits) - len(seconds), max(seconds) - min(seconds))
            if key < best_key:
                best, best_key = shape, key
    return best


def _plan(shape: Shape, hits: Sequence[tuple[bytes, Stamp]]) -> _Plan:
    starts = Counter(stamp.start for _, stamp in hits)
    frequent = tuple(start for start, count in starts.most_common(3) if count * 10 >= len(hits))
    anchors: tuple[bytes, ...] = ()
    if sum(starts[start] for start in frequent) * 20 < len(hits) * 19:
        before = [line[max(0, stamp.start - _ANCHOR_BYTES) : stamp.start] for line, stamp in hits]
        common = _common_suffix(before)
        if len(common.strip()) >= 3 or common.strip() in (b"[", b"("):
            anchors = (common,)
        else:
            # Fields of different names, in JSON.
            anchors = tuple(text for text, count in Counter(before).most_common(3) if count >= 2 and text.strip())
        if anchors and starts.most_common(1)[0][1] * 2 < len(hits):
            frequent = ()
    farthest = max(starts)
    return _Plan(shape, frequent, anchors, _FIELD_BYTES if farthest > HEAD_BYTES else min(HEAD_BYTES, farthest + 16))


def _common_suffix(texts: Sequence[bytes]) -> bytes:
    suffix = texts[0]
    for text in texts[1:]:
        while suffix and not text.endswith(suffix):
            suffix = suffix[1:]
    return suffix
