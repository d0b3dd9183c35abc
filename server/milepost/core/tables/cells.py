"""Marks along a table, from which its groups of records are made at the end, however many records there are.

At first every record is marked; when there are too many marks only every tenth is kept, so that a mark always stands
before a round number of records. Beside them, marks where the value of one column changes, for tables that are sorted by
something with few values. All are functions of the records in order, so that a table that grows is marked as if it had
always been longer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

MAX_MARKS = 2000
#: A column whose value changes more often than this gives no groups.
MAX_RUNS = 1000
RAW_BYTES = 320


class Mark(NamedTuple):
    """The beginning of a record: its 0-based number, byte and line, and the first bytes of it and of the one before.

    `ragged` is how many records before it had another number of fields.
    """

    record: int
    byte: int
    line: int
    raw: bytes
    before: bytes
    ragged: int


@dataclass(slots=True)
class Marks:
    """The marks of a table; every `unit`th record has one."""

    unit: int = 1
    kept: list[Mark] = field(default_factory=list)

    def wanted(self, first: int, stop: int) -> range:
        """Which of the records first … stop-1 are to be marked, now that there are `stop`."""
        while stop > self.unit * MAX_MARKS:
            self.unit *= 10
            self.kept = [one for one in self.kept if one.record % self.unit == 0]
        return range(-(-first // self.unit) * self.unit, stop, self.unit)

    def add(self, mark: Mark) -> None:
        """Take one of the marks that are wanted."""
        self.kept.append(mark)

    def copy(self) -> Marks:
        """A twin that can be fed on its own."""
        return Marks(self.unit, list(self.kept))


@dataclass(slots=True)
class Runs:
    """Marks where the value of one column (or its first `prefix` bytes) changes. `values` has the value of each run."""

    column: int
    prefix: int = 0
    kept: list[Mark] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    is_alive: bool = True
    must_rise: bool = False

    def add(self, mark: Mark, value: bytes) -> None:
        """Take the record where another value begins."""
        if not self.is_alive:
            return
        if self.values and (value == self.values[-1] or (self.must_rise and value < self.values[-1])):
            self.is_alive = value == self.values[-1]
            return
        self.kept.append(mark)
        self.values.append(value)
        if len(self.kept) > MAX_RUNS:
            self.is_alive = False
            self.kept.clear()
            self.values.clear()

    def is_natural(self, records: int) -> bool:
        """Whether the runs are groups that a reader would make: several, not tiny, no value in two of them."""
        count = len(self.kept)
        if not self.is_alive or count < 2 or records < 4 * count or not all(self.values):
            return False
        return len(set(self.values)) == count

    def copy(self) -> Runs:
        """A twin that can be fed on its own."""
        return Runs(self.column, self.prefix, list(self.kept), list(self.values), self.is_alive, self.must_rise)


def round_size(records: int, most: int, unit: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50 … that is a multiple of `unit` and makes at most `most` groups of `records`."""
    size = unit
    while -(-records // size) > most:
        digit = int(str(size)[0])
        size = size * 2 if digit != 2 else size // 2 * 5
    return size
