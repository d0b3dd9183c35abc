"""Compiled patterns that several threads may search with at once.

Hyperscan needs scratch memory for each search that is under way, and a database brings one piece of it: two threads that
meet in it fail with `ScratchInUseError`. Here each thread has its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import hyperscan

OnMatch = Callable[[int, int, int, int, object], "bool | None"]


class SharedPatterns:
    """Patterns for `scan` from any thread. `flags` has one entry for each expression, `ids` the number it is told by."""

    def __init__(self, expressions: Sequence[bytes], flags: Sequence[int], ids: Sequence[int] | None = None) -> None:
        self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        self._database.compile(
            expressions=list(expressions),
            ids=list(range(len(expressions)) if ids is None else ids),
            elements=len(expressions),
            flags=list(flags),
        )
        self._local = threading.local()

    def scan(self, data: Any, on_match: OnMatch) -> None:
        """Call `on_match(id, start, end, flags, context)` for the end of each match in some bytes."""
        scratch: Any = getattr(self._local, "scratch", None)
        if scratch is None:
            scratch = self._local.scratch = hyperscan.Scratch(self._database)
        self._database.scan(data, match_event_handler=on_match, scratch=scratch)
