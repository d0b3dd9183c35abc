"""The hunks of a block, all at once; one hunk as a value, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.outline import Node
from milepost.core.structure.diff_measure import LineSums, running
from milepost.core.structure.line_view import LineView
from milepost.core.structure.section_tree import PART_LINES

Ints = npt.NDArray[np.int64]
Decode = Callable[[bytes], str]
_GROUP = 64
_MOST_CUTS = 128
_TITLE_BYTES = 160


class Gap(NamedTuple):
    """The lines `low` to `high` of a view, which lie in no hunk. Before them lie the hunks up to number `hunk`."""

    low: int
    high: int
    hunk: int


class HunkTable:
    """The hunks that begin in a view: hunk `i` is the lines `indexes[i]` to `stops[i]` of it.

    `heads` has a row for each: its line, and how many old and new lines its head says it has (-1: that is not known).
    """

    def __init__(self, view: LineView, sums: LineSums, heads: Ints) -> None:
        self._view = view
        firsts = heads[:, 0] + 1
        self._firsts = firsts
        self._ends, self._is_short = sums.stops(firsts, heads[:, 1], heads[:, 2])
        self._added = running(sums.added[self._ends] - sums.added[firsts])
        self._removed = running(sums.removed[self._ends] - sums.removed[firsts])
        self.indexes: list[int] = heads[:, 0].tolist()
        self.stops: list[int] = self._ends.tolist()
        #: Whether the last one may go on in the next block, be it only with "\\ No newline at end of file".
        self.is_open = bool(self.stops) and self.stops[-1] == view.size
        if self.is_open:
            self._is_short[-1] = False
        self._short = np.flatnonzero(self._is_short)
        after = np.append(view.heads, 0)[self._ends]
        #: Hunks with a line behind them that looks as if it were still theirs.
        self.followed: Ints = np.flatnonzero(sums.body[after] & (heads[:, 1] >= 0))

    def __len__(self) -> int:
        return len(self.indexes)

    def gaps(self, low: int, size: int) -> list[Gap]:
        """What lies between the hunks, from line `low` on, up to the view's `size`."""
        befores, afters = np.append(low, self._ends), np.append(self._firsts - 1, size)
        hunks = np.flatnonzero(befores < afters)
        return [Gap(*one) for one in zip(befores[hunks].tolist(), afters[hunks].tolist(), hunks.tolist(), strict=True)]

    def changes(self, low: int, high: int) -> tuple[int, int]:
        """How many lines the hunks `low` to `high` add and remove."""
        return int(self._added[high] - self._added[low]), int(self._removed[high] - self._removed[low])

    def short_ones(self, low: int, high: int) -> list[int]:
        """Those of the hunks `low` to `high` that have fewer lines than their heads say."""
        if not len(self._short):
            return []
        found: list[int] = self._short[(self._short >= low) & (self._short < high)].tolist()
        return found

    def hunks(self, low: int, high: int) -> list[Hunk]:
        """The hunks `low` to `high` as values."""
        view = self._view
        found = []
        for number in range(low, high):
            index, stop = self.indexes[number], self.stops[number]
            hunk = Hunk(
                *self.changes(number, number + 1),
                view.text(index, _TITLE_BYTES),
                view.offset(index),
                view.number(index),
                view.offset(stop),
                view.number(stop) - 1,
                is_short=bool(self._is_short[number]),
            )
            if stop - index > PART_LINES:
                hunk.add_cuts(view, index, stop)
            found.append(hunk)
        return found


@dataclass(slots=True)
class Hunk:
    """A hunk: what it changes, its first line, and where it is in the file."""

    added: int
    removed: int
    title: bytes
    start_byte: int
    start_line: int
    end_byte: int
    end_line: int
    is_short: bool = False
    cuts: list[tuple[int, int, bytes]] = field(default_factory=list)
    cut_lines: int = PART_LINES

    def add_cuts(self, view: LineView, low: int, high: int) -> None:
        """Note where a long hunk may be cut: every so many lines, fewer the longer it gets."""
        while True:
            last = self.cuts[-1][1] if self.cuts else self.start_line
            index = low + max(0, last + self.cut_lines - view.number(low))
            if index >= high:
                return
            self.cuts.append((view.offset(index), view.number(index), view.text(index, 160)))
            if len(self.cuts) > _MOST_CUTS:
                self.cuts = self.cuts[1::2]
                self.cut_lines *= 2

    def label(self, decoded: Decode) -> str:
        """The first line."""
        return decoded(self.title.split(b"\n", 1)[0]).strip()

    def node(self, decoded: Decode) -> Node:
        """The hunk as a node of an outline."""
        node = Node(
            "hunk",
            self.label(decoded),
            self.start_byte,
            self.start_line,
            self.end_byte,
            self.end_line,
            digest=changes(self.added, self.removed),
            facts={"added": self.added, "removed": self.removed},
            weight=0.6 if self.is_short else 0.3,
        )
        places = [(self.start_byte, self.start_line, self.title.split(b"\n", 1)[0]), *self.cuts]
        ends = [*self.cuts, (self.end_byte, self.end_line + 1, b"")]
        if self.cuts:
            for (byte, line, text), (end_byte, next_line, _) in zip(places, ends, strict=True):
                title = decoded(text).strip() or "(blank)"
                count = next_line - line
                if end_byte > byte:
                    part = Node("lines", title, byte, line, end_byte, next_line - 1, count=max(1, count), weight=0.1)
                    part.digest = f"{count:,} lines"
                    node.children.append(part)
        return node


