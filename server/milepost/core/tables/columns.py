"""What the columns of a table hold: profiles of all records, the first of which are looked at closely."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from milepost.core.scan import Block
from milepost.core.tables.bits import Offsets
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.fields import Grid
from milepost.core.tables.kernel import SweptRows
from milepost.core.tables.numeric import settle
from milepost.core.tables.records import Rows
from milepost.core.tables.survey import Survey
from milepost.core.tables.values import ColumnProfile

#: The first records, of so many cells and bytes, are read by `csv`: they give examples, labels, and what to expect.
_CLOSE_CELLS = 20_000
_CLOSE_BYTES = 2 << 20
_MAX_PROFILED = 200
#: So many records with quotes where none belong are read in a block.
_MOST_ODD = 200
_NAME_LIKE = re.compile(
    r"(?i)(?:^|[^a-z])(?:subject|summary|description|product|station|file|path|url|host|email|user|login|city|country|"
    r"organi[sz]ation|company|airport|event|message|template|content)"
)
_NAME = re.compile(r"(?i)(?:^|[^a-z]|full)(?:name|title|label)s?\b|[a-z]Name$")
_KEY_LIKE = re.compile(r"(?i)^(?:id|key|code|no\.?|nr|number|uuid|guid|.*[_ ]id|.*Id|.*code|line ?id)$")


class Columns:
    """The columns of one table. `labels` are the indices of those that name a record."""

    def __init__(self, names: tuple[str, ...], encoding: str, labels: tuple[int, ...] = ()) -> None:
        self.names = names
        self.encoding = encoding
        self._profiles = [ColumnProfile(name) for name in names[:_MAX_PROFILED]]
        self._room_records = max(1, _CLOSE_CELLS // max(1, len(names)))
        self._room_bytes = _CLOSE_BYTES
        self._survey = Survey()
        self._labels = labels

    def copy(self) -> Columns:
        """A twin that can be fed on its own."""
        twin = Columns((), self.encoding, self._labels)
        twin.__dict__.update(self.__dict__)
        twin._profiles = [
            replace(
                profile,
                kinds=dict(profile.kinds),
                distinct=set(profile.distinct),
                examples=list(profile.examples),
                bounds=dict(profile.bounds),
            )
            for profile in self._profiles
        ]
        return twin

    def value(self, raw: bytes, prefix: int) -> bytes:
        """The value of a field from its first bytes."""
        return raw[:prefix] if prefix else raw.rstrip(b"\r\n").rstrip(b'"')

    def take(self, block: Block, rows: Rows, used: Offsets | None, dialect: Dialect, text: bytes) -> Grid | None:
        """Take note of the records of `used` (None: all) of a block; the grid of those that lie in it as a whole, if needed.

        `text` is all of a record that began in a block before, or nothing if that is too much.
        """
        indices = np.arange(len(rows)) if used is None else used
        if len(indices) and int(rows.starts[int(indices[0])]) < 0:
            fits = int(rows.fields[int(indices[0])]) == len(self.names)
            indices = used = indices[1:]
            if fits:
                self.take_text(text, dialect)
        close = self._close(rows, indices)
        if close:
            whole = indices[:close]
            good = whole[rows.fields[whole] == len(self.names)]
            text = b"".join([block.data[int(rows.starts[one]) : int(rows.ends[one])] for one in good.tolist()])
            self._read(text, dialect, is_close=True)
            indices = used = indices[close:]
        if not len(indices):
            return None
        if not rows.in_order:
            used = self._without_odd(block, rows, indices, dialect)
        columns = list(range(len(self._profiles)))
        if used is None:
            if isinstance(rows, SweptRows):
                columns, left = rows.kernel.survey(block, rows, self._profiles)
            else:
                columns, left = settle(block, rows, dialect, self._profiles)
            self._survey.take_left(block, left, self._profiles)
            if not columns:
                return None
        grid = Grid.of(block.array, dialect, rows, used, len(self.names))
        if len(grid.starts):
            self._survey.take(block, grid, self._profiles, columns)
        return grid

    def _close(self, rows: Rows, indices: Offsets) -> int:
        """How many of the records are among the first ones, which are read closely."""
        if self._room_records <= 0 or self._room_bytes <= 0:
            return 0
        sizes = np.cumsum((rows.ends - rows.starts)[indices[: self._room_records]])
        # The one with which there are enough bytes is the last.
        count = min(len(sizes), int(np.searchsorted(sizes, self._room_bytes)) + 1)
        self._room_records -= count
        self._room_bytes -= int(sizes[count - 1]) if count else 0
        return count

    def _without_odd(self, block: Block, rows: Rows, indices: Offsets, dialect: Dialect) -> Offsets:
        """The records without quotes, of a block where quotes stand anywhere; the others are read one by one."""
        odd = np.flatnonzero((block.array == dialect.quote) | (block.array == dialect.escape))
        has_odd = np.searchsorted(odd, rows.ends[indices]) > np.searchsorted(odd, rows.starts[indices])
        found = indices[has_odd & (rows.fields[indices] == len(self.names))]
        for profile in self._profiles:
            unread = max(0, len(found) - _MOST_ODD)
            profile.seen += unread
            profile.unseen += unread
        starts, ends = rows.starts[found[:_MOST_ODD]].tolist(), rows.ends[found[:_MOST_ODD]].tolist()
        self._read(b"".join([block.data[low:high] for low, high in zip(starts, ends, strict=True)]), dialect)
        left: Offsets = indices[~has_odd]
        return left

    def take_text(self, text: bytes, dialect: Dialect) -> None:
        """Take note of one record; an empty `text` says that it is too big to be looked at."""
        is_close = self._room_records > 0 and self._room_bytes > 0
        self._room_records -= 1
        self._room_bytes -= len(text)
        if not self._read(text, dialect, is_close=is_close):
            for profile in self._profiles:
                profile.seen += 1
                profile.unseen += 1

    def _read(self, text: bytes, dialect: Dialect, *, is_close: bool = False) -> bool:
        """Read records with `csv`; whether there was one with as many fields as expected."""
        rows = [row for row in dialect.reader(text.decode("latin-1"), limit=None) if len(row) == len(self.names)]
        for profile, cells in zip(self._profiles, zip(*rows, strict=True), strict=False):
            values = [cell.encode("latin-1") for cell in cells]
            if is_close:
                profile.add(values, self.encoding)
            else:
                profile.seen += len(values)
                profile.add_kinds(values)
        return bool(rows)

    # --- saying what was found --------------------------------------------------------------------------------------

    @property
    def unseen(self) -> int:
        """How many records, at most, some column was not looked at in though its type or range may depend on them."""
        return max((profile.unseen for profile in self._profiles if profile.is_uncertain), default=0)

    def facts(self) -> list[dict[str, Any]]:
        """The columns as JSON values."""
        found = []
        for profile in self._profiles:
            facts = profile.facts(self.encoding)
            facts["empty"] = profile.kinds.get("empty", 0)
            if profile.is_distinct:
                facts["distinct"] = True
            if profile.is_uncertain:
                facts["sampled"] = True
            found.append(facts)
        return found

    def digest(self) -> str:
        """The columns on one line: their names, types and ranges."""
        parts = []
        for profile in self._profiles[:40]:
            facts = profile.facts(self.encoding)
            kind = facts["type"]
            span = f" {_short(facts['min'])}…{_short(facts['max'])}" if "min" in facts else ""
            parts.append(f"{profile.name} {kind}{span}" if kind != "text" else profile.name)
        return f"{len(self.names)} columns: " + "; ".join(parts)

    def labels(self) -> tuple[int, ...]:
        """Up to two columns by whose values a reader tells the records apart, in their order in the table."""
        if self._labels or not self._profiles:
            return self._labels
        keys, names = [(1.0, -1)], [(1.0, -1)]
        for index, profile in enumerate(self._profiles):
            kind, early = profile.type, index * 0.02
            if profile.kinds.get("empty", 0) * 2 > profile.seen or kind in ("empty", "boolean", "number"):
                continue
            share = profile.distinct_share
            is_key = bool(_KEY_LIKE.match(profile.name))
            if is_key or (share > 0.99 and kind in ("integer", "code", "datetime", "text")):
                keys.append((2.0 * is_key + 2 * share - early, index))
            if kind == "text" and not is_key:
                named = 3.0 * bool(_NAME_LIKE.search(profile.name)) + 5.0 * bool(_NAME.search(profile.name))
                score = named + 2 * share - early
                names.append((score - (profile.longest > 200), index))
        key, name = max(keys)[1], max(names)[1]
        found = tuple(sorted({index for index in (key, name) if index >= 0}))
        return found or (0,)


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
