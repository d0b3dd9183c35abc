"""What is kept of a JSON document while it is scanned: its large containers, each with its members or runs of members.

Two rules keep this small whatever the document, and make it a function of the document alone:

* A container is *listed* when its rank, which is its size over four for each level it lies deep, is at least `min_rank`.
  That threshold is the least of a fixed row (each a quarter above the one before) for which the listed containers and
  their entries fit the budget; it only ever rises, and what falls below it is forgotten.
* A container lists its members one by one up to `LISTED_MEMBERS` of them, then in runs of 5, 10, 50, 100, ... members,
  the least step that makes at most that many runs. A run begins at a multiple of the step, or after a listed member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from milepost.core.structure.json_place import Mark

LISTED_MEMBERS = 128
#: Containers deeper than this are not listed, however large.
LISTED_DEPTH = 16
#: How much of a member is kept, from its start and from its end, to tell what it is.
HEAD_BYTES = 400
TAIL_BYTES = 240

DOCUMENT = 0


def rank_of(size: int, depth: int) -> int:
    """How much a container of `size` bytes, whose inside lies `depth` levels deep, has to be listed."""
    return size >> (2 * (depth - 1))


class Member(NamedTuple):
    """The text of one member: where it begins (at its key, in an object), its size, and what is kept of it."""

    start: int
    size: int
    head: bytes
    tail: bytes


class Entry:
    """One member of a container, or a run of `count` neighbouring ones, from member `index` on."""

    __slots__ = ("child", "count", "first", "index", "last", "mark")

    def __init__(
        self, mark: Mark, index: int, count: int, first: Member, last: Member, child: Container | None
    ) -> None:
        self.mark = mark
        self.index = index
        self.count = count
        self.first = first
        self.last = last
        self.child = child

    def __deepcopy__(self, memo: dict[int, Any]) -> Entry:
        child = None if self.child is None else self.child.__deepcopy__(memo)
        return Entry(self.mark, self.index, self.count, self.first, self.last, child)


class Container:
    """An object or array (`kind` is its opening bracket), or the document itself (`DOCUMENT`).

    `depth` is the nesting inside it, `size` that of its text from bracket to bracket (-1 while open), `end` the boundary
    before its closing bracket. While it is open: `members` counts those that are complete, `after` is the offset of the
    bracket or comma before the current member, `token` that of the member itself (-1: none begun), `head` its text, `mark`
    its boundary, and `recorded` says that it was a container and has been entered already.
    """

    __slots__ = (
        "after", "depth", "end", "entries", "head", "kind", "mark", "members", "opener", "recorded", "size", "step", "token",
    )  # fmt: skip

    def __init__(self, kind: int, depth: int, opener: int) -> None:
        self.kind = kind
        self.depth = depth
        self.opener = opener
        self.size = -1
        self.end: Mark | None = None
        self.entries: list[Entry] = []
        self.members = 0
        self.step = 1
        self.after = opener
        self.token = -1
        self.head = b""
        self.mark = Mark(opener, 1, None)
        self.recorded = False

    def __deepcopy__(self, memo: dict[int, Any]) -> Container:
        twin = Container.__new__(Container)
        for name in Container.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.entries = [entry.__deepcopy__(memo) for entry in self.entries]
        return twin

    @property
    def weight(self) -> int:
        """How many nodes this container and its runs are, its listed members not counted."""
        return 1 + -(-self.members // self.step)

    def add(self, mark: Mark, count: int, first: Member, last: Member, child: Container | None = None) -> None:
        """Enter the next `count` members. They must lie in one run, unless `child` is given (then it is one)."""
        entries, index = self.entries, self.members
        if child is None and self.step > 1 and entries:
            previous = entries[-1]
            if previous.child is None and previous.index // self.step == index // self.step:
                previous.count += count
                previous.last = last
                self.members += count
                return
        entries.append(Entry(mark, index, count, first, last, child))
        self.members += count
        self.make_room(0)

    def make_room(self, count: int) -> None:
        """Lengthen the runs to what they will be once `count` more members have been entered."""
        if self.members + count > LISTED_MEMBERS * self.step:
            while self.members + count > LISTED_MEMBERS * self.step:
                self.step = _next_step(self.step)
            self.regroup()

    def regroup(self) -> None:
        """Join neighbouring entries that belong to one run."""
        if self.step == 1:
            return
        kept: list[Entry] = []
        for entry in self.entries:
            previous = kept[-1] if kept else None
            if (
                previous is not None
                and entry.child is None
                and previous.child is None
                and previous.index // self.step == entry.index // self.step
            ):
                previous.count += entry.count
                previous.last = entry.last
            else:
                kept.append(entry)
        self.entries = kept

    def listed(self) -> Iterator[Container]:
        """All listed containers inside this one, at any depth."""
        stack = [self]
        while stack:
            for entry in stack.pop().entries:
                if entry.child is not None:
                    yield entry.child
                    stack.append(entry.child)

    @property
    def rank(self) -> int:
        """What decides whether the container is listed."""
        return rank_of(self.size, self.depth)

    def forget_below(self, min_rank: int) -> None:
        """Take containers of less than `min_rank` for plain members."""
        for container in (self, *self.listed()):
            changed = False
            for entry in container.entries:
                if entry.child is not None and entry.child.rank < min_rank and container.kind != DOCUMENT:
                    entry.child = None
                    changed = True
            if changed:
                container.regroup()


def _next_step(step: int) -> int:
    return step * 5 if str(step)[0] == "1" else step * 2


class Tree:
    """The open containers, outermost first, and the budget. `stack[0]` is the document."""

    def __init__(self, start_byte: int, max_nodes: int, min_rank: int = 0) -> None:
        self.stack = [Container(DOCUMENT, 0, start_byte - 1)]
        self.max_nodes = max_nodes
        self.min_rank = min_rank
        self.held = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        twin = Tree.__new__(Tree)
        twin.stack = [container.__deepcopy__(memo) for container in self.stack]
        twin.max_nodes, twin.min_rank, twin.held = self.max_nodes, self.min_rank, self.held
        return twin

    @property
    def top(self) -> Container:
        """The innermost open container."""
        return self.stack[-1]

    def kinds(self) -> bytes:
        """The opening brackets of what is open."""
        return bytes(container.kind for container in self.stack[1:])

    def last_boundary(self) -> int:
        """Where the entry begins that begins last."""
        latest, entries = 0, self.stack[0].entries
        while entries:
            latest = max(latest, entries[-1].mark.byte)
            entries = entries[-1].child.entries if entries[-1].child is not None else []
        return latest

    def open(self, kind: int, opener: int) -> Container:
        """Begin a container, which is the current member of the innermost open one."""
        container = Container(kind, len(self.stack), opener)
        self.stack.append(container)
        return container

    def close(self, closer: int, end: Mark, tail: bytes) -> bool:
        """End the innermost container at its closing bracket. True when the threshold has risen by that."""
        container = self.stack.pop()
        parent = self.stack[-1]
        container.size = closer + 1 - container.opener
        container.end = end
        size = closer + 1 - parent.token
        member = Member(parent.token, size, parent.head[:size], tail)
        parent.recorded = True
        is_listed = parent.kind == DOCUMENT or (container.rank >= self.min_rank and container.depth <= LISTED_DEPTH)
        if parent.depth <= LISTED_DEPTH:
            parent.add(parent.mark, 1, member, member, container if is_listed else None)
        if not is_listed:
            return False
        self.held += container.weight
        return self._fit()

    def _fit(self) -> bool:
        if self.held <= self.max_nodes:
            return False
        ranks = [(one.rank, one.weight) for root in self.stack for one in root.listed()]
        highest = max(rank for rank, _ in ranks)
        while self.held > self.max_nodes and self.min_rank <= highest:
            self.min_rank += max(1, self.min_rank // 4)
            self.held = sum(weight for rank, weight in ranks if rank >= self.min_rank)
        for container in self.stack:
            container.forget_below(self.min_rank)
        return True
