"""Turns runs of records into the nodes of an outline."""

from __future__ import annotations

from milepost.core.outline import Node, Problem, Section
from milepost.core.scan import Findings
from milepost.core.structure.json_fields import time_of
from milepost.core.structure.json_tree import Member
from milepost.core.structure.json_values import Value, read_member, shape_of, size_text
from milepost.core.structure.record_runs import Record, Run
from milepost.core.text import clip_text


def record_node(run: Run, origin: int, level: int) -> Node:
    """A run as a node without its end; the file's first record has index `origin`."""
    index = origin + run.index
    node = Node("record", "", run.first.start, run.first.line, level=level, count=run.count)
    if isinstance(run.notable, Problem):
        _fill_bad(node, run.notable, index, run.first)
    elif run.count == 1:
        _fill_single(node, run, index)
    else:
        _fill_run(node, run, index)
    return node


def _value(record: Record) -> Value:
    value = read_member(Member(record.start, record.size, record.head.lstrip(), b""), False)
    if value.type == "array" and not value.label:
        value.label = clip_text(value.text or record.head[:80].decode("utf-8", "replace"), 60)
    return value


def _fill_single(node: Node, run: Run, index: int) -> None:
    value = _value(run.first)
    node.title = f"record {index:,}: {value.label}" if value.label else f"record {index:,}"
    node.label = value.label or str(index)
    node.facts = {"index": index, "type": value.type, "bytes": run.first.size}
    time = time_of(value.fields)
    if time is not None:
        node.facts["time"] = time
    shown = list(value.fields)[:12]
    more = ", …" if not value.whole or len(value.fields) > len(shown) else ""
    node.digest = f"{value.type}, {size_text(run.first.size)}" + (f" {{{', '.join(shown)}{more}}}" if shown else "")
    if isinstance(run.notable, Findings):
        node.children = [_as_node(section, node.level + 1) for section in run.notable.sections]
    elif value.type in ("object", "array"):
        node.resume = {"record": True, "index": index, "level": node.level}


def _fill_run(node: Node, run: Run, index: int) -> None:
    first, last = _value(run.first), _value(run.last)
    final = index + run.count - 1
    node.kind = "group"
    node.title = f"records {index:,} … {final:,}"
    node.hidden = run.count
    node.resume = {"index": index, "level": node.level}
    node.label = first.label or str(index)
    node.facts = {"of": "record", "first": index, "last_index": final, "last": last.label or str(final)}
    node.digest = f"{run.count:,} records"
    begin, end = time_of(first.fields), time_of(last.fields)
    if begin is not None and end is not None:
        node.facts["first_time"], node.facts["last_time"] = begin, end
        node.title += f": {clip_text(str(begin), 36)} … {clip_text(str(end), 36)}"
    elif first.label or last.label:
        node.title += f": {clip_text(first.label, 36)} … {clip_text(last.label, 36)}"
    if run.bad:
        node.facts["bad"] = run.bad
        node.digest += f", {run.bad:,} of them no JSON"
        node.weight = 0.8
    shape = shape_of([first, last])
    if shape:
        node.facts["shape"] = shape
        node.facts["shape_from"] = "first and last"
        node.digest += f" {{{', '.join(shape)}}}"


def _fill_bad(node: Node, problem: Problem, index: int, record: Record) -> None:
    node.kind, node.weight = "error", 0.85
    node.title = f"record {index:,}: {problem.message}"
    node.label = f"bad record {index:,}"
    node.digest = f"line {problem.line}, byte {problem.byte}: {record.head[:160].decode('utf-8', 'replace')}"
    node.facts = {"index": index, "line": problem.line, "byte": problem.byte, "message": problem.message}


def _as_node(section: Section, level: int) -> Node:
    """A section of a long record as a node again, deeper by the record."""
    node = Node(section.kind, section.title, section.start_byte, section.start_line, section.end_byte, section.end_line)
    node.digest, node.count, node.facts = section.digest, section.count, dict(section.facts)
    node.weight, node.level, node.label = section.weight, level, section.title
    node.start_column, node.end_column = section.start_column, section.end_column
    node.hidden = section.more.count if section.more else 0
    node.children = [_as_node(child, level + 1) for child in section.children]
    return node
