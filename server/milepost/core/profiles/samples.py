"""Profiles that are samples, one after the other (`perf script`) or counted by their stacks (folded stacks).

There is nothing to list but stretches, each with the functions that the samples fell into.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from milepost.core.outline import Node
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.profiles.hottest import Hottest
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView

SAMPLE = re.compile(
    rb"(?P<command>\S.*?)\s+(?P<pid>\d+)(?:/\d+)?\s+(?:\[\d+\]\s+)?(?P<time>\d+\.\d+):\s+(?:\d+\s+)?(?P<event>[\w:./-]+):"
)
FRAME = re.compile(rb"\s+[0-9a-f]+ (?P<name>.+?)(?:\+0x[0-9a-f]+)? \([^()]*(?:\([^()]*\))?[^()]*\)\s*\Z")
FOLDED = re.compile(rb"(?P<stack>\S.*?) (?P<count>\d+)\s*\Z")
_CELL_BYTES = 16 << 10
_MOST_CELLS = 64
_SEGMENTS = 32
_LINE_BYTES = 4096


@dataclass(slots=True)
class _Cell:
    start: int
    line: int
    first: bytes = b""
    last: bytes = b""
    samples: int = 0
    hottest: Hottest = field(default_factory=Hottest)

    def take(self, other: _Cell) -> None:
        """Take a following cell in."""
        self.first, self.last = self.first or other.first, other.last or self.last
        self.samples += other.samples
        for name, cost in other.hottest.costs.items():
            self.hottest.add(name, cost)


class SampleScanner:
    """Outlines samples in stretches. `folded` says that each line is a stack with its count."""

    def __init__(self, context: Context, *, folded: bool) -> None:
        self._context = context
        self._folded = folded
        self._cells = [_Cell(context.start_byte, context.start_line)]
        self._cell_bytes = _CELL_BYTES
        self._wants_frame = False
        self._commands: Hottest = Hottest()

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        for index in range(view.size):
            head = int(view.heads[index])
            if self._folded:
                self._stack(view, index)
            elif head not in b" \t\r\n#":
                match = SAMPLE.match(view.text(index, _LINE_BYTES))
                if match is not None:
                    self._sample(view, index, match)
            elif self._wants_frame and head in b" \t":
                match = FRAME.match(view.text(index, _LINE_BYTES))
                if match is not None:
                    self._cells[-1].hottest.add(self._decoded(match["name"]), 1)
                    self._wants_frame = False

    def _decoded(self, text: bytes) -> str:
        return text.decode(self._context.encoding, "replace")

    def _cell_at(self, view: LineView, index: int) -> _Cell:
        """The cell that a sample belongs to which begins at a line."""
        start = view.offset(index)
        if start - self._cells[-1].start >= self._cell_bytes:
            if len(self._cells) >= _MOST_CELLS:
                for low in range(0, len(self._cells) - 1, 2):
                    self._cells[low].take(self._cells[low + 1])
                self._cells = self._cells[::2]
                self._cell_bytes *= 2
            self._cells.append(_Cell(start, view.number(index)))
        return self._cells[-1]

    def _sample(self, view: LineView, index: int, match: re.Match[bytes]) -> None:
        cell = self._cell_at(view, index)
        cell.samples += 1
        cell.first, cell.last = cell.first or match["time"], match["time"]
        self._commands.add(self._decoded(match["command"]), 1)
        self._wants_frame = True

    def _stack(self, view: LineView, index: int) -> None:
        match = FOLDED.match(view.text(index, _LINE_BYTES))
        if match is None:
            return
        cell = self._cell_at(view, index)
        count = int(match["count"])
        cell.samples += count
        frames = match["stack"].split(b";")
        cell.first, cell.last = cell.first or frames[0], frames[0]
        cell.hottest.add(self._decoded(frames[-1]), count)
        self._commands.add(self._decoded(frames[0]), count)

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        builder = OutlineBuilder(self._context.max_nodes)
        size = max(1, -(-len(self._cells) // _SEGMENTS))
        whole = _Cell(0, 0)
        cells = []
        for low in range(0, len(self._cells), size):
            cell = _Cell(self._cells[low].start, self._cells[low].line)
            for other in self._cells[low : low + size]:
                cell.take(other)
            cells.append(cell)
            whole.take(cell)
        for index, cell in enumerate(cells):
            is_last = index + 1 == len(cells)
            end_byte = end.byte if is_last else cells[index + 1].start
            end_line = max(end.line, 1) if is_last else cells[index + 1].line - 1
            if end_byte > cell.start:
                builder.leaf(self._segment(cell, end_byte, end_line))
        facts = {
            "profiler": "folded stacks" if self._folded else "perf script",
            "samples": whole.samples,
            **whole.hottest.facts(float(whole.samples)),
            "roots" if self._folded else "commands": self._commands.facts().get("hottest", []),
        }
        return Findings(builder.finish(end.byte, max(end.line, 1)), facts=facts)

    def _segment(self, cell: _Cell, end_byte: int, end_line: int) -> Node:
        first, last = self._decoded(cell.first), self._decoded(cell.last)
        title = (f"{first} → {last}" if first != last else first) or f"lines {cell.line:,} to {end_line:,}"
        node = Node("segment", title, cell.start, cell.line, end_byte, end_line, weight=0.4)
        node.count = max(1, cell.samples)
        node.digest = f"{cell.samples:,} samples: {cell.hottest.said(float(cell.samples))}" if cell.samples else ""
        node.facts = {"samples": cell.samples, **cell.hottest.facts(float(cell.samples))}
        return node
