"""The same faults met by a whole run: what was found is kept, a cursor goes on, nothing hangs, and no key is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_server import MODEL, FaultServer
from pydantic import SecretStr
from walk_fakes import write_log

from milepost.digest.models.openai import RetryPolicy, make_model
from milepost.errors import MilepostError
from milepost.service import Service
from milepost.settings import Settings
from milepost.wire import AskRequest, SummarizeReply, SummarizeRequest

KEY = "sk-" + "proj-" + "D00r" * 10
QUICK = RetryPolicy(tries=2, first_wait_s=0.01, max_wait_s=0.02, max_asked_wait_s=1.0)
SIZE = 120_000
CHUNK = 18_000
SERVER_CODE = Path(__file__).resolve().parents[2] / "server"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a whole run gives under a fault: the kind of error ("" for none), and whether the model read any of it.

    `is_fatal` says that the run stops at once; else a chunk is read without the model, and the third in a row stops it.
    """

    fault: str
    kind: str = ""
    is_fatal: bool = True
    timeout_s: float = 5.0


OUTCOMES = [
    Outcome("good"),
    Outcome("good_unstreamed"),
    Outcome("busy_silent_once"),
    Outcome("broken_once"),
    Outcome("cut_once"),
    Outcome("non_json_once"),
    Outcome("silent_once", timeout_s=0.5),
    Outcome("no_schema"),
    Outcome("fussy"),
    Outcome("invents"),
    Outcome("breaks_schema"),
    Outcome("truncated_json"),
    Outcome("wrong_usage"),
    Outcome("no_usage"),
    Outcome("status_401", "model_refused"),
    Outcome("status_403", "model_refused"),
    Outcome("status_404", "model_refused"),
    Outcome("status_400", "model_refused"),
    Outcome("context", "model_refused"),
    Outcome("quota", "model_refused"),
    Outcome("redirect", "model_refused"),
    Outcome("web_page", "model_refused"),
    Outcome("compressed", "model_refused"),
    Outcome("busy_always", "model_unavailable"),
    Outcome("busy_for_an_hour", "model_unavailable"),
    Outcome("broken_always", "model_unavailable"),
    Outcome("silent", "model_unavailable", is_fatal=False, timeout_s=0.3),
    Outcome("stalls", "model_unavailable", is_fatal=False, timeout_s=0.3),
    Outcome("drips", "model_unavailable", is_fatal=False, timeout_s=0.3),
    Outcome("cut", "model_unavailable", is_fatal=False),
    Outcome("cut_quietly", "model_unavailable", is_fatal=False),
    Outcome("hangs_up", "model_unavailable", is_fatal=False),
    Outcome("error_in_stream", "model_unavailable", is_fatal=False),
    Outcome("empty", "model_unavailable", is_fatal=False),
    Outcome("refusal", "model_refused", is_fatal=False),
    Outcome("filtered", "model_refused", is_fatal=False),
    Outcome("non_json", "model_unavailable", is_fatal=False),
    Outcome("megabytes", "model_unavailable", is_fatal=False),
    Outcome("megabytes_in_a_line", "model_unavailable", is_fatal=False),
    Outcome("garbage", "model_unavailable", is_fatal=False),
    Outcome("not_http", "model_unavailable", is_fatal=False),
]


@pytest.fixture(scope="module")
def server() -> Any:
    with FaultServer() as running:
        yield running


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_log(tmp_path_factory.mktemp("log") / "server.log", SIZE)


def service_at(url: str, timeout_s: float = 5.0, **model: Any) -> Service:
    host = url.split("/")[2]
    settings = Settings.model_validate(
        {
            "model": {"base_url": url, "name": MODEL, "timeout_s": timeout_s, "allowed_hosts": (host,), **model},
            "chunks": {"target_bytes": CHUNK},
            "debug": {"dump": True},
        }
    )
    return Service(lambda: settings, lambda chosen: make_model(chosen, SecretStr(KEY), retry=QUICK))


def assert_no_key(home: Path, *texts: str) -> None:
    """Neither in what was told nor in any file that was written: logs, dumps, caches."""
    written = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    for text in [*(one.encode() for one in texts), *written]:
        assert KEY.encode() not in text
        assert KEY[:14].encode() not in text


# One fault of each sort also comes in the middle of a run.
LATER = (
    "status_401", "context", "busy_always", "broken_always", "stalls", "cut", "refusal", "non_json", "megabytes_in_a_line",
)  # fmt: skip
RUNS = [(outcome, False) for outcome in OUTCOMES] + [(outcome, True) for outcome in OUTCOMES if outcome.fault in LATER]


