"""From sections to LSP's own types, as JSON values.

Sections count lines from 1 and say bytes; LSP counts lines from 0 and columns in the client's unit, so the first and
last line of a section are read to know how long they are. Plain dictionaries, because lsprotocol's classes cost
several times as much to make and encode; all of it runs in a thread.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from milepost.core.outline import Outline, Section, walk
from milepost.lsp.client import ClientFeatures
from milepost.lsp.columns import Columns

MAX_SYMBOLS = 5_000
MAX_LENSES = 200
MAX_FOLDING_RANGES = 5_000

Json = dict[str, Any]

# LSP's numbers of SymbolKind.
_FILE, _MODULE, _NAMESPACE, _PACKAGE, _CLASS, _METHOD, _PROPERTY, _FIELD = 1, 2, 3, 4, 5, 6, 7, 8
_ENUM, _INTERFACE, _FUNCTION, _VARIABLE, _CONSTANT, _STRING = 10, 11, 12, 13, 14, 15
_ARRAY, _OBJECT, _KEY, _NULL, _STRUCT, _EVENT = 18, 19, 20, 21, 23, 24

_SYMBOL_KINDS: Mapping[str, int] = {
    "segment": _NAMESPACE,
    "incident": _EVENT,
    "group": _ARRAY,
    "gap": _NULL,
    "heading": _STRING,
    "paragraphs": _FIELD,
    "block": _OBJECT,
    "nul_run": _NULL,
    "opaque": _CONSTANT,
    "binary": _FILE,
    "head": _PACKAGE,
    "file": _FILE,
    "document": _MODULE,
    "table": _STRUCT,
    "data": _ARRAY,
    "records": _ARRAY,
    "array": _ARRAY,
    "object": _OBJECT,
    "key": _KEY,
    "string": _STRING,
    "element": _FIELD,
    "hunk": _METHOD,
    "class": _CLASS,
    "interface": _INTERFACE,
    "function": _FUNCTION,
    "method": _METHOD,
    "module": _MODULE,
}
_OTHER_KIND = _OBJECT

# For clients that know the first 18 kinds only.
_OLDER_KINDS: Mapping[int, int] = {
    _EVENT: _ENUM,
    _OBJECT: _VARIABLE,
    _KEY: _PROPERTY,
    _NULL: _CONSTANT,
    _STRUCT: _CLASS,
}


def symbol_kind(kind: str, known: frozenset[int]) -> int:
    """The symbol kind for a section's kind, of those the client knows."""
    number = _SYMBOL_KINDS.get(kind, _OTHER_KIND)
    return number if number in known else _OLDER_KINDS.get(number, _OBJECT if _OBJECT in known else _VARIABLE)


@dataclass(frozen=True, slots=True)
class _Range:
    start: tuple[int, int]
    end: tuple[int, int]

    def within(self, outer: _Range) -> _Range:
        start = min(max(self.start, outer.start), outer.end)
        return _Range(start, max(start, min(self.end, outer.end)))

    def json(self) -> Json:
        return {
            "start": {"line": self.start[0], "character": self.start[1]},
            "end": {"line": self.end[0], "character": self.end[1]},
        }


def _ranges(section: Section, columns: Columns) -> tuple[_Range, _Range]:
    """The whole section, and its first line."""
    start = (max(section.start_line - 1, 0), columns.start(section))
    end = max(start, (max(section.end_line - 1, 0), columns.end(section)))
    whole = _Range(start, end)
    head_end = (start[0], start[1] + columns.head_width(section))
    return whole, _Range(start, head_end).within(whole)


def chosen_sections(outline: Outline, max_nodes: int) -> tuple[set[int], int]:
    """Which sections are shown, by `id()`, and how many are left out.

    Outer ones before inner ones; of one depth those with the greater weight, then the earlier ones.
    """
    everything = {id(section) for section in walk(outline.sections)}
    total = len(everything)
    if total <= max_nodes:
        return everything, 0
    room = max_nodes - 1  # one node says how many are not shown
    chosen: set[int] = set()
    candidates = list(outline.sections)
    while candidates and room > 0:
        best = heapq.nsmallest(room, candidates, key=lambda one: (-one.weight, one.start_byte))
        room -= len(best)
        chosen |= {id(section) for section in best}
        candidates = [child for section in best for child in section.children]
    return chosen, total - len(chosen)


