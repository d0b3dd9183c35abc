"""Columns in the unit a client counts in: UTF-8 bytes, UTF-16 code units, or UTF-32 code points."""

from __future__ import annotations

from typing import Literal

Units = Literal["utf-8", "utf-16", "utf-32"]

UNITS: tuple[Units, ...] = ("utf-8", "utf-16", "utf-32")


def units_of(encoding: str | None) -> Units:
    """The unit that a position encoding names; UTF-16, which every client knows, for an unknown one."""
    for units in UNITS:
        if units == encoding:
            return units
    return "utf-16"


def width(text: str, units: Units) -> int:
    """How many units `text` is long."""
    if units == "utf-32" or text.isascii():
        return len(text)
    if units == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode("utf-8", "surrogatepass"))


def index_of_column(line: str, column: int, units: Units) -> int:
    """The index in `line` (a line without its end) that a client's column means.

    A column past the end is the end; one inside a character (between surrogates, or UTF-8 bytes) is before it.
    """
    if units == "utf-32" or line.isascii():
        return min(column, len(line))
    if units == "utf-16":
        if column >= 2 * len(line):
            return len(line)
        data = line.encode("utf-16-le", "surrogatepass")
        cut = 2 * column
        if 2 <= cut < len(data) and 0xD8 <= data[cut - 1] <= 0xDB and 0xDC <= data[cut + 1] <= 0xDF:
            cut -= 2
        return len(data[:cut].decode("utf-16-le", "surrogatepass"))
    data = line.encode("utf-8", "surrogatepass")
    cut = min(column, len(data))
    while 0 < cut < len(data) and data[cut] & 0xC0 == 0x80:
        cut -= 1
    return len(data[:cut].decode("utf-8", "surrogatepass"))
