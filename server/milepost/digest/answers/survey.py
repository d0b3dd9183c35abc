"""How often a question's terms occur in the whole text: what tells a word that points somewhere from one that is everywhere.

The text is cut into windows of a fixed size, and counted is in how many of them a term occurs: one fast pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from milepost.core.source import ByteSource, Progress, StopFlag, never, no_progress, raise_if_stopped
from milepost.digest.answers.patterns import NeedlePatterns, literal_of
from milepost.digest.answers.question import Question
from milepost.digest.answers.terms import Needle

_BLOCK_BYTES = 1 << 20
_MIN_WINDOW_BYTES, _MAX_WINDOW_BYTES = 256, 4096
_WINDOWS = 4096
"""A small text is cut into about so many windows, as far as they do not get too small."""
_OVERLAP_BYTES = 32

#: A term is no longer counted once it was found in so many windows and in every second one.
_ENOUGH = 2048

HEAD_BYTES = 2000


@dataclass(frozen=True, slots=True)
class Statistics:
    """`counts` says of each thing looked for in how many `windows` it occurs; `head` is how the text begins."""

    windows: int
    counts: Mapping[str, int] = field(default_factory=dict)
    head: str = ""
    patterns: NeedlePatterns | None = field(default=None, compare=False, repr=False)

    def occurs(self, needle: Needle) -> bool:
        """Whether it may occur anywhere."""
        return self.counts.get(literal_of(needle), 0) > 0

    def rarity(self, needle: Needle) -> float:
        """How much it tells that this is there: 0 to 1, 1 where it is in one place only, 0 where it is everywhere."""
        count = self.counts.get(literal_of(needle), 0)
        if self.windows <= 1:
            return 1.0
        idf = math.log((self.windows + 1) / (count + 0.5))
        return max(0.0, min(1.0, idf / math.log((self.windows + 1) / 1.5)))


def survey(
    view: ByteSource, question: Question, *, should_stop: StopFlag = never, progress: Progress = no_progress
) -> Statistics:
    """Count. Raises `Cancelled`."""
    patterns = NeedlePatterns(question.needles)
    patterns.count_from_here(set())
    size = _window_bytes(view.size)
    counts = [0] * len(patterns.literals)
    windows = 0
    dropped: set[int] = set()
    at_drop: dict[int, int] = {}
    carried = b""
    for offset in range(0, view.size, _BLOCK_BYTES):
        raise_if_stopped(should_stop)
        block = view.read_at(offset, _BLOCK_BYTES)
        data = memoryview(carried + block)
        base = len(carried)
        for start in range(base, len(data), size):
            windows += 1
            for literal in patterns.found_in(data[max(0, start - _OVERLAP_BYTES) : start + size]):
                counts[literal] += 1
        carried = bytes(data[-_OVERLAP_BYTES:])
        frequent = {
            literal
            for literal, count in enumerate(counts)
            if literal not in dropped and count >= _ENOUGH and count * 2 >= windows
        }
        if frequent:
            dropped |= frequent
            at_drop.update(dict.fromkeys(frequent, windows))
            patterns.count_from_here(dropped)
        progress(min(offset + _BLOCK_BYTES, view.size), view.size)
    for literal, seen in at_drop.items():
        counts[literal] = counts[literal] * windows // seen
    patterns.counted()
    head = view.read_at(0, HEAD_BYTES).decode("utf-8", "replace")
    return Statistics(windows, dict(zip(patterns.literals, counts, strict=True)), head, patterns)


def _window_bytes(size: int) -> int:
    window = _MIN_WINDOW_BYTES
    while window < _MAX_WINDOW_BYTES and window * _WINDOWS < size:
        window *= 2
    return window
