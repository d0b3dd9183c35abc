"""Markup: the headings of Markdown, reStructuredText, AsciiDoc, LaTeX, Org, info, manual pages, RFCs; messages of
mailboxes; functions of disassemblies.

A dialect (`structure.markup_*`) finds where headings stand; here they become sections that nest by their levels.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView
from milepost.core.structure.markup_base import LOOK_BACK_LINES, Dialect, Heading
from milepost.core.structure.markup_lines import RULES, LineDialect
from milepost.core.structure.markup_markdown import Markdown
from milepost.core.structure.markup_records import Info, Mailbox
from milepost.core.structure.markup_rst import Rst
from milepost.core.structure.markup_sniff import dialect_of
from milepost.core.structure.section_tree import SectionTree

_DIGEST_LINES = 6
_COUNTED = {"node": "info_nodes", "table": "info_tables", "front_matter": "front_matter", "heading": "headings"}
#: Parts of a disassembly: what follows is no text.
_WITHOUT_TEXT = ("file", "section", "function")
_TEXT = re.compile(rb"[0-9A-Za-z\x80-\xff(\"'*_]+[^\W_]", re.ASCII)
_STOPS_DIGEST = re.compile(rb"[#`<~|]|={2}|\*+ ")


def dialect_named(name: str, state: dict[str, Any], *, at_start: bool) -> Dialect:
    """A reader of a dialect; an unknown one is Markdown."""
    if name in RULES:
        return LineDialect(RULES[name], state)
    others: dict[str, Callable[[dict[str, Any]], Dialect]] = {"rst": Rst, "info": Info, "mbox": Mailbox}
    return others[name](state) if name in others else Markdown(state, at_start=at_start)


class MarkupScanner:
    """Outlines a text by its headings, in the dialect that its head shows."""

    def __init__(self, context: Context) -> None:
        self._tree = SectionTree(context)
        self._tree.read_label = self._title
        state = context.resume or {}
        name = str(state.get("dialect") or "")
        if not name:
            lines = tuple(context.head.splitlines()[:2000])
            name = dialect_of(Sample(context.name, context.head, lines, whole=False))[0] or "markdown"
        self._dialect = dialect_named(name, state, at_start=context.resume is None)
        self._tree.part_resume = self._dialect.resume()
        self._rest: tuple[LineView, int] | None = None
        self._counts = {"headings": 0}

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        if not view.size:
            return  # inside a giant line, whose head has been seen
        position = 0
        tree = self._tree
        for heading in self._dialect.read(view):
            if self._rest is not None:
                # A heading may begin among the last lines of the view before.
                self._advance_rest(min(heading.index, 0))
            index = min(max(heading.index, position), view.size)
            if heading.level and tree.counts(heading.level, heading):
                self._count(heading)
                position = index
                continue
            tree.advance(view, position, index)
            position = index
            tree.part_resume = self._dialect.resume()
            if heading.level:
                self._begin(view, heading)
        self._advance_rest(0)
        low = max(position, view.size - LOOK_BACK_LINES)
        tree.advance(view, position, low)
        self._rest = (view, low)

    def _advance_rest(self, back: int) -> None:
        """Take note of the last lines of the view before, up to `back` (negative) before its end."""
        if self._rest is not None:
            view, low = self._rest
            self._tree.advance(view, low, max(low, view.size + back))
            self._rest = None

    def _begin(self, view: LineView, heading: Heading) -> None:
        byte = heading.byte if heading.byte >= 0 else view.offset(heading.index)
        line = heading.line if heading.line >= 0 else view.number(heading.index)
        self._count(heading)
        if self._tree.hides(heading.level, byte, line):
            return
        if self._tree.gathers(heading.level, heading.kind, byte, line, heading, self._tree.part_resume):
            return
        decoded = self._tree.decoded
        node = Node(heading.kind, self._title(heading), byte, line, weight=_weight(heading))
        if heading.kind not in _WITHOUT_TEXT:
            node.digest = decoded(heading.digest or self._first_text(view, heading)).strip()
        node.facts = {"level": heading.level, **heading.facts}
        node.resume = self._tree.part_resume
        self._tree.begin(heading.level, node)

    def _count(self, heading: Heading) -> None:
        name = _COUNTED.get(heading.kind) or f"{heading.kind}s"
        self._counts[name] = self._counts.get(name, 0) + 1

    def _title(self, heading: Heading) -> str:
        title = self._tree.decoded(heading.title or self._dialect.title(heading.raw)).strip()
        return title or "heading"

    def _first_text(self, view: LineView, heading: Heading) -> bytes:
        """The line after a heading that reads as text."""
        # The head of an info node is a separator and a line of links.
        first = max(heading.index + (2 if heading.kind == "node" else 1), 0)
        for index in range(first, min(view.size, first + _DIGEST_LINES)):
            text = view.text(index, 300).strip()
            if _STOPS_DIGEST.match(text):
                return b""
            if _TEXT.match(text) and not text.endswith(heading.title or self._dialect.title(heading.raw)):
                return text
        return b""

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        self._advance_rest(0)
        sections = self._tree.finish(end)
        return Findings(sections, facts={"dialect": self._dialect.name, **self._counts})


def _weight(heading: Heading) -> float:
    """High headings are shown first."""
    if heading.kind in ("front_matter", "table"):
        return 0.2
    return max(0.3, 0.62 - 0.06 * heading.level)


def _sniff(sample: Sample) -> float:
    return dialect_of(sample)[1]


FORMAT = Format("markup", "markup", _sniff, MarkupScanner)
