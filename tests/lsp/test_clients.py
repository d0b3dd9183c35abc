"""Clients that are programs: one made of pygls, which types every answer, and one newer than our types."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from raw_client import ServerProcess, capabilities_of
from sample_log import sample_text


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
