"""Logs of garbage collectors: how much of the time everything stood still, and the pauses that are over the usual.

The file is told in stretches; in each are the full collections, the failures, and those pauses that are much longer than
most of the file's.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milepost.core.dumps.pauses import FAILURE, GC_LINE, PAUSE, Pause, duration, pause_of
from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings

_MOST_CELLS = 128
_CELL_BYTES = 8 << 10
_SEGMENTS = 32
_MOST_KEPT = 256
_LISTED = 64
#: Pauses are counted in classes of a twentieth of a decade.
_CLASSES_PER_DECADE = 20
#: Over the usual: so many times the median, and among the longest two in a hundred.
_TIMES_MEDIAN = 4.0
_TOP_SHARE = 0.02
#: A shorter pause is nobody's trouble, however short the others are.
_LEAST_SECONDS = 0.005
_LEAST_USUAL_SECONDS = 1e-4


@dataclass(slots=True)
class _Cell:
    start: int
    line: int
    first: str = ""
    last: str = ""
    pauses: int = 0
    full: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    heap: str = ""

    def add(self, other: _Cell) -> None:
        """Take a following cell in."""
        self.first = self.first or other.first
        self.last = other.last or self.last
        self.pauses += other.pauses
        self.full += other.full
        self.seconds += other.seconds
        self.longest = max(self.longest, other.longest)
        self.heap = other.heap or self.heap


@dataclass(slots=True)
class _Longest:
    """The longest of many pauses; of equal ones the first."""

    kept: list[tuple[float, int, Pause]] = field(default_factory=list)
    count: int = 0

    def add(self, pause: Pause) -> None:
        """Keep it, if it is among them."""
        self.count += 1
        entry = (pause.seconds, -pause.byte, pause)
        if len(self.kept) < _MOST_KEPT:
            heapq.heappush(self.kept, entry)
        elif entry > self.kept[0]:
            heapq.heapreplace(self.kept, entry)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Longest:
        return _Longest(list(self.kept), self.count)


class GcLogScanner:
    """Outlines the log of a garbage collector."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._cells = [_Cell(context.start_byte, context.start_line)]
        self._cell_bytes = _CELL_BYTES
        self._longest, self._full, self._failed = _Longest(), _Longest(), _Longest()
        self._classes: dict[int, int] = {}
        self._total = _Cell(0, 0)

    def feed(self, block: Block) -> None:
        """Take the next block."""
        data, starts = block.data, block.starts
        if not len(starts):
            return
        first = block.first_line + (0 if block.starts_line else 1)
        matches = list(PAUSE.finditer(data))
        lines = np.searchsorted(starts, [match.start() for match in matches], side="right") - 1
        for match, index in zip(matches, lines.tolist(), strict=True):
            end = int(starts[index + 1]) if index + 1 < len(starts) else len(data)
            pause = pause_of(match, block.start, first + index)
            start = block.start + int(starts[index])
            if start - self._cells[-1].start >= self._cell_bytes:
                self._begin_cell(start, first + index)
            self._take(pause, start, block.start + end)
        for match in FAILURE.finditer(data):
            index = int(np.searchsorted(starts, match.start(), side="right")) - 1
            start = int(starts[index])
            end = int(starts[index + 1]) if index + 1 < len(starts) else len(data)
            text = data[start : min(end, start + 400)].rstrip()
            failure = Pause(
                block.start + start, block.start + end, first + index, 0.0, "", match[0].decode(), "", text, False
            )
            if self._failed.count < _MOST_KEPT:
                self._failed.add(failure)
            else:
                self._failed.count += 1

    def _begin_cell(self, start: int, line: int) -> None:
        if len(self._cells) >= _MOST_CELLS:
            merged = []
            for low in range(0, len(self._cells), 2):
                cell = self._cells[low]
                if low + 1 < len(self._cells):
                    cell.add(self._cells[low + 1])
                merged.append(cell)
            self._cells = merged
            self._cell_bytes *= 2
        self._cells.append(_Cell(start, line))

    def _take(self, pause: Pause, start: int, end: int) -> None:
        for cell in (self._cells[-1], self._total):
            cell.first = cell.first or pause.when
            cell.last = pause.when
            cell.pauses += 1
            cell.full += pause.is_full
            cell.seconds += pause.seconds
            cell.longest = max(cell.longest, pause.seconds)
            cell.heap = pause.heap or cell.heap
        whole = Pause(
            start, end, pause.line, pause.seconds, pause.when, pause.kind, pause.heap, pause.text, pause.is_full
        )
        (self._full if pause.is_full else self._longest).add(whole)
        if not pause.is_full:
            number = math.floor(_CLASSES_PER_DECADE * math.log10(max(pause.seconds, 1e-6)))
            self._classes[number] = self._classes.get(number, 0) + 1

    # --- the end ----------------------------------------------------------------------------------------------------

    def _quantile(self, share: float) -> float:
        """A length that so large a share of the pauses do not exceed, to the precision of its class."""
        wanted = share * sum(self._classes.values())
        passed = 0
        for number in sorted(self._classes):
            passed += self._classes[number]
            if passed >= wanted:
                return float(10 ** ((number + 1) / _CLASSES_PER_DECADE))
        return 0.0

    def _incidents(self, usual: float) -> list[Node]:
        over = max(_LEAST_SECONDS, _TIMES_MEDIAN * usual, self._quantile(1 - _TOP_SHARE))
        chosen: dict[int, Node] = {}
        slow = [one for one in sorted(self._longest.kept, reverse=True) if one[0] > over][:_LISTED]
        for seconds, _, pause in [*sorted(self._full.kept, reverse=True)[:_LISTED], *slow]:
            name = "Full GC" if pause.is_full else "pause"
            title = f"{name} of {duration(seconds)}: {pause.kind}"
            times = ""
            if usual > _LEAST_USUAL_SECONDS and not pause.is_full:
                times = f"{seconds / usual:.0f} times the usual {duration(usual)}"
            self._add(
                chosen, pause, title, times, "full" if pause.is_full else "pause", 0.85 if pause.is_full else 0.75
            )
        for _, _, pause in sorted(self._failed.kept, key=lambda one: one[2].byte)[:_LISTED]:
            self._add(chosen, pause, pause.kind, "", "failure", 0.9)
        return [chosen[byte] for byte in sorted(chosen)]

    def _add(self, chosen: dict[int, Node], pause: Pause, title: str, said: str, category: str, weight: float) -> None:
        node = chosen.get(pause.byte)
        if node is not None:
            node.title = f"{node.title}, {title}" if title not in node.title else node.title
            return
        node = Node("incident", title, pause.byte, pause.line, pause.end_byte, pause.line, weight=weight)
        parts = [f"at {pause.when}" if pause.when else "", said, pause.heap]
        text = pause.text.decode(self._context.encoding, "replace").strip()
        node.digest = ", ".join(part for part in parts if part) or text
        node.facts = {"category": category, "seconds": round(pause.seconds, 6)}
        if pause.when:
            node.facts["time"] = pause.when
        if pause.heap:
            node.facts["heap"] = pause.heap
        chosen[pause.byte] = node

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        usual = self._quantile(0.5)
        incidents = self._incidents(usual)
        builder = OutlineBuilder(self._context.max_nodes)
        size = max(1, -(-len(self._cells) // _SEGMENTS))
        cells = []
        for low in range(0, len(self._cells), size):
            cell = self._cells[low]
            for other in self._cells[low + 1 : low + size]:
                cell.add(other)
            cells.append(cell)
        places = [node.start_byte for node in incidents]
        for index, cell in enumerate(cells):
            is_last = index + 1 == len(cells)
            end_byte = end.byte if is_last else cells[index + 1].start
            end_line = max(end.line, 1) if is_last else cells[index + 1].line - 1
            if end_byte <= cell.start:
                continue
            builder.open(self._node(cell, end_line))
            low, high = bisect_right(places, cell.start - 1), bisect_right(places, end_byte - 1)
            for node in incidents[low:high]:
                builder.leaf(node)
            builder.close(end_byte, end_line)
        facts: dict[str, Any] = {"pauses": self._total.pauses}
        if self._total.pauses:
            facts |= {
                "full": self._total.full,
                "stopped_seconds": round(self._total.seconds, 6),
                "longest_seconds": self._total.longest,
                "usual_seconds": round(usual, 6),
            }
        return Findings(builder.finish(end.byte, max(end.line, 1)), facts=facts)

    def _node(self, cell: _Cell, end_line: int) -> Node:
        lines = end_line - cell.line + 1
        title = f"{cell.first} → {cell.last}" if cell.first != cell.last else cell.first
        node = Node(
            "segment", title or f"lines {cell.line:,} to {end_line:,}", cell.start, cell.line, count=max(1, lines)
        )
        said = [f"{lines:,} lines", f"{cell.pauses:,} pauses"]
        if cell.pauses:
            said += [f"{duration(cell.seconds)} in all", f"longest {duration(cell.longest)}"]
        if cell.full:
            said.append(f"{cell.full:,} full")
        if cell.heap:
            said.append(f"heap {cell.heap}")
        node.digest = ", ".join(said)
        node.facts = {"pauses": cell.pauses, "full": cell.full, "stopped_seconds": round(cell.seconds, 6)}
        node.weight = 0.4
        return node


def _sniff(sample: Sample) -> float:
    if b"GC" not in sample.head and b"gc " not in sample.head:
        return 0.0
    pauses = sum(1 for _ in PAUSE.finditer(sample.head[: 128 << 10]))
    lines = [line for line in sample.lines if line.strip()]
    if pauses < 3 or not lines:
        return 0.0
    share = sum(1 for line in lines if GC_LINE.match(line)) / len(lines)
    return 0.93 if share > 0.6 else 0.0


FORMAT = Format("gc_log", "garbage collection log", _sniff, GcLogScanner)
