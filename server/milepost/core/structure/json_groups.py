"""Nodes that stand for several things, or for what is no JSON."""

from __future__ import annotations

from milepost.core.outline import Node, Problem
from milepost.core.scan import End
from milepost.core.structure.json_place import Mark
from milepost.core.structure.json_values import size_text
from milepost.core.text import clip_text

#: At most so many groups beside each other.
_GROUPS = 64


def plural(name: str) -> str:
    """More than one of a type."""
    return {"mixed": "values", "null": "nulls"}.get(name, f"{name}s")


def grouped(nodes: list[Node], level: int) -> list[Node]:
    """Neighbours put together in groups of a round number, each with its members inside."""
    size = 10
    while len(nodes) > size * _GROUPS:
        size = size * 5 if str(size)[0] == "1" else size * 2
    groups: list[Node] = []
    for start in range(0, len(nodes), size):
        inside = nodes[start : start + size]
        first, last = inside[0], inside[-1]
        count = sum(node.count if node.kind == "group" else 1 for node in inside)
        kinds = {str(node.facts.get("of", node.kind)) if node.kind == "group" else node.kind for node in inside}
        begin = first.label if first.kind == "group" else first.title
        end = str(last.facts["last"]) if last.kind == "group" else last.title
        title = f"{clip_text(begin, 54)} … {clip_text(end, 54)}"
        group = Node("group", title, first.start_byte, first.start_line)
        group.end_byte, group.end_line, group.end_column = last.end_byte, last.end_line, last.end_column
        group.start_column, group.level, group.count = first.start_column, level, count
        group.label = first.label
        of = kinds.pop() if len(kinds) == 1 else "mixed"
        group.facts = {"of": of, "last": str(last.facts.get("last", last.label))}
        what = "members" if of == "mixed" else plural(of)
        group.digest = f"{count:,} {what}, {size_text(group.end_byte - group.start_byte)}"
        group.weight = max(node.weight for node in inside)
        group.children = inside
        for node in inside:
            _deepen(node)
        groups.append(group)
    return groups


def _deepen(node: Node) -> None:
    """Put a node and what is in it one level further down."""
    stack = [node]
    while stack:
        one = stack.pop()
        one.level += 1
        stack.extend(one.children)


def blank_node(start: Mark, end: Mark, last_line: int, last_column: int | None, level: int) -> Node:
    """A text with nothing in it."""
    node = Node("blank", "white space only", start.byte, start.line, end.byte, last_line, level=level)
    node.end_column = last_column
    return node


def not_parsed_node(fault: Mark, end: End, problem: Problem, level: int) -> Node:
    """What follows a fault after which the structure is lost; `problem` is that fault."""
    node = Node("error", f"not parsed: {problem.message}", fault.byte, fault.line, end.byte, end.line, weight=0.9)
    size = end.byte - fault.byte
    node.digest = f"line {problem.line}, byte {problem.byte}; the {size:,} bytes from here on are not outlined"
    node.facts = {"byte": problem.byte, "line": problem.line, "message": problem.message}
    node.start_column, node.level = fault.column, level
    return node
