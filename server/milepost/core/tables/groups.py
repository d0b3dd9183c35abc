"""A table as sections: its header, then its records in groups by number, or by a column it is sorted by."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from milepost.core.outline import Node
from milepost.core.tables.cells import Mark, Marks, Runs, round_size
from milepost.core.tables.columns import Columns
from milepost.core.tables.dialect import SNIFF_BYTES, Guess
from milepost.core.tables.values import kind_of
from milepost.core.text import clip_text

#: At most so many groups stand side by side; a table of no more records lists them one by one.
MOST_GROUPS = 50
_MOST_SINGLES = 100
_LISTED_AT_ONCE = 2000
_FAULT_WEIGHT = 0.8
_LABEL_BYTES = 60


class Fault(NamedTuple):
    """A record with another number of fields (0: its quotes are never closed) and where it is."""

    record: int
    byte: int
    line: int
    end_byte: int
    end_line: int
    fields: int


def run_candidates(guess: Guess, head: bytes) -> list[Runs]:
    """Columns that may group the table: the first, and one with times in order by year, month, day and hour."""
    if guess.columns < 2:
        return []
    text = head[:SNIFF_BYTES].removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    rows = guess.dialect.reader(text)[guess.preamble + guess.has_header : -1]
    rows = [row for row in rows if len(row) == guess.columns]
    if len(rows) < 4:
        return []
    found: list[Runs] = []
    for index in range(min(guess.columns, 40)):
        values = [row[index] for row in rows]
        are_times = all(
            kind_of(value.encode("latin-1")) in ("date", "datetime") and value[:4].isdigit() for value in values
        )
        if are_times and sorted(values) == values:
            found = [Runs(index, prefix, must_rise=True) for prefix in (4, 7, 10, 13)]
            break
    first = [row[0] for row in rows]
    times_changed = sum(one != other for one, other in pairwise(first))
    if times_changed * 3 <= len(first) and not (found and found[0].column == 0):
        found.append(Runs(0))
    return found


@dataclass(slots=True)
class TableOutline:
    """Makes the nodes of a table from what was noted while it was read."""

    guess: Guess
    columns: Columns
    start: tuple[int, int]
    end: tuple[int, int]
    header: Mark | None
    body: tuple[int, int] | None
    records: int
    first_record: int
    marks: Marks
    runs: list[Runs]
    faults: list[Fault]
    ragged: int
    last_raw: bytes
    level: int
    max_nodes: int

    def nodes(self, facts: dict[str, Any]) -> list[Node]:
        """The sections of the table, from the start of the range to its end."""
        nodes = self._front(facts)
        if self.body is not None and self.records:
            at = nodes[-1].end_byte if nodes else self.start[0]
            groups = self._groups()
            if groups and groups[0].start_byte > at:
                # A byte order mark, blank lines and remarks before the first record belong to it.
                old, line = groups[0].start_byte, self.start[1] if not nodes else nodes[-1].end_line + 1
                first: Node | None = groups[0]
                while first is not None and first.start_byte == old:
                    first.start_byte, first.start_line = at, line
                    first = first.children[0] if first.children else None
            if not self.guess.has_header and groups and facts:
                groups[0].digest = f"no header; {self.columns.digest()}"
            nodes += groups
        return nodes

    def _front(self, facts: dict[str, Any]) -> list[Node]:
        """What comes before the records: titles and remarks, then the header."""
        body_byte, body_line = self.body if self.body is not None else (self.end[0], self.end[1] + 1)
        nodes: list[Node] = []
        start_byte, start_line = self.start
        if facts and self.guess.preamble:
            byte, line = (self.header.byte, self.header.line) if self.header else (body_byte, body_line)
            if byte > start_byte:
                node = Node("comment", "before the table", start_byte, start_line, byte, line - 1, level=self.level)
                node.count = max(1, line - start_line)
                nodes.append(node)
                start_byte, start_line = byte, line
        if self.header is not None:
            node = Node("header", "", start_byte, start_line, body_byte, body_line - 1, level=self.level, weight=0.6)
            node.title = "header: " + ", ".join(self.guess.names)
            node.digest = self.columns.digest()
            node.facts = {key: facts[key] for key in ("columns", "dialect", "records", "sampled") if key in facts}
            nodes.append(node)
        elif facts and self.body is None and self.end[0] > start_byte:
            node = Node("blank", "no records", start_byte, start_line, self.end[0], self.end[1], level=self.level)
            nodes.append(node)
        return nodes

    # --- groups -----------------------------------------------------------------------------------------------------

    def _groups(self) -> list[Node]:
        if self.records <= _MOST_SINGLES:
            return [self._record(mark, end, self.level) for mark, end in self._spans(self.marks.kept)]
        natural = self._natural()
        if natural is not None:
            return natural
        size = round_size(self.records, MOST_GROUPS, self.marks.unit)
        marks = [mark for mark in self.marks.kept if mark.record % size == 0]
        return [self._group(mark, end, self.level) for mark, end in self._spans(marks)]

    def _natural(self) -> list[Node] | None:
        best: Runs | None = None
        for run in self.runs:
            if not run.is_natural(self.records):
                continue
            if run.must_rise and len(run.kept) > MOST_GROUPS and best is not None:
                continue
            if best is None or (run.must_rise and len(run.kept) <= MOST_GROUPS):
                best = run
        if best is None or len(best.kept) * 2 > self.max_nodes:
            return None
        nodes = []
        for (mark, end), value in zip(self._spans(best.kept), best.values, strict=True):
            node = self._group(mark, end, self.level)
            shown = clip_text(value.decode(self.columns.encoding, "replace"), 80)
            node.digest = f"{node.title}: {node.digest}" if node.digest else node.title
            node.title = f"{shown} · {node.count:,} record{'s' * (node.count != 1)}"
            node.label = shown
            node.facts["value"] = shown
            nodes.append(node)
        if len(nodes) <= MOST_GROUPS:
            return nodes
        size = round_size(len(nodes), MOST_GROUPS, 1)
        return [self._bundle(nodes[low : low + size]) for low in range(0, len(nodes), size)]

    def _bundle(self, nodes: list[Node]) -> Node:
        first, last = nodes[0], nodes[-1]
        node = Node(
            "group", f"{first.label} … {last.label}", first.start_byte, first.start_line, last.end_byte, last.end_line
        )
        node.count = sum(one.count for one in nodes)
        node.digest = f"{node.count:,} records in {len(nodes):,} groups by {self.guess.names[0]}"
        node.level, node.children = self.level, nodes
        node.facts = {"of": "record"}
        for one in nodes:
            one.level += 1
            for child in one.children:
                child.level += 1
        return node

    def _spans(self, marks: list[Mark]) -> list[tuple[Mark, Mark]]:
        """Each mark with the one where its records end."""
        end = Mark(self.records, self.end[0], self.end[1] + 1, b"", self.last_raw, self.ragged)
        return list(zip(marks, [*marks[1:], end], strict=True))

    def _group(self, mark: Mark, end: Mark, level: int) -> Node:
        first, last = self.first_record + mark.record + 1, self.first_record + end.record
        title = f"records {first:,}–{last:,}" if last > first else f"record {first:,}"
        node = Node("group", title, mark.byte, mark.line, end.byte, end.line - 1, count=last - first + 1, level=level)
        node.digest = " … ".join(dict.fromkeys(one for one in (self._label(mark.raw), self._label(end.before)) if one))
        node.facts = {"of": "record", "first_record": first, "last_record": last}
        inside = [fault for fault in self.faults if first - 1 <= fault.record < last]
        ragged = end.ragged - mark.ragged
        if ragged > 0:
            node.facts["ragged"] = ragged
            node.digest += f"; {ragged:,} of another number of fields than {self.guess.columns}"
        node.children = [self._fault(fault, level + 1) for fault in inside]
        listed = [one for one in self.marks.kept if mark.record <= one.record < end.record]
        if self.records <= _LISTED_AT_ONCE and self.marks.unit == 1 and node.count <= 200:
            stops = [*listed[1:], end]
            node.children = [self._record(one, stop, level + 1) for one, stop in zip(listed, stops, strict=True)]
        elif node.count > 1:
            node.hidden = node.count - len(node.children)
            node.resume = self._resume_at(mark.record)
        return node

    def _resume_at(self, record: int) -> dict[str, Any]:
        dialect = self.guess.dialect
        return {
            "dialect": (dialect.delimiter, dialect.quote, dialect.escape, dialect.skip_space, dialect.comments),
            "names": self.guess.names,
            "labels": self.columns.labels(),
            "first": self.first_record + record,
            "level": self.level + 1,
        }

    def _record(self, mark: Mark, end: Mark, level: int) -> Node:
        number = self.first_record + mark.record
        fault = next((one for one in self.faults if one.record == number), None)
        node = Node("record", "", mark.byte, mark.line, end.byte, end.line - 1, level=level)
        cells = self._cells(mark.raw)
        shown = set(self.columns.labels())
        node.title = self._label(mark.raw) or f"record {number + 1:,}"
        rest = [f"{name}={cell}" for index, (name, cell) in enumerate(cells) if index not in shown and cell]
        node.digest = ", ".join(rest)
        node.facts = {"record": number + 1}
        if fault is not None:
            self._mark_fault(node, fault)
        return node

    def _fault(self, fault: Fault, level: int) -> Node:
        node = Node("error", "", fault.byte, fault.line, fault.end_byte, fault.end_line, level=level)
        node.facts = {"record": fault.record + 1}
        self._mark_fault(node, fault)
        return node

    def _mark_fault(self, node: Node, fault: Fault) -> None:
        what = f"has {fault.fields} fields, not {self.guess.columns}" if fault.fields else "has a quote never closed"
        node.kind, node.weight = "error", _FAULT_WEIGHT
        node.title = f"record {fault.record + 1:,} {what}"
        node.facts = {**node.facts, "fields": fault.fields}

    # --- labels -----------------------------------------------------------------------------------------------------

    def _cells(self, raw: bytes) -> list[tuple[str, str]]:
        rows = self.guess.dialect.reader(raw.decode("latin-1"))
        if not rows:
            return []
        texts = [cell.encode("latin-1").decode(self.columns.encoding, "replace").strip() for cell in rows[0]]
        return [(name, text) for name, text in zip(self.guess.names, texts, strict=False)]

    def _label(self, raw: bytes) -> str:
        cells = self._cells(raw)
        chosen = [clip_text(cells[index][1], _LABEL_BYTES) for index in self.columns.labels() if index < len(cells)]
        return " · ".join(text for text in chosen if text and text != "\\N")
