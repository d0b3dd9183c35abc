"""The faults of pygls that `milepost.lsp` works around, each shown in pygls itself.

A test here that fails is good news: the fault is gone upstream, and its workaround can go too.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.protocol import json_rpc
from pygls.uris import to_fs_path
from pygls.workspace import PositionCodec, TextDocument

URI = "file:///x.log"


class Pipe(io.BytesIO):
    """Keeps what is sent, also after it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[dict[str, Any]] = []

    def write(self, data: Any) -> int:
        self.sent.append(json.loads(bytes(data).partition(b"\r\n\r\n")[2]))
        return len(data)


def started() -> tuple[LanguageServer, Pipe]:
    """A plain pygls server after `initialize`."""
    server, pipe = LanguageServer("plain", "1"), Pipe()
    server.protocol.set_writer(pipe)
    receive(server, 0, "initialize", {"capabilities": {}, "processId": None, "rootUri": None})
    return server, pipe


def receive(server: LanguageServer, message_id: Any, method: str, params: Any = None) -> None:
    """Give the server a message as its reading loop does."""
    message = {"jsonrpc": "2.0", "method": method} | ({} if message_id is None else {"id": message_id})
    if params is not None:
        message["params"] = params
    protocol = server.protocol
    protocol.handle_message(json.loads(json.dumps(message), object_hook=protocol.structure_message))


def params_seen(params: Any) -> Any:
    """What the handler of a custom request is given."""
    server, _ = started()
    seen = []

    @server.feature("x/y")
    def handler(given: Any) -> None:
        seen.append(given)

    receive(server, 1, "x/y", params)
    return seen[0]


def open_document(server: LanguageServer, text: str = "a\n") -> None:
    document = {"uri": URI, "languageId": "log", "version": 1, "text": text}
    receive(server, None, "textDocument/didOpen", {"textDocument": document})


@pytest.mark.parametrize("character", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_text_document_takes_other_characters_for_line_ends(character: str) -> None:
    # milepost.lsp.documents
    document = TextDocument(URI, f"a{character}b\nc\n")
    place = types.Position(line=1, character=0)
    change = types.TextDocumentContentChangePartial(range=types.Range(start=place, end=place), text="X")
    document.apply_change(change)
    assert document.source != f"a{character}b\nXc\n"


def test_a_column_past_the_end_of_a_line_is_one_short() -> None:
    # milepost.lsp.position.index_of_column
    position = PositionCodec().position_from_client_units(["abc"], types.Position(line=0, character=9))
    assert position.character == 2


def test_a_path_that_looks_like_a_drive_loses_its_slash() -> None:
    # milepost.uris
    assert to_fs_path("file:///c:/x") in ("c:/x", "c:\\x")


def test_bytes_of_a_path_that_are_no_utf8_are_lost() -> None:
    # milepost.uris
    assert to_fs_path("file:///tmp/bad%FF.log") == "/tmp/bad\ufffd.log"


def test_params_of_custom_requests_are_namedtuples_with_renamed_keys() -> None:
    # milepost.lsp.pygls_fixes.make_converter
    assert params_seen({"class": 1, "_private": 2})._fields == ("_0", "_1")


def test_every_notification_asks_for_a_random_number(monkeypatch: pytest.MonkeyPatch) -> None:
    # Protocol._handle_notification
    asked: list[int] = []
    monkeypatch.setattr(json_rpc.uuid, "uuid4", lambda: f"id {asked.append(1)}")

    async def run() -> None:
        server, _ = started()
        server.feature("milepost/noted")(lambda params: None)
        receive(server, None, "milepost/noted", {})

    asyncio.run(run())
    assert asked


def test_a_cancelled_command_runs_on() -> None:
    # Protocol.lsp_workspace__execute_command
    async def run() -> tuple[bool, list[Any]]:
        server, pipe = started()
        ran_to_its_end = asyncio.Event()

        @server.command("long")
        async def long(*arguments: Any) -> None:
            await asyncio.sleep(0.05)
            ran_to_its_end.set()

        receive(server, 1, "workspace/executeCommand", {"command": "long", "arguments": []})
        receive(server, None, "$/cancelRequest", {"id": 1})
        await asyncio.sleep(0.1)
        return ran_to_its_end.is_set(), pipe.sent

    ran_to_its_end, sent = asyncio.run(run())
    assert sent[-1]["error"]["code"] == -32800
    assert ran_to_its_end


def test_shutdown_during_a_command_fails() -> None:
    # Protocol.lsp_shutdown
    async def run() -> list[Any]:
        server, pipe = started()

        @server.command("long")
        async def long(*arguments: Any) -> None:
            await asyncio.sleep(0.05)

        receive(server, 1, "workspace/executeCommand", {"command": "long", "arguments": []})
        receive(server, 2, "shutdown")
        await asyncio.sleep(0.1)
        return pipe.sent

    errors = [message["error"] for message in asyncio.run(run()) if message.get("id") == 2]
    assert "RuntimeError: dictionary changed size" in errors[0]["message"]


def test_after_shutdown_requests_get_no_answer() -> None:
    # Protocol._out_of_turn
    server, pipe = started()
    receive(server, 1, "shutdown")
    receive(server, 2, "textDocument/hover", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}})
    assert [message["id"] for message in pipe.sent] == [0, 1]


