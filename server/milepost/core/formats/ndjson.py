"""NDJSON (JSON Lines): one JSON value to a line, whatever the file is called.

Every record is checked against the grammar, whole blocks at a time; only a block that is refused is looked into line by line
(`structure.record_lines`). Records are kept as runs (`structure.record_runs`); what their fields hold is told from a sample
that depends on nothing but the file's bytes (`structure.json_fields`). A record of more than 4 MiB is read by the JSON
scanner and shown with what is inside it.
"""

from __future__ import annotations

import copy
import itertools
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from milepost.core.formats.base import SUFFIXES, Format, Sample
from milepost.core.formats.json import JsonScanner
from milepost.core.outline import Node, Problem, freeze
from milepost.core.scan import PIECE_BYTES, Block, Context, End, Findings, Scanner
from milepost.core.structure.json_fields import Fields, is_log_record
from milepost.core.structure.record_lines import Records, bad_records, is_value, records_of, sorts_of
from milepost.core.structure.record_outline import record_node
from milepost.core.structure.record_runs import HEAD_BYTES, Record, Runs

#: Up to this offset every record is sampled for its fields; beyond, the first that begins in each step of the other.
_SAMPLED_WHOLE_BYTES = 128 << 10
_SAMPLE_STEP_BYTES = 128 << 10
_MAX_SAMPLED_RECORD = 64 << 10
_MAX_PROBLEMS = 100
#: Whether the records are log events is told from so many.
_LOG_SAMPLE = 200


class _OpenLine:
    """A line that goes on in the next block: kept while it is short, handed to the JSON scanner when it is not."""

    def __init__(self, block: Block, start: int) -> None:
        self.start = block.start + start
        self.line = block.line_at(start)
        self.text = block.data[start:]
        self.size = len(self.text)
        self.scanner: JsonScanner | None = None

    def extend(self, data: bytes) -> None:
        """Take the next bytes of the line."""
        if self.scanner is not None:
            self._feed(data)
        else:
            self.text += data
        self.size += len(data)
        if self.scanner is None and self.size > PIECE_BYTES:
            self.scanner = JsonScanner(
                Context(start_byte=self.start, start_line=self.line, total_bytes=64 << 20, max_nodes=250)
            )
            text, self.size = self.text, 0
            self._feed(text)
            self.text, self.size = text[:HEAD_BYTES], len(text)

    def _feed(self, data: bytes) -> None:
        assert self.scanner is not None
        ends_line = data.endswith((b"\n", b"\r"))
        self.scanner.feed(Block(self.start + self.size, self.line, data, self.size == 0, ends_line))

    def findings(self) -> Findings:
        """What is inside a long record."""
        assert self.scanner is not None
        return self.scanner.finish(End(self.start + self.size, self.line))


