"""From a log's ledger to its outline: segments, and in each the incidents a person would want to see.

Here the counts are known, so here it is decided which *weak* messages stand out: those that are rare in the file, and those
that come in a burst, a stretch where they are at least `BURST_FACTOR` times as dense as in the file as a whole. All weak
messages together may take in a small share of the lines only, so that an outline of a healthy log stays quiet.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from milepost.core.logs.layouts import Layout
from milepost.core.logs.ledger import OTHER, Cell, Entry, Kind, Ledger, Run, merge_cells
from milepost.core.logs.severity import Severity
from milepost.core.outline import DIGEST_MAX_BYTES, Node, freeze
from milepost.core.scan import End, Findings
from milepost.core.templates import TemplateMiner

BURST_FACTOR = 20.0
_WEAK_SHARE = 0.04
_RARE_SHARE = 0.005
_BURST_SHARE = 0.04
_BURST_DENSITY = 0.3
_TOP_TEMPLATES = 5
_MOST_SEGMENTS = 48
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_CLOCK_ONLY_SECONDS = 20 * 366 * 86400.0


@dataclass(frozen=True, slots=True)
class LogFacts:
    """What the scanner knows besides the ledger. `settle` turns a provisional time into the final one."""

    layout: Layout | None
    console: bool
    settle: Callable[[float], float]
    has_times: bool
    templates: TemplateMiner
    sampled: bool
    max_nodes: int
    counts_weak: bool
    """Whether weak messages were counted to the end; else their totals are not told."""


def build_sections(ledger: Ledger, facts: LogFacts, start_byte: int, end: End) -> Findings:
    """The findings of a scan that went from `start_byte` to `end`. May change the ledger: it is a copy's."""
    cells = ledger.cells
    if end.byte <= start_byte:
        return Findings(())
    size = end.byte - start_byte
    target = max(1, min(_MOST_SEGMENTS, round(4 * math.log2(1 + size / 65536))))
    for kind in ledger.kinds:
        kind.close_run()
    first_line = cells[0].start_line
    total_lines = end.line - first_line + 1
    cells = merge_cells(cells, end.byte, end.line, target)
    shown, bursts = stand_out(ledger.kinds, total_lines)
    nodes: list[Node] = []
    incidents: list[tuple[float, int, Node]] = []
    for position, cell in enumerate(cells):
        last = position + 1 == len(cells)
        end_byte = end.byte if last else cells[position + 1].start_byte
        end_line = end.line if last else cells[position + 1].start_line - 1
        segment = _segment(cell, end_byte, end_line, facts)
        children = _incidents(cell, end_byte, end_line, ledger.kinds, shown, bursts, end, facts)
        segment.facts["incidents"] = sum(_incident_count(child) for child in children)
        segment.weight = 0.3 + 0.3 * max((child.weight for child in children), default=0.0)
        segment.children = children
        incidents.extend((child.weight, -child.start_byte, child) for child in children)
        nodes.append(segment)
    room = max(0, facts.max_nodes - len(nodes))
    if len(incidents) > room:
        kept = {id(child) for _, _, child in sorted(incidents, key=lambda one: one[:2], reverse=True)[:room]}
        for segment in nodes:
            visible = [child for child in segment.children if id(child) in kept]
            segment.hidden = len(segment.children) - len(visible)
            segment.children = visible
    return Findings(freeze(nodes), (), "", _file_facts(ledger, facts, cells))


# --- which weak messages stand out ------------------------------------------------------------------------------------


