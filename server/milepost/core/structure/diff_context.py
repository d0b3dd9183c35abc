"""The hunks of context diffs (`diff -c`): two blocks of lines, the old ones and the new ones."""

from __future__ import annotations

import re

from milepost.core.structure.diff_files import DiffFile
from milepost.core.structure.diff_hunks import Hunk
from milepost.core.structure.line_view import LineView

STARS = b"***************"
_RANGE = re.compile(rb"(?:\*\*\*|---) (\d+)(?:,(\d+))? (?:\*\*\*\*|----)$")


class ContextHunks:
    """Counts the lines of the context hunk that is being read."""

    def __init__(self) -> None:
        self._side = b""

    def forget(self) -> None:
        """The file has ended."""
        self._side = b""

    def begin(self, file: DiffFile, view: LineView, index: int) -> None:
        """The line of stars before a hunk."""
        self.end(file, view, index)
        byte, line = view.offset(index), view.number(index)
        hunk = Hunk(0, 0, b"*** hunk", byte, line, byte, line)
        file.waiting.hunks.append(hunk)
        file.hunk_count += 1
        self._side = b"?"

    def end(self, file: DiffFile, view: LineView, index: int) -> None:
        """The last hunk ends where the next thing begins."""
        if file.waiting.hunks:
            hunk = file.waiting.hunks[-1]
            hunk.end_byte, hunk.end_line = view.offset(index), view.number(index) - 1

    def takes_head(self, file: DiffFile | None, text: bytes) -> bool:
        """`*** 1,5 ****` or `--- 1,6 ----`: which side of the hunk follows."""
        if file is None or not file.waiting.hunks or not self._side or self._side == b"-" or not _RANGE.match(text):
            return False
        self._side = text[:1]
        if self._side == b"*":
            file.waiting.hunks[-1].title = text
        return True

    def takes_line(self, file: DiffFile | None, text: bytes) -> bool:
        """A line of the hunk; counts what it changes."""
        if file is None or not file.waiting.hunks or not self._side:
            return False
        added = self._side == b"-" and text.startswith((b"+ ", b"! "))
        removed = self._side == b"*" and text.startswith((b"- ", b"! "))
        hunk = file.waiting.hunks[-1]
        hunk.added += added
        file.added += added
        hunk.removed += removed
        file.removed += removed
        return added or removed
