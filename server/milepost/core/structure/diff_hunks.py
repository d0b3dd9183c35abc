"""The hunks of a block, all at once; one hunk as a value, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.outline import Node
from milepost.core.structure.diff_measure import LineSums
from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.section_tree import PART_LINES

Ints = npt.NDArray[np.int64]
Decode = Callable[[bytes], str]
_GROUP = 64
_MOST_CUTS = 128
_TITLE_BYTES = 160
_IN_HUNK = table_of(b"+- ")


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
        self._view, self._sums = view, sums
        firsts = heads[:, 0] + 1
        self._firsts = firsts
        self._ends, self._is_short = sums.stops(firsts, heads[:, 1], heads[:, 2])
        self.indexes: list[int] = heads[:, 0].tolist()
        self.stops: list[int] = self._ends.tolist()
        #: Whether the last one may go on in the next block, be it only with "\\ No newline at end of file".
        self.is_open = bool(self.stops) and self.stops[-1] == view.size
        if self.is_open:
            self._is_short[-1] = False
        self._short = np.flatnonzero(self._is_short)
        after = np.append(view.heads, 0)[self._ends]
        #: Hunks with a line behind them that looks as if it were still theirs.
        self.followed: Ints = np.flatnonzero(_IN_HUNK[after] & (heads[:, 1] >= 0))

    def __len__(self) -> int:
        return len(self.indexes)

    def gaps(self, low: int, size: int) -> Iterator[Gap]:
        """What lies between the hunks, from line `low` on, up to the view's `size`."""
        indexes, stops = self._firsts - 1, self._ends
        befores, afters = np.append(low, stops), np.append(indexes, size)
        for hunk in np.flatnonzero(befores < afters).tolist():
            yield Gap(int(befores[hunk]), int(afters[hunk]), hunk)

    def changes(self, low: int, high: int) -> tuple[int, int]:
        """How many lines the hunks `low` to `high`, which follow each other, add and remove."""
        first, stop = self.indexes[low], self.stops[high - 1]
        added, removed = self._sums.added, self._sums.removed
        return int(added[stop] - added[first]), int(removed[stop] - removed[first])

    def short_ones(self, low: int, high: int) -> list[int]:
        """Those of the hunks `low` to `high` that have fewer lines than their heads say."""
        if not len(self._short):
            return []
        found: list[int] = self._short[(self._short >= low) & (self._short < high)].tolist()
        return found

    def hunks(self, low: int, high: int) -> list[Hunk]:
        """The hunks `low` to `high` as values."""
        view, sums = self._view, self._sums
        found = []
        for number in range(low, high):
            index, stop = self.indexes[number], self.stops[number]
            hunk = Hunk(
                int(sums.added[stop] - sums.added[index]),
                int(sums.removed[stop] - sums.removed[index]),
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
            resume={"hunks": True},
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


class HunkQueue:
    """Hunks of a file that wait for its end: as values, and after those as places in tables."""

    def __init__(self) -> None:
        self.hunks: list[Hunk] = []
        self._spans: list[tuple[HunkTable, int, int]] = []

    def __len__(self) -> int:
        return len(self.hunks) + sum(high - low for _, low, high in self._spans)

    def take(self, table: HunkTable, low: int, high: int) -> None:
        """Append the hunks `low` to `high` of a table."""
        self._spans.append((table, low, high))

    def settle(self) -> None:
        """Make values of all, so that no table is needed any more."""
        for table, low, high in self._spans:
            self.hunks += table.hunks(low, high)
        self._spans = []

    def nodes(self, decoded: Decode) -> list[Node]:
        """All of them, one by one; then none waits any more."""
        self.settle()
        found = [hunk.node(decoded) for hunk in self.hunks]
        self.hunks = []
        return found

    def groups(self, decoded: Decode, *, whole: bool) -> list[Node]:
        """Groups of neighbours that list them when they are expanded; with `whole`, what fills no group waits on.

        The last hunk may still go on, so it waits on too.
        """
        count = (len(self) - 1) // _GROUP * _GROUP if whole else len(self)
        found = []
        while count > 0:
            size = min(_GROUP, count)
            found.append(self._group(size, decoded))
            count -= size
        return found

    def _group(self, size: int, decoded: Decode) -> Node:
        members, self.hunks = self.hunks[:size], self.hunks[size:]
        added, removed = sum(one.added for one in members), sum(one.removed for one in members)
        left = size - len(members)
        while left:
            table, low, high = self._spans[0]
            stop = min(high, low + left)
            more, less = table.changes(low, stop)
            added, removed, left = added + more, removed + less, left - (stop - low)
            members += table.hunks(low, low + 1) if not members else []
            members += table.hunks(stop - 1, stop)
            self._spans[:1] = [(table, stop, high)] if stop < high else []
        first, last = members[0], members[-1]
        node = Node(
            "group",
            f"{first.label(decoded)} … {last.label(decoded)}",
            first.start_byte,
            first.start_line,
            last.end_byte,
            last.end_line,
            digest=changes(added, removed),
            count=size,
            facts={"of": "hunk", "added": added, "removed": removed},
            hidden=size,
            label=first.label(decoded),
            resume={"hunks": True},
        )
        node.facts["last"] = last.label(decoded)[:100]
        return node


def changes(added: int, removed: int) -> str:
    """`+12 −3`."""
    return f"+{added:,} −{removed:,}"
