"""Indented text as a tree: JSON, YAML, XML, settings, record stanzas and source code alike.

A line with more indent than the one before belongs to it; a closing bracket or tag at the indent of what it closes belongs
to that. Text that is not laid out by indent is a flat list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

#: Levels that are told apart; what is deeper counts as this deep.
_DEEPEST = 40
_CLOSES = re.compile(rb"\s*(?:[}\])]+[;,)]*|</[^>]*>|end\b[^\w]*|\*/)\s*$")
_ITEM = re.compile(rb"(\s*)-(?:\s|$)")

Indent = Callable[[bytes], int]


@dataclass(slots=True)
class TreeNode:
    """A line, the lines nested in it, and those after these that only close it (or are blank)."""

    line: int
    children: list[TreeNode] = field(default_factory=list)
    tail: list[int] = field(default_factory=list)
    shape: int = 0

    def lines(self) -> Iterator[int]:
        """All its lines, in order."""
        stack: list[tuple[TreeNode, int]] = [(self, -1)]
        while stack:
            node, at = stack.pop()
            if at < 0:
                yield node.line
                at = 0
            if at < len(node.children):
                stack.append((node, at + 1))
                stack.append((node.children[at], -1))
            else:
                yield from node.tail

    def size(self) -> int:
        """How many lines it has."""
        return sum(1 for _ in self.lines())


def indent_of(line: bytes) -> int:
    """The blanks that a line begins with, a tab as four."""
    stripped = line.lstrip()
    lead = line[: len(line) - len(stripped)]
    return 2 * (len(lead) + 3 * lead.count(b"\t"))


def indent_in_yaml(line: bytes) -> int:
    """As `indent_of`; an item is nested in the key above it also where it has no more indent than that."""
    return indent_of(line) + (1 if _ITEM.match(line) else 0)


def build_tree(lines: Sequence[bytes], indent: Indent = indent_of) -> list[TreeNode]:
    """The nodes that are in nothing else. Blank lines go to the node before them, or the first node is one."""
    roots: list[TreeNode] = []
    stack: list[tuple[int, TreeNode]] = []
    last: TreeNode | None = None
    for index, line in enumerate(lines):
        if not line.strip():
            if last is None:
                last = TreeNode(index)
                roots.append(last)
            else:
                last.tail.append(index)
            continue
        depth = indent(line)
        if _CLOSES.match(line) and any(level == depth for level, _ in stack):
            while stack[-1][0] > depth:
                stack.pop()
            if stack[-1][1].children or not stack[-1][1].tail:
                stack[-1][1].tail.append(index)
                last = stack[-1][1]
                continue
        while stack and stack[-1][0] >= depth:
            stack.pop()
        node = TreeNode(index)
        if not stack:
            roots.append(node)
        else:
            # A tail is the last of a node's lines: what stood in it so far becomes nested like what follows.
            parent = stack[-1][1]
            parent.children.extend(TreeNode(line_index) for line_index in parent.tail)
            parent.tail = []
            parent.children.append(node)
        if len(stack) < _DEEPEST:
            stack.append((depth, node))
        last = node
    return roots
