"""Slow, plainly right versions of what the core does fast, and texts to try both on."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import strategies

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")

# Each line end, at any cut; characters of 1 to 4 bytes; what other tools take for line ends; broken UTF-8; NUL.
PIECES = [
    b"a", b"b", b"ERROR", b" ", b"\n", b"\r", b"\r\n", b"\n\n", "é".encode(), "€".encode(), "🌍".encode(),
    b"\f", b"\v", "\x85".encode(), "\u2028".encode(), b"\xff", b"\x00",
]  # fmt: skip

texts = strategies.lists(strategies.sampled_from(PIECES), max_size=40).map(b"".join)


def lines_of(data: bytes) -> list[bytes]:
    """The lines with their ends: LF, CRLF or a lone CR, and nothing else."""
    return LINE.findall(data)


def starts_of(data: bytes) -> list[int]:
    """Where each line starts."""
    starts = [0]
    for line in lines_of(data):
        starts.append(starts[-1] + len(line))
    return starts[:-1]


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    """`data` in consecutive parts, cut at the given places (taken modulo its length)."""
    places = sorted({place % (len(data) + 1) for place in cuts} | {0, len(data)})
    return [data[low:high] for low, high in pairwise(places)]
