"""Turns the tree of a scanned JSON document into the nodes of an outline: ranges, titles, digests, facts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from milepost.core.outline import Node
from milepost.core.structure.json_groups import grouped, plural
from milepost.core.structure.json_kinds import Kind, recognise
from milepost.core.structure.json_place import Mark
from milepost.core.structure.json_tree import DOCUMENT, Container, Entry, Member
from milepost.core.structure.json_values import (
    Nested,
    NumberText,
    Value,
    label_of,
    read_member,
    shape_of,
    size_text,
    string_of,
    type_of,
)
from milepost.core.text import clip_text, plain_text

#: More siblings than this are put into groups, so that a tree can be read level by level.
_SIBLINGS = 256
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_OPEN_BRACE = 0x7B
_PATH_KEY_CHARACTERS = 120

Path = tuple[str | int, ...]


def path_text(path: Path) -> str:
    """A path as jq takes it: `.features[3].properties["an odd key"]`. Of a key as long as a page only the start is given."""
    text = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" if _IDENTIFIER.match(step) else f"[{_quoted(step)}]"
        for step in path
    )
    return text if text.startswith(".") else "." + text


def _quoted(key: str) -> str:
    """A key as JSON, without anything that would act on a terminal."""
    if len(key) > _PATH_KEY_CHARACTERS:
        key = key[:_PATH_KEY_CHARACTERS] + "…"
    text = json.dumps(key, ensure_ascii=False)
    return text if plain_text(text) == text and "\\u" not in text else json.dumps(plain_text(key), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the outlined range begins and ends, with the line of its last byte and the column after it."""

    start: Mark
    end: Mark
    last_line: int
    last_column: int | None


