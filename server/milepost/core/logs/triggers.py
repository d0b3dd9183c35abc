"""Where in a block a person would look first: one fast pass for many short strings.

Hyperscan looks for a few dozen literals (its literal matcher runs at memory speed as long as little is found). A hit only
says "look at this line": `incident_rules` decides. So the strings are deliberately short pieces that catch every case
("rror" for error, Error, IOError), and precision is left to the second look.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import hyperscan
import numpy as np
import numpy.typing as npt

from milepost.core.logs.layouts import Layout
from milepost.core.logs.phases import PHASE_EXPRESSIONS
from milepost.core.shared_patterns import SharedPatterns

_PIECES = (
    # severities
    "ERR|rror|FATAL|atal|SEVERE|evere|CRIT|critical|Critical|PANIC|panic|EMERG|emerg|ALERT|alert|WARN|warn|Warn"
    # exceptions and crashes
    "|xception|raceback|egmentation|egfault|ore dumped|ut of memory|oom-kill|bort|ssert|goroutine|Stack trace|Call Trace"
    "|Oops:|BUG:|protection fault"
    # failures
    "|ailed|ailure|FAIL|efused|enied|imed out|imeout|TIMEOUT|nreachable|orrupt|ismatch|nvalid|nable to|annot |ould not "
    "|an't |not found|o such |issing|xceed|verflow|eadlock|nexpected|isconnect|illed|KILLED|reject|o match|onflict"
    # builds
    "|undefined |unresolved|*** |ERR!|xit status|xit code|return code|non-zero|nothing provides|o space left|not ok "
    "|nmet dep|nsatisfied|not apply|Problem: |xited with|Tests run:|ELIFECYCLE|ERESOLVE|\u2717|\u2716"
    # values that went wrong
    "|NaN|=nan| nan|nfinity|=inf|=-"
)
#: Starts, stops and retries: weak at most, and in some logs in every other line.
_WEAK_PIECES = (
    "tarting|tarted|estart|hutdown|hutting|SHUTDOWN|eboot|Booting|boot:|erminat|Linux version|istening on"
    "|eady to |eady for |nitializing|etrying|etry |etries"
)

#: Pieces of words that mark an incident, or may; the weak ones last.
LITERALS: tuple[bytes, ...] = tuple(piece.encode() for piece in f"{_PIECES}|{_WEAK_PIECES}".split("|"))
_FIRST_WEAK = len(LITERALS) - _WEAK_PIECES.count("|") - 1
#: A weak piece in more than this share of the lines tells nothing.
_TOO_FREQUENT = 0.05


@dataclass(frozen=True, slots=True)
class Hits:
    """Lines that hold a trigger: their indexes in order, each once; for each a hash of which triggers; those of them that
    hold a number out of its range; and how often each pattern was found."""

    lines: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint64]
    values: frozenset[int]
    counts: npt.NDArray[np.int64]


class TriggerPatterns:
    """A compiled set of literals and, where a layout needs them, regular expressions. Shared by copies of a scanner."""

    def __init__(
        self, extra: Iterable[bytes] = (), values: Iterable[bytes] = (), without: frozenset[int] = frozenset()
    ) -> None:
        """`extra` are further triggers, `values` those for numbers out of their range (told apart by `hit_lines`).

        `without` are the numbers of literals that are not looked for.
        """
        self._extra, self._values = tuple(extra), tuple(values)
        self.without = without
        expressions = [*(_escape(literal) for literal in LITERALS), *self._extra, *self._values]
        self._first_value = len(expressions) - len(self._values)
        numbered = [(number, text) for number, text in enumerate(expressions) if number not in without]
        # A code for each pattern: the sum of a line's codes tells which it holds, and how often.
        numbers = np.arange(1, len(expressions) + 1, dtype=np.uint64)
        self._codes = (numbers * np.uint64(0x9E3779B97F4A7C15)) ^ (numbers << np.uint64(40))
        self._patterns = SharedPatterns(
            [text for _, text in numbered],
            [hyperscan.HS_FLAG_MULTILINE] * len(numbered),
            [number for number, _ in numbered],
        )

    def without_frequent(self, counts: npt.NDArray[np.int64], lines: int) -> TriggerPatterns:
        """These patterns without the weak literals that `counts` found in too many of the `lines`."""
        found = np.flatnonzero(counts[_FIRST_WEAK : len(LITERALS)] > _TOO_FREQUENT * lines) + _FIRST_WEAK
        without = self.without | frozenset(found.tolist())
        return self if without == self.without else TriggerPatterns(self._extra, self._values, without)

    def __deepcopy__(self, memo: dict[int, Any]) -> TriggerPatterns:
        return self

    def hit_lines(self, data: bytes, starts: npt.NDArray[np.int64]) -> Hits:
        """The lines that hold a trigger."""
        ends, patterns = array("q"), array("q")
        add_end, add_pattern = ends.append, patterns.append

        def on_match(pattern: int, start: int, end: int, flags: int, context: object) -> None:
            add_end(end)
            add_pattern(pattern)

        self._patterns.scan(data, on_match)
        if not ends:
            return Hits(
                np.empty(0, np.int64), np.empty(0, np.uint64), frozenset(), np.zeros(len(self._codes), np.int64)
            )
        indexes = np.searchsorted(starts, np.frombuffer(ends, np.int64) - 1, side="right") - 1
        which = np.frombuffer(patterns, np.int64)
        values = frozenset(indexes[which >= self._first_value].tolist())
        codes = self._codes[which]
        if np.any(indexes[1:] < indexes[:-1]):
            order = np.argsort(indexes, kind="stable")
            indexes, codes = indexes[order], codes[order]
        is_first = np.ones(len(indexes), np.bool_)
        np.not_equal(indexes[1:], indexes[:-1], out=is_first[1:])
        first = np.flatnonzero(is_first)
        lines, hashes = indexes[first], np.add.reduceat(codes, first)
        counts = np.bincount(which, minlength=len(self._codes))
        if lines[0] < 0:
            lines, hashes = lines[1:], hashes[1:]
        return Hits(lines, hashes, values, counts)


def _escape(literal: bytes) -> bytes:
    return b"".join(bytes([92, byte]) if byte in b"\\.^$|?*+()[]{}" else bytes([byte]) for byte in literal)


#: Levels that are a letter, a number or a status, by the name of the layout that has them.
_LEVELS_BY_LAYOUT: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("logcat", (rb" [EFA][ /]", rb"^[EFA]/")),
    ("klog", (rb"^[EF]\d{4} ",)),
    ("glog", (rb"^[EF]\d{4,8} ",)),
    ("access", (rb"\" 5\d\d ", rb" 5\d\d ")),
    ("w3c", (rb" 5\d\d ",)),
    ("iis", (rb" 5\d\d ",)),
    ("json", (rb"\"(?:level|severity|lvl|priority)\" ?: ?\"?(?:[5-9]\d\b|[EeFfCc])",)),
    ("bunyan", (rb"\"level\" ?: ?[56]0\b",)),
    ("syslog", (rb"^<\d{1,3}>",)),
)


def extra_triggers(layout: Layout | None, console: bool) -> tuple[bytes, ...]:
    """The expressions that a layout needs besides the literals: its levels that are no words, and a console's steps."""
    extra: list[bytes] = [*PHASE_EXPRESSIONS, rb"^E   +\S"] if console else []
    if layout is not None:
        for name, expressions in _LEVELS_BY_LAYOUT:
            if name in layout.name:
                extra.extend(expressions)
    return tuple(extra)
