"""A real server on real files: what an editor asks for by itself, and Milepost's own requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from raw_client import ErrorReplyError, RawClient, ServerProcess, capabilities_of
from sample_log import ERROR_LINE, TRACE_END_LINE, sample_text

NAMES = ("outline", "read", "find", "plan", "resolveAnchor")
#: What each request needs besides the file.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "outline": {},
    "read": {"startLine": ERROR_LINE, "endLine": TRACE_END_LINE},
    "find": {"pattern": "Caused by"},
    "plan": {},
    "resolveAnchor": {"anchor": {"startLine": ERROR_LINE, "endLine": TRACE_END_LINE}},
}


@pytest.fixture(scope="module")
def running() -> Iterator[ServerProcess]:
    """One server for the tests that only ask. It talks to a client with VS Code's capabilities, without refresh."""
    process = ServerProcess()
    capabilities = capabilities_of("vscode")
    capabilities["textDocument"]["documentSymbol"]["dynamicRegistration"] = False
    process.client.initialize(capabilities)
    yield process
    process.end()


@pytest.fixture
def client(running: ServerProcess) -> RawClient:
    return running.client


@pytest.fixture
def log(tmp_path: Path) -> Path:
    # A name that has to be quoted in a URI.
    path = tmp_path / "a server's log, 100%, #1 é🌍.log"
    path.write_text(sample_text(), encoding="utf-8")
    return path


def document(path: Path) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}}


def place(value: dict[str, int]) -> tuple[int, int]:
    return value["line"], value["character"]


def walk(symbols: list[Any], outer: Any = None) -> Iterator[tuple[Any, Any]]:
    for symbol in symbols:
        yield symbol, outer
        yield from walk(symbol.get("children", []), symbol)


def test_symbols_have_valid_ranges_and_show_the_error(client: RawClient, log: Path) -> None:
    symbols = client.symbols(log.as_uri())
    lines = log.read_text(encoding="utf-8").split("\n")
    for symbol, outer in walk(symbols):
        start, end = place(symbol["range"]["start"]), place(symbol["range"]["end"])
        head, head_end = place(symbol["selectionRange"]["start"]), place(symbol["selectionRange"]["end"])
        assert start == head <= head_end <= end
        assert symbol["name"]
        for line, column in (start, end, head_end):
            assert column <= len(lines[line].encode("utf-16-le")) // 2
        if outer is not None:
            assert place(outer["range"]["start"]) <= start
            assert end <= place(outer["range"]["end"])
    spans = [(one["range"]["start"]["line"] + 1, one["range"]["end"]["line"] + 1) for one, _ in walk(symbols)]
    assert (ERROR_LINE, TRACE_END_LINE) in spans


@pytest.mark.parametrize("encoding, width", [("utf-8", 6), ("utf-16", 3), ("utf-32", 2)])
def test_columns_are_in_the_unit_of_the_client(server: ServerProcess, log: Path, encoding: str, width: int) -> None:
    client = server.client
    general = {"positionEncodings": [encoding]}
    hierarchical = {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}
    result = client.initialize({"general": general, "textDocument": hierarchical})
    assert result["capabilities"]["positionEncoding"] == encoding
    line = log.read_text(encoding="utf-8").split("\n")[ERROR_LINE - 1]
    (error,) = [
        one
        for one, _ in walk(client.symbols(log.as_uri()))
        if (one["range"]["start"]["line"], one["range"]["end"]["line"]) == (ERROR_LINE - 1, TRACE_END_LINE - 1)
    ]
    assert error["selectionRange"]["end"]["character"] == len(line) - len("é🌍") + width


def test_flat_symbols_for_a_client_that_cannot_nest(server: ServerProcess, log: Path) -> None:
    server.client.initialize()
    symbols = server.client.symbols(log.as_uri())
    assert all(symbol["location"]["uri"] == log.as_uri() for symbol in symbols)
    assert all(1 <= symbol["kind"] <= 18 for symbol in symbols)
    inside = [symbol for symbol in symbols if symbol["location"]["range"]["start"]["line"] == ERROR_LINE - 1]
    assert inside
    assert inside[0]["containerName"]


