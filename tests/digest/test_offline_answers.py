"""Answers without a model, through the service: what is quoted, what is not claimed, and that every quote is the file's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milepost.core.chunks import Chunk
from milepost.core.encoding import UTF8
from milepost.core.source import BytesSource
from milepost.digest.answers import Question, search_chunk, survey, tally
from milepost.digest.answers.search import MAX_NOTES
from milepost.digest.values import NOTE_MAX_BYTES, ChunkText
from milepost.errors import Cancelled
from milepost.service import Service
from milepost.settings import Settings
from milepost.wire import Answer, AskRequest

LOG = """\
2026-11-30 10:00:00,001 INFO  [main] app.Server - starting version 2.3.1
2026-11-30 10:00:00,410 INFO  [main] app.Server - listening on 0.0.0.0:8443
2026-11-30 10:02:11,300 WARN  [pool-1] app.Login - authentication failed for user alice from 192.0.2.7
2026-11-30 10:03:40,120 ERROR [pool-2] app.Store - cannot write /var/data/orders.db: no space left on device
2026-11-30 10:04:00,000 INFO  [pool-3] app.Jobs - job 17 took 2310 ms
2026-11-30 10:04:09,000 INFO  [pool-3] app.Jobs - job 18 took 95 ms
2026-11-30 10:30:00,000 INFO  [main] app.Server - received SIGTERM, shutting down
"""
CONFIG = """\
# How often a request is tried again before it fails.
retries: 5
# The name shown to users.
title: Orders
database:
  host: db.example.org
  pool_size: 12
