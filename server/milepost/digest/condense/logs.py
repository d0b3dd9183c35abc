"""Logs condensed: what repeats is folded by template, what a person looks for stays as it is.

Every line gets a template. Lines that carry a trigger are judged by the rules that also make the outline's incidents. Of
each kind of incident the first stays with its trace, of each template the first line; so do weak signals that are rare in
the chunk, values unlike their neighbours', and what the outline calls an incident. All else is folded, one view line for
each template, with the values that vary.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from milepost.core.logs.incident_rules import Verdict, judge
from milepost.core.logs.layouts import Layout, detect_layout
from milepost.core.logs.records import RecordEnd, innermost_cause
from milepost.core.logs.severity import severity_of_field, severity_of_message
from milepost.core.logs.timestamps import StampReader
from milepost.core.logs.triggers import TriggerPatterns, extra_triggers
from milepost.core.templates import TemplateMiner, fold_key
from milepost.digest.condense.lines import ChunkLines, shown
from milepost.digest.condense.variations import describe_rows, differ_widely, odd_rows
from milepost.digest.condense.view import View, ViewLine, ordered
from milepost.digest.values import NOTABLE_WEIGHT, Piece

_SAMPLE_LINES = 64
_MINED_BYTES = 512
#: What is shown of a line: of an incident, and of the lines of a trace.
_INCIDENT_BYTES = 1000
_TRACE_BYTES = 240
_STRONG_FOLD_BYTES = 280
#: After so many unlike lines of one template that were judged the same, the others are taken to be the same.
_ALIKE = 8
#: A template with so many lines or more shows the first as it is; one with less is told by what varies alone.
_MANY = 20
_STAMP_BYTES = 40
#: A time further into a line belongs to its message.
_STAMP_BEGINS = 64
_TIME = b"<time>"
#: A line's stamp is shown if the last one shown is so many view lines back.
_STAMP_EVERY = 12
#: A weak signal that comes so often in a chunk, or less, stays as it is.
_RARE = 3
#: So many lines of a trace stay as they are; of a longer one, the rest is told in one line.
_TRACE_LINES = 24
#: Occurrences of an incident so far apart are told apart.
_FAR_LINES = 200
_MOST_STRETCHES = 4
_BLOB_LINE = re.compile(rb"\s*[A-Za-z0-9+/=_-]{40,}\s*")


@dataclass(frozen=True, slots=True)
class _Room:
    """How much of each line of a sort is shown: all together about a share of the chunk's bytes, within limits."""

    share: float
    least: int
    most: int

    def each(self, chunk_bytes: int, lines: int) -> int:
        return min(self.most, max(self.least, int(self.share * chunk_bytes) // max(1, lines)))


_SIGNALS = _Room(0.03, 120, 320)
_PLAIN = _Room(0.03, 80, 240)
_FOLDS = _Room(0.05, 112, 320)


@lru_cache(maxsize=8)
def _patterns(extra: tuple[bytes, ...]) -> TriggerPatterns:
    return TriggerPatterns(extra)


def _same(one: Verdict | None, other: Verdict | None) -> bool:
    return (
        one == other if one is None or other is None else (one.category, one.strong) == (other.category, other.strong)
    )


class LogCondenser:
    """Condenses one chunk; used once. `keep_bytes` is what is shown of each plain line; None fits it to the chunk."""

    def __init__(self, lines: ChunkLines, pieces: Sequence[Piece], *, keep_bytes: int | None = None) -> None:
        self._lines = lines
        self._pieces = pieces
        self._keep_bytes = keep_bytes
        self._texts = lines.lines()
        sample = self._texts[:: max(1, lines.count // _SAMPLE_LINES)][:_SAMPLE_LINES]
        self._judges = lines.chunk.format != "markup"
        self._layout: Layout | None = detect_layout(sample) if self._judges else None
        self._reader = StampReader.learn(sample, 0.0) if self._judges else None
        self._console = self._reader is None or self._layout is None or self._layout.name == "console"
        self._stamps = self._find_stamps()
        self._templates = self._mine()
        self._judgements: dict[bytes, Verdict | None] = {}
        self._settled: dict[int, tuple[Verdict | None, int]] = {}
        self._verdicts = self._judged()
        self._kept: dict[int, int] = {}  # lines that stay, and how many bytes are shown; 0 of a weak signal
        self._plain: list[int] = []  # other lines that are by themselves
        self._folds: list[list[int]] = []
        self._token_cache: dict[int, list[bytes]] = {}
        self._out: list[ViewLine] = []

    def view(self) -> View:
        """The view."""
        taken = self._incidents()
        self._keep_pieces()
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for index, template in enumerate(self._templates):
            if index not in taken:
                groups[template].append(index)
        for indexes in groups.values():
            self._fold(indexes)
        self._show_folds()
        self._show_kept()
        self._show_plain()
        return ordered(self._out)

    def _show_folds(self) -> None:
        size = _FOLDS.each(len(self._lines.chunk.data), len(self._folds))
        for indexes in self._folds:
            self._out.append(self._lines.folded(indexes, self._folded_text(indexes, size)))

    def _show_kept(self) -> None:
        signals = sum(size == 0 for size in self._kept.values())
        signal_bytes = _SIGNALS.each(len(self._lines.chunk.data), signals)
        self._out.extend(self._lines.verbatim(index, size or signal_bytes) for index, size in self._kept.items())

    def _show_plain(self) -> None:
        """Show the lines that are nothing but new, mostly without their stamps."""
        size = self._keep_bytes or _PLAIN.each(len(self._lines.chunk.data), len(self._plain))
        stamped = sorted(self._kept)
        since = _STAMP_EVERY
        at = 0
        for index in sorted(self._plain):
            while at < len(stamped) and stamped[at] < index:
                at, since = at + 1, 0
            since += 1
            begins, ends = self._stamps[index]
            if begins or not ends or since >= _STAMP_EVERY or self._keep_bytes is not None:
                since = 0
                self._out.append(self._lines.verbatim(index, size))
                continue
            text = self._lines.decode(self._texts[index][ends:].lstrip())
            number = self._lines.number(index)
            self._out.append(
                ViewLine(f"… {shown(text, size, brief=True)}", number, number, 1, self._lines.ranges([index]))
            )

    # --- what a line is ---------------------------------------------------------------------------------------------

    def _find_stamps(self) -> list[tuple[int, int]]:
        """For each line, where its time stamp is; (0, 0) where it has none."""
        reader = self._reader
        if reader is None:
            return [(0, 0)] * self._lines.count
        stamps = []
        for line in self._texts:
            stamp = reader.read(line)
            stamps.append((stamp.start, stamp.end) if stamp is not None and stamp.start < _STAMP_BEGINS else (0, 0))
        return stamps

    def _unstamped(self, index: int, max_bytes: int, mark: bytes = b"") -> bytes:
        """A line's head without its time stamp; `mark` stands for one that the line does not begin with."""
        start, end = self._stamps[index]
        line = self._texts[index]
        if not end:
            return line[:max_bytes]
        return line[:start] + mark + line[end : end + max_bytes] if start else line[end : end + max_bytes]

    def _mine(self) -> list[int]:
        """The template of each line; blank lines are -1, lines of base64 and the like -2 and so on by their length."""
        miner = TemplateMiner()
        heads = [
            self._unstamped(index, _MINED_BYTES).strip() or line[:_MINED_BYTES].strip()
            for index, line in enumerate(self._texts)
        ]
        ids = miner.add_lines(heads).tolist()
        final = {number: miner.resolve(number) for number in set(ids)}
        templates = [final[number] for number in ids]
        for index, head in enumerate(heads):
            if not head:
                templates[index] = -1
            elif b" " not in head and len(head) >= 40 and _BLOB_LINE.fullmatch(head):
                templates[index] = -2 - len(head)
        return templates

    def _judged(self) -> dict[int, Verdict]:
        """The verdict on each line that holds a trigger and means something."""
        lines = self._lines
        patterns = _patterns(extra_triggers(self._layout, self._console))
        hits = patterns.hit_lines(lines.chunk.data, np.array(lines.starts[:-1], np.int64)).lines.tolist()
        found: dict[int, Verdict] = {}
        for index in hits if self._judges else ():
            line = self._texts[index]
            verdict = self._judgement(index, line)
            if verdict is not None:
                found[index] = verdict
        return found

    def _judgement(self, index: int, line: bytes) -> Verdict | None:
        """The verdict on a line; that on its like, where many of one template were all judged the same."""
        template = self._templates[index]
        last, times = self._settled.get(template, (None, 0))
        if times >= _ALIKE:
            return last
        key = fold_key(self._unstamped(index, _MINED_BYTES))
        if key not in self._judgements:
            verdict = self._judgements[key] = self._judge(line)
            self._settled[template] = (verdict, times + 1 if times and _same(verdict, last) else 1)
        return self._judgements[key]

    def _judge(self, line: bytes) -> Verdict | None:
        start, field, kind = self._layout.split(line) if self._layout else (0, b"", "")
        stated = int(severity_of_field(field, kind) or 0) if field else 0
        guessed = stated or int(severity_of_message(line, start) or 0)
        return judge(line, line[start:], stated, guessed, console=self._console)

    # --- what stays -------------------------------------------------------------------------------------------------

    def _incidents(self) -> set[int]:
        """Keep the first record of each kind of incident, and fold the traces of the others. The lines dealt with."""
        taken: set[int] = set()
        seen: set[int] = set()
        shapes: defaultdict[tuple[int, ...], list[list[int]]] = defaultdict(list)
        end = 0
        for index in sorted(index for index, verdict in self._verdicts.items() if verdict.strong):
            first = self._templates[index] not in seen
            seen.add(self._templates[index])
            if first and index >= end:
                self._kept[index] = _INCIDENT_BYTES
                taken.add(index)
            if index < end:
                continue
            end = self._record_end(index)
            trace = list(range(index + 1, end))
            if trace:
                taken.update(trace)
                if first:
                    self._trace(trace)
                else:
                    shapes[tuple(self._templates[one] for one in trace)].append(trace)
        for traces in shapes.values():
            self._traces(traces)
        return taken

    def _record_end(self, index: int) -> int:
        record = RecordEnd(self._layout, self._console, self._texts[index])
        end = index + 1
        while end < self._lines.count and record.takes(self._texts[end]):
            end += 1
        return end - record.pending_blank

    def _trace(self, trace: list[int]) -> None:
        """The lines of a record after its first: as they are, and if they are many, the last of them in one."""
        size = _INCIDENT_BYTES if len(trace) < 8 else _TRACE_BYTES
        for one in trace[:_TRACE_LINES]:
            self._kept[one] = size
        if len(trace) > _TRACE_LINES:
            self._body(trace[_TRACE_LINES:])

    def _body(self, indexes: list[int]) -> None:
        if len(indexes) == 1:
            self._kept[indexes[0]] = _TRACE_BYTES
            return
        cause = innermost_cause(b"\n".join(self._texts[one] for one in indexes))
        first = shown(self._lines.decode((cause or self._texts[indexes[0]]).strip()), 160)
        text = f"({len(indexes):,} lines go on with it{'; cause' if cause else ''}: {first})"
        self._out.append(self._lines.folded(indexes, text, kind="body"))

    def _traces(self, traces: list[list[int]]) -> None:
        """The traces of records that came before, all of one shape."""
        together = [one for trace in traces for one in trace]
        if len(traces) == 1:
            self._body(together)
            return
        lines = len(traces[0])
        first = shown(self._lines.decode(self._texts[together[0]].strip()), 120)
        text = f"({lines:,} lines each go on with it: {first})" if lines > 1 else first
        self._out.append(self._lines.folded(together, text, len(traces)))

    def _keep_pieces(self) -> None:
        """What the outline calls an incident stays, whatever is thought of it here."""
        for piece in self._pieces:
            index = piece.start_line - self._lines.first_line
            if piece.kind == "incident" and piece.weight >= NOTABLE_WEIGHT and 0 <= index < self._lines.count:
                self._kept.setdefault(index, _INCIDENT_BYTES)

    # --- what is folded ---------------------------------------------------------------------------------------------

    def _fold(self, indexes: list[int]) -> None:
        lines = self._lines
        template = self._templates[indexes[0]]
        if template == -1:
            blank = [one for one in indexes if one not in self._kept]
            if blank:
                self._out.append(lines.folded(blank, "(blank)"))
            return
        verdict = self._verdicts.get(indexes[0])
        if self._keep_bytes is not None and len(indexes) <= _RARE:
            self._plain.extend(one for one in indexes if one not in self._kept)
            return
        if verdict is not None and len(indexes) <= _RARE:
            for one in indexes:
                self._kept.setdefault(one, _INCIDENT_BYTES if verdict.strong else 0)
            return
        if template >= 0:
            rows = [self._tokens(one) for one in indexes]
            for place in odd_rows(rows) if len(indexes) > _RARE else range(len(rows)) if differ_widely(rows) else ():
                self._kept.setdefault(indexes[place], 0)
        if verdict is not None:
            self._kept.setdefault(indexes[0], _INCIDENT_BYTES if verdict.strong else 0)
        rest = [one for one in indexes if one not in self._kept]
        if len(rest) >= _MANY:
            self._plain.append(rest.pop(0))
        for stretch in self._stretches(rest) if verdict is not None else [rest]:
            if len(stretch) == 1:
                self._plain.append(stretch[0])
            elif stretch:
                self._folds.append(stretch)

    def _stretches(self, indexes: list[int]) -> list[list[int]]:
        """Occurrences with those far apart told apart, as long as that makes a few stretches only."""
        stretches: list[list[int]] = []
        for one in indexes:
            if not stretches or one - stretches[-1][-1] > _FAR_LINES:
                stretches.append([])
            stretches[-1].append(one)
        return stretches if len(stretches) <= _MOST_STRETCHES else [indexes]

    def _tokens(self, index: int) -> list[bytes]:
        tokens = self._token_cache.get(index)
        if tokens is None:
            tokens = self._token_cache[index] = self._split(index)
        return tokens

    def _split(self, index: int) -> list[bytes]:
        line = self._unstamped(index, 2 * _MINED_BYTES, _TIME)
        if line.lstrip()[:2] == b'{"':
            line = line.replace(b",", b", ")
        return line.split()

    def _folded_text(self, indexes: list[int], size: int) -> str:
        if self._templates[indexes[0]] < -1:
            first = shown(self._lines.decode(self._texts[indexes[0]].strip()), 40)
            return f"(base64, hexadecimal or the like, first {first})"
        rows = [self._tokens(one) for one in indexes]
        text = describe_rows(rows, self._lines.decode)
        verdict = self._verdicts.get(indexes[0])
        if verdict is not None:
            size = max(size, _STRONG_FOLD_BYTES) if verdict.strong else size
            start, end = self._stamps[indexes[-1]]
            until = f" (until {self._lines.decode(self._texts[indexes[-1]][start:end]).strip()})"
            if 0 < end - start <= _STAMP_BYTES and len(text.encode("utf-8", "replace")) + len(until) <= size:
                text += until
        return shown(text, size, brief=True)
