"""A chunk by its lines as they are searched: where each is, what words it holds, and what belongs to it.

A line that is too long to be quoted is cut into units of some hundred bytes, so that a place inside it can be named.
"""

from __future__ import annotations

from bisect import bisect_right

from milepost.core.lines import line_starts
from milepost.core.text import plain_text
from milepost.digest.answers.words import runs_of, words_of
from milepost.digest.values import ChunkText, Piece

LONG_LINE_BYTES = 16_384
"""From this on a line is cut into units."""
UNIT_BYTES = 800
_CUT_BEFORE = b" ,;}>)"
_MAX_TEXT_BYTES = 16_384

#: Formats in which what is indented belongs to what is above and less indented.
_NESTED = frozenset(("json", "yaml", "xml", "code", "markup", "sql", "minified"))
_MAX_ANCESTORS = 5
_MAX_LOOKING_BACK = 600


class Units:
    """The units of a chunk, numbered from 0 in file order."""

    def __init__(self, chunk: ChunkText) -> None:
        self.chunk = chunk
        self.starts: list[int] = []
        self.lines: list[int] = []
        data = chunk.data
        line_at = line_starts(data).tolist()
        for number, (start, end) in enumerate(zip(line_at, [*line_at[1:], len(data)], strict=True)):
            line = chunk.chunk.start_line + number
            if end - start <= LONG_LINE_BYTES:
                self.starts.append(start)
                self.lines.append(line)
            else:
                cuts = _cuts(data, start, end)
                self.starts.extend(cuts)
                self.lines.extend([line] * len(cuts))
        self.count = len(self.starts)
        self.starts.append(len(data))
        self.is_nested = chunk.format in _NESTED
        self._texts: dict[int, str] = {}
        self._words: dict[int, list[str]] = {}
        self._indents: dict[int, int] = {}

    def at(self, offset: int) -> int:
        """Which unit holds a byte."""
        return min(bisect_right(self.starts, offset) - 1, self.count - 1)

    def raw(self, unit: int) -> bytes:
        """Its bytes, without a line end."""
        return self.chunk.data[self.starts[unit] : self.starts[unit + 1]].rstrip(b"\r\n")

    def text(self, unit: int) -> str:
        """Its text on one line, without escape sequences."""
        text = self._texts.get(unit)
        if text is None:
            text = self._texts[unit] = plain_text(self.chunk.decoded(self.raw(unit)[:_MAX_TEXT_BYTES]))
        return text

    def words(self, unit: int) -> list[str]:
        """Its words in lower case; those of identifiers too, and at the end the identifiers in one piece."""
        words = self._words.get(unit)
        if words is None:
            text = self.text(unit)
            words = words_of(text)
            runs = runs_of(text)
            words = self._words[unit] = [*words, *runs] if len(runs) != len(words) else words
        return words

    def is_blank(self, unit: int) -> bool:
        """Whether there is nothing on it."""
        return not self.raw(unit).strip()

    def indent(self, unit: int) -> int:
        """How far it is indented; a blank one like nothing."""
        indent = self._indents.get(unit)
        if indent is None:
            raw = self.raw(unit)
            stripped = raw.lstrip(b" \t+")
            indent = self._indents[unit] = len(raw) - len(stripped) if stripped else 1 << 30
        return indent

    def ancestors(self, unit: int) -> list[int]:
        """The lines above that it belongs to by its indent, the nearest first."""
        found: list[int] = []
        if not self.is_nested:
            return found
        indent = self.indent(unit)
        for above in range(unit - 1, max(-1, unit - _MAX_LOOKING_BACK), -1):
            if len(found) >= _MAX_ANCESTORS or indent == 0:
                break
            if self.indent(above) < indent:
                indent = self.indent(above)
                found.append(above)
        return found

    def children(self, unit: int, most: int) -> range:
        """The lines below that are indented under a line, at most so many."""
        indent = self.indent(unit)
        end = unit
        while end + 1 < self.count and end - unit < most and self.indent(end + 1) > indent:
            end += 1
        return range(unit + 1, end + 1)

    def record(self, unit: int, most: int) -> range:
        """The largest part of a nested text around a line that has at most so many lines."""
        best = range(unit, unit + 1)
        for ancestor in self.ancestors(unit):
            if unit - ancestor >= most:
                break
            indent = self.indent(ancestor)
            end = unit
            while end + 1 < self.count and end - ancestor < most and self.indent(end + 1) > indent:
                end += 1
            if end - ancestor >= most:
                break
            best = range(ancestor, end + 1)
        return best

    def block(self, unit: int, reach: int) -> range:
        """The lines around that belong with it: up to blank or less indented ones, at most `reach` away."""
        low = high = unit
        indent = self.indent(unit)
        while low > 0 and unit - low < reach and self._belongs(low - 1, indent):
            low -= 1
        while high + 1 < self.count and high - unit < reach and self._belongs(high + 1, indent):
            high += 1
        return range(low, high + 1)

    def _belongs(self, other: int, indent: int) -> bool:
        if self.is_blank(other):
            return False
        return not self.is_nested or self.indent(other) >= indent

    def piece(self, unit: int) -> Piece | None:
        """The piece of the chunk that it lies in."""
        pieces = self.chunk.pieces
        at = bisect_right([piece.start_line for piece in pieces], self.lines[unit]) - 1
        return pieces[at] if at >= 0 else None

    def place(self, first: int, last: int) -> tuple[int, int, int, int]:
        """The exact range of some units: lines inclusive, bytes half-open in the file. Line ends at the end are left out."""
        start, end = self.starts[first], self.starts[last] + len(self.raw(last))
        return self.lines[first], self.lines[last], self.chunk.to_file(start), self.chunk.to_file(end)


def _cuts(data: bytes, start: int, end: int) -> list[int]:
    """Where the units of a long line begin."""
    cuts = [start]
    while end - cuts[-1] > UNIT_BYTES + UNIT_BYTES // 2:
        low, high = cuts[-1] + UNIT_BYTES // 2, cuts[-1] + UNIT_BYTES
        cut = max(data.rfind(bytes((byte,)), low, high) for byte in _CUT_BEFORE) + 1
        if not cut:
            cut = high
            while cut > low and data[cut] & 0xC0 == 0x80:
                cut -= 1
        cuts.append(cut)
    return cuts
