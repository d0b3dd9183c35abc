"""An outline builder for deep trees: it forgets inside open nodes too, and is copied quickly.

A scan answers from a copy of its scanner. `copy.deepcopy` takes some 30 µs a node, most of a scan of a few megabytes; the
copy here takes one.
"""

from __future__ import annotations

import copy
from typing import Any

from milepost.core.outline import FAN_OUT, NOTABLE_WEIGHT, Node, OutlineBuilder, make_group

_NO_DEPTH = 1 << 30
_MOST_OPEN = 32
_MANY_FOLDS = 2


class NestedBuilder(OutlineBuilder):
    """An `OutlineBuilder` whose open nodes may hold most of the outline."""

    def __init__(self, max_nodes: int = 5000, fan_out: int = FAN_OUT) -> None:
        # Nodes that are open are counted when they end, so there must be room for them.
        super().__init__(max(8, max_nodes - _MOST_OPEN), fan_out)
        #: What would be attached at this depth (0 is the top level) or deeper has had to be forgotten before.
        self.crowded_depth = _NO_DEPTH
        #: How often the children of each open node have been folded.
        self._folds = [0]

    def __deepcopy__(self, memo: dict[int, Any]) -> NestedBuilder:
        """A deep copy in which objects that hold a node which is still open find the copy's."""
        twin = copy.copy(self)
        twin.root = _copy_node(self.root, memo)
        twin._folds = list(self._folds)
        twin._open = [twin.root, *(_copy_node(node, memo) for node in self._open[1:])]
        memo[id(self)] = twin
        return twin

    def open(self, node: Node) -> Node:
        """Begin a node that may get children."""
        self._folds.append(0)
        return super().open(node)

    def close(self, end_byte: int, end_line: int) -> Node:
        """End the innermost open node."""
        self._folds.pop()
        return super().close(end_byte, end_line)

    def discard(self) -> Node:
        """Take back the innermost open node."""
        self._folds.pop()
        return super().discard()

    def is_crowded(self, depth: int) -> bool:
        """Whether what would be attached at a depth would be dropped again: since others were there, or will be together
        with what it lies in, which is one of too many siblings."""
        return depth >= self.crowded_depth or any(folds >= _MANY_FOLDS for folds in self._folds[:depth])

    def leaf(self, node: Node) -> Node:
        """Add a node that is complete, its children too."""
        if node.children:
            self._nodes += node.size() - 1
        return super().leaf(node)

    def take_back(self) -> Node:
        """Take the last child from the innermost open node."""
        node = self._open[-1].children.pop()
        self._nodes -= node.size()
        return node

    def _fold(self, parent: Node) -> None:
        """Pack the older siblings, groups and single ones as they come, into groups of about equal counts."""
        self._folds[-1] += 1
        older = parent.children[: -(self.fan_out // 2)]
        newer = parent.children[len(older) :]
        counts = [child.count if child.kind == "group" else 1 for child in older]
        enough = max(2, -(-sum(counts) // (self.fan_out // 2)))
        packed: list[Node] = []
        low = held = 0
        for position, count in enumerate(counts):
            held += count
            if held >= enough or position == len(counts) - 1:
                packed.append(self._packed(older[low : position + 1]))
                low, held = position + 1, 0
        parent.children = packed + newer

    def _packed(self, members: list[Node]) -> Node:
        """Neighbours as one node. The number of nodes is kept by what changes: counting all again is most of the cost."""
        if len(members) == 1:
            return members[0]
        self._nodes += 1
        for member in members:
            # A group goes into the new one with its members; of others only what is notable comes along.
            self._nodes -= 1 if member.kind == "group" else _keep_notable(member)
        return make_group(members)

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
                _forget_children(node)
                self._nodes -= before - len(node.children)
                if self._nodes <= target:
                    return
        if self._nodes > self.max_nodes:
            for node in self._open:
                if len(node.children) > 4:
                    node.children = [self._packed(node.children)]
                    before = len(node.children[0].children)
                    _forget_children(node.children[0])
                    self._nodes -= before - len(node.children[0].children)


def _forget_children(node: Node) -> None:
    """Drop the children that are neither notable nor parents of something kept, and count what they stand for."""
    kept = [child for child in node.children if child.weight >= NOTABLE_WEIGHT or child.children]
    dropped = [child for child in node.children if not (child.weight >= NOTABLE_WEIGHT or child.children)]
    # A group counts its own members, listed or not.
    node.hidden += sum(child.count if child.kind == "group" else 1 for child in dropped)
    node.children = kept


def _keep_notable(node: Node) -> int:
    """Drop all children that are not notable: the node is to be a member of a group. Returns how many nodes that were."""
    dropped = [child for child in node.children if child.weight < NOTABLE_WEIGHT]
    if not dropped:
        return 0
    node.hidden += sum(child.count if child.kind == "group" else 1 for child in dropped)
    node.children = [child for child in node.children if child.weight >= NOTABLE_WEIGHT]
    return sum(child.size() for child in dropped)


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
