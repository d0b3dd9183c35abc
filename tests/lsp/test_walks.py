"""Summaries and questions over LSP: progress in words, digests as they come, and both ways of cancelling."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from raw_client import ErrorReplyError, RawClient, ServerProcess, capabilities_of
from sample_log import sample_text

#: Small chunks, so that a small file has many.
MANY_CHUNKS = {"chunks": {"targetBytes": 20_000}, "summarize": {"smallFileBytes": 0}}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log of a few hundred kilobytes."""
    lines = [
        f"2026-03-01 {10 + n // 3600:02}:{n // 60 % 60:02}:{n % 60:02} INFO worker-{n % 5}: request {n} served\n"
        for n in range(9000)
    ]
    lines[4000] = "2026-03-01 11:06:40 ERROR worker-3: cannot reach host db-7: connection refused\n"
    path = tmp_path / "app.log"
    path.write_text("".join(lines), "utf-8")
    return path


def start(server: ServerProcess, **settings: object) -> RawClient:
    server.client.initialize(capabilities_of("vscode"), initializationOptions={**MANY_CHUNKS, **settings})
    return server.client


def test_a_summary_shows_its_progress_and_tells_its_digests(server: ServerProcess, log: Path) -> None:
    client = start(server)
    client.request("milepost/outline", {"uri": log.as_uri()})
    reply = client.request("milepost/summarize", {"uri": log.as_uri(), "workDoneToken": "walk"})
    stats = reply["stats"]
    assert stats["chunksRead"] == stats["chunksTotal"] > 10
    assert stats["bytesExamined"] == log.stat().st_size
    assert client.progress("walk")[0] == "begin"
    assert client.progress("walk")[-1] == "end"
    told = [message["params"] for message in client.messages("milepost/outlineChanged")]
    digests = {
        one["id"]: one["digest"] for params in told if params["reason"] == "digests" for one in params["digests"]
    }
    assert digests
    outline = client.request("milepost/outline", {"uri": log.as_uri()})
    shown = {one["id"]: one for one in _walk(outline["sections"])}
    same = [section for section in digests if section in shown and shown[section]["digest"] == digests[section]]
    assert same, "what was said of a section stands in the outline from then on"


def test_an_answer_quotes_what_stands_in_the_file(server: ServerProcess, log: Path) -> None:
    client = start(server)
    question = {"question": "which host refused the connection?"}
    reply = client.request("milepost/ask", {"uri": log.as_uri(), **question})
    quote = reply["answer"]["quotes"][0]
    assert (quote["startLine"], quote["verified"]) == (4001, True)
    assert log.read_text().splitlines()[4000] == quote["text"]
    by_command = client.command("milepost.ask", {"uri": log.as_uri(), **question})
    for one in (reply, by_command):
        one["stats"].pop("durationMs")
    assert by_command == reply


def test_the_users_cancel_gives_what_was_found_and_a_cursor(server: ServerProcess, tmp_path: Path) -> None:
    client = start(server)
    path = tmp_path / "big.log"
    with path.open("w") as file:
        file.writelines(f"2026-03-01 10:{n // 60 % 60:02}:{n % 60:02} INFO task {n} is done\n" for n in range(600_000))
    asked = client.start("milepost/summarize", {"uri": path.as_uri(), "workDoneToken": "stop"})
    client.until(lambda: "chunk" in json.dumps(client.messages("$/progress")))
    client.notify("window/workDoneProgress/cancel", {"token": "stop"})
    reply = client.wait(asked)
    if reply.get("error") is None:
        pytest.skip("this machine was done before it could be stopped")
    assert reply["error"]["kind"] == "cancelled"
    assert (reply["truncated"], bool(reply["cursor"]), bool(reply["outline"])) == (True, True, True)
    assert 0 < reply["stats"]["chunksRead"] < reply["stats"]["chunksTotal"]
    assert client.progress("stop")[-1] == "end"
    resumed = client.request("milepost/summarize", {"uri": path.as_uri(), "cursor": reply["cursor"], "maxChunks": 1})
    assert resumed["stats"]["chunksRead"] == reply["stats"]["chunksRead"] + 1


def test_a_cancelled_request_ends_with_its_error(server: ServerProcess, tmp_path: Path) -> None:
    client = start(server)
    path = tmp_path / "big.log"
    with path.open("w") as file:
        file.writelines(f"2026-03-01 10:{n // 60 % 60:02}:{n % 60:02} INFO task {n} is done\n" for n in range(600_000))
    asked = client.start("milepost/summarize", {"uri": path.as_uri(), "workDoneToken": "gone"})
    client.until(lambda: "chunk" in json.dumps(client.messages("$/progress")))
    client.cancel(asked)
    with pytest.raises(ErrorReplyError) as refused:
        client.wait(asked)
    assert refused.value.code == -32800
    assert client.request("milepost/read", {"path": str(path), "startLine": 1})["startLine"] == 1


def test_nothing_goes_to_a_host_that_nobody_agreed_to(server: ServerProcess, log: Path) -> None:
    client = start(server, model={"baseUrl": "http://127.0.0.1:9/v1", "name": "m"})
    estimate = client.request("milepost/summarize", {"uri": log.as_uri(), "estimateOnly": True})["estimate"]
    assert (estimate["host"], estimate["allowed"]) == ("127.0.0.1:9", False)
    assert estimate["calls"] > 10
    assert estimate["inputTokens"] > 0
    with pytest.raises(ErrorReplyError) as refused:
        client.request("milepost/summarize", {"uri": log.as_uri()})
    assert refused.value.kind == "model_refused"
    assert "127.0.0.1:9" in str(refused.value)


def test_an_unsaved_text_is_summarized_as_it_is(server: ServerProcess, tmp_path: Path) -> None:
    client = start(server)
    path = tmp_path / "app.log"
    path.write_text(sample_text())
    text = path.read_text() + "2026-03-01 12:00:00 ERROR only in the editor: widget exploded\n"
    client.open(path.as_uri(), text)
    reply = client.request("milepost/ask", {"uri": path.as_uri(), "question": "what exploded?"})
    assert "widget exploded" in reply["answer"]["quotes"][0]["text"]
    assert reply["stats"]["totalBytes"] == len(text.encode())


def test_the_cache_is_cleared_by_a_command(server: ServerProcess) -> None:
    client = start(server)
    assert client.request("workspace/executeCommand", {"command": "milepost.clearCache"}) == {"count": 0, "bytes": 0}


def _walk(sections: list[dict]) -> list[dict]:
    found = []
    for section in sections:
        found += [section, *_walk(section.get("children", []))]
    return found
