"""The records and cells of a block found by compiled code: several times as fast as whole-array operations.

`kernel.c` says what it does; what it does not tell of with certainty is left to `tables.records` and `tables.survey`, so
that the outline is the same with and without it.
"""

from __future__ import annotations

import struct
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.tables.bits import Offsets
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.numeric import Left
from milepost.core.tables.plain import FORMS
from milepost.core.tables.records import Rows
from milepost.core.tables.survey import Tables, is_close
from milepost.core.tables.values import ColumnProfile, kind_of
from milepost.core.wasm import WasmModule

_MODULE = Path(__file__).with_name("kernel.wasm")
_PARTS = ("text", "field_ends", "columns", "left_cells", "seen", "firsts", "empties", "heads")
_MOST_BYTES = 2 << 20
_MOST_COLUMNS = 256
_SKIP, _NUMBERS, _TEXTS, _ANY_TEXTS, _STAMPS, _NOTHING = range(6)
_MAY_BE_EMPTY, _BLANK = 1, 2
_LONGEST_STAMP = 48
#: `column_t` of `kernel.c`: mode, counts (empty … left), width, ends_at, ends_width, low and high, inner ones, shape.
_COLUMN = struct.Struct(f"<8I 4I 4I 2q 2d 2q {_LONGEST_STAMP}s")
_TOLD = struct.Struct("<7I 4x 4I 4I")
_SEEN = struct.Struct("<3I")
_LEFT_FIELDS = 3
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_MOST_INTEGER = (1 << 63) - 1
_INFINITE = float("inf")


class TableKernel:
    """One instance of the compiled code, with memory of its own: for one table, and one thread at a time."""

    def __init__(self) -> None:
        self._module = WasmModule(_MODULE, _PARTS)
        self._find, self._survey = self._module.function("find"), self._module.function("survey")
        self._tell(Tables())

    @staticmethod
    def fits(dialect: Dialect, columns: int) -> bool:
        """Whether tables that are written so can be looked at."""
        return dialect.escape < 0 and not dialect.skip_space and 1 < columns <= _MOST_COLUMNS

    def _tell(self, tables: Tables) -> None:
        """What the first bytes of a text say."""
        self._module.part("firsts", 256)[:] = tables.certain
        maybe, blank = tables.empty_firsts * np.uint8(_MAY_BE_EMPTY), tables.blank * np.uint8(_BLANK)
        self._module.part("empties", 256)[:] = maybe + blank
        heads = self._module.part("heads", 1 << 15)
        for head in tables.heads.tolist():
            first, second, third = (head >> shift & 31 for shift in (0, 8, 16))
            heads[first | second << 5 | third << 10] = 1

    def find(self, block: Block, dialect: Dialect, columns: int) -> SweptRows | None:
        """The records of a block of whole ones that all have so many fields; None for any other."""
        size = len(block.data)
        if size > _MOST_BYTES:
            return None
        self._module.part("text", size)[:] = block.array
        count = self._find(size, dialect.delimiter, dialect.quote, columns)
        return SweptRows(self, count, columns) if count > 0 else None

    def field_ends(self, count: int, columns: int) -> npt.NDArray[np.uint32]:
        """Where the fields of the last block end, a row for each record: until the next block is looked at."""
        found = self._module.part("field_ends", 4 * count * columns).view(np.uint32)
        return found.reshape(count, columns)

    def seen(self) -> tuple[bool, bool, int]:
        """Whether the last block has quotes, whether it has lines that end with CR LF, and how many lines it has."""
        quotes, returns, lines = _SEEN.unpack_from(self._module.memory, self._module.place("seen"))
        return quotes != 0, returns != 0, lines

    def survey(self, block: Block, rows: SweptRows, profiles: list[ColumnProfile]) -> tuple[list[int], list[Left]]:
        """Take note of the columns of the last block; which it could not tell of, and which cells are left.

        The cells that are left are counted as seen, but nothing more.
        """
        plans = [_plan(profile, is_close(block)) for profile in profiles]
        plans += [_Plan(_SKIP)] * (rows.columns - len(profiles))
        base = self._module.place("columns")
        for index, plan in enumerate(plans):
            plan.write(self._module.memory, base + index * _COLUMN.size)
        left = self._survey(len(rows), rows.columns)
        others = []
        for index, (plan, profile) in enumerate(zip(plans, profiles, strict=False)):
            told = _TOLD.unpack_from(self._module.memory, base + index * _COLUMN.size)
            if told[0] == _SKIP:
                others.append(index)
            else:
                _note(profile, plan, len(rows), told, block.data)
        return others, self._left(left, set(others))

    def _left(self, count: int, others: set[int]) -> list[Left]:
        if not count:
            return []
        cells = self._module.part("left_cells", 4 * _LEFT_FIELDS * count).view(np.uint32).reshape(count, _LEFT_FIELDS)
        found = []
        for column, some in enumerate(np.bincount(cells[:, 0]).tolist()):
            if some and column not in others:
                chosen = cells[cells[:, 0] == column].astype(np.int64)
                found.append(Left(column, chosen[:, 1].copy(), chosen[:, 2].copy()))
        return found


