"""What the client at the other end can do, read from its capabilities as they were sent.

Read from the JSON and not from lsprotocol's types, so that a capability newer than those does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: The symbol kinds of the first version of LSP, which a client without a `valueSet` knows: File to Array.
_FIRST_SYMBOL_KINDS = frozenset(range(1, 19))


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


@dataclass(frozen=True, slots=True)
class ClientFeatures:
    """The capabilities that make a difference here."""

    hierarchical_symbols: bool = False
    symbol_kinds: frozenset[int] = _FIRST_SYMBOL_KINDS
    dynamic_symbols: bool = False
    dynamic_configuration: bool = False
    refreshes_lenses: bool = False
    refreshes_folding: bool = False
    folding_range_limit: int | None = None
    collapsed_text: bool = False
    markdown_hover: bool = False
    shows_progress: bool = False
    answers_configuration: bool = False

    @classmethod
    def of(cls, capabilities: Any) -> ClientFeatures:
        """The features in an `initialize` request's capabilities."""

        def has(path: str) -> bool:
            return bool(_at(capabilities, path))

        kinds = _at(capabilities, "textDocument.documentSymbol.symbolKind.valueSet")
        formats = _at(capabilities, "textDocument.hover.contentFormat")
        limit = _at(capabilities, "textDocument.foldingRange.rangeLimit")
        return cls(
            hierarchical_symbols=has("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"),
            symbol_kinds=frozenset(kinds) if isinstance(kinds, list) and kinds else _FIRST_SYMBOL_KINDS,
            dynamic_symbols=has("textDocument.documentSymbol.dynamicRegistration"),
            dynamic_configuration=has("workspace.didChangeConfiguration.dynamicRegistration"),
            refreshes_lenses=has("workspace.codeLens.refreshSupport"),
            refreshes_folding=has("workspace.foldingRange.refreshSupport"),
            folding_range_limit=limit if isinstance(limit, int) and limit > 0 else None,
            collapsed_text=has("textDocument.foldingRange.foldingRange.collapsedText"),
            markdown_hover=isinstance(formats, list) and "markdown" in formats,
            shows_progress=has("window.workDoneProgress"),
            answers_configuration=has("workspace.configuration"),
        )
