"""Tables of delimited text (CSV, TSV and their kin): what the columns hold, and the records in groups, at any size.

The head says how the table is written (`tables.dialect`); then the records of each block are found with whole-array
operations (`tables.records`), counted, checked for their number of fields, and marked now and then (`tables.cells`) so
that `tables.groups` can make groups of them at the end. What the columns hold comes from all records (`tables.survey`).
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Problem, freeze
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.tables.bits import Offsets
from milepost.core.tables.cells import RAW_BYTES, Mark, Marks, Runs
from milepost.core.tables.columns import Columns
from milepost.core.tables.dialect import Dialect, Guess, guess_table
from milepost.core.tables.fields import Grid, Words, changes
from milepost.core.tables.groups import Fault, TableOutline, run_candidates
from milepost.core.tables.kernel import TableKernel
from milepost.core.tables.records import RecordFinder, Rows
from milepost.core.tables.sniff import table_score
from milepost.core.tables.stepwise import FieldState
from milepost.core.tables.view import View
from milepost.core.wasm import OnDemand

_BOM = b"\xef\xbb\xbf"
_HEAD_BYTES = 256 << 10
#: A record that begins in one block and ends in another is looked at up to this size.
_MAX_RECORD_BYTES = 1 << 20
#: So many records with another number of fields are listed one by one; the others are counted.
_MAX_FAULTS = 100


class CsvScanner:
    """Outlines one table, or the records of a group that is being expanded (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._guess = Guess(Dialect())
        self._finder: RecordFinder | None = None
        self._compiled = OnDemand(TableKernel)
        self._columns = Columns((), "utf-8")
        self._marks = Marks()
        self._runs: list[Runs] = []
        self._first_record = 0
        self._records = 0
        self._skip = 0
        self._header: Mark | None = None
        self._body: tuple[int, int] | None = None
        self._faults: list[Fault] = []
        self._ragged = 0
        self._multi_line = 0
        self._open_raw = self._last_raw = self._open_text = b""
        if context.resume is not None:
            self._resume(context.resume)
        elif context.head:
            self._begin(context.head, context.total_bytes <= len(context.head))

    def __deepcopy__(self, memo: dict[int, Any]) -> CsvScanner:
        twin = CsvScanner.__new__(CsvScanner)
        twin.__dict__.update(self.__dict__)
        twin._finder = copy.copy(self._finder)
        twin._compiled = self._compiled.spent()
        twin._columns = self._columns.copy()
        twin._marks = self._marks.copy()
        twin._runs = [run.copy() for run in self._runs]
        twin._faults = list(self._faults)
        return twin

    def _begin(self, head: bytes, whole: bool) -> None:
        """Look at the head: how the table is written, and which columns may group it."""
        encoding = self._context.encoding
        self._guess = guess = guess_table(head, whole, encoding)
        self._skip = guess.preamble + guess.has_header
        self._columns = Columns(guess.names, encoding)
        self._runs = run_candidates(guess, head)
        self._find_from(self._context.start_byte)

    def _resume(self, resume: dict[str, Any]) -> None:
        dialect = Dialect(*resume["dialect"])
        names = tuple(resume["names"])
        self._guess = Guess(dialect, len(names), names=names, has_header=True)
        self._columns = Columns(names, self._context.encoding, tuple(resume["labels"]))
        self._first_record = int(resume["first"])
        self._find_from(self._context.start_byte)

    def _find_from(self, byte: int) -> None:
        dialect, columns = self._guess.dialect, self._guess.columns
        self._finder = RecordFinder(dialect, columns, byte, self._context.start_line)
        self._compiled = OnDemand(TableKernel) if TableKernel.fits(dialect, columns) else self._compiled.spent()

    # --- taking text in ---------------------------------------------------------------------------------------------

    def feed(self, block: Block) -> None:
        """Take the next block."""
        if self._finder is None:
            self._begin(block.data[:_HEAD_BYTES], False)
        finder = self._finder
        assert finder is not None
        if block.start == 0 and block.data.startswith(_BOM):
            block = Block(3, block.first_line, block.data[3:], True, block.ends_line)
            finder.open_start = 3
        first_line = finder.open_line
        if not block.data:
            return
        context = self._context
        quick = self._compiled.at(block.start - context.start_byte, context.total_bytes - block.start)
        rows = finder.feed(block, quick)
        if len(rows):
            self._take(block, rows, first_line)
            self._open_raw = b""
            self._open_text = b""
        start = max(0, finder.open_start - block.start)
        if len(self._open_raw) < RAW_BYTES:
            self._open_raw += block.data[start : start + RAW_BYTES - len(self._open_raw)]
        if start < len(block.data) and len(self._open_text) < _MAX_RECORD_BYTES:
            self._open_text += block.data[start : start + _MAX_RECORD_BYTES - len(self._open_text)]

    def _take(self, block: Block, rows: Rows, first_line: int) -> None:
        """The records of one block; the first of them began on `first_line`."""
        view = View(block, rows, first_line, self._open_raw, self._last_raw)
        selected = self._selected(view)
        count = len(rows) if selected is None else len(selected)
        done = 0
        while self._skip and done < count:
            index = done if selected is None else int(selected[done])
            done += 1
            self._skip -= 1
            if not self._skip and self._guess.has_header:
                self._header = view.mark(index, -1, 0)
        if done < count:
            self._take_records(view, selected, done, count)
        if count:
            self._last_raw = view.raw(len(rows) - 1 if selected is None else int(selected[-1]))

    def _take_records(self, view: View, selected: Offsets | None, done: int, count: int) -> None:
        rows, columns = view.rows, self._guess.columns

        def at(position: int) -> int:
            return position if selected is None else int(selected[position])

        number = self._first_record + self._records
        if self._body is None:
            start = at(done)
            self._body = (view.start(start), view.line(start))
        ragged = np.zeros(0, np.int64)
        if not (rows.is_regular and selected is None):
            fields = rows.fields if selected is None else rows.fields[selected]
            ragged = np.flatnonzero(fields[done:] != columns) + done
            for position in ragged[: max(0, _MAX_FAULTS - len(self._faults))].tolist():
                self._note(view, at(position), number + position - done)
        self._multi_line += _over_lines(view, at(done))
        for record in self._marks.wanted(number - self._first_record, number - self._first_record + count - done):
            position = record - (number - self._first_record) + done
            before = int(np.searchsorted(ragged, position))
            previous = at(position - 1) if position else -1
            self._marks.add(view.mark(at(position), record, self._ragged + before, previous))
        if self._context.resume is None:
            used = selected[done:] if selected is not None else np.arange(done, count) if done else None
            text = b""
            if rows.starts[0] < 0 and len(self._open_text) < _MAX_RECORD_BYTES:
                text = self._open_text + view.block.data[: int(rows.ends[0])]
            grid = self._columns.take(view.block, rows, used, self._guess.dialect, text)
            if columns > 1 and any(run.is_alive for run in self._runs):
                self._follow_runs(view, used, selected, number - self._first_record - done, grid)
        self._ragged += len(ragged)
        self._records += count - done

    def _follow_runs(
        self, view: View, used: Offsets | None, selected: Offsets | None, base: int, grid: Grid | None
    ) -> None:
        """Mark where the value of a column that may group the table changes."""
        if grid is None or len(grid.rows) < (len(view.rows) if used is None else len(used)):
            # Not all of the records were surveyed at once.
            grid = Grid.of(view.block.array, self._guess.dialect, view.rows, used, self._guess.columns)
        if not len(grid.rows):
            return
        words = Words(view.block.data)
        for run in self._runs:
            if not run.is_alive:
                continue
            starts, ends = grid.bounds(run.column)
            for index in [0, *changes(words, starts, ends, run.prefix).tolist()]:
                value = self._columns.value(view.block.data[int(starts[index]) : int(ends[index])][:80], run.prefix)
                if index == 0 and run.values and run.values[-1] == value:
                    continue
                row = int(grid.rows[index])
                position = row if selected is None else int(np.searchsorted(selected, row))
                run.add(view.mark(row, base + position, self._ragged), value)
                if not run.is_alive:
                    break

    def _note(self, view: View, index: int, number: int) -> None:
        fields = int(view.rows.fields[index])
        end = int(view.rows.ends[index])
        end_line = view.block.line_at(max(0, end - 1))
        self._faults.append(
            Fault(number, view.start(index), view.line(index), view.block.start + end, end_line, fields)
        )

    def _selected(self, view: View) -> Offsets | None:
        """The records that are neither blank lines nor remarks; None when all are."""
        rows, codes = view.rows, view.block.array
        dialect, columns = self._guess.dialect, self._guess.columns
        if rows.is_regular and columns > 1:
            return None
        firsts = codes[np.maximum(rows.starts, 0)]
        if rows.starts[0] < 0 and self._open_raw:
            firsts[0] = self._open_raw[0]
        widths = rows.ends - rows.starts
        skipped = (rows.fields == 1) & (widths <= 2) & ((firsts == 10) | (firsts == 13))
        if dialect.comments:
            skipped |= (firsts == 0x23) & ((rows.fields != columns) | (columns == 1))
        return np.flatnonzero(~skipped) if skipped.any() else None

    # --- saying what was found --------------------------------------------------------------------------------------

    def finish(self, end: End) -> Findings:
        """Say what was found up to `end`."""
        finder = self._finder
        if finder is None or end.byte <= self._context.start_byte:
            return Findings(())
        problems: list[Problem] = []
        self._take_last(finder, end, problems)
        for fault in self._faults[:_MAX_FAULTS]:
            if fault.fields:
                message = f"record {fault.record + 1:,} has {fault.fields} fields, not {self._guess.columns}"
                problems.append(Problem(message, fault.line, fault.byte))
        unlisted = self._ragged - len(self._faults)
        if unlisted > 0:
            message = f"{unlisted:,} more records do not have {self._guess.columns} fields"
            problems.append(Problem(message, self._faults[-1].line, self._faults[-1].byte))
        outline = TableOutline(
            guess=self._guess,
            columns=self._columns,
            start=(self._context.start_byte, self._context.start_line),
            end=(end.byte, end.line),
            header=self._header,
            body=self._body,
            records=self._records,
            first_record=self._first_record,
            marks=self._marks,
            runs=self._runs,
            faults=self._faults,
            ragged=self._ragged,
            last_raw=self._last_raw,
            level=int((self._context.resume or {}).get("level", 1)),
            max_nodes=self._context.max_nodes,
        )
        facts = self._facts(finder) if self._context.resume is None else {}
        listed = problems if self._context.resume is None else []
        return Findings(freeze(outline.nodes(facts)), tuple(listed), "", facts)

    def _take_last(self, finder: RecordFinder, end: End, problems: list[Problem]) -> None:
        """The record that is open at the end: one without a line end, or one whose quotes are never closed."""
        start, line, fields = finder.last()
        if start >= end.byte:
            return
        if self._guess.dialect.comments and self._open_raw.startswith(b"#") and fields != self._guess.columns:
            return
        mark = Mark(self._records, start, line, self._open_raw, self._last_raw, self._ragged)
        if self._skip:
            self._skip -= 1
            if not self._skip and self._guess.has_header:
                self._header = mark
            return
        if self._body is None:
            self._body = (start, line)
        number = self._first_record + self._records
        if finder.state is FieldState.QUOTED and self._context.resume is None:
            message = f"a quote opened in record {number + 1:,} is never closed"
            problems.append(Problem(message, line, start))
            self._faults.append(Fault(number, start, line, end.byte, end.line, 0))
            self._ragged += 1
        elif fields != self._guess.columns:
            self._faults.append(Fault(number, start, line, end.byte, end.line, fields))
            self._ragged += 1
        if self._marks.wanted(self._records, self._records + 1):
            self._marks.add(mark)
        self._multi_line += end.line > line
        if fields == self._guess.columns and self._context.resume is None:
            is_whole = len(self._open_text) < _MAX_RECORD_BYTES
            self._columns.take_text(self._open_text if is_whole else b"", self._guess.dialect)
        self._records += 1
        self._last_raw = self._open_raw

    def _facts(self, finder: RecordFinder) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "records": self._records,
            "fields": self._guess.columns,
            "header": self._guess.has_header,
            "dialect": self._guess.dialect.facts(),
            "columns": self._columns.facts(),
        }
        if self._columns.unseen:
            facts["sampled"] = True
            facts["sampled_records"] = self._records - self._columns.unseen
        if self._ragged:
            facts["ragged_records"] = self._ragged
        if self._multi_line:
            facts["multi_line_records"] = self._multi_line
        if finder.misplaced_quotes:
            facts["misplaced_quotes"] = True
        return facts


def _over_lines(view: View, first: int) -> int:
    """How many records of a block, from the `first` on, go over several lines."""
    rows = view.rows
    if len(rows.line_ends) == len(rows) and rows.starts[0] >= 0:
        return 0
    is_over = np.diff(np.searchsorted(rows.line_ends, rows.ends - 1), prepend=-1) > 1
    if rows.starts[0] < 0:
        is_over[0] |= view.line(0) < view.block.line_at(int(rows.ends[0]) - 1)
    return int(np.count_nonzero(is_over[first:]))


def _sniff(sample: Sample) -> float:
    return table_score(sample)


FORMAT = Format("csv", "delimited table", _sniff, CsvScanner)
