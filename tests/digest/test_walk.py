"""The walk over the chunks of a file, by way of the reply: whole, interrupted, resumed, failing, on a file that changes."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from walk_fakes import FakeDigester, read_with, write_log

from milepost.digest.cache import CachedDigester, DiskCache, clear_cache
from milepost.digest.walk import MARK
from milepost.errors import (
    BudgetExceeded,
    CursorInvalid,
    FileChanged,
    MilepostError,
    ModelUnavailable,
    OutOfRange,
)
from milepost.wire import AskReply, AskRequest, SummarizeReply, SummarizeRequest


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of about five chunks."""
    return write_log(tmp_path_factory.mktemp("log") / "app.log", 850_000)


def summarize(path: Path, digester: Any, **fields: Any) -> SummarizeReply:
    watched = {name: fields.pop(name) for name in ("should_stop", "on_step") if name in fields}
    reply = read_with(path, SummarizeRequest(path=str(path), **fields), digester, **watched)
    assert isinstance(reply, SummarizeReply)
    return reply


def ask(path: Path, digester: Any, **fields: Any) -> AskReply:
    reply = read_with(path, AskRequest(path=str(path), question="which host?", **fields), digester)
    assert isinstance(reply, AskReply)
    return reply


def comparable(reply: SummarizeReply | AskReply) -> dict[str, Any]:
    """All of a reply that must not depend on how often the walk was interrupted."""
    values = reply.model_dump()
    values["stats"].pop("duration_ms")
    return values


def test_every_chunk_and_byte_of_five_megabytes_is_examined(tmp_path: Path) -> None:
    path = write_log(tmp_path / "big.log", 5_000_000)
    digester = FakeDigester()
    reply = summarize(path, digester)
    stats = reply.stats
    assert stats.chunks_read == stats.chunks_total == len(digester.seen) > 20
    assert digester.seen == sorted(digester.seen)
    assert stats.bytes_examined == stats.total_bytes == path.stat().st_size
    assert (reply.cursor, reply.truncated, reply.error) == ("", False, None)
    assert len(reply.summary.encode()) <= 4096
    assert all(1 <= one.start_line <= one.end_line <= (stats.total_lines or 0) for one in reply.outline)
    assert reply.outline[0].start_byte == 0
    assert reply.outline[-1].end_byte == stats.total_bytes


@pytest.mark.parametrize("max_chunks", [1, 2, 3, 4])
@pytest.mark.parametrize("question", [None, "which host?"])
def test_resumed_equals_uninterrupted(log: Path, max_chunks: int, question: str | None) -> None:
    whole = summarize(log, FakeDigester(), question=question)
    assert whole.stats.chunks_total == 5
    reply = summarize(log, FakeDigester(), question=question, max_chunks=max_chunks)
    assert reply.truncated
    assert reply.stats.chunks_read == max_chunks
    while reply.cursor:
        assert len(reply.cursor) < 4096
        reply = summarize(log, FakeDigester(), question=question, max_chunks=max_chunks, cursor=reply.cursor)
    expected = comparable(whole)
    # Each part of a run that asks something is concluded with a call of its own.
    for name in ("calls", "input_tokens", "output_tokens"):
        expected["stats"].pop(name)
    actual = comparable(reply)
    for name in ("calls", "input_tokens", "output_tokens"):
        actual["stats"].pop(name)
    assert actual == expected


