"""Symbols and what lies between them to sections, in the order of the file.

At the top level everything belongs to a section: what is no symbol is a run of imports, a comment, or statements; blank
lines belong to what they follow. Inside a symbol only long stretches without symbols are listed, as parts.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from milepost.core.code.client import Piece, Symbols
from milepost.core.code.gaps import Gap, closing_end, only_opens, split_gap
from milepost.core.code.languages import Language
from milepost.core.lines import line_starts
from milepost.core.outline import Node, Section
from milepost.core.structure.nested_builder import NestedBuilder

#: A stretch of more lines without a symbol is listed in parts.
PART_LINES = 500
_CONTAINERS = frozenset(("class", "struct", "interface", "trait", "impl", "object", "enum", "union"))
_MOST_ALSO = 16
_HEADER_BYTES = 1000


@dataclass(slots=True)
class _Open:
    """A symbol whose end has not come yet. `end` is None while it lies beyond the piece."""

    node: Node
    end: int | None
    indent: int
    header: list[Any]


class Assembler:
    """Builds the outline of one source file from its pieces."""

    def __init__(self, language: Language | None, max_nodes: int, start: int, line: int, encoding: str) -> None:
        # Symbols are few beside records: siblings are listed one by one as long as the outline holds them.
        self.builder = NestedBuilder(max_nodes, max(128, max_nodes // 4))
        self.end = start
        self.counts: dict[str, int] = {}
        self.headers: list[list[Any]] = []
        self._language = language
        self._encoding = encoding
        self._line = line
        self._open: list[_Open] = []
        self._at = start
        self._last: Node | None = None
        self._resume: dict[str, Any] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Assembler:
        twin = copy.copy(self)
        memo[id(self)] = twin
        twin.builder = copy.deepcopy(self.builder, memo)
        twin.counts = dict(self.counts)
        nodes = twin.builder._open[1:]
        twin._open = [_Open(node, one.end, one.indent, one.header) for node, one in zip(nodes, self._open, strict=True)]
        return twin

    @property
    def open_indents(self) -> list[int]:
        """The indentations of what is open."""
        return [one.indent for one in self._open]

    def add(self, piece: Piece, symbols: Symbols) -> None:
        """Take the next piece, with its symbols as they were found by one way or the other."""
        body, base = piece.body, piece.start
        starts = line_starts(body)
        known = [one for one in symbols if one[0] < 0 < one[1]]
        while len(self._open) > len(known):
            self._close(body, base, starts, base)
        for one, told in zip(self._open, known, strict=False):
            one.end = base + _line_end(body, told[1]) if told[1] <= len(body) else None
        for symbol in symbols:
            if symbol[0] >= 0:
                self._take(symbol, body, base, starts)
        self._close_until(base + len(body), body, base, starts)
        self._gap(self._at, base + len(body), body, base, starts)
        self._at = self.end = base + len(body)
        self._line += len(starts)

    def _take(
        self,
        symbol: tuple[int, int, int, int, str, str, str, str],
        body: bytes,
        base: int,
        starts: npt.NDArray[np.int64],
    ) -> None:
        start, end, name_at, head_end, kind, name, title, doc = symbol
        index = int(np.searchsorted(starts, start, side="right")) - 1
        line_start = int(starts[index])
        begin = base + line_start
        self._close_until(base + start, body, base, starts)
        if begin < self._at or (
            self._open
            and begin <= self._open[-1].node.start_byte
            and self._open[-1].node.start_line == self._line + index
            and not self._inside_matters(symbol, body)
        ):
            self._also(name)
            return
        stop = base + _line_end(body, end) if end <= len(body) else None
        if self._open and self._open[-1].end is not None and (stop is None or stop > self._open[-1].end):
            stop = self._open[-1].end
        if not self._open and begin > self._at >= base and only_opens(body, self._at - base, line_start):
            index = int(np.searchsorted(starts, self._at - base))
            line_start = int(starts[index])
            begin = base + line_start
        self._gap(self._at, begin, body, base, starts)
        parent = self._open[-1].node.kind if self._open else ""
        if kind in ("function", "prototype") and parent in _CONTAINERS:
            kind = "method" if kind == "function" else "prototype"
        line = self._line + int(np.searchsorted(starts, max(name_at, start), side="right")) - 1
        indent = _width(body[line_start : line_start + 200])
        node = Node(
            kind, title, begin, self._line + index, digest=doc, label=name, weight=0.45, resume=self._resume_now()
        )
        node.facts = {"name": name, "line": line}
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.builder.open(node)
        line_start = body.rfind(b"\n", 0, max(name_at, start)) + 1
        text = body[line_start : max(line_start, min(head_end, line_start + _HEADER_BYTES))].rstrip()
        self._open.append(_Open(node, stop, indent, [indent, self._header(text)]))
        self._at = begin

    def _inside_matters(self, symbol: tuple[int, int, int, int, str, str, str, str], body: bytes) -> bool:
        """Whether a symbol on the line where the open one begins has lines of its own to show."""
        return body.count(b"\n", symbol[0], symbol[1]) > 1

    def _header(self, text: bytes) -> str:
        if self._language is not None and self._language.style == "brace" and not text.endswith(b"{"):
            text += b" {"
        return text.decode("latin-1") + "\n"

    def _resume_now(self) -> dict[str, Any]:
        headers = [*self.headers, *(one.header for one in self._open)]
        if self._resume.get("headers") != headers:
            self._resume = {"language": self._language.name if self._language else "", "headers": headers}
        return self._resume

    def _also(self, name: str) -> None:
        node = self._open[-1].node if self._open else self._last
        if node is not None:
            names = node.facts.setdefault("also", [])
            if len(names) < _MOST_ALSO and name != node.facts.get("name"):
                names.append(name)

    def _close_until(self, place: int, body: bytes, base: int, starts: npt.NDArray[np.int64]) -> None:
        while self._open and self._open[-1].end is not None and self._open[-1].end <= place:
            self._close(body, base, starts, self._open[-1].end)

    def _close(self, body: bytes, base: int, starts: npt.NDArray[np.int64], end: int) -> None:
        end = max(end, self._at)
        self._gap(self._at, end, body, base, starts)
        one = self._open.pop()
        node = one.node
        if not self._open:
            end = base + closing_end(body, end - base)
        last = self._line_before(end, base, starts)
        lines = last - node.start_line + 1
        inside = len(node.children) + node.hidden
        said = [f"{lines:,} lines" if lines > 1 else "", node.digest]
        node.digest = ": ".join(part for part in said if part)
        node.count = max(1, lines)
        if inside:
            node.facts["members"] = _members(node)
        self.builder.close(end, last)
        self._last = node
        self._at = end

    def _line_before(self, end: int, base: int, starts: npt.NDArray[np.int64]) -> int:
        """The number of the last line before `end`, where a line starts or the file ends."""
        return self._line + int(np.searchsorted(starts, end - base)) - 1

    def _gap(self, low: int, high: int, body: bytes, base: int, starts: npt.NDArray[np.int64]) -> None:
        """What lies between symbols. At the top level all of it is listed."""
        low = max(low, base)
        if high <= low:
            return
        first = int(np.searchsorted(starts, low - base))
        count = int(np.searchsorted(starts, high - base)) - first
        if self._open and count <= PART_LINES:
            return
        gaps = split_gap(body, low - base, high - base, self._language, PART_LINES, parts_only=bool(self._open))
        for gap in gaps:
            self._leaf(gap, base, starts)
        self._at = high

    def _leaf(self, gap: Gap, base: int, starts: npt.NDArray[np.int64]) -> None:
        start = self._line + int(np.searchsorted(starts, gap.start))
        end = self._line + int(np.searchsorted(starts, gap.end)) - 1
        lines = end - start + 1
        node = Node(gap.kind, gap.title.decode(self._encoding, "replace"), base + gap.start, start, base + gap.end, end)
        node.digest = f"{lines:,} lines" if lines > 1 else ""
        node.count, node.weight, node.resume = max(1, lines), 0.2, self._resume_now()
        self.builder.leaf(node)
        self._last = node

    def finish(self, end_byte: int, end_line: int) -> tuple[Section, ...]:
        """Close what is open and freeze everything."""
        while self._open:
            one = self._open.pop()
            one.node.count = max(1, end_line - one.node.start_line + 1)
            one.node.digest = ": ".join(part for part in (f"{one.node.count:,} lines", one.node.digest) if part)
        return self.builder.finish(end_byte, end_line)


def _members(node: Node) -> dict[str, int]:
    counts: dict[str, int] = {}
    for child in node.children:
        kind = str(child.facts.get("of", "mixed")) if child.kind == "group" else child.kind
        counts[kind] = counts.get(kind, 0) + (child.count if child.kind == "group" else 1)
    if node.hidden:
        counts["hidden"] = node.hidden
    return counts


def _line_end(body: bytes, offset: int) -> int:
    """The end of the line that holds the byte before `offset`."""
    if offset and body[offset - 1 : offset] in (b"\n", b"\r"):
        return offset
    newline = body.find(b"\n", offset)
    carriage_return = body.find(b"\r", offset, newline if newline >= 0 else len(body))
    if carriage_return >= 0 and carriage_return + 1 != newline:
        return carriage_return + 1
    return newline + 1 if newline >= 0 else len(body)


def _width(line: bytes) -> int:
    blanks = line[: len(line) - len(line.lstrip(b" \t"))]
    return len(blanks) + 7 * blanks.count(b"\t")
