"""The nested stretches of minified code: elements of brackets that hold much, runs of what is small between them.

A bracket is followed while it may turn out large. Its elements (statements, arguments, members) are nodes where they
hold a large bracket or are modules; the small ones between are put together to runs of about `least_bytes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from milepost.core.minified.brackets import Events
from milepost.core.minified.labels import HEAD_BYTES, describe
from milepost.core.outline import Node
from milepost.core.structure.json_place import Lines, Mark

#: So many modules of one bracket are listed one by one; then they come in runs like everything else.
_MOST_MODULES = 3000


@dataclass(slots=True)
class _Bracket:
    """An open bracket. What lies before `seen` has been looked at; what lies before `begun` is in `nodes`."""

    depth: int
    opened: int
    begun: Mark
    head: bytes
    seen: int
    split: Mark
    split_head: bytes
    is_large: bool = False
    module: bytes = b""
    nodes: list[Node] = field(default_factory=list)
    inside: list[Node] = field(default_factory=list)
    elements: int = 0
    modules: int = 0


class CodeTree:
    """Takes the brackets of block after block. `nodes` are those of the outermost level, complete ones first."""

    def __init__(self, start: Mark, least_bytes: int, encoding: str, *, style_sheet: bool) -> None:
        self.least_bytes = least_bytes
        self.depth = 0
        self.modules = 0
        self._encoding = encoding
        self._style_sheet = style_sheet
        self._stack = [_Bracket(0, start.byte, start, b"", start.byte, start, b"")]

    @property
    def top(self) -> list[Node]:
        """The nodes of the outermost level. The caller may take them away."""
        return self._stack[0].nodes

    def take(self, data: bytes, lines: Lines, events: Events, modules: list[tuple[int, int, bytes]]) -> None:
        """The next block: `modules` are the places, depths and names of modules that begin in it."""
        base = lines.base
        for bracket in self._stack:
            if not bracket.head and bracket.begun.byte == base:
                bracket.head = bracket.split_head = data[:HEAD_BYTES]
        by_depth: dict[int, list[tuple[int, bytes]]] = {}
        for place, depth, name in modules:
            by_depth.setdefault(depth, []).append((place, name))
        for place, is_open, outside in zip(events.places, events.opens, events.depths, strict=True):
            if is_open:
                self._open(data, lines, events, by_depth, place, outside)
            else:
                self._close(data, lines, events, by_depth, place, outside)
        for bracket in self._stack:
            self._advance(bracket, data, lines, events, by_depth, base + len(data))
        self.depth = events.depth

    def _open(
        self,
        data: bytes,
        lines: Lines,
        events: Events,
        modules: dict[int, list[tuple[int, bytes]]],
        place: int,
        outside: int,
    ) -> None:
        parent = self._stack[-1]
        if outside < parent.depth:
            return
        offset = lines.base + place
        self._advance(parent, data, lines, events, modules, offset)
        inner = lines.mark_at(offset + 1) if place + 1 < len(data) else Mark(offset + 1, *_after(lines, offset))
        head = data[place + 1 : place + 1 + HEAD_BYTES]
        self._stack.append(_Bracket(outside + 1, offset, inner, head, offset + 1, inner, head))

    def _close(
        self,
        data: bytes,
        lines: Lines,
        events: Events,
        modules: dict[int, list[tuple[int, bytes]]],
        place: int,
        outside: int,
    ) -> None:
        offset = lines.base + place
        while len(self._stack) > 1 and self._stack[-1].depth > outside:
            bracket = self._stack[-1]
            self._advance(bracket, data, lines, events, modules, offset)
            self._stack.pop()
            self._leave(bracket, lines.mark_at(offset), offset + 1)

    def _leave(self, bracket: _Bracket, end: Mark, after: int) -> None:
        """A bracket has ended: what it holds goes to the element that it belongs to, if it is large."""
        parent = self._stack[-1]
        parent.seen = max(parent.seen, after - 1)  # a boundary right after it is still to come
        if after - bracket.opened < self.least_bytes:
            return
        if bracket.nodes or bracket.inside:
            self._flush(bracket, end)
        nodes = bracket.nodes
        if len(nodes) == 1:
            nodes = nodes[0].children
        parent.inside.extend(nodes)
        parent.is_large = True

    def _advance(
        self,
        bracket: _Bracket,
        data: bytes,
        lines: Lines,
        events: Events,
        modules: dict[int, list[tuple[int, bytes]]],
        stop: int,
    ) -> None:
        """Look at the boundaries of a bracket up to `stop`, an offset of the file."""
        base = lines.base
        low = max(bracket.seen, base) - base
        if stop - base < low:
            return
        found = (events.between(bracket.depth, low, stop - base) + base).tolist() if bracket.seen < stop else []
        names = {}
        if bracket.modules < _MOST_MODULES:
            names = {base + place: name for place, name in modules.get(bracket.depth, ()) if low <= place < stop - base}
            found = sorted({*found, *names}) if names else found
        next_run = bracket.begun.byte + self.least_bytes
        last = -1
        for boundary in found:
            name = names.get(boundary)
            is_end = bracket.is_large or bracket.module or name is not None or boundary >= next_run
            if not is_end:
                last = boundary
                bracket.elements += 1
                continue
            if (bracket.is_large or name is not None) and last > bracket.begun.byte and not bracket.is_large:
                self._cut(bracket, data, lines, last)
            if boundary > bracket.begun.byte:
                bracket.elements += 1
                self._cut(bracket, data, lines, boundary)
            if name is not None:
                bracket.module = name
                bracket.modules += 1
                self.modules += 1
            last = -1
            next_run = bracket.begun.byte + self.least_bytes
        if last > bracket.begun.byte:
            bracket.split = self._mark(data, lines, last)
            bracket.split_head = data[bracket.split.byte - base :][:HEAD_BYTES]
        bracket.seen = max(bracket.seen, stop)

    def _cut(self, bracket: _Bracket, data: bytes, lines: Lines, boundary: int) -> None:
        mark = self._mark(data, lines, boundary)
        if mark.byte <= bracket.begun.byte:
            return
        self._flush(bracket, mark)
        bracket.begun = bracket.split = mark
        bracket.head = bracket.split_head = data[mark.byte - lines.base :][:HEAD_BYTES]

    def _mark(self, data: bytes, lines: Lines, boundary: int) -> Mark:
        """A boundary; where only blanks follow on its line, the start of the next line."""
        place = boundary - lines.base
        end = place
        while end < len(data) and end - place < 64 and data[end] in b" \t\r\n":
            end += 1
            if data[end - 1] == 10:
                place = end
        offset = lines.base + place
        if place >= len(data):
            return Mark(offset, *_after(lines, offset - 1))
        return lines.mark_at(offset)

    def _flush(self, bracket: _Bracket, end: Mark) -> None:
        """What has been begun ends at `end`: one node, or two where a large element follows small ones."""
        if bracket.inside and bracket.split.byte > bracket.begun.byte and not bracket.module:
            first = bracket.inside[0].start_byte
            if bracket.split.byte <= first:
                self._add(bracket, bracket.begun, bracket.split, bracket.head, [])
                bracket.begun, bracket.head = bracket.split, bracket.split_head
        if end.byte > bracket.begun.byte:
            self._add(bracket, bracket.begun, end, bracket.head, bracket.inside)
        bracket.inside, bracket.is_large, bracket.module, bracket.elements = [], False, b"", 0
        bracket.begun = bracket.split = end
        bracket.head = bracket.split_head = b""

    def _add(self, bracket: _Bracket, start: Mark, end: Mark, head: bytes, children: list[Node]) -> None:
        kind, title, name = describe(head, style_sheet=self._style_sheet)
        if bracket.module and start == bracket.begun:
            kind, title, name = "module", bracket.module, bracket.module
        elif bracket.elements > 1 and not children:
            kind = "rules" if self._style_sheet else "statements"
        decoded = title.decode(self._encoding, "replace")
        node = Node(kind, decoded, start.byte, start.line, end.byte, start_column=start.column, children=children)
        node.end_line, node.end_column = (end.line - 1, None) if end.column is None else (end.line, end.column)
        node.digest = f"{end.byte - start.byte:,} bytes"
        if bracket.elements > 1 and not children:
            node.digest += f", {bracket.elements:,} " + ("rules" if self._style_sheet else "statements or members")
        if kind == "module":
            said = describe(head[head.find(b"{") + 1 :], style_sheet=False)[1]
            node.digest += ": " + said.decode(self._encoding, "replace")
        node.facts = {"bytes": end.byte - start.byte}
        if name:
            node.facts["name"] = name.decode(self._encoding, "replace")
        node.weight = 0.5 if kind == "module" else 0.4 if kind in ("function", "class") else 0.3
        node.resume = {"minified": True, "style_sheet": self._style_sheet, "column": start.column or 0}
        bracket.nodes.append(node)

    def finish(self, end: Mark) -> int:
        """End everything; returns how many brackets were left open."""
        left = len(self._stack) - 1
        while len(self._stack) > 1:
            bracket = self._stack.pop()
            self._leave(bracket, end, end.byte)
        self._flush(self._stack[0], end)
        return left


def _after(lines: Lines, offset: int) -> tuple[int, int | None]:
    """The line and column after the byte at `offset`, the last of its block."""
    line, start = lines.line_and_start(offset)
    if lines.data[offset - lines.base] in b"\r\n":
        return line + 1, None
    return line, lines.column(offset + 1, start)
