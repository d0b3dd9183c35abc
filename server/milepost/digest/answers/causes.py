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


#: Why a process is gone, the surest first, and that it came back.
_GONE = re.compile(
    rb"(?i)terminated by (?:signal|exception)|\bkilled\b|segfault|segmentation fault|core dumped|\bpanic\b|out of memory"
    rb"|\boom\b"
    rb"|fatal signal|\bcrash(?:ed|ing)\b|unexpectedly (?:quit|exited|terminated|stopped|closed|shut)|terminated unexpectedly"
    rb"|power (?:failure|loss|lost)|watchdog (?:timeout|expired|bite)|kernel BUG|heartbeat lost"
)
_SENT_AWAY = re.compile(
    rb"(?i)(?:received|caught|got) \S*\s?(?:SIG(?:TERM|INT|QUIT|KILL|HUP)|shutdown|signal)|shutdown request"
    rb"|\bsignal \d+ \(?SIG(?:TERM|INT|QUIT|KILL)"
    rb"|\bshutting down\b|initiated (?:power.?off|restart|shutdown)|going down for|\brebooting\b|exiting on signal"
)
_BACK = re.compile(
    rb"(?i)\bstarting\b|\bstarted\b|\bbooting\b|linux version|ready to accept|re-?initiali[sz]|listening on|server startup"
)
#: One of these is in all that the first two find; to find them takes next to no time.
_OF_STOPS = (
    *(
        b"signal",
        b"terminated",
        b"kill",
        b"segfault",
        b"segmentation",
        b"core dumped",
        b"panic",
        b"memory",
        b"oom",
        b"crash",
    ),
    *(
        b"unexpectedly",
        b"power",
        b"watchdog",
        b"kernel bug",
        b"heartbeat",
        b"sig",
        b"shut",
        b"initiated",
        b"going down",
        b"reboot",
    ),
)
_BACK_WITHIN = 30
_GONE_WORTH, _SENT_AWAY_WORTH, _BACK_WORTH, _NOT_OF_STOPS = 9.0, 7.5, 0.4, 2.5


def find_causes(chunk: ChunkText, *, of_stop: bool = False) -> tuple[Note, ...]:
    """The lines that most likely name why it failed, at most eight, in file order; why it stopped or came back, `of_stop`."""
    units = Units(chunk)
    found: list[tuple[float, int]] = []
    seen: set[bytes] = set()
    stops = _may_say_stop(units) if of_stop else set()
    for unit in range(units.count):
        raw = units.raw(unit)
        gone = _worth_of_stop(units, unit, raw) if unit in stops else 0.0
        if not gone and not _LOOK.search(raw[:4000]):
            continue
        line = strip_ansi(raw[:4000])
        verdict = incident_rules.judge(line, line, 0, 0, console=True)
        if not gone and (verdict is None or not verdict.strong):
            continue
        essence = re.sub(rb"\d+", b"0", incident_rules.essence(line))
        worth = gone
        if not gone and verdict is not None:
            worth = _WORTH.get(verdict.category, 6.0) + (0.3 if _NAMES.search(line) else 0.0)
            worth = 3.0 if _REPORTS.search(line) else worth
            worth = max(0.1, worth - _NOT_OF_STOPS) if of_stop else worth
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


def _may_say_stop(units: Units) -> set[int]:
    """The units that hold one of the words."""
    data = units.chunk.data.lower()
    found: set[int] = set()
    for word in _OF_STOPS:
        at = data.find(word)
        while at >= 0:
            unit = units.at(at)
            found.add(unit)
            at = data.find(word, units.starts[unit + 1])
    return found


def _worth_of_stop(units: Units, unit: int, raw: bytes) -> float:
    """How surely a line says why a process is gone: more where one starts soon after; 0 where it says nothing of it."""
    worth = _GONE_WORTH if _GONE.search(raw[:4000]) else _SENT_AWAY_WORTH if _SENT_AWAY.search(raw[:4000]) else 0.0
    if worth:
        after = range(unit + 1, min(units.count, unit + 1 + _BACK_WITHIN))
        worth += _BACK_WORTH if any(_BACK.search(units.raw(other)[:4000]) for other in after) else 0.0
    return worth
