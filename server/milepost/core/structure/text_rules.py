"""Lines of one repeated character, by which plain texts are parted: rules between parts, under titles and around them.

A rule stands over the part that it begins (`-----`, an empty line, a title), or right under a title of one line; a short one
is about as long as that. One that closes a box around a title begins nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from milepost.core.scan import Block
from milepost.core.structure.line_view import table_of

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_CHARACTERS = table_of(b"-=*_#~+")
#: A rule between parts is as long as this, one under a title may be shorter.
_LEAST_LENGTH = 10
_LEAST_UNDERLINE = 3
#: By so much a short one may be shorter or longer than its title.
_MOST_DIFFERENCE = 3
_MOST_BYTES = 300
_BOXED_LINES = 3
_BLANK, _TEXT, _RULE = range(3)


class Part(NamedTuple):
    """Where a part begins, and the line with its title (-1: not in this block). Both are indexes of lines in the block."""

    line: int
    title_line: int


class RuleFinder:
    """Finds the parts of consecutive blocks. What it keeps between them is what the last few lines were."""

    def __init__(self) -> None:
        self._before = [_BLANK] * (_BOXED_LINES + 1)
        self._waits_for_text = False

    def find(self, block: Block, starts: Ints, ends: Ints, blank: Flags) -> tuple[list[Part], int]:
        """The parts that begin in a block, and the line with the title that the last part of the block before still lacks."""
        lengths = _rules(block, starts, ends)
        is_text = ~blank
        is_text[list(lengths)] = False
        texts = np.flatnonzero(is_text)

        def kind(index: int) -> int:
            if index < 0:
                return self._before[index]
            if index >= len(starts) or blank[index]:
                return _BLANK
            return _RULE if index in lengths else _TEXT

        def first_text(index: int) -> int:
            at = int(texts.searchsorted(index))
            return int(texts[at]) if at < len(texts) else -1

        owed = first_text(0) if self._waits_for_text else -1
        waits_until = len(starts) if self._waits_for_text and owed < 0 else owed
        parts: list[Part] = []
        for rule, length in lengths.items():
            if rule < waits_until or kind(rule - 1) == _RULE:
                continue
            above = _lines_of_text(kind, rule)
            if above <= _BOXED_LINES and above and kind(rule - 1 - above) == _RULE:
                continue
            is_lone = above == 1 and rule > 0 and kind(rule - 2) == _BLANK and not _opens_box(kind, rule, lengths)
            if is_lone and _is_title(block, starts, ends, rule - 1, length):
                parts.append(Part(rule - 1, rule - 1))
            elif length >= _LEAST_LENGTH:
                title = first_text(rule)
                parts.append(Part(rule, title))
                waits_until = title if title >= 0 else len(starts)
        self._waits_for_text = waits_until == len(starts) > 0
        self._before = [kind(index) for index in range(len(starts) - len(self._before), len(starts))]
        return parts, owed


def _lines_of_text(kind: Callable[[int], int], rule: int) -> int:
    """How many lines of text stand right above a rule, as far as it matters."""
    count = 0
    while count <= _BOXED_LINES and kind(rule - 1 - count) == _TEXT:
        count += 1
    return count


def _opens_box(kind: Callable[[int], int], rule: int, lengths: dict[int, int]) -> bool:
    """Whether a rule of the same length follows after a few lines of text."""
    for other in range(rule + 1, rule + 2 + _BOXED_LINES):
        if other in lengths:
            return other > rule + 1 and lengths[other] == lengths[rule]
        if kind(other) != _TEXT:
            break
    return False


def _is_title(block: Block, starts: Ints, ends: Ints, index: int, length: int) -> bool:
    """Whether the rule under a line makes it a title."""
    title = block.data[int(starts[index]) : min(int(ends[index]), int(starts[index]) + _MOST_BYTES)].rstrip()
    return not title[:1].isspace() and (length >= _LEAST_LENGTH or abs(len(title) - length) <= _MOST_DIFFERENCE)


def _rules(block: Block, starts: Ints, ends: Ints) -> dict[int, int]:
    """The lines that are rules, in order, and how long they are."""
    array, last = block.array, len(block.data) - 1
    first = array[starts]
    chosen = np.flatnonzero(_CHARACTERS[first])
    for step in range(1, _LEAST_UNDERLINE):
        chosen = chosen[array[np.minimum(starts[chosen] + step, last)] == first[chosen]]
    found: dict[int, int] = {}
    for index in chosen.tolist():
        text = block.data[int(starts[index]) : min(int(ends[index]), int(starts[index]) + _MOST_BYTES)].rstrip()
        if len(text) >= _LEAST_UNDERLINE and not text.strip(text[:1]):
            found[index] = len(text)
    return found
