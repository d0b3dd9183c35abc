"""Symbols and what lies between them to sections, in the order of the file.

At the top level everything belongs to a section: what is no symbol is a run of imports, a comment, or statements; blank
lines and closing brackets belong to what they follow. Inside a symbol only long stretches without symbols are listed, as
parts. The modules of a bundle are sections around the symbols.
"""

from __future__ import annotations

import copy
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

from milepost.core.code.client import Piece, Symbol, Symbols
from milepost.core.code.gaps import Gap, closing_end, only_opens, split_gap
from milepost.core.code.indentation import COMMENTS, DIRECTIVES, LEAST_LINES, held_lines, title_of_line
from milepost.core.code.languages import Language
from milepost.core.code.modules import module_marks
from milepost.core.lines import line_starts
from milepost.core.outline import Node, Section
from milepost.core.outline_builder import OutlineBuilder

#: A stretch of more lines without a symbol is listed in parts.
PART_LINES = 500
#: Where the language is not known, what holds so many lines is listed.
_BLOCK_LINES = 3
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


class _View:
    """A piece and the lines in it. Offsets are of the file, lines the file's numbers."""

    def __init__(self, piece: Piece, first_line: int) -> None:
        self.body = piece.body
        self.base = piece.start
        self.end = piece.start + len(piece.body)
        self.starts: list[int] = line_starts(piece.body).tolist()
        self._first = first_line

    def line_of(self, offset: int) -> int:
        """The line that holds the byte at `offset`."""
        return self._first + bisect_right(self.starts, offset - self.base) - 1

    def line_before(self, offset: int) -> int:
        """The last line before `offset`, where a line starts or the file ends."""
        return self._first + bisect_left(self.starts, offset - self.base) - 1

    def start_of_line(self, offset: int) -> int:
        """Where the line that holds the byte at `offset` starts."""
        index = bisect_right(self.starts, offset - self.base) - 1
        return self.base + self.starts[max(0, index)]

    def end_of_line(self, offset: int) -> int:
        """Where the line that holds the byte before `offset` ends."""
        index = bisect_left(self.starts, offset - self.base)
        return self.base + self.starts[index] if index < len(self.starts) else self.end


