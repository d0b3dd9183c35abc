"""How a server begins and ends: exit codes, dead clients, several clients on TCP, and what starting costs."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from raw_client import ErrorReplyError, RawClient, ServerProcess, connect
from sample_log import sample_text, write_large_log
from start_cost import MAX_CPU_S, MAX_MEMORY_BYTES, start_costs

from milepost.lsp.jobs import Jobs


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_text(sample_text(), encoding="utf-8")
    return path


def test_exit_after_shutdown_is_a_success(server: ServerProcess, log: Path) -> None:
    server.client.initialize()
    assert server.client.symbols(log.as_uri())
    assert server.leave() == 0
    assert server.log == ""


def test_exit_without_shutdown_is_a_failure(server: ServerProcess) -> None:
    server.client.initialize()
    server.client.notify("exit")
    assert server.process.wait(5) == 1


def test_the_end_of_the_input_ends_the_server(server: ServerProcess) -> None:
    server.client.initialize()
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(5) == 1


def test_exit_before_initialize_ends_the_server(server: ServerProcess) -> None:
    with pytest.raises(ErrorReplyError) as caught:
        server.client.symbols("file:///x")
    assert caught.value.code == -32002
    server.client.notify("exit")
    assert server.process.wait(10) == 1


@pytest.mark.skipif(os.name == "nt", reason="uses POSIX signals")
def test_a_client_that_was_killed_ends_the_server(server: ServerProcess) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as parent:
        server.client.initialize(processId=parent.pid)
        parent.send_signal(signal.SIGKILL)
    assert server.process.wait(10) == 1


def test_what_is_printed_does_not_break_the_messages(tmp_path: Path) -> None:
    script = tmp_path / "printing.py"
    script.write_text(
        "import os, threading\n"
        "from milepost.lsp.app import run_stdio\n"
        "threading.Timer(0.5, lambda: os.write(1, b'from a library')).start()\n"
        "run_stdio()\n"
    )
    process = ServerProcess(sys.executable, str(script))
    try:
        process.client.initialize()
        time.sleep(0.8)
        assert process.leave() == 0
        assert process.log == "from a library"
    finally:
        process.end()


@pytest.fixture
def tcp_server() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    command = [sys.executable, "-m", "milepost", "serve", "--tcp", "127.0.0.1:0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        match = re.search(rb"listening on 127\.0\.0\.1:(\d+)", process.stderr.readline())
        assert match is not None
        yield process, int(match[1])
        process.kill()


def test_two_clients_on_tcp_have_a_state_each(tcp_server: tuple[subprocess.Popen[bytes], int], log: Path) -> None:
    process, port = tcp_server
    (one, connection_one), (two, connection_two) = (connect("127.0.0.1", port) for _ in range(2))
    with connection_one, connection_two:
        one.initialize(
            {"general": {"positionEncodings": ["utf-8"]}}, initializationOptions={"outline": {"never": ["log"]}}
        )
        two.initialize()
        one.open(log.as_uri(), "changed in one\n")
        question = {"path": str(log), "startLine": 1}
        assert one.request("milepost/read", question)["content"] == "changed in one\n"
        assert two.request("milepost/read", question)["content"] != "changed in one\n"
        assert two.symbols(log.as_uri())
        one.notify("textDocument/didClose", {"textDocument": {"uri": log.as_uri()}})
        assert one.symbols(log.as_uri()) == []
        one.request("shutdown")
        one.notify("exit")
        assert one.closed.wait(5)
        assert two.symbols(log.as_uri())
        assert process.poll() is None
        big = sample_text(20_000)
        two.open("untitled:big", big)
        assert two.request("milepost/outline", {"uri": "untitled:big"})["totalBytes"] == len(big.encode())


def test_a_client_on_tcp_that_goes_away_in_the_middle_of_work(
    tcp_server: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    process, port = tcp_server
    large = tmp_path / "large.log"
    write_large_log(large, 100_000_000)
    one, connection_one = connect("127.0.0.1", port)
    two, connection_two = connect("127.0.0.1", port)
    with connection_two:
        two.initialize()
        one.initialize()
        one.start("milepost/outline", {"path": str(large)})
        one.start("milepost/plan", {"path": str(large)})
        time.sleep(0.5)
        connection_one.shutdown(socket.SHUT_RDWR)
        connection_one.close()
        assert two.request("milepost/read", {"path": str(large), "startLine": 1})["endLine"] == 1
        threads = psutil.Process(process.pid).num_threads
        end = time.monotonic() + 10
        while threads() > 2 + sum(Jobs.THREADS.values()):  # those of one client, and the process's own
            assert time.monotonic() < end
            time.sleep(0.1)
    process.kill()
    assert process.stderr is not None
    assert process.stderr.read() == b""


def test_starting_costs_little_more_than_an_empty_server() -> None:
    empty, ours = start_costs(rounds=3)
    assert ours.cpu_s - empty.cpu_s <= MAX_CPU_S
    assert ours.memory_bytes - empty.memory_bytes <= MAX_MEMORY_BYTES


def test_heavy_parts_are_loaded_when_they_are_used() -> None:
    heavy = (
        "numpy",
        "hyperscan",
        "pydantic",
        "openai",
        "tree_sitter",
        "rich",
        "milepost.service",
        "milepost.core.scan",
    )
    code = f"import sys, milepost.lsp.app; print([name for name in {heavy!r} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_many_requests_leave_no_trace(server: ServerProcess, log: Path) -> None:
    client: RawClient = server.client
    client.initialize({"window": {"workDoneProgress": True}})
    uri = log.as_uri()

    def converse(number: int) -> None:
        text = sample_text()
        for version in range(number):
            client.open(uri, text)
            edit = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": "x"}
            identifier: dict[str, Any] = {"uri": uri, "version": version + 2}
            client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [edit]})
            cancelled = client.start("milepost/find", {"uri": uri, "pattern": "x"})
            client.cancel(cancelled)
            client.symbols(uri)
            client.command("milepost.read", {"uri": uri, "startLine": 1, "workDoneToken": version})
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        client.received.clear()

    converse(100)
    process = psutil.Process(server.process.pid)
    before, handles = process.memory_info().rss, process.num_fds()
    converse(300)
    assert process.memory_info().rss - before < 6 << 20
    assert process.num_fds() <= handles + 2
