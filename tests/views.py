"""What must be true of a condensed view, told again by other means than those of the code."""

from __future__ import annotations

import re
from bisect import bisect_right

from milepost.core.chunks import Chunk
from milepost.core.encoding import UTF8, Encoding
from milepost.core.logs.ansi import strip_ansi
from milepost.digest.condense import View
from milepost.digest.values import ChunkText, Piece

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_CLIPPED = re.compile(r"\[\+[\d,]+ bytes\]|…|<time>")
_UNTIL = re.compile(r" \(until [^()]*\)$")
_SLOT = re.compile(r"\{[^{}]*\}")


def starts_of(data: bytes) -> list[int]:
    """Where each line starts, told slowly."""
    return [match.start() for match in _LINE.finditer(data)]


def chunk_of(
    data: bytes,
    kind: str,
    *,
    first_line: int = 1,
    start_byte: int = 0,
    pieces: tuple[Piece, ...] = (),
    encoding: Encoding = UTF8,
    index: int = 0,
) -> ChunkText:
    """A chunk that is a whole text."""
    lines = max(1, len(starts_of(data)))
    chunk = Chunk(first_line, first_line + lines - 1, start_byte, start_byte + len(data))
    return ChunkText(index, index + 1, chunk, data, b"", encoding, kind, pieces)


def faults_of(view: View, chunk: ChunkText) -> list[str]:
    """What is wrong with a view: bytes that no line stands for or two do, wrong line numbers, a wrong order."""
    faults: list[str] = []
    at = 0
    for start, end in sorted(one for line in view for one in line.ranges):
        if start != at or end <= start:
            faults.append(f"bytes {start}-{end} follow byte {at}")
        at = max(at, end)
    if at != len(chunk.data):
        faults.append(f"covers {at} of {len(chunk.data)} bytes")
    starts = starts_of(chunk.data)
    first = chunk.chunk.start_line
    for line in view:
        if list(line.ranges) != sorted(line.ranges):
            faults.append(f"ranges out of order: {line.ranges}")
        begins = first + bisect_right(starts, line.ranges[0][0]) - 1
        ends = first + bisect_right(starts, line.ranges[-1][1] - 1) - 1
        if (line.start_line, line.end_line) != (begins, ends):
            faults.append(f"lines {begins}-{ends} are shown as {line.render()[:80]!r}")
        if line.count < 1 or "\n" in line.text or "\r" in line.text:
            faults.append(f"count or text: {line.render()[:80]!r}")
    if [line.ranges[0] for line in view] != sorted(line.ranges[0] for line in view):
        faults.append("view lines out of order")
    return faults


def fixed_words(text: str) -> list[str]:
    """The words of a folded line that are no values: all that stands outside of braces, up to where it is clipped."""
    text = _UNTIL.sub("", text)
    words: list[str] = []
    at = 0
    for slot in _SLOT.finditer(text):
        between = text[at : slot.start()]
        if "{" in between or "}" in between:
            return words  # braces of the text itself: from here on it cannot be told
        words += _words(between, open_start=at > 0, open_end=True)
        at = slot.end()
    rest = text[at:]
    return words if "{" in rest or "}" in rest else words + _words(rest, open_start=at > 0, open_end=False)


def _words(text: str, *, open_start: bool, open_end: bool) -> list[str]:
    parts = _CLIPPED.split(text)
    return [word for part in parts for word in part.split() if "\N{REPLACEMENT CHARACTER}" not in word]


def strangers(view: View, chunk: ChunkText) -> list[str]:
    """Lines that are folded into a view line whose fixed words they do not have, in order."""
    found: list[str] = []
    for view_line in view:
        if view_line.kind != "repeat" or view_line.text == "(blank)" or view_line.text.startswith("("):
            continue
        words = fixed_words(view_line.text)
        for start, end in view_line.ranges:
            for line in chunk.data[start:end].splitlines():
                text = chunk.decoded(strip_ansi(line))
                at = 0
                for word in words:
                    at = text.find(word, at)
                    if at < 0:
                        found.append(f"{text[:120]!r} is no {view_line.text[:120]!r}: {word!r}")
                        break
                    at += len(word)
    return found
