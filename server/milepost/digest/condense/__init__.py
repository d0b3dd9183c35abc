"""The condensed view of a chunk: what makes a model affordable without losing a line."""

from __future__ import annotations

from collections.abc import Callable

from milepost.core.lines import line_starts
from milepost.core.text import plain_text
from milepost.digest.condense.view import View, ViewLine, clipped
from milepost.digest.values import ChunkText

__all__ = ["View", "ViewLine", "condense"]

Mask = Callable[[str], str]


def condense(chunk: ChunkText, *, mask: Mask) -> View:
    """The view of a chunk. `mask` takes secrets out of what is shown."""
    starts = [*line_starts(chunk.data).tolist(), len(chunk.data)]
    lines = []
    for index, (start, end) in enumerate(zip(starts, starts[1:], strict=False)):
        number = chunk.chunk.start_line + index
        text = clipped(plain_text(mask(chunk.decoded(chunk.data[start:end]).rstrip("\r\n"))), 1000)
        lines.append(ViewLine(text, number, number, 1, ((start, end),)))
    return View(lines)
