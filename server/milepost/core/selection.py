"""Which sections are shown when not all of them fit.

One choice for every reply and every screen: what weighs most is kept first, wherever it stands, together with what it
lies in; what is left out is counted where it is missing. Neighbours at the top level that are left out are merged into
one entry, so that the top level covers the file whatever was left out.

Costs are given by the caller (bytes of JSON, bytes or rows of a text tree). They are asked for only as far as the
choice gets, so that a large outline costs little when little of it fits.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, Protocol, TypeVar

#: After this many sections in a row that do not fit, the rest is not tried.
_GIVE_UP_AFTER = 200

#: A budget that everything fits into.
UNLIMITED = 1 << 62


class Listed(Protocol):
    """What a section must have here: `milepost.core.outline.Section` and the wire's section alike."""

    @property
    def children(self) -> Sequence[Any]: ...
    @property
    def weight(self) -> float: ...
    @property
    def more(self) -> Any: ...


S = TypeVar("S", bound=Listed)


@dataclass(frozen=True, slots=True)
class Kept(Generic[S]):
    """A section that is shown, or (at the top level only) a run of neighbours that are shown as one entry.

    `section` is the first and `last` the last of the run; `members` is its length, 1 for a section that stands for
    itself. `left_out` counts direct children that are not shown, and `next_child` is the first of them that is known.
    """

    section: S
    last: S
    members: int
    children: tuple[Kept[S], ...]
    left_out: int
    next_child: S | None


@dataclass(frozen=True, slots=True)
class Selection(Generic[S]):
    """What is shown.

    `cost` is its sum. `omitted` counts the known sections, at any depth, that are not shown by themselves. `rest` is
    the first section of the top level that did not come up (in-order listings only).
    """

    roots: tuple[Kept[S], ...]
    cost: int
    omitted: int
    rest: S | None


@dataclass(frozen=True, slots=True)
class Costs(Generic[S]):
    """What showing things costs.

    `section`: a section by itself, at a depth (0 is the top level). `more`: the note that some of its children are left
    out. `group`: a merged entry for a run of neighbours (first, last, how many).
    """

    section: Callable[[S, int], int]
    more: Callable[[S], int]
    group: Callable[[S, S, int], int]


def select_sections(
    sections: Sequence[S],
    budget: int,
    costs: Costs[S],
    *,
    depth: int | None = None,
    max_nodes: int | None = None,
    in_order: bool = False,
) -> Selection[S]:
    """The sections to show for at most `budget`, at most `depth` levels deep and `max_nodes` in number.

    By weight; of equal weight the less deep first, and of those the ones nearest to either end of the file, so that
    what is left out lies together in the middle. With `in_order` (a page that was asked for by cursor) the top level is
    listed one by one from the start as far as the budget goes, nothing is merged, and `rest` says where to go on.

    The budget is exceeded only where even the least (one merged entry, or the first section of a page) costs more.
    """
    choice = _Choice(sections, budget, costs, depth, max_nodes)
    if in_order:
        choice.take_in_order()
    else:
        choice.merge_all()
    choice.take_by_weight()
    return choice.result()


