"""Finding a place in a file again after the file has changed.

An anchor remembers a hash of the first line of its range (at most 256 bytes of it, without its line end). The line is
looked for where it was, then further and further away in both directions, as far as `SEARCH_BYTES`.
"""

from __future__ import annotations

import xxhash

from milepost.core.lines import LineIndex, line_starts
from milepost.core.source import ByteSource, StopFlag, never, raise_if_stopped

HASHED_BYTES = 256
#: How much of the file is looked through on either side of the old place.
SEARCH_BYTES = 64 << 20
_STEP_BYTES = 1 << 20


def head_hash(line: bytes) -> str:
    """The hash of a line's head."""
    return xxhash.xxh3_64_hexdigest(line.rstrip(b"\r\n")[:HASHED_BYTES])


def find_again(
    source: ByteSource, index: LineIndex, line: int, wanted: str, *, should_stop: StopFlag = never
) -> int | None:
    """The 1-based line nearest to `line` whose head has the hash `wanted`; None where there is none near enough."""
    total = index.total_lines
    if not total:
        return None
    near = min(line, total)
    place = index.offset_of_line(near, source)
    if near == line and head_hash(source.read_at(place, HASHED_BYTES + 2).splitlines()[0]) == wanted:
        return line
    before, after = place, place
    while after - place < SEARCH_BYTES and (after < source.size or before > 0):
        raise_if_stopped(should_stop)
        found: list[int] = []
        if after < source.size:
            end = min(source.size, after + _STEP_BYTES)
            found += _matching(source, after, end, wanted)
            after = end
        if before > 0:
            start = max(0, before - _STEP_BYTES)
            found += _matching(source, start, before, wanted)
            before = start
        if found:
            best = min(found, key=lambda offset: (abs(offset - place), offset))
            return index.line_at_offset(best, source)
    return None


def _matching(source: ByteSource, start: int, end: int, wanted: str) -> list[int]:
    """Offsets of the lines that start in [start, end) and whose head has the hash."""
    begin = max(0, start - 1)
    data = source.read_at(begin, end - begin + HASHED_BYTES + 2)
    offsets = [int(one) for one in line_starts(data)]
    found: list[int] = []
    for position, offset in enumerate(offsets):
        absolute = begin + offset
        if absolute < start or absolute >= end:
            continue
        if position == 0 and absolute == begin and begin > 0:
            continue  # the byte before is unknown: this may be the middle of a line
        stop = offsets[position + 1] if position + 1 < len(offsets) else len(data)
        if head_hash(data[offset : min(stop, offset + HASHED_BYTES + 2)]) == wanted:
            found.append(absolute)
    return found
