"""Logs: segments of time, and in them the incidents, in one pass.

Each block goes three ways. A multi-pattern search finds the lines that hold a trigger, and a gather over all line heads the
lines unlike any before; only those are looked at one by one, and lines that differ in digits alone only once (`fold_key`).
Stamps are read at fixed places (every 4 KiB of a small file to every 64 KiB of a large one) and, where two of them are far
apart, by bisection at the gap between. Templates are counted for every line in files up to 100 MB, else for the first
32 KiB of each block, and are then marked as sampled. What was found is kept in a `Ledger`; `log_sections` tells it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from milepost.core.formats.base import Format, Sample, sample_lines
from milepost.core.formats.log_boundaries import Boundaries, Found
from milepost.core.formats.log_sections import LogFacts, build_sections
from milepost.core.formats.log_view import BlockView
from milepost.core.logs.ansi import strip_ansi
from milepost.core.logs.incident_rules import essence, focus, judge
from milepost.core.logs.layouts import Layout, detect_layout
from milepost.core.logs.ledger import RUN_GAP_LINES, Entry, Kind, Ledger
from milepost.core.logs.novelty import Novelty
from milepost.core.logs.phases import phase_label
from milepost.core.logs.records import RecordEnd, innermost_cause, record_digest
from milepost.core.logs.severity import Severity, severity_of_field, severity_of_message
from milepost.core.logs.shortcut import NOTHING, UNKNOWN, Shortcut, line_keys
from milepost.core.logs.timestamps import StampReader
from milepost.core.logs.triggers import Hits, TriggerPatterns, extra_triggers
from milepost.core.logs.values import RareValues, learn_ranges
from milepost.core.outline import TITLE_MAX_BYTES
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.templates import TemplateMiner, fold_key

#: Files above this size have their templates mined from a sample.
MINE_ALL_BYTES = 100_000_000
_SAMPLE_BYTES = 32 << 10
_TEMPLATE_LINE_BYTES = 512
_CACHE_LIMIT = 50_000
_KIND_LIMIT = 2000
_LEARN_BYTES = 256 << 10
#: A weak kind with more occurrences than this is told by the wording of its first.
_FREQUENT = 2000
#: The triggers are reviewed every so many blocks.
_REVIEW_BLOCKS = 32
#: Above this share of the lines, a stretch 20 times as dense cannot be.
_FREQUENT_SHARE = 0.05
#: Layouts that put the message into the line after the stamp.
_TWO_LINES = ("java-logging", "dotnet")

OnOccurrence = Callable[[Kind, int, int, int, int], None]


@dataclass(slots=True)
class _Known:
    """What lines of one fold key are: a kind (None: nothing), whether such a line begins a record, or a build's step."""

    kind: Kind | None
    is_head: bool
    is_phase: bool


@dataclass(slots=True)
class _Sifted:
    """What a block holds: incidents in order and disjoint; lines that announce a step; and weak messages by kind, in bulk.

    `outliers` are lines with a number out of its range, `rare` those of a rare kind, whose numbers are worth a look.
    """

    found: list[Found] = field(default_factory=list)
    phases: list[int] = field(default_factory=list)
    bulk: list[tuple[Kind, npt.NDArray[np.int64]]] = field(default_factory=list)
    outliers: frozenset[int] = frozenset()
    rare: frozenset[int] = frozenset()