def test_lenses_resolve_to_a_command_of_the_server(client: RawClient, log: Path) -> None:
    lenses = client.request("textDocument/codeLens", document(log))
    (lens,) = [one for one in lenses if one["range"]["start"]["line"] == ERROR_LINE - 1]
    assert "command" not in lens
    command = client.request("codeLens/resolve", lens)["command"]
    assert command["title"]
    reply = client.request(
        "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
    )
    assert (reply["startLine"], reply["endLine"]) == (ERROR_LINE, TRACE_END_LINE)


def test_folds_include_the_stack_trace(client: RawClient, log: Path) -> None:
    folds = client.request("textDocument/foldingRange", document(log))
    assert {"startLine": ERROR_LINE - 1, "endLine": TRACE_END_LINE - 1, "kind": "region"} in folds


def test_hover_on_the_first_line_of_a_section_only(client: RawClient, log: Path) -> None:
    position = {"line": ERROR_LINE - 1, "character": 5}
    hover = client.request("textDocument/hover", {**document(log), "position": position})
    assert hover["contents"]["kind"] == "markdown"
    assert f"lines {ERROR_LINE} to {TRACE_END_LINE} (6 lines" in hover["contents"]["value"]
    assert hover["range"]["start"] == {"line": ERROR_LINE - 1, "character": 0}
    position["line"] += 1
    assert client.request("textDocument/hover", {**document(log), "position": position}) is None


@pytest.mark.parametrize("name", NAMES)
def test_each_request_is_also_a_command_with_the_same_reply(client: RawClient, log: Path, name: str) -> None:
    by_path = client.request(f"milepost/{name}", {"path": str(log), **ARGUMENTS[name]})
    by_uri = client.request(f"milepost/{name}", {"uri": log.as_uri(), **ARGUMENTS[name]})
    by_command = client.command(f"milepost.{name}", {"uri": log.as_uri(), **ARGUMENTS[name]})
    assert by_path == by_uri == by_command
    assert by_path["path"] == str(log)


def test_replies_say_what_the_file_holds(client: RawClient, log: Path) -> None:
    data = log.read_bytes()
    outline = client.request("milepost/outline", {"path": str(log)})
    assert (outline["state"], outline["totalLines"], outline["totalBytes"]) == ("exact", data.count(b"\n"), len(data))
    read = client.request("milepost/read", {"path": str(log), **ARGUMENTS["read"]})
    assert read["content"].encode() == data[read["startByte"] : read["endByte"]]
    (hit,) = client.request("milepost/find", {"path": str(log), **ARGUMENTS["find"]})["hits"]
    assert hit["startLine"] == ERROR_LINE + 4
    plan = client.request("milepost/plan", {"path": str(log)})
    assert [(chunk["startByte"], chunk["endByte"]) for chunk in plan["chunks"]] == [(0, len(data))]
    anchor = client.request("milepost/resolveAnchor", {"path": str(log), **ARGUMENTS["resolveAnchor"]})["anchor"]
    log.write_bytes(b"one\ntwo\n" + data)
    moved = client.request("milepost/resolveAnchor", {"path": str(log), "anchor": anchor})
    assert (moved["state"], moved["anchor"]["startLine"]) == ("moved", ERROR_LINE + 2)


@pytest.mark.parametrize("cap", [0, 1, 40, 300, 2_000, 10_000])
@pytest.mark.parametrize("name", NAMES)
def test_replies_fit_their_cap(client: RawClient, log: Path, name: str, cap: int) -> None:
    reply = client.request(f"milepost/{name}", {"path": str(log), "maxBytes": cap, **ARGUMENTS[name]})
    size = len(json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode())
    # A result cannot be less than `null`.
    assert size <= max(cap, 4)