def test_the_futures_of_notifications_are_kept_for_ever() -> None:
    # Protocol._execute_handler
    server, _ = started()
    before = len(server.protocol._request_futures)
    for _ in range(5):
        open_document(server)
    assert len(server.protocol._request_futures) == before + 5


def test_progress_tokens_are_kept_for_ever() -> None:
    # milepost.lsp.progress
    server, _ = started()
    progress = server.work_done_progress
    progress.begin("token", types.WorkDoneProgressBegin(title="x"))
    progress.end("token", types.WorkDoneProgressEnd())
    assert "token" in progress.tokens


def test_the_result_type_of_a_request_that_the_client_refused_is_kept_for_ever() -> None:
    # Protocol._handle_response, Protocol.ask
    server, pipe = started()
    server.protocol.send_request("workspace/configuration", types.ConfigurationParams(items=[]))
    answer = {"jsonrpc": "2.0", "id": pipe.sent[-1]["id"], "error": {"code": 1, "message": "no"}}
    protocol = server.protocol
    protocol.handle_message(json.loads(json.dumps(answer), object_hook=protocol.structure_message))
    assert len(server.protocol._result_types) == 1


def test_a_request_whose_params_do_not_fit_gets_no_answer() -> None:
    # Protocol.receive: pygls' reading loop catches this and shows a message box instead
    server, pipe = started()
    with pytest.raises(Exception, match="Invalid Params"):
        receive(server, 1, "textDocument/hover", {"textDocument": {}})
    assert [message["id"] for message in pipe.sent] == [0]


def test_what_looks_like_a_message_inside_params_is_taken_for_one() -> None:
    # Protocol.receive structures the message itself and nothing in it
    with pytest.raises(JsonRpcInternalError):
        params_seen({"inner": {"jsonrpc": "2.0", "method": "m", "params": {"a": 1}}})


def test_info_logging_writes_whole_messages(caplog: pytest.LogCaptureFixture) -> None:
    # quiet_pygls
    server, _ = started()
    with caplog.at_level(logging.INFO, logger="pygls"):
        server.protocol.notify("x/y", {"secret": "s" * 1000})
    assert "s" * 1000 in caplog.text


def test_a_message_type_keeps_the_protocol_alive() -> None:
    # Protocol.get_message_type
    server, _ = started()
    assert hasattr(type(server.protocol).get_message_type, "cache_info")


def test_exit_ends_the_process() -> None:
    # Protocol.lsp_exit: on TCP the other clients go down with it
    server, _ = started()
    with pytest.raises(SystemExit):
        receive(server, None, "exit")
