"""The condensed view of a chunk: what makes a model affordable without losing a line.

`condense` picks a way by the file's format. Each way folds what repeats and keeps what is odd; what they share is that
their view lines together cover the chunk exactly once (`view.py`), and what may be shown of a line (`lines.py`).
"""

from __future__ import annotations

from milepost.digest.condense.lines import ChunkLines, Mask
from milepost.digest.condense.logs import LogCondenser
from milepost.digest.condense.pieces import LONG_LINE_BYTES, condense_parts
from milepost.digest.condense.source_code import CodeCondenser, condense_diff
from milepost.digest.condense.structured import StructureCondenser
from milepost.digest.condense.tables import condense_csv, condense_ndjson
from milepost.digest.condense.view import View, ViewLine
from milepost.digest.values import ChunkText

__all__ = ["Mask", "View", "ViewLine", "condense"]

_PROSE_BYTES = 4000


def condense(chunk: ChunkText, *, mask: Mask) -> View:
    """The view of a chunk. `mask` takes secrets out of what is shown; it is asked once if there are none."""
    lines = ChunkLines(chunk, mask)
    if chunk.format in ("sql", "minified") or _has_huge_lines(lines, chunk.format):
        return condense_parts(lines, chunk.format)
    if chunk.format in ("json", "yaml", "xml", "ini", "records"):
        return StructureCondenser(lines, chunk.format).view()
    if chunk.format == "csv":
        return condense_csv(lines)
    if chunk.format == "ndjson":
        return condense_ndjson(lines)
    if chunk.format == "code":
        return CodeCondenser(lines).view()
    if chunk.format == "diff":
        return condense_diff(lines)
    prose = chunk.format in ("text", "markup")
    return LogCondenser(lines, chunk.pieces, keep_bytes=_PROSE_BYTES if prose else None).view()


def _has_huge_lines(lines: ChunkLines, kind: str) -> bool:
    """Whether half of a chunk of structured text or more lies in lines too long to be looked at as lines."""
    if kind not in ("json", "xml", "yaml", "ini", "code"):
        return False
    huge = sum(size for index in range(lines.count) if (size := lines.size(index)) > LONG_LINE_BYTES)
    return 2 * huge >= len(lines.chunk.data)
