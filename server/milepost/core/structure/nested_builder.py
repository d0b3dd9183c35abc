"""An outline builder for deep trees: it forgets inside open nodes too, and is copied quickly.

A scan answers from a copy of its scanner. `copy.deepcopy` takes some 30 µs a node, most of a scan of a few megabytes; the
copy here takes one.
"""

from __future__ import annotations

import copy
from typing import Any

from milepost.core.outline import FAN_OUT, NOTABLE_WEIGHT, Node, OutlineBuilder, forget_children, make_group

_NO_DEPTH = 1 << 30


class NestedBuilder(OutlineBuilder):
    """An `OutlineBuilder` whose open nodes may hold most of the outline."""

    def __init__(self, max_nodes: int = 5000, fan_out: int = FAN_OUT) -> None:
        super().__init__(max_nodes, fan_out)
        #: What would be attached at this depth (0 is the top level) or deeper has had to be forgotten before.
        self.crowded_depth = _NO_DEPTH

    def __deepcopy__(self, memo: dict[int, Any]) -> NestedBuilder:
        """A deep copy in which objects that hold a node which is still open find the copy's."""
        twin = copy.copy(self)
        twin.root = _copy_node(self.root, memo)
        twin._open = [twin.root, *(_copy_node(node, memo) for node in self._open[1:])]
        memo[id(self)] = twin
        return twin

    def _forget(self) -> None:
        """Make room: closed nodes lose their children, deepest and oldest first, until three quarters of the budget are used.

        Unlike the parent's, this looks into nodes that are still open and not among anybody's children yet.
        """
        target = self.max_nodes * 3 // 4
        while self._nodes > target:
            candidates: dict[int, list[Node]] = {}
            stack = [(child, depth) for depth, node in enumerate(self._open) for child in node.children]
            while stack:
                node, depth = stack.pop()
                if any(child.weight < NOTABLE_WEIGHT and not child.children for child in node.children):
                    candidates.setdefault(depth, []).append(node)
                stack.extend((child, depth + 1) for child in node.children)
            if not candidates:
                break
            self.crowded_depth = min(self.crowded_depth, max(candidates) + 1)
            for node in sorted(candidates[max(candidates)], key=lambda one: one.start_byte):
                before = len(node.children)
                forget_children(node)
                self._nodes -= before - len(node.children)
                if self._nodes <= target:
                    return
        if self._nodes > self.max_nodes:
            for node in self._open:
                if len(node.children) > 4:
                    before = sum(child.size() for child in node.children)
                    node.children = [make_group(node.children)]
                    forget_children(node.children[0])
                    self._nodes += node.children[0].size() - before


def _copy_node(node: Node, memo: dict[int, Any]) -> Node:
    known: Node | None = memo.get(id(node))
    if known is not None:
        return known
    twin = Node(
        node.kind,
        node.title,
        node.start_byte,
        node.start_line,
        node.end_byte,
        node.end_line,
        node.digest,
        node.count,
        dict(node.facts),
        [_copy_node(child, memo) for child in node.children],
        node.weight,
        node.hidden,
        node.label,
        node.level,
        node.start_column,
        node.end_column,
        node.resume,
    )
    memo[id(node)] = twin
    return twin
