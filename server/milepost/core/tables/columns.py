"""What the columns of a table hold: profiles from all records of a small table, from evenly spread ones of a big one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from milepost.core.tables.bits import Offsets
from milepost.core.tables.dialect import Dialect, Guess
from milepost.core.tables.records import Rows
from milepost.core.tables.values import ColumnProfile

#: So many cells are looked at one by one before records are only sampled, and so many of each block from then on.
_WHOLE_CELLS = 20_000
_CELLS_A_BLOCK = 64
_MAX_RECORD_BYTES = 64 << 10
_MAX_PROFILED = 200
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
        self.sampled_records = 0
        self.counted_records = 0
        self.is_sampled = False
        self._profiles = [ColumnProfile(name) for name in names[:_MAX_PROFILED]]
        self._empty = np.zeros(len(names), np.int64)
        self._cells = 0
        self._labels = labels

    def copy(self) -> Columns:
        """A twin that can be fed on its own."""
        twin = Columns((), self.encoding, self._labels)
        twin.__dict__.update(self.__dict__)
        twin._empty = self._empty.copy()
        twin._profiles = [
            replace(
                profile,
                kinds=dict(profile.kinds),
                distinct=set(profile.distinct),
                examples=list(profile.examples),
            )
            for profile in self._profiles
        ]
        return twin

    def add_empty(self, counts: Offsets, records: int) -> None:
        """Count the empty fields of so many records."""
        self._empty += counts
        self.counted_records += records

    def value(self, raw: bytes, prefix: int) -> bytes:
        """The value of a field from its first bytes."""
        return raw[:prefix] if prefix else raw.rstrip(b"\r\n").rstrip(b'"')

    def sample(self, data: bytes, rows: Rows, selected: Offsets | None, first: int, dialect: Dialect) -> None:
        """Profile the records of a block, from the `first` of those selected on: all, or some spread evenly."""
        count = (len(rows) if selected is None else len(selected)) - first
        width = max(1, len(self.names))
        room = (_WHOLE_CELLS - self._cells) // width
        if count <= room:
            chosen = np.arange(first, first + count)
        else:
            wanted = max(room, min(24, max(2, _CELLS_A_BLOCK // width)))
            chosen = first + np.unique(np.append(np.arange(wanted) * count // wanted, count - 1))
            self.is_sampled = self.is_sampled or len(chosen) < count
        if selected is not None:
            chosen = selected[chosen]
        starts, ends, fields = rows.starts[chosen], rows.ends[chosen], rows.fields[chosen]
        fit = (starts >= 0) & (fields == len(self.names)) & (ends - starts <= _MAX_RECORD_BYTES)
        if not fit.all():
            self.is_sampled = self.is_sampled or bool((~fit & (fields == len(self.names))).any())
            starts, ends = starts[fit], ends[fit]
        if not len(starts):
            return
        if len(starts) == int(chosen[-1]) - int(chosen[0]) + 1:
            text = data[int(starts[0]) : int(ends[-1])]
        else:
            text = b"".join([data[low:high] for low, high in zip(starts.tolist(), ends.tolist(), strict=True)])
        self._add(text, dialect)

    def take_last(self, raw: bytes, fields: int, guess: Guess) -> None:
        """Profile the record at the end of a file that has no line end, if its first bytes are all of it."""
        if fields == guess.columns and len(raw) < 320:
            for index, cell in enumerate(self._add(raw, guess.dialect)):
                self._empty[index] += not cell
        else:
            self.is_sampled = self.is_sampled or fields == guess.columns

    def _add(self, text: bytes, dialect: Dialect) -> list[str]:
        rows = [row for row in dialect.reader(text.decode("latin-1"), limit=None) if len(row) == len(self.names)]
        self.sampled_records += len(rows)
        self._cells += len(rows) * len(self.names)
        for profile, cells in zip(self._profiles, zip(*rows, strict=True), strict=False):
            profile.add([cell.encode("latin-1") for cell in cells], self.encoding)
        return rows[-1] if rows else []

    # --- saying what was found --------------------------------------------------------------------------------------

    def facts(self, records: int) -> list[dict[str, Any]]:
        """The columns as JSON values; `empty` is what all `records` would have if it was not counted in all of them."""
        found = []
        scale = records / self.counted_records if 0 < self.counted_records < records - 1 else 1.0
        for index, profile in enumerate(self._profiles):
            facts = profile.facts(self.encoding)
            facts["empty"] = max(round(self._empty[index] * scale), profile.kinds.get("empty", 0))
            if profile.is_distinct:
                facts["distinct"] = True
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
