"""SQL dumps: each table's definition and rows, routines whole, the rest in groups, at any size.

The text is taken in pieces (to the end of a COPY line, to a DELIMITER line, else a block). What strings, comments and
bodies hide is found for a whole piece (`sqltext.lexer`), then the places where statements end. A statement is looked at by
its first words (`sqltext.statements`); of INSERT statements that begin alike the whole run is taken at once.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_left
from typing import Any

import numpy as np

from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Problem
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.sqltext.dialect import SqlDialect, dialect_of, sql_score
from milepost.core.sqltext.ends import terminators
from milepost.core.sqltext.lexer import Inside, Lexer, Rules
from milepost.core.sqltext.listing import RowList
from milepost.core.sqltext.piece import Piece, lines_beginning
from milepost.core.sqltext.rows import Brackets
from milepost.core.sqltext.sections import Boundary, Sections
from milepost.core.sqltext.statements import Head, classify, open_blocks, strip_leading

_HEAD_BYTES = 4096
_MAX_COMPOUND = 256 << 10
_DEFINITION_BYTES = 32 << 10
_PIECE_BYTES = 4 << 10
_SHORT_BYTES = 2 << 10
#: After so many INSERT statements of which each is for another table than the one before, tables are no longer told apart.
_MIXED_AFTER = 64
_DIRECTIVE = re.compile(rb"(?i)delimiter[ \t]+(\S+)[^\r\n]*(?:\r?\n|\r|\Z)")
_BLANK_REST = re.compile(rb"[ \t]*(?:--[^\r\n]*)?(?:\r?\n|\r|\Z)")


class SqlScanner:
    """Outlines one dump, or the rows of a section that is being expanded (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._dialect: SqlDialect | None = dialect_of(context.head) if context.head else None
        self._lexer = Lexer(self._dialect.rules if self._dialect else Rules())
        self._delimiter = b";"
        self._in_copy = False
        start = Boundary(context.start_byte, context.start_line, (context.resume or {}).get("column"))
        self._sections = Sections(start, context.max_nodes, context.encoding)
        self._boundary: Boundary | None = start
        self._begun = start
        self._text = b""
        self._head: Head | None = None
        self._depth = self._outer = self._switches = self._blocks = self._length = 0
        self._copy_ends: tuple[int, list[int]] = (-1, [])
        self._rows: RowList | None = None
        if context.resume is not None:
            self._rows = RowList(context, context.resume)
            self._in_copy = bool(context.resume.get("inside")) and context.resume["rows"] == "copy"
            if context.resume.get("inside") and context.resume["rows"] == "tuples":
                self._head = Head("data", is_insert=True)

    def __deepcopy__(self, memo: dict[int, Any]) -> SqlScanner:
        twin = SqlScanner.__new__(SqlScanner)
        twin.__dict__.update(self.__dict__)
        twin._lexer = copy.copy(self._lexer)
        twin._sections = copy.deepcopy(self._sections)
        twin._rows = copy.deepcopy(self._rows)
        return twin

    # --- taking text in ---------------------------------------------------------------------------------------------

    def feed(self, block: Block) -> None:
        """Take the next block."""
        if not block.data:
            return
        if self._dialect is None:
            self._dialect = dialect_of(block.data[: 256 << 10])
            self._lexer = Lexer(self._dialect.rules)
        data, at = block.data, 3 if block.start == 0 and block.data.startswith(b"\xef\xbb\xbf") else 0
        directives = self._directives(block)
        room = _PIECE_BYTES if self._in_copy else len(data)
        while at < len(data):
            if self._in_copy:
                at, room = self._copy_rows(block, at), _PIECE_BYTES
                continue
            stop = _end_of_lines(block, at + room)
            room *= 4
            while directives and directives[0].start() < at:
                directives.pop(0)
            match = directives[0] if directives and directives[0].start() < stop else None
            stop = match.start() if match is not None else stop
            if stop > at:
                at = self._piece(block, at, stop)
            if match is not None and at == stop and not self._in_copy:
                at = self._change_delimiter(block, at, match)
        if self._rows is not None:
            self._rows.end_block(block)

    def _directives(self, block: Block) -> list[re.Match[bytes]]:
        """The lines that begin with DELIMITER."""
        assert self._dialect is not None
        if self._dialect.name not in ("mysql", "sql"):
            return []
        places = lines_beginning(block, b"delimiter")
        return [match for place in places if (match := _DIRECTIVE.match(block.data, place))]

    def _change_delimiter(self, block: Block, at: int, match: re.Match[bytes]) -> int:
        """A DELIMITER line, unless it lies in a string or comment."""
        if self._lexer.state is not Inside.NOTHING:
            return self._piece(block, at, match.end())
        self._finish_open(block, at)
        self._delimiter = match[1] if len(match[1]) <= 16 else b";"
        return match.end()

    def _finish_open(self, block: Block, at: int) -> None:
        """A statement before a DELIMITER line ends there, if there is one."""
        if self._text:
            head = self._head or classify(self._text[:_HEAD_BYTES], self._context.encoding)
            self._emit(block, head, at, 1, self._outer - head.has_columns if head.is_insert else 0, self._text)

    # --- COPY rows --------------------------------------------------------------------------------------------------

    def _copy_rows(self, block: Block, at: int) -> int:
        """Rows up to the line `\\.`, or to the end of the block. Gives where the text goes on."""
        data, starts = block.data, block.starts
        if self._copy_ends[0] != block.start:
            candidates = starts[block.array[starts] == 0x5C].tolist()
            ends = [start for start in candidates if data[start + 1 : start + 3] in (b".", b".\n", b".\r")]
            self._copy_ends = (block.start, ends)
        ends = self._copy_ends[1]
        index = bisect_left(ends, at)
        place = ends[index] if index < len(ends) else -1
        stop = place if place >= 0 else len(data)
        low, high = np.searchsorted(block.starts, (at, stop))
        rows = int(high - low)
        if rows:
            first = int(block.starts[low])
            self._sections.add_rows(rows, data[first : first + 200].splitlines()[0])
            if self._rows is not None:
                self._rows.take_lines(block, int(low), int(high))
        if place < 0:
            return len(data)
        self._in_copy = False
        end = int(np.searchsorted(block.starts, place, side="right"))
        after = int(block.starts[end]) if end < len(block.starts) else len(data)
        self._boundary = Boundary(block.start + after, block.line_at(place) + 1)
        self._begin_statement(block.start + after)
        return after

    # --- statements -------------------------------------------------------------------------------------------------

    def _piece(self, block: Block, low: int, high: int) -> int:
        """The statements of a part of a block; up to where they were taken: rows of a COPY are not statements."""
        assert self._dialect is not None
        whole = low == 0 and high == len(block.data)
        data = block.data if whole else block.data[low:high]
        codes = block.array[low:high]
        hidden = self._lexer.hidden(data, codes)
        ends, widths = terminators(block, low, data, hidden, self._dialect, self._delimiter, bool(self._text))
        brackets = Brackets(data, codes, hidden)
        walk = Piece(block, data, low, ends, widths, brackets)
        index, begin = 0, 0
        while index < len(ends):
            index, begin = self._statement(block, walk, index, begin)
            if self._in_copy:
                self._lexer.state = Inside.NOTHING
                place = int(np.searchsorted(block.starts, low + begin - 1, side="right"))
                return int(block.starts[place]) if place < len(block.starts) else len(block.data)
        if begin < len(data):
            self._carry(walk, begin)
        return high

    def _statement(self, block: Block, piece: Piece, index: int, begin: int) -> tuple[int, int]:
        """Take the statement that ends at terminator `index` (and those after it that are like it)."""
        assert self._dialect is not None
        end = int(piece.ends[index])
        width = int(piece.widths[index])
        is_batch_end = width > 0 and piece.data[end] != self._delimiter[0]
        head = self._head
        is_carried = head is not None or bool(self._text)
        if head is None:
            text = self._text + piece.data[begin : min(end, begin + _HEAD_BYTES)]
            text = strip_leading(text, self._dialect.rules.hashes)
            if not text:
                self._text = b""
                return piece.after_empty(index)
            head = classify(text[:_HEAD_BYTES], self._context.encoding)
        else:
            text = self._text
            if len(text) < _HEAD_BYTES:
                text = (text + piece.data[begin:end])[:_HEAD_BYTES]
        if head.compound and self._is_open(piece, begin, end, text, is_batch_end):
            if len(self._text) < _DEFINITION_BYTES:
                whole = self._text + piece.data[begin : min(end + width, begin + _DEFINITION_BYTES)]
                self._text = whole if is_carried else strip_leading(whole, self._dialect.rules.hashes)
            self._head = head
            return index + 1, end + width
        if not head.is_insert:
            self._switches = 0
            if head.defines and len(text) >= _HEAD_BYTES // 2 and not is_carried:
                text = strip_leading(piece.data[begin : min(end, begin + _DEFINITION_BYTES)], False)
            self._emit(block, head, piece.low + end + width, 1, 0, text)
            self._in_copy = head.is_copy and self._delimiter == b";"
            return index + 1, end + width
        rows = self._insert_rows(piece, begin, end, head)
        if is_carried:
            self._emit(block, head, piece.low + end + width, 1, rows, text)
            return index + 1, end + width
        start = begin + piece.data[begin:end].find(text[:32])
        if self._switches >= _MIXED_AFTER and self._rows is None:
            return self._mixed(block, piece, index, start)
        last, more = piece.run_from(index, start, head)
        self._switches = self._switches + 1 if last == index else 0
        if self._rows is not None:
            self._rows.take_statements(block, piece, start, index, last, head)
        stop = int(piece.ends[last] + piece.widths[last])
        self._emit(block, head, piece.low + stop, last - index + 1, rows + more, text)
        return last + 1, stop

    def _mixed(self, block: Block, piece: Piece, index: int, start: int) -> tuple[int, int]:
        """INSERT statements into one table and another by turns, up to one that is something else."""
        last, tables = piece.mixed_run(index, start, self._context.encoding)
        stop = int(piece.ends[last] + piece.widths[last])
        self._sections.add_mixed(self._boundary, last - index + 1, tables, piece.data[start : start + 400])
        self._set_boundary(block, piece.low + stop)
        self._begin_statement(block.start + piece.low + stop)
        return last + 1, stop

    def _is_open(self, piece: Piece, begin: int, end: int, text: bytes, is_batch_end: bool) -> bool:
        """Whether a routine goes on behind this terminator."""
        assert self._dialect is not None
        if self._delimiter != b";" or is_batch_end:
            return False
        if self._dialect.slash_lines or self._dialect.go_lines:
            return text[:5].upper() != b"BEGIN" or not re.match(rb"(?i)BEGIN(?:\s+TRAN\w*)?\s*\Z", text[:40])
        if re.match(rb"(?i)BEGIN\b", text):
            return False
        self._blocks += open_blocks(piece.data[begin : min(end, begin + _MAX_COMPOUND)])
        self._length += end - begin
        return self._length < _MAX_COMPOUND and self._blocks > 0

    def _insert_rows(self, piece: Piece, begin: int, end: int, head: Head) -> int:
        """The rows of the INSERT statement that ends at `end`."""
        is_short = self._rows is None and not self._outer and not self._depth and end - begin < _SHORT_BYTES
        if is_short and piece.data.count(b"(", begin, end) == 1 + head.has_columns:
            return 1  # no more brackets than its one row needs
        if self._rows is not None:
            outer, _ = piece.brackets.outer(begin, end, self._depth)
            self._rows.take_tuples(piece, outer[int(head.has_columns and not self._outer) :])
        count, self._depth = piece.brackets.count_outer(begin, end, self._depth)
        rows = self._outer + count - head.has_columns - piece.brackets.tail_rows(begin, end)
        return max(rows, 0)

    def _carry(self, piece: Piece, begin: int) -> None:
        """The beginning of a statement that does not end in this piece."""
        assert self._dialect is not None
        limit = _DEFINITION_BYTES if self._head is not None and self._head.compound else _HEAD_BYTES
        text = (self._text + piece.data[begin : begin + limit])[:limit] if len(self._text) < limit else self._text
        self._text = text if self._head is not None else strip_leading(text, self._dialect.rules.hashes)
        is_insert = self._text[:6].upper() in (b"INSERT", b"REPLAC")
        if self._head is None and is_insert:
            head = classify(self._text[:_HEAD_BYTES], self._context.encoding)
            self._head = head if head.is_insert else None
        size, depth = len(piece.data), self._depth
        count, self._depth = piece.brackets.count_outer(begin, size, depth)
        if is_insert or (self._head is not None and self._head.is_insert):
            if self._rows is not None and self._head is not None:
                outer, _ = piece.brackets.outer(begin, size, depth)
                self._rows.take_tuples(piece, outer[int(self._head.has_columns and not self._outer) :])
            self._outer += count

    def _emit(self, block: Block, head: Head, stop: int, statements: int, rows: int, text: bytes) -> None:
        """Statements that end before `stop` in the block."""
        self._sections.add(head, self._boundary, statements, rows, text)
        self._set_boundary(block, stop)
        self._begin_statement(block.start + stop)

    def _begin_statement(self, byte: int) -> None:
        self._text, self._head = b"", None
        self._depth = self._outer = self._blocks = self._length = 0
        self._begun = Boundary(byte, 0)

    def _set_boundary(self, block: Block, stop: int) -> None:
        """Where a section may begin behind a statement that ends before `stop`."""
        match = _BLANK_REST.match(block.data, stop)
        if match is not None and (block.ends_line or match.end() < len(block.data)):
            line = block.line_at(match.end() - 1) + 1
            self._boundary = Boundary(block.start + match.end(), line)
            return
        index = int(np.searchsorted(block.starts, stop, side="right")) - 1
        if index < 0 or stop >= len(block.data):
            self._boundary = None
            return
        prefix = block.data[int(block.starts[index]) : stop]
        if not prefix:
            self._boundary = Boundary(block.start + stop, block.line_at(stop))
            return
        if len(prefix) > 1 << 16:
            self._boundary = None
            return
        column = len(prefix.decode(self._context.encoding, "replace").encode("utf-16-le", "replace")) // 2
        self._boundary = Boundary(block.start + stop, block.line_at(stop), column)

    # --- saying what was found --------------------------------------------------------------------------------------

    def finish(self, end: End) -> Findings:
        """Say what was found up to `end`."""
        if end.byte <= self._context.start_byte:
            return Findings(())
        if self._rows is not None:
            return Findings(self._rows.sections(end))
        problems: list[Problem] = []
        open_state = self._lexer.state
        if self._text and not self._in_copy:
            head = self._head or classify(self._text[:_HEAD_BYTES], self._context.encoding)
            rows = max(0, self._outer - head.has_columns) if head.is_insert else 0
            self._sections.add(head, self._boundary, 1, rows, self._text)
            place = self._boundary or Boundary(self._begun.byte, end.line)
            if open_state not in (Inside.NOTHING, Inside.LINE_COMMENT):
                message = f"the last statement is never closed: it ends inside {open_state.value}"
                problems.append(Problem(message, place.line, place.byte))
            elif self._depth > 0:
                problems.append(Problem("the last statement is cut off inside brackets", place.line, place.byte))
        elif self._in_copy:
            problems.append(Problem("the rows of the last COPY are not ended by \\.", max(1, end.line), end.byte))
        sections = self._sections.finish(Boundary(end.byte, end.line), end.line)
        facts = self._facts()
        return Findings(sections, tuple(problems), "", facts)

    def _facts(self) -> dict[str, Any]:
        tables = self._sections.tables
        rows = {name: entry.get("rows", 0) for name, entry in tables.items() if "rows" in entry}
        facts: dict[str, Any] = {
            "dialect": self._dialect.name if self._dialect else "sql",
            "statements": self._sections.statements,
            "tables": sum("ddl_line" in entry for entry in tables.values()),
            "rows": sum(rows.values()),
        }
        for group in ("view", "function", "procedure", "trigger", "indexes", "constraints"):
            if self._sections.counts.get(group):
                facts[group if group.endswith("s") else f"{group}s"] = self._sections.counts[group]
        biggest = sorted(rows.items(), key=lambda item: (-item[1], item[0]))[:50]
        facts["rows_by_table"] = dict(biggest)
        return facts


def _end_of_lines(block: Block, at: int) -> int:
    """The first end of a line at `at` or behind it, or the end of the block: what hides text is not cut in two."""
    if at >= len(block.data):
        return len(block.data)
    index = int(np.searchsorted(block.starts, at))
    return int(block.starts[index]) if index < len(block.starts) else len(block.data)


def _sniff(sample: Sample) -> float:
    return sql_score(sample)


FORMAT = Format("sql", "SQL dump", _sniff, SqlScanner)
