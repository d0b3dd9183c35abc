"""Plain text: paragraphs, the blocks between blank lines. What any text falls back to."""

from __future__ import annotations

import numpy as np

from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings

#: A paragraph of more lines is listed as several blocks: lists and tables have no blank lines.
BLOCK_LINES = 500
_TITLE_BYTES = 400


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

    def feed(self, block: Block) -> None:
        """Take the next block."""
        starts = block.starts
        data = block.data
        if not block.starts_line and not len(starts):
            return  # inside a giant line, whose head has been seen
        first_number = block.first_line + (0 if block.starts_line else 1)
        ends = np.append(starts[1:], len(data))
        lengths = ends - starts
        # Only short lines can be blank, and only those after a blank line, or deep in a long block, can begin something.
        short = np.flatnonzero(lengths <= 64)
        blank = np.zeros(len(starts) + 1, np.bool_)
        for index in short.tolist():
            if not data[int(starts[index]) : int(ends[index])].strip():
                blank[index] = True
        after_blank = np.empty(len(starts), np.bool_)
        if len(starts):
            after_blank[0] = self._after_blank
            after_blank[1:] = blank[: len(starts) - 1]
        begins = np.flatnonzero(after_blank & ~blank[:-1]).tolist()
        position = 0
        for begin in [*begins, len(starts)]:
            self._long(block, first_number, position, begin, starts, ends)
            if begin < len(starts):
                self._begin(block, first_number, begin, starts, ends)
                position = begin
        if len(starts):
            self._after_blank = bool(blank[len(starts) - 1])

    def _long(self, block: Block, first_number: int, low: int, high: int, starts: np.ndarray, ends: np.ndarray) -> None:
        """Lines that go on with the open paragraph; cut where it gets too long."""
        index = low
        while self._lines + (high - index) > BLOCK_LINES:
            index += BLOCK_LINES - self._lines
            if index >= high:
                break
            self._begin(block, first_number, index, starts, ends)
        if high > index:
            self._last = self._line(block, high - 1, starts, ends) or self._last
        self._lines = first_number + high - self._start_line

    def _begin(self, block: Block, first_number: int, index: int, starts: np.ndarray, ends: np.ndarray) -> None:
        start_byte = block.start + int(starts[index])
        if self._has_text:
            self._end(start_byte, first_number + index - 1)
            self._start_byte, self._start_line = start_byte, first_number + index
        self._has_text = True
        self._title = self._line(block, index, starts, ends)
        self._last = b""
        self._lines = 0

    def _line(self, block: Block, index: int, starts: np.ndarray, ends: np.ndarray) -> bytes:
        start = int(starts[index])
        return block.data[start : min(int(ends[index]), start + _TITLE_BYTES)].strip()

    def _end(self, end_byte: int, end_line: int) -> None:
        lines = end_line - self._start_line + 1
        title = self._title.decode(self._encoding, "replace") if self._title else "(blank)"
        last = self._last.decode(self._encoding, "replace")
        digest = f"{lines:,} lines" if lines > 1 else ""
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

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        if end.byte > self._start_byte:
            self._end(end.byte, max(end.line, self._start_line))
        return Findings(self._builder.finish(end.byte, end.line))


def _sniff(sample: Sample) -> float:
    return 0.1


FORMAT = Format("text", "plain text", _sniff, TextScanner, (".txt",))