def test_a_cursor_is_small_and_any_flipped_bit_is_found(log: Path) -> None:
    cursor = summarize(log, FakeDigester(), max_chunks=3).cursor
    assert len(cursor) < 4096
    token = bytearray(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    request = {"path": str(log)}
    for bit in range(0, 8 * len(token), 7):
        token[bit // 8] ^= 1 << bit % 8
        damaged = base64.urlsafe_b64encode(bytes(token)).decode().rstrip("=")
        token[bit // 8] ^= 1 << bit % 8
        if bit < 40:  # through the front; the codec itself is tested bit by bit elsewhere
            with pytest.raises(CursorInvalid):
                summarize(log, FakeDigester(), cursor=damaged)
        else:
            with pytest.raises(CursorInvalid):
                _read(damaged, log, request)
    for cut in (1, 10, len(cursor) // 2, len(cursor) - 1):
        with pytest.raises(CursorInvalid):
            summarize(log, FakeDigester(), cursor=cursor[:cut])


def _read(cursor: str, log: Path, request: dict[str, str]) -> None:
    from milepost.core.cursor import decode_cursor
    from milepost.digest.cursor import _FIELDS

    decode_cursor(cursor, "reading", _FIELDS)


@pytest.mark.parametrize(
    "other",
    [{"question": "why?"}, {"detail": "deep"}, {"mode": "parallel"}, {"start_line": 1, "end_line": 9000}],
    ids=lambda other: "-".join(other),
)
def test_a_cursor_of_another_request_is_refused(log: Path, other: dict[str, Any]) -> None:
    cursor = summarize(log, FakeDigester(), max_chunks=2).cursor
    with pytest.raises(CursorInvalid, match="another request"):
        summarize(log, FakeDigester(), cursor=cursor, **other)


def test_a_cursor_of_another_model_command_or_file_is_refused(log: Path, tmp_path: Path) -> None:
    cursor = summarize(log, FakeDigester(), max_chunks=2).cursor
    other = tmp_path / "other.log"
    other.write_bytes(log.read_bytes())
    with pytest.raises(CursorInvalid):
        summarize(log, FakeDigester("another"), cursor=cursor)
    with pytest.raises(CursorInvalid):
        ask(log, FakeDigester(), cursor=cursor)
    with pytest.raises(CursorInvalid):
        summarize(other, FakeDigester(), cursor=cursor)


def test_a_cursor_goes_on_in_a_file_that_has_grown_and_in_no_other(tmp_path: Path) -> None:
    path = write_log(tmp_path / "app.log", 850_000)
    before = path.read_bytes()
    cursor = summarize(path, FakeDigester(), max_chunks=2).cursor
    path.write_bytes(before + b"2026-03-01 23:00:00 INFO the end\n" * 20_000)
    reply = summarize(path, FakeDigester(), cursor=cursor)
    assert reply.stats.bytes_examined == reply.stats.total_bytes == path.stat().st_size
    for changed in (before[:-1], b"X" + before[1:], before[:-100] + b"Y" * 100 + b"more\n"):
        path.write_bytes(changed)
        with pytest.raises(FileChanged):
            summarize(path, FakeDigester(), cursor=cursor)


def unavailable(*chunks: int, always: bool = True) -> Callable[[int, int], MilepostError | None]:
    def fails(index: int, times: int) -> MilepostError | None:
        return (
            ModelUnavailable("No answer came.", is_fatal=False) if index in chunks and (always or times == 1) else None
        )

    return fails


def test_a_chunk_that_the_model_fails_on_is_read_without_it_and_marked(log: Path) -> None:
    reply = summarize(log, FakeDigester(fails=unavailable(1, 3)))
    assert reply.error is None
    assert (reply.cursor, reply.stats.chunks_read) == ("", 5)
    assert reply.stats.bytes_examined == log.stat().st_size
    assert any(MARK.strip() in one.digest for one in reply.outline)


def test_three_failures_in_a_row_stop_the_walk_which_then_goes_on_before_them(log: Path) -> None:
    reply = summarize(log, FakeDigester(fails=unavailable(1, 2, 3)))
    assert reply.error is not None
    assert reply.error.kind == "model_unavailable"
    assert reply.truncated
    assert reply.stats.chunks_read == 4, "what was found is kept"
    healthy = FakeDigester()
    resumed = summarize(log, healthy, cursor=reply.cursor)
    assert healthy.seen == [1, 2, 3, 4], "the chunks that the model has not read"
    assert comparable(resumed)["outline"] == comparable(summarize(log, FakeDigester()))["outline"]


def test_what_no_later_call_can_get_round_stops_the_walk_at_once(log: Path) -> None:
    spent = FakeDigester(fails=lambda index, times: BudgetExceeded("The budget is spent.") if index == 2 else None)
    reply = summarize(log, spent)
    assert reply.error is not None
    assert reply.error.kind == "budget_exceeded"
    assert spent.seen == [0, 1, 2]
    resumed = summarize(log, FakeDigester(), cursor=reply.cursor)
    assert resumed.outline == summarize(log, FakeDigester()).outline


def test_a_stop_keeps_what_was_found_and_can_be_gone_on_from(log: Path) -> None:
    digester = FakeDigester()
    reply = summarize(log, digester, should_stop=lambda: len(digester.seen) >= 2)
    assert reply.error is not None
    assert reply.error.kind == "cancelled"
    assert reply.stats.chunks_read == 2
    assert reply.outline
    resumed = summarize(log, FakeDigester(), cursor=reply.cursor)
    assert comparable(resumed)["outline"] == comparable(summarize(log, FakeDigester()))["outline"]


def test_a_file_that_changes_meanwhile_ends_the_walk_without_a_cursor(tmp_path: Path) -> None:
    path = write_log(tmp_path / "app.log", 850_000)
    data = path.read_bytes()

    def rewrite(step: Any) -> None:
        if step.done.next_chunk == 2:
            path.write_bytes(data[: len(data) // 2] + b"#" * (len(data) // 2))
            os.utime(path, (1, 1))

    reply = summarize(path, FakeDigester(), on_step=rewrite)
    assert reply.error is not None
    assert reply.error.kind == "file_changed"
    assert (reply.cursor, reply.truncated, reply.stats.chunks_read) == ("", True, 2)
    assert reply.outline


def test_a_file_that_grows_meanwhile_is_read_as_it_was(tmp_path: Path) -> None:
    path = write_log(tmp_path / "app.log", 850_000)
    size = path.stat().st_size

    def grow(step: Any) -> None:
        with path.open("ab") as file:
            file.write(b"2026-03-01 23:00:00 INFO more\n" * 100)

    reply = summarize(path, FakeDigester(), on_step=grow)
    assert reply.error is None
    assert reply.stats.bytes_examined == reply.stats.total_bytes == size


def test_a_question_stops_at_the_first_chunk_that_answers_unless_told_to_go_on(log: Path) -> None:
    digester = FakeDigester(answers=frozenset({2, 4}))
    reply = ask(log, digester)
    assert digester.seen == [0, 1, 2]
    assert reply.truncated
    assert reply.answer is not None
    assert reply.answer.found
    assert all(quote.verified for quote in reply.answer.quotes)
    following = FakeDigester(answers=frozenset({2, 4}))
    ask(log, following, cursor=reply.cursor)
    assert following.seen == [3, 4]
    everything = FakeDigester(answers=frozenset({2, 4}))
    assert ask(log, everything, all=True).cursor == ""
    assert everything.seen == [0, 1, 2, 3, 4]


def test_parallel_reads_all_and_finds_the_same_parts(tmp_path: Path) -> None:
    path = write_log(tmp_path / "app.log", 4_000_000)
    sequential = summarize(path, FakeDigester())
    parallel = summarize(path, FakeDigester(), mode="parallel")
    assert parallel.stats.chunks_read == parallel.stats.chunks_total > 16
    assert [one.title for one in parallel.outline] == [one.title for one in sequential.outline]
    again = summarize(path, FakeDigester(), mode="parallel")
    assert comparable(again) == comparable(parallel)


@pytest.mark.parametrize("lines", [(1, 1), (100, 5000), (7000, 10**9)])
def test_a_part_of_the_file_alone(log: Path, lines: tuple[int, int]) -> None:
    reply = summarize(log, FakeDigester(), start_line=lines[0], end_line=lines[1])
    last = min(lines[1], reply.stats.total_lines or 0)
    assert (reply.outline[0].start_line, reply.outline[-1].end_line) == (lines[0], last)
    content = b"".join(log.read_bytes().splitlines(keepends=True)[lines[0] - 1 : last])
    assert reply.stats.bytes_examined == len(content)


def test_a_part_past_the_end_names_the_number_of_lines(log: Path) -> None:
    with pytest.raises(OutOfRange, match="lines"):
        summarize(log, FakeDigester(), start_line=10**6)


def test_what_was_said_once_is_not_asked_again(log: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache"

    def cached(inner: FakeDigester) -> CachedDigester:
        return CachedDigester(inner, DiskCache(folder, 1 << 20), ("http://host", "model"))

    first = summarize(log, cached(FakeDigester()))
    rerun = FakeDigester()
    second = summarize(log, cached(rerun))
    assert rerun.seen == []
    assert second.stats.calls == 0
    assert (second.outline, second.summary) == (first.outline, first.summary)
    assert {path.stat().st_mode & 0o077 for path in folder.rglob("*")} == {0}, "readable by its owner only"
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_text("{damaged")
    healed = FakeDigester()
    assert summarize(log, cached(healed)).outline == first.outline
    assert healed.seen == [0, 1, 2, 3, 4]
    assert clear_cache(folder)[0] == 6
    assert clear_cache(folder) == (0, 0)


def test_the_cache_keeps_its_size(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "cache", 50_000)
    for number in range(300):
        cache.put(f"{number:032x}", {"text": "x" * 1000})
    cache.tidy()
    assert sum(path.stat().st_size for path in (tmp_path / "cache").rglob("*") if path.is_file()) <= 50_000
    assert cache.get(f"{299:032x}") is not None, "the latest stays"
