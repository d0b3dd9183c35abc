"""Profiles that are tables: sections with entries, of which the hottest stay in sight."""

from __future__ import annotations

import re
from typing import Any

from milepost.core.outline import Node
from milepost.core.profiles.dialects import Dialect
from milepost.core.profiles.hottest import Hottest
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView
from milepost.core.structure.section_tree import SectionTree

_SECTION_LEVEL, _ENTRY_LEVEL = 0, 1
_LINE_BYTES = 1024
#: An entry with so large a share, in percent, stays listed where its neighbours are folded; so do the first entries.
_NOTABLE_PERCENT = 2.0
_FIRST = 10
_TOTAL = re.compile(
    rb"(?:summary|totals): (\d+)|\s+\d+ function calls.* in ([\d.]+) |([\d,]+) \(100\.0%\)  PROGRAM TOTALS"
)
_ID = re.compile(rb"\((\d+)\)(?: (.+))?\Z")
_HEAP = re.compile(rb"(mem_heap_B|mem_heap_extra_B|heap_tree)=(\S+)")
_MOST_IDS = 200_000


class TableScanner:
    """Outlines the tables of one profiler."""

    def __init__(self, context: Context, dialect: Dialect) -> None:
        self._dialect = dialect
        self._tree = SectionTree(context, part_kind="lines")
        self._tree.on_close = self._close
        self._resume = {"dialect": dialect.name}
        self._tree.part_resume = self._resume
        self._hottest, self._of_section = Hottest(), Hottest()
        self._total = self._of_entry = 0.0
        self._entries = self._in_section = 0
        self._separator: tuple[int, int] | None = None
        self._rule = (-1, -1)
        self._names: dict[bytes, str] = {}
        self._is_call = False
        self._is_peak = False

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        position = 0
        has_costs = self._dialect.name == "callgrind"
        for index, head in enumerate(view.heads.tolist()):
            if head in b"\r\n":
                continue
            text = view.text(index, _LINE_BYTES)
            if has_costs and head in b"0123456789+-*":
                self._cost(text)
                continue
            if self._dialect.separator is not None and self._dialect.separator.match(text):
                self._rule = (view.offset(index), view.number(index))
                self._separator = (view.offset(index + 1), view.number(index + 1))
                if self._dialect.name == "gprof" and self._tree.level >= _ENTRY_LEVEL:
                    self._tree.advance(view, position, index)
                    self._tree.end(_ENTRY_LEVEL, *self._separator)
                    position = index + 1
                continue
            total = _TOTAL.match(text) if head in b"st 0123456789" else None
            if total is not None:
                self._total = _number(total[1] or total[2] or total[3])
            section = next((match for one in self._dialect.sections if (match := one.match(text))), None)
            entry = None
            if section is None:
                entry = next((match for one in self._dialect.entries if (match := one.match(text))), None)
            if section is None and entry is None:
                self._detail(text)
                continue
            self._tree.advance(view, position, index)
            position = index
            byte, line = view.offset(index), view.number(index)
            if section is not None:
                # A title between two rules belongs to the first of them.
                place = self._rule if self._rule[1] == line - 1 and line > 1 else (byte, line)
                self._begin_section(*place, section)
            elif entry is not None:
                self._begin_entry(view, index, entry)
                if not self._dialect.spans and not self._is_block(entry):
                    self._tree.end(_ENTRY_LEVEL, view.offset(index + 1), view.number(index + 1))
                    position = index + 1
        self._tree.advance(view, position, view.size)

    def _is_block(self, entry: re.Match[bytes]) -> bool:
        """Whether an entry has lines of its own: those of call graphs and of callers have."""
        return "cost" not in entry.groupdict() and self._dialect.name in ("gprof", "cprofile")

    def _begin_section(self, byte: int, line: int, match: re.Match[bytes]) -> None:
        title = " ".join(self._tree.decoded(match["section"]).split())
        self._tree.begin(_SECTION_LEVEL, Node("table", title, byte, line, weight=0.6, resume=self._resume))
        self._of_section, self._in_section = Hottest(), 0
        self._separator = None

    def _begin_entry(self, view: LineView, index: int, match: re.Match[bytes]) -> None:
        groups = match.groupdict()
        name = self._name(groups["name"] or b"")
        byte, line = view.offset(index), view.number(index)
        if self._separator is not None and (self._dialect.spans or self._is_block(match)):
            byte, line = self._separator
            self._tree.end(_ENTRY_LEVEL, byte, line)
        self._separator = None
        cost = _number(groups["cost"]) if groups.get("cost") else None
        percent = float(groups["percent"]) if groups.get("percent") else None
        if percent is None and cost is not None and self._total:
            percent = 100 * cost / self._total
        self._entries += 1
        self._in_section += 1
        node = Node("entry", name, byte, line, label=name, weight=0.3, resume=self._resume)
        if (percent is not None and percent >= _NOTABLE_PERCENT) or self._in_section <= _FIRST:
            node.weight = 0.75
        said = [f"{percent:.2f} %"] if percent is not None else []
        if cost is not None:
            said.append(_said(cost) + self._dialect.unit)
            node.facts["cost"] = int(cost) if cost.is_integer() else cost
        if percent is not None:
            node.facts["percent"] = round(percent, 2)
        if groups.get("whole"):
            node.facts["whole"] = _number(groups["whole"])
            said.append(f"{groups['whole'].decode()}{self._dialect.unit} with what it calls")
        node.digest = ", ".join(said)
        for hottest in (self._hottest, self._of_section):
            if (
                (percent is not None or cost is not None)
                and not self._is_block(match)
                and self._dialect.name != "ms_print"
            ):
                hottest.add(name, percent if cost is None and percent is not None else (cost or 0.0))
        self._tree.begin(_ENTRY_LEVEL, node)
        self._of_entry = 0.0
        self._is_call = self._is_peak = False

    def _name(self, raw: bytes) -> str:
        """The name of an entry; callgrind gives numbers to names and uses those from then on."""
        if self._dialect.name == "callgrind":
            match = _ID.match(raw)
            if match is not None:
                if match[2] and len(self._names) < _MOST_IDS:
                    self._names[match[1]] = self._tree.decoded(match[2])
                return self._names.get(match[1], f"function {match[1].decode()}")
        name = self._tree.decoded(raw).strip()
        return f"snapshot {name}" if self._dialect.name in ("massif", "ms_print") else name

    def _detail(self, text: bytes) -> None:
        """A line inside an entry that counts."""
        if self._dialect.name == "callgrind":
            if text.startswith(b"calls="):
                self._is_call = True
                return
            match = _ID.match(text[4:]) if text.startswith(b"cfn=(") else None
            if match is not None and match[2] and len(self._names) < _MOST_IDS:
                self._names[match[1]] = self._tree.decoded(match[2])
        elif self._dialect.name == "massif":
            heap = _HEAP.match(text)
            if heap is not None and heap[1] == b"heap_tree":
                self._is_peak = heap[2] == b"peak"
            elif heap is not None:
                self._of_entry += int(heap[2])

    def _cost(self, text: bytes) -> None:
        """A line of positions and their cost; that of a call belongs to the one that is called."""
        last = text.rpartition(b" ")[2]
        if not self._is_call and last.isdigit():
            self._of_entry += int(last)
        self._is_call = False

    def _close(self, node: Node) -> None:
        """A section or an entry ends: say what is known of it."""
        if node.kind == "entry" and self._dialect.name in ("callgrind", "massif"):
            cost = self._of_entry
            node.facts["cost"] = int(cost)
            node.digest = _said(cost) + (self._dialect.unit or " in itself")
            if self._is_peak:
                node.digest += ", the peak"
                node.weight = 0.9
            elif self._dialect.name == "callgrind":
                node.weight = 0.75 if self._total and cost >= self._total * _NOTABLE_PERCENT / 100 else 0.3
            self._hottest.add(node.title, cost)
        elif node.kind == "table":
            node.count = max(1, self._in_section)
            node.digest = f"{self._in_section:,} entries" if self._in_section else ""
            hot = self._of_section.said(self._total if self._dialect.name == "cprofile" else 0.0)
            node.digest += f": {hot}" if hot else ""
            node.facts = {"entries": self._in_section, **self._of_section.facts(self._total)}

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        sections = self._tree.finish(end)
        facts: dict[str, Any] = {"profiler": self._dialect.title, "entries": self._entries}
        facts.update(self._hottest.facts(self._total))
        if self._total:
            facts["total"] = int(self._total) if self._total.is_integer() else self._total
        return Findings(sections, facts=facts)


def _number(text: bytes) -> float:
    return float(text.replace(b",", b""))


def _said(cost: float) -> str:
    return f"{int(cost):,}" if cost.is_integer() else f"{cost:,.3f}"
