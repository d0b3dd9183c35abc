"""The needles of a question as one set of patterns for hyperscan, which finds all of them in one pass.

It finds candidates: a word that begins like a needle, in any case. Whether it is a form of it is seen on the line.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import hyperscan

from milepost.digest.answers.terms import Needle

_MIN_FREE = 4
"""A shorter piece is found in too many words; it must stand between other characters than letters or digits."""


class NeedlePatterns:
    """A compiled set; threads that share it wait for each other."""

    def __init__(self, needles: Sequence[Needle]) -> None:
        """`literals` are what is looked for; `of_needle` says for each needle which of them."""
        self.literals: tuple[str, ...] = tuple(dict.fromkeys(literal_of(needle) for needle in needles))
        numbers = {literal: number for number, literal in enumerate(self.literals)}
        self.of_needle: tuple[int, ...] = tuple(numbers[literal_of(needle)] for needle in needles)
        self._lock = threading.Lock()
        self._every: Any = None
        self._once: Any = None

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """(literal, end) of all matches."""
        found: list[tuple[int, int]] = []

        def on_match(literal: int, start: int, end: int, flags: int, context: object) -> None:
            found.append((literal, end))

        with self._lock:
            if self._every is None and self.literals:
                self._every = self._compiled(range(len(self.literals)), once=False)
            if self._every is not None:
                self._every.scan(data, match_event_handler=on_match)
        return found

    def count_from_here(self, without: set[int]) -> None:
        """Make ready for `found_in`, which will not look for those in `without`."""
        wanted = [number for number in range(len(self.literals)) if number not in without]
        self._once = self._compiled(wanted, once=True)

    def found_in(self, data: bytes | memoryview) -> set[int]:
        """Which literals occur at all. Not for several threads."""
        found: set[int] = set()
        if self._once is not None:

            def on_match(literal: int, start: int, end: int, flags: int, context: object) -> None:
                found.add(literal)

            self._once.scan(data, match_event_handler=on_match)
        return found

    def counted(self) -> None:
        """Let go of what only `found_in` needs."""
        self._once = None

    def _compiled(self, numbers: Sequence[int] | range, *, once: bool) -> Any:
        if not numbers:
            return None
        once_flag = hyperscan.HS_FLAG_SINGLEMATCH if once else 0
        flags = [
            once_flag | (hyperscan.HS_FLAG_CASELESS if _is_free(self.literals[number]) else 0) for number in numbers
        ]
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        with suppress(hyperscan.error):
            database.compile(
                expressions=[_expression(self.literals[number]) for number in numbers],
                ids=list(numbers),
                elements=len(numbers),
                flags=flags,
            )
            return database
        return None


def literal_of(needle: Needle) -> str:
    """What is looked for: a name as it is; of a phrase its longest word."""
    return needle.phrase[0] if needle.is_name else max(needle.phrase, key=len)


def _is_free(literal: str) -> bool:
    return len(literal) >= _MIN_FREE or not literal.isascii() or not literal.isalpha()


def _expression(literal: str) -> bytes:
    escaped = re.escape(literal.encode("utf-8"))
    if _is_free(literal) and not literal.isdigit():
        return escaped
    if literal.isdigit():
        return rb"(?:^|[^0-9])" + escaped
    # Alone, or as a hump: `numCPUs`, `remoteIp`.
    humps = (literal.upper().encode(), literal.capitalize().encode())
    return rb"(?i:(?:^|[^a-z])" + escaped + rb")|[a-z](?:" + b"|".join(map(re.escape, humps)) + rb")"
