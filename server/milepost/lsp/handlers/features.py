"""Symbols, code lenses, folding ranges and hovers: what an editor asks for by itself."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from milepost.lsp.pygls_fixes import Encoded

if TYPE_CHECKING:
    from milepost.lsp.columns import Columns
    from milepost.lsp.outlines import Outlined
    from milepost.lsp.session import Session, Target

_NOTHING = Encoded(b"[]")


def register(server: LanguageServer, session: Session) -> None:
    """Register the handlers on the server of one client."""

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbol(params: types.DocumentSymbolParams) -> Encoded:
        return await _reply(session, "symbols", params, _symbols_blocking, session.client.dynamic_symbols)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> Encoded:
        return await _reply(session, "lenses", params, _lenses_blocking, session.client.refreshes_lenses)

    @server.feature(types.CODE_LENS_RESOLVE)
    def code_lens_resolve(lens: types.CodeLens) -> types.CodeLens:
        # The lens carries its own text, so that no lens waits for anything.
        if isinstance(lens.data, dict) and "text" in lens.data:
            lines = {name: lens.data.get(name) for name in ("uri", "startLine", "endLine")}
            lens.command = types.Command(title=str(lens.data["text"]), command="milepost.read", arguments=[lines])
        return lens

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding_range(params: types.FoldingRangeParams) -> Encoded:
        return await _reply(session, "folding", params, _folding_blocking, session.client.refreshes_folding)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> Encoded | None:
        target = await session.target(params.text_document.uri)
        found = await session.outlines.outlined(
            target, can_refresh=session.client.refreshes_lenses, token=params.work_done_token
        )
        if not session.offers_features(found.outline):
            return None
        return await session.jobs.short(_hover_blocking, session, target, found, params.position.line + 1)


async def _reply(session: Session, name: str, params: Any, make: Any, can_refresh: bool) -> Encoded:
    target = await session.target(params.text_document.uri)
    found = await session.outlines.outlined(target, can_refresh=can_refresh, token=params.work_done_token)
    if not session.offers_features(found.outline):
        return _NOTHING
    return await session.cached_reply(name, target, found, partial(make, session, target, found))


def _columns(session: Session, target: Target, found: Outlined, read: Any) -> Any:
    """Call `read` with the columns of the text or file that an outline is of."""
    from milepost.core.source import open_source
    from milepost.lsp.columns import Columns

    if found.text is not None:
        return read(Columns(found.text, "utf-8", session.units))
    with open_source(target.path or "") as source:
        columns: Columns = Columns(source, found.outline.encoding, session.units)
        return read(columns)


def _symbols_blocking(session: Session, target: Target, found: Outlined) -> bytes:
    from milepost.lsp.convert import document_symbols, encode_list

    return encode_list(
        _columns(
            session,
            target,
            found,
            lambda columns: document_symbols(found.outline, columns, session.client, target.uri),
        )
    )


def _lenses_blocking(session: Session, target: Target, found: Outlined) -> bytes:
    from milepost.lsp.convert import code_lenses, encode_list

    return encode_list(
        _columns(session, target, found, lambda columns: code_lenses(found.outline, columns, target.uri))
    )


def _folding_blocking(session: Session, target: Target, found: Outlined) -> bytes:
    from milepost.lsp.convert import encode_list, folding_ranges

    return encode_list(folding_ranges(found.outline, session.client))


def _hover_blocking(session: Session, target: Target, found: Outlined, line: int) -> Encoded | None:
    from milepost.lsp.convert import head_range
    from milepost.lsp.hover import hover_text, sections_starting_at

    sections = list(sections_starting_at(found.outline, line))
    if not sections:
        return None
    markdown = session.client.markdown_hover
    text = hover_text(found.outline, sections, markdown=markdown)
    head = _columns(session, target, found, lambda columns: head_range(sections[-1], columns))
    contents = {"kind": "markdown" if markdown else "plaintext", "value": text}
    return Encoded(json.dumps({"contents": contents, "range": head}).encode())
