"""YAML: documents, and in them keys and items by their indentation.

A marker between documents stands in column 0, where no block scalar can reach, so documents are found without looking
into anything. Keys are told from text by what they are nested in: a key with a value of its own holds none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from milepost.core.formats.base import Format
from milepost.core.outline import Node
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.section_tree import SectionTree
from milepost.core.structure.yaml_lines import NAMING_KEYS, Said, is_block_scalar, is_marker, read_line, unquoted
from milepost.core.structure.yaml_sniff import sniff_yaml

#: How many levels of keys are listed depends on the size of the file: one less past each of these.
SIZE_CLASSES = (256 << 10, 1 << 20, 4 << 20)
_MOST_LEVELS = 5
_MOST_INDENT_PER_LEVEL = 4
_LOOK_AHEAD = 12
#: So many lines are read to name a document that is only counted.
_LABEL_LINES = 200
_MARKS = table_of(b"-.")
_FILLED = table_of(bytes(byte for byte in range(256) if byte not in b" #\t\r\n"))
_BOM = b"\xef\xbb\xbf"


_KNOWN = {
    b"kind",
    b"title",
    b"name",
    b"id",
    b"metadata.name",
    b"metadata.namespace",
    b"metadata.generateName",
    b"info.title",
}


@dataclass(slots=True)
class _Open:
    """A key or item that may hold others. The document is the lowest, with indentation -1."""

    indent: int
    level: int
    holds_more: bool
    is_item: bool
    name: bytes = b""
    child_indent: int = -1


@dataclass(slots=True)
class _Document:
    """What names a document."""

    node: Node | None = None
    number: int = 0
    keys: list[bytes] = field(default_factory=list)
    known: dict[bytes, bytes] = field(default_factory=dict)

    def note(self, parent: bytes, said: Said, level: int) -> None:
        """Remember what names the document: a key of its first or, in `parent`, its second level."""
        path = said.name if level == 1 else parent + b"." + said.name
        if level == 1 and not said.is_item and len(self.keys) < 8:
            self.keys.append(said.name[:40])
        if path in _KNOWN and said.value and path not in self.known:
            self.known[path] = unquoted(said.value)[:100]

    def title(self) -> bytes:
        """Kind, namespace and name of a Kubernetes object; a title that it has; else its first keys."""
        kind, name = self.known.get(b"kind"), self.known.get(b"metadata.name")
        if kind:
            space = self.known.get(b"metadata.namespace")
            name = name or self.known.get(b"metadata.generateName", b"")
            return kind + (b" " + (space + b"/" if space else b"") + name if name else b"")
        for key in (b"info.title", b"title", b"name", b"id"):
            if self.known.get(key):
                return self.known[key]
        return b", ".join(self.keys[:6]) if self.keys else b"document %d" % self.number


class _Place(NamedTuple):
    """Where a document begins: a line of a view, and how many come before it."""

    view: LineView
    line: int
    number: int


class YamlScanner:
    """Outlines a stream of documents, or a range inside one (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        resume = context.resume or {}
        self._tree = SectionTree(context, part_kind="lines")
        self._tree.on_close = self._close
        self._tree.read_label = self._label
        self._decoded = self._tree.decoded
        self._base_level = int(resume.get("level", 0))
        passed = sum(context.total_bytes > size for size in SIZE_CLASSES)
        self._deepest = max(self._base_level, 1) + _MOST_LEVELS - 1 - passed
        self._is_range = self._base_level > 0
        self._stack = [_Open(-1, max(self._base_level - 1, 0), True, False)]
        self._tree.part_resume = self._resume(self._base_level)
        self._document = _Document()
        self._in_document = self._is_range
        self._prefix: tuple[int, int] | None = None
        self._counts = {"documents": 0}

    def _resume(self, level: int) -> dict[str, Any]:
        return {"level": level}

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        if not view.size:
            return  # inside a giant line, whose head has been seen
        low = 0
        while low < view.size:
            low = self._count_documents(view, low) if self._only_counts else self._read(view, low)

    @property
    def _only_counts(self) -> bool:
        """Whether the document that is open is one of too many: nothing inside it is looked at."""
        return self._in_document and self._tree.is_gathering(0)

    def _count_documents(self, view: LineView, low: int) -> int:
        """Look only for markers from line `low` on. Returns the line after the one that ends this, if any does."""
        heads, array, last = view.heads, view.block.array, len(view.data) - 1
        found = np.flatnonzero(_MARKS[heads[low:]]) + low
        starts = view.starts[found]
        is_three = (array[np.minimum(starts + 1, last)] == heads[found]) & (
            array[np.minimum(starts + 2, last)] == heads[found]
        )
        position = low
        marks: list[int] = found[is_three].tolist()
        for index in marks:
            text = view.text(index)
            if is_marker(text):
                self._tree.advance(view, position, index)
                position = index
                self._marker(view, index, text)
                if not self._only_counts:
                    return index + 1
        self._tree.advance(view, position, view.size)
        return view.size

    def _read(self, view: LineView, low: int) -> int:
        """Look at the lines from `low` on. Returns the line after the one that begins a document that is only counted."""
        levels = min(self._deepest, self._tree.builder.crowded_depth + self._base_level) - max(self._base_level, 1)
        if not self._is_range and self._tree.builder.is_crowded(1):
            levels = 0
        base = 0 if not self._is_range else 64
        limit = max(levels, 0) * _MOST_INDENT_PER_LEVEL + base
        near, indents = view.shallow(limit)
        if low:
            first = int(np.searchsorted(near, low))
            near, indents = near[first:], indents[first:]
        filled = _FILLED[view.block.array[np.minimum(view.starts[near] + indents, len(view.data) - 1)]]
        near, indents = near[filled], indents[filled]
        position = low
        lines: list[tuple[int, int]] = list(zip(near.tolist(), indents.tolist(), strict=True))
        for index, indent in lines:
            top = self._stack[-1]
            if indent > max(top.indent, 0) and (not top.holds_more or top.level >= self._deepest) and self._in_document:
                continue  # inside what is not listed any deeper
            text = view.text(index)
            if index == 0 and view.block.start == 0:
                text = text.removeprefix(_BOM)
            stripped = text[indent:]
            if not indent and not self._is_range:
                if is_marker(text):
                    self._tree.advance(view, position, index)
                    position = index
                    self._marker(view, index, text)
                    if self._only_counts:
                        return index + 1
                    continue
                if text[:1] == b"%" and not self._in_document:
                    self._prefix = self._prefix or (view.offset(index), view.number(index))
                    continue
            if not self._in_document and not self._is_range:
                self._tree.advance(view, position, index)
                position = index
                self._begin_document(view, index)
                if self._only_counts:
                    return index + 1
            if self._takes(indent, stripped):
                said = read_line(stripped)
                if said is not None:
                    self._tree.advance(view, position, index)
                    position = index
                    self._entry(view, index, indent, said)
        self._tree.advance(view, position, view.size)
        return view.size

    # --- documents --------------------------------------------------------------------------------------------------

    def _marker(self, view: LineView, index: int, text: bytes) -> None:
        if text.startswith(b"..."):
            self._in_document = False
            self._stack = self._stack[:1]
            return
        self._in_document = False
        self._begin_document(view, index)
        rest = text[3:].strip()
        if rest and not rest.startswith(b"#"):
            # `--- |` or `--- text`: the document is a scalar, or begins on this line.
            self._stack[0].holds_more = not is_block_scalar(rest) and not unquoted(rest)

    def _begin_document(self, view: LineView, index: int) -> None:
        byte, line = self._prefix or (view.offset(index), view.number(index))
        self._prefix = None
        self._in_document = True
        self._counts["documents"] += 1
        place = _Place(view, index, self._counts["documents"])
        if self._tree.gathers(0, "document", byte, line, place, self._resume(0)):
            return
        node = Node("document", "document", byte, line, weight=0.5, resume=self._resume(0))
        self._tree.part_resume = self._resume(1)
        self._tree.begin(0, node)
        self._stack = [_Open(-1, 0, True, False)]
        self._document = _Document(node, self._counts["documents"])

    def _label(self, place: _Place) -> str:
        """The title of a document that is only counted, from its first lines as far as they lie in the same block."""
        document = _Document(None, place.number)
        view, key, indent = place.view, b"", -1
        for index in range(place.line, min(view.size, place.line + _LABEL_LINES)):
            text = view.text(index)
            if index > place.line and is_marker(text):
                break
            stripped = text.lstrip(b" ")
            depth = len(text) - len(stripped)
            said = read_line(stripped) if stripped[:1] not in (b"", b"#") else None
            if said is None or said.is_item:
                continue
            if not depth:
                key, indent = said.name, -1
                document.note(b"", said, 1)
            elif key and indent in (-1, depth):
                indent = depth
                document.note(key, said, 2)
        return self._decoded(document.title())

    # --- keys and items ---------------------------------------------------------------------------------------------

    def _takes(self, indent: int, stripped: bytes) -> bool:
        """Whether a line at this indentation can be a child of something open; ends what it cannot be inside of."""
        stack = self._stack
        is_item = stripped[:2] in (b"- ", b"-") or stripped[:2] == b"-\t"
        while len(stack) > 1:
            top = stack[-1]
            if indent > top.indent or (indent == top.indent and is_item and not top.is_item and top.holds_more):
                break
            stack.pop()
        top = stack[-1]
        if not top.holds_more or top.level >= self._deepest:
            return False
        if top.child_indent < 0:
            top.child_indent = indent
        return indent == top.child_indent or (top.is_item and indent > top.indent)

    def _entry(self, view: LineView, index: int, indent: int, said: Said) -> None:
        parent = self._stack[-1]
        parent.child_indent = indent
        level = parent.level + 1
        if level <= 2 and not self._is_range:
            self._document.note(parent.name, said, level)
            if level == 1 and said.name == b"metadata" and self._tree.builder.is_crowded(2):
                self._note_metadata(view, index)
        holds_more = said.holds_more and not is_block_scalar(said.value)
        self._stack.append(_Open(indent, level, holds_more, said.is_item, said.name))
        byte, line = view.offset(index), view.number(index)
        if self._tree.hides(level, byte, line):
            return
        if said.is_item:
            title = self._item_title(view, index, indent, said)
            node = Node("item", self._decoded(title) or "-", byte, line)
        else:
            node = Node("key", self._decoded(said.name) or '""', byte, line)
            if is_block_scalar(said.value):
                node.digest = "text"
            elif not said.holds_more:
                node.digest = self._decoded(unquoted(said.value)[:400])
        node.weight = max(0.25, 0.5 - 0.05 * level)
        node.resume = self._resume(level)
        self._tree.part_resume = self._resume(level + 1)
        self._tree.begin(level, node)

    def _note_metadata(self, view: LineView, index: int) -> None:
        """Look for the name of an object ahead, where keys of the second level are not looked at any more."""
        indent = -1
        for ahead in range(index + 1, min(view.size, index + 4 * _LOOK_AHEAD)):
            text = view.text(ahead)
            stripped = text.lstrip(b" ")
            if not stripped or stripped[:1] == b"#":
                continue
            depth = len(text) - len(stripped)
            indent = depth if indent < 0 else indent
            if not depth:
                return
            said = read_line(stripped) if depth == indent else None
            if said is not None and not said.is_item:
                self._document.note(b"metadata", said, 2)

    def _item_title(self, view: LineView, index: int, indent: int, said: Said) -> bytes:
        """What an item is called: the value of a key that names it, else its first line."""
        found: dict[bytes, bytes] = {}
        for ahead in range(index, min(view.size, index + _LOOK_AHEAD)):
            text = view.text(ahead)
            if ahead > index:
                body = text.lstrip(b" ")
                if len(text) - len(body) <= indent and body:
                    break
                if len(text) - len(body) != indent + 2:
                    continue
            else:
                body = said.value
            inner = read_line(body)
            if inner is not None and inner.name in NAMING_KEYS and inner.value:
                found.setdefault(inner.name, unquoted(inner.value))
        for key in NAMING_KEYS:
            if found.get(key):
                return found[key] if key in NAMING_KEYS[:3] else key + b": " + found[key]
        return said.value[:200]

    # --- the end ----------------------------------------------------------------------------------------------------

    def _close(self, node: Node) -> None:
        """A section ends: say what it holds."""
        if node is self._document.node:
            node.title = self._decoded(self._document.title())
            node.label = node.title
            if self._document.known.get(b"kind"):
                node.facts = {
                    key.decode().split(".")[-1]: self._decoded(value) for key, value in self._document.known.items()
                }
        if not node.children and not node.hidden:
            return
        kinds = [child for child in node.children if child.kind != "lines"]
        if kinds or node.hidden:
            count = sum(child.count if child.kind == "group" else 1 for child in kinds) + node.hidden
            of_items = bool(kinds) and (kinds[0].kind == "item" or kinds[0].facts.get("of") == "item")
            name = "item" if of_items else "key"
            node.count = max(1, count)
            node.digest = f"{count:,} {name}{'s' if count != 1 else ''}"

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        sections = self._tree.finish(end)
        return Findings(sections, facts={} if self._is_range else dict(self._counts))


FORMAT = Format("yaml", "YAML", sniff_yaml, YamlScanner, size_classes=SIZE_CLASSES)
