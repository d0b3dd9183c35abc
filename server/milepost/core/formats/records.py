"""Records of fields: Debian's control files, LDIF, MAINTAINERS, vCards and calendars, BibTeX, Debian changelogs."""

from __future__ import annotations

from typing import Any

import numpy as np

from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.record_kinds import KINDS, kind_of
from milepost.core.structure.section_tree import SectionTree

#: In larger files records are listed in groups, and one by one when a group is expanded.
SIZE_CLASSES = (1 << 20,)
_GROUP = 64
_LF, _CR = 10, 13
_NO_FIELD = table_of(b" \t#\r\n")


class RecordScanner:
    """Outlines records one after the other, or in groups of neighbours."""

    def __init__(self, context: Context) -> None:
        resume = context.resume or {}
        self._tree = SectionTree(context, part_kind="text")
        self._tree.on_close = self._close
        name = str(resume.get("kind") or "")
        if not name:
            lines = tuple(context.head.splitlines()[:2000])
            name = kind_of(Sample(context.name, context.head, lines, whole=False))[0]
        self._kind = KINDS.get(name, KINDS["fields"])
        self._resume = {"kind": self._kind.name}
        self._tree.part_resume = self._resume
        self._is_grouped = context.total_bytes > SIZE_CLASSES[0]
        self._tree.cuts_parts = not self._is_grouped
        self._after_blank = True
        self._members = 0
        self._group: Node | None = None
        self._last_title = b""
        self._totals = {"records": 0, "fields": 0}

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        if not view.size:
            return  # inside a giant line, whose head has been seen
        starts = self._starts(view)
        fields = np.zeros(view.size + 1, np.int64)
        np.cumsum(~_NO_FIELD[view.heads], out=fields[1:])
        self._totals["fields"] += int(fields[-1])
        self._totals["records"] += len(starts)
        if self._is_grouped:
            self._feed_grouped(view, starts)
        else:
            position = 0
            for number, index in enumerate(starts):
                stop = starts[number + 1] if number + 1 < len(starts) else view.size
                self._tree.advance(view, position, index)
                position = index
                title, digest = self._kind.describe(view, index)
                node = Node("record", self._tree.decoded(title) or "record", view.offset(index), view.number(index))
                node.digest = self._tree.decoded(digest)
                node.facts = {"fields": int(fields[stop] - fields[index])}
                node.resume = self._resume
                self._tree.begin(0, node)
            self._tree.advance(view, position, view.size)

    def _starts(self, view: LineView) -> list[int]:
        """The lines at which records begin."""
        kind = self._kind
        if kind.begins is not None:
            candidates = np.flatnonzero(table_of(kind.heads)[view.heads]).tolist()
            return [index for index in candidates if kind.begins(view.text(index))]
        blank = (view.heads == _LF) | (view.heads == _CR)
        after = np.empty(view.size, np.bool_)
        after[0] = self._after_blank
        after[1:] = blank[:-1]
        self._after_blank = bool(blank[-1])
        found: list[int] = np.flatnonzero(after & ~blank).tolist()
        return found

    def _feed_grouped(self, view: LineView, starts: list[int]) -> None:
        taken = 0
        while taken < len(starts):
            if self._group is None or self._members >= _GROUP:
                index = starts[taken]
                title = self._tree.decoded(self._kind.describe(view, index)[0]) or "record"
                node = Node("group", title, view.offset(index), view.number(index), label=title, resume=self._resume)
                node.facts = {"of": "record"}
                self._tree.begin(0, node)
                self._group = node
                self._members = 0
            room = min(_GROUP - self._members, len(starts) - taken)
            self._members += room
            taken += room
            node = self._group
            node.count = node.hidden = self._members
            self._last_title = self._kind.describe(view, starts[taken - 1])[0]
            node.facts["last"] = self._tree.decoded(self._last_title)[:100]

    def _close(self, node: Node) -> None:
        """A group ends: it is called by its first and last member."""
        if node.kind == "group":
            if node.count > 1:
                node.title = f"{node.label} … {node.facts['last']}"
            else:
                node.kind, node.title, node.hidden = "record", node.label, 0
                node.facts = {}

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        facts: dict[str, Any] = {"kind": self._kind.name, **self._totals}
        return Findings(self._tree.finish(end), facts=facts)


def _sniff(sample: Sample) -> float:
    return kind_of(sample)[1]


FORMAT = Format("records", "records of fields", _sniff, RecordScanner, size_classes=SIZE_CLASSES)
