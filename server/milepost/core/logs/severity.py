"""How grave a log line is: from its level field where the layout has one, else from the words its message begins with.

Words in a message are weak evidence, so they are guarded: `0 errors`, `error_count=0`, `liberror.so`, `-Werror`,
`error.log` and `ErrorHandler initialised` say nothing is wrong.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class Severity(IntEnum):
    """Grades common to all layouts, in order. A line whose grade cannot be told has None."""

    TRACE = 1
    DEBUG = 2
    INFO = 3
    NOTICE = 4
    WARNING = 5
    ERROR = 6
    CRITICAL = 7
    FATAL = 8


class SplitsLines(Protocol):
    """What `severity_of` needs of a layout."""

    def split(self, line: bytes) -> tuple[int, bytes, str]:
        """Where the message begins, the level field's text (empty if none), and what kind of field it is."""
        ...


_WORDS: dict[bytes, Severity] = {
    word.encode(): severity
    for severity, words in (
        (Severity.TRACE, "trace trc trce verbose vrb verb finer finest spam silly sill v t"),
        (Severity.DEBUG, "debug dbg dbug deb fine config subdebug ddebug http timing db d"),
        (Severity.INFO, "info information informational inf in log normal nrm detail general ok i"),
        (Severity.NOTICE, "notice note not nt no system success audit n"),
        (Severity.WARNING, "warn warning wrn war wa ww w caution depend"),
        (Severity.ERROR, "error err eror er ee severe failure fail failed e"),
        (Severity.CRITICAL, "critical crit cri crt alert alrt cr al c"),
        (Severity.FATAL, "fatal ftl panic emerg emergency em f"),
    )
    for word in words.split()
}
_PRIORITIES = (
    Severity.FATAL,
    Severity.CRITICAL,
    Severity.CRITICAL,
    Severity.ERROR,
    Severity.WARNING,
    Severity.NOTICE,
    Severity.INFO,
    Severity.DEBUG,
)
# Redis and X.org mark their lines with signs instead of words; `!` is Windows setupapi's warning, `!!!` its error.
_SIGNS: dict[bytes, Severity] = {
    b".": Severity.DEBUG,
    b"-": Severity.INFO,
    b"*": Severity.NOTICE,
    b"#": Severity.WARNING,
    b"II": Severity.INFO,
    b"==": Severity.INFO,
    b"--": Severity.INFO,
    b"**": Severity.INFO,
    b"WW": Severity.WARNING,
    b"EE": Severity.ERROR,
    b"!": Severity.WARNING,
    b"!!!": Severity.ERROR,
}
# sssd's debug level bitmask, from sss_debuglevel(8).
_MASKS: dict[int, Severity] = {
    0x0010: Severity.FATAL,
    0x0020: Severity.CRITICAL,
    0x0040: Severity.ERROR,
    0x0080: Severity.WARNING,
    0x0100: Severity.INFO,
    0x0200: Severity.INFO,
    0x0400: Severity.DEBUG,
}


