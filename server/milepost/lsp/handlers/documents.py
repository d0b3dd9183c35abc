"""The client's documents as they open, change and close."""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from milepost.lsp.documents import TextDocument, cut_pieces
from milepost.lsp.session import Session
from milepost.uris import key_of_uri


def register(server: LanguageServer, session: Session) -> None:
    """Register the handlers. They are plain functions: a change must be in the text before the next message is read."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        pieces = session.protocol.take_incoming_pieces() or cut_pieces(item.text)
        session.documents.open(TextDocument(item.uri, item.language_id, item.version, pieces, session.units))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        key = key_of_uri(params.text_document.uri)
        document = session.documents.get(key)
        if document is None:
            return  # never opened: there is nothing to change
        document.change(params.text_document.version, [_change(change) for change in params.content_changes])
        session.outlines.document_changed(key)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        session.documents.close(params.text_document.uri)
        session.outlines.forget_document(key_of_uri(params.text_document.uri))


def _change(change: Any) -> dict[str, Any]:
    limits = getattr(change, "range", None)
    if limits is None:
        return {"text": change.text}
    return {
        "text": change.text,
        "range": {
            "start": {"line": limits.start.line, "character": limits.start.character},
            "end": {"line": limits.end.line, "character": limits.end.character},
        },
    }
