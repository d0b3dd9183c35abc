"""Where statements end: semicolons and other delimiters, `GO` and `/` on lines of their own."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.sqltext.dialect import SqlDialect
from milepost.core.sqltext.piece import lines_beginning
from milepost.core.tables.bits import Offsets, Words, bit_counts, has, pack, sparse_places

_GO = re.compile(rb"(?i)GO(?:[ \t]+\d+)?[ \t]*(?=[\r\n]|\Z)")
_SLASH = re.compile(rb"/[ \t]*(?=[\r\n]|\Z)")


def terminators(
    block: Block, low: int, data: bytes, hidden: Words, dialect: SqlDialect, delimiter: bytes, is_open: bool
) -> tuple[Offsets, Offsets]:
    """Where statements end in the part `data` of a block that begins at `low`, and how long what ends them is.

    `is_open` says that a statement goes on from before it, which a line that begins with INSERT may end (SQL Server).
    """
    codes = block.array[low : low + len(data)]
    if delimiter == b";":
        ends = _semicolons(block, low, codes, hidden)
    else:
        found = [match.start() for match in re.finditer(re.escape(delimiter), data)]
        ends = np.array(found, np.int64)
        ends = ends[~has(hidden, ends)]
    widths = np.full(len(ends), len(delimiter), np.int64)
    extra: list[tuple[int, int]] = []
    if dialect.go_lines:
        extra += _matches(_GO, block, lines_beginning(block, b"go", low, low + len(data)), low)
        inserts = lines_beginning(block, b"insert", low, low + len(data))
        extra += [(place - low, 0) for place in inserts if place > low or is_open]
    if dialect.slash_lines:
        extra += _matches(_SLASH, block, lines_beginning(block, b"/", low, low + len(data)), low)
    if extra:
        more, lengths = np.array(extra, np.int64).T
        keep = ~has(hidden, more)
        ends, widths = np.append(ends, more[keep]), np.append(widths, lengths[keep])
        order = np.argsort(ends, kind="stable")
        ends, widths = ends[order], widths[order]
        # A line that begins with INSERT ends nothing if another statement has just ended.
        behind = ends + widths
        behind += codes[np.minimum(behind, len(codes) - 1)] == 0x0D
        behind += codes[np.minimum(behind, len(codes) - 1)] == 0x0A
        needless = np.zeros(len(ends), np.bool_)
        needless[1:] = (widths[1:] == 0) & (behind[:-1] >= ends[1:])
        ends, widths = ends[~needless], widths[~needless]
    return ends, widths


def _semicolons(block: Block, low: int, codes: npt.NDArray[np.uint8], hidden: Words) -> Offsets:
    """The semicolons that end statements. In most dumps all stand at ends of lines, where they are found at once."""
    visible = pack(codes == 0x3B) & ~hidden
    starts = block.starts
    behind = starts[int(np.searchsorted(starts, low + 1)) : int(np.searchsorted(starts, low + len(codes)))] - low
    if low + len(codes) == len(block.data) and block.ends_line:
        behind = np.append(behind, len(codes))
    ends = behind[behind >= 2] - 2
    ends = ends[codes[ends] == 0x3B]
    ends = ends[has(visible, ends)]
    return ends if len(ends) == int(bit_counts(visible).sum()) else sparse_places(visible)


def _matches(pattern: re.Pattern[bytes], block: Block, places: list[int], low: int) -> list[tuple[int, int]]:
    """Where (from `low` on) lines match, and how long the matches are."""
    found = [(place, pattern.match(block.data, place)) for place in places]
    return [(place - low, match.end() - place) for place, match in found if match]
