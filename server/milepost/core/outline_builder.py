"""How an outline is put together within a budget.

`OutlineBuilder` is what a format's scanner feeds: it keeps at most `max_nodes` nodes however many things a file holds, by
folding the oldest siblings into counted groups. A group knows its exact range, so that what it hides can be listed again by
scanning that range alone.

The builder is a function of the sequence of calls only. A scan answers from a copy of its scanner: `copy.deepcopy` takes
some 30 µs a node, most of a scan of a few megabytes; the copy here takes one.
"""

from __future__ import annotations

import copy
from typing import Any

from milepost.core.outline import NOTABLE_WEIGHT, TITLE_MAX_BYTES, Node, Section, freeze
from milepost.core.text import clip_text

#: Siblings of one parent that are listed one by one before the oldest are folded; twice this many are held at most.
FAN_OUT = 128

_NO_DEPTH = 1 << 30
#: Nodes that are open are counted when they end, so there must be room for them.
_MOST_OPEN = 32
_MANY_FOLDS = 2


class OutlineBuilder:
    """Collects nodes in file order within a budget.

    Use `open` and `close` around nested things and `leaf` for things without children; `finish` returns the frozen top
    level. Past `2 * fan_out` siblings, the older ones are folded into groups; past `max_nodes` in all, the deepest and oldest
    nodes forget their members (their count and range stay), except notable ones.
    """

    def __init__(self, max_nodes: int = 5000, fan_out: int = FAN_OUT) -> None:
        self.max_nodes = max(8, max_nodes - _MOST_OPEN)
        self.fan_out = fan_out
        self.root = Node("root", "", 0, 1)
        #: What would be attached at this depth (0 is the top level) or deeper has had to be forgotten before.
        self.crowded_depth = _NO_DEPTH
        self._open: list[Node] = [self.root]
        self._nodes = 0
        #: How often the children of each open node have been folded, and how many made a group the last time.
        self._folds = [0]
        self._group_sizes = [1]

    def __deepcopy__(self, memo: dict[int, Any]) -> OutlineBuilder:
        """A deep copy in which objects that hold a node which is still open find the copy's."""
        twin = copy.copy(self)
        twin.root = _copy_node(self.root, memo)
        twin._folds, twin._group_sizes = list(self._folds), list(self._group_sizes)
        twin._open = [twin.root, *(_copy_node(node, memo) for node in self._open[1:])]
        memo[id(self)] = twin
        return twin

    @property
    def depth(self) -> int:
        """How many nodes are open now."""
        return len(self._open) - 1

    @property
    def current(self) -> Node:
        """The innermost open node (the root when none is)."""
        return self._open[-1]

    def is_crowded(self, depth: int) -> bool:
        """Whether what would be attached at a depth would be dropped again: since others were there, or will be together
        with what it lies in, which is one of too many siblings."""
        return depth >= self.crowded_depth or any(folds >= _MANY_FOLDS for folds in self._folds[:depth])

    def group_size(self, depth: int) -> int:
        """How many siblings that would be attached at a depth are to be one group from the start; 1 while all can be listed.

        Where there are this many, most would be folded at once and forgotten soon: to build them is most of the cost.
        """
        is_full = self._nodes > self.max_nodes // 4 or self.crowded_depth <= depth + 1
        return self._group_sizes[depth] if is_full and self._folds[depth] >= _MANY_FOLDS else 1

    def open(self, node: Node) -> Node:
        """Begin a node that may get children; it lies within the one now open."""
        node.level = len(self._open)
        self._open.append(node)
        self._folds.append(0)
        self._group_sizes.append(1)
        return node

    def close(self, end_byte: int, end_line: int) -> Node:
        """End the innermost open node."""
        node = self._pop()
        node.end_byte, node.end_line = end_byte, end_line
        self._attach(node)
        return node

    def leaf(self, node: Node) -> Node:
        """Add a node that is complete, its children too."""
        node.level = len(self._open)
        if node.children:
            self._nodes += node.size() - 1
        self._attach(node)
        return node

    def discard(self) -> Node:
        """Take back the innermost open node, children and all, as if it had not been opened."""
        node = self._pop()
        self._nodes -= node.size() - 1
        return node

    def take_back(self) -> Node:
        """Take the last child from the innermost open node."""
        node = self._open[-1].children.pop()
        self._nodes -= node.size()
        return node

    def finish(self, end_byte: int, end_line: int) -> tuple[Section, ...]:
        """Close what is open and freeze everything."""
        while len(self._open) > 1:
            self.close(end_byte, end_line)
        return freeze(self.root.children)

    # --- the budget -------------------------------------------------------------------------------------------------

    def _pop(self) -> Node:
        self._folds.pop()
        self._group_sizes.pop()
        return self._open.pop()

    def _attach(self, node: Node) -> None:
        parent = self._open[-1]
        parent.children.append(node)
        self._nodes += 1
        if len(parent.children) >= 2 * self.fan_out:
            self._fold(parent)
        if self._nodes > self.max_nodes:
            self._forget()

    def _fold(self, parent: Node) -> None:
        """Pack the older siblings, groups and single ones as they come, into groups of about equal counts."""
        older = parent.children[: -(self.fan_out // 2)]
        newer = parent.children[len(older) :]
        counts = [child.count if child.kind == "group" else 1 for child in older]
        enough = max(2, -(-sum(counts) // (self.fan_out // 2)))
        self._folds[-1] += 1
        self._group_sizes[-1] = enough
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
        return _make_group(members)

    def _forget(self) -> None:
        """Make room: closed nodes lose their children, deepest and oldest first, until three quarters of the budget are used.

        What lies in nodes that are still open, and are not among anybody's children yet, is looked at too.
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


def _make_group(members: list[Node]) -> Node:
    """One node that stands for neighbouring siblings; their own children are dropped, notable ones come along."""
    first, last = members[0], members[-1]
    kinds = {node.kind for node in members if node.kind != "group"}
    kinds |= {str(node.facts.get("of")) for node in members if node.kind == "group"}
    group = Node(
        "group",
        f"{_label(first)} … {_last_label(last)}",
        first.start_byte,
        first.start_line,
        last.end_byte,
        last.end_line,
        count=sum(node.count if node.kind == "group" else 1 for node in members),
        facts={"of": kinds.pop() if len(kinds) == 1 else "mixed"},
        label=_label(first),
        level=first.level,
        weight=max(node.weight for node in members),
        start_column=first.start_column,
        end_column=last.end_column,
        resume=first.resume,
    )
    group.facts["last"] = clip_text(_last_label(last), TITLE_MAX_BYTES)
    for node in members:
        if node.kind == "group":
            group.hidden += node.hidden
            group.children.extend(node.children)
        else:
            group.children.append(node)
    return group


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


def _label(node: Node) -> str:
    return node.label or node.title


def _last_label(node: Node) -> str:
    return str(node.facts["last"]) if node.kind == "group" and "last" in node.facts else _label(node)


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
