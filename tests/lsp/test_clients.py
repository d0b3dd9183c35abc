"""Every message of a long conversation is one that the client's own capabilities allow and lsprotocol understands.

The capabilities in `tests/data/capabilities` are those of current editors; each file says where it comes from.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import converters, types
from pytest_lsp.checks import check_params_against_client_capabilities, check_result_against_client_capabilities
from raw_client import ErrorReplyError, RawClient, ServerProcess, capabilities_of
from sample_log import ERROR_LINE, sample_text

EDITORS = ("vscode", "neovim", "neovim-0.7", "eglot")
ROUNDS = 60

CONVERTER = converters.get_converter()


def at(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def converse(client: RawClient, path: Path) -> None:
    """What editors send all day: open, ask, edit, ask again, cancel, run commands."""
    uri, text = path.as_uri(), path.read_text(encoding="utf-8")
    document = {"textDocument": {"uri": uri}}
    client.open(uri, text)
    for number in range(ROUNDS):
        client.symbols(uri)
        lenses = client.request("textDocument/codeLens", document)
        client.request("codeLens/resolve", lenses[number % len(lenses)])
        client.request("textDocument/foldingRange", document)
        client.request("textDocument/hover", {**document, "position": {"line": ERROR_LINE - 1, "character": number}})
        if number % 10 == 0:
            start, end = {"line": number, "character": 0}, {"line": number, "character": 1}
            change = {"range": {"start": start, "end": end}, "text": "🌍\n" if number % 20 else "\r\n\f"}
            version = {"uri": uri, "version": number + 2}
            client.notify("textDocument/didChange", {"textDocument": version, "contentChanges": [change]})
        if number % 3 == 0:
            client.command("milepost.outline", {"uri": uri, "workDoneToken": f"token {number}"})
        elif number % 3 == 1:
            client.request("milepost/find", {"uri": uri, "pattern": "ERROR", "workDoneToken": number})
        else:
            cancelled = client.start("milepost/outline", {"uri": uri, "format": "text"})
            client.cancel(cancelled)
            with contextlib.suppress(ErrorReplyError):
                client.wait(cancelled)
    client.notify("textDocument/didClose", document)


@pytest.mark.parametrize("editor", EDITORS)
def test_a_conversation_stays_within_the_protocol(server: ServerProcess, tmp_path: Path, editor: str) -> None:
    path = tmp_path / "server.log"
    path.write_text(sample_text(300), encoding="utf-8")
    client, capabilities = server.client, capabilities_of(editor)
    client.initialize(capabilities, workspaceFolders=[{"uri": tmp_path.as_uri(), "name": "folder"}])
    converse(client, path)
    assert server.leave() == 0
    assert server.log == ""
    known = CONVERTER.structure(capabilities, types.ClientCapabilities)
    assert len(client.received) > 6 * ROUNDS
    for message in client.received:
        check_message(client, message, known)
        check_allowed(message, capabilities)


def check_message(client: RawClient, message: dict[str, Any], known: types.ClientCapabilities) -> None:
    """lsprotocol takes the message; pytest-lsp finds nothing that the client cannot do (a warning is an error here)."""
    if "method" in message:
        kinds = types.METHOD_TO_TYPES.get(message["method"])
        if kinds is None:
            assert message["method"] == "milepost/outlineChanged"
            return
        structured = CONVERTER.structure(message, kinds[0])
        check_params_against_client_capabilities(known, message["method"], structured.params)
    elif "error" in message:
        CONVERTER.structure(message, types.ResponseErrorMessage)
        assert message["error"]["data"]["kind"]
    else:
        method = client.asked[message["id"]]
        kinds = types.METHOD_TO_TYPES.get(method)
        if kinds is not None:
            structured = CONVERTER.structure(message, kinds[1])
            check_result_against_client_capabilities(known, method, structured.result)


#: What a server may send only to a client that says so.
ALLOWED_BY = {
    "window/workDoneProgress/create": "window.workDoneProgress",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "workspace/foldingRange/refresh": "workspace.foldingRange.refreshSupport",
    "workspace/configuration": "workspace.configuration",
}
REGISTERED_BY = {
    "textDocument/documentSymbol": "textDocument.documentSymbol.dynamicRegistration",
    "workspace/didChangeConfiguration": "workspace.didChangeConfiguration.dynamicRegistration",
}


def check_allowed(message: dict[str, Any], capabilities: dict[str, Any]) -> None:
    method = message.get("method")
    if method in ALLOWED_BY:
        assert at(capabilities, ALLOWED_BY[method]), method
    if method == "client/registerCapability":
        for registration in message["params"]["registrations"]:
            assert at(capabilities, REGISTERED_BY[registration["method"]]), registration


@pytest_lsp.fixture(
    config=pytest_lsp.ClientServerConfig(server_command=[sys.executable, "-m", "milepost", "serve"]),
)
async def language_client(lsp_client: pytest_lsp.LanguageClient):  # type: ignore[no-untyped-def]
    for method in (types.CLIENT_REGISTER_CAPABILITY, types.CLIENT_UNREGISTER_CAPABILITY):
        lsp_client.feature(method)(lambda params: None)
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    await lsp_client.initialize_session(types.InitializeParams(capabilities=capabilities))
    yield
    await lsp_client.shutdown_session()


@pytest.mark.asyncio
async def test_a_client_made_of_pygls_gets_typed_answers(
    language_client: pytest_lsp.LanguageClient, tmp_path: Path
) -> None:
    path = tmp_path / "server.log"
    path.write_text(sample_text(), encoding="utf-8")
    document = types.TextDocumentIdentifier(uri=path.as_uri())
    symbols, lenses = await asyncio.gather(
        language_client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document)),
        language_client.text_document_code_lens_async(types.CodeLensParams(text_document=document)),
    )
    assert isinstance(symbols[0], types.DocumentSymbol)
    resolved = await language_client.code_lens_resolve_async(lenses[0])
    assert resolved.command is not None
    params = types.ExecuteCommandParams(command=resolved.command.command, arguments=resolved.command.arguments)
    reply = await language_client.workspace_execute_command_async(params)
    assert reply is not None


def test_capabilities_newer_than_lsprotocol_do_no_harm(server: ServerProcess, tmp_path: Path) -> None:
    capabilities = capabilities_of("vscode")
    capabilities["general"]["positionEncodings"] = ["utf-7", "utf-8", "utf-16"]
    capabilities["textDocument"]["documentSymbol"]["symbolKind"]["valueSet"] = [*range(1, 40)]
    capabilities["textDocument"]["foldingRange"] = "all of it"
    result = server.client.initialize(capabilities)
    assert result["capabilities"]["positionEncoding"] == "utf-8"
    path = tmp_path / "server.log"
    path.write_text(sample_text(), encoding="utf-8")
    assert "children" in str(server.client.symbols(path.as_uri()))
