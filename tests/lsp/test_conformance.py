"""Every message of a long conversation is one that LSP, Milepost's schemas and the client's own capabilities allow.

The capabilities in `tests/data/capabilities` are those of current editors; each file says where it comes from.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path
from typing import Any

import pytest
from protocol_checks import ProtocolChecks, name_of
from raw_client import ErrorReplyError, RawClient, ServerProcess, capabilities_of
from sample_log import ERROR_LINE, line, sample_text

#: So many messages of the server at least are checked in each conversation: fewer where the capabilities were written down
#: from an editor's source and not recorded from it.
MESSAGES = {"vscode": 2000, "neovim-0.7": 2000, "eglot": 2000, "neovim-0.11": 400, "eglot-1.17": 400}

#: What cannot be answered: refused, with a kind.
WRONG: tuple[tuple[str, Any], ...] = (
    ("milepost/nothing", {}),
    ("milepost/outline", {}),
    ("milepost/outline", {"path": "no such file.log"}),
    ("milepost/outline", {"uri": "http://elsewhere/server.log"}),
    ("milepost/outline", {"path": "server.log", "cursor": "nonsense"}),
    ("milepost/read", {"path": "server.log", "startLine": "one"}),
    ("milepost/read", {"path": "server.log", "surprise": True}),
    ("milepost/ask", {"path": "server.log", "question": " "}),
    ("milepost/find", {"path": "server.log", "pattern": "(", "regex": True}),
    ("milepost/resolveAnchor", {"path": "server.log", "anchor": "nonsense"}),
    ("textDocument/documentSymbol", {"textDocument": {"uri": "file:///no/such/file.log"}}),
    ("textDocument/hover", {"textDocument": {}}),
    ("workspace/executeCommand", {"command": "milepost.nothing", "arguments": []}),
    ("workspace/executeCommand", {"command": "milepost.read", "arguments": []}),
    ("workspace/executeCommand", {"command": "milepost.read", "arguments": [7]}),
)


class Conversation:
    """What editors send all day: open, ask, edit, ask again, cancel, run commands, make mistakes."""

    def __init__(self, client: RawClient, path: Path) -> None:
        self.client = client
        self.path = path
        self.uri = path.as_uri()
        self.document = {"textDocument": {"uri": self.uri}}
        self.version = 1

    def hold(self, messages: int) -> None:
        """Until so many messages came."""
        self.open()
        for number in itertools.count():
            if len(self.client.received) >= messages:
                break
            self.round(number)
        self.client.notify("textDocument/didClose", self.document)

    def open(self) -> None:
        self.client.open(self.uri, self.path.read_text(encoding="utf-8"), self.version)

    def round(self, number: int) -> None:
        """A few requests side by side, what happens now and then, and one more that comes too late."""
        self.happens(number)
        self.wait([*self.features(number), *self.requests(number), self.wrong(number)])
        cancelled = self.client.start("milepost/outline", {"uri": self.uri, "format": "text"})
        self.client.cancel(cancelled)
        self.wait([cancelled])

    def wait(self, started: list[int]) -> None:
        """For all answers: which of them are errors, the checks look at later."""
        for request in started:
            with contextlib.suppress(ErrorReplyError):
                self.client.wait(request)

    def features(self, number: int) -> list[int]:
        lenses = self.client.request("textDocument/codeLens", self.document)
        position = {"line": ERROR_LINE - 1, "character": number}
        return [
            self.client.start("textDocument/documentSymbol", self.document | {"workDoneToken": f"symbols {number}"}),
            self.client.start("codeLens/resolve", lenses[number % len(lenses)]),
            self.client.start("textDocument/foldingRange", self.document),
            self.client.start("textDocument/hover", {**self.document, "position": position}),
        ]

    def requests(self, number: int) -> list[int]:
        """Milepost's own, as requests and as commands in turn, the slow ones not every time."""
        span = {"startLine": 1 + number % 50, "endLine": 20 + number % 50}
        wanted: list[tuple[str, dict[str, Any]]] = [
            ("outline", {"depth": 1} if number % 2 else {"wait": False}),
            ("read", span),
            ("find", {"pattern": "ERROR|pool", "regex": True, "maxHits": 5}),
            ("plan", {}),
            ("resolveAnchor", {"anchor": {**span, "endLine": span["startLine"]}}),
        ]
        if number % 4 == 0:
            wanted.append(("summarize", {"maxChunks": 1 + number % 3}))
        if number % 4 == 2:
            wanted.append(("ask", {"question": "Why did the request fail?", "maxChunks": 2}))
        return [
            self.ask(name, {**params, "uri": self.uri, "workDoneToken": f"{name} {number}"}, (number + turn) % 2 == 0)
            for turn, (name, params) in enumerate(wanted)
        ]

    def ask(self, name: str, params: dict[str, Any], as_command: bool) -> int:
        if not as_command:
            return self.client.start(f"milepost/{name}", params)
        return self.client.start("workspace/executeCommand", {"command": f"milepost.{name}", "arguments": [params]})

    def wrong(self, number: int) -> int:
        return self.client.start(*WRONG[number % len(WRONG)])

    def happens(self, number: int) -> None:
        client = self.client
        if number % 5 == 1:
            self.version += 1
            start, end = {"line": number % 70, "character": 0}, {"line": number % 70, "character": 1}
            change = {"range": {"start": start, "end": end}, "text": "🌍\n" if number % 2 else "\r\n\f"}
            document = {"uri": self.uri, "version": self.version}
            client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        if number % 10 == 2:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line(400 + number))
            client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": self.uri, "type": 2}]})
        if number % 10 == 3:
            client.configuration = {"outline": {"maxNodes": 500 + number}}
            settings = {"milepost": client.configuration}
            client.notify("workspace/didChangeConfiguration", {"settings": settings})
        if number % 10 == 4:
            client.notify("textDocument/didSave", self.document)
            client.notify("textDocument/didClose", self.document)
            self.version = 1
            self.open()
        if number % 10 == 5:
            started = client.start("milepost/summarize", {"uri": self.uri, "workDoneToken": f"stopped {number}"})
            client.notify("window/workDoneProgress/cancel", {"token": f"stopped {number}"})
            self.wait([started])
        if number % 20 == 6:
            client.request("workspace/executeCommand", {"command": "milepost.clearCache", "arguments": []})


