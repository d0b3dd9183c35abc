"""Sections that begin at certain lines and nest by level: headings, files and hunks, stanzas, tables.

A section lasts until the next one of its level or a higher one begins. Long stretches in which nothing begins are cut
into parts, so that no leaf grows without bound; at the top level what comes before the first section is a part too, so
that the sections cover the file.
"""

from __future__ import annotations

import copy
import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from weakref import WeakMethod

from milepost.core.outline import TITLE_MAX_BYTES, Node, Section
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Context, End
from milepost.core.structure.line_view import LineView
from milepost.core.text import clip_text

#: A stretch of more lines without a section is listed in parts of so many.
PART_LINES = 500
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_PART_WEIGHT = 0.15
#: A part ends after an empty line if one comes within so many more.
_MORE_LINES = 60
#: The first line of a part that is not blank is its title; it is looked for among so many.
_TITLE_LINES = 8


@dataclass(slots=True)
class _Group:
    """Siblings that are only counted: the section that stands for them, how many it takes, what its ends are called."""

    node: Node
    level: int
    size: int
    kind: str
    first: Any
    last: Any


class SectionTree:
    """Builds sections from the lines at which they begin, fed in order.

    `on_close`, if given, is called with each node before it is added, to fill in what is known only at its end. Whatever
    `part_resume` is when a part begins becomes that part's `resume`.
    """

    def __init__(self, context: Context, *, part_kind: str = "paragraphs") -> None:
        self.builder = OutlineBuilder(context.max_nodes)
        self.encoding = context.encoding
        self.part_resume: dict[str, Any] | None = {}
        self.cuts_parts = True
        self._part_kind = part_kind
        self._levels: list[int] = []
        #: The level of the section that is only counted and lasts still, if there is one.
        self._hidden_level: int | None = None
        self._part = (context.start_byte, context.start_line)
        self._title_place: tuple[LineView, int, int] | None = None
        self._is_head = False
        self._resume_of_part: dict[str, Any] | None = None
        self._has_parts = False
        self._on_close: WeakMethod[Callable[[Node], None]] | None = None
        self._read_label: WeakMethod[Callable[[Any], str]] | None = None
        self._group: _Group | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> SectionTree:
        twin = copy.copy(self)
        memo[id(self)] = twin
        twin.builder = copy.deepcopy(self.builder, memo)
        twin._levels = list(self._levels)
        # Methods of the scanner, whose copy this is a part of.
        twin._on_close = _copied_method(self._on_close, memo)
        twin._read_label = _copied_method(self._read_label, memo)
        twin._group = copy.deepcopy(self._group, memo)
        return twin

    # The scanner that owns a tree gives it methods of its own. They are held weakly: scanner and tree would else hold each
    # other, and all that they have read, until the next full collection.

    @property
    def on_close(self) -> Callable[[Node], None] | None:
        """What is called with each node before it is added. A bound method."""
        return self._on_close() if self._on_close is not None else None

    @on_close.setter
    def on_close(self, method: Callable[[Node], None]) -> None:
        self._on_close = WeakMethod(method)

    @property
    def read_label(self) -> Callable[[Any], str]:
        """What the label of a gathered section, given to `gathers`, reads as. A bound method."""
        method = self._read_label() if self._read_label is not None else None
        return method if method is not None else self.decoded

    @read_label.setter
    def read_label(self, method: Callable[[Any], str]) -> None:
        self._read_label = WeakMethod(method)

    @property
    def level(self) -> int:
        """The level of the innermost open section; -1 when none is open."""
        return self._levels[-1] if self._levels else -1

    def decoded(self, text: bytes) -> str:
        """Bytes of the file as text that can be shown."""
        return text.decode(self.encoding, "replace")

    def begin(self, level: int, node: Node) -> Node:
        """Begin a section where `node` starts; sections of this and deeper levels end there."""
        self._hidden_level = None
        self._end_part(node.start_byte, node.start_line - 1)
        self._close(level, node.start_byte, node.start_line - 1)
        self.builder.open(node)
        self._levels.append(level)
        self._start_part(node.start_byte, node.start_line, is_head=True)
        return node

    def gathers(self, level: int, kind: str, byte: int, line: int, label: Any, resume: dict[str, Any] | None) -> bool:
        """Whether a section that would begin here is only counted, as a member of a group: it has too many siblings.

        If so, sections of this and deeper levels end here, as by `begin`; what lies in a member is neither listed nor
        counted. `label` names it if it is the first or last of its group, once that is complete.
        """
        if self.counts(level, label):
            return True
        size = self.builder.group_size(bisect_left(self._levels, level))
        if size < 2:
            return False
        node = Node("group", "", byte, line, hidden=1, resume=resume)
        self.begin(level, node)
        self._group = _Group(node, level, size, kind, label, label)
        return True

    def counts(self, level: int, label: Any) -> bool:
        """Whether a section that would begin here is only counted by a group that is open: `gathers`, without opening one."""
        group = self._group
        if group is None or level < group.level:
            return False
        if level == group.level:
            if group.node.count >= group.size:
                return False
            group.node.count += 1
            group.node.hidden += 1
            group.last = label
        return True

    def is_gathering(self, level: int) -> bool:
        """Whether what is at this level or deeper is only counted now."""
        return self._group is not None and level >= self._group.level

    def hides(self, level: int, byte: int, line: int) -> bool:
        """Whether a section that would begin here is only counted: the outline has no room at its depth.

        If so, sections of this and deeper levels end here, as by `begin`. Notable sections are not to be asked about.
        """
        depth = bisect_left(self._levels, level)
        if not depth or not self.builder.is_crowded(depth):
            self._hidden_level = None
            return False
        if depth < len(self._levels):
            self.end(level, byte, line)
        if self._hidden_level is None or level <= self._hidden_level:
            self._hidden_level = level
            self.builder.current.hidden += 1
        return True

    def end(self, level: int, byte: int, line: int) -> None:
        """End the sections of this and deeper levels before the 1-based `line`, without beginning one."""
        self._end_part(byte, line - 1)
        self._close(level, byte, line - 1)
        self._start_part(byte, line)

    def settle(self, byte: int, line: int) -> None:
        """End the part that is open, if it is one, before the 1-based `line`: what follows is listed by the caller."""
        if self._has_parts:
            self._end_part(byte, line - 1)
            self._start_part(byte, line)

    def leaf(self, node: Node) -> None:
        """Add a complete child to the innermost section. What has come before it in that section stays its own."""
        if self._has_parts or not self._levels:
            self._end_part(node.start_byte, node.start_line - 1)
        self.builder.leaf(node)
        self._start_part(node.end_byte, node.end_line + 1)

    def advance(self, view: LineView, low: int, high: int) -> None:
        """Take note of the lines `low` to `high` of a view, in which nothing begins."""
        # Few stretches become parts, so a title is only looked for when one does.
        if self._title_place is None and low + self._is_head < high:
            self._title_place = (view, low, high)
        if not self.cuts_parts or self._group is not None:
            return
        while low < high:
            index = low + max(0, self._part[1] + PART_LINES - view.number(low))
            if index >= high or (self._levels and self.builder.is_crowded(len(self._levels))):
                return
            after_blank = view.after_blank(index, min(high, index + _MORE_LINES))
            index = after_blank if after_blank is not None else index
            offset, line = view.offset(index), view.number(index)
            self._has_parts = True
            self._end_part(offset, line - 1)
            self._start_part(offset, line)
            self._has_parts = True
            self._title_place = (view, index, high)
            low = index + 1

    def _title(self) -> bytes:
        """The first line of the part that reads as text."""
        found = b""
        if self._title_place is not None:
            view, low, high = self._title_place
            for index in range(low + self._is_head, min(high, low + _TITLE_LINES)):
                text = view.text(index, 400).strip()
                found = text or found
                if _WORD.search(text):
                    break
        return found

    def finish(self, end: End) -> tuple[Section, ...]:
        """End everything, and freeze it."""
        last = max(end.line, 1)
        if end.byte > self._part[0]:
            self._end_part(end.byte, last)
        self._close(-1, end.byte, last)
        return self.builder.finish(end.byte, last)

    def _close(self, level: int, byte: int, line: int) -> None:
        while self._levels and self._levels[-1] >= level:
            if self._group is not None and self.builder.current is self._group.node:
                self._name_group(self._group)
                self._group = None
            elif (on_close := self.on_close) is not None:
                node = self.builder.current
                node.end_byte, node.end_line = byte, line
                on_close(node)
            self._levels.pop()
            self.builder.close(byte, line)

    def _name_group(self, group: _Group) -> None:
        node = group.node
        node.label = self.read_label(group.first)
        if node.count > 1:
            last = self.read_label(group.last)
            node.title = f"{node.label} … {last}"
            node.facts = {"of": group.kind, "last": clip_text(last, TITLE_MAX_BYTES)}
        else:
            node.kind, node.title, node.hidden = group.kind, node.label, 0

    def _start_part(self, byte: int, line: int, *, is_head: bool = False) -> None:
        self._part = (byte, line)
        self._title_place = None
        self._is_head = is_head
        self._resume_of_part = self.part_resume
        self._has_parts = False

    def _end_part(self, byte: int, line: int) -> None:
        start_byte, start_line = self._part
        if byte <= start_byte or not (self._has_parts or not self._levels):
            return
        lines = line - start_line + 1
        self.builder.leaf(
            Node(
                self._part_kind,
                self.decoded(self._title()) or "(blank)",
                start_byte,
                start_line,
                byte,
                line,
                digest=f"{lines:,} lines" if lines > 1 else "",
                count=max(1, lines),
                weight=_PART_WEIGHT,
                resume=self._resume_of_part,
            )
        )


def _copied_method(method: WeakMethod[Any] | None, memo: dict[int, Any]) -> WeakMethod[Any] | None:
    bound = method() if method is not None else None
    return WeakMethod(copy.deepcopy(bound, memo)) if bound is not None else None
