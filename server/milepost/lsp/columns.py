"""Where lines begin and end, in the columns of the client, for sections that say bytes."""

from __future__ import annotations

from milepost.core.outline import Section
from milepost.core.source import ByteSource
from milepost.lsp.position import Units, width

#: How much of a section's first line is looked at: the range that an editor reveals need not be longer.
HEAD_BYTES = 2_048

#: A last line longer than this is not measured: the column is an upper bound, which clients cut to the line.
LINE_BYTES = 4 << 20

_FIRST_READ_BYTES = 512
_MAX_COLUMN = 2**31 - 1


class Columns:
    """Measures first and last lines of sections in one source. Blocking; results are kept."""

    def __init__(self, source: ByteSource, encoding: str, units: Units) -> None:
        self._source = source
        self._units: Units = units
        # Binary files show what is valid UTF-8.
        self._encoding = "utf-8" if encoding == "binary" else encoding
        self._unit_bytes = 4 if "utf-32" in encoding else 2 if "utf-16" in encoding else 1
        self._ends: dict[int, int] = {}
        self._heads: dict[int, int] = {}

    def start(self, section: Section) -> int:
        """The column of a section's first character."""
        if not section.start_column:
            return 0
        if self._units == "utf-16":
            return section.start_column
        return self._column_at(section.start_byte)

    def end(self, section: Section) -> int:
        """The column after a section's last character; a line end is not counted."""
        if section.end_column is not None and self._units == "utf-16":
            return section.end_column
        end = section.end_byte
        if end not in self._ends:
            self._ends[end] = self._column_at(end)
        return self._ends[end]

    def head_width(self, section: Section) -> int:
        """How long the section's first line is, from its start on, as far as it is looked at."""
        start = section.start_byte
        if start not in self._heads:
            length = min(HEAD_BYTES, max(section.end_byte - start, 0))
            text = self._decode(self._source.read_at(start, length))
            if start == 0:
                text = text.removeprefix("\ufeff")
            line = _first_line(text)
            if line is text and length == HEAD_BYTES:
                line = line[:-4]  # the cut may have split a character
            self._heads[start] = width(line, self._units)
        return self._heads[start]

    def _column_at(self, offset: int) -> int:
        """The column of `offset`, or of the end of its line where `offset` lies just behind the line's end."""
        length = _FIRST_READ_BYTES
        while True:
            start = max(0, offset - length)
            data = self._source.read_at(start, offset - start)
            text = _without_line_end(self._decode(data))
            line = _last_line(text)
            if line is not text or start == 0:
                if line is text:
                    line = line.removeprefix("\ufeff")
                return width(line, self._units)
            if length >= LINE_BYTES:
                return min(offset, _MAX_COLUMN)
            length *= 8

    def _decode(self, data: bytes) -> str:
        if self._unit_bytes > 1:
            data = data[len(data) % self._unit_bytes :]
        return data.decode(self._encoding, "replace")


def _without_line_end(text: str) -> str:
    if text.endswith("\n"):
        text = text[:-1]
    return text.removesuffix("\r")


def _last_line(text: str) -> str:
    cut = max(text.rfind("\n"), text.rfind("\r")) + 1
    return text[cut:] if cut else text


def _first_line(text: str) -> str:
    ends = [place for place in (text.find("\n"), text.find("\r")) if place >= 0]
    return text[: min(ends)] if ends else text
