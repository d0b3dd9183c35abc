"""The server on websockets, as an editor in a browser reaches it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sample_log import sample_text

connect = pytest.importorskip("websockets.sync.client", reason="the extra `websocket` is not installed").connect


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a server that listens."""
    command = [sys.executable, "-m", "milepost", "serve", "--websocket", "127.0.0.1:0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    said = re.search(r"ws://[\d.]+:\d+", process.stderr.readline().decode())
    assert said
    yield said[0]
    process.send_signal(signal.SIGINT)
    assert process.wait(10) == 0
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


def call(connection: Any, number: int, method: str, params: Any) -> Any:
    connection.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    while True:
        message = json.loads(connection.recv(timeout=30))
        if message.get("id") == number and "method" not in message:
            assert "error" not in message, message
            return message["result"]


def test_two_clients_each_with_a_state_of_its_own(address: str, tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_text(sample_text())
    with connect(address) as one, connect(address, max_size=None) as other:
        for connection in (one, other):
            result = call(connection, 1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
            assert "milepost.outline" in result["capabilities"]["executeCommandProvider"]["commands"]
            connection.send(json.dumps({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
        text = "only here\n" * 200_000
        opened = {"uri": path.as_uri(), "languageId": "log", "version": 1, "text": text}
        params = {"textDocument": opened}
        one.send(json.dumps({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params}))
        mine = call(one, 2, "milepost/outline", {"uri": path.as_uri()})
        theirs = call(other, 2, "milepost/outline", {"uri": path.as_uri()})
        assert (mine["totalBytes"], theirs["totalBytes"]) == (len(text), path.stat().st_size)
        call(one, 3, "shutdown", None)
        one.send(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
        assert call(other, 3, "milepost/read", {"path": str(path), "startLine": 1})["startLine"] == 1
