"""INI files and their kin: TOML, systemd units, git's configuration, registry exports, Java's properties."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from milepost.core.formats.base import Format
from milepost.core.outline import Node
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.ini_lines import (
    COMMENT,
    HEADER,
    KEY,
    TRIPLES,
    names_of,
    opens_array,
    opens_text,
    sniff_ini,
)
from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.section_tree import SectionTree

#: In larger files keys are counted, and listed when their section is expanded; in still larger
#: ones sections are listed in groups of neighbours.
SIZE_CLASSES = (256 << 10, 2 << 20)
_GROUP = 64
_NO_KEY = table_of(b"#;!\r\n[] \t")
_BRACKET = ord("[")
_KEY_LEVEL = 20
_MOST_LEVELS = 10


class IniScanner:
    """Outlines sections, nested as the tables of TOML are, and their keys; groups of keys where there are no sections."""

    def __init__(self, context: Context) -> None:
        self._tree = SectionTree(context, part_kind="keys")
        self._tree.on_close = self._close
        self._tree.part_resume = {"keys": True}
        self._decoded = self._tree.decoded
        self._lists_keys = context.total_bytes <= SIZE_CLASSES[0]
        self._has_sections = context.resume is not None or any(
            HEADER.match(line) for line in context.head.splitlines()[:2000] if line.lstrip()[:1] == b"["
        )
        #: The names of the sections that are open, the outermost first, and the node of the last.
        self._open: list[list[bytes]] = []
        self._current: Node | None = None
        self._until = b""
        self._in_array = False
        self._after_blank = True
        self._continues = False
        self._groups = context.total_bytes > SIZE_CLASSES[1]
        self._members = _GROUP
        self._totals = {"sections": 0, "keys": 0}

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        if not view.size:
            return  # inside a giant line, whose head has been seen
        # Every line must be looked at where texts of several lines may hide headers, or keys are to be listed.
        needs_all = self._lists_keys or not self._has_sections or bool(self._until)
        needs_all = needs_all or any(triple in block.data for triple in TRIPLES)
        lines: Iterable[int] = range(view.size)
        if not needs_all:
            lines = np.flatnonzero(view.first_bytes(4) == _BRACKET).tolist()
        # Where lines are not looked at one by one, those that are no comment and not indented count as keys.
        sums = np.zeros(view.size + 1, np.int64)
        np.cumsum(~_NO_KEY[view.heads], out=sums[1:])
        position = counted = 0
        if self._groups and not needs_all:
            self._feed_groups(view, list(lines), sums)
            return
        for index in lines:
            text = view.text(index)
            if self._until:
                self._until = b"" if self._until in text else self._until
                continue
            if self._in_array:
                self._in_array = not text.strip().startswith(b"]")
                continue
            continues, self._continues = self._continues, text.endswith(b"\\")
            if continues:
                continue
            header = HEADER.match(text) if text.lstrip()[:1] == b"[" else None
            node = None
            if header is not None:
                level, node = self._section(view, index, header)
            elif needs_all:
                level, node = self._other(view, index, text)
            if node is None:
                continue
            self._tree.advance(view, position, index)
            position = index
            if node.kind != "key":
                if not needs_all:
                    self._count(int(sums[index] - sums[counted]))
                    counted = index
                self._current = node
            elif self._tree.hides(level, node.start_byte, node.start_line):
                continue
            self._tree.part_resume = node.resume if node.kind == "key" else {"keys": True}
            self._tree.begin(level, node)
        if not needs_all:
            self._count(int(sums[view.size] - sums[counted]))
        self._tree.advance(view, position, view.size)

    def _feed_groups(self, view: LineView, lines: list[int], sums: npt.NDArray[np.int64]) -> None:
        """Enter the sections of a view in groups; only the first and last of each are looked at."""
        self._tree.cuts_parts = False
        headers = [index for index in lines if HEADER.match(view.text(index))]
        self._totals["sections"] += len(headers)
        self._count(int(sums[headers[0] if headers else view.size]))
        taken = 0
        while taken < len(headers):
            if self._members >= _GROUP or self._current is None:
                _, node = self._section(view, headers[taken], None)
                node.kind, node.label, node.facts = "group", node.title, {"keys": 0, "of": "section"}
                node.resume = {}
                self._tree.begin(0, node)
                self._current, self._members = node, 0
            stop = min(len(headers), taken + _GROUP - self._members)
            self._members += stop - taken
            high = headers[stop] if stop < len(headers) else view.size
            self._count(int(sums[high] - sums[headers[taken]]))
            node = self._current
            node.hidden = self._members
            node.facts["last"] = self._section(view, headers[stop - 1], None)[1].title[:100]
            taken = stop

    def _section(self, view: LineView, index: int, header: re.Match[bytes] | None) -> tuple[int, Node]:
        if header is None:
            node = Node(
                "section", self._decoded(view.text(index).strip()) or "[]", view.offset(index), view.number(index)
            )
            return 0, node
        names = names_of(header[2])
        level = 0
        while level < min(len(self._open), _MOST_LEVELS):
            outer = self._open[level]
            if len(outer) >= len(names) or names[: len(outer)] != outer:
                break
            level += 1
        self._open = [*self._open[:level], names]
        self._totals["sections"] += 1
        shown = self._decoded(header[2].strip())
        node = Node("section", f"[[{shown}]]" if header[1] else f"[{shown}]", view.offset(index), view.number(index))
        node.weight = 0.5 - 0.02 * level
        node.facts = {"keys": 0}
        node.resume = {}
        return level, node

    def _other(self, view: LineView, index: int, text: bytes) -> tuple[int, Node | None]:
        """A line that is no header: a key, a comment, a part of a value."""
        stripped = text.strip()
        after_blank, self._after_blank = self._after_blank, not stripped
        match = None if COMMENT.match(text) else KEY.match(text)
        if not self._has_sections and stripped and after_blank:
            title = self._decoded(_first_text(view, index)) or "keys"
            node = Node("keys", title, view.offset(index), view.number(index), weight=0.4, facts={"keys": 0})
            node.resume = {}
            self._open = []
            self._in_key(match)
            node.facts["keys"] = int(match is not None)
            self._totals["keys"] += int(match is not None)
            return 0, node
        self._in_key(match)
        self._count(int(match is not None))
        if match is None or not self._lists_keys:
            return 0, None
        key = Node("key", self._decoded(match[1].strip(b"\"' \t")) or '""', view.offset(index), view.number(index))
        key.digest = self._decoded(match[2].strip()[:400])
        key.weight = 0.25
        key.resume = {"keys": True}
        return _KEY_LEVEL, key

    def _in_key(self, match: re.Match[bytes] | None) -> None:
        """Note whether the value of a key goes on in the lines below."""
        if match is not None:
            self._until = opens_text(match[2])
            self._in_array = not self._until and opens_array(match[2])

    def _count(self, keys: int) -> None:
        self._totals["keys"] += keys
        if self._current is not None:
            self._current.facts["keys"] += keys

    def _close(self, node: Node) -> None:
        """A section ends: say how many keys it holds itself."""
        if node.kind == "group":
            node.count = max(1, node.hidden)
            node.title = f"{node.label} … {node.facts['last']}" if node.count > 1 else node.label
            node.digest = f"{node.facts.pop('keys'):,} keys"
        elif "keys" in node.facts:
            keys = node.facts["keys"]
            node.count = max(1, keys)
            node.digest = f"{keys:,} key{'s' if keys != 1 else ''}"

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        return Findings(self._tree.finish(end), facts=dict(self._totals))


def _first_text(view: LineView, index: int) -> bytes:
    """The first words of a group of keys: of its comment, without frames, else of its first key."""
    for position in range(index, min(view.size, index + 6)):
        text = view.text(position).strip()
        match = None if COMMENT.match(text) else KEY.match(text)
        words = match[1].strip() if match is not None else text.strip(b"#;!/*-= \t")
        if words:
            return words[:200]
    return b""


FORMAT = Format("ini", "INI, TOML or properties", sniff_ini, IniScanner, size_classes=SIZE_CLASSES)