class Assembler:
    """Builds the outline of one source file from its pieces."""

    def __init__(self, language: Language | None, max_nodes: int, start: int, line: int, encoding: str) -> None:
        # Symbols are few beside records: siblings are listed one by one as long as the outline holds them.
        self.builder = OutlineBuilder(max_nodes, max(128, max_nodes // 4))
        self.end = start
        self.counts: dict[str, int] = {}
        self.headers: list[list[Any]] = []
        self._language = language
        self._encoding = encoding
        self._line = line
        self._module: Node | None = None
        self._open: list[_Open] = []
        #: What is open of literals and the like: the indentation of its first line, and its node.
        self._held: list[tuple[int, Node]] = []
        #: Whether all of the range lies in such a thing.
        self.is_in_held = False
        self._at = start
        self._last: Node | None = None
        self._resume: dict[str, Any] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Assembler:
        twin = copy.copy(self)
        memo[id(self)] = twin
        twin.builder = copy.deepcopy(self.builder, memo)
        twin.counts = dict(self.counts)
        twin._module = copy.deepcopy(self._module, memo)
        twin._open = [_Open(memo[id(one.node)], one.end, one.indent, one.header) for one in self._open]
        twin._held = [(indent, memo[id(node)]) for indent, node in self._held]
        twin._last = None
        return twin

    @property
    def open_indents(self) -> list[int]:
        """The indentations of what is open."""
        return [one.indent for one in self._open]

    def add(self, piece: Piece, symbols: Symbols) -> None:
        """Take the next piece, with its symbols as they were found by one way or the other."""
        view = _View(piece, self._line)
        known = [one for one in symbols if one[0] < 0 < one[1]]
        while len(self._open) > len(known):
            self._close(view, view.base)
        for one, told in zip(self._open, known, strict=False):
            one.end = view.end_of_line(view.base + told[1]) if told[1] <= len(piece.body) else None
        marks = module_marks(piece.body)
        marks.reverse()
        for symbol in symbols:
            if symbol[0] >= 0:
                while marks and marks[-1][0] <= symbol[0]:
                    self._begin_module(view, *marks.pop())
                self._take(view, symbol)
        while marks:
            self._begin_module(view, *marks.pop())
        self._close_until(view, view.end)
        self._gap(view, view.end, goes_on=True)
        self._at = self.end = view.end
        self._line += len(view.starts)

    # --- symbols ----------------------------------------------------------------------------------------------------

    def _take(self, view: _View, symbol: Symbol) -> None:
        start, end, name_at, head_end, kind, name, title, doc = symbol
        begin = view.start_of_line(view.base + start)
        self._close_until(view, view.base + start)
        if begin < self._at <= view.start_of_line(view.base + max(name_at, start)):
            begin = self._at  # the comment before it is the mark of its module
        if begin < self._at or self._is_within_line(begin, view.body.count(b"\n", start, end)):
            self._also(name)
            return
        stop = view.end_of_line(view.base + end) if end <= len(view.body) else None
        if self._open and (begin, stop) == (self._open[-1].node.start_byte, self._open[-1].end):
            self._also(name)  # `var Range = class _Range {`
            return
        around = self._open[-1].end if self._open else None
        if around is not None and (stop is None or stop > around):
            stop = around
        if not self._open and begin > self._at >= view.base:
            if only_opens(view.body, self._at - view.base, begin - view.base):
                begin = self._at
            self._gap(view, begin)
        elif self._open:
            self._gap(view, begin)
        self._end_held(view, begin)
        if kind == "function" and self._open and self._open[-1].node.kind in _CONTAINERS:
            kind = "method"
        node = Node(kind, title, begin, view.line_of(begin), digest=doc, label=name, weight=0.45)
        node.resume = self._resume_now()
        node.facts = {"name": name, "line": view.line_of(view.base + max(name_at, start))}
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.builder.open(node)
        head_start = view.start_of_line(view.base + max(name_at, start)) - view.base
        text = view.body[head_start : max(head_start, min(head_end, head_start + _HEADER_BYTES))].rstrip()
        indent = _width(text)
        self._open.append(_Open(node, stop, indent, [indent, self._header(text)]))
        self._at = begin

    def _is_within_line(self, begin: int, line_ends: int) -> bool:
        """Whether a symbol that begins on its parent's first line has no lines of its own to show."""
        return bool(self._open) and begin <= self._open[-1].node.start_byte and line_ends <= 1

    def _header(self, text: bytes) -> str:
        if self._language is not None and self._language.style == "brace" and not text.endswith(b"{"):
            text += b" {"
        return text.decode("latin-1") + "\n"

    def _resume_now(self) -> dict[str, Any]:
        """What it takes to scan what begins here alone. Siblings share it."""
        headers = [*self.headers, *(one.header for one in self._open)]
        if self._resume.get("headers") != headers:
            self._resume = {"language": self._language.name if self._language else "", "headers": headers}
        return self._resume

    def _also(self, name: str) -> None:
        """Another symbol on the lines of one that is listed."""
        node = self._open[-1].node if self._open else self._last
        if node is not None:
            names = node.facts.setdefault("also", [])
            if len(names) < _MOST_ALSO and name != node.facts.get("name") and name not in names:
                names.append(name)

    def _close_until(self, view: _View, place: int) -> None:
        while self._open:
            end = self._open[-1].end
            if end is None or end > place:
                return
            self._close(view, end)

    def _close(self, view: _View, end: int) -> None:
        end = max(end, self._at)
        self._gap(view, end)
        node = self._open.pop().node
        if not self._open:
            end = view.base + closing_end(view.body, end - view.base)
        self._say(node, view.line_before(end))
        self.builder.close(end, view.line_before(end))
        self._last, self._at = node, end

    def _say(self, node: Node, last_line: int) -> None:
        lines = last_line - node.start_line + 1
        node.digest = ": ".join(part for part in (f"{lines:,} lines" if lines > 1 else "", node.digest) if part)
        node.count = max(1, lines)
        members = _members(node)
        if members:
            node.facts["members"] = members

    def _begin_module(self, view: _View, start: int, end: int, path: bytes) -> None:
        self._close_until(view, view.base + start)
        if self._open or view.base + start < self._at:
            return
        self._gap(view, view.base + start)
        self._end_module(view.base + start, view.line_before(view.base + start))
        title = self._decoded(path)
        self._module = Node("module", title, view.base + start, view.line_of(view.base + start), weight=0.55)
        self._module.resume = self._resume_now()
        self._module.facts = {"path": title}
        self.builder.open(self._module)
        self.counts["module"] = self.counts.get("module", 0) + 1
        self._at = view.base + end

    def _end_module(self, end: int, last_line: int) -> None:
        if self._module is not None:
            self._say(self._module, last_line)
            self.builder.close(end, last_line)
            self._module = self._last = None

    # --- what lies between ------------------------------------------------------------------------------------------

    def _gap(self, view: _View, high: int, *, goes_on: bool = False) -> None:
        """Lines up to `high` that are no symbol. At the top level all of them are listed.

        Long stretches are told by their indentation; what is open of them stays open where the next piece `goes_on`.
        """
        low = max(self._at, view.base)
        if high > low:
            self._at = low
            lines = view.line_before(high) - view.line_before(low)
            if self._held or self.is_in_held or self._language is None or lines > PART_LINES:
                self._by_indentation(view, high)
            self._plain(view, high)
        if not goes_on:
            self._end_held(view, high)

    def _by_indentation(self, view: _View, high: int) -> None:
        """What begins and ends up to `high` by indentation."""
        style = self._language.style if self._language is not None else ""
        ends, found = held_lines(
            view.body,
            self._at - view.base,
            high - view.base,
            [indent for indent, _ in self._held],
            LEAST_LINES if self.is_in_held else _BLOCK_LINES if self._language is None else PART_LINES,
            {"": COMMENTS, "brace": DIRECTIVES}.get(style),
        )
        open_ends = [high + 1 if end is None else view.base + end for end in ends]
        for one in found:
            self._end_held_until(view, open_ends, view.base + one.start)
            self._plain(view, view.base + one.start)
            kind = "data" if self._language is not None else "block"
            node = Node(kind, self._decoded(title_of_line(view.body, one.start)), self._at, view.line_of(self._at))
            node.resume = {**self._resume_now(), "held": True}
            self.builder.open(node)
            self._held.append((one.indent, node))
            open_ends.append(high + 1 if one.end is None else view.base + one.end)
        self._end_held_until(view, open_ends, high)

    def _end_held_until(self, view: _View, ends: list[int], place: int) -> None:
        """End what does not reach beyond a place."""
        while ends and ends[-1] <= place:
            self._plain(view, ends[-1])
            self._end_innermost(view, ends.pop())

    def _end_innermost(self, view: _View, end: int) -> None:
        self._say(self._held.pop()[1], view.line_before(end))
        self._last = self.builder.close(end, view.line_before(end))

    def _end_held(self, view: _View, end: int) -> None:
        """End all that is open of what is told by its indentation."""
        while self._held:
            self._end_innermost(view, max(end, self._at))

    def _plain(self, view: _View, high: int) -> None:
        """Lines up to `high` that neither are symbols nor hold others."""
        low = self._at
        is_inside = bool(self._open or self._held)
        if high <= low:
            return
        self._at = high
        if is_inside and view.line_before(high) - view.line_before(low) <= PART_LINES:
            return
        for gap in split_gap(
            view.body, low - view.base, high - view.base, self._language, PART_LINES, parts_only=is_inside
        ):
            self._leaf(view, gap)

    def _decoded(self, text: bytes) -> str:
        return text.decode(self._encoding, "replace")

    def _leaf(self, view: _View, gap: Gap) -> None:
        start, end = view.base + gap.start, view.base + gap.end
        node = Node(gap.kind, self._decoded(gap.title), start, view.line_of(start), weight=0.2)
        node.end_byte, node.end_line = end, view.line_before(end)
        node.resume = self._resume_now()
        node.count = max(1, node.end_line - node.start_line + 1)
        node.digest = f"{node.count:,} lines" if node.count > 1 else ""
        self.builder.leaf(node)
        self._last = node

    def finish(self, end_byte: int, end_line: int) -> tuple[Section, ...]:
        """Close what is open and freeze everything."""
        while self._held:
            self._say(self._held.pop()[1], end_line)
            self.builder.close(end_byte, end_line)
        while self._open:
            self._say(self._open.pop().node, end_line)
            self.builder.close(end_byte, end_line)
        self._end_module(end_byte, end_line)
        return self.builder.finish(end_byte, end_line)


def _members(node: Node) -> dict[str, int]:
    """How many there are of each kind below a node."""
    counts: dict[str, int] = {}
    for child in node.children:
        is_group = child.kind == "group"
        kind = str(child.facts.get("of", "mixed")) if is_group else child.kind
        counts[kind] = counts.get(kind, 0) + (child.count if is_group else 1)
    if node.hidden:
        counts["not listed"] = node.hidden
    return counts


def _width(line: bytes) -> int:
    blanks = line[: len(line) - len(line.lstrip(b" \t"))]
    return len(blanks) + 7 * blanks.count(b"\t")