@pytest.mark.parametrize(
    "outcome, later", RUNS, ids=lambda one: one.fault if isinstance(one, Outcome) else "later" * one
)
def test_a_run_keeps_what_it_has_and_its_cursor_goes_on(
    server: FaultServer, log: Path, isolated_environment: Path, outcome: Outcome, later: bool
) -> None:
    began = time.monotonic()
    fault = f"later-{outcome.fault}" if later else outcome.fault
    server.calls.clear()
    service = service_at(server.url(fault), outcome.timeout_s)
    reply = service.summarize(SummarizeRequest(path=str(log)))
    assert time.monotonic() - began < 60
    assert (reply.error.kind if reply.error else "") == outcome.kind
    read = reply.stats.chunks_read
    total = reply.stats.chunks_total
    assert total == 7
    if not outcome.kind:
        assert (read, reply.stats.bytes_examined, reply.cursor) == (total, log.stat().st_size, "")
        assert reply.stats.calls >= total + 1
    else:
        assert reply.error is not None
        assert reply.error.message.endswith((".", "?", ")", "…"))
        good = 2 if later else 0
        assert read == (good if outcome.is_fatal else good + 3)
        assert reply.cursor
        assert bool(reply.outline) == (read > 0)
    assert_no_key(isolated_environment, reply.model_dump_json())
    if reply.cursor:
        rest = service_at(server.url("good")).summarize(SummarizeRequest(path=str(log), cursor=reply.cursor))
        assert rest.error is None
        assert_whole(rest, log)


def assert_whole(reply: SummarizeReply, log: Path) -> None:
    """All was read, by the model, and the outline joins to the whole file."""
    assert reply.stats.chunks_read == reply.stats.chunks_total
    assert reply.stats.bytes_examined == log.stat().st_size
    assert reply.outline[0].start_byte == 0
    assert reply.outline[-1].end_byte == log.stat().st_size
    for before, after in zip(reply.outline, reply.outline[1:], strict=False):
        assert before.end_byte == after.start_byte
    assert not [entry for entry in reply.outline if "not read by the model" in entry.digest]


def test_a_run_that_fails_and_goes_on_gives_what_one_without_failure_gives(server: FaultServer, log: Path) -> None:
    straight = service_at(server.url("good")).summarize(SummarizeRequest(path=str(log)))
    for fault in ("later-cut", "later-status_401", "later-non_json"):
        broken = service_at(server.url(fault)).summarize(SummarizeRequest(path=str(log)))
        assert broken.error is not None
        resumed = service_at(server.url("good")).summarize(SummarizeRequest(path=str(log), cursor=broken.cursor))
        assert resumed.outline == straight.outline
        assert resumed.summary == straight.summary


@pytest.mark.parametrize("fault", ["good", "invents", "later-cut", "status_401", "non_json", "truncated_json"])
def test_questions_meet_the_same_faults(server: FaultServer, log: Path, isolated_environment: Path, fault: str) -> None:
    server.calls.clear()
    question = "Which host cannot be reached?"
    reply = service_at(server.url(fault)).ask(AskRequest(path=str(log), question=question, all=True))
    data = log.read_bytes()
    assert reply.answer is not None
    for quote in reply.answer.quotes:
        assert quote.verified
        assert data[quote.start_byte : quote.end_byte].decode() == quote.text
    if fault == "good":
        assert reply.answer.found
        assert reply.answer.quotes
    if fault == "invents":
        assert reply.error is None
        assert not reply.answer.found or reply.answer.quotes
    if fault in ("later-cut", "status_401", "non_json"):
        assert reply.error is not None
        assert reply.cursor
    assert_no_key(isolated_environment, reply.model_dump_json())


def test_a_parallel_run_meets_a_fault(server: FaultServer, log: Path) -> None:
    for fault, kind in (("good", ""), ("later-status_401", "model_refused"), ("busy_always", "model_unavailable")):
        server.calls.clear()
        reply = service_at(server.url(fault), concurrency=3).summarize(SummarizeRequest(path=str(log), mode="parallel"))
        assert (reply.error.kind if reply.error else "") == kind
        if not kind:
            assert_whole(reply, log)


