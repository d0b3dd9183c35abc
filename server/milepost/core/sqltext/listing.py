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
        self._column = int(resume.get("column") or 0)
        self._end_column: int | None = resume.get("end_column")
        # How many UTF-16 units of its line come before the place up to which they were counted.
        self._counted = context.start_byte
        self._units = self._column

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
            place = max(0, self._line_start(block, piece.low + at))
            self._statements.add(Mark(record, block.start + place, block.line_at(place), raw, b"", 0))
        self._statement_count += len(starts)

    def take_tuples(self, piece: Piece, opened: Offsets) -> None:
        """Rows of one statement, by their opening brackets. One that does not begin its line has a column."""
        block = piece.block
        count = self._tuple_count
        for record in self._tuples.wanted(count, count + len(opened)):
            at = int(opened[record - count]) + piece.low
            start = self._line_start(block, at)
            begins = start >= 0 and at - start < 200 and not block.data[start:at].strip()
            raw = block.data[at : at + _RAW_BYTES].split(b"\n")[0]
            place = start if begins else at
            column = 0 if begins else self._column_of(block, start, at)
            self._tuples.add(Mark(record, block.start + place, block.line_at(at), raw, b"", column))
        self._tuple_count += len(opened)

    def _column_of(self, block: Block, start: int, at: int) -> int:
        """The UTF-16 units between the beginning of a line and a place in it, counted on from the last place asked for."""
        counted = self._counted - block.start
        if start > counted:
            counted, self._units = start, 0
        counted = max(counted, 0)
        text = block.data[counted:at].decode(self._context.encoding, "replace")
        self._units += len(text) + sum(character > "\uffff" for character in text if not text.isascii())
        self._counted = block.start + at
        return self._units

    def end_block(self, block: Block) -> None:
        """Count the units of a line that goes on behind the block."""
        if not block.ends_line and block.data:
            start = int(block.starts[-1]) if len(block.starts) else -1
            self._column_of(block, start, len(block.data))

    def _line_start(self, block: Block, at: int) -> int:
        """Where the line of a place starts; -1 for before the block."""
        index = int(np.searchsorted(block.starts, at, side="right")) - 1
        return int(block.starts[index]) if index >= 0 else -1

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
        chosen: list[Mark] = []
        for mark in marks.kept:
            # Two statements on one line cannot be told apart by lines: the first stands for both.
            if mark.record % size == 0 and (not chosen or mark.byte > chosen[-1].byte):
                chosen.append(mark)
        nodes = []
        stops = [*chosen[1:], Mark(total, end.byte, end.line, b"", b"", 0)]
        noun = "statement" if kind == "insert" else "row"
        in_lines = kind == "tuples"
        for index, (mark, stop) in enumerate(zip(chosen, stops, strict=False)):
            first, last = self._first + mark.record + 1, self._first + stop.record
            is_last = index + 1 == len(chosen)
            node = Node("record", "", mark.byte, mark.line, stop.byte, stop.line - 1, count=last - first + 1)
            if is_last:
                node.end_line, node.end_column = end.line, self._end_column
            elif in_lines and stop.ragged:
                node.end_line, node.end_column = stop.line, stop.ragged
            if in_lines and mark.ragged:
                node.start_column = mark.ragged
            node.title = f"{noun} {first:,}" if first == last else f"{noun}s {first:,}–{last:,}"
            node.digest = mark.raw.decode(self._context.encoding, "replace").replace("\t", " · ")
            node.facts = {"first": first, "last": last}
            if not index:
                node.start_byte, node.start_line = self._context.start_byte, self._context.start_line
                node.start_column = self._column or None
            if last > first:
                node.kind = "group"
                node.facts["of"] = noun
                node.hidden = last - first + 1
                node.resume = {"rows": kind, "first": first - 1, "inside": kind != "insert"}
                node.resume.update(column=node.start_column, end_column=node.end_column)
            nodes.append(node)
        if not nodes:
            node = Node("block", "rows", self._context.start_byte, self._context.start_line, end.byte, end.line)
            node.start_column, node.end_column = self._column or None, self._end_column
            return freeze([node])
        return freeze(nodes)