@pytest.mark.parametrize(
    "params, code, kind",
    [
        ({"path": "{missing}"}, -32803, "not_found"),
        ({"uri": "file://{missing}"}, -32803, "not_found"),
        ({"path": "{folder}"}, -32803, "not_a_file"),
        ({"path": "{log}", "startLine": 9999}, -32803, "out_of_range"),
        ({"path": "{log}", "startLine": 5, "endLine": 4}, -32602, "invalid_params"),
        ({"path": "{log}", "startLine": "5"}, -32602, "invalid_params"),
        ({"path": "{log}", "lines": 5}, -32602, "invalid_params"),
        ({"path": "{log}", "uri": "file:///x"}, -32602, "invalid_params"),
        ({}, -32602, "invalid_params"),
        (None, -32602, "invalid_params"),
        ([], -32602, "invalid_params"),
        ({"uri": "untitled:Untitled-1"}, -32803, "not_found"),
        ({"uri": "file://elsewhere/x.log"}, -32602, "invalid_params"),
        ({"path": "{binary}", "startLine": 1}, -32803, "binary"),
    ],
)
def test_errors_say_their_kind(client: RawClient, log: Path, tmp_path: Path, params: Any, code: int, kind: str) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 64)
    places = {
        "{missing}": str(tmp_path / "missing"),
        "{folder}": str(tmp_path),
        "{log}": str(log),
        "{binary}": str(tmp_path / "binary"),
    }
    text = json.dumps(params)
    for name, path in places.items():
        text = text.replace(name, path)
    with pytest.raises(ErrorReplyError) as caught:
        client.request("milepost/read", json.loads(text))
    assert (caught.value.code, caught.value.kind) == (code, kind)


@pytest.mark.parametrize(
    "command, arguments",
    [("milepost.read", []), ("milepost.read", [{}, {}]), ("milepost.read", ["x"]), ("milepost.none", [{}])],
)
def test_wrong_commands_are_refused(client: RawClient, command: str, arguments: list[Any]) -> None:
    with pytest.raises(ErrorReplyError) as caught:
        client.request("workspace/executeCommand", {"command": command, "arguments": arguments})
    assert (caught.value.code, caught.value.kind) == (-32602, "invalid_params")


def test_what_is_no_request_gets_an_error_and_the_server_lives(client: RawClient, log: Path) -> None:
    for method, params, code in (
        ("milepost/none", {}, -32601),
        ("textDocument/hover", {"textDocument": {}}, -32602),
        ("initialize", {"capabilities": {}}, -32600),
    ):
        with pytest.raises(ErrorReplyError) as caught:
            client.request(method, params)
        assert caught.value.code == code
        assert caught.value.kind
    before = len(client.received)
    client.send_bytes(b'{"jsonrpc": "2.0", "id"')
    client.until(lambda: len(client.received) > before)
    assert client.received[-1]["error"]["code"] == -32700
    client.notify("milepost/none", {})
    client.notify("$/unknown")
    assert client.symbols(log.as_uri())


def test_the_text_of_a_changed_document_wins_over_the_file(client: RawClient, log: Path) -> None:
    uri, text = log.as_uri(), log.read_text(encoding="utf-8")

    def first_line() -> str:
        content: str = client.request("milepost/read", {"path": str(log), "startLine": 1})["content"]
        return content

    client.open(uri, text)
    assert first_line() == text.split("\n")[0] + "\n"
    # The same file by another spelling of its URI; a form feed ends no line.
    other = uri.replace("%27", "'").replace("%2C", ",")
    edit = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 4}}, "text": "\f🌍2027"}
    client.notify("textDocument/didChange", {"textDocument": {"uri": other, "version": 2}, "contentChanges": [edit]})
    assert first_line() == "\f🌍2027" + text[4:].split("\n")[0] + "\n"
    before = client.symbols(uri)
    insert = {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 0}}, "text": "x\r\ny\r"}
    client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 3}, "contentChanges": [insert]})
    after = client.symbols(uri)
    assert after[-1]["range"]["end"]["line"] == before[-1]["range"]["end"]["line"] + 2
    outline = client.request("milepost/outline", {"uri": uri})
    assert outline["totalLines"] == text.count("\n") + 2
    assert outline["path"] == str(log)
    # Who shows the outline hears of the next edit, once the typing pauses.
    for version in (4, 5):
        identifier = {"uri": uri, "version": version}
        client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [insert]})
    told = client.until(
        lambda: [note["params"] for note in client.messages("milepost/outlineChanged") if note["params"]["uri"] == uri]
    )
    assert [(note["reason"], note["totalBytes"]) for note in told] == [("changed", outline["totalBytes"] + 10)]
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert first_line() == text.split("\n")[0] + "\n"
    # Opened again, versions begin again.
    client.open(uri, "another text\n" + text)
    assert first_line() == "another text\n"
    assert client.symbols(uri)[-1]["range"]["end"]["line"] == text.count("\n")
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_documents_without_a_file(client: RawClient) -> None:
    uri = "untitled:Untitled-7"
    client.open(uri, sample_text())
    assert client.symbols(uri)
    assert client.request("milepost/read", {"uri": uri, "startLine": 1})["endLine"] == 1
    client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    with pytest.raises(ErrorReplyError, match="not open here"):
        client.symbols(uri)


