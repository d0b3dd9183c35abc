"""A part of a block of SQL with the places where its statements end; runs of INSERT statements are measured here."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.sqltext.rows import Brackets
from milepost.core.sqltext.statements import Head, classify
from milepost.core.tables.bits import Offsets
from milepost.core.tables.fields import Words as Bytes8

#: Of the first words of INSERT statements so many bytes are compared, at the beginning and at the end.
_PREFIX_BYTES = 48


def lines_beginning(block: Block, word: bytes, low: int = 0, high: int | None = None) -> list[int]:
    """Offsets in the block of the lines from `low` to `high` that begin with `word` (small letters), in any case."""
    data, starts = block.data, block.starts
    if low or (high is not None and high < len(data)):
        starts = starts[
            int(np.searchsorted(starts, low)) : int(np.searchsorted(starts, len(data) if high is None else high))
        ]
    # 0x20 makes capitals small; of the few other bytes that it makes like one the second look takes care.
    starts = starts[(block.array[starts] | 0x20) == word[0] | 0x20]
    return [at for at in starts.tolist() if data[at : at + len(word)].lower() == word]


class Piece:
    """A part of a block, with the places where its statements end."""

    def __init__(
        self,
        block: Block,
        data: bytes,
        low: int,
        ends: Offsets,
        widths: Offsets,
        brackets: Brackets,
    ) -> None:
        self.block = block
        self.data = data
        self.codes = block.array[low : low + len(data)]
        self.low = low
        self.ends = ends
        self.widths = widths
        self.brackets = brackets
        self._bytes: Bytes8 | None = None
        self._starts: Offsets | None = None
        self._apart: npt.NDArray[np.bool_] | None = None

    def starts(self) -> Offsets:
        """Where the statement behind each terminator would begin: behind a line end, if there is one."""
        if self._starts is None:
            starts = self.ends + self.widths
            top = len(self.codes) - 1
            starts = starts + (self.codes[np.minimum(starts, top)] == 0x0D)
            starts = starts + (self.codes[np.minimum(starts, top)] == 0x0A)
            self._starts = np.minimum(starts, len(self.codes))
        return self._starts

    def after_empty(self, index: int) -> tuple[int, int]:
        """The first terminator that does not directly follow the one at `index`, and where its statement begins."""
        if self._apart is None:
            self._apart = np.append(self.ends[1:] != self.ends[:-1] + self.widths[:-1], True)
        following = index + int(np.argmax(self._apart[index:]))
        return following + 1, int(self.ends[following] + self.widths[following])

    def run_from(self, index: int, start: int, head: Head) -> tuple[int, int]:
        """The last of the terminators from `index` on that end statements which begin like the one at `start`.

        Also how many rows those behind the first add.
        """
        if index + 1 >= len(self.ends) or not head.prefix:
            return index, 0
        prefix = self.data[start : start + head.prefix]
        following = int(self.ends[index] + self.widths[index])
        following += self.data[following : following + 1] == b"\r"
        following += self.data[following : following + 1] == b"\n"
        if not self.data.startswith(prefix, following):
            return index, 0
        starts = self.starts()[index:-1]
        # Most tables change within a few statements or not at all: a short look first.
        count = self._alike(starts[:8], start, head)
        if count == 8:
            count = self._alike(starts, start, head)
        if not count:
            return index, 0
        firsts, ends = starts[:count], self.ends[index + 1 : index + 1 + count]
        opened = self.brackets.opened(firsts, ends)
        plain = 1 + head.has_columns
        if bool((opened == plain).all()):
            return index + count, count
        rows = 0
        for first, end, brackets in zip(firsts.tolist(), ends.tolist(), opened.tolist(), strict=True):
            if brackets == plain:
                rows += 1
                continue
            outer, _ = self.brackets.count_outer(first, end, 0)
            rows += max(0, outer - head.has_columns - self.brackets.tail_rows(first, end))
        return index + count, rows

    def mixed_run(self, index: int, start: int, encoding: str) -> tuple[int, dict[str, list[int]]]:
        """The last of the terminators from `index` on that end INSERT statements, and each table's statements and rows."""
        if self._bytes is None:
            self._bytes = Bytes8(self.data)
        starts = np.append(start, self.starts()[index:-1])
        words = self._bytes.at(np.minimum(starts, len(self.data) - 1), 6)
        alike = words == words[0]
        count = len(starts) if bool(alike.all()) else int(np.argmin(alike))
        firsts, ends = starts[:count], self.ends[index : index + count]
        opened = self.brackets.opened(firsts, ends)
        tables: dict[str, list[int]] = {}
        heads: dict[bytes, Head] = {}
        for first, end, brackets in zip(firsts.tolist(), ends.tolist(), opened.tolist(), strict=True):
            # Up to the first value the statements of one table are alike.
            words_of = self.data[first : min(end, first + 2000)].partition(b"VALUES")[0]
            head = heads.get(words_of)
            if head is None:
                head = heads[words_of] = classify(self.data[first : min(end, first + 4096)], encoding)
            rows = int(head.is_insert)
            if head.is_insert and brackets != 1 + head.has_columns:
                outer, _ = self.brackets.count_outer(first, end, 0)
                rows = max(0, outer - head.has_columns - self.brackets.tail_rows(first, end))
            entry = tables.setdefault(head.subject, [0, 0])
            entry[0] += 1
            entry[1] += rows
            if len(heads) > 4096:
                heads.clear()
        return index + count - 1, tables

    def _alike(self, starts: Offsets, start: int, head: Head) -> int:
        """How many of the statements at `starts` begin with the same words."""
        if self._bytes is None:
            self._bytes = Bytes8(self.data)
        length = head.prefix
        offsets = list(range(0, min(length, _PREFIX_BYTES), 8))
        if length > _PREFIX_BYTES:
            offsets += range(max(_PREFIX_BYTES, length - 24), length, 8)
        alike = starts + length <= len(self.data)
        places = np.where(alike, starts, start)
        for at in offsets:
            width = min(8, length - at)
            word = self._bytes.at(np.array([start + at]), width)[0]
            alike &= self._bytes.at(places + at, width) == word
        return len(starts) if bool(alike.all()) else int(np.argmin(alike))