"""


def answer(tmp_path: Path, name: str, text: str, question: str) -> Answer:
    """What the service answers; every quote is checked against the file."""
    path = tmp_path / name
    path.write_bytes(text.encode())
    reply = Service(Settings).ask(AskRequest(path=str(path), question=question))
    assert reply.answer is not None
    lines = text.splitlines()
    for quote in reply.answer.quotes:
        assert quote.verified
        assert quote.text.rstrip("\n") == "\n".join(lines[quote.start_line - 1 : quote.end_line])
    return reply.answer


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("which port does it listen on?", 2),
        ("who could not log in?", 3),
        ("which user was refused?", 3),
        ("what could not be written?", 4),
        ("why could orders.db not be written?", 4),
        ("how long did the slowest job take?", 5),
        ("when was the server stopped?", 7),
        ("which version was started?", 1),
    ],
)
def test_lines_of_a_log(tmp_path: Path, question: str, line: int) -> None:
    found = answer(tmp_path, "app.log", LOG, question)
    assert found.found, found.text
    assert found.quotes[0].start_line <= line <= found.quotes[0].end_line, found.text


@pytest.mark.parametrize(
    ("question", "line"),
    [("how many times is a request retried?", 2), ("which host is the database on?", 6), ("how big is the pool?", 7)],
)
def test_settings_and_not_their_comments(tmp_path: Path, question: str, line: int) -> None:
    found = answer(tmp_path, "app.yaml", CONFIG, question)
    assert found.found, found.text
    assert found.quotes[0].start_line <= line <= found.quotes[0].end_line, found.text


@pytest.mark.parametrize(
    "question", ["when was alice deleted?", "who changed the title?", "which certificate expired?", "what did bob buy?"]
)
def test_nothing_is_claimed_that_the_file_does_not_say(tmp_path: Path, question: str) -> None:
    for name, text in (("app.log", LOG), ("app.yaml", CONFIG)):
        found = answer(tmp_path, name, text, question)
        assert not found.found, found.text


def test_a_superlative_is_told_by_what_it_measures(tmp_path: Path) -> None:
    """Hundreds of lines fit equally; the number decides, however near the others are, and a line without one never does."""
    lines = [f"10:00:00 parcel {number} goes out, weight {number * 7 % 883} g, took 5 ms\n" for number in range(600)]
    lines[333] = "10:00:00 parcel 333 goes out, weight 1.2 kg, took 4 ms\n"
    lines[334] = "10:00:00 parcel 334 goes out, weight 1199 g, took 11 ms\n"
    text = "10:00:00 99999 parcels wait\n" + "".join(lines)
    heaviest = answer(tmp_path, "app.log", text, "what is the heaviest parcel?")
    assert heaviest.found
    assert heaviest.quotes[0].start_line == 335
    assert "1.2 kg" in heaviest.text
    slowest = answer(tmp_path, "app.log", text, "which parcel was slowest?")
    assert slowest.found
    assert slowest.quotes[0].start_line == 336
    assert "11 ms" in slowest.text


@pytest.mark.parametrize("question", ["why did the server restart?", "what brought the database down?"])
def test_why_it_stopped_is_what_came_before_it_started_again(tmp_path: Path, question: str) -> None:
    text = (
        "2026-11-30 10:00:00 LOG: starting server\n"
        "2026-11-30 10:00:01 ERROR: relation orders does not exist\n"
        "2026-11-30 10:00:02 LOG: process 17 was terminated by signal 9: Killed\n"
        "2026-11-30 10:00:03 LOG: all processes terminated; reinitializing\n"
    )
    found = answer(tmp_path, "app.log", text, question)
    assert found.found
    assert found.quotes[0].start_line == 3


def test_lines_that_say_so_are_counted(tmp_path: Path) -> None:
    lines = ["10:00:00 Failed login for bob", "10:00:01 session opened", "10:00:02 login of eve"]
    text = "\n".join(lines[min(number % 7, 2)] for number in range(1234))
    found = answer(tmp_path, "app.log", text, "how many failed logins were there?")
    assert found.found
    assert f"{(1234 + 6) // 7} lines hold “Failed login”" in found.text


@given(
    st.lists(st.sampled_from(["", "ab", "a", "b", "xabab", "ba"]), max_size=30),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 9),
)
def test_counted_lines_do_not_depend_on_blocks(lines: list[str], end: str, block: int) -> None:
    data = end.join(lines).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tally, "_BLOCK_BYTES", block)
        count = tally.lines_with(BytesSource("text", data), "ab", should_stop=lambda: False)
    assert count == sum("ab" in line for line in lines)


def test_rows_are_counted(tmp_path: Path) -> None:
    rows = "".join(f"{number},name {number},{number * 7}\n" for number in range(1, 1235))
    found = answer(tmp_path, "table.csv", "id,name,price\n" + rows, "how many rows are there?")
    assert found.found
    assert "1,234" in found.text


def test_of_a_failed_build_the_cause_comes_before_what_only_reports_it(tmp_path: Path) -> None:
    text = (
        "gcc -c main.c\n" * 30
        + "main.c:12:5: error: implicit declaration of function 'tally'\n"
        + "make[1]: *** [Makefile:20: main.o] Error 1\nmake: *** [Makefile:9: all] Error 2\n"
        + "error: Bad exit status from /var/tmp/rpm-tmp.x (%build)\n"
    )
    found = answer(tmp_path, "build.log", text, "why did the build fail?")
    assert found.found
    assert found.quotes[0].start_line == 31


def chunk_of(data: bytes, format_name: str = "log") -> ChunkText:
    """A text as one chunk."""
    lines = max(1, data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n") + (not data.endswith((b"\n", b"\r"))))
    return ChunkText(0, 1, Chunk(1, lines, 0, len(data)), data, b"", UTF8, format_name, ())


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(st.text(max_size=60), max_size=12),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.text(max_size=60),
    st.sampled_from(["log", "yaml", "text", "csv", "sql", "xml", "code"]),
)
def test_notes_are_exact_and_few(lines: list[str], end: str, asked: str, format_name: str) -> None:
    """Whatever the text and the question: ranges inside the chunk, the best few, the same each time."""
    data = end.join(lines).encode("utf-8", "replace")
    question = Question.parse(f"{asked} {lines[0] if lines else ''}")
    statistics = survey(BytesSource("text", data), question)
    chunk = chunk_of(data, format_name)
    notes = search_chunk(chunk, question, statistics)
    assert notes == search_chunk(chunk, question, statistics)
    assert len(notes) <= MAX_NOTES
    assert [note.start_byte for note in notes] == sorted(note.start_byte for note in notes)
    for note in notes:
        assert 0 <= note.start_byte <= note.end_byte <= len(data)
        assert 1 <= note.start_line <= note.end_line <= chunk.chunk.end_line
        assert len(note.text.encode()) <= NOTE_MAX_BYTES
        assert end.encode() not in data[note.start_byte : note.end_byte] or note.end_line > note.start_line


def test_a_place_inside_a_very_long_line(tmp_path: Path) -> None:
    values = ",".join(f'"item{number}":{number}' for number in range(9000))
    text = "{" + values + ',"retryLimit":7,' + values.replace("item", "other") + "}"
    path = tmp_path / "one.json"
    path.write_text(text)
    reply = Service(Settings).ask(AskRequest(path=str(path), question="what is the retry limit?"))
    assert reply.answer is not None
    assert reply.answer.found
    assert "retryLimit" in reply.answer.quotes[0].text
    assert len(reply.answer.quotes[0].text) < 2000


def test_a_survey_is_a_function_of_the_text() -> None:
    question = Question.parse("which disk is full?")
    data = b"disk /dev/sda1 is full\n" * 90_000
    whole = survey(BytesSource("text", data), question)
    assert whole == survey(BytesSource("text", data), question)
    assert whole.counts["disk"] == whole.windows
    assert whole.counts["volum"] == 0


def test_a_survey_can_be_stopped() -> None:
    with pytest.raises(Cancelled):
        survey(BytesSource("text", b"text\n" * 10), Question.parse("which text?"), should_stop=lambda: True)
