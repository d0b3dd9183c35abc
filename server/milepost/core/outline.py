"""What an outline is made of, and how one is put together within a budget.

`Section` and `Outline` are the values that every front door shows. `OutlineBuilder` is what a format's scanner feeds: it
keeps at most `max_nodes` nodes however many things a file holds, by folding the oldest siblings into counted groups. A
group knows its exact range, so that what it hides can be listed again by scanning that range alone.

The builder is a function of the sequence of calls only. Scanners run on a copy to answer a request while the original goes
on, so everything here can be copied with `copy.deepcopy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from milepost.core.text import clip_text

TITLE_MAX_BYTES = 120
DIGEST_MAX_BYTES = 240

#: Siblings of one parent that are listed one by one before the oldest are folded; twice this many are held at most.
FAN_OUT = 128

#: From this weight on a section (an error, a broken record) stays visible when its neighbours are folded.
NOTABLE_WEIGHT = 0.7

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class More:
    """Children that exist but are not listed. `cursor` is filled in by the service, which knows the file's identity."""

    count: int
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the file's content, where it was noticed. `line` is 1-based, `byte` an offset in the file."""

    message: str
    line: int
    byte: int


@dataclass(frozen=True, slots=True)
class Section:
    """A node of an outline: lines are 1-based and inclusive, bytes half-open offsets in the original file.

    `count` is of what the section stands for (lines, records, repeats). `weight`, 0 to 1, is how much a person wants to see
    it when not everything fits; it is not sent. `resume` is what a scanner needs to scan this range alone; not sent either.
    """

    id: str
    title: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    digest: str = ""
    count: int = 1
    facts: Facts = field(default_factory=dict)
    children: tuple[Section, ...] = ()
    weight: float = 0.3
    more: More | None = None
    start_column: int | None = None
    end_column: int | None = None
    resume: Facts | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline of one file, with what is known about the file as a whole.

    `state` is "provisional" (part of the file only), "exact" or "growing"; `degraded` is empty or the reason why a lesser
    method had to do. `total_lines` is None where only part of the file was looked at.
    """

    path: str
    format: str
    encoding: str
    line_ending: str
    lone_cr: int
    total_lines: int | None
    total_bytes: int
    state: str = "exact"
    degraded: str = ""
    truncated: bool = False
    sections: tuple[Section, ...] = ()
    problems: tuple[Problem, ...] = ()
    stats: Facts = field(default_factory=dict)


def walk(sections: Iterable[Section]) -> Iterator[Section]:
    """All sections, parents before their children, in file order."""
    stack = list(sections)
    stack.reverse()
    while stack:
        section = stack.pop()
        yield section
        stack.extend(reversed(section.children))


def count_nodes(sections: Iterable[Section]) -> int:
    """How many sections there are, at any depth."""
    return sum(1 for _ in walk(sections))


@dataclass(slots=True)
class Node:
    """A section while it is being built. `label` is the short name a group uses for its first and last member."""

    kind: str
    title: str
    start_byte: int
    start_line: int
    end_byte: int = -1
    end_line: int = -1
    digest: str = ""
    count: int = 1
    facts: dict[str, Any] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    weight: float = 0.3
    hidden: int = 0
    label: str = ""
    level: int = 0
    start_column: int | None = None
    end_column: int | None = None
    resume: dict[str, Any] | None = None

    def size(self) -> int:
        """How many nodes this one and everything below it are."""
        total, stack = 0, [self]
        while stack:
            node = stack.pop()
            total += 1
            stack.extend(node.children)
        return total


class OutlineBuilder:
    """Collects nodes in file order within a budget.

    Use `open` and `close` around nested things and `leaf` for things without children; `finish` returns the frozen top
    level. Past `fan_out` siblings, the oldest are folded into groups; past `max_nodes` in all, the oldest groups forget
    their members (their count and range stay), except notable ones.
    """

    def __init__(self, max_nodes: int = 5000, fan_out: int = FAN_OUT) -> None:
        self.max_nodes = max_nodes
        self.fan_out = fan_out
        self.root = Node("root", "", 0, 1)
        self._open: list[Node] = [self.root]
        self._nodes = 0

    @property
    def depth(self) -> int:
        """How many nodes are open now."""
        return len(self._open) - 1

    @property
    def current(self) -> Node:
        """The innermost open node (the root when none is)."""
        return self._open[-1]

    def open(self, node: Node) -> Node:
        """Begin a node that may get children; it lies within the one now open."""
        node.level = len(self._open)
        self._open.append(node)
        return node

    def close(self, end_byte: int, end_line: int) -> Node:
        """End the innermost open node."""
        node = self._open.pop()
        node.end_byte, node.end_line = end_byte, end_line
        self._attach(node)
        return node

    def leaf(self, node: Node) -> Node:
        """Add a node that is complete."""
        node.level = len(self._open)
        self._attach(node)
        return node

    def discard(self) -> Node:
        """Take back the innermost open node, children and all, as if it had not been opened."""
        node = self._open.pop()
        self._nodes -= node.size() - 1
        return node

    def finish(self, end_byte: int, end_line: int) -> tuple[Section, ...]:
        """Close what is open and freeze everything."""
        while len(self._open) > 1:
            self.close(end_byte, end_line)
        return freeze(self.root.children)

    # --- the budget -------------------------------------------------------------------------------------------------

    def _attach(self, node: Node) -> None:
        parent = self._open[-1]
        parent.children.append(node)
        self._nodes += 1
        if len(parent.children) >= 2 * self.fan_out:
            self._fold(parent)
        if self._nodes > self.max_nodes:
            self._forget()

    def _fold(self, parent: Node) -> None:
        """Fold the oldest single siblings into one group; too many groups are merged pair by pair."""
        before = sum(child.size() for child in parent.children)
        groups = [child for child in parent.children if child.kind == "group"]
        singles = parent.children[len(groups) :]
        if len(singles) > self.fan_out:
            groups.append(make_group(singles[: self.fan_out]))
            singles = singles[self.fan_out :]
        if len(groups) > self.fan_out // 2:
            groups = [
                merge_groups(groups[i], groups[i + 1]) if i + 1 < len(groups) else groups[i]
                for i in range(0, len(groups), 2)
            ]
        parent.children = groups + singles
        self._nodes += sum(child.size() for child in parent.children) - before

    def _forget(self) -> None:
        """Make room: closed nodes lose their children, deepest and oldest first, down to three quarters of the budget."""
        target = self.max_nodes * 3 // 4
        open_nodes = {id(node) for node in self._open}
        while self._nodes > target:
            candidates: dict[int, list[Node]] = {}
            stack: list[tuple[Node, int]] = [(self.root, 0)]
            while stack:
                node, depth = stack.pop()
                forgettable = any(child.weight < NOTABLE_WEIGHT and not child.children for child in node.children)
                if forgettable and id(node) not in open_nodes:
                    candidates.setdefault(depth, []).append(node)
                stack.extend((child, depth + 1) for child in node.children)
            if not candidates:
                break
            for node in sorted(candidates[max(candidates)], key=lambda one: one.start_byte):
                before = len(node.children)
                forget_children(node)
                self._nodes -= before - len(node.children)
                if self._nodes <= target:
                    return
        if self._nodes > self.max_nodes:
            for node in list(self._open):
                if len(node.children) > 4:
                    before = sum(child.size() for child in node.children)
                    node.children = [make_group(node.children)]
                    forget_children(node.children[0])
                    self._nodes += node.children[0].size() - before


def forget_children(node: Node) -> None:
    """Drop the children that are neither notable nor parents of something kept; their number is added to `hidden`."""
    kept = [child for child in node.children if child.weight >= NOTABLE_WEIGHT or child.children]
    node.hidden += len(node.children) - len(kept)
    node.children = kept


def make_group(members: list[Node]) -> Node:
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
            if node.children:
                notable = [child for child in node.children if child.weight >= NOTABLE_WEIGHT]
                node.hidden += len(node.children) - len(notable)
                node.children = notable
            group.children.append(node)
    return group


def merge_groups(left: Node, right: Node) -> Node:
    """Two neighbouring groups as one; only notable members stay listed."""
    merged = make_group([left, right])
    forget_children(merged)
    return merged


def _label(node: Node) -> str:
    return node.label or node.title


def _last_label(node: Node) -> str:
    return str(node.facts["last"]) if node.kind == "group" and "last" in node.facts else _label(node)


def section_id(kind: str, level: int, start_byte: int) -> str:
    """A name that stays the same while the file grows: what it is, how deep it lies, where it begins."""
    return f"{kind}-{level}-{start_byte:x}"


def freeze(nodes: list[Node]) -> tuple[Section, ...]:
    """Nodes as sections: titles and digests clipped, ids unique among all."""
    seen: dict[str, int] = {}

    def one(node: Node) -> Section:
        name = section_id(node.kind, node.level, node.start_byte)
        times = seen.get(name, 0)
        seen[name] = times + 1
        if times:
            name = f"{name}-{times}"
        return Section(
            id=name,
            title=clip_text(node.title, TITLE_MAX_BYTES) or f"({node.kind})",
            kind=node.kind,
            start_line=node.start_line,
            end_line=node.end_line,
            start_byte=node.start_byte,
            end_byte=node.end_byte,
            digest=clip_text(node.digest, DIGEST_MAX_BYTES),
            count=node.count,
            facts=node.facts,
            children=tuple([one(child) for child in node.children]),
            weight=node.weight,
            more=More(node.hidden) if node.hidden else None,
            start_column=node.start_column,
            end_column=node.end_column,
            resume=node.resume,
        )

    return tuple([one(node) for node in nodes])


def with_prefix(sections: tuple[Section, ...], prefix: str) -> tuple[Section, ...]:
    """The sections of an expanded node, named below it: `prefix/id`, at every depth."""
    return tuple(
        replace(section, id=f"{prefix}/{section.id}", children=with_prefix(section.children, prefix))
        for section in sections
    )