@pytest.mark.parametrize("editor", MESSAGES)
def test_a_conversation_stays_within_the_protocol(server: ServerProcess, tmp_path: Path, editor: str) -> None:
    path = tmp_path / "server.log"
    path.write_text(sample_text(300), encoding="utf-8")
    client, capabilities = server.client, capabilities_of(editor)
    folder = {"uri": tmp_path.as_uri(), "name": "folder"}
    client.initialize(capabilities, processId=os.getpid(), rootUri=folder["uri"], workspaceFolders=[folder])
    Conversation(client, path).hold(MESSAGES[editor])
    assert server.leave() == 0
    assert all("Params of textDocument/hover do not fit" in logged for logged in server.log.splitlines())
    checks = ProtocolChecks(capabilities)
    for message in client.received:
        checks.check(message, None if "method" in message else client.asked[message["id"]])
    checks.end()
    assert sum(checks.checked.values()) >= MESSAGES[editor]
    # Nothing was left out: every request was answered, and of every kind there is an answer that is no error.
    asked = {name_of(one) for one in client.asked.values()} - {"milepost/nothing"}
    assert asked <= set(checks.checked)
    assert {"milepost/summarize", "milepost/ask", "milepost/clearCache", "milepost/outlineChanged"} <= set(
        checks.checked
    )
    assert {name for name in checks.checked if name.endswith(": error")} >= {
        "milepost/outline: error",
        "milepost/nothing: error",
        "textDocument/documentSymbol: error",
    }