class LogScanner:
    """The scanner of logs.

    `on_occurrence(kind, start_line, end_line, start_byte, end_byte)` hears of every occurrence of every kind, for who
    wants them all; one that goes on in the next block is told in two parts.
    """

    def __init__(self, context: Context, on_occurrence: OnOccurrence | None = None) -> None:
        self.context = context
        self.on_occurrence = on_occurrence
        lines = _plain_lines(sample_lines(context.head, context.head_is_whole))
        self.layout: Layout | None = _layout_of(lines, context.name)
        self.reader = StampReader.learn(lines, context.reference_seconds)
        self.years = self.reader.years() if self.reader else None
        self.console = self.reader is None or self.layout is None or self.layout.name == "console"
        skip = _common_stamp_end(self.reader, lines)
        self.ledger = Ledger()
        self.ledger.begin_cell(context.start_byte, context.start_line, 0.0)
        self.templates = TemplateMiner()
        self.mine_all = context.total_bytes <= MINE_ALL_BYTES
        values = learn_ranges(line[skip:] for line in lines) if not self.console else ()
        self._patterns = TriggerPatterns(extra_triggers(self.layout, self.console), values)
        self._trigger_counts: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        self._blocks = 0
        self._novelty = Novelty()
        self._shortcut = Shortcut()
        self._rare_values = RareValues()
        self._incident_templates = TemplateMiner()
        self._head_skip = skip
        self._head_bytes = frozenset(
            line[0] for line in lines if len(line) > skip and self.reader and self.reader.read(line)
        )
        self._known: dict[bytes, _Known] = {}
        self._kind_of: dict[tuple[int, str], Kind] = {}
        self._open: tuple[Entry, Kind, RecordEnd] | None = None
        self._boundaries = Boundaries(self.reader, self.years, context.start_byte)
        self._started = False

    def extend(self, context: Context) -> None:
        """The file grew: years that lines leave out are told from its new mtime."""
        self.context = context
        if self.years is not None:
            self.years.reference_seconds = context.reference_seconds

    # --- one block --------------------------------------------------------------------------------------------------

    def feed(self, block: Block) -> None:
        """Take the next block."""
        if not len(block.starts):
            return
        view = BlockView(block, self.layout)
        learnt = 0
        if not self._started:
            self._started = True
            head = block.starts[block.starts < _LEARN_BYTES - 256]
            learnt = len(head)
            for index in self._novelty.learn(block.data[:_LEARN_BYTES], head).tolist():
                line = view.line(index)
                self._rare_values.leaves_range(fold_key(line), line[self._head_skip :])
        covered = self._continue_open(view)
        sifted = self._sift(view, covered, learnt)
        found = sifted.found
        marks = self._boundaries.marks(view, found, sifted.phases, covered)
        template_ids = self._mine(view)
        at = low = 0
        for index in [*sorted(marks), view.count]:
            while at < len(found) and found[at].start < index:
                self._record(view, found[at])
                at += 1
            for kind, lines in sifted.bulk:
                self._record_many(view, kind, _between(lines, low, index))
            if len(template_ids) > low:
                self._count_templates(template_ids[low:index])
            low = index
            if index < view.count:
                mark = marks[index]
                self.ledger.begin_cell(view.start_of(index), view.number(index), mark.strength, mark.label)
                if mark.seconds is not None:
                    self.ledger.cell.note_time(mark.seconds)
        if self._boundaries.last_time is not None:
            self.ledger.cell.note_time(self._boundaries.last_time)

    def _sift(self, view: BlockView, covered: int, learnt: int) -> _Sifted:
        """Look at the lines of a block that a trigger or their novelty points at; the first `learnt` lines are not new."""
        block = view.block
        hits = self._patterns.hit_lines(block.data, block.starts)
        self._count_triggers(hits, view)
        candidates = hits.lines
        signatures = self._novelty.signatures(block.data, block.starts)
        sifted = _Sifted()
        novel: frozenset[int] = frozenset()
        keys = line_keys(block, hits, signatures)
        kinds = self._shortcut.kinds_of(keys)
        for number in np.unique(kinds[kinds >= 0]).tolist():
            lines = candidates[kinds == number]
            sifted.bulk.append((self.ledger.kinds[number], lines[lines >= covered]))
        unclear = kinds == UNKNOWN
        looked_at: list[int] = candidates[unclear].tolist()
        key_of: dict[int, int] = dict(zip(looked_at, keys[unclear].tolist(), strict=True))
        unseen, rare = self._novelty.sift(signatures[learnt:])
        if len(unseen) or len(rare):
            novel = frozenset((unseen + learnt).tolist())
            sifted.rare = frozenset((rare + learnt).tolist())
            looked_at = sorted({*looked_at, *novel, *sifted.rare})
        sifted.outliers = hits.values
        for index in looked_at:
            if index >= covered:
                known, covered = self._look_at(view, index, covered, index in novel, sifted)
                key = key_of.get(index)
                if key is not None:
                    kind = known.kind
                    always = known.is_phase or (kind is not None and kind.strong) or not known.is_head
                    self._shortcut.observe(key, UNKNOWN if always else NOTHING if kind is None else kind.id)
        self._shortcut.settle()
        inside = [one for one in sifted.found if one.end - one.start > 1]
        if inside and sifted.bulk:
            within = np.zeros(view.count, np.bool_)
            for one in inside:
                within[one.start : one.end] = True
            sifted.bulk = [(kind, lines[~within[lines]]) for kind, lines in sifted.bulk]
        return sifted

    def _count_triggers(self, hits: Hits, view: BlockView) -> None:
        """Now and then, stop looking for weak words that stand everywhere: they tell nothing and cost the most."""
        self._trigger_counts = self._trigger_counts + hits.counts
        self._blocks += 1
        if self._blocks % _REVIEW_BLOCKS == 0:
            self._patterns = self._patterns.without_frequent(self._trigger_counts, view.number(view.count - 1))

    def _look_at(
        self, view: BlockView, index: int, covered: int, is_novel: bool, sifted: _Sifted
    ) -> tuple[_Known, int]:
        """Look at one line: what it is, and the first line after what it belongs to."""
        line = view.line(index)
        key = fold_key(line)
        known = self._known.get(key)
        if known is None:
            known = self._classify(line, key, is_novel)
        kind, found = known.kind, sifted.found
        is_outlier = index in sifted.outliers
        if is_novel or index in sifted.rare:
            is_outlier |= self._rare_values.leaves_range(key, line[self._head_skip :])
        if is_outlier and (kind is None or not kind.strong):
            # The fold key is blind to digits, so that such a line has a kind of its own beside that of its like.
            kind = self._kind(line[self._head_skip :], "value", kind.severity if kind else 0, 0.8, False)
            known = _Known(kind, known.is_head, False)
        if kind is None:
            if known.is_phase:
                sifted.phases.append(index)
            return known, covered
        if not kind.strong:
            found.append(Found(index, index + 1, kind, index))
            return known, index + 1
        start = index
        if not known.is_head:
            lowest = next((one.end for one in reversed(found) if one.kind.strong), 0)
            start = view.head_before(index, lowest if found else max(lowest, covered))
            while found and found[-1].start >= start:
                found.pop()
        end = self._extend(view, start, index, kind)
        found.append(Found(start, end, kind, index))
        return known, end

    def _classify(self, line: bytes, key: bytes, novel: bool) -> _Known:
        plain = strip_ansi(line)
        layout = self.layout
        start, field, field_kind = layout.split(plain) if layout else (0, b"", "")
        message = plain[start:]
        stated = int(severity_of_field(field, field_kind) or 0) if field else 0
        if field_kind == "status" and stated >= Severity.ERROR and field < b"500":
            stated = int(Severity.WARNING)  # a client's mistake: of interest where it is rare or comes in bursts
        guessed = stated or int(severity_of_message(plain, start) or 0)
        verdict = judge(plain, message, stated, guessed, console=self.console)
        is_head = layout.is_head(plain) if layout else plain[:1] not in b" \t"
        kind: Kind | None = None
        if verdict is not None:
            kind = self._kind(message or plain, verdict.category, verdict.severity, verdict.weight, verdict.strong)
        elif novel and is_head and self.templates.template_of(line[self._head_skip :]) is None:
            kind = self._kind(message or plain, "rare", guessed, 0.45, False)
        if len(self._known) >= _CACHE_LIMIT:
            self._known.clear()
        known = _Known(kind, is_head, self.console and kind is None and bool(phase_label(plain)))
        self._known[key] = known
        return known

    def _kind(self, message: bytes, category: str, severity: int, weight: float, strong: bool) -> Kind:
        number = -1
        if len(self.ledger.kinds) < _KIND_LIMIT:
            number = self._incident_templates.resolve(self._incident_templates.add_lines([essence(message)])[0])
        kind = self._kind_of.get((number, category))
        if kind is None:
            kind = self._kind_of[number, category] = self.ledger.new_kind(category, severity, weight, strong)
        return kind

    # --- records ----------------------------------------------------------------------------------------------------

    def _extend(self, view: BlockView, start: int, hit: int, kind: Kind) -> int:
        """The index after the last line of the record that begins at line `start` and holds line `hit`."""
        record = RecordEnd(self.layout, self.console, view.line(start))
        for index in range(start + 1, hit + 1):
            record.takes(view.line(index))
        index = hit + 1
        while index < view.count:
            if not record.takes(view.line(index)):
                return index - record.pending_blank
            index += 1
        self._open = (self._entry(view, start, index, kind, hit), kind, record)
        return index

    def _continue_open(self, view: BlockView) -> int:
        """Give the first lines of a block to the incident that was open; the index of the first line after it."""
        if self._open is None:
            return 0
        entry, kind, record = self._open
        index = 0
        while index < view.count and record.takes(view.line(index)):
            index += 1
        if index < view.count:
            self._open = None
            index = max(0, index - record.pending_blank)
        if index:
            # If this occurrence is the one its cell keeps, the ledger holds the same entry.
            entry.end_byte, entry.end_line = view.end_of(index - 1), view.number(index - 1)
            entry.lines += index
            entry.last_line = max(entry.last_line, entry.end_line)
            entry.digest = innermost_cause(view.text(0, index)) or entry.digest
            if self.on_occurrence:
                self.on_occurrence(kind, view.number(0), entry.end_line, view.start_of(0), entry.end_byte)
        return index

    def _entry(self, view: BlockView, start: int, end: int, kind: Kind, hit: int) -> Entry:
        if not kind.strong and kind.count > _FREQUENT and kind.title:
            # One of thousands: it will hardly be shown, so its own wording is not worth the time.
            return Entry(
                kind.id,
                view.start_of(start),
                view.end_of(start),
                view.number(start),
                view.number(start),
                kind.title,
                b"",
            )
        told_in = start
        if self.layout and self.layout.name in _TWO_LINES and start + 1 < end:
            told_in = start + 1
        if hit > told_in and self._says_nothing(view.line(told_in)):
            told_in = hit
        line = strip_ansi(view.line(told_in))
        message = line[self.layout.message_start(line) :] if self.layout and told_in == start else line
        digest = b""
        if end - told_in > 1:
            digest = record_digest(view.text(told_in, min(end, told_in + 400)), self.console, self.layout)
        title = _title(message.strip() or line.strip())
        kind.title = kind.title or title
        return Entry(
            kind.id,
            view.start_of(start),
            view.end_of(end - 1),
            view.number(start),
            view.number(end - 1),
            title,
            digest,
            lines=end - start,
            last_line=view.number(end - 1),
        )

    def _says_nothing(self, line: bytes) -> bool:
        """Whether a line by itself would be no incident: then another one names the record."""
        key = fold_key(line)
        known = self._known.get(key) or self._classify(line, key, False)
        return known.kind is None

    def _record_many(self, view: BlockView, kind: Kind, lines: npt.NDArray[np.int64]) -> None:
        """Count many one-line occurrences of a weak kind in the open cell."""
        if not len(lines):
            return
        cell = self.ledger.cell
        first, last = int(lines[0]), int(lines[-1])
        if kind.count > _FREQUENT and kind.count > _FREQUENT_SHARE * view.number(first):
            kind.count += len(lines)  # so frequent that no stretch of it can stand out
        elif last - first <= RUN_GAP_LINES:
            kind.note(view.start_of(first), view.number(first), view.end_of(last), view.number(last), len(lines))
        else:
            breaks = np.flatnonzero(lines[1:] - lines[:-1] > RUN_GAP_LINES)
            begins = [first, *lines[breaks + 1].tolist()]
            ends = [*lines[breaks].tolist(), last]
            cuts = [-1, *breaks.tolist(), len(lines) - 1]
            for number, (begin, end) in enumerate(zip(begins, ends, strict=True)):
                count = cuts[number + 1] - cuts[number]
                kind.note(view.start_of(begin), view.number(begin), view.end_of(end), view.number(end), count)
        if kind.severity == Severity.WARNING:
            cell.warnings += len(lines)
        if self.on_occurrence:
            for index in lines.tolist():
                number = view.number(index)
                self.on_occurrence(kind, number, number, view.start_of(index), view.end_of(index))
        mine = cell.entries.get(kind.id)
        extra = len(lines)
        if mine is None:
            mine = self._entry(view, first, first + 1, kind, first)
            self.ledger.add(mine)
            extra -= 1
        mine.count += extra
        mine.lines += extra
        mine.last_line = max(mine.last_line, view.number(last))

    def _record(self, view: BlockView, found: Found) -> None:
        """Count an occurrence, in its kind and in the open cell."""
        kind, cell = found.kind, self.ledger.cell
        start_byte, end_byte = view.start_of(found.start), view.end_of(found.end - 1)
        first_line, last_line = view.number(found.start), view.number(found.end - 1)
        kind.note(start_byte, first_line, end_byte, last_line)
        if kind.severity >= Severity.CRITICAL:
            cell.fatals += 1
        elif kind.severity >= Severity.ERROR:
            cell.errors += 1
        elif kind.severity == Severity.WARNING:
            cell.warnings += 1
        if self.on_occurrence:
            self.on_occurrence(kind, first_line, last_line, start_byte, end_byte)
        mine = cell.entries.get(kind.id)
        if mine is not None:
            mine.count += 1
            mine.lines += found.end - found.start
            mine.last_line = last_line
        elif self._open is not None and self._open[0].start_byte == start_byte:
            self.ledger.add(self._open[0])
        else:
            self.ledger.add(self._entry(view, found.start, found.end, kind, found.hit))

    # --- templates --------------------------------------------------------------------------------------------------

    def _mine(self, view: BlockView) -> npt.NDArray[np.int64]:
        """The template of each line of the block, or of the first 32 KiB of it in a large file."""
        count = view.count if self.mine_all else bisect_right(view.starts, _SAMPLE_BYTES)
        skip, data, heads = self._head_skip, view.block.data, self._head_bytes
        starts = view.starts[:count]
        ends = [*starts[1:], view.end_of(count - 1) - view.block.start] if count else []
        lines = [
            data[start + (skip if data[start] in heads else 0) : min(end, start + _TEMPLATE_LINE_BYTES)].rstrip(b"\r\n")
            for start, end in zip(starts, ends, strict=True)
        ]
        ids: npt.NDArray[np.int64] = np.asarray(self.templates.add_lines(lines), np.int64)
        return ids

    def _count_templates(self, ids: npt.NDArray[np.int64]) -> None:
        cell = self.ledger.cell
        counts = np.bincount(ids)
        present = np.flatnonzero(counts)
        for number, count in zip(present.tolist(), counts[present].tolist(), strict=True):
            cell.templates[number] += count
        cell.sampled_lines += len(ids)

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        facts = LogFacts(
            layout=self.layout,
            console=self.console,
            settle=self.years.settle if self.years else float,
            has_times=self.reader is not None,
            templates=self.templates,
            sampled=not self.mine_all,
            max_nodes=self.context.max_nodes,
            counts_weak=not self._patterns.without,
        )
        return build_sections(self.ledger, facts, self.context.start_byte, end)


