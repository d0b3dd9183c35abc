"""The fences of a block of Markdown: which line closes which, for long rows of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.structure.line_view import LineView, table_of
from milepost.core.tables.bits import bit_counts

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]
_BACKTICK, _TILDE = 96, 126
#: First bytes of lines that begin something which lasts: fences and HTML.
_LASTING = table_of(b"`~<")
_LINE_END = table_of(b"\r\n")
_BLANK = table_of(b" \t\r\n")
_SPACE = 32
_WORD_BYTES = 8
#: What follows a fence on its line is looked at by itself where it is longer.
_NEAR_BYTES = 24
_ONE, _LOW7, _HIGH = np.uint64(1), np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x8080808080808080)
_HIGHS = np.array([((1 << 8 * width) - 1) & int(_HIGH) for width in range(_WORD_BYTES + 1)], np.uint64)
#: Fewer fences are measured one by one.
_FEW = 300
#: With fewer that open a block, rows are not looked for.
_FEW_OPENERS = 24
#: A longer fenced block is looked at by itself: parts of the text may begin inside it.
MOST_LINES = 100


class Row(NamedTuple):
    """Fenced blocks one behind the other, with nothing that lasts between them: the line that closes the last of them.

    `lines` are those between the blocks that may be headings, `floors` for each of them the line that closes the block
    before it.
    """

    closing: int
    lines: list[int]
    floors: list[int]


@dataclass(slots=True)
class _Column:
    """Fences of one character: their lines, how long they are, which close one, which open one for certain.

    `ranks` are their numbers among the candidates.
    """

    ranks: Ints
    lines: Ints
    lengths: Ints
    closes: Flags
    opens: Flags

    def openers(self, length: int) -> int:
        """How many of just this length can open a block."""
        return int(np.count_nonzero(self.opens & (self.lengths == length)))


@dataclass(slots=True)
class _Class:
    """Fences of one character with so many of it, or more. Rows that begin with an even (or an odd) one of them stop before
    the first of `stops`; `is_pair` says whether the next one closes it."""

    lines: Ints
    stops: tuple[Ints, Ints]
    is_pair: Flags


class Fences:
    """The lines of a view that begin, in column 0 or after a few blanks, with three backticks or tildes.

    `candidates` are the lines at which something may begin, fences among them; `firsts` the first bytes of all lines.
    """

    def __init__(self, view: LineView, candidates: Ints, firsts: npt.NDArray[np.uint8]) -> None:
        self._view = view
        chars = firsts[candidates]
        lasting = _LASTING[chars]
        #: How many lines up to each candidate begin what lasts.
        self._lasting_before: Ints = np.cumsum(lasting, dtype=np.int64)
        self._others = candidates[~lasting]
        self._columns: dict[int, _Column] = {}
        for char in (_BACKTICK, _TILDE):
            ranks = np.flatnonzero(chars == char)
            if len(ranks):
                self._columns[char] = _measure(view, ranks, candidates[ranks], char)
        self._classes: dict[tuple[int, int], _Class | None] = {}
        self._closers: dict[bytes, Ints] = {}

    def closing(self, fence: bytes, line: int) -> int:
        """The first line from `line` on that closes a fence; -1 where none in the view does."""
        closers = self._closers.get(fence)
        if closers is None:
            column = self._columns.get(fence[0])
            closers = np.zeros(0, np.int64)
            if column is not None:
                closers = column.lines[column.closes & (column.lengths >= len(fence))]
            self._closers[fence] = closers
        at = int(closers.searchsorted(line))
        return closers.item(at) if at < len(closers) else -1

    def row(self, line: int, char: int) -> Row | None:
        """The row of fenced blocks that begins at a line with this first character; None where none does for certain."""
        column = self._columns.get(char)
        place = int(column.lines.searchsorted(line)) if column is not None else 0
        if column is None or place == len(column.lines) or column.lines.item(place) != line:
            return None
        length = column.lengths.item(place)
        if (char, length) not in self._classes:
            is_common = column.openers(length) >= _FEW_OPENERS
            self._classes[char, length] = _class_of(column, length, self._lasting_before) if is_common else None
        fences = self._classes[char, length]
        if fences is None:
            return None
        first = int(fences.lines.searchsorted(line))
        stops = fences.stops[first & 1]
        stop = stops.item(stops.searchsorted(first))
        if fences.is_pair.item(stop):
            last = stop + 1
        elif stop > first:
            last = stop - 1
        else:
            return None
        closing = fences.lines.item(last)
        low, high = int(self._others.searchsorted(line)), int(self._others.searchsorted(closing))
        lines = self._others[low:high]
        if low < high:
            before = fences.lines.searchsorted(lines)
            outside = (before - first) & 1 == 0
            lines, before = lines[outside], before[outside]
            return Row(closing, lines.tolist(), fences.lines[before - 1].tolist())
        return Row(closing, [], [])


def _class_of(column: _Column, length: int, lasting_before: Ints) -> _Class:
    chosen = np.flatnonzero(column.lengths >= length)
    lines, lasting = column.lines[chosen], lasting_before[column.ranks[chosen]]
    # An opening fence of just this length, which the next one closes ...
    is_pair = column.opens[chosen] & (column.lengths[chosen] == length)
    is_pair[:-1] &= column.closes[chosen][1:] & (lines[1:] - lines[:-1] <= MOST_LINES)
    is_pair[-1:] = False
    # ... and behind that one nothing that lasts may begin before the one after it.
    goes_on = np.zeros(len(lines), np.bool_)
    goes_on[:-2] = is_pair[:-2] & (lasting[2:] == lasting[1:-1] + 1)
    stops = np.flatnonzero(~goes_on)
    is_odd = stops & 1 == 1
    return _Class(lines, (stops[~is_odd], stops[is_odd]), is_pair)


def _measure(view: LineView, ranks: Ints, lines: Ints, char: int) -> _Column:
    if len(lines) < _FEW:
        found = [_measure_one(view, line, char) for line in lines.tolist()]
        lengths = np.array([one[0] for one in found], np.int64)
        closes = np.array([one[1] for one in found], np.bool_)
        opens = np.array([one[2] for one in found], np.bool_)
        return _Column(ranks, lines, lengths, closes, opens)
    array = view.block.array
    begins = view.starts[lines]
    following = np.append(view.starts, len(array))[lines + 1]
    repeated = np.uint64(int.from_bytes(bytes([char]) * _WORD_BYTES, "little"))
    ends = _ends_of_runs(view.words, begins, repeated)
    # No backtick may stand in what follows on the line.
    opens, unclear = np.ones(len(lines), np.bool_), np.zeros(len(lines), np.bool_)
    if char == _BACKTICK:
        left = following - ends
        unclear = left > _NEAR_BYTES
        for at in range(0, _NEAR_BYTES, _WORD_BYTES):
            inside = np.flatnonzero(left > at)
            if not len(inside):
                break
            zeros = _zero_bytes(view.words[ends[inside] + at] ^ repeated)
            opens[inside] &= (zeros & _HIGHS[np.minimum(left[inside] - at, _WORD_BYTES)]) == 0
    rest = array[np.minimum(ends, len(array) - 1)]
    closes = _LINE_END[rest] | (ends == following)
    lengths = ends - begins
    # Only blanks may follow a fence that closes one. Whether one that is indented opens a block depends on the lines before.
    before_end = array[np.maximum(following - 2, begins)]
    is_odd = (~closes & _BLANK[rest] & _BLANK[before_end]) | (view.heads[lines] == _SPACE) | unclear
    for number in np.flatnonzero(is_odd).tolist():
        lengths[number], closes[number], opens[number] = _measure_one(view, lines.item(number), char)
    return _Column(ranks, lines, lengths, closes, opens)


def _ends_of_runs(words: Words, begins: Ints, repeated: np.uint64) -> Ints:
    """Where runs of one byte, given eight times over, end that begin at some places."""
    ends = begins.copy()
    going = np.arange(len(begins))
    while len(going):
        other = words[ends[going]] ^ repeated
        # The lowest bit that differs, less one, has as many bits as there are below it: eight for each byte that is the same.
        same = (bit_counts((other & (~other + _ONE)) - _ONE) >> 3).astype(np.int64)
        ends[going] += same
        going = going[same == _WORD_BYTES]
    return ends


def _zero_bytes(words: Words) -> Words:
    """The highest bit of each byte that is zero."""
    found: Words = ~(((words & _LOW7) + _LOW7) | words) & _HIGH
    return found


def _measure_one(view: LineView, line: int, char: int) -> tuple[int, bool, bool]:
    """How long a fence is, whether it can close one, whether it opens one for certain."""
    text = view.text(line)
    stripped = text.lstrip(b" ")
    rest = stripped.lstrip(bytes([char]))
    length = len(stripped) - len(rest)
    is_fence = length > 2
    return (
        length,
        is_fence and not rest.strip(),
        is_fence and stripped is text and not (char == _BACKTICK and b"`" in rest),
    )
