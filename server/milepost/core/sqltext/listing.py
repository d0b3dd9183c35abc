"""The rows of one data section, listed when it is expanded: statements, lines of a COPY block, or rows of one statement."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from milepost.core.outline import Node, Section, freeze
from milepost.core.scan import Block, Context, End
from milepost.core.sqltext.piece import Piece
from milepost.core.sqltext.statements import Head
from milepost.core.tables.bits import Offsets
from milepost.core.tables.cells import Mark, Marks, round_size

_MOST_GROUPS = 50
_MOST_SINGLES = 100
_RAW_BYTES = 300


class RowList:
    """Marks rows while a section is scanned again, and makes sections of them."""

    def __init__(self, context: Context, resume: dict[str, Any]) -> None:
        self._context = context
        self._kind = str(resume["rows"])
        self._first = int(resume.get("first", 0))
        self._lines = Marks()
        self._line_count = 0
        self._statements = Marks()
        self._statement_count = 0
        self._tuples = Marks()
        self._tuple_count = 0
        self._block: Block | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> RowList:
        twin = copy.copy(self)
        twin._lines, twin._statements, twin._tuples = self._lines.copy(), self._statements.copy(), self._tuples.copy()
        return twin

    def take_lines(self, block: Block, low: int, high: int) -> None:
        """Lines of a COPY block, by their index among those of the block."""
        count = self._line_count
        for record in self._lines.wanted(count, count + high - low):
            at = int(block.starts[low + record - count])
            raw = block.data[at : at + _RAW_BYTES].split(b"\n")[0]
            self._lines.add(Mark(record, block.start + at, block.line_at(at), raw, b"", record))
        self._line_count += high - low

    def take_statements(self, block: Block, piece: Piece, start: int, index: int, last: int, head: Head) -> None:
        """INSERT statements: the one at `start`, and those behind the terminators from `index` to `last`."""
        starts = np.append(np.array([start]), piece.starts()[index:last])
        count = self._statement_count
        for record in self._statements.wanted(count, count + len(starts)):
            at = int(starts[record - count])
            raw = piece.data[at + head.prefix : at + head.prefix + _RAW_BYTES].split(b"\n")[0]
            place = self._line_start(block, piece.low + at)
            self._statements.add(Mark(record, block.start + place, block.line_at(place), raw, b"", 0))
        self._statement_count += len(starts)
        self._block = block

    def take_tuples(self, piece: Piece, opened: Offsets) -> None:
        """Rows of one statement, by their opening brackets; those that begin a line can be told apart."""
        block = piece.block
        places = opened + piece.low
        before = block.array[np.maximum(places - 1, 0)]
        begins = (before == 10) | (before == 13) | (before == 32) | (before == 9) | (places == 0)
        count = self._tuple_count
        for record in self._tuples.wanted(count, count + len(places)):
            at = int(places[record - count])
            if not begins[record - count]:
                continue
            start = self._line_start(block, at)
            if block.data[start:at].strip():
                continue
            raw = block.data[at : at + _RAW_BYTES].split(b"\n")[0]
            self._tuples.add(Mark(record, block.start + start, block.line_at(start), raw, b"", 0))
        self._tuple_count += len(places)

    def _line_start(self, block: Block, at: int) -> int:
        index = int(np.searchsorted(block.starts, at, side="right")) - 1
        return int(block.starts[index]) if index >= 0 else at

    # --- saying what was found --------------------------------------------------------------------------------------

    def sections(self, end: End) -> tuple[Section, ...]:
        """The rows, one by one or in groups."""
        if self._line_count:
            return self._listed(self._lines, self._line_count, "copy", end)
        if self._statement_count > 1:
            return self._listed(self._statements, self._statement_count, "insert", end)
        return self._listed(self._tuples, self._tuple_count, "tuples", end)

    def _listed(self, marks: Marks, total: int, kind: str, end: End) -> tuple[Section, ...]:
        size = 1 if total <= _MOST_SINGLES else round_size(total, _MOST_GROUPS, marks.unit)
        chosen = [mark for mark in marks.kept if mark.record % size == 0]
        # What lies on one line, or before the first row, cannot be told apart by lines.
        chosen = [mark for index, mark in enumerate(chosen) if not index or mark.byte > chosen[index - 1].byte]
        nodes = []
        stops = [*chosen[1:], Mark(total, end.byte, end.line + 1, b"", b"", 0)]
        noun = "statement" if kind == "insert" else "row"
        for mark, stop in zip(chosen, stops, strict=False):
            first, last = self._first + mark.record + 1, self._first + stop.record
            node = Node("record", "", mark.byte, mark.line, stop.byte, stop.line - 1, count=last - first + 1)
            node.title = f"{noun} {first:,}" if first == last else f"{noun}s {first:,}–{last:,}"
            node.digest = mark.raw.decode(self._context.encoding, "replace").replace("\t", " · ")
            node.facts = {"first": first, "last": last}
            if last > first:
                node.kind = "group"
                node.facts["of"] = noun
                node.hidden = last - first + 1
                node.resume = {"rows": kind, "first": first - 1, "inside": kind != "insert"}
            nodes.append(node)
        if not nodes:
            node = Node("block", "rows", self._context.start_byte, self._context.start_line, end.byte, end.line)
            return freeze([node])
        if nodes[0].start_byte > self._context.start_byte:
            nodes[0].start_byte, nodes[0].start_line = self._context.start_byte, self._context.start_line
        return freeze(nodes)