class JsonOutline:
    """Builds nodes. `kind` is what the document is for its readers, and has a say in the titles."""

    def __init__(self, kind: Kind, extent: Extent) -> None:
        self.kind = kind
        self.extent = extent
        self._values: dict[int, Value] = {}

    def recognise(self, root: Container) -> None:
        """Find out what kind of document it is whose root is `root`."""
        counts = {"": root.members}
        if root.kind != _OPEN_BRACE:
            self.kind = recognise({}, counts, self.value(root.entries[0], False).fields)
            return
        for entry in root.entries:
            if entry.count == 1:
                value = self.value(entry, True)
                counts[value.key or ""] = value.members or 0
        self.kind = recognise(self.fields(root), counts, {})

    def members(self, container: Container, path: Path, level: int, origin: int, whole: bool) -> list[Node]:
        """The members of `container`, the first of which has index `origin`.

        `whole` says that the container is all there is: its first member then begins where the range does, and the last
        one ends where it ends.
        """
        nodes: list[Node] = []
        entries = container.entries
        for position, entry in enumerate(entries):
            start = entry.mark
            end = entries[position + 1].mark if position + 1 < len(entries) else container.end or self.extent.end
            if whole and position == 0:
                start = self.extent.start
            if whole and position + 1 == len(entries):
                end = self.extent.end
            nodes.append(self._node(container, entry, path, level, origin, start, end))
        if len(nodes) > _SIBLINGS:
            nodes = grouped(nodes, level)
        return nodes

    def _node(
        self, container: Container, entry: Entry, path: Path, level: int, origin: int, start: Mark, end: Mark
    ) -> Node:
        keyed = container.kind == _OPEN_BRACE
        index = origin + entry.index
        node = Node("", "", start.byte, start.line, level=level, start_column=start.column)
        node.end_byte = end.byte
        node.end_line, node.end_column = self._last_line(end)
        node.resume = {
            "within": chr(container.kind),
            "index": index,
            "path": list(path),
            "level": level,
            "column": start.column or 0,
            "end_column": node.end_column,
            "kind": type(self.kind).__name__,
        }
        if not path and index == 0:
            # Its range begins with the file, before the bracket that opens the document.
            node.resume["within"] = ""
        if entry.count > 1:
            self._fill_run(node, container, entry, path, index)
            return node
        value = self.value(entry, keyed)
        step: str | int = value.key if value.key is not None else index
        is_document = container.kind == DOCUMENT
        inner = () if is_document else (*path, step)
        node.kind = value.type
        node.facts = {"path": path_text(inner), "type": value.type, "bytes": value.size}
        if value.members is not None:
            node.facts["members"] = value.members
        node.digest = self.digest(entry, value)
        node.label = value.key if value.key is not None else value.label or f"[{index}]"
        node.title = value.key if value.key is not None else value.type if is_document else f"[{index}]"
        if value.label and value.label != value.key:
            node.title += f": {value.label}" if keyed else f" {value.label}"
            node.facts["label"] = value.label
        if entry.child is not None:
            node.children = self.members(entry.child, inner, level + 1, 0, whole=False)
            node.resume = None
        elif value.type not in ("object", "array") or value.members == 0:
            node.resume = None
        elif value.members:
            node.hidden = value.members
        self.kind.name(node, value, path, index)
        return node

    def _fill_run(self, node: Node, container: Container, entry: Entry, path: Path, index: int) -> None:
        keyed = container.kind == _OPEN_BRACE
        first, last = self._read(entry.first, keyed), self._read(entry.last, keyed)
        final = index + entry.count - 1
        of = first.type if first.type == last.type else "mixed"
        node.kind = "group"
        node.count = entry.count
        node.hidden = entry.count
        if first.key is not None and last.key is not None:
            node.title = f"{clip_text(first.key, 50)} … {clip_text(last.key, 50)}"
            node.label, last_label = clip_text(first.key, 60), clip_text(last.key, 60)
            if first.label and last.label:
                node.title += f": {clip_text(first.label, 36)} … {clip_text(last.label, 36)}"
        else:
            node.title = f"[{index} … {final}]"
            if first.label or last.label:
                node.title += f" {clip_text(first.label, 36)} … {clip_text(last.label, 36)}"
            node.label, last_label = first.label or f"[{index}]", last.label or f"[{final}]"
        node.facts = {"path": path_text(path), "of": of, "first": index, "last_index": final, "last": last_label}
        size = entry.last.start + entry.last.size - entry.first.start
        node.facts["bytes"] = size
        node.digest = f"{entry.count:,} {plural(of)}, {size_text(size)}"
        shape = shape_of([first, last])
        if shape:
            node.facts["shape"] = shape
            node.facts["shape_from"] = "first and last"
            node.digest += f" {{{', '.join(shape)}}}"
        elif of not in ("object", "array", "mixed"):
            node.digest += f": {clip_text(first.text, 60)} … {clip_text(last.text, 60)}"
        self.kind.name_run(node, first, last, path)

    def _last_line(self, end: Mark) -> tuple[int, int | None]:
        if end.byte == self.extent.end.byte:
            return self.extent.last_line, self.extent.last_column
        return (end.line - 1, None) if end.column is None else (end.line, end.column)

    # --- values -----------------------------------------------------------------------------------------------------

    def value(self, entry: Entry, keyed: bool) -> Value:
        """What an entry of one member is; for a listed container, told from its own entries."""
        known = self._values.get(id(entry))
        if known is not None:
            return known
        value = self._read(entry.first, keyed)
        child = entry.child
        if child is not None:
            value.members = child.members
            value.whole = child.step == 1
            if child.kind == _OPEN_BRACE:
                fields = self.fields(child)
                value.fields = {**value.fields, **fields} if child.step > 1 else fields
                value.label = label_of(value.fields) if child.step == 1 else ""
        self._values[id(entry)] = value
        return value

    def fields(self, container: Container) -> dict[str, Any]:
        """The members of a listed object that are entered one by one, in so far as their content is known."""
        fields: dict[str, Any] = {}
        for entry in container.entries:
            if entry.count > 1:
                continue
            inner = self.value(entry, True)
            if inner.key is None:
                continue
            if inner.type == "object":
                fields[inner.key] = inner.fields or Nested("object")
            elif inner.type == "array":
                fields[inner.key] = self._items(entry, inner) or Nested("array")
            else:
                fields[inner.key] = _plain(inner)
        return fields

    def _items(self, entry: Entry, value: Value) -> list[Any]:
        """The elements of an array that are scalars, where it is short enough to list them."""
        if entry.child is None or entry.child.step > 1:
            return value.items
        first = [self.value(one, False) for one in entry.child.entries if one.count == 1]
        return [_plain(one) for one in first if one.type not in ("object", "array")]

    def _read(self, member: Member, keyed: bool) -> Value:
        return read_member(member, keyed)

    def digest(self, entry: Entry, value: Value) -> str:
        """One line on a member."""
        if value.type == "object":
            if value.members is None:
                return f"object, {size_text(value.size)}, with {', '.join(list(value.fields)[:12])}, …"
            keys = list(value.fields)
            shown = ", ".join(clip_text(key, 40) for key in keys[:12])
            more = ", …" if value.members > 12 or len(keys) > 12 else ""
            plural = "key" if value.members == 1 else "keys"
            return f"object, {size_text(value.size)}, {value.members:,} {plural}" + (
                f": {shown}{more}" if shown else ""
            )
        if value.type == "array":
            return self._array_digest(entry, value)
        return value.text

    def _array_digest(self, entry: Entry, value: Value) -> str:
        if value.members is None:
            what = f" of {plural(value.elements[0])}" if value.elements else ""
            return f"array{what}, {size_text(value.size)}"
        if entry.child is None:
            what = "|".join(value.elements) or "mixed"
            return value.text or f"array of {value.members} {plural(what) if value.members != 1 else what}"
        samples = [self._read(member, False) for one in entry.child.entries[:16] for member in (one.first, one.last)]
        types = sorted({sample.type for sample in samples})
        what = types[0] if len(types) == 1 else "mixed"
        shape = shape_of(samples)
        text = f"array of {value.members:,} {plural(what) if value.members != 1 else what}, {size_text(value.size)}"
        return text + (f" {{{', '.join(shape)}}}" if shape else "")


def _plain(value: Value) -> Any:
    if value.type == "string" and value.text.startswith('"'):
        return string_of(value.text.strip('"').encode())
    if value.type == "number":
        return NumberText(value.text)
    return Nested(value.type)


__all__ = ["Extent", "JsonOutline", "path_text", "type_of"]
