"""Where a record ends, and the line of it that says most."""

from __future__ import annotations

import re

from milepost.core.logs.ansi import strip_ansi
from milepost.core.logs.incident_rules import is_strong
from milepost.core.logs.layouts import Layout
from milepost.core.logs.traces import CONTINUATION, EXCERPT, TraceState

#: Lines of any kind that follow a record's head without being a head themselves; more than these only as a trace.
_FREE_LINES = 200
_MOST_LINES = 20_000
_CAUSE = re.compile(
    rb"^\s*(?:Caused by: |Root cause: |\s*---> )(.+)|^((?:[A-Za-z_][\w]*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b.*)",
    re.MULTILINE,
)


_POSTGRESQL_FIELD = re.compile(rb"\b(?:DETAIL|HINT|CONTEXT|QUERY|STATEMENT):  ")


class RecordEnd:
    """Fed the lines after a record's head one by one, says which still belong to it.

    `pending_blank` counts blank lines at the end that were taken on trust: they belong to the record only if more follows.
    """

    __slots__ = ("_console", "_free", "_layout", "_taken", "_trace", "pending_blank")

    def __init__(self, layout: Layout | None, console: bool, head: bytes) -> None:
        self._layout = layout
        self._console = console
        self._trace = TraceState(head)
        self._free = 0
        self._taken = 0
        self.pending_blank = 0

    def takes(self, line: bytes) -> bool:
        """Whether the next line belongs to the record."""
        plain = strip_ansi(line) if b"\x1b" in line else line
        if self._taken >= _MOST_LINES:
            return False
        if not plain.strip():
            if self._console and self.pending_blank >= 2:
                return False
            self.pending_blank += 1
            self._taken += 1
            return True
        taken = self._takes_text(plain)
        if taken:
            self.pending_blank = 0
            self._taken += 1
        return taken

    def _takes_text(self, line: bytes) -> bool:
        layout = self._layout
        if self._console or layout is None:
            if self._trace.continues(line):
                return True
            return self.pending_blank == 0 and self._free < 40 and self._takes_excerpt(line)
        if not layout.is_head(line):
            self._free += 1
            return self._free <= _FREE_LINES or CONTINUATION.match(line) is not None or self._trace.continues(line)
        message = line[layout.message_start(line) :]
        # A logger that stamps each line of a trace.
        return message[:1] in b" \t" and CONTINUATION.match(message) is not None

    def _takes_excerpt(self, line: bytes) -> bool:
        if EXCERPT.match(line) is None:
            return False
        self._free += 1
        return True


def innermost_cause(text: bytes) -> bytes:
    """The last cause or exception that the lines of a trace name; empty where they name none."""
    cause = b""
    for match in _CAUSE.finditer(text):
        cause = (match.group(1) or match.group(2) or b"").strip()
    return cause[:300]


def record_digest(text: bytes, console: bool, layout: Layout | None = None) -> bytes:
    """What the lines after a record's head add: the innermost cause, else the first line that says something."""
    cause = innermost_cause(text)
    if cause:
        return cause
    lines = text.splitlines()[1:]
    if console:
        for line in lines:
            if is_strong(line):
                return line.strip()[:300]
    for line in lines:
        stripped = strip_ansi(line).strip()
        if layout is not None and not console:
            field = _POSTGRESQL_FIELD.search(stripped)
            # A logger that stamps each line of a record.
            stripped = stripped[field.start() if field else layout.message_start(stripped) :]
        if stripped and (not console or stripped.strip(b"|~^ ")):
            return stripped[:300]
    return b""
