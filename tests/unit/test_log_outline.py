"""Logs as they are outlined: what becomes an incident, where it begins and ends, what stays quiet."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline, Section, walk
from milepost.core.scan import STRIPE_BYTES
from milepost.core.source import BytesSource, open_source

JAVA_TRACE = [
    "java.lang.IllegalStateException: no stock left",
    "\tat com.example.Orders.book(Orders.java:12)",
    "\tat com.example.Main.main(Main.java:7)",
    "Caused by: java.io.IOException: disk is full",
    "\tat com.example.Disk.write(Disk.java:3)",
    "\t... 2 more",
]
PYTHON_TRACE = [
    "Traceback (most recent call last):",
    '  File "main.py", line 3, in <module>',
    "    book()",
    "ValueError: no stock left",
]


def stamped(number: int, text: str) -> str:
    return f"{datetime(2026, 3, 1) + timedelta(seconds=number):%Y-%m-%d %H:%M:%S},123 {text}"


def quiet_lines(count: int, seed: int = 1, start: int = 0) -> list[str]:
    """What a healthy service logs: four kinds of messages."""
    chance = random.Random(seed)
    messages: tuple[Callable[[], str], ...] = (
        lambda: f"INFO [worker-{chance.randrange(8)}] shop.Orders - order {chance.randrange(99999)} booked",
        lambda: f"INFO [worker-1] shop.Stock - depth={chance.randrange(20)} latency_ms={chance.randrange(10, 300)}",
        lambda: f"DEBUG [http-{chance.randrange(8)}] shop.Http - GET /items/{chance.randrange(9999)} 200",
        lambda: f"WARN [http-{chance.randrange(8)}] shop.Http - slow response from backend {chance.randrange(9)}",
    )
    return [stamped(start + i, chance.choices(messages, (5, 3, 4, 1))[0]()) for i in range(count)]


def outline_of(lines: Iterable[str], name: str = "app.log") -> Outline:
    return Analysis(BytesSource(name, "".join(line + "\n" for line in lines).encode())).outline()


def incidents(outline: Outline) -> list[Section]:
    return [section for section in walk(outline.sections) if section.kind == "incident"]


@pytest.mark.parametrize("trace", [JAVA_TRACE, PYTHON_TRACE], ids=["java", "python"])
@pytest.mark.parametrize("distance", range(-420, 60, 24), ids=lambda distance: f"{distance}")
def test_an_error_with_its_trace_is_one_node_across_the_edge_of_a_block(trace: list[str], distance: int) -> None:
    lines = quiet_lines(16000)
    size = 0
    place = 0
    while size + len(lines[place]) + 1 <= STRIPE_BYTES + distance:
        size += len(lines[place]) + 1
        place += 1
    error = [stamped(place, "ERROR [worker-3] shop.Orders - order 5512 failed"), *trace]
    found = incidents(outline_of([*lines[:place], *error, *lines[place:]]))
    assert [(one.start_line, one.end_line) for one in found] == [(place + 1, place + len(error))]
    assert ("disk is full" if trace is JAVA_TRACE else "ValueError") in found[0].digest


STANDS_OUT = {
    "fatal": ["FATAL [main] shop.Main - cannot go on"],
    "restart": ["INFO [main] shop.Main - Application server starting, version 4.2"],
    "value": ["INFO [worker-1] shop.Stock - depth=7 latency_ms=98213377"],
    "negative": ["INFO [worker-1] shop.Stock - depth=-3 latency_ms=120"],
    "not a number": ["INFO [worker-1] shop.Stock - depth=7 latency_ms=NaN"],
    "burst": [f"INFO [http-{i % 8}] shop.Http - retrying request {4000 + i}, attempt {i}" for i in range(40)],
}


@pytest.mark.parametrize("where", [9000, 15990], ids=["in the middle", "in the last lines"])
@pytest.mark.parametrize("kind", STANDS_OUT)
def test_one_odd_thing_among_many_quiet_lines_is_an_anchor(kind: str, where: int) -> None:
    lines = quiet_lines(16000)
    odd = [stamped(where, text) for text in STANDS_OUT[kind]]
    found = incidents(outline_of([*lines[:where], *odd, *lines[where:]]))
    assert [(one.start_line, one.end_line) for one in found] == [(where + 1, where + len(odd))]


def test_a_healthy_log_has_no_incident() -> None:
    assert incidents(outline_of(quiet_lines(16000))) == []


def test_repeats_are_counted_in_the_first() -> None:
    lines = quiet_lines(4000)
    for place in range(100, 200, 10):
        lines[place] = stamped(place, f"ERROR [worker-1] shop.Orders - cannot book order {place}")
    found = incidents(outline_of(lines))
    assert found[0].start_line == 101
    assert sum(one.count for one in found) == 10
    assert found[-1].facts.get("last_line", found[-1].start_line) == 191


@pytest.mark.parametrize(
    "harmless",
    [
        "INFO [main] shop.Check - 0 errors, 0 warnings",
        "INFO [main] shop.Check - finished without errors",
        "INFO [main] shop.Check - errors=0 failed=0",
        "INFO [main] shop.Packages - upgrade libgpg-error-dev:amd64 1.46-1",
        "INFO [main] gc.init - Compressed Oops: Enabled (Zero based)",
    ],
)
def test_words_that_deny_an_error_are_no_incident(harmless: str) -> None:
    lines = quiet_lines(3000)
    lines[1500] = stamped(1500, harmless)
    assert [one for one in incidents(outline_of(lines)) if one.facts.get("severity") == "error"] == []


CONSOLES = {
    "gcc": ("src/a.c:12:5: error: expected ';' before '}' token", "compile"),
    "ld": ("/usr/bin/ld: main.o: undefined reference to `frobnicate'", "link"),
    "make": ("make: *** [Makefile:8: all] Error 2", "build"),
    "dnf": ("No match for argument: clang = 13.0.0", "dependency"),
    "npm": ("npm ERR! code ELIFECYCLE", "build"),
    "pytest": ("FAILED tests/test_a.py::test_b - assert 1 == 2", "test"),
    "rust": ("error[E0382]: use of moved value: `x`", "compile"),
    "exit": ("The command exited with code 127", "build"),
}


@pytest.mark.parametrize("tool", CONSOLES)
def test_what_breaks_a_build_is_an_incident(tool: str) -> None:
    line, category = CONSOLES[tool]
    noise = [f"[{i}/200] gcc -Wall -Werror=format -fexceptions -c error{i}.c -o error{i}.o" for i in range(200)]
    found = incidents(outline_of([*noise[:150], line, *noise[150:]], "build.log"))
    assert [(one.start_line, one.facts["category"]) for one in found] == [(151, category)]


def test_years_come_from_the_date_of_the_file_and_go_up_at_new_year(tmp_path: Path) -> None:
    lines = [f"Dec 31 23:{minute:02}:00 host sshd[1]: session opened for user u{minute}" for minute in range(60)]
    lines += [f"Jan  1 00:{minute:02}:00 host sshd[1]: session opened for user u{minute}" for minute in range(60)]
    path = tmp_path / "syslog"
    path.write_text("\n".join(lines) + "\n")
    changed_at = datetime(2021, 2, 3, tzinfo=timezone.utc).timestamp()
    os.utime(path, (changed_at, changed_at))
    outline = Analysis(open_source(path)).outline()
    assert (outline.stats["from"], outline.stats["to"]) == ("2020-12-31 23:00:00", "2021-01-01 00:59:00")


def test_a_silent_gap_begins_a_segment() -> None:
    lines = [stamped(i, f"INFO [main] shop.Main - tick {i}") for i in range(3000)]
    lines += [stamped(i + 90000, f"INFO [main] shop.Main - tick {i}") for i in range(3000)]
    starts = {section.start_line: section.title for section in outline_of(lines).sections}
    assert "gap" in starts[3001]


def test_escape_sequences_reach_no_label() -> None:
    lines = [f"\x1b[32m{stamped(i, 'INFO ok')}\x1b[0m" for i in range(400)]
    lines[200] = f"\x1b[31m{stamped(200, 'ERROR it broke')}\x1b[0m"
    outline = outline_of(lines)
    assert [one.title for one in incidents(outline)] == ["it broke"]
    assert not any("\x1b" in one.title + one.digest for one in walk(outline.sections))
