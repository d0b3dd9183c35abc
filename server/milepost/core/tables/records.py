"""Where the records of a delimited text begin and end, found for a whole block at once.

Delimiters, quotes and line ends of a block are listed with one comparison each; the running count of quotes says which
of the others lie outside quotes. That is exact as long as every quote stands where one may: at either end of a field or
doubled. From the first that does not, records are followed one by one, by the rules of Python's `csv` (not strict), until
the text is regular again. Nothing but a few numbers is kept between blocks, however long a record is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.stepwise import FieldState, step_through

Offsets = npt.NDArray[np.int64]

_LF, _CR, _SPACE = 10, 13, 32
#: So often a block is tried at once again after a misplaced quote; what is left is gone through step by step.
_MAX_RESTARTS = 6
_STEP_BYTES = 8 << 10


@dataclass(frozen=True, slots=True)
class Rows:
    """The records that end in a block, as offsets relative to its data (the first may begin before it: negative).

    `ends` lie after the line end. `delimiters` are all that separate fields in the block; those of record i begin at
    `first_delimiter[i]`. `line_ends` are all line ends of the block, in quotes too.
    """

    starts: Offsets
    ends: Offsets
    fields: Offsets
    delimiters: Offsets
    first_delimiter: Offsets
    line_ends: Offsets
    is_regular: bool
    """Whether every record has the expected number of fields and lies in the block as a whole."""

    def __len__(self) -> int:
        return len(self.ends)


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

    def feed(self, block: Block) -> Rows:
        """The records that end in `block`."""
        data, codes = block.data, block.array
        if not data:
            empty = np.zeros(0, np.int64)
            return Rows(empty, empty, empty, empty, empty, empty, True)
        line_ends = block.starts - 1
        if block.starts_line:
            line_ends = line_ends[1:]
        if block.ends_line:
            line_ends = np.append(line_ends, len(data) - 1)
        escaped = self._escaped(data, codes)
        self._ends_escaped = self._escaped_next or (
            escaped is not None and len(escaped) > 0 and int(escaped[-1]) == len(data) - 1
        )
        quote = self._dialect.quote
        if self.state is FieldState.QUOTED or (quote >= 0 and data.find(quote) >= 0):
            delimiters, ends = self._structure(block, line_ends, escaped)
        else:
            delimiters = self._delimiters(codes, escaped)
            ends = line_ends if escaped is None else np.setdiff1d(line_ends, escaped, assume_unique=True)
            self.state = self._plain_state(data, self.state)
        return self._rows(block, delimiters, ends, line_ends)

    def last(self) -> tuple[int, int, int]:
        """The record that is open at the end: its first byte and line, and its fields so far."""
        return self.open_start, self.open_line, self._open_delimiters + 1

    # --- the structure of a block -----------------------------------------------------------------------------------

    def _delimiters(self, codes: npt.NDArray[np.uint8], escaped: Offsets | None) -> Offsets:
        if self._dialect.delimiter < 0:
            return np.zeros(0, np.int64)
        mask = codes == self._dialect.delimiter
        if escaped is not None:
            mask[escaped] = False
        return np.flatnonzero(mask)

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

    def _structure(self, block: Block, line_ends: Offsets, escaped: Offsets | None) -> tuple[Offsets, Offsets]:
        """Delimiters and record ends of a block that holds quotes, or begins inside them."""
        codes, size = block.array, len(block.data)
        is_quote = codes == self._dialect.quote
        if escaped is not None:
            is_quote[escaped] = False
            line_ends = np.setdiff1d(line_ends, escaped, assume_unique=True)
        all_quotes = np.flatnonzero(is_quote)
        all_delimiters = self._delimiters(codes, escaped)
        delimiters: list[Offsets] = []
        ends: list[Offsets] = []
        base = restarts = 0
        while base < size:
            quotes = all_quotes[int(np.searchsorted(all_quotes, base)) :]
            is_inside = self.state is FieldState.QUOTED
            bad = self._first_misplaced(codes, quotes, is_inside, base, escaped)
            stop = size if bad < 0 else int(quotes[bad])
            spans = _spans(quotes if bad < 0 else quotes[:bad], is_inside, stop)
            some = _outside(all_delimiters, base, stop, spans)
            some_ends = _outside(line_ends, base, stop, spans)
            delimiters.append(some)
            ends.append(some_ends)
            if bad < 0:
                last = max(_last(some), _last(some_ends))
                self._leave(block.data[base:], size - 1 == last, quotes, base)
                break
            self.misplaced_quotes += 1
            restarts += 1
            # From the last place that is certain before the misplaced quote, field by field.
            if (bad + is_inside) % 2:
                base = int(quotes[bad - 1]) + 1 if bad else base
                self.state = FieldState.QUOTED
            elif max(_last(some), _last(some_ends)) >= 0:
                base = max(_last(some), _last(some_ends)) + 1
                self.state = FieldState.START
            limit = size if restarts > _MAX_RESTARTS else min(size, stop + _STEP_BYTES)
            stepped = step_through(block.data, base, limit, self.state, self._dialect, escaped)
            delimiters.append(np.array(stepped.delimiters, np.int64))
            ends.append(np.array(stepped.ends, np.int64))
            base, self.state = stepped.at, stepped.state
        return np.concatenate(delimiters), np.concatenate(ends)

    def _first_misplaced(
        self, codes: npt.NDArray[np.uint8], quotes: Offsets, is_inside: bool, base: int, escaped: Offsets | None
    ) -> int:
        """The index of the first quote that stands where none may; -1 when there is none."""
        if not len(quotes):
            return -1
        dialect, state = self._dialect, self.state
        lookup = np.zeros(256, np.bool_)
        lookup[[_LF, _CR]] = True
        if dialect.delimiter >= 0:
            lookup[dialect.delimiter] = True
        before = codes[quotes - 1]
        before_ok, after_ok = lookup[before], lookup[codes[np.minimum(quotes + 1, len(codes) - 1)]]
        if escaped is not None:
            before_ok &= ~np.isin(quotes - 1, escaped)
        doubled = np.diff(quotes) == 1
        before_ok[1:] |= doubled
        after_ok[:-1] |= doubled
        after_ok[-1] |= int(quotes[-1]) + 1 >= len(codes)
        opens = np.ones(len(quotes), np.bool_)
        opens[not is_inside :: 2] = False
        if dialect.skip_space:
            # Only blanks between the delimiter and the quote: looked at one by one, since there are few.
            for index in np.flatnonzero(opens & ~before_ok & (before == _SPACE)).tolist():
                place = int(quotes[index]) - 1
                while place > base and codes[place] == _SPACE:
                    place -= 1
                if place == base and codes[place] == _SPACE:
                    before_ok[index] = state is FieldState.START
                else:
                    is_meant = escaped is None or not bool((escaped == place).any())
                    before_ok[index] = is_meant and bool(lookup[codes[place]])
        if int(quotes[0]) == base:
            before_ok[0] = state is not FieldState.PLAIN
        fine = np.where(opens, before_ok, after_ok)
        return -1 if fine.all() else int(np.argmin(fine))

    def _leave(self, rest: bytes, ends_field: bool, quotes: Offsets, base: int) -> None:
        """Note the state at the end of a block whose `rest`, from offset `base`, was in order."""
        was_inside = self.state is FieldState.QUOTED
        if (len(quotes) + was_inside) % 2:
            self.state = FieldState.QUOTED
        elif ends_field:
            self.state = FieldState.START
        elif len(quotes) and int(quotes[-1]) == base + len(rest) - 1:
            self.state = FieldState.CLOSED
        elif len(quotes) and rest.rstrip(b" ").endswith(bytes([self._dialect.quote])):
            self.state = FieldState.PLAIN
        else:
            self.state = self._plain_state(rest, self.state)

    # --- the records of a block -------------------------------------------------------------------------------------

    def _rows(self, block: Block, delimiters: Offsets, ends: Offsets, line_ends: Offsets) -> Rows:
        count = len(ends)
        if not count:
            self._open_delimiters += len(delimiters)
            return Rows(ends, ends, ends, delimiters, ends, line_ends, False)
        record_ends = ends + 1
        starts = np.empty(count, np.int64)
        starts[0] = self.open_start - block.start
        starts[1:] = record_ends[:-1]
        last_end = int(record_ends[-1])
        inner = int(np.searchsorted(delimiters, last_end)) if len(delimiters) else 0
        per_record = self._columns - 1
        is_regular = False
        if starts[0] >= 0 and inner == count * per_record:
            if per_record == 0:
                is_regular = True
            else:
                table = delimiters[:inner].reshape(count, per_record)
                is_regular = bool((table[:, 0] >= starts).all() and (table[:, -1] < ends).all())
        if is_regular:
            first = np.arange(0, inner + 1, per_record, dtype=np.int64)[:count] if per_record else np.zeros(count, np.int64)
            fields = np.full(count, self._columns, np.int64)
        else:
            upto = np.searchsorted(delimiters, ends)
            first = np.empty(count, np.int64)
            first[0] = 0
            first[1:] = upto[:-1]
            fields = upto - first + 1
            fields[0] += self._open_delimiters
        self._open_delimiters = len(delimiters) - inner
        self.open_start = block.start + last_end
        self.open_line = block.line_at(last_end) if last_end < len(block.data) else self._next_line(block)
        return Rows(starts, record_ends, fields, delimiters, first, line_ends, is_regular)

    def _next_line(self, block: Block) -> int:
        lines = len(block.starts) - (1 if block.starts_line else 0)
        return block.first_line + lines + (1 if block.ends_line else 0)


def _spans(quotes: Offsets, is_inside: bool, stop: int) -> tuple[Offsets, Offsets]:
    """Where quoted text begins and ends, by turns."""
    if is_inside:
        quotes = np.insert(quotes, 0, -1)
    if len(quotes) % 2:
        quotes = np.append(quotes, stop)
    return quotes[0::2], quotes[1::2]


def _outside(places: Offsets, low: int, high: int, spans: tuple[Offsets, Offsets]) -> Offsets:
    """Those of `places` from `low` to `high` that lie in none of the spans."""
    places = places[int(np.searchsorted(places, low)) : int(np.searchsorted(places, high))]
    firsts, stops = np.searchsorted(places, spans[0]), np.searchsorted(places, spans[1])
    counts = stops - firsts
    hit = counts > 0
    if not hit.any():
        return places
    counts, firsts = counts[hit], firsts[hit]
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    keep = np.ones(len(places), np.bool_)
    keep[np.repeat(firsts, counts) + within] = False
    return places[keep]


def _last(places: Offsets) -> int:
    return int(places[-1]) if len(places) else -1
