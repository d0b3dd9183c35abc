"""The profilers whose tables are read, each by the lines that begin a section or an entry.

`name`, `cost` and `percent` are the groups of an entry; `cost` is what the entries are ordered by (seconds, instructions,
bytes), `percent` its share of the whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one profiler writes.

    A file is of it where one of `marks` is in its head, and all `signs` are found there. `unit` is that of costs. With
    `spans`, an entry lasts until the next one begins; else it is its line alone. An entry begins after the last line that
    `separator` matches, if given.
    """

    name: str
    title: str
    unit: str
    marks: tuple[bytes, ...]
    signs: tuple[re.Pattern[bytes], ...]
    sections: tuple[re.Pattern[bytes], ...]
    entries: tuple[re.Pattern[bytes], ...]
    spans: bool = False
    separator: re.Pattern[bytes] | None = None


def _all(*patterns: bytes, flags: int = 0) -> tuple[re.Pattern[bytes], ...]:
    return tuple(re.compile(pattern, flags) for pattern in patterns)


_CPROFILE_ROW = (
    rb"\s*\d+(?:/\d+)?\s+(?P<cost>\d+\.\d+)\s+\d+\.\d+\s+(?P<whole>\d+\.\d+)\s+\d+\.\d+\s+"
    rb"(?P<name>[<{~]?[^\s(].*\S)\s*\Z"
)
_RULE = rb"-{60,}\s*\Z"

DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "perf-report",
        "perf report",
        "",
        (b"# Samples: ",),
        _all(rb"^# Samples: .* of event", rb"^# (?:Children|Overhead)", flags=re.MULTILINE),
        _all(rb"# Samples: (?P<section>.+)"),
        _all(
            rb" +(?:\d+\.\d+% +)?(?P<percent>\d+\.\d+)% +\S.*?\[[.kgHu]\] (?P<name>\S.*?)\s*\Z",
            rb" +(?P<percent>\d+\.\d+)% +(?P<name>\S.*?)\s*\Z",
        ),
        spans=True,
    ),
    Dialect(
        "gprof",
        "gprof",
        " s",
        (b"Flat profile:", b"granularity: each"),
        _all(rb"^ *%? +(?:time|cumulative)|^index +% time", flags=re.MULTILINE),
        _all(rb"(?P<section>Flat profile):", rb"\s+(?P<section>Call graph)\b", rb"(?P<section>Index by function name)"),
        _all(
            rb" *(?P<percent>\d+\.\d\d) +\d+\.\d\d +(?P<cost>\d+\.\d\d) +(?:\d+ +[\d.]+ +[\d.]+ +)?"
            rb"(?P<name>[^\s\d].*\S)\s*\Z",
            rb"\[\d+\] +(?P<percent>\d+\.\d) +(?P<whole>[\d.]+) +[\d.]+ +(?:[\d/+]+ +)?(?P<name>\S.*?) \[\d+\]\s*\Z",
        ),
        separator=re.compile(rb"-{40,}\s*\Z|index +% time"),
    ),
    Dialect(
        "cprofile",
        "Python profile",
        " s",
        (b" function calls",),
        _all(rb"\d+ function calls(?: \(\d+ primitive calls\))? in [\d.]+ (?:CPU )?seconds", rb"ncalls +tottime +percall"),
        _all(
            rb"\s+(?P<section>\d+ function calls.* seconds)\s*\Z",
            rb"(?P<section>Function +(?:was called by|called)\.\.\.)",
        ),
        _all(_CPROFILE_ROW, rb"(?P<name>\S.*?)\s+(?:<-|->)\s"),
    ),
    Dialect(
        "pprof",
        "Go profile",
        "",
        (b"Showing nodes accounting for ",),
        _all(rb"^Showing nodes accounting for ", rb"^ *flat +flat% +sum% +cum +cum%", flags=re.MULTILINE),
        _all(rb"(?P<section>Showing nodes accounting for .+)"),
        _all(rb"\s*[\d.]+\w* +(?P<percent>[\d.]+)% +[\d.]+% +[\d.]+\w* +[\d.]+% +(?P<name>\S.*?)\s*\Z"),
    ),
    Dialect(
        "callgrind-annotate",
        "callgrind_annotate",
        "",
        (b"Profile data file ",),
        _all(rb"^Profile data file ", rb"^Events (?:recorded|shown):", flags=re.MULTILINE),
        _all(
            rb"(?P<section>Profile data file .+)",
            rb"(?P<section>Ir\s.*file:function)",
            rb"-- (?P<section>\S.*annotated source.*)",
        ),
        _all(rb" *(?P<cost>[\d,]+) \( *(?P<percent>[\d.]+)%\)  (?P<name>[^\s(]\S*:\S.*?)\s*\Z"),
        separator=re.compile(_RULE),
    ),
    Dialect(
        "ms_print",
        "massif",
        " bytes",
        (b"ms_print arguments:",),
        _all(rb"^ms_print arguments:", rb"^  n +time\(", flags=re.MULTILINE),
        _all(rb"(?P<section>Command: .+)", rb"(?P<section>Number of snapshots: \d+)"),
        _all(rb" *(?P<name>\d+) +[\d,]+ +(?P<cost>[\d,]+) +[\d,]+ +[\d,]+ +[\d,]+\s*\Z"),
        separator=re.compile(_RULE),
    ),
    Dialect(
        "massif",
        "massif",
        " bytes",
        (b"snapshot=",),
        _all(rb"^desc: .*\n?cmd:|^cmd: ", rb"^time_unit: ", rb"^snapshot=\d+$", flags=re.MULTILINE),
        (),
        _all(rb"snapshot=(?P<name>\d+)\s*\Z"),
        spans=True,
        separator=re.compile(rb"#-----------\s*\Z"),
    ),
    Dialect(
        "callgrind",
        "callgrind",
        "",
        (b"callgrind",),
        _all(rb"^# callgrind format|^creator: callgrind|^version: 1\ncreator", rb"^events: \w+", flags=re.MULTILINE),
        (),
        _all(rb"fn=(?P<name>\(\d+\).*|\S.*)"),
        spans=True,
    ),
)  # fmt: skip


def dialect_of(head: bytes) -> Dialect | None:
    """The profiler that wrote a file, by its head."""
    possible = (one for one in DIALECTS if any(mark in head for mark in one.marks))
    return next((one for one in possible if all(sign.search(head) for sign in one.signs)), None)


def dialect_named(name: str) -> Dialect | None:
    """A profiler by its name here."""
    return next((one for one in DIALECTS if one.name == name), None)
