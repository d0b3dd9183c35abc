"""Where the records of a delimited text begin and end, found for a whole block at once.

Delimiters, quotes and line ends of a block are listed with one comparison each; the running count of quotes says which
of the others lie outside quotes. That is exact as long as every quote stands where one may: at either end of a field or
doubled. From the first that does not, records are followed one by one, by the rules of Python's `csv` (not strict), until
the text is regular again. Nothing but a few numbers is kept between blocks, however long a record is.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.tables.bits import (
    Offsets,
    Ranks,
    Words,
    after,
    before,
    count,
    first_place,
    from_place,
    has,
    inside,
    last_place,
    pack,
    pack_places,
    places,
    sparse_places,
    upto_place,
)
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.stepwise import FieldState, step_through

_LF, _CR, _SPACE = 10, 13, 32
#: So often a block is tried at once again after a misplaced quote; what is left is gone through step by step.
_MAX_RESTARTS = 6
_STEP_BYTES = 8 << 10


class Rows:
    """The records that end in a block, as offsets relative to its data (the first may begin before it: negative).

    `ends` lie after the line end. `delimiters` is the set of all that separate fields in the block, `ranks` counts them.
    `line_ends` are all line ends of the block, in quotes too. `is_regular` says that every record has the expected number
    of fields and lies in the block as a whole. `quotes` is the set of quotes, None where there are none; unless
    `in_order`, some of them stand where none may. `grid` is there only for blocks that were found regular at once.
    """

    def __init__(
        self,
        starts: Offsets,
        ends: Offsets,
        fields: Offsets | int,
        delimiters: Words,
        line_ends: Offsets,
        *,
        is_regular: bool = False,
        quotes: Words | None = None,
        in_order: bool = True,
        has_returns: bool = False,
        grid: Offsets | None = None,
    ) -> None:
        self.starts = starts
        self.ends = ends
        self._fields = fields
        self.delimiters = delimiters
        self.line_ends = line_ends
        self.is_regular = is_regular
        self.quotes = quotes
        self.in_order = in_order
        self.has_returns = has_returns
        self._grid = grid

    @property
    def grid(self) -> Offsets | None:
        """The places of the delimiters and of the line end of each record, a row a record; None where not all are known."""
        return self._grid

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def has_quotes(self) -> bool:
        """Whether there is any quote."""
        return self.quotes is not None

    @property
    def is_of_lines(self) -> bool:
        """Whether every record is known to be a line."""
        return self.is_regular and self.quotes is None

    @cached_property
    def fields(self) -> Offsets:
        """How many fields each has."""
        return np.full(len(self.ends), self._fields) if isinstance(self._fields, int) else self._fields

    @cached_property
    def ranks(self) -> Ranks:
        """The delimiters, counted."""
        return Ranks(self.delimiters)


class QuickFinder(Protocol):
    """Finds the records of a block of whole ones that all have so many fields; None for any other (`tables.kernel`)."""

    def find(self, block: Block, dialect: Dialect, columns: int) -> Rows | None: ...


class RecordFinder:
    """Finds the records of consecutive blocks. `columns` is how many fields most of them have."""

    def __init__(self, dialect: Dialect, columns: int, start_byte: int, start_line: int) -> None:
        self._dialect = dialect
        self._columns = columns
        self.state = FieldState.START
        self.open_start = start_byte
        self.open_line = start_line
        self._open_delimiters = 0
        self._escaped_next = self._ends_escaped = False
        self.misplaced_quotes = 0
        self._mask = np.empty(0, np.bool_)

    def feed(self, block: Block, quick: QuickFinder | None = None) -> Rows:
        """The records that end in `block`, which is not empty; found by `quick`, where it can."""
        rows = None
        is_whole = self.state is FieldState.START and self.open_start == block.start and block.starts_line
        if is_whole and self._dialect.escape < 0 and self._columns > 1 and block.data[-1] == _LF:
            rows = self._at_once(block) if quick is None else quick.find(block, self._dialect, self._columns)
        if rows is None:
            return self._in_general(block)
        if rows.is_of_lines:
            block.know_starts(rows.starts)
        else:
            rows.line_ends = self._line_ends(block)
        self._ends_escaped = False
        self._open_delimiters = 0
        self.open_start = block.end
        self.open_line = self._next_line(block)
        return rows

    def _at_once(self, block: Block) -> Rows | None:
        """The records of a block of whole ones, if they all have as many fields as expected; else None."""
        data, codes, dialect = block.data, block.array, self._dialect
        size = len(data)
        lines = self._set_of(codes, _LF, None)
        all_ends = lines
        has_returns = data.find(_CR) >= 0
        if has_returns:
            returns = self._set_of(codes, _CR, None)
            if (returns & ~before(lines)).any():
                return None
            all_ends = lines | returns
        delimiters = self._set_of(codes, dialect.delimiter, None)
        quotes = None
        if dialect.quote >= 0 and data.find(dialect.quote) >= 0:
            quotes = self._set_of(codes, dialect.quote, None)
            within = inside(quotes, False)
            if dialect.skip_space:
                if self._first_misplaced(codes, quotes, within, all_ends | delimiters, delimiters, 0) >= 0:
                    return None
            elif not _are_in_order(quotes, within, all_ends | delimiters):
                return None
            delimiters &= ~within
            lines = lines & ~within
        found = places(delimiters | lines, size)
        columns = self._columns
        is_whole = len(found) > 0 and int(found[-1]) == size - 1
        if not is_whole or len(found) % columns or len(found) != columns * count(lines):
            return None
        grid = found.reshape(-1, columns)
        ends = grid[:, -1]
        if not (codes[ends] == _LF).all():
            return None
        record_ends = ends + 1
        starts = np.empty_like(record_ends)
        starts[0] = 0
        starts[1:] = record_ends[:-1]
        return Rows(
            starts,
            record_ends,
            columns,
            delimiters,
            ends,
            is_regular=True,
            quotes=quotes,
            has_returns=has_returns,
            grid=grid,
        )

    def _line_ends(self, block: Block) -> Offsets:
        line_ends = block.starts - 1
        if block.starts_line:
            line_ends = line_ends[1:]
        return np.append(line_ends, len(block.data) - 1) if block.ends_line else line_ends

    def _in_general(self, block: Block) -> Rows:
        """The records that end in a block of any kind."""
        data, codes = block.data, block.array
        misplaced = self.misplaced_quotes
        line_ends = self._line_ends(block)
        escaped = self._escaped(data, codes)
        self._ends_escaped = self._escaped_next or (
            escaped is not None and len(escaped) > 0 and int(escaped[-1]) == len(data) - 1
        )
        quote = self._dialect.quote
        delimiters = self._set_of(codes, self._dialect.delimiter, escaped)
        ends = line_ends if escaped is None else np.setdiff1d(line_ends, escaped, assume_unique=True)
        quotes = None
        if self.state is FieldState.QUOTED or (quote >= 0 and data.find(quote) >= 0):
            quotes = self._set_of(codes, quote, escaped)
            delimiters, ends = self._outside_quotes(block, delimiters, ends, quotes, escaped)
        else:
            self.state = self._plain_state(data, self.state)
        rows = self._rows(block, delimiters, ends, line_ends)
        rows.quotes = quotes
        rows.in_order = misplaced == self.misplaced_quotes and escaped is None
        return rows

    def last(self) -> tuple[int, int, int]:
        """The record that is open at the end: its first byte and line, and its fields so far."""
        return self.open_start, self.open_line, self._open_delimiters + 1

    # --- the structure of a block -----------------------------------------------------------------------------------

    def _set_of(self, codes: npt.NDArray[np.uint8], code: int, escaped: Offsets | None) -> Words:
        """Where a byte stands and is not escaped."""
        if code < 0:
            return np.zeros(-(-len(codes) // 64), np.uint64)
        if len(self._mask) < len(codes):
            self._mask = np.empty(len(codes), np.bool_)
        mask = self._mask[: len(codes)]
        np.equal(codes, code, out=mask)
        if escaped is not None:
            mask[escaped] = False
        return pack(mask)

    def _plain_state(self, data: bytes, before: FieldState) -> FieldState:
        """The state at the end of a text without quotes."""
        if self._ends_escaped:
            return FieldState.PLAIN
        end = data.rstrip(b" ")[-1:] if self._dialect.skip_space else data[-1:]
        if not end:
            return FieldState.START if before is FieldState.START else FieldState.PLAIN
        ends_field = end[0] in (self._dialect.delimiter, _LF, _CR)
        return FieldState.START if ends_field else FieldState.PLAIN

    def _escaped(self, data: bytes, codes: npt.NDArray[np.uint8]) -> Offsets | None:
        """The characters behind an escape character, which mean nothing."""
        escape = self._dialect.escape
        if escape < 0:
            return None
        skip_first = self._escaped_next
        self._escaped_next = False
        if data.find(escape) < 0:
            return np.zeros(1, np.int64) if skip_first else None
        places = np.flatnonzero(codes == escape)
        if skip_first and places[0] == 0:
            places = places[1:]
        # In a run of escape characters every second one is itself escaped.
        index = np.arange(len(places))
        begins = np.ones(len(places), np.bool_)
        begins[1:] = np.diff(places) != 1
        if skip_first and len(places) and places[0] == 1:
            pass  # the run goes on from an escaped first byte: it begins anew here
        run_start = np.maximum.accumulate(np.where(begins, index, 0))
        active = places[(index - run_start) % 2 == 0] + 1
        if len(active) and active[-1] == len(data):
            self._escaped_next = True
            active = active[:-1]
        return np.insert(active, 0, 0) if skip_first else active

    def _outside_quotes(
        self, block: Block, all_delimiters: Words, all_ends: Offsets, all_quotes: Words, escaped: Offsets | None
    ) -> tuple[Words, Offsets]:
        """Delimiters and record ends of a block that holds quotes, or begins inside them."""
        codes, size = block.array, len(block.data)
        lines = self._set_of(codes, _LF, None)
        if block.data.find(b"\r") >= 0:
            lines |= self._set_of(codes, _CR, None)
        if not self._dialect.skip_space:
            all_quotes = self._without_literal(codes, all_quotes, all_delimiters, lines)
        delimiters = np.zeros(len(all_quotes), np.uint64)
        ends: list[Offsets] = []
        base = restarts = 0
        while base < size:
            quotes = from_place(all_quotes, base)
            within = inside(quotes, self.state is FieldState.QUOTED)
            bad = self._first_misplaced(codes, quotes, within, all_delimiters | lines, all_delimiters, base)
            stop = size if bad < 0 else bad
            some = from_place(all_delimiters & ~within, base)
            some_ends = all_ends[int(np.searchsorted(all_ends, base)) : int(np.searchsorted(all_ends, stop))]
            some_ends = some_ends[~has(within, some_ends)]
            ends.append(some_ends)
            if bad < 0:
                delimiters |= some
                self._leave(block.data, base, quotes, within)
                break
            some = upto_place(some, stop)
            delimiters |= some
            self.misplaced_quotes += 1
            restarts += 1
            # From the last place that is certain before the misplaced quote, field by field.
            earlier = last_place(upto_place(quotes, stop))
            is_open = bool(has(within, np.array([stop - 1]))[0]) if stop else self.state is FieldState.QUOTED
            if stop > base and is_open:
                base, self.state = max(base, earlier + 1), FieldState.QUOTED
            elif stop > base:
                last = max(last_place(some), int(some_ends[-1]) if len(some_ends) else -1)
                if last >= base:
                    base, self.state = last + 1, FieldState.START
            limit = size if restarts > _MAX_RESTARTS else min(size, stop + _STEP_BYTES)
            stepped = step_through(block.data, base, limit, self.state, self._dialect, escaped)
            delimiters |= pack_places(np.array(stepped.delimiters, np.int64), size)
            ends.append(np.array(stepped.ends, np.int64))
            base, self.state = stepped.at, stepped.state
        return delimiters, np.concatenate(ends)

    def _without_literal(self, codes: npt.NDArray[np.uint8], quotes: Words, delimiters: Words, lines: Words) -> Words:
        """The quotes without those inside plain text (`5" pipe`), if that explains every quote; else all of them."""
        marks = delimiters | lines
        is_inside = self.state is FieldState.QUOTED
        if self._first_misplaced(codes, quotes, inside(quotes, is_inside), marks, delimiters, 0) < 0:
            return quotes
        neighbours = marks | quotes
        lonely = quotes & ~(after(neighbours) | before(neighbours))
        lonely = upto_place(from_place(lonely, 1), len(codes) - 1)
        kept = quotes & ~lonely
        within = inside(kept, is_inside)
        if (lonely & within).any() or self._first_misplaced(codes, kept, within, marks, delimiters, 0) >= 0:
            return quotes
        self.misplaced_quotes += 1
        return kept

    def _first_misplaced(
        self,
        codes: npt.NDArray[np.uint8],
        quotes: Words,
        within: Words,
        marks: Words,
        delimiters: Words,
        base: int,
    ) -> int:
        """The first quote that stands where none may; -1 when there is none. `marks` are delimiters and line ends."""
        opens, closes = quotes & within, quotes & ~within
        wrong = opens & ~(after(marks) | after(closes))
        wrong_ends = closes & ~(before(marks) | before(opens))
        size = len(codes)
        last = np.array([size - 1])
        if has(wrong_ends, last)[0]:
            wrong_ends[(size - 1) >> 6] ^= np.uint64(1 << ((size - 1) & 63))
        at_base = np.array([base])
        if has(opens, at_base)[0] and has(wrong, at_base)[0] == (self.state is not FieldState.PLAIN):
            wrong[base >> 6] ^= np.uint64(1 << (base & 63))
        if self._dialect.skip_space and wrong.any():
            # Only blanks between the delimiter and the quote: looked at one by one, since there are few.
            for quote in sparse_places(wrong).tolist():
                if quote > base and self._is_led_by_blanks(codes, delimiters, quote, base):
                    wrong[quote >> 6] ^= np.uint64(1 << (quote & 63))
        wrong |= wrong_ends
        return first_place(wrong)

    def _is_led_by_blanks(self, codes: npt.NDArray[np.uint8], delimiters: Words, quote: int, base: int) -> bool:
        place = quote - 1
        while place > base and codes[place] == _SPACE:
            place -= 1
        if place == quote - 1 and codes[place] != _SPACE:
            return False
        if place == base and codes[place] == _SPACE:
            return self.state is FieldState.START
        return codes[place] in (_LF, _CR) or bool(has(delimiters, np.array([place]))[0])

    def _leave(self, data: bytes, base: int, quotes: Words, within: Words) -> None:
        """Note the state at the end of a block that was in order from `base` on."""
        size = len(data)
        if has(within, np.array([size - 1]))[0]:
            self.state = FieldState.QUOTED
        elif has(quotes, np.array([size - 1]))[0]:
            self.state = FieldState.CLOSED
        elif self.state is FieldState.QUOTED and not quotes.any():
            self.state = FieldState.QUOTED
        elif self._dialect.quote >= 0 and data.rstrip(b" ").endswith(bytes([self._dialect.quote])):
            self.state = FieldState.PLAIN
        else:
            self.state = self._plain_state(data[base:], self.state)

    # --- the records of a block -------------------------------------------------------------------------------------

    def _rows(self, block: Block, delimiters: Words, ends: Offsets, line_ends: Offsets) -> Rows:
        count = len(ends)
        ranks = Ranks(delimiters)
        if not count:
            self._open_delimiters += ranks.total
            return Rows(ends, ends, ends, delimiters, line_ends)
        record_ends = ends + 1
        starts = np.empty(count, np.int64)
        starts[0] = self.open_start - block.start
        starts[1:] = record_ends[:-1]
        last_end = int(record_ends[-1])
        upto = ranks.at(ends)
        fields = np.empty(count, np.int64)
        fields[0] = upto[0] + self._open_delimiters + 1
        np.subtract(upto[1:], upto[:-1] - 1, out=fields[1:])
        is_regular = bool(starts[0] >= 0 and (fields == self._columns).all())
        self._open_delimiters = ranks.total - int(upto[-1])
        self.open_start = block.start + last_end
        self.open_line = block.line_at(last_end) if last_end < len(block.data) else self._next_line(block)
        has_returns = block.data.find(_CR) >= 0
        rows = Rows(starts, record_ends, fields, delimiters, line_ends, is_regular=is_regular, has_returns=has_returns)
        rows.ranks = ranks
        return rows

    def _next_line(self, block: Block) -> int:
        lines = len(block.starts) - (1 if block.starts_line else 0)
        return block.first_line + lines + (1 if block.ends_line else 0)


def _are_in_order(quotes: Words, within: Words, marks: Words) -> bool:
    """Whether all quotes of a block stand where one may, in a block of whole records. `marks`: delimiters and line ends."""
    opens, closes = quotes & within, quotes & ~within
    may_open, may_close = after(marks | closes), before(marks | opens)
    may_open[0] |= np.uint64(1)
    return not ((opens & ~may_open) | (closes & ~may_close)).any()