@dataclass(frozen=True, slots=True)
class _Part:
    """Neighbouring hunks: the first and the last of them, how many they are, and what they change together."""

    first: Hunk
    last: Hunk
    count: int
    added: int
    removed: int


class HunkQueue:
    """Hunks of a file that wait for its end: `hunks` as values, behind them others as places in tables.

    Once the file has so many that they are to be shown in groups, only the first and last of each group become values.
    """

    def __init__(self) -> None:
        self.hunks: list[Hunk] = []
        self._spans: list[tuple[HunkTable, int, int]] = []
        #: What fills no group yet, before `hunks`.
        self._part: _Part | None = None

    def __len__(self) -> int:
        begun = self._part.count if self._part is not None else 0
        return begun + len(self.hunks) + sum(high - low for _, low, high in self._spans)

    def take(self, table: HunkTable, low: int, high: int) -> None:
        """Append the hunks `low` to `high` of a table."""
        self._spans.append((table, low, high))

    def last(self) -> Hunk:
        """The last one, as the value that stands for it from now on."""
        if self._spans:
            table, low, high = self._spans.pop()
            if high - low > 1:
                self._spans.append((table, low, high - 1))
            self.settle()
            self.hunks += table.hunks(high - 1, high)
        return self.hunks[-1]

    def drop(self) -> None:
        """Forget all but the last, which may go on."""
        if self._spans:
            table, _, high = self._spans[-1]
            self.hunks, self._spans = [], [(table, high - 1, high)]
        else:
            self.hunks = self.hunks[-1:]

    def settle(self) -> None:
        """Make values of all, so that no table is needed any more."""
        for table, low, high in self._spans:
            self.hunks += table.hunks(low, high)
        self._spans = []

    def nodes(self, decoded: Decode, *, keeps_last: bool) -> list[Node]:
        """All of them, one by one; with `keeps_last` but for the last one, which may still go on and waits."""
        self.settle()
        kept = self.hunks[-1:] if keeps_last else []
        found = [hunk.node(decoded) for hunk in self.hunks[: len(self.hunks) - len(kept)]]
        self.hunks = kept
        return found

    def groups(self, decoded: Decode, *, keeps_last: bool) -> list[Node]:
        """Groups of neighbours, which list them when they are expanded.

        With `keeps_last`, what fills no group waits, and so does the last hunk, which may still go on.
        """
        found = []
        size = len(self) - keeps_last
        while size >= (_GROUP if keeps_last else 1):
            part = self._next_part(min(_GROUP, size))
            self._part = None
            size -= part.count
            found.append(_group_node(part, decoded))
        if size > 0:
            self._part = self._next_part(size)
        return found

    def _next_part(self, size: int) -> _Part:
        """The next `size` hunks, which are taken from what waits."""
        parts = [self._part] if self._part is not None else []
        size -= sum(part.count for part in parts)
        taken, self.hunks = self.hunks[:size], self.hunks[size:]
        parts += [_Part(one, one, 1, one.added, one.removed) for one in taken]
        size -= len(taken)
        while size > 0:
            table, low, high = self._spans[0]
            stop = min(high, low + size)
            first, last = table.hunks(low, low + 1)[0], table.hunks(stop - 1, stop)[0]
            parts.append(_Part(first, last, stop - low, *table.changes(low, stop)))
            size -= stop - low
            self._spans[:1] = [(table, stop, high)] if stop < high else []
        added, removed = sum(one.added for one in parts), sum(one.removed for one in parts)
        return _Part(parts[0].first, parts[-1].last, sum(one.count for one in parts), added, removed)


def _group_node(part: _Part, decoded: Decode) -> Node:
    first, last = part.first, part.last
    node = Node(
        "group",
        f"{first.label(decoded)} … {last.label(decoded)}",
        first.start_byte,
        first.start_line,
        last.end_byte,
        last.end_line,
        digest=changes(part.added, part.removed),
        count=part.count,
        facts={"of": "hunk", "added": part.added, "removed": part.removed},
        hidden=part.count,
        label=first.label(decoded),
    )
    node.facts["last"] = last.label(decoded)[:100]
    return node


def changes(added: int, removed: int) -> str:
    """`+12 −3`."""
    return f"+{added:,} −{removed:,}"
