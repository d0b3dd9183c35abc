"""Records of a file, one to a line, kept as at most a few hundred runs whatever their number.

As with the members of a large JSON array: one by one up to `LISTED_RECORDS`, then in runs of 5, 10, 50, 100, ... A run
never holds records of two sorts (as long as the sorts lie in few stretches of the file), and what is notable (a broken
record, one that is a section of its own) is never in a run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

LISTED_RECORDS = 128
#: How much of a record is kept, to tell what it is.
HEAD_BYTES = 2000
#: A file whose sorts of record alternate more often than this is not cut by them.
_MAX_SORT_CHANGES = 48
_MAX_NOTABLE = 256


class Record(NamedTuple):
    """One record: where its line begins, that line's number, its size without the line end, and its first bytes."""

    start: int
    line: int
    size: int
    head: bytes


class Run:
    """`count` neighbouring records from record `index` on. `notable` is what is to be said of a single one."""

    __slots__ = ("bad", "count", "first", "index", "last", "notable", "sort")

    def __init__(self, index: int, count: int, first: Record, last: Record, sort: int, notable: Any = None) -> None:
        self.index = index
        self.count = count
        self.first = first
        self.last = last
        self.sort = sort
        self.notable = notable
        self.bad = 0


class Runs:
    """The runs of a file, in order."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.records = 0
        self.step = 1
        self.bad = 0
        self._changes = 0
        self._notable = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Runs:
        twin = Runs.__new__(Runs)
        twin.__dict__.update(self.__dict__)
        twin.runs = []
        for run in self.runs:
            again = Run(run.index, run.count, run.first, run.last, run.sort, run.notable)
            again.bad = run.bad
            twin.runs.append(again)
        return twin

    @property
    def tells_sorts(self) -> bool:
        """Whether runs are still cut where the sort of record changes."""
        return self._changes <= _MAX_SORT_CHANGES

    def make_room(self, count: int) -> None:
        """Lengthen the runs to what they will be once `count` more records have been added."""
        if self.records + count > LISTED_RECORDS * self.step:
            while self.records + count > LISTED_RECORDS * self.step:
                self.step = self.step * 5 if str(self.step)[0] == "1" else self.step * 2
            self._regroup()

    @property
    def notable_room(self) -> int:
        """How many more records can be shown by themselves; bad ones past that are only counted."""
        return max(0, _MAX_NOTABLE - self._notable)

    def add(self, count: int, first: Record, last: Record, sort: int, bad: int = 0) -> None:
        """Add records, `bad` of them no JSON, that lie in one run: they must not reach over a multiple of `step`."""
        self.make_room(count)
        previous = self.runs[-1] if self.runs else None
        if previous is not None and previous.notable is None and previous.sort != sort and self.tells_sorts:
            self._changes += 1
            if not self.tells_sorts:
                self._regroup()
                previous = self.runs[-1]
        if previous is not None and self._belongs(previous, self.records, sort, None):
            previous.count += count
            previous.last = last
        else:
            self.runs.append(Run(self.records, count, first, last, sort))
        self.runs[-1].bad += bad
        self.bad += bad
        self.records += count

    def add_notable(self, record: Record, notable: Any, is_bad: bool) -> None:
        """Add one record that is shown by itself, while there is room for such."""
        if not self.notable_room:
            self.add(1, record, record, self.runs[-1].sort, int(is_bad))
            return
        self.make_room(1)
        self._notable += 1
        run = Run(self.records, 1, record, record, -1, notable)
        run.bad = int(is_bad)
        self.bad += run.bad
        self.runs.append(run)
        self.records += 1

    def room(self) -> int:
        """How many records can be added to the run that is being filled."""
        return self.step - self.records % self.step

    def _belongs(self, run: Run, index: int, sort: int, notable: Any) -> bool:
        same_sort = run.sort == sort or not self.tells_sorts
        return run.notable is None and notable is None and same_sort and run.index // self.step == index // self.step

    def _regroup(self) -> None:
        kept: list[Run] = []
        for run in self.runs:
            if kept and self._belongs(kept[-1], run.index, run.sort, run.notable):
                kept[-1].count += run.count
                kept[-1].last = run.last
                kept[-1].bad += run.bad
            else:
                kept.append(run)
        self.runs = kept
