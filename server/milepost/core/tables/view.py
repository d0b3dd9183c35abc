"""The records of one block as the rest of a scan asks for them: their places in the file, lines and first bytes."""

from __future__ import annotations

from milepost.core.scan import Block
from milepost.core.tables.cells import RAW_BYTES, Mark
from milepost.core.tables.records import Rows


class View:
    """The records of one block, with their places in the file and their first bytes."""

    def __init__(self, block: Block, rows: Rows, first_line: int, open_raw: bytes, last_raw: bytes) -> None:
        self.block = block
        self.rows = rows
        self._first_line = first_line
        self._open_raw = open_raw
        self._last_raw = last_raw

    def start(self, index: int) -> int:
        """The offset in the file of a record."""
        return self.block.start + int(self.rows.starts[index])

    def line(self, index: int) -> int:
        """The line on which a record begins."""
        return self._first_line if index == 0 else self.block.line_at(int(self.rows.starts[index]))

    def raw(self, index: int) -> bytes:
        """The first bytes of a record."""
        if index < 0:
            return self._last_raw
        start, end = int(self.rows.starts[index]), int(self.rows.ends[index])
        behind = self.block.data[max(0, start) : min(end, max(0, start) + RAW_BYTES)]
        return (self._open_raw + behind)[:RAW_BYTES] if index == 0 and self._open_raw else behind

    def mark(self, index: int, record: int, ragged: int, previous: int = -1) -> Mark:
        """A mark at a record; `previous` is the index of the record before."""
        return Mark(record, self.start(index), self.line(index), self.raw(index), self.raw(previous), ragged)
