"""`milepost summarize`, `ask` and `cache`: offline, whole or in parts, interrupted, with nothing configured."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

SMALL = b"2026-03-01 10:00:00 INFO start\n2026-03-01 10:00:01 ERROR disk full on /var\n"


def big_log(path: Path, size: int = 400_000) -> Path:
    """A log of some chunks with one incident in its middle."""
    lines: list[str] = []
    written = number = 0
    while written < size:
        clock = f"{10 + number // 3600 % 12:02}:{number // 60 % 60:02}:{number % 60:02}"
        line = f"2026-03-01 {clock} INFO worker-{number % 5}: request {number * 7919 % 100003} served\n"
        lines.append(line)
        written += len(line)
        number += 1
    middle = len(lines) // 2
    lines[middle] = f"{lines[middle][:20]}ERROR worker-3: cannot reach host db-7: connection refused\n"
    path.write_text("".join(lines), "utf-8")
    return path


def reply_of(done: subprocess.CompletedProcess[bytes]) -> dict:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_small_file_is_given_as_it_is(milepost, tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(SMALL)
    done = milepost("summarize", path)
    assert (done.returncode, done.stdout) == (0, SMALL)
    assert b"its own text" in done.stderr
    reply = reply_of(milepost("summarize", path, "--json"))
    assert (reply["content"], reply["summary"], reply["stats"]["calls"]) == (SMALL.decode(), "", 0)


def test_a_small_file_past_the_cap_says_where_it_goes_on(milepost, tmp_path):
    path = tmp_path / "a.log"
    path.write_bytes(SMALL * 1000)
    reply = reply_of(milepost("summarize", path, "--json"))
    assert reply["truncated"] is True
    assert (SMALL * 1000).decode().startswith(reply["content"])
    assert reply["next"]["start_byte"] == len(reply["content"].encode())


@pytest.mark.parametrize("data", [b"", b"\n", b"\x7fELF\x02\x01\x01\0\0\0" + b"\0\xff" * 4000])
def test_files_with_little_to_say(milepost, tmp_path, data):
    path = tmp_path / "a"
    path.write_bytes(data)
    reply = reply_of(milepost("summarize", path, "--json"))
    assert reply["stats"]["chunks_read"] == 0
    if data.startswith(b"\x7fELF"):
        assert re.fullmatch(rf"binary file.*, {len(data)} bytes, sha256=[0-9a-f]{{64}}", reply["summary"])
        asked = reply_of(milepost("ask", path, "what is it?", "--json"))
        assert asked["answer"]["found"] is False
    else:
        assert reply["content"] == data.decode()


def test_a_summary_examines_every_byte_and_names_the_incident(milepost, tmp_path):
    path = big_log(tmp_path / "app.log")
    line = path.read_bytes()[: path.read_bytes().index(b"connection refused")].count(b"\n") + 1
    reply = reply_of(milepost("summarize", path, "--json"))
    stats = reply["stats"]
    assert stats["chunks_read"] == stats["chunks_total"] > 1
    assert stats["bytes_examined"] == stats["total_bytes"] == path.stat().st_size
    assert (stats["summarizer"], stats["calls"], reply["cursor"]) == ("extractive", 0, "")
    assert "connection refused" in reply["summary"]
    assert f"{line:,}" in reply["summary"] or str(line) in reply["summary"]
    done = milepost("summarize", path)
    assert "connection refused" in done.stdout.decode()
    assert b"chunks read (extractive)" in done.stderr


def test_a_walk_in_parts_ends_where_a_whole_one_does(milepost, tmp_path):
    path = big_log(tmp_path / "app.log")
    whole = reply_of(milepost("summarize", path, "--json"))
    part = reply_of(milepost("summarize", path, "--json", "--max-chunks", "1"))
    assert (part["truncated"], part["stats"]["chunks_read"]) == (True, 1)
    rest = reply_of(milepost("summarize", path, "--json", "--cursor", part["cursor"]))
    for reply in (whole, rest):
        reply["stats"].pop("duration_ms")
    assert rest == whole


def test_an_answer_quotes_the_line_that_proves_it(milepost, tmp_path):
    path = big_log(tmp_path / "app.log")
    lines = path.read_text().splitlines()
    reply = reply_of(milepost("ask", path, "which host refused the connection?", "--json"))
    quote = reply["answer"]["quotes"][0]
    assert reply["answer"]["found"] is True
    assert "db-7" in quote["text"]
    assert lines[quote["start_line"] - 1] == quote["text"]
    assert path.read_bytes()[quote["start_byte"] : quote["end_byte"]].decode() == quote["text"]
    done = milepost("ask", path, "which host refused the connection?")
    assert f"app.log:{quote['start_line']}\n" in done.stdout.decode()


def test_what_is_not_in_the_file_is_not_answered(milepost, tmp_path):
    path = big_log(tmp_path / "app.log")
    reply = reply_of(milepost("ask", path, "what is the airspeed of a swallow?", "--json"))
    assert reply["answer"]["found"] is False
    assert reply["answer"]["quotes"] == []


def test_a_part_of_a_file(milepost, tmp_path):
    path = big_log(tmp_path / "app.log")
    reply = reply_of(milepost("summarize", path, "--json", "--lines", "100-200"))
    assert (reply["outline"][0]["start_line"], reply["outline"][-1]["end_line"]) == (100, 200)
    outline = reply_of(milepost("outline", path, "--json"))
    section = next(one for one in outline["sections"])
    reply = reply_of(milepost("summarize", path, "--json", "--section", section["id"]))
    assert reply["stats"]["bytes_examined"] == section["end_byte"] - section["start_byte"]


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_ctrl_c_leaves_what_was_found_and_a_cursor(command, environment, tmp_path):
    import pty

    path = big_log(tmp_path / "app.log", 20_000_000)
    arguments = command("summarize", path, "--json", "--set", "chunks.target_bytes=20000")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        arguments, env={**environment, "TERM": "xterm", "COLUMNS": "120"}, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while not re.search(rb"chunk \d+/\d+ ", shown):
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    threading.Thread(target=_drain, args=(ours,), daemon=True).start()
    out, err = process.communicate(timeout=60)
    reply = json.loads(out)
    assert process.returncode == 130, err
    assert reply["error"]["kind"] == "cancelled"
    assert (reply["truncated"], bool(reply["cursor"]), bool(reply["outline"])) == (True, True, True)
    read = reply["stats"]["chunks_read"]
    resumed = reply_of(
        subprocess.run(
            [*arguments, "--max-chunks", "1", "--cursor", reply["cursor"]],
            env=environment,
            capture_output=True,
            check=False,
        )
    )
    assert resumed["stats"]["chunks_read"] == read + 1


def _drain(descriptor: int) -> None:
    with contextlib.suppress(OSError):
        while os.read(descriptor, 4096):
            pass


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (["summarize", "{log}", "--lines", "9-3"], 2, "backwards"),
        (["summarize", "{log}", "--lines", "x"], 2, "whole number"),
        (["summarize", "{log}", "--lines", "1-2", "--section", "a"], 2, "not allowed"),
        (["summarize", "{log}", "--section", "nothing-1-0"], 1, "There is no section 'nothing-1-0'"),
        (["summarize", "{log}", "--cursor", "abc"], 1, "damaged"),
        (["summarize", "{log}", "--lines", "99999999"], 1, "past the end"),
        (["ask", "{log}", ""], 2, "empty"),
        (["ask", "{log}", "  "], 1, "empty"),
        (["ask", "{log}.missing", "why?"], 1, "There is no file"),
        (["cache", "wipe"], 2, "invalid choice"),
    ],
)
def test_wrong_use_is_one_clear_line(milepost, tmp_path, arguments, code, said):
    path = big_log(tmp_path / "app.log", 200_000)
    done = milepost(*[argument.replace("{log}", str(path)) for argument in arguments])
    assert done.returncode == code
    assert said in done.stderr.decode()
    if code == 1:
        assert done.stderr.count(b"\n") == 1


def test_without_a_model_nothing_would_be_sent(milepost, tmp_path):
    path = big_log(tmp_path / "app.log")
    assert milepost("summarize", path, "--estimate").stdout.startswith(b"nothing would be sent")
    assert milepost("cache", "clear").stdout == b"0 digests deleted, 0 bytes\n"


@pytest.mark.parametrize("cap", [1, 60, 500, 2000])
@pytest.mark.parametrize("form", [["--json"], ["--compact", "--json"], [], ["--compact"]])
def test_replies_fit_their_cap(milepost, tmp_path, cap, form):
    path = big_log(tmp_path / "app.log")
    for arguments in (["summarize", path], ["ask", path, "which host refused?"]):
        used = [one for one in form if one != "--compact" or arguments[0] == "summarize"]
        done = milepost(*arguments, *used, "--max-bytes", str(cap))
        assert done.returncode == 0, done.stderr
        assert len(done.stdout) <= cap