def stand_out(kinds: list[Kind], total_lines: int) -> tuple[set[int], dict[int, list[Run]]]:
    """The numbers of the kinds that are shown wherever they occur, and the bursts of the others (and of those)."""
    shown = {kind.id for kind in kinds if kind.strong}
    weak_room = _WEAK_SHARE * total_lines + 5
    rare_room = _RARE_SHARE * total_lines + 2
    rare_limit = max(3, total_lines // 2000)
    for kind in sorted(
        (one for one in kinds if not one.strong and one.count), key=lambda one: (one.count, -one.weight)
    ):
        novel = kind.category == "rare"
        if kind.count > (3 if novel else rare_limit) or kind.count > weak_room or (novel and kind.count > rare_room):
            continue
        weak_room -= kind.count
        rare_room -= kind.count if novel else 0
        shown.add(kind.id)
    # The densest bursts first, as long as all their ranges together take in a small share of the lines.
    candidates: list[tuple[float, int, Kind, Run]] = []
    for kind in kinds:
        for run in kind.runs:
            lines = max(1, run.end_line - run.start_line + 1)
            usual = (kind.count - run.count) / max(1, total_lines - lines)
            density = run.count / lines
            if not kind.strong and density >= max(_BURST_DENSITY, BURST_FACTOR * usual):
                candidates.append((-run.count * density, run.start_byte, kind, run))
    bursts: dict[int, list[Run]] = {}
    burst_room = _BURST_SHARE * total_lines + 10
    for _, _, kind, run in sorted(candidates, key=lambda one: one[:2]):
        lines = run.end_line - run.start_line + 1
        if lines <= burst_room:
            burst_room -= lines
            bursts.setdefault(kind.id, []).append(run)
    return shown, bursts


# --- sections ---------------------------------------------------------------------------------------------------------


def _segment(cell: Cell, end_byte: int, end_line: int, facts: LogFacts) -> Node:
    lines = end_line - cell.start_line + 1
    known: dict[str, Any] = {"lines": lines}
    title = cell.label
    rate = ""
    if cell.first_time is not None and cell.last_time is not None:
        begin, until = facts.settle(cell.first_time), facts.settle(cell.last_time)
        known["from"], known["to"] = format_time(begin), format_time(until)
        title = _span_title(begin, until) + (f" · {cell.label}" if cell.label else "")
        if until > begin:
            per_second = lines / (until - begin)
            known["lines_per_second"] = round(per_second, 3)
            rate = _rate(per_second)
    counts = {"fatal": cell.fatals, "error": cell.errors, "warning": cell.warnings}
    known["severities"] = {name: count for name, count in counts.items() if count}
    templates = [(number, count) for number, count in cell.templates.most_common(_TOP_TEMPLATES) if count]
    if templates:
        known["templates"] = [{"template": facts.templates.text(n), "count": c} for n, c in templates]
        known["templates_of_lines"] = cell.sampled_lines
        if facts.sampled:
            known["templates_sampled"] = True
        if cell.templates_dropped:
            known["templates_at_least"] = True
    words = [f"{count:,} {name}{'s' if count != 1 else ''}" for name, count in counts.items() if count]
    parts = [f"{lines:,} line{'s' if lines != 1 else ''}", rate, ", ".join(words)]
    if templates and cell.sampled_lines >= 20:
        number, count = templates[0]
        share = 100 * count / cell.sampled_lines
        if share >= 10:
            about = "about " if facts.sampled else ""
            parts.append(f"{about}{share:.0f} %: {facts.templates.text(number, 90)}")
    return Node(
        "segment",
        title or f"lines {cell.start_line:,} to {end_line:,}",
        cell.start_byte,
        cell.start_line,
        end_byte,
        end_line,
        digest=" · ".join(part for part in parts if part),
        count=lines,
        facts=known,
        level=1,
        resume={"segment": True},
    )


def _incidents(
    cell: Cell,
    end_byte: int,
    end_line: int,
    kinds: list[Kind],
    shown: set[int],
    bursts: dict[int, list[Run]],
    end: End,
    facts: LogFacts,
) -> list[Node]:
    nodes: list[Node] = []
    burst_nodes: list[Node] = []
    for number, entry in cell.entries.items():
        if number == OTHER:
            nodes.append(_other(entry))
            continue
        kind = kinds[number]
        runs = [run for run in bursts.get(number, ()) if cell.start_byte <= run.start_byte < end_byte]
        burst_nodes.extend(_burst(entry, kind, run, end_byte, end_line, facts) for run in runs)
        inside = any(run.start_byte <= entry.start_byte < run.end_byte for run in runs)
        if number in shown and not inside:
            nodes.append(_incident(entry, kind, end))
    for node in nodes:
        if node.end_byte > end_byte:
            node.end_byte, node.end_line = end_byte, end_line
    nodes.sort(key=lambda node: node.start_byte)
    return _nest(sorted(burst_nodes, key=lambda node: node.start_byte), nodes)


def _incident(entry: Entry, kind: Kind, end: End) -> Node:
    weight = kind.weight
    if kind.strong:
        weight += 0.04 if entry.lines > entry.count else 0.0
        weight -= min(0.2, 0.05 * math.log10(max(1, kind.count)))
    weight += 0.04 if entry.start_line >= end.line - max(60, end.line // 50) else 0.0
    if entry.start_byte != kind.first_byte:
        weight *= 0.55
    known: dict[str, Any] = {"category": kind.category, "total_count": kind.count}
    if kind.severity:
        known["severity"] = Severity(kind.severity).name.lower()
    repeats = ""
    if entry.count > 1:
        known["last_line"] = entry.last_line
        repeats = f"last of {entry.count:,} in line {entry.last_line:,}"
    elif kind.count > 1:
        repeats = (
            f"×{kind.count:,} in the file" if entry.start_byte == kind.first_byte else f"again, ×{kind.count:,} in all"
        )
    digest = entry.digest.decode("utf-8", "replace")
    return Node(
        "incident",
        entry.title.decode("utf-8", "replace"),
        entry.start_byte,
        entry.start_line,
        entry.end_byte,
        entry.end_line,
        digest=" · ".join(part for part in (digest[: DIGEST_MAX_BYTES // 2], repeats) if part),
        count=entry.count,
        facts=known,
        weight=max(0.05, min(1.0, weight)),
        level=2,
    )


def _burst(entry: Entry, kind: Kind, run: Run, end_byte: int, end_line: int, facts: LogFacts) -> Node:
    known: dict[str, Any] = {"category": "burst", "of": kind.category}
    if facts.counts_weak:
        known["total_count"] = kind.count
    if kind.severity:
        known["severity"] = Severity(kind.severity).name.lower()
    run_end_byte, run_end_line = min(run.end_byte, end_byte), min(run.end_line, end_line)
    return Node(
        "incident",
        entry.title.decode("utf-8", "replace"),
        run.start_byte,
        run.start_line,
        run_end_byte,
        run_end_line,
        digest=f"burst: ×{run.count:,} within {run_end_line - run.start_line + 1:,} lines",
        count=run.count,
        facts=known,
        weight=min(0.85, max(0.7, kind.weight + 0.15)),
        level=2,
    )


def _other(entry: Entry) -> Node:
    return Node(
        "incident",
        entry.title.decode("utf-8", "replace"),
        entry.start_byte,
        entry.start_line,
        entry.end_byte,
        entry.end_line,
        digest=f"and {entry.count - 1:,} of further kinds, last in line {entry.last_line:,}",
        count=entry.count,
        facts={"category": "other", "last_line": entry.last_line},
        weight=0.4,
        level=2,
    )


def _nest(bursts: list[Node], incidents: list[Node]) -> list[Node]:
    """One list in order and disjoint: bursts that overlap become one, and incidents inside a burst its children."""
    merged: list[Node] = []
    for burst in bursts:
        last = merged[-1] if merged else None
        if last is not None and burst.start_byte < last.end_byte:
            also = last.facts.setdefault("also", [])
            if len(also) < 8:
                also.append({"title": burst.title[:100], "count": burst.count})
            last.count += burst.count
            if burst.end_byte > last.end_byte:
                last.end_byte, last.end_line = burst.end_byte, burst.end_line
            last.weight = max(last.weight, burst.weight)
            last.digest = f"burst: ×{last.count:,} within {last.end_line - last.start_line + 1:,} lines"
        else:
            merged.append(burst)
    starts = [burst.start_byte for burst in merged]
    outside: list[Node] = []
    for node in incidents:
        place = bisect_right(starts, node.start_byte) - 1
        if place < 0 or node.start_byte >= merged[place].end_byte:
            outside.append(node)
            continue
        burst = merged[place]
        if node.start_byte == burst.start_byte and node.end_byte >= burst.end_byte:
            burst.end_byte, burst.end_line = node.end_byte, node.end_line
        else:
            if node.end_byte > burst.end_byte:
                burst.end_byte, burst.end_line = node.end_byte, node.end_line
            node.level = 3
            burst.children.append(node)
    result = sorted([*outside, *merged], key=lambda node: node.start_byte)
    disjoint: list[Node] = []
    for node in result:
        if disjoint and node.start_byte < disjoint[-1].end_byte:
            disjoint[-1].hidden += 1
            continue
        disjoint.append(node)
    return disjoint


def _incident_count(node: Node) -> int:
    return node.count if node.facts.get("category") != "burst" else 1 + sum(child.count for child in node.children)


def _file_facts(ledger: Ledger, facts: LogFacts, cells: list[Cell]) -> dict[str, Any]:
    result: dict[str, Any] = {"layout": facts.layout.title if facts.layout else "console"}
    times = [time for cell in cells for time in (cell.first_time, cell.last_time) if time is not None]
    if times:
        result["from"], result["to"] = format_time(facts.settle(min(times))), format_time(facts.settle(max(times)))
    result["severities"] = {
        name: count
        for name, count in (
            ("fatal", sum(cell.fatals for cell in cells)),
            ("error", sum(cell.errors for cell in cells)),
            ("warning", sum(cell.warnings for cell in cells)),
        )
        if count
    }
    result["templates_sampled"] = facts.sampled
    return result


# --- words ------------------------------------------------------------------------------------------------------------


def format_time(seconds: float) -> str:
    """A time as ISO 8601 with a blank; as h:mm:ss where it is an uptime or a clock without a date."""
    if abs(seconds) < _CLOCK_ONLY_SECONDS:
        whole = int(seconds)
        return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    try:
        return (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")
    except OverflowError:
        return f"{seconds:.0f} s"


def _span_title(begin: float, until: float) -> str:
    first, last = format_time(begin), format_time(until)
    if first == last:
        return first
    if len(first) > 10 and first[:10] == last[:10]:
        return f"{first} → {last[11:]}"
    return f"{first} → {last}"


def _rate(per_second: float) -> str:
    for size, unit in ((1, "s"), (60, "min"), (3600, "h")):
        if per_second * size >= 1:
            return f"{_number(per_second * size)}/{unit}"
    per_day = per_second * 86400
    return f"{_number(per_day)}/d" if per_day >= 0.1 else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
