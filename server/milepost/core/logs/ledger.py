"""What a log scan keeps: cells of time and bytes, and in each the kinds of incident that occurred.

A log of any size becomes at most `MAX_CELLS` cells. A cell begins at a *boundary* whose strength says how natural a cut it
is (a day, a gap, a restart, a build phase, or mere size); when there are too many cells, those behind the weakest
boundaries are merged into their predecessors. Of each kind of incident a cell keeps the first occurrence and counts the
rest, so memory is bounded by cells times kinds, and both are capped. All of it is a function of the sequence of calls.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

MAX_CELLS = 512
#: Kinds of incident one cell tells apart; further ones are counted in one "other" entry.
MAX_ENTRIES = 160
#: An occurrence this many lines (or fewer) after the last one of its kind belongs to the same run.
RUN_GAP_LINES = 10
_KEPT_RUNS = 3
_KEPT_TEMPLATES = 16
OTHER = -1


@dataclass(slots=True)
class Run:
    """Occurrences of one kind close after each other."""

    start_byte: int
    start_line: int
    end_byte: int
    end_line: int
    count: int = 1


@dataclass(slots=True)
class Kind:
    """Messages of one template that mean the same. `count` is of the whole file."""

    id: int
    category: str
    severity: int
    weight: float
    strong: bool
    count: int = 0
    first_byte: int = -1
    title: bytes = b""
    run: Run | None = None
    runs: list[Run] = field(default_factory=list)

    def note(self, start_byte: int, start_line: int, end_byte: int, end_line: int, count: int = 1) -> None:
        """Count an occurrence, or `count` of them close together; the longest runs are kept."""
        self.count += count
        if self.first_byte < 0:
            self.first_byte = start_byte
        run = self.run
        if run is not None and start_line - run.end_line <= RUN_GAP_LINES:
            run.end_byte, run.end_line = max(run.end_byte, end_byte), max(run.end_line, end_line)
            run.count += count
            return
        self.close_run()
        self.run = Run(start_byte, start_line, end_byte, end_line, count)

    def close_run(self) -> None:
        """Keep the current run if it is among the longest."""
        run, self.run = self.run, None
        if run is None or run.count < 5:
            return
        self.runs.append(run)
        if len(self.runs) > _KEPT_RUNS:
            self.runs.remove(min(self.runs, key=lambda one: one.count))


@dataclass(slots=True)
class Entry:
    """The first occurrence of one kind in a cell, and how many there were. `lines` counts the lines of all of them."""

    kind: int
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    title: bytes
    digest: bytes
    count: int = 1
    lines: int = 1
    last_line: int = 0
    has_trace: bool = False


@dataclass(slots=True)
class Cell:
    """A stretch of the file. `strength` is of the boundary at its start; times are provisional seconds, or None."""

    start_byte: int
    start_line: int
    strength: float
    label: str = ""
    first_time: float | None = None
    last_time: float | None = None
    warnings: int = 0
    errors: int = 0
    fatals: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    templates: Counter[int] = field(default_factory=Counter)
    sampled_lines: int = 0
    templates_dropped: bool = False

    def note_time(self, seconds: float) -> None:
        """A stamp that lies in this cell. Where the lines are out of order, the times are the earliest and the latest."""
        self.first_time = seconds if self.first_time is None else min(self.first_time, seconds)
        self.last_time = seconds if self.last_time is None else max(self.last_time, seconds)

    def trim_templates(self) -> None:
        """Keep the commonest templates only."""
        if len(self.templates) > _KEPT_TEMPLATES:
            self.templates = Counter(dict(self.templates.most_common(_KEPT_TEMPLATES)))
            self.templates_dropped = True

    def absorb(self, later: Cell) -> None:
        """Take in the cell that follows this one."""
        if later.first_time is not None and later.last_time is not None:
            self.note_time(later.first_time)
            self.note_time(later.last_time)
        self.warnings += later.warnings
        self.errors += later.errors
        self.fatals += later.fatals
        self.sampled_lines += later.sampled_lines
        self.templates.update(later.templates)
        self.templates_dropped |= later.templates_dropped
        self.trim_templates()
        if not self.label and self.first_time is None:
            self.label = later.label  # a build's step; a gap is told only by what begins after it
        for kind, entry in later.entries.items():
            mine = self.entries.get(kind)
            if mine is None and len(self.entries) >= MAX_ENTRIES:
                kind = OTHER
                mine = self.entries.get(OTHER)
                if mine is None:
                    entry.kind = OTHER
            if mine is None:
                self.entries[kind] = entry
            else:
                mine.count += entry.count
                mine.lines += entry.lines
                mine.last_line = max(mine.last_line, entry.last_line)


class Ledger:
    """The cells in order and the kinds by number."""

    def __init__(self) -> None:
        self.cells: list[Cell] = []
        self.kinds: list[Kind] = []

    @property
    def cell(self) -> Cell:
        """The cell that is being filled."""
        return self.cells[-1]

    def new_kind(self, category: str, severity: int, weight: float, strong: bool) -> Kind:
        """Register a kind of incident."""
        kind = Kind(len(self.kinds), category, severity, weight, strong)
        self.kinds.append(kind)
        return kind

    def begin_cell(self, start_byte: int, start_line: int, strength: float, label: str = "") -> None:
        """A boundary: what follows belongs to a new cell."""
        if self.cells:
            self.cell.trim_templates()
            if self.cell.start_byte == start_byte:
                if strength > self.cell.strength:
                    self.cell.strength, self.cell.label = strength, label or self.cell.label
                return
        self.cells.append(Cell(start_byte, start_line, strength, label))
        if len(self.cells) > MAX_CELLS:
            # The newest cell is still open and is left alone.
            newest = self.cells.pop()
            self.cells = [*merge_cells(self.cells, newest.start_byte, newest.start_line - 1, MAX_CELLS // 2), newest]

    def add(self, entry: Entry) -> None:
        """Count an occurrence in the open cell; the first of its kind there is kept."""
        entries = self.cell.entries
        key = entry.kind
        if key not in entries and len(entries) >= MAX_ENTRIES:
            key = entry.kind = OTHER
        mine = entries.get(key)
        if mine is None:
            entries[key] = entry
        else:
            mine.count += 1
            mine.lines += entry.lines
            mine.last_line = entry.end_line


def merge_cells(cells: list[Cell], end_byte: int, end_line: int, target: int) -> list[Cell]:
    """At most about `target` cells: those behind the weakest boundaries go into their predecessors.

    A boundary's cost is its strength and, less, the size of the smaller side, so that cells of like size remain; a cell
    of more than a fifth of all lines is made only when nothing else is left. Costs are taken in rounds, each merging no
    cell twice, so that many merges cost one sort.
    """
    if not cells:
        return cells
    total = max(1, end_byte - cells[0].start_byte)
    most_lines = max(1, (end_line - cells[0].start_line + 1) // 5) if target >= 6 else end_line
    while len(cells) > target:
        ends = [*((cell.start_byte, cell.start_line) for cell in cells[1:]), (end_byte, end_line + 1)]
        sizes = [byte - cell.start_byte for cell, (byte, _) in zip(cells, ends, strict=True)]
        costs = sorted(
            (
                cells[i].strength
                + 0.35 * math.log2(1 + target * min(sizes[i - 1], sizes[i]) / total)
                + (10.0 if ends[i][1] - cells[i - 1].start_line > most_lines else 0.0),
                i,
            )
            for i in range(1, len(cells))
        )
        excess = len(cells) - target
        chosen: set[int] = set()
        for _, i in costs:
            if len(chosen) >= max(1, min(excess, len(cells) // 3)):
                break
            if i - 1 not in chosen and i + 1 not in chosen:
                chosen.add(i)
        merged: list[Cell] = []
        for i, cell in enumerate(cells):
            if i in chosen:
                merged[-1].absorb(cell)
            else:
                merged.append(cell)
        cells = merged
    return cells
