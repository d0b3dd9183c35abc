"""Statements as sections: each table's definition, each run of its rows, each routine; the small ones in groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from milepost.core.outline import Node, Section, walk
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.sqltext.statements import Head, column_names
from milepost.core.text import clip_text

_MAX_TABLES = 10_000
_MAX_LABELS = 6
_MAX_TEXT = 32 << 10
_FAN_OUT = 1000
_KINDS = {
    "table": "table", "data": "data", "mixed": "data", "view": "view", "function": "function", "procedure": "function",
    "trigger": "trigger", "event": "function", "package": "module", "type": "class",
}  # fmt: skip


class Boundary(NamedTuple):
    """Where a section may begin: behind the line in which a statement ended, or inside it (`column` is then not None)."""

    byte: int
    line: int
    column: int | None = None

    @property
    def last_line(self) -> int:
        """The last line of a section that ends here."""
        return self.line if self.column is not None else self.line - 1


@dataclass(slots=True)
class Group:
    """Neighbouring statements that are listed as one section."""

    group: str
    subject: str
    start: Boundary
    statements: int = 0
    rows: int = 0
    table: str = ""
    defines: bool = False
    is_copy: bool = False
    uncounted: bool = False
    labels: list[str] = field(default_factory=list)
    by_table: dict[str, int] = field(default_factory=dict)
    text: bytes = b""


class Sections:
    """Puts statements into groups, and groups into a budgeted builder."""

    def __init__(self, start: Boundary, max_nodes: int, encoding: str, level: int = 1) -> None:
        self._builder = OutlineBuilder(max_nodes, _FAN_OUT)
        self._encoding = encoding
        self._open: Group | None = None
        self._start = start
        self.tables: dict[str, dict[str, Any]] = {}
        self.statements = 0
        self.counts: dict[str, int] = {}

    def add(self, head: Head, boundary: Boundary | None, statements: int, rows: int, text: bytes) -> Group:
        """Take statements of one kind. `boundary` is where a section for them would begin; None where none may."""
        group = self._open
        self.statements += statements
        if group is None:
            group = self._begin(head, self._start)
        elif self._goes_on(group, head):
            pass
        elif group.group == "drops" and head.defines and group.labels == [head.subject.split("(")[0].strip()]:
            # A table is dropped right before it is made: both are its definition.
            group.group, group.subject = head.group, head.subject
            group.labels.clear()
        elif boundary is None:
            pass
        else:
            self._close(boundary)
            group = self._begin(head, boundary)
        group.statements += statements
        group.rows += rows
        group.is_copy |= head.is_copy
        group.table = group.table or head.table
        if head.defines and not group.defines:
            group.defines, group.text = True, text[:_MAX_TEXT]
        elif not group.text and head.group == "data" and (head.is_insert or head.is_copy):
            group.text = text[:400]
        if head.label and len(group.labels) < _MAX_LABELS and head.label not in group.labels:
            group.labels.append(head.label)
        if head.group == "data" and not (head.is_insert or head.is_copy) and text[:6].upper() in (b"INSERT", b"REPLAC"):
            group.uncounted = True
        if group.group == "mixed" and head.is_insert:
            group.by_table[head.subject] = group.by_table.get(head.subject, 0) + rows
        self._note(head, group, rows)
        return group

    def add_mixed(self, boundary: Boundary | None, statements: int, tables: dict[str, list[int]], text: bytes) -> None:
        """Take INSERT statements into several tables by turns; `tables` has the statements and rows of each."""
        self.statements += statements
        group = self._open
        if group is None or (group.group != "mixed" and boundary is not None):
            if group is not None and boundary is not None:
                self._close(boundary)
            group = self._begin(Head("mixed"), boundary or self._start)
            group.text = text
        group.statements += statements
        for name, (_, rows) in tables.items():
            group.rows += rows
            group.by_table[name] = group.by_table.get(name, 0) + rows
            self._note(Head("data", name, name, is_insert=True), group, rows)

    def add_rows(self, rows: int, first: bytes) -> None:
        """Rows of the COPY block that is open."""
        if self._open is not None:
            if not self._open.rows:
                self._open.text = (self._open.text.rstrip() + b"\n" + first)[:600]
            self._open.rows += rows
            entry = self.tables.get(self._open.subject)
            if entry is not None:
                entry["rows"] = entry.get("rows", 0) + rows

    def _goes_on(self, group: Group, head: Head) -> bool:
        if head.weak or (group.group == "mixed" and head.is_insert):
            return True
        if head.group == "function" and group.group in ("function", "procedure"):
            return group.subject.split("(")[0] == head.subject.split("(")[0] and not head.defines
        if (
            head.group == "table"
            and not head.defines
            and (head.subject in group.labels or (group.group == "table" and not group.defines))
        ):
            return True
        return (group.group, group.subject) == (head.group, head.subject) and not (
            head.defines and group.defines and head.group in _KINDS
        )

    def _begin(self, head: Head, start: Boundary) -> Group:
        self._open = Group(head.group, head.subject, start)
        return self._open

    def _note(self, head: Head, group: Group, rows: int) -> None:
        if not head.table or head.group not in ("table", "data"):
            return
        entry = self.tables.get(head.table)
        if entry is None:
            if len(self.tables) >= _MAX_TABLES:
                return
            entry = self.tables[head.table] = {}
        if head.group == "table" and head.defines:
            entry.setdefault("ddl_line", group.start.line)
        elif head.group == "data" and (head.is_insert or head.is_copy or rows):
            entry.setdefault("data_line", group.start.line)
            entry["rows"] = entry.get("rows", 0) + rows

    def _close(self, end: Boundary) -> None:
        group = self._open
        if group is None or end.byte <= group.start.byte:
            return
        self._builder.leaf(self._node(group, end))
        self._open = None
        self._start = end

    def _node(self, group: Group, end: Boundary) -> Node:
        start = group.start
        node = Node(_KINDS.get(group.group, "statements"), "", start.byte, start.line, end.byte, end.last_line)
        node.start_column, node.end_column = start.column, end.column
        node.facts = {"statements": group.statements}
        node.count = max(1, group.statements)
        self.counts[group.group] = self.counts.get(group.group, 0) + (1 if group.group in _KINDS else group.statements)
        if group.table:
            node.facts["table"] = group.table
        names = ", ".join(group.labels) + (", …" if group.labels and len(group.labels) >= _MAX_LABELS else "")
        if group.group in ("data", "mixed"):
            self._describe_data(node, group)
        elif group.group == "table":
            columns = column_names(group.text, self._encoding) if group.defines else []
            node.title = f"table {group.subject}"
            if not group.defines:
                several = len(group.labels) > 1
                node.title = "changes of tables" if several else f"changes of table {group.subject}"
                node.kind = "statements"
            node.facts["columns"] = columns[:200]
            node.digest = f"{len(columns)} columns: {', '.join(columns)}" if columns else names
            node.weight = 0.6
        elif group.group in _KINDS:
            node.title = f"{group.group} {group.subject or (group.labels or ['?'])[0]}"
            node.digest = clip_text(_one_line(group.text, self._encoding), 200)
            node.weight = 0.5
        else:
            many = f" ({group.statements:,})" if group.statements > 1 else ""
            node.title = f"{group.group}{many}"
            if group.group == "statements" and group.statements == 1 and group.labels:
                node.title = group.labels[0]
            node.digest = names
        node.label = node.title
        return node

    def _describe_data(self, node: Node, group: Group) -> None:
        what = "COPY" if group.is_copy else f"{group.statements:,} statement{'s' * (group.statements != 1)}"
        count = (
            f"{group.rows:,} row{'s' * (group.rows != 1)}" if group.rows or not group.uncounted else "rows of a query"
        )
        node.title = f"data {group.subject}: {count}"
        if group.by_table:
            node.title = f"data of {len(group.by_table):,} tables by turns: {count}"
            most = sorted(group.by_table.items(), key=lambda item: (-item[1], item[0]))[:20]
            node.facts["rows_by_table"] = dict(most)
            group.text = ", ".join(f"{name}: {rows:,}" for name, rows in most).encode()
        node.facts["rows"] = group.rows
        text = _one_line(group.text, self._encoding)
        node.digest = f"{what}; {text}" if text else what
        node.count = max(1, group.rows)
        if group.rows > 1:
            node.hidden = group.rows
            node.resume = {"rows": "copy" if group.is_copy else "insert", "first": 0}
            node.resume.update(column=node.start_column, end_column=node.end_column)

    def finish(self, end: Boundary, last_line: int) -> tuple[Section, ...]:
        """Close what is open; sections of the same table are told of each other."""
        if self._open is None and end.byte > self._start.byte:
            self._begin(Head("remarks"), self._start)
        if self._open is not None:
            self._close(Boundary(end.byte, last_line + 1))
        sections = self._builder.finish(end.byte, last_line)
        for section in walk(sections):
            entry = self.tables.get(str(section.facts.get("table", "")))
            if entry is not None and section.kind in ("table", "data") and isinstance(section.facts, dict):
                for key, value in entry.items():
                    section.facts["table_rows" if key == "rows" and section.kind == "data" else key] = value
        return sections


def _one_line(text: bytes, encoding: str) -> str:
    return " ".join(text.decode(encoding, "replace").split())
