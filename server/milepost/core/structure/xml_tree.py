"""The outline of XML: big elements one by one, runs of small siblings as groups, failed tests always by themselves.

What is big depends on the size of the file, so that the outline keeps its size however large the file is. Only tags of
elements that are listed are looked at one by one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milepost.core.outline import NOTABLE_WEIGHT, Node, Problem
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.structure.xml_place import Mark, Places
from milepost.core.structure.xml_stretch import KNOWN_NAMES, MAX_DEPTH, Stretch, listed_tags, read_stretch
from milepost.core.structure.xml_tags import Ints, Tags, have_name
from milepost.core.structure.xml_titles import (
    FAILED_ATTRIBUTE,
    FAILED_ELEMENTS,
    TEST_ELEMENTS,
    failure_message,
    title_of,
)

#: So many small siblings make a group; more in larger files, by how big an element must be there to be listed.
RUN_MEMBERS = 128
_LARGE_RUN_BYTES = 8192
_FAILURE_WEIGHT = 0.9
_MOST_NAMES = 8
_NOWHERE = Mark(0, 0, None)
#: What may follow the root element, whole or up to the end of what is there.
_CONSTRUCT = re.compile(rb"<!--.*?(?:-->|\Z)|<\?.*?(?:\?>|\Z)", re.DOTALL)


@dataclass(slots=True)
class Run:
    """Small siblings in a row: how many, where they begin and end, what the first and last are called."""

    count: int = 0
    first: Mark = _NOWHERE
    last: Mark = _NOWHERE
    #: The tags of the first and the last, and what is inside: what they are called.
    first_head: tuple[bytes, bytes] = (b"", b"")
    last_head: tuple[bytes, bytes] = (b"", b"")
    names: set[bytes] = field(default_factory=set)


@dataclass(slots=True)
class Listed:
    """An element that is listed and still open; without a name, what lies around the roots."""

    name: bytes
    level: int
    text_from: int = 0
    head: tuple[bytes, bytes] = (b"", b"")
    children: int = 0
    names: dict[bytes, int] = field(default_factory=dict)
    run: Run = field(default_factory=Run)
    #: The run of siblings before it, which goes on if it turns out to be small too.
    run_before: Run | None = None

    def count(self, name: bytes, number: int) -> None:
        """Note children of one name."""
        self.children += number
        if name in self.names or len(self.names) < _MOST_NAMES:
            self.names[name] = self.names.get(name, 0) + number


def _head(stretch: Stretch, index: int) -> tuple[bytes, bytes]:
    """What an element is called by: its tag, and the first bytes inside it."""
    return stretch.tag(index, 2048), stretch.inside(index, 400)


class XmlTree:
    """Takes tags in order and builds the outline. After a fault it takes nothing more."""

    def __init__(self, builder: OutlineBuilder, encoding: str, least_bytes: int, *, is_fragment: bool) -> None:
        self.builder = builder
        self.elements = self.deepest = self.failures = self.depth = 0
        self.fault: Problem | None = None
        self.problems: list[Problem] = []
        self._roots = 0
        self._encoding = encoding
        self._least_bytes = least_bytes
        large = least_bytes >= _LARGE_RUN_BYTES
        self._run_members = RUN_MEMBERS * (min(8, 2 * least_bytes // _LARGE_RUN_BYTES) if large else 1)
        self._is_fragment = is_fragment
        self._names: list[bytes] = []
        self._places_of_names: list[tuple[int, int]] = []
        self._open: list[Listed] = [Listed(b"", -1)]

    def take(self, tags: Tags, places: Places) -> None:
        """The tags of the next stretch."""
        if self.fault is not None:
            return
        offset, message = tags.fault if tags.fault is not None else (-1, "")
        if len(tags.begins):
            stretch, wrong, wrong_message = read_stretch(tags, self.depth, self._names)
            if wrong >= 0:
                offset, message = wrong, wrong_message
            self._take(stretch, places)
        if offset >= 0:
            byte = places.base + offset
            self.fault = Problem(f"not well-formed: {message}", places.line_of(byte), byte)
        elif len(tags.begins) and not self.depth and self._roots == 1:
            self._look_behind_root(tags, places)

    def _look_behind_root(self, tags: Tags, places: Places) -> None:
        """Name text that follows the root element; comments and the like may."""
        start = int(tags.stops[-1])
        rest = _CONSTRUCT.sub(lambda match: b" " * len(match[0]), tags.data[start : tags.used])
        behind = rest.lstrip()
        if behind:
            byte = places.base + start + len(rest) - len(behind)
            self.problems.append(Problem("text after the root element", places.line_of(byte), byte))

    def _take(self, stretch: Stretch, places: Places) -> None:
        if not len(stretch):
            return
        self.elements += int(np.count_nonzero(stretch.kinds >= 0))
        self.deepest = max(self.deepest, int(stretch.levels.max()) + 1)
        is_listed = listed_tags(stretch, self._least_bytes, self._names)
        small = (stretch.kinds >= 0) & ~is_listed
        children: dict[int, Ints] = {}
        position = 0
        for index in np.flatnonzero(is_listed).tolist():
            self._gap(stretch, small, children, position, index, places)
            position = index + 1
            if stretch.kinds[index] >= 0:
                self._begin(stretch, index, places)
            if stretch.kinds[index] <= 0:
                self._end(stretch, index, places)
        self._gap(stretch, small, children, position, len(stretch), places)
        last = len(stretch) - 1
        self.depth = int(stretch.levels[last]) + int(stretch.kinds[last] == 1)
        self._note_names(stretch, places)

    def _note_names(self, stretch: Stretch, places: Places) -> None:
        """Keep the names of the elements that are open at the end of the stretch."""
        outside = stretch.mates < 0
        closed = int(np.count_nonzero(outside & (stretch.kinds == -1)))
        if closed:
            kept = max(0, len(self._names) - closed)
            del self._names[kept:], self._places_of_names[kept:]
        for index in np.flatnonzero(outside & (stretch.kinds == 1)).tolist():
            if len(self._names) < KNOWN_NAMES:
                byte = places.base + int(stretch.tags.begins[index])
                self._names.append(stretch.name(index)[:200])
                self._places_of_names.append((byte, places.line_of(byte)))

    # --- elements that are listed -----------------------------------------------------------------------------------

    def _begin(self, stretch: Stretch, index: int, places: Places) -> None:
        level = int(stretch.levels[index])
        parent = self._open[-1]
        run_before = parent.run
        self._flush_run(parent)
        tag, name = stretch.tag(index), stretch.name(index)
        byte = places.base + int(stretch.tags.begins[index])
        parent.count(name, 1)
        if level == 0 and not self._is_fragment:
            self._roots += 1
            if self._roots == 2:
                self.problems.append(Problem("more than one root element", places.line_of(byte), byte))
        mark = places.before(byte)
        inside = stretch.inside(index, 600)
        node = Node("element", self._decoded(title_of(tag, inside)), mark.byte, mark.line)
        node.start_column = mark.column
        node.weight = max(0.25, 0.55 - 0.05 * level)
        node.facts = {"element": self._decoded(name)[:80]}
        node.resume = {"level": level, "column": mark.column or 0}
        self._judge(stretch, index, name, tag, parent, node)
        self.builder.open(node)
        self._open.append(Listed(name, level, places.base + int(stretch.tags.stops[index]), (tag[:2048], inside[:400])))
        if stretch.mates[index] < 0 and node.kind == "element":
            self._open[-1].run_before = run_before

    def _judge(self, stretch: Stretch, index: int, name: bytes, tag: bytes, parent: Listed, node: Node) -> None:
        """Mark a failed test. What says so inside it is marked only if the test itself is not known to have failed."""
        is_test = name in TEST_ELEMENTS
        if not is_test and not (name in FAILED_ELEMENTS and parent.name in TEST_ELEMENTS):
            return
        inside = stretch.inside(index, 1 << 16)
        failed = bool(FAILED_ATTRIBUTE.search(tag)) or any(b"<" + one in inside for one in FAILED_ELEMENTS)
        if is_test and failed and name != b"test-suite":
            self.failures += 1
            node.kind, node.weight = "failure", _FAILURE_WEIGHT
            node.digest = self._decoded(failure_message(tag, inside))
        elif not is_test and self.builder.current.kind != "failure":
            self.failures += 1
            node.kind, node.weight = "failure", _FAILURE_WEIGHT
            node.digest = self._decoded(failure_message(b"", tag + inside))

    def _end(self, stretch: Stretch, index: int, places: Places) -> None:
        if len(self._open) == 1:
            return
        begin = int(stretch.tags.begins[index])
        text = (places.base + begin) - self._open[-1].text_from
        inside = stretch.tags.data[max(0, begin - min(text, 4096)) : begin] if text > 0 else b""
        if self._joins_run(places.after(places.base + int(stretch.tags.stops[index]))):
            return
        self._close(places.after(places.base + int(stretch.tags.stops[index])), text, inside)

    def _joins_run(self, last: Mark) -> bool:
        """An element that was listed because it lies across stretches becomes a member of a run, if it is small."""
        listed, node = self._open[-1], self.builder.current
        run = listed.run_before
        if run is None or last.byte - node.start_byte >= self._least_bytes:
            return False
        if any(child.weight >= NOTABLE_WEIGHT for child in node.children):
            return False
        self.builder.discard()
        self._open.pop()
        parent = self._open[-1]
        siblings = self.builder.current.children
        first = Mark(node.start_byte, node.start_line, node.start_column)
        if (
            run.count
            and siblings
            and (siblings[-1].start_byte, siblings[-1].end_byte) == (run.first.byte, run.last.byte)
        ):
            self.builder.take_back()
            parent.run = run
        if not parent.run.count:
            parent.run = Run(0, first, last, listed.head)
        parent.run.count += 1
        parent.run.last, parent.run.last_head = last, listed.head
        parent.run.names.add(listed.name)
        if parent.run.count >= self._run_members:
            self._flush_run(parent)
        return True

    def _close(self, mark: Mark, text_bytes: int, text: bytes) -> None:
        listed = self._open.pop()
        self._flush_run(listed)
        node = self.builder.current
        node.end_column = mark.column
        node.count = max(1, listed.children)
        if listed.children:
            node.facts["children"] = listed.children
            parts = [f"{number:,} {self._decoded(name)}" for name, number in listed.names.items()]
            shown = ", ".join(parts[:5])
            node.digest = node.digest or (shown if len(parts) <= 5 else f"{listed.children:,} children: {shown} …")
        elif not node.digest and text_bytes > 4096:
            node.digest = (
                f"{text_bytes / 1e6:,.1f} MB of text" if text_bytes >= 1e6 else f"{text_bytes // 1000:,} KB of text"
            )
        elif not node.digest:
            node.digest = self._decoded(text.strip().removeprefix(b"<![CDATA[").removesuffix(b"]]>").strip()[:400])
        self.builder.close(mark.byte, mark.line if mark.column is not None else mark.line - 1)

    def _decoded(self, text: bytes) -> str:
        return text.decode(self._encoding, "replace")

    # --- runs of small elements -------------------------------------------------------------------------------------

    def _gap(
        self, stretch: Stretch, small: np.ndarray, children: dict[int, Ints], low: int, high: int, places: Places
    ) -> None:
        """Between two tags that are looked at: count the small children of the element that is open there."""
        parent = self._open[-1]
        level = parent.level + 1
        if high <= low or level > MAX_DEPTH:
            return
        if level not in children:
            children[level] = np.flatnonzero(small & (stretch.levels == level))
        members = children[level]
        first, last = np.searchsorted(members, (low, high)).tolist()
        while first < last:
            stop = min(last, first + self._run_members - parent.run.count)
            self._add(parent, stretch, members[first:stop], places)
            first = stop
            if parent.run.count >= self._run_members:
                self._flush_run(parent)

    def _add(self, parent: Listed, stretch: Stretch, members: Ints, places: Places) -> None:
        run = parent.run
        first, last = int(members[0]), int(members[-1])
        if not run.count:
            run.first = places.before(places.base + int(stretch.tags.begins[first]))
            run.first_head = _head(stretch, first)
        name = stretch.name(first)
        if len(members) > 4 and have_name(stretch.tags, members, name):
            parent.count(name, len(members))
            run.names.add(name)
        else:
            counts = Counter(stretch.names(members))
            for one, number in counts.items():
                parent.count(one, number)
            run.names |= counts.keys() if len(members) <= 4 else {name, stretch.name(last), b"*"}
        run.count += len(members)
        run.last = places.after(places.base + stretch.stop(last))
        run.last_head = _head(stretch, last)

    def _flush_run(self, parent: Listed) -> None:
        """Enter the run that ends here: a group, or a single element."""
        run = parent.run
        if not run.count:
            return
        last_line = run.last.line if run.last.column is not None else run.last.line - 1
        name = self._decoded(next(iter(run.names)))[:80] if len(run.names) == 1 else "mixed"
        first_title = self._decoded(title_of(*run.first_head))
        last_title = self._decoded(title_of(*run.last_head)) if run.count > 1 else first_title
        title = first_title if run.count == 1 else f"{first_title} … {last_title}"
        kind = "element" if run.count == 1 else "group"
        node = Node(kind, title, run.first.byte, run.first.line, run.last.byte, last_line, count=run.count, weight=0.25)
        node.start_column, node.end_column = run.first.column, run.last.column
        node.resume = {"level": parent.level + 1, "column": run.first.column or 0}
        node.label = first_title
        node.facts = {"element": name}
        if run.count > 1:
            node.facts.update(of="element", last=last_title[:100])
        node.hidden = run.count if run.count > 1 else 0
        self.builder.leaf(node)
        parent.run = Run()

    def finish(self, end: Mark) -> None:
        """Close what is open where the text, or what of it is sound, ends."""
        if self.fault is None and self._names and not self._is_fragment:
            byte, line = self._places_of_names[-1]
            shown = self._decoded(self._names[-1])
            self.problems.append(Problem(f"not well-formed: the file ends inside <{shown}>, opened here", line, byte))
        while len(self._open) > 1:
            self._close(end, 0, b"")
        self._flush_run(self._open[0])

    def facts(self) -> dict[str, Any]:
        """What is said of the file as a whole."""
        found: dict[str, Any] = {"elements": self.elements, "depth": self.deepest}
        if self.failures:
            found["failures"] = self.failures
        return found