class SweptRows(Rows):
    """The records of a block as `TableKernel` found them: whole, and all with as many fields as expected."""

    def __init__(self, kernel: TableKernel, count: int, columns: int) -> None:
        self.kernel = kernel
        self.columns = columns
        line_ends = kernel.field_ends(count, columns)[:, -1].astype(np.int64)
        ends = line_ends + 1
        starts = np.empty_like(ends)
        starts[0] = 0
        starts[1:] = ends[:-1]
        self._has_quotes, has_returns, lines = kernel.seen()
        self._is_of_lines = lines == count
        super().__init__(
            starts,
            ends,
            columns,
            np.empty(0, np.uint64),
            line_ends,
            is_regular=True,
            has_returns=has_returns,
        )

    @property
    def has_quotes(self) -> bool:
        """Whether there is any quote."""
        return self._has_quotes

    @property
    def is_of_lines(self) -> bool:
        """Whether every record is a line."""
        return self._is_of_lines

    @cached_property
    def grid(self) -> Offsets:
        """The ends of all fields, while the block is the last one that was looked at."""
        return self.kernel.field_ends(len(self), self.columns).astype(np.int64)


class _Plan(NamedTuple):
    """What the cells of a column are expected to be, and what is known of it."""

    mode: int
    kind: str = ""
    low: float | int | None = None
    high: float | int | None = None
    shape: bytes = b""

    def write(self, memory: Any, at: int) -> None:
        low, high = self.low, self.high
        known = low is not None and high is not None
        _COLUMN.pack_into(
            memory,
            at,
            self.mode,
            *(0,) * 6,
            len(self.shape),
            *(0,) * 8,
            _whole(low, 1) if known else _MOST_INTEGER,
            _whole(high, -1) if known else -_MOST_INTEGER,
            _real(low) if known else _INFINITE,
            _real(high) if known else -_INFINITE,
            0,
            0,
            self.shape,
        )


def _whole(number: float | int | None, step: int) -> int:
    """The first whole number from a number on, up or down; the last that there is, where it is too big."""
    assert number is not None
    whole = -int(-number // 1) if step > 0 else int(number // 1)
    return max(-_MOST_INTEGER, min(_MOST_INTEGER, whole))


def _real(number: float | int | None) -> float:
    assert number is not None
    try:
        return float(number)
    except OverflowError:
        return _INFINITE if number > 0 else -_INFINITE


def _plan(profile: ColumnProfile, close: bool) -> _Plan:
    expected = profile.expected
    if expected in FORMS:
        return _Plan(_NUMBERS, expected, profile.low, profile.high)
    if expected == "text":
        return _Plan(_TEXTS if close else _ANY_TEXTS, expected)
    if expected in ("date", "datetime", "time"):
        example = profile.last or (profile.examples[0].encode("ascii", "replace") if profile.examples else b"")
        # Nothing but its shape, all digits taken as alike, makes a value a date or a time.
        if example and len(example) < 40 and kind_of(example) == expected:
            return _Plan(_STAMPS, expected, shape=example.translate(_DIGITS))
    if not expected and profile.seen:
        return _Plan(_NOTHING)
    return _Plan(_SKIP)


def _note(profile: ColumnProfile, plan: _Plan, rows: int, told: tuple[int, ...], data: bytes) -> None:
    _, empty, integers, decimals, codes, others, _ = told[:7]
    profile.seen += rows
    counts = {"empty": empty, "integer": integers, "number": decimals, "code": codes}
    if plan.mode == _ANY_TEXTS:
        profile.unseen += others
    else:
        counts["text" if plan.mode == _NUMBERS else plan.kind] = others
    for kind, count in counts.items():
        if count:
            profile.add_kind(kind, count)
    for start, width in zip(told[7:11], told[11:15], strict=True):
        if width and plan.mode == _STAMPS:
            profile.add_time(data[start : start + width])
        elif width:
            profile.add_number(data[start : start + width])
