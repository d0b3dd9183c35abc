"""A record's head as a pattern whose groups say where the message begins and where the level stands."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KINDS = {"level": "level", "level2": "level", "pri": "priority", "status": "status", "sccm": "sccm"}


@dataclass(frozen=True, slots=True)
class Head:
    """`pattern` matches from the line's beginning to the message's; `fields` are (group, kind) of the level fields in
    the order they are asked; `mark` is the group that marks the message's beginning, 0 if that is the pattern's end."""

    pattern: re.Pattern[bytes]
    fields: tuple[tuple[int, str], ...]
    mark: int

    @classmethod
    def of(cls, pattern: re.Pattern[bytes]) -> Head:
        """The head that a pattern's group names describe."""
        groups = pattern.groupindex
        fields = tuple((groups[name], kind) for name, kind in _KINDS.items() if name in groups)
        return cls(pattern, fields, groups.get("m", 0))

    def split(self, match: re.Match[bytes]) -> tuple[int, bytes, str]:
        """Where the message begins, the level field's text and its kind (both empty if there is none)."""
        start = match.start(self.mark) if self.mark else match.end()
        for group, kind in self.fields:
            text = match[group]
            if text:
                return start, text, kind
        return start, b"", ""