class NdjsonScanner:
    """Outlines records, one to a line; those of one run when it is being expanded (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        self._context = context
        resume = context.resume or {}
        self._origin = int(resume.get("index", 0))
        self._level = int(resume.get("level", 1))
        self._runs = Runs()
        self._fields = Fields()
        self._last_sampled = -1
        self._log_records = 0
        self._open: _OpenLine | None = None
        self._problems: list[Problem] = []

    def __deepcopy__(self, memo: dict[int, Any]) -> NdjsonScanner:
        twin = NdjsonScanner.__new__(NdjsonScanner)
        twin.__dict__.update(self.__dict__)
        twin._runs = copy.deepcopy(self._runs)
        twin._fields = self._fields.copy()
        twin._problems = list(self._problems)
        twin._open = copy.deepcopy(self._open)
        return twin

    # --- taking text in ---------------------------------------------------------------------------------------------

    def feed(self, block: Block) -> None:
        """Take the next block."""
        starts = block.starts
        if not block.starts_line and self._open is not None:
            tail = int(starts[0]) if len(starts) else len(block.data)
            self._open.extend(block.data[:tail])
            if len(starts) or block.ends_line:
                self._end_line()
        if not len(starts):
            return
        ends = np.append(starts[1:], len(block.data))
        whole = len(starts) if block.ends_line else len(starts) - 1
        if whole:
            self._take(records_of(block, starts[:whole], ends[:whole]))
        if whole < len(starts):
            self._open = _OpenLine(block, int(starts[-1]))

    def _end_line(self) -> None:
        """The open line is over."""
        line = self._open
        assert line is not None
        self._open = None
        if line.scanner is None:
            block = Block(line.start, line.line, line.text, True, True)
            self._take(records_of(block, np.zeros(1, np.int64), np.array([len(line.text)])))
            return
        findings = line.findings()
        problem = findings.problems[0] if findings.problems else None
        if problem is not None:
            self._note(problem)
        self._runs.add_notable(
            Record(line.start, line.line, line.size, line.text), problem or findings, problem is not None
        )

    def _take(self, records: Records) -> None:
        if not len(records):
            return
        runs, total = self._runs, len(records)
        bad = bad_records(records, runs.notable_room)
        self._sample(records, bad)
        runs.make_room(total)
        sorts = sorts_of(records) if runs.tells_sorts else np.zeros(total, np.int64)
        changes = np.flatnonzero(sorts[1:] != sorts[:-1])[:256] + 1
        shown = sorted(bad)[: runs.notable_room]
        counted = np.array(sorted(bad)[len(shown) :], np.int64)
        at = 0
        for stop in sorted({*changes.tolist(), *shown, *(position + 1 for position in shown), total}):
            if at in bad and runs.notable_room:
                self._note(bad[at])
                runs.add_notable(records.at(at), bad[at], True)
                at += 1
            while at < stop:
                count = min(runs.room(), stop - at)
                first = records.at(at)
                last = first if count == 1 else records.at(at + count - 1)
                low, high = counted.searchsorted((at, at + count)).tolist()
                runs.add(count, first, last, int(sorts[at]), high - low)
                at += count

    def _sample(self, records: Records, bad: dict[int, Problem]) -> None:
        """Look at the fields of some records: all at the head of the file, then the first in each step of bytes."""
        places = records.starts + records.block.start
        steps = places // _SAMPLE_STEP_BYTES
        chosen = np.concatenate((np.array([int(steps[0]) != self._last_sampled]), steps[1:] != steps[:-1]))
        head_end = self._context.start_byte + _SAMPLED_WHOLE_BYTES
        if int(places[0]) < head_end:
            chosen |= places < head_end
        self._last_sampled = int(steps[-1])
        for at in np.flatnonzero(chosen).tolist():
            if at in bad or records.lasts[at] - records.firsts[at] > _MAX_SAMPLED_RECORD:
                continue
            record = _decoded(records.text(at))
            self._fields.add(record)
            if self._fields.records <= _LOG_SAMPLE:
                self._log_records += is_log_record(record)

    def _note(self, problem: Problem) -> None:
        if len(self._problems) < _MAX_PROBLEMS:
            self._problems.append(problem)

    # --- saying what was found --------------------------------------------------------------------------------------

    def finish(self, end: End) -> Findings:
        """Say what was found up to `end`."""
        if self._open is not None:
            self._end_line()
        problems = () if self._context.resume is not None else tuple(self._problems)
        start, line = self._context.start_byte, self._context.start_line
        if end.byte <= start:
            return Findings((), problems, "", self._facts())
        runs = self._runs.runs
        nodes = [record_node(run, self._origin, self._level) for run in runs]
        if not nodes:
            nodes = [Node("blank", "white space only", start, line, level=self._level)]
        nodes[0].start_byte, nodes[0].start_line = start, line
        for node, following in itertools.pairwise(nodes):
            node.end_byte, node.end_line = following.start_byte, following.start_line - 1
        nodes[-1].end_byte, nodes[-1].end_line = end.byte, end.line
        return Findings(freeze(nodes), problems, "", self._facts())

    def _facts(self) -> dict[str, Any]:
        records, sampled = self._runs.records, self._fields.records
        facts: dict[str, Any] = {
            "title": f"NDJSON, {records:,} records",
            "records": records,
            "bad_records": self._runs.bad,
            "checked": "all records",
            "fields": self._fields.facts(),
            "fields_from": "all records" if sampled == records else f"a sample, {sampled:,} of {records:,} records",
        }
        kind = self._fields.kind_field()
        if kind:
            facts["kind_field"] = kind
        if self._log_records * 2 > min(sampled, _LOG_SAMPLE):
            facts["log"] = True
        return facts


def _decoded(record: bytes) -> Any:
    try:
        return msgspec.json.decode(record)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return None


def scanner(context: Context) -> Scanner:
    """The scanner for a file or a run of records; that of JSON for what is inside one record."""
    resume = context.resume or {}
    if resume.get("record"):
        level = int(resume.get("level", 1)) + 1
        inside = {"within": "", "index": 0, "path": [], "level": level}
        return JsonScanner(replace(context, resume=inside))
    return NdjsonScanner(context)


def sniff(sample: Sample) -> float:
    """How sure the head of a file is one JSON value to a line; less sure where the records are log events."""
    is_named = sample.name.lower().endswith(_SUFFIXES)
    lines = [line.strip() for line in sample.lines[:200] if line.strip()]
    if not lines:
        return 0.98 if is_named and sample.head.lstrip()[:1] == b"{" else 0.0
    decoded = [(line, _decoded(line)) for line in lines if line[:1] in (b"{", b"[")]
    values = [line for line, value in decoded if value is not None or is_value(line)]
    if len(values) < (1 if is_named else 2) or len(values) < 0.7 * len(lines):
        return 0.0
    objects = sum(line.startswith(b"{") for line in values)
    if objects * 2 < len(values) and not is_named:
        return 0.4
    logs = sum(is_log_record(value) for _, value in decoded)
    return 0.6 if logs * 2 > len(values) else 0.98 if len(values) == len(lines) else 0.9


_SUFFIXES = SUFFIXES["ndjson"]

FORMAT = Format("ndjson", "NDJSON", sniff, scanner)
