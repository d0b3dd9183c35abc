"""strace: stretches with the calls made in them; programs run, processes that failed, fatal signals, errors, slow calls.

Errors that every program meets (a file that is looked for in several places) are counted, not listed; of the others the
first of each kind is listed with its number.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from milepost.core.dumps.calls import FATAL, USUAL, WAITING, Call, call_of
from milepost.core.dumps.pauses import duration
from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView

_MOST_CELLS = 128
_CELL_BYTES = 16 << 10
_SEGMENTS = 32
_MOST_LISTED = 200
_MOST_SLOW = 24
_MOST_KINDS = 500
_SLOW_SECONDS = 0.1
_LINE_BYTES = 4096
_PROGRAM = re.compile(rb"execve(?:at)?\((?:[^,\"]+, )?\"((?:[^\"\\]|\\.)*)\"")


@dataclass(slots=True)
class _Cell:
    start: int
    line: int
    first: bytes = b""
    last: bytes = b""
    errors: int = 0
    calls: Counter[bytes] = field(default_factory=Counter)

    def add(self, other: _Cell) -> None:
        """Take a following cell in."""
        self.first = self.first or other.first
        self.last = other.last or self.last
        self.errors += other.errors
        self.calls.update(other.calls)


@dataclass(slots=True)
class _Incident:
    title: str
    category: str
    weight: float
    start: int
    end: int
    line: int
    digest: str
    count: int = 1
    last_line: int = 0


class StraceScanner:
    """Outlines what strace has written."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._cells = [_Cell(context.start_byte, context.start_line)]
        self._cell_bytes = _CELL_BYTES
        self._incidents: list[_Incident] = []
        self._kinds: dict[tuple[bytes, bytes], _Incident] = {}
        self._slow: list[tuple[float, int, _Incident]] = []
        self._pids: set[bytes] = set()
        self._errors: Counter[str] = Counter()

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        for index in range(view.size):
            text = view.text(index, _LINE_BYTES)
            call = call_of(text)
            if call is None:
                continue
            start = view.offset(index)
            if start - self._cells[-1].start >= self._cell_bytes:
                self._begin_cell(start, view.number(index))
            cell = self._cells[-1]
            if call.when:
                cell.first = cell.first or call.when
                cell.last = call.when
            if len(self._pids) < 10_000:
                self._pids.add(call.pid)
            if call.call:
                cell.calls[call.call] += 1
            if call.errno or call.signal or call.end or call.seconds > _SLOW_SECONDS or call.call.startswith(b"execve"):
                cell.errors += bool(call.errno)
                self._judge(call, text, start, view.offset(index + 1), view.number(index))

    def _begin_cell(self, start: int, line: int) -> None:
        if len(self._cells) >= _MOST_CELLS:
            for low in range(0, len(self._cells) - 1, 2):
                self._cells[low].add(self._cells[low + 1])
            self._cells = self._cells[::2]
            self._cell_bytes *= 2
        self._cells.append(_Cell(start, line))

    def _judge(self, call: Call, text: bytes, start: int, end: int, line: int) -> None:
        """Note what a reader would want to be shown."""
        decoded = text[:400].decode(self._context.encoding, "replace")

        def note(title: str, category: str, weight: float) -> _Incident:
            return _Incident(title, category, weight, start, end, line, decoded, last_line=line)

        pid = f" (process {call.pid.decode()})" if call.pid else ""
        if call.signal in FATAL:
            self._list(note(f"{call.signal.decode()}{pid}", "signal", 0.9))
        elif call.end and call.end != b"exited with 0":
            said = call.end.decode("ascii", "replace")
            self._list(note(f"{said}{pid}", "end", 0.9 if said.startswith("killed") else 0.75))
        elif call.errno:
            name = call.call.decode()
            self._errors[f"{name} {call.errno.decode()}"] += 1
            known = self._kinds.get((call.call, call.errno))
            if known is not None:
                known.count += 1
                known.last_line = line
            elif call.errno not in USUAL and len(self._kinds) < _MOST_KINDS:
                said = call.said.decode("ascii", "replace")
                self._kinds[call.call, call.errno] = note(
                    f"{name}: {call.errno.decode()} {said}".rstrip(), "error", 0.7
                )
        elif call.call.startswith(b"execve"):
            match = _PROGRAM.search(text)
            if match is not None:
                program = match[1].decode(self._context.encoding, "replace")
                self._list(note(f"runs {program}{pid}", "program", 0.6))
        if call.seconds > _SLOW_SECONDS and call.call not in WAITING:
            incident = note(f"{call.call.decode()} took {duration(call.seconds)}", "slow", 0.7)
            self._slow.append((-call.seconds, start, incident))
            self._slow.sort(key=lambda one: one[:2])
            del self._slow[_MOST_SLOW:]

    def _list(self, incident: _Incident) -> None:
        if len(self._incidents) < _MOST_LISTED:
            self._incidents.append(incident)

    # --- the end ----------------------------------------------------------------------------------------------------

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        found: dict[int, Node] = {}
        listed = [*self._incidents, *self._kinds.values(), *(one for _, _, one in self._slow)]
        for incident in sorted(listed, key=lambda one: (one.start, -one.weight)):
            if incident.start not in found:
                found[incident.start] = self._incident(incident)
        nodes = [found[start] for start in sorted(found)]
        places = [node.start_byte for node in nodes]
        builder = OutlineBuilder(self._context.max_nodes)
        size = max(1, -(-len(self._cells) // _SEGMENTS))
        cells = []
        for low in range(0, len(self._cells), size):
            cell = self._cells[low]
            for other in self._cells[low + 1 : low + size]:
                cell.add(other)
            cells.append(cell)
        for index, cell in enumerate(cells):
            is_last = index + 1 == len(cells)
            end_byte = end.byte if is_last else cells[index + 1].start
            end_line = max(end.line, 1) if is_last else cells[index + 1].line - 1
            if end_byte <= cell.start:
                continue
            builder.open(self._segment(cell, end_line))
            for node in nodes[bisect_left(places, cell.start) : bisect_left(places, end_byte)]:
                builder.leaf(node)
            builder.close(end_byte, end_line)
        total: Counter[bytes] = Counter()
        for cell in cells:
            total.update(cell.calls)
        facts: dict[str, Any] = {
            "calls": sum(total.values()),
            "processes": max(1, len(self._pids - {b""})),
            "most_called": {name.decode(): count for name, count in _most(total, 10)},
            "errors": dict(sorted(self._errors.items(), key=lambda item: (-item[1], item[0]))[:20]),
        }
        return Findings(builder.finish(end.byte, max(end.line, 1)), facts=facts)

    def _segment(self, cell: _Cell, end_line: int) -> Node:
        lines = end_line - cell.line + 1
        first, last = cell.first.decode(), cell.last.decode()
        title = (f"{first} → {last}" if first != last else first) or f"lines {cell.line:,} to {end_line:,}"
        node = Node("segment", title, cell.start, cell.line, count=max(1, lines), weight=0.4)
        calls = sum(cell.calls.values())
        node.digest = f"{calls:,} calls: " + ", ".join(
            f"{name.decode()} ×{count:,}" for name, count in _most(cell.calls, 5)
        )
        if cell.errors:
            node.digest += f"; {cell.errors:,} failed"
        node.facts = {"calls": calls, "failed": cell.errors}
        return node

    def _incident(self, incident: _Incident) -> Node:
        node = Node("incident", incident.title, incident.start, incident.line, incident.end, incident.line)
        node.digest, node.count, node.weight = incident.digest, incident.count, incident.weight
        node.facts = {"category": incident.category, "count": incident.count}
        if incident.count > 1:
            node.facts["last_line"] = incident.last_line
        return node


def _most(counts: Counter[bytes], number: int) -> list[tuple[bytes, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:number]


def _sniff(sample: Sample) -> float:
    if b") = " not in sample.head and b")  " not in sample.head:
        return 0.0
    lines = [line for line in sample.lines[:500] if line.strip()]
    if len(lines) < 3:
        return 0.0
    calls = [call for call in map(call_of, lines) if call is not None]
    return 0.97 if len(calls) > 0.8 * len(lines) and len({call.call for call in calls}) >= 3 else 0.0


FORMAT = Format("strace", "strace", _sniff, StraceScanner)
