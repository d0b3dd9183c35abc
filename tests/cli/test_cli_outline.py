"""`milepost outline`, `find`, `plan` and `check`: for people, for programs, and in whatever room there is."""

from __future__ import annotations

import json
import re

import pytest

from milepost import wire
from milepost.cli.app import main

ERRORS = (1200, 2800, 3999)


def log_of(lines: int = 4000) -> bytes:
    """A log with three errors of three kinds; the last one has a stack trace and ends the file."""
    rows = []
    for n in range(1, lines + 1):
        time = f"2024-03-01 {n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02},000"
        rows.append(f"{time} INFO  [main] app.Server - served request {n} of user {n % 7}")
    for number, what in zip(
        ERRORS, ("disk quota exceeded", "connection to db-7 refused", "unhandled exception"), strict=True
    ):
        rows[number - 1] = rows[number - 1].split(" INFO")[0] + f" ERROR [main] app.Server - {what}"
    rows[-1:] = ["java.lang.IllegalStateException: no such row", "\tat app.Server.run(Server.java:12)"]
    return "\n".join(rows).encode() + b"\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "app.log"
    path.write_bytes(log_of())
    return path


CAPS = [*range(1, 300, 43), 700, 4096, 1 << 20]


@pytest.mark.parametrize(
    "arguments", [["outline"], ["find", "served"], ["plan", "--chunk-bytes", "9000"], ["check"]], ids=" ".join
)
def test_no_reply_is_longer_than_its_cap(milepost_many, log, arguments):
    name, *options = arguments
    commands = [[name, str(log), *options, "--max-bytes", str(cap), *form] for cap in CAPS for form in ([], ["--json"])]
    for done, cap in zip(milepost_many(commands), [cap for cap in CAPS for _ in range(2)], strict=True):
        assert done.returncode == 0, done.stderr
        assert len(done.stdout) <= cap
        done.stdout.decode()


