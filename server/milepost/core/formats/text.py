"""Plain text: parts set off by rules, paragraphs between blank lines, runs of base64 and the like.

It is what any text falls back to.
"""

from __future__ import annotations

import numpy as np

from milepost.core.formats.base import Format, Sample
from milepost.core.opaque.runs import OpaqueRuns, Run, Stretch
from milepost.core.outline import Node
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.text_rules import RuleFinder

#: A paragraph of more lines is listed as several blocks: lists and tables have no blank lines.
BLOCK_LINES = 500
_TITLE_BYTES = 400
#: A line with more white space is text.
_BLANK_BYTES = 64
_LINE_ENDS = table_of(b"\r\n")
_WHITE = table_of(b" \t\x0b\x0c")


class TextScanner:
    """Cuts a text at its blank lines. A paragraph ends where the next one begins, so blank lines belong to the one before."""

    def __init__(self, context: Context) -> None:
        self._builder = OutlineBuilder(context.max_nodes)
        self._encoding = context.encoding
        self._start_byte = context.start_byte
        self._start_line = context.start_line
        self._title = b""
        self._last = b""
        self._lines = 0
        self._after_blank = True
        self._has_text = False
        self._runs = OpaqueRuns()
        self._run: Run | None = None
        self._rules = RuleFinder()
        self._is_in_part = self._lacks_title = False
        self._parts = 0
        self.opaque_bytes = 0

    def feed(self, block: Block) -> None:
        """Take the next block."""
        starts = block.starts
        stretches = self._runs.find(LineView(block))
        if not block.starts_line and not len(starts):
            return  # inside a giant line, whose head has been seen
        first_number = block.first_line + (0 if block.starts_line else 1)
        ends = np.append(starts[1:], len(block.data))
        blank = np.zeros(len(starts) + 1, np.bool_)
        blank[_blank_lines(block, starts, ends)] = True
        after_blank = np.empty(len(starts), np.bool_)
        if len(starts):
            after_blank[0] = self._after_blank
            after_blank[1:] = blank[: len(starts) - 1]
        begins = after_blank & ~blank[:-1]
        parts, owed = self._rules.find(block, starts, ends, blank[:-1])
        if owed >= 0 and self._lacks_title:
            # The rule is in the block before: its part goes on with its title.
            begins[: owed + 1] = False
            self._title = self._line(block, owed, starts, ends)
            self._builder.current.title = self._decoded(self._title)
            self._lacks_title = False
        # In a run of base64 and the like nothing begins.
        parts = [part for part in parts if not any(one.low <= part.line < one.high for one in stretches)]
        for part in parts:
            begins[part.line + 1 : part.title_line + 1 if part.title_line >= 0 else None] = False
            begins[part.line] = True
        titles = dict(parts)
        for stretch in stretches:
            begins[stretch.low : stretch.high] = False
        runs = {stretch.low: stretch for stretch in stretches}
        after_runs = {stretch.high for stretch in stretches}
        if self._run is not None and 0 not in runs:
            after_runs.add(0)
        # Blank lines belong to what is before them, also to a run.
        after_runs = {index for index in after_runs if index < len(starts) and not blank[index]}
        places = sorted({*np.flatnonzero(begins).tolist(), *runs, *after_runs})
        position = 0
        for begin in [*places, len(starts)]:
            self._long(block, first_number, position, begin, starts, ends)
            if begin < len(starts) and not self._goes_on(runs.get(begin)):
                self._begin(block, first_number, begin, starts, ends, titles.get(begin))
                self._run = runs[begin].run if begin in runs else None
            position = begin
        if len(starts):
            self._after_blank = bool(blank[len(starts) - 1])

    def _long(self, block: Block, first_number: int, low: int, high: int, starts: np.ndarray, ends: np.ndarray) -> None:
        """Lines that go on with the open paragraph; cut where it gets too long."""
        index = low
        while self._run is None and self._lines + (high - index) > BLOCK_LINES:
            index += BLOCK_LINES - self._lines
            if index >= high:
                break
            self._begin(block, first_number, index, starts, ends)
        if high > index:
            self._last = self._line(block, high - 1, starts, ends) or self._last
        self._lines = first_number + high - self._start_line

    def _goes_on(self, stretch: Stretch | None) -> bool:
        """Whether a stretch belongs to the run that is open."""
        return stretch is not None and not stretch.is_new and stretch.run is self._run

    def _begin(
        self,
        block: Block,
        first_number: int,
        index: int,
        starts: np.ndarray,
        ends: np.ndarray,
        part_title: int | None = None,
    ) -> None:
        """A paragraph begins; with `part_title`, the line of its title or -1, a part does."""
        start_byte = block.start + int(starts[index])
        if self._has_text:
            self._end(start_byte, first_number + index - 1)
            self._start_byte, self._start_line = start_byte, first_number + index
        self._has_text = True
        titled = part_title if part_title is not None and part_title >= 0 else index
        self._title = self._line(block, titled, starts, ends)
        self._last = b""
        self._lines = 0
        if part_title is not None:
            self._end_part(self._start_byte, self._start_line - 1)
            self._is_in_part, self._lacks_title = True, part_title < 0
            self._parts += 1
            part = Node(
                "section", self._decoded(self._title), self._start_byte, self._start_line, resume={"text": True}
            )
            part.weight = 0.4
            self._builder.open(part)

    def _end_part(self, end_byte: int, end_line: int) -> None:
        if not self._is_in_part:
            return
        part = self._builder.current
        part.count = end_line - part.start_line + 1
        part.digest = _lines_said(part.count)
        if len(part.children) == 1 and part.children[0].kind == "paragraph":
            self._builder.take_back()  # it would say the same again
        self._builder.close(end_byte, end_line)
        self._is_in_part = False

    def _decoded(self, text: bytes) -> str:
        return text.decode(self._encoding, "replace") if text else "(blank)"

    def _line(self, block: Block, index: int, starts: np.ndarray, ends: np.ndarray) -> bytes:
        start = int(starts[index])
        return block.data[start : min(int(ends[index]), start + _TITLE_BYTES)].strip()

    def _end(self, end_byte: int, end_line: int) -> None:
        lines = end_line - self._start_line + 1
        if self._run is not None and self._run.is_data:
            self._end_run(self._run, end_byte, end_line, lines)
            return
        title = self._decoded(self._title)
        last = self._last.decode(self._encoding, "replace")
        digest = _lines_said(lines)
        if lines >= BLOCK_LINES and last:
            digest += f", to {last}"
        self._builder.leaf(
            Node(
                "block" if lines >= BLOCK_LINES else "paragraph",
                title,
                self._start_byte,
                self._start_line,
                end_byte,
                end_line,
                digest=digest,
                count=lines,
                weight=0.3,
                resume={"text": True},
            )
        )

    def _end_run(self, run: Run, end_byte: int, end_line: int, lines: int) -> None:
        facts = run.facts()
        said = [_lines_said(lines)] if lines > 1 else []
        if "decoded_bytes" in facts:
            said.append(f"{facts['decoded_bytes']:,} bytes" + (f", {facts['content']}" if "content" in facts else ""))
        elif "content" in facts:
            said.append(str(facts["content"]))
        self.opaque_bytes += end_byte - self._start_byte
        node = Node("opaque", run.title(), self._start_byte, self._start_line, end_byte, end_line, weight=0.35)
        node.digest, node.count, node.facts = ", ".join(said), lines, facts
        self._builder.leaf(node)

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        if end.byte > self._start_byte:
            self._end(end.byte, max(end.line, self._start_line))
        self._end_part(end.byte, max(end.line, self._start_line))
        counts = {"opaque_bytes": self.opaque_bytes, "parts": self._parts}
        facts = {name: count for name, count in counts.items() if count}
        return Findings(self._builder.finish(end.byte, end.line), facts=facts)


def _lines_said(lines: int) -> str:
    return f"{lines:,} lines" if lines > 1 else ""


def _blank_lines(block: Block, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The indexes of lines with nothing but white space."""
    place = starts
    index = np.arange(len(starts))
    found = []
    for _ in range(_BLANK_BYTES):
        byte = block.array[place]
        is_end = _LINE_ENDS[byte]
        found.append(index[is_end])
        goes_on = np.flatnonzero(_WHITE[byte] & ~is_end)
        index, place = index[goes_on], place[goes_on] + 1
        is_inside = place < ends[index]
        found.append(index[~is_inside])
        index, place = index[is_inside], place[is_inside]
        if not len(index):
            break
    return np.concatenate(found) if found else np.empty(0, np.int64)


def _sniff(sample: Sample) -> float:
    return 0.1


FORMAT = Format("text", "plain text", _sniff, TextScanner)
