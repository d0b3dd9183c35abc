"""Fields followed one by one, by the rules of Python's `csv` module: for the stretches where quotes stand anywhere."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.tables.dialect import Dialect

Offsets = npt.NDArray[np.int64]
_LINE_END = b"\r\n"


class FieldState(Enum):
    """Where in a field a text is cut: before its first byte, in plain text, inside quotes, behind a closing quote."""

    START = "start"
    PLAIN = "plain"
    QUOTED = "quoted"
    CLOSED = "closed"


class Stepped(NamedTuple):
    """What was found, where that ends, and the state there."""

    delimiters: list[int]
    ends: list[int]
    at: int
    state: FieldState


@lru_cache(maxsize=64)
def _end_of_plain(delimiter: int) -> re.Pattern[bytes]:
    marks = _LINE_END + (bytes([delimiter]) if delimiter >= 0 else b"")
    return re.compile(b"[" + re.escape(marks) + b"]")


def step_through(
    data: bytes,
    at: int,
    limit: int,
    state: FieldState,
    dialect: Dialect,
    escaped: Offsets | None,
) -> Stepped:
    """Delimiters and record ends from `at` to the end of the first record that ends at or after `limit`.

    A record that does not end in `data` is followed to the end of `data`.
    """
    delimiters: list[int] = []
    ends: list[int] = []
    delimiter, quote = dialect.delimiter, dialect.quote
    stop_at = _end_of_plain(delimiter)
    meaningless = frozenset(escaped.tolist()) if escaped is not None else frozenset()
    while at < len(data):
        if state is FieldState.START:
            place = at
            while dialect.skip_space and place < len(data) and data[place] == 0x20:
                place += 1
            if place == len(data):
                at = place
            elif data[place] == quote and place not in meaningless:
                state, at = FieldState.QUOTED, place + 1
            else:
                state = FieldState.PLAIN
        elif state is FieldState.QUOTED:
            place = data.find(quote, at)
            while place >= 0 and place in meaningless:
                place = data.find(quote, place + 1)
            if place < 0:
                at = len(data)
            else:
                state, at = FieldState.CLOSED, place + 1
        elif state is FieldState.CLOSED and data[at] == quote:
            state, at = FieldState.QUOTED, at + 1
        else:
            match = stop_at.search(data, at)
            while match is not None and match.start() in meaningless:
                match = stop_at.search(data, match.start() + 1)
            if match is None:
                state, at = FieldState.PLAIN, len(data)
                continue
            place, at = match.start(), match.end()
            state = FieldState.START
            if data[place] == delimiter:
                delimiters.append(place)
                continue
            if data[place] == 0x0D and at < len(data) and data[at] == 0x0A:
                place, at = at, at + 1
            ends.append(place)
            if at >= limit:
                break
    return Stepped(delimiters, ends, at, state)