@pytest.mark.parametrize(
    "arguments, reply",
    [
        (["outline"], wire.OutlineReply),
        (["outline", "--depth", "1", "--max-nodes", "5"], wire.OutlineReply),
        (["read", "--limit", "9"], wire.ReadReply),
        (["find", "ERROR"], wire.FindReply),
        (["plan"], wire.PlanReply),
        (["check"], wire.CheckReply),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_json_is_one_line_of_the_wire(milepost, log, arguments, reply):
    done = milepost(arguments[0], log, *arguments[1:], "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1
    assert done.stdout.endswith(b"}\n")
    parsed = reply.model_validate_json(done.stdout)
    assert wire.to_json(parsed, camel=False) + b"\n" == done.stdout


def test_a_person_sees_the_errors_and_where_they_are(milepost, log):
    done = milepost("outline", log, "--max-bytes", "4000")
    header, *rows = done.stdout.decode().splitlines()
    assert "app.log · log · 319 KB · 4,001 lines" in header
    for number, what in zip(ERRORS, ("quota", "refused", "unhandled"), strict=True):
        row = next(row for row in rows if what in row)
        start, _, end = row.split()[0].partition("-")
        assert int(start) <= number <= int(end or start)
        assert "✖" in row
    assert b"\x1b" not in done.stdout


def test_what_is_left_out_can_be_reached(milepost, log):
    done = milepost("outline", log, "--max-bytes", "800")
    assert b"--max-bytes" in done.stderr
    whole = json.loads(milepost("outline", log, "--json", "--max-bytes", "10000000").stdout)
    assert not whole["truncated"]
    for section in whole["sections"]:
        if section["children"]:
            inside = milepost("outline", log, "--section", section["id"])
            assert inside.returncode == 0
            assert f"inside {section['id']}" in inside.stdout.decode().splitlines()[0]
            assert inside.stdout.count(b"\n") > 1
            break
    else:
        pytest.fail("nothing to look into")


def test_pages_by_cursor_list_everything_once(milepost, log):
    whole = json.loads(milepost("outline", log, "--json", "--max-bytes", "10000000", "--depth", "1").stdout)
    cut = json.loads(milepost("outline", log, "--json", "--max-bytes", "2500").stdout)
    cursors = [
        section["more"]["cursor"] for section in cut["sections"] if section["kind"] == "group" and "more" in section
    ]
    if not cursors:
        pytest.skip("this log's top level fits into any room")
    starts, cursor = [], cursors[0]
    for _ in range(60):
        done = milepost("outline", log, "--cursor", cursor, "--max-bytes", "700")
        assert done.returncode == 0, done.stderr
        starts += [
            int(row.split()[0].split("-")[0])
            for row in done.stdout.decode().splitlines()[1:]
            if re.match(r" *\d+\S* \S ", row)
        ]
        following = re.search(r"go on with: --cursor (\S+)", done.stderr.decode())
        if following is None:
            break
        cursor = following[1]
    else:
        pytest.fail("it goes on for ever")
    assert starts == sorted(set(starts))
    assert starts == [section["start_line"] for section in whole["sections"] if section["start_line"] >= starts[0]]


def test_find_goes_on_where_it_stopped(milepost, log):
    expected = [f"{n}" for n, line in enumerate(log.read_bytes().decode().splitlines(), 1) if "user 3" in line]
    found, options = [], []
    for _ in range(100):
        done = milepost("find", log, "user 3", "--max-bytes", "50000", *options)
        rows = done.stdout.decode().splitlines()
        assert all("user 3" in row for row in rows)
        found += [row.split(":")[0] for row in rows]
        following = re.search(r"go on with: --cursor (\S+)", done.stderr.decode())
        if following is None:
            break
        options = ["--cursor", following[1]]
    assert found == expected


@pytest.mark.parametrize(
    "options, hits",
    [
        (["ERROR"], 3),
        (["error"], 0),
        (["error", "-i"], 3),
        (["db-[0-9]+", "--regex"], 1),
        (["DB-[0-9]", "--regex", "--ignore-case"], 1),
        (["("], 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_find_rows_are_line_and_text(milepost, log, options, hits):
    done = milepost("find", log, *options)
    assert done.returncode == 0
    lines = log.read_text().splitlines()
    rows = done.stdout.decode().splitlines()
    assert len(rows) == hits
    assert done.stderr.decode().startswith(f"{hits} hit")
    for row in rows:
        number, text = row.split(": ", 1)
        assert text.startswith(lines[int(number) - 1])


def test_find_stops_after_so_many_hits_and_goes_on(milepost, log):
    done = milepost("find", log, "ERROR", "--max-hits", "2")
    assert len(done.stdout.splitlines()) == 2
    cursor = re.search(r"go on with: --cursor (\S+)", done.stderr.decode())[1]
    rest = milepost("find", log, "ERROR", "--max-hits", "2", "--cursor", cursor)
    assert len(rest.stdout.splitlines()) == 1
    assert "--cursor" not in rest.stderr.decode()


def test_a_plan_is_a_table(milepost, log):
    done = milepost("plan", log, "--chunk-bytes", "50000")
    heading, *rows = done.stdout.decode().splitlines()
    assert heading.split() == ["chunk", "lines", "bytes", "size"]
    ends = [0]
    for number, row in enumerate(rows, 1):
        chunk, _, span, size = row.split()
        start, end = map(int, span.split("-"))
        assert (int(chunk), start, end - start) == (number, ends[-1], int(size))
        ends.append(end)
    assert ends[-1] == log.stat().st_size
    assert done.stderr.decode().startswith(f"{len(rows)} chunks of 4,001 lines")


def test_check_names_each_invariant(milepost, log):
    done = milepost("check", log)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = done.stdout.decode().splitlines()
    assert len(rows) >= 4
    assert all(row.startswith("ok      ") for row in rows)


def test_set_overrides_a_setting_and_a_bad_file_is_named(milepost, log, tmp_path):
    assert len(milepost("outline", log, "--json", "--set", "limits.default_max_bytes=700").stdout) <= 700
    (tmp_path / ".milepost.toml").write_text('[limits]\ndefault_max_bytes = 800\n[outline]\nmin_bytes = "many"\n')
    done = milepost("outline", log, "--json")
    assert len(done.stdout) <= 800
    assert done.returncode == 0
    assert done.stderr.decode().startswith("milepost: warning: outline.min_bytes")
    (tmp_path / ".milepost.toml").write_text("this is no TOML")
    done = milepost("outline", log)
    assert done.returncode == 0
    assert b"not valid TOML" in done.stderr


def test_an_invariant_that_does_not_hold_is_exit_1(monkeypatch, capfdbinary, log):
    """In this process, since no file is known on which one fails."""
    results = (
        wire.CheckResult(name="cover", ok=True, message="it does"),
        wire.CheckResult(name="lines", ok=False, message="line 3 is not where it should be"),
    )
    reply = wire.CheckReply(path="app.log", ok=False, checks=results, truncated=False)
    monkeypatch.setattr("milepost.service.Service.check", lambda self, request, **how: reply)
    assert main(["check", str(log)]) == 1
    shown = capfdbinary.readouterr()
    assert shown.out == b"ok      cover: it does\nfailed  lines: line 3 is not where it should be\n"
    assert shown.err == b"milepost: lines does not hold on app.log.\n"