def test_a_file_that_changes_is_answered_afresh(client: RawClient, log: Path) -> None:
    outline = client.request("milepost/outline", {"path": str(log)})
    with log.open("a", encoding="utf-8") as file:
        file.write("2026-03-01 09:00:00,000 INFO [main] com.example.Server - more\n")
    (told,) = client.until(
        lambda: [note for note in client.messages("milepost/outlineChanged") if note["params"]["uri"] == log.as_uri()]
    )
    assert told["params"]["reason"] == "grew"
    assert client.request("milepost/outline", {"path": str(log)})["totalLines"] == outline["totalLines"] + 1
    log.unlink()
    with pytest.raises(ErrorReplyError) as caught:
        client.symbols(log.as_uri())
    assert caught.value.kind == "not_found"


def test_small_files_of_other_kinds_are_left_to_other_tools(client: RawClient, tmp_path: Path) -> None:
    path = tmp_path / "small.json"
    path.write_text(json.dumps({"a": list(range(100)), "b": {"c": 1}}, indent=1))
    outline = client.request("milepost/outline", {"path": str(path)})
    assert outline["sections"]
    if outline["format"] == "json":
        assert client.symbols(path.as_uri()) == []
        assert client.request("textDocument/codeLens", document(path)) == []
        assert client.request("textDocument/foldingRange", document(path)) == []


@pytest.mark.parametrize("by", ["initializationOptions", "workspace/configuration", "didChangeConfiguration", "file"])
def test_settings_reach_the_server(server: ServerProcess, log: Path, tmp_path: Path, by: str) -> None:
    client = server.client
    wanted = {"outline": {"never": ["log"]}}
    options: dict[str, Any] = {}
    if by == "initializationOptions":
        options["initializationOptions"] = wanted
    elif by == "file":
        (tmp_path / ".milepost.toml").write_text('[outline]\nnever = ["log"]\n')
        options["rootUri"] = tmp_path.as_uri()
    elif by == "workspace/configuration":
        client.configuration = wanted
        options["capabilities"] = {"workspace": {"configuration": True}}
    client.initialize(**options)
    if by == "didChangeConfiguration":
        assert client.symbols(log.as_uri()) != []
        client.notify("workspace/didChangeConfiguration", {"settings": {"milepost": wanted}})
    assert client.symbols(log.as_uri()) == []
    assert client.request("milepost/outline", {"path": str(log)})["sections"]


def test_every_folder_may_bring_settings_and_the_first_is_right(
    server: ServerProcess, log: Path, tmp_path: Path
) -> None:
    client, folders = server.client, [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    said = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
    (folders[1] / ".milepost.toml").write_text('[outline]\nnever = ["log"]\n')
    client.initialize(workspaceFolders=said)
    assert client.symbols(log.as_uri()) == []
    (folders[0] / ".milepost.toml").write_text('[outline]\nnever = ["csv"]\n')
    assert client.symbols(log.as_uri()) != []
    (folders[0] / ".milepost.toml").unlink()
    assert client.symbols(log.as_uri()) == []
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [said[1]]}})
    assert client.symbols(log.as_uri()) != []


def test_a_setting_that_cannot_be_used_is_named_once(server: ServerProcess, log: Path) -> None:
    client = server.client
    client.initialize(initializationOptions={"outline": {"minBytes": "many"}})
    for _ in range(2):
        assert client.symbols(log.as_uri())
    (shown,) = client.until(lambda: client.messages("window/showMessage"))
    assert "outline.min_bytes" in shown["params"]["message"]


def test_relative_paths_start_at_the_workspace(server: ServerProcess, log: Path) -> None:
    server.client.initialize(workspaceFolders=[{"uri": log.parent.as_uri(), "name": "x"}])
    assert server.client.request("milepost/read", {"path": log.name, "startLine": 1})["path"] == str(log)
