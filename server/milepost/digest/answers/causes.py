"""Why something failed: the lines of a chunk that name a cause, those that only report the failure after them."""

from __future__ import annotations

import re

from milepost.core.logs import incident_rules
from milepost.core.logs.ansi import strip_ansi
from milepost.core.text import cut_text, plain_text
from milepost.digest.answers.units import Units
from milepost.digest.values import NOTE_MAX_BYTES, ChunkText, Note

_MAX_CAUSES = 8
_LOOK = re.compile(
    rb"(?i)error|fail|fatal|abort|exception|undefined|unresolved|nothing provides|no match|conflict|missing|not found|no such"
    rb"|denied|refused|cannot|could not|unable|killed|out of memory|no space|timed out|panic|segfault|unsatisf|insufficient"
)
#: They say that it failed, not why.
_REPORTS = re.compile(
    rb"(?i)\berror \d+\s*$|exit(?:ed)?(?: with)?(?: exit)? (?:status|code)|returned \d+ exit"
    rb"|build errors?:\s*$|command failed"
    rb"|build failed|build stopped|unfinished jobs|failed to resolve the transaction:?\s*$"
    rb"|^\s*(?:error|exception|failed):?\s*$|exception[:(] ?[\[(/]|see .* for details"
    rb"|returned a non-zero|child return code|^\W*FAILED: "
)
#: They name the very thing that is missing or wrong.
_NAMES = re.compile(
    rb"nothing provides|undefined reference|No such file|not found|has no member"
    rb"|not declared|does not exist"
    rb"|conflicts with"
)
_WORTH = {
    "link": 9.0,
    "dependency": 9.0,
    "compile": 9.0,
    "crash": 8.5,
    "test": 7.5,
    "trace": 7.0,
    "error": 6.5,
    "fatal": 7.0,
}


def find_causes(chunk: ChunkText) -> tuple[Note, ...]:
    """The lines that most likely name why it failed, at most eight, in file order."""
    units = Units(chunk)
    found: list[tuple[float, int]] = []
    seen: set[bytes] = set()
    for unit in range(units.count):
        raw = units.raw(unit)
        if not _LOOK.search(raw[:4000]):
            continue
        line = strip_ansi(raw[:4000])
        verdict = incident_rules.judge(line, line, 0, 0, console=True)
        if verdict is None or not verdict.strong:
            continue
        essence = re.sub(rb"\d+", b"0", incident_rules.essence(line))
        worth = _WORTH.get(verdict.category, 6.0) + (0.3 if _NAMES.search(line) else 0.0)
        if _REPORTS.search(line):
            worth = 3.0
        if essence in seen:
            worth -= 1.0
        seen.add(essence)
        found.append((worth, unit))
    found.sort(key=lambda one: (-one[0], one[1]))
    notes = []
    for worth, unit in found[:_MAX_CAUSES]:
        start_line, end_line, start_byte, end_byte = units.place(unit, unit)
        text = cut_text(plain_text(units.text(unit)), NOTE_MAX_BYTES)
        notes.append(Note(worth, start_line, end_line, start_byte, end_byte, text))
    return tuple(sorted(notes, key=lambda note: note.start_byte))