def document_symbols(outline: Outline, columns: Columns, client: ClientFeatures, uri: str) -> list[Json]:
    """The outline as `DocumentSymbol`s, or as flat `SymbolInformation`s for clients that cannot nest."""
    chosen, left_out = chosen_sections(outline, MAX_SYMBOLS)
    symbols = _symbols(outline.sections, None, chosen, columns, client)
    if left_out and symbols:
        last = symbols[-1]["range"]["end"]
        symbols.append(
            {
                "name": f"{left_out:,} more sections",
                "kind": symbol_kind("group", client.symbol_kinds),
                "detail": "not shown here: the Milepost outline lists them",
                "range": {"start": last, "end": last},
                "selectionRange": {"start": last, "end": last},
            }
        )
    return symbols if client.hierarchical_symbols else list(_flat(symbols, uri, None))


def _symbols(
    sections: Iterable[Section], outer: _Range | None, chosen: set[int], columns: Columns, client: ClientFeatures
) -> list[Json]:
    """The chosen ones of some sections, with those below them, each inside the range of the one it lies in."""
    symbols = []
    for section in sections:
        if id(section) not in chosen:
            continue
        whole, head = _ranges(section, columns)
        if outer is not None:
            whole = whole.within(outer)
            head = head.within(whole)
        made: Json = {
            "name": _name(section),
            "kind": symbol_kind(section.kind, client.symbol_kinds),
            "range": whole.json(),
            "selectionRange": head.json(),
        }
        detail = _detail(section)
        if detail:
            made["detail"] = detail
        children = _symbols(section.children, whole, chosen, columns, client)
        if children:
            made["children"] = children
        symbols.append(made)
    return symbols


def _flat(symbols: Iterable[Json], uri: str, container: str | None) -> Iterator[Json]:
    for symbol in symbols:
        flat: Json = {
            "name": symbol["name"],
            "kind": symbol["kind"],
            "location": {"uri": uri, "range": symbol["range"]},
        }
        if container is not None:
            flat["containerName"] = container
        yield flat
        yield from _flat(symbol.get("children", ()), uri, symbol["name"])


def _name(section: Section) -> str:
    # VS Code refuses all symbols of a document if one has no name.
    return section.title.strip() or f"{section.kind or 'section'} at line {section.start_line}"


def _detail(section: Section) -> str:
    if section.more is not None:
        more = f"{section.more.count:,} more inside"
        return f"{section.digest} · {more}" if section.digest else more
    return section.digest


def code_lenses(outline: Outline, columns: Columns, uri: str) -> list[Json]:
    """A lens on the first line of each of the most important sections, one a line; the text comes with `resolve`."""
    by_line: dict[int, Section] = {}
    for section in walk(outline.sections):
        other = by_line.get(section.start_line)
        if other is None or section.weight > other.weight:
            by_line[section.start_line] = section
    best = heapq.nsmallest(MAX_LENSES, by_line.values(), key=lambda one: (-one.weight, one.start_byte))
    best.sort(key=lambda one: one.start_byte)
    return [
        {
            "range": _ranges(section, columns)[1].json(),
            "data": {
                "uri": uri,
                "startLine": section.start_line,
                "endLine": section.end_line,
                "text": _lens_text(section),
            },
        }
        for section in best
    ]


def _lens_text(section: Section) -> str:
    detail = _detail(section)
    if detail:
        return detail
    lines = section.end_line - section.start_line + 1
    return f"{lines:,} lines · {_name(section)}" if lines != 1 else f"1 line · {_name(section)}"


def folding_ranges(outline: Outline, client: ClientFeatures) -> list[Json]:
    """Every section of more than one line can be folded; where there are too many, outer and long ones go first."""
    limit = min(MAX_FOLDING_RANGES, client.folding_range_limit or MAX_FOLDING_RANGES)
    candidates: list[tuple[int, int, Section]] = []
    stack = [(section, 0) for section in outline.sections]
    while stack:
        section, depth = stack.pop()
        length = section.end_line - section.start_line
        if length > 0:
            candidates.append((depth, -length, section))
        stack.extend((child, depth + 1) for child in section.children)
    best = heapq.nsmallest(limit, candidates, key=lambda one: (one[0], one[1], one[2].start_byte))
    # A parent and its first child may span the same lines: one fold is enough.
    made: dict[tuple[int, int], Json] = {}
    for _, _, section in sorted(best, key=lambda one: (one[2].start_byte, one[0])):
        lines = (section.start_line - 1, section.end_line - 1)
        if lines in made:
            continue
        made[lines] = {"startLine": lines[0], "endLine": lines[1], "kind": "region"}
        if client.collapsed_text:
            made[lines]["collapsedText"] = _name(section)
    return list(made.values())


def head_range(section: Section, columns: Columns) -> Json:
    """The first line of a section."""
    return _ranges(section, columns)[1].json()


def encode_list(items: list[Json]) -> bytes:
    """The items as a JSON array. Encoded a few at a time: one call would let nothing else run until its end."""
    encoder = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
    parts = [encoder.encode(item).encode("utf-8", "replace") for item in items]
    return b"[" + b",".join(parts) + b"]"