def _between(lines: npt.NDArray[np.int64], low: int, high: int) -> npt.NDArray[np.int64]:
    first, last = np.searchsorted(lines, (low, high))
    return lines[int(first) : int(last)]


def _common_stamp_end(reader: StampReader | None, lines: Sequence[bytes]) -> int:
    """Where the stamp ends in most lines, if at the same place in nearly all: what is left of it varies little."""
    if reader is None:
        return 0
    ends = Counter(stamp.end for line in lines[:400] if (stamp := reader.read(line)) is not None)
    if not ends:
        return 0
    place, count = ends.most_common(1)[0]
    return place if count >= 0.95 * sum(ends.values()) and place < 80 else 0


def _title(message: bytes) -> bytes:
    """A message as a title: one too long to show whole begins a little before what makes it an incident."""
    if len(message) > TITLE_MAX_BYTES:
        place = focus(message[:2000])
        if place > TITLE_MAX_BYTES // 2:
            begin = max(place - 48, 0)
            blank = message.find(b" ", begin, place)
            return "…".encode() + message[blank + 1 if blank >= 0 else begin :][:400]
    return message[:400]


def _plain_lines(lines: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return tuple([strip_ansi(line) for line in lines])


@lru_cache(maxsize=2)
def _layout_of(lines: tuple[bytes, ...], name: str) -> Layout | None:
    """The layout of a sample; remembered from detection to scanning."""
    return detect_layout(lines, name)


def _sniff(sample: Sample) -> float:
    layout = _layout_of(_plain_lines(sample.lines), sample.name)
    return 0.0 if layout is None else min(0.9, 0.4 + 0.5 * layout.confidence)


FORMAT = Format("log", "log", _sniff, LogScanner, size_classes=(MINE_ALL_BYTES,))
