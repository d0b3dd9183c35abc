"""Summaries without a model: they say what the file bears out, the most important first, and name its lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from milepost.digest.extractive import conclude_summary, one_line
from summaries import LINES, faults_of, summarize

DATA = Path(__file__).resolve().parent.parent / "data"
FIXTURES = sorted(path for folder in ("captures", "mini") for path in (DATA / folder).iterdir())


def write(folder: Path, name: str, text: str) -> Path:
    """A file of its own."""
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def ticks(count: int, start: int = 0) -> str:
    """Lines of a log that say nothing, one a second."""
    return "".join(
        f"2024-03-05 {10 + n // 3600:02}:{n // 60 % 60:02}:{n % 60:02},120 INFO [main] com.example.App:"
        f" tick {n} took {n % 7} ms\n"
        for n in range(start, start + count)
    )


# --- of every kind -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_every_fixture(path: Path) -> None:
    summary = summarize(path, chunk_bytes=4000)
    assert not faults_of(summary)
    assert (summary.text, summary.questions) == conclude_summary(summary.state, summary.facts)
    resumed = summarize(path, chunk_bytes=4000, interrupted=True)
    assert (resumed.text, resumed.questions) == (summary.text, summary.questions)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_notes_are_exact(path: Path) -> None:
    summary = summarize(path, chunk_bytes=4000)
    data = path.read_bytes()
    if summary.outline.encoding.startswith(("utf-16", "utf-32")):
        return
    for note in summary.state.notes:
        quoted = data[note.start_byte : note.end_byte]
        assert quoted.decode(summary.outline.encoding, "replace").startswith(note.text)
        before = data[: note.start_byte]
        line = 1 + before.count(b"\n") + len(re.findall(rb"\r(?!\n)", before + quoted[:1]))
        assert note.start_line == line


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_one_line_is_one_short_line(path: Path) -> None:
    summary = summarize(path)
    line = one_line(summary.state, summary.facts)
    assert line
    assert "\n" not in line
    assert len(line.encode()) <= 240


def test_a_part_of_a_section_says_what_it_is_a_part_of(log: Path) -> None:
    summary = summarize(log, most_chunks=1, chunk_bytes=2000)
    assert not faults_of(summary)
    assert "It is a part of:" in summary.text


def test_an_empty_file(tmp_path: Path) -> None:
    assert "empty" in summarize(write(tmp_path, "a.log", "")).text


# --- logs ----------------------------------------------------------------------------------------------------------------

TRACE = (
    "2024-03-05 10:10:00,001 ERROR [main] com.example.Store: batch 7731 failed\n"
    "java.lang.IllegalStateException: rolled back\n"
    "\tat com.example.Committer.commit(Committer.java:212)\nCaused by: java.net.SocketTimeoutException: Read timed out\n"
)


@pytest.fixture(name="log")
def log_file(tmp_path: Path) -> Path:
    """A log with an error that comes three times, a fatal one, a silence of an hour and a warning."""
    text = (
        ticks(600)
        + TRACE
        + ticks(300, 601)
        + "2024-03-05 10:15:01,007 FATAL [main] com.example.Store: journal went away\n"
    )
    text += ticks(300, 4600) + TRACE.replace("10:10:00", "11:21:40") + TRACE.replace("10:10:00", "11:21:41")
    return write(tmp_path, "app.log", text + ticks(200, 4902))


def test_a_log_tells_its_incidents_first(log: Path) -> None:
    text = summarize(log).text
    head, _, rest = text.partition("\n\n")
    assert "2024-03-05 10:00:00 to 2024-03-05 11:25:01" in head
    assert "1 critical or fatal error" in head
    lines = rest.splitlines()
    assert re.match(r"- FATAL: .*journal went away \(line 905\)", lines[1])
    assert any("batch 7731 failed" in line and "×3" in line and "(lines 601–604)" in line for line in lines[1:4])
    assert "Read timed out" in rest


def test_a_log_tells_times_and_silences(log: Path) -> None:
    text = summarize(log).text
    assert "Longest silences: 62 min before line 906." in text
    assert "first at 2024-03-05 10:10:00" in text
    assert "What happened when:" in text


def test_each_incident_is_where_it_is_said_to_be(log: Path) -> None:
    lines = log.read_text().splitlines()
    found = re.findall(
        r"^- (?:\w+ )?(?:FATAL|ERROR|warning): (.+?)(?:; ×\d+)? \((?:line|lines) (\d+)", summarize(log).text, re.M
    )
    assert found
    for title, number in found:
        assert title.split(";")[0].removeprefix("store: ") in lines[int(number) - 1]


def test_a_healthy_log_is_told_so(tmp_path: Path) -> None:
    text = summarize(write(tmp_path, "a.log", ticks(2000))).text
    assert "no errors and no warnings" in text
    assert "No error, crash or burst stands out." in text


def test_of_a_part_only_that_part_is_told(log: Path) -> None:
    summary = summarize(log, most_chunks=1, chunk_bytes=20_000)
    assert not faults_of(summary)
    assert "the rest was not read" in summary.text
    assert "journal went away" not in summary.text
    last = summary.state.entries[-1].end_line
    assert all(int(second or first) <= last for first, second in LINES.findall(summary.text))


def test_what_was_not_counted_is_not_denied(tmp_path: Path) -> None:
    """The error stands in a segment that was read in part: neither is it told, nor that there are none."""
    text = ticks(600) + TRACE + ticks(900, 601)
    summary = summarize(write(tmp_path, "a.log", text), most_chunks=1, chunk_bytes=55_000)
    assert not faults_of(summary)
    assert "no errors" not in summary.text
    assert "No error" not in summary.text


def test_of_a_part_of_a_table_no_values_of_the_rest_are_told(tmp_path: Path) -> None:
    rows = ["id,price"] + [f"{n},{n % 50}" for n in range(1, 3000)] + ["3000,987654321"]
    path = write(tmp_path, "a.csv", "\n".join(rows) + "\n")
    assert "987654321" in summarize(path, chunk_bytes=8000).text
    part = summarize(path, chunk_bytes=8000, most_chunks=2)
    assert "987654321" not in part.text + " ".join(part.questions)
    assert "Columns: id, price." in part.text


def test_a_build_tells_the_cause_before_its_consequences(tmp_path: Path) -> None:
    text = "".join(f"[{n}/90] gcc -c file{n}.c -o file{n}.o\n" for n in range(1, 90))
    text += "main.c:12:3: error: unknown type name 'sizet'\n   12 | sizet n;\n"
    text += "make[1]: *** [Makefile:20: main.o] Error 1\nmake: *** [Makefile:8: all] Error 2\n"
    text += "error: Bad exit status from build\n"
    summary = summarize(write(tmp_path, "build.log", text))
    assert "The likeliest cause: main.c:12:3: error: unknown type name 'sizet' (line" in summary.text.replace(
        "lines", "line"
    )
    assert summary.questions[0] == "Why did the build fail?"


# --- data ----------------------------------------------------------------------------------------------------------------


def test_a_table_tells_its_columns_and_oddities(tmp_path: Path) -> None:
    rows = ["id,city,price"] + [f"{n},{('Oslo', 'Bergen')[n % 2]},{n % 50 + 10}" for n in range(1, 800)]
    rows[500] = "500,Oslo,2000000"
    text = summarize(write(tmp_path, "a.csv", "\n".join(rows) + "\n")).text
    assert "799 records of 3 columns, with a header" in text
    assert "- id: integer 1 to 799" in text
    assert "- price: integer 10 to 2000000" in text
    assert "line 501: 500,Oslo,2000000" in text


def test_json_records_tell_their_fields(tmp_path: Path) -> None:
    lines = [json.dumps({"user": f"u{n % 5}", "ms": n}) for n in range(200)]
    lines[50] = '{"user": "u'
    text = summarize(write(tmp_path, "a.ndjson", "\n".join(lines) + "\n")).text
    assert "1 line is no JSON" in text
    assert "- user: string, u" in text
    assert "(line 51)" in text


def test_json_tells_what_it_holds(tmp_path: Path) -> None:
    value = {"version": 3, "items": [{"id": n, "name": f"n{n}"} for n in range(400)]}
    text = summarize(write(tmp_path, "a.json", json.dumps(value, indent=1))).text
    assert "An object of 2 members" in text
    assert re.search(r"- items \(lines \d+–\d+\): array of 400 objects", text)


def test_sql_tells_tables_and_rows(tmp_path: Path) -> None:
    text = "CREATE TABLE film (\n  id INT,\n  title TEXT\n);\n"
    text += "".join(f"INSERT INTO film VALUES ({n},'title {n}');\n" for n in range(300))
    told = summarize(write(tmp_path, "a.sql", text)).text
    assert "film: 300 rows (lines 5–304)" in told
    assert "id, title" in told


# --- texts ---------------------------------------------------------------------------------------------------------------


def test_prose_tells_its_most_telling_sentences(tmp_path: Path) -> None:
    text = "# Rivers\n\nRivers carry water from the mountains to the sea. They were named by many people.\n\n"
    text += (
        "## Floods\n\nA flood is when the water of rivers leaves its bed. Floods of rivers carry mud to the fields.\n\n"
    )
    text += "## Unrelated\n\nBicycles have two wheels, a frame, and sometimes a basket for bread.\n\n"
    text += "## Dams\n\nDams hold the water of rivers back, so that floods of rivers become rare downstream.\n" * 3
    summary = summarize(write(tmp_path, "a.md", text))
    assert "Rivers carry water from the mountains to the sea (line 3)" in summary.text
    assert "water of rivers" in summary.text
    assert "- Rivers (lines 1–" in summary.text


def test_code_tells_what_it_defines(tmp_path: Path) -> None:
    text = '"""Shapes."""\n\n\nclass Square:\n    """A square."""\n\n'
    text += "    def area(self):\n        # TODO: units\n        return self.side ** 2\n"
    text += "".join(f"\n\ndef helper_{n}(x):\n    return x + {n}\n" for n in range(20))
    told = summarize(write(tmp_path, "shapes.py", text))
    assert "Source code in Python" in told.text
    assert re.search(r"class Square.* \(lines 4–\d+\).*area", told.text)
    assert "TODO: units (line 8)" in told.text


def test_a_diff_tells_its_files(tmp_path: Path) -> None:
    text = ""
    for name, added in (("a.c", 3), ("b.c", 30)):
        text += (
            f"diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1,1 +1,{added + 1} @@\n line\n"
            + "+new\n" * added
        )
    told = summarize(write(tmp_path, "a.diff", text)).text
    assert "changes 2 files: 33 lines added, 0 removed" in told
    assert told.index("b.c") < told.index("a.c")
