"""From sections to LSP's types: caps, valid ranges, columns, kinds, and text that stays text."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from milepost.core.outline import More, Outline, Section
from milepost.core.source import BytesSource
from milepost.lsp.client import ClientFeatures
from milepost.lsp.columns import HEAD_BYTES, Columns
from milepost.lsp.convert import (
    MAX_FOLDING_RANGES,
    MAX_LENSES,
    MAX_SYMBOLS,
    code_lenses,
    document_symbols,
    encode_list,
    folding_ranges,
)
from milepost.lsp.hover import escape_markdown, hover_text, sections_starting_at
from milepost.lsp.position import UNITS, Units

URI = "file:///x.log"
CLIENT = ClientFeatures(hierarchical_symbols=True, symbol_kinds=frozenset(range(1, 27)))


def outline_of(sections: list[Section], **values: Any) -> Outline:
    size = sections[-1].end_byte if sections else 0
    return Outline("x.log", "log", "utf-8", "lf", 0, None, size, sections=tuple(sections), **values)


def lines_outline(count: int, *, inside: int = 0) -> tuple[Outline, BytesSource]:
    """`count` sections of `inside + 1` lines of ten bytes, each with `inside` children of one line."""

    def section(kind: str, line: int, lines: int, **values: Any) -> Section:
        end = line + lines
        return Section(f"{kind}-{line}", f"{kind} {line}", kind, line + 1, end, line * 10, end * 10, **values)

    size = inside + 1
    sections = []
    for number in range(count):
        first = number * size
        children = tuple(section("incident", first + 1 + k, 1, weight=(k % 7) / 10) for k in range(inside))
        sections.append(section("segment", first, size, children=children))
    return outline_of(sections), BytesSource("x.log", b"012345678\n" * (count * size))


def count(symbols: list[Any]) -> int:
    return sum(1 + count(symbol.get("children", [])) for symbol in symbols)


@pytest.mark.parametrize("sections, inside", [(10, 3), (MAX_SYMBOLS, 0), (MAX_SYMBOLS + 1, 0), (100, 100), (6_000, 1)])
def test_symbols_are_capped_and_say_what_is_missing(sections: int, inside: int) -> None:
    outline, source = lines_outline(sections, inside=inside)
    symbols = document_symbols(outline, Columns(source, "utf-8", "utf-16"), CLIENT, URI)
    total = sections * (inside + 1)
    assert count(symbols) == min(total, MAX_SYMBOLS)
    if total > MAX_SYMBOLS:
        left_out = total - (MAX_SYMBOLS - 1)
        assert symbols[-1]["name"] == f"{left_out:,} more sections"
    flat = document_symbols(outline, Columns(source, "utf-8", "utf-16"), ClientFeatures(), URI)
    assert len(flat) == min(total, MAX_SYMBOLS)


def test_lenses_and_folds_are_capped() -> None:
    outline, source = lines_outline(3_000, inside=2)
    lenses = code_lenses(outline, Columns(source, "utf-8", "utf-16"), URI)
    assert len(lenses) == MAX_LENSES
    lines = [lens["range"]["start"]["line"] for lens in lenses]
    assert lines == sorted(set(lines))
    outline, _ = lines_outline(MAX_FOLDING_RANGES + 10, inside=1)
    assert len(folding_ranges(outline, CLIENT)) == MAX_FOLDING_RANGES
    assert len(folding_ranges(outline, ClientFeatures(folding_range_limit=7))) == 7


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", ""])
def test_columns_of_first_and_last_lines(units: Units, codec: str, end: str) -> None:
    lines = ["\ufeffé🌍 first", "second " * 60, "", "läst 𐐀"]
    data = [(line + "\r\n").encode(codec) for line in lines[:-1]] + [(lines[-1] + end).encode(codec)]
    size = sum(map(len, data))
    section = Section("s", "title", "segment", 1, 4, 0, size)
    inner = Section("i", "title", "segment", 2, 3, len(data[0]), len(data[0]) + len(data[1]) + len(data[2]))
    columns = Columns(BytesSource("x", b"".join(data)), codec, units)
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[units]
    plain = units + ("" if units == "utf-8" else "-le")
    assert columns.end(section) == len(lines[3].encode(plain)) // width
    assert columns.head_width(section) == len(lines[0][1:].encode(plain)) // width
    assert columns.end(inner) == 0
    assert columns.head_width(inner) == len(lines[1])


def test_sections_inside_one_long_line_have_their_columns() -> None:
    line = "é" * 100_000
    source = BytesSource("x", line.encode())
    half = Section("s", "t", "opaque", 1, 1, 100_000, 200_000, start_column=50_000, end_column=100_000)
    assert (Columns(source, "utf-8", "utf-16").start(half), Columns(source, "utf-8", "utf-8").start(half)) == (
        50_000,
        100_000,
    )
    assert Columns(source, "utf-8", "utf-32").end(half) == 100_000
    assert Columns(source, "utf-8", "utf-16").head_width(half) <= HEAD_BYTES


def test_ranges_are_nested_even_where_sections_are_not() -> None:
    child = Section("c", "child", "incident", 1, 9, 0, 90)
    outer = Section("o", "outer", "segment", 2, 3, 10, 30, children=(child,))
    (symbol,) = document_symbols(
        outline_of([outer]), Columns(BytesSource("x", b"012345678\n" * 9), "utf-8", "utf-16"), CLIENT, URI
    )
    assert symbol["children"][0]["range"] == symbol["range"]


def test_names_are_never_empty_and_hidden_children_are_counted() -> None:
    section = Section("s", " ", "nul_run", 1, 1, 0, 10, more=More(12_345))
    source = BytesSource("x", b"012345678\n")
    (symbol,) = document_symbols(outline_of([section]), Columns(source, "utf-8", "utf-16"), CLIENT, URI)
    assert (symbol["name"], symbol["detail"]) == ("nul_run at line 1", "12,345 more inside")


def test_kinds_are_such_as_the_client_knows() -> None:
    kinds = ["segment", "incident", "group", "gap", "block", "table", "key", "something new"]
    sections = [Section(kind, kind, kind, n + 1, n + 1, n * 10, n * 10 + 10) for n, kind in enumerate(kinds)]
    columns = Columns(BytesSource("x", b"012345678\n" * len(kinds)), "utf-8", "utf-16")
    for known in (frozenset(range(1, 19)), frozenset(range(1, 27))):
        client = ClientFeatures(hierarchical_symbols=True, symbol_kinds=known)
        assert {symbol["kind"] for symbol in document_symbols(outline_of(sections), columns, client, URI)} <= known


def test_lists_are_encoded_as_json() -> None:
    items = [{"name": "é🌍\u2028"}, {"range": [1, None, True]}]
    assert json.loads(encode_list(items)) == items
    assert encode_list([]) == b"[]"


@pytest.mark.parametrize(
    "text",
    ["**x** _y_ `z`", "<script>", "![i](http://x)", "# head", "- item", "1. item", "===", "www.x.y", "&amp; ~~a~~ |"],
)
def test_file_text_is_no_markdown(text: str) -> None:
    escaped = escape_markdown(text)
    assert re.sub(r"\\(?=[\W_])", "", escaped) == text
    assert escaped != text
    assert not re.search(r"(?<!\\)[*_`<\[#|~]|^[-=]|^\d+\.|(?<!\\)://|www\.", escaped)


def test_a_hover_tells_nested_sections_from_the_inside() -> None:
    inner = Section(
        "i", "the error", "incident", 5, 7, 50, 80, "what it says", facts={"severity": "error", "counts": {"a": 1}}
    )
    outer = Section("o", "the hour", "segment", 5, 9, 50, 100, children=(inner,))
    outline = outline_of([outer], state="provisional")
    assert [one.id for one in sections_starting_at(outline, 5)] == ["o", "i"]
    assert list(sections_starting_at(outline, 6)) == []
    text = hover_text(outline, list(sections_starting_at(outline, 5)), markdown=True)
    assert text.index("the error") < text.index("the hour")
    assert "lines 5 to 7 (3 lines, 30 bytes)" in text
    assert "- severity: error\n- counts: a 1" in text
    assert text.endswith("still being scanned.")
    assert "\\" not in hover_text(outline, [inner], markdown=False)