def severity_of_field(text: bytes, kind: str = "level") -> Severity | None:
    """What a level field says. Kinds: `level` (words, letters, bunyan's numbers), `priority` (syslog's PRI), `status`
    (HTTP: 4xx and 5xx are errors, as in lnav), `sccm` (1 to 3)."""
    if kind == "status":
        return None if not text.isdigit() else Severity.ERROR if text >= b"400" else Severity.INFO
    if kind == "priority" and text.isdigit():
        return _PRIORITIES[int(text) & 7]
    if kind == "sccm":
        return {b"1": Severity.INFO, b"2": Severity.WARNING, b"3": Severity.ERROR}.get(text)
    found = _WORDS.get(text.lower())
    if found is not None:
        return found
    if text.isdigit():
        # bunyan and pino count in tens; smaller numbers mean different things to different programs.
        number = int(text)
        return None if number < 10 or number > 69 else _BUNYAN[number // 10]
    if text in _SIGNS:
        return _SIGNS[text]
    if text[:2] == b"0x":
        mask = int(text, 16)
        return _MASKS.get(mask, Severity.TRACE)
    return _WORDS.get(text.strip(b"[]<>():!* \t").rstrip(b"0123456789").lower())


_BUNYAN = (
    None,
    Severity.TRACE,
    Severity.DEBUG,
    Severity.INFO,
    Severity.WARNING,
    Severity.ERROR,
    Severity.FATAL,
)


def severity_of(line: bytes, layout: SplitsLines | None = None) -> Severity | None:
    """The severity of a line (without ANSI escapes), or None where nothing tells it."""
    start = 0
    if layout is not None:
        start, text, kind = layout.split(line)
        if text:
            found = severity_of_field(text, kind)
            if found is not None:
                return found
    return severity_of_message(line, start)


_WINDOW_BYTES = 240
_LEADING = re.compile(
    rb"[\s\[<(*#|>!-]{0,6}(?:npm |PHP |\w{1,20}(?:\[\d+\])?: )?(?:\#\#\[)?(?:"
    rb"(?P<upper>TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR|!)?|SEVERE|CRIT(?:ICAL)?|ALERT|EMERG(?:ENCY)?|FATAL"
    rb"|PANIC)"
    rb"(?![\w.=/-])|(?P<any>(?i:trace|debug|info|notice|note|warn(?:ing)?|err(?:or)?|severe|crit(?:ical)?|alert"
    rb"|emerg(?:ency)?|fatal(?: error)?|panic))\s?(?:[\]>:)|!]|\(\w+\):))"
)
# A level in capitals in the head of a message is a field, not prose: lines within lines, unknown layouts.
_CAPITALS = re.compile(
    rb"(?<![\w.=/-])(?:(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC)(?![\w.=/-])"
    rb"|\[(trace|debug|info|notice|warn|warning|error|severe|crit|critical|alert|emerg|fatal)\])"
)
_PAIR = re.compile(rb'\b(?:log\.?)?(?:level|lvl|severity|levelname)"?\s?[=:]\s?"?(\w+)')
# The spelling of compilers, linkers and build tools: `file.c:12:3: error: text`, `main.cs(5,2): error CS0103: text`.
_DIAGNOSTIC = re.compile(
    rb"(?:^|[:)>\]] ?)(?:(fatal error)|((?:internal (?:compiler )?|syntax |compilation |type |parse |linker )?error)"
    rb"|(warning))(?: ?[a-z]{0,6}[-\w]{0,10}\d+)?\s?(?::|\[-)"
)
_EDGE = rb"(?<![\w./=-])"
_END = rb"(?![\w/=-]|\.\w)"


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A word that tells a grade: found by its stem, which is cheap, then judged where it stands. All in lower case."""

    stem: bytes
    pattern: re.Pattern[bytes]
    grade: Severity
    deniable: bool = True


_EVIDENCE: tuple[_Evidence, ...] = (
    _Evidence(b"kernel panic", re.compile(b"k"), Severity.FATAL, False),
    _Evidence(b"panic", re.compile(rb"(?<!\w)panic(?:ked at |:)"), Severity.FATAL, False),
    _Evidence(
        b"fatal",
        re.compile(
            rb"(?<!non[- ])(?<!not )" + _EDGE + rb"fatal(?: error| exception|:"
            rb"|ly\b)"
        ),
        Severity.FATAL,
    ),
    _Evidence(b"traceback (most", re.compile(b"t"), Severity.ERROR, False),
    _Evidence(b"segfault", re.compile(_EDGE + rb"segfault" + _END), Severity.ERROR, False),
    _Evidence(b"segmentation fault", re.compile(b"s"), Severity.ERROR, False),
    _Evidence(b"core dumped", re.compile(b"c"), Severity.ERROR, False),
    _Evidence(b"out of memory", re.compile(b"o"), Severity.ERROR, False),
    _Evidence(b"oom-killer", re.compile(b"o"), Severity.ERROR, False),
    _Evidence(b"error", re.compile(_EDGE + rb"errors?" + _END), Severity.ERROR),
    _Evidence(b"fail", re.compile(_EDGE + rb"fail(?:ed|ures?)" + _END), Severity.ERROR),
    _Evidence(b"abort", re.compile(_EDGE + rb"aborted" + _END), Severity.ERROR),
    _Evidence(
        b"exception",
        re.compile(
            _EDGE + rb"exception(?::|\s(?:in|while|occurred|thrown|was|when|from|at)\b|\s*$)"
            rb"|(?:(?<=handled )|(?<=uncaught )|(?<=unexpected )|(?<=caught )|(?<=throwing )|(?<=thrown )|(?<=threw )"
            rb"|(?<=raised )|(?<=got ))exception" + _END
        ),
        Severity.ERROR,
    ),
    _Evidence(b"warning", re.compile(_EDGE + rb"warnings?" + _END), Severity.WARNING),
    _Evidence(b"deprecated", re.compile(_EDGE + rb"deprecated" + _END), Severity.WARNING),
)
# `NullPointerException: text`, `ValueError: text`: a class name that ends so, and then the message or the line's end.
_THROWN = re.compile(rb"(?<=[a-z0-9])(?:Exception|Error)(?=:|\s*$|\sat\s|\sin\s|\sthrown)")
_DENIED_BEFORE = re.compile(
    rb"(?:\b(?:no|0|zero|without(?:\s(?:any|an))?|not|any|if|ignor\w+|free\sof|non|on|of|for|last|previous)[\s-]+"
    rb"(?:\w+\s)?|[\"'`])$"
)
_DENIED_AFTER = re.compile(
    rb"\s*(?:[:=]\s*(?:0(?!\.?\d)|none\b|null\b|nil\b|false\b|no\b|\[\]|\{\})|\(0\)|"
    rb"\s(?:handler|handling|handlers|codes?\s*[:=]?\s*0(?!\d)|count|rate|level|log|logs|messages?|pages?|report\w*"
    rb"|recovery|correct\w+|listener|callback|template|threshold|budget|policy|page|flags?|options?)\b)"
)


def severity_of_message(line: bytes, start: int = 0) -> Severity | None:
    """What the words in a message's head say; `start` is where the message begins in the line."""
    window = line[start : start + _WINDOW_BYTES]
    lowered = window.lower()
    troubled = b"err" in lowered or b"warn" in lowered or b"fatal" in lowered or b"panic" in lowered
    if (
        troubled
        or b"info" in lowered
        or b"debug" in lowered
        or b"not" in lowered
        or b"trace" in lowered
        or b"crit" in lowered
        or b"severe" in lowered
        or b"alert" in lowered
        or b"emerg" in lowered
    ):
        leading = _LEADING.match(window)
        if leading is not None:
            return severity_of_field((leading["upper"] or leading["any"]).partition(b" ")[0].rstrip(b"!"))
        capitals = _CAPITALS.search(window, 0, 120)
        if capitals is not None:
            return severity_of_field(capitals[1] or capitals[2])
    if b"level" in lowered or b"lvl" in lowered or b"severity" in lowered:
        pair = _PAIR.search(lowered)
        found = None if pair is None else severity_of_field(pair[1])
        if found is not None:
            return found
    if troubled and (b"error" in lowered or b"warning" in lowered):
        diagnostic = _DIAGNOSTIC.search(lowered)
        if diagnostic is not None and not _DENIED_AFTER.match(lowered, diagnostic.end() - 1):
            return (Severity.WARNING, Severity.FATAL, Severity.ERROR, Severity.WARNING)[diagnostic.lastindex or 0]
    return _gravest(window, lowered)


def _gravest(window: bytes, lowered: bytes) -> Severity | None:
    thrown = (b"Error" in window or b"Exception" in window) and _THROWN.search(window) is not None
    for evidence in _EVIDENCE:
        if thrown and evidence.grade < Severity.FATAL:
            return Severity.ERROR
        at = lowered.find(evidence.stem)
        while at >= 0:
            match = evidence.pattern.match(lowered, at)
            if match is not None and not (
                evidence.deniable
                and (
                    _DENIED_AFTER.match(lowered, match.end())
                    or _DENIED_BEFORE.search(lowered, max(0, at - 24), at) is not None
                )
            ):
                return evidence.grade
            at = lowered.find(evidence.stem, at + 1)
    return Severity.ERROR if thrown else None