def test_a_budget_ends_a_run_with_a_cursor(server: FaultServer, log: Path) -> None:
    server.calls.clear()
    whole = service_at(server.url("later-good")).summarize(SummarizeRequest(path=str(log))).stats
    # Half of what it takes, and room for the longest reply, which is set aside before a call.
    budget = (whole.input_tokens + whole.output_tokens) // 2 + 1400
    short = service_at(server.url("good"), max_tokens_per_run=budget).summarize(SummarizeRequest(path=str(log)))
    assert short.error is not None
    assert short.error.kind == "budget_exceeded"
    assert 0 < short.stats.chunks_read < short.stats.chunks_total
    assert short.stats.input_tokens + short.stats.output_tokens <= budget
    rest = service_at(server.url("good")).summarize(SummarizeRequest(path=str(log), cursor=short.cursor))
    assert_whole(rest, log)


def test_nothing_is_sent_without_consent(server: FaultServer, log: Path) -> None:
    server.calls.clear()
    service = service_at(server.url("good"), allowed_hosts=())
    estimate = service.summarize(SummarizeRequest(path=str(log), estimate_only=True)).estimate
    assert estimate is not None
    assert not estimate.allowed
    assert (estimate.host, estimate.model) == (f"127.0.0.1:{server.port}", MODEL)
    with pytest.raises(MilepostError, match="Nothing was sent"):
        service.summarize(SummarizeRequest(path=str(log)))
    assert not server.calls
    real = service_at(server.url("good")).summarize(SummarizeRequest(path=str(log)))
    assert 0.8 * real.stats.calls <= estimate.calls <= 1.25 * real.stats.calls


def test_a_stop_ends_a_run_at_once_with_a_cursor(server: FaultServer, log: Path) -> None:
    server.calls.clear()
    began = time.monotonic()
    reply = service_at(server.url("later-stalls"), 30.0).summarize(
        SummarizeRequest(path=str(log)), should_stop=lambda: len(server.calls) >= 3
    )
    assert time.monotonic() - began < 15  # the call would last 30 s
    assert reply.error is not None
    assert reply.error.kind == "cancelled"
    assert reply.stats.chunks_read == 2
    rest = service_at(server.url("good")).summarize(SummarizeRequest(path=str(log), cursor=reply.cursor))
    assert_whole(rest, log)


def test_a_file_that_changes_during_a_run_ends_it_with_what_was_found(server: FaultServer, tmp_path: Path) -> None:
    path = write_log(tmp_path / "server.log", SIZE)
    server.calls.clear()

    def on_step(step: Any) -> None:
        if step.done.next_chunk == 2:
            path.write_bytes(b"replaced\n" * 30_000)

    reply = service_at(server.url("good")).summarize(SummarizeRequest(path=str(path)), on_step=on_step)
    assert reply.error is not None
    assert reply.error.kind == "file_changed"
    assert (reply.stats.chunks_read, reply.cursor) == (2, "")
    assert reply.outline


def run_cli(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("MILEPOST_", "XDG_"))},
        "HOME": str(home),
        "MILEPOST_API_KEY": KEY,
        "PYTHONPATH": str(SERVER_CODE),
        "OPENAI_LOG": "debug",
    }
    return subprocess.run(
        [sys.executable, "-m", "milepost", *arguments],
        env=environment, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


@pytest.mark.parametrize(
    "fault, says",
    [
        ("good", ""),
        ("later-status_401", "MILEPOST_API_KEY"),
        ("later-non_json", "nothing that could be read"),
        ("busy_for_an_hour", "asks to wait for 3,600 s"),
    ],
)
def test_the_command_line_meets_a_fault(
    server: FaultServer, log: Path, isolated_environment: Path, fault: str, says: str
) -> None:
    server.calls.clear()
    host = f"127.0.0.1:{server.port}"

    def options(of: str) -> list[str]:
        values = [
            f"model.base_url={server.url(of)}",
            f"model.name={MODEL}",
            f"chunks.target_bytes={CHUNK}",
            "debug.dump=true",
        ]
        return [*(f"--set={value}" for value in values), f"--allow-host={host}", "--json"]

    done = run_cli("summarize", str(log), *options(fault), home=isolated_environment)
    assert_no_key(isolated_environment, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    reply = json.loads(done.stdout)
    if not says:
        assert done.returncode == 0
        assert reply["cursor"] == ""
        return
    assert done.returncode == 1
    assert says in done.stderr.splitlines()[-1]
    rest = run_cli(
        "summarize", str(log), *options("good"), f"--cursor={reply['cursor']}", "--json", home=isolated_environment
    )
    assert rest.returncode == 0
    assert json.loads(rest.stdout)["stats"]["chunks_read"] == 7