class _Choice(Generic[S]):
    """The working state of one selection. Sections are numbered in file order, parents before their children."""

    def __init__(
        self, sections: Sequence[S], budget: int, costs: Costs[S], depth: int | None, max_nodes: int | None
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_nodes = max_nodes if max_nodes is not None else UNLIMITED
        self.used = 0
        #: How many entries the result has now, merged ones included.
        self.shown = 0
        self.sections: list[S] = []
        self.parent: list[int] = []
        self.level: list[int] = []
        self.total = 0
        self._number(sections, depth if depth is not None else UNLIMITED)
        self.roots = [node for node, parent in enumerate(self.parent) if parent < 0]
        self.in_order = False
        self.kept = bytearray(len(self.sections))
        self.kept_children = [0] * len(self.sections)
        self.own_costs = [-1] * len(self.sections)
        #: Positions in `roots` of those that are kept.
        self.kept_roots: list[int] = []
        self.position = {node: position for position, node in enumerate(self.roots)}

    def _number(self, sections: Sequence[S], depth: int) -> None:
        stack: list[tuple[S, int, int]] = [(section, -1, 0) for section in reversed(sections)]
        while stack:
            section, parent, level = stack.pop()
            self.total += 1
            if level >= depth:
                # Deeper than asked for: counted, never a candidate.
                stack.extend((child, parent, level + 1) for child in section.children)
                continue
            node = len(self.sections)
            self.sections.append(section)
            self.parent.append(parent)
            self.level.append(level)
            stack.extend((child, node, level + 1) for child in reversed(section.children))

    # --- costs ----------------------------------------------------------------------------------------------------

    def _hidden(self, node: int) -> int:
        more = self.sections[node].more
        return int(more.count) if more is not None else 0

    def _own_cost(self, node: int) -> int:
        """A section that is shown without any of its children."""
        known = self.own_costs[node]
        if known < 0:
            section = self.sections[node]
            known = self.costs.section(section, self.level[node])
            if section.children or section.more is not None:
                known += self.costs.more(section)
            self.own_costs[node] = known
        return known

    def _run_cost(self, first: int, last: int) -> tuple[int, int]:
        """The neighbours at these positions of the top level, not kept: a merged entry, or a single one by itself.

        Cost and number of entries.
        """
        if first > last:
            return 0, 0
        if first == last:
            return self._own_cost(self.roots[first]), 1
        ends = self.sections[self.roots[first]], self.sections[self.roots[last]]
        return self.costs.group(*ends, last - first + 1), 1

    def _effect_of_keeping(self, node: int) -> tuple[int, int]:
        """What showing this section adds, given that its parent is shown: cost and number of entries."""
        parent = self.parent[node]
        cost = self._own_cost(node)
        if parent >= 0:
            section = self.sections[parent]
            complete = self.kept_children[parent] + 1 == len(section.children) and not self._hidden(parent)
            return (cost - self.costs.more(section) if complete else cost), 1
        position = self.position[node]
        at = bisect_left(self.kept_roots, position)
        first = self.kept_roots[at - 1] + 1 if at else 0
        last = self.kept_roots[at] - 1 if at < len(self.kept_roots) else len(self.roots) - 1
        whole, left, right = (
            self._run_cost(*run) for run in ((first, last), (first, position - 1), (position + 1, last))
        )
        return cost + left[0] + right[0] - whole[0], 1 + left[1] + right[1] - whole[1]

    # --- choosing -------------------------------------------------------------------------------------------------

    def _keep(self, node: int) -> None:
        self.kept[node] = 1
        if self.parent[node] >= 0:
            self.kept_children[self.parent[node]] += 1
        else:
            insort(self.kept_roots, self.position[node])

    def _drop(self, node: int) -> None:
        self.kept[node] = 0
        if self.parent[node] >= 0:
            self.kept_children[self.parent[node]] -= 1
        else:
            self.kept_roots.remove(self.position[node])

    def merge_all(self) -> None:
        """Begin with the whole top level as one run."""
        self.used, self.shown = self._run_cost(0, len(self.roots) - 1)

    def take_in_order(self) -> None:
        """Begin with the top level from its start, as far as the budget goes; always at least one, to get on."""
        self.in_order = True
        for node in self.roots:
            cost = self._own_cost(node)
            if self.shown and (self.used + cost > self.budget or self.shown >= self.max_nodes):
                break
            self._keep(node)
            self.used += cost
            self.shown += 1

    def _candidates(self) -> list[int]:
        def rank(node: int) -> tuple[float, int]:
            return (-self.sections[node].weight, self.level[node])

        ordered: list[int] = []
        for _, group in groupby(sorted(range(len(self.sections)), key=rank), key=rank):
            equals = list(group)
            half = (len(equals) + 1) // 2
            from_end = equals[: half - 1 : -1] if half else []
            for index, node in enumerate(equals[:half]):
                ordered.append(node)
                ordered.extend(from_end[index : index + 1])
        return ordered

    def take_by_weight(self) -> None:
        """Keep what weighs most, with what it lies in, while it fits."""
        misses = 0
        for node in self._candidates():
            if misses > _GIVE_UP_AFTER:
                break
            if self.kept[node]:
                continue
            misses = 0 if self._take(node) else misses + 1

    def _take(self, node: int) -> bool:
        """Keep a section and everything around it, if all that fits."""
        path = [node]
        while self.parent[path[-1]] >= 0 and not self.kept[self.parent[path[-1]]]:
            path.append(self.parent[path[-1]])
        root = path[-1]
        if self.in_order and self.parent[root] < 0:
            return False  # behind the end of the page
        before = self.used, self.shown
        for step in reversed(path):
            cost, entries = self._effect_of_keeping(step)
            self.used += cost
            self.shown += entries
            self._keep(step)
        if self.used <= self.budget and self.shown <= self.max_nodes:
            return True
        for step in path:
            self._drop(step)
        self.used, self.shown = before
        return False

    # --- the result -----------------------------------------------------------------------------------------------

    def result(self) -> Selection[S]:
        """What was kept, as a tree."""
        children: dict[int, list[int]] = {}
        for node in range(len(self.sections)):
            if self.kept[node] and self.parent[node] >= 0:
                children.setdefault(self.parent[node], []).append(node)
        roots: list[Kept[S]] = []
        merged = 0
        position = 0
        for kept_root in [*self.kept_roots, len(self.roots)]:
            if position < kept_root and not self.in_order:
                first, last = self.sections[self.roots[position]], self.sections[self.roots[kept_root - 1]]
                if kept_root - position == 1:
                    roots.append(self._built(self.roots[position], children))
                else:
                    merged += 1
                    roots.append(Kept(first, last, kept_root - position, (), kept_root - position, first))
            if kept_root < len(self.roots):
                roots.append(self._built(self.roots[kept_root], children))
            position = kept_root + 1
        rest = None
        if self.in_order and len(self.kept_roots) < len(self.roots):
            rest = self.sections[self.roots[len(self.kept_roots)]]
        return Selection(tuple(roots), self.used, self.total - (self.shown - merged), rest)

    def _built(self, node: int, children: dict[int, list[int]]) -> Kept[S]:
        section = self.sections[node]
        kept = children.get(node, [])
        shown = [self.sections[child] for child in kept]
        missing = len(section.children) - len(kept)
        next_child = None
        if missing:
            # Children are kept in file order, so the first that differs is the first that is missing.
            at = next((index for index, child in enumerate(shown) if child is not section.children[index]), len(shown))
            next_child = section.children[at]
        built = tuple([self._built(child, children) for child in kept])
        return Kept(section, section, 1, built, missing + self._hidden(node), next_child)
