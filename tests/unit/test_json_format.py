"""The JSON scanner against Python's `json`: the same values, whatever the block edges, and every fault by its place."""

from __future__ import annotations

import base64
import copy
import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_cases import blocks, check_ranges, in_blocks, scanned, styles, values, written

from milepost.core.analysis import Analysis
from milepost.core.detect import sample_of
from milepost.core.formats.json import FORMAT, JsonScanner
from milepost.core.outline import Section, walk
from milepost.core.scan import Block, Context, End, Findings, Scan
from milepost.core.source import BytesSource
from milepost.core.structure.json_scanner import STRETCH_BYTES


def outline(data: bytes) -> Findings:
    """What the scanner finds in a whole file."""
    return scanned(JsonScanner, data)


def member_values(sections: tuple[Section, ...], data: bytes, root: Any) -> list[Any]:
    """The values that top-level sections of a document hold, read by Python's `json` from nothing but their bytes."""
    opening, closing = (b"{", b"}") if isinstance(root, dict) else (b"[", b"]")
    found: list[Any] = []
    for position, section in enumerate(sections):
        text = data[section.start_byte : section.end_byte].strip()
        if position == 0:
            text = text.removeprefix(opening)
        if position + 1 == len(sections):
            text = text.removesuffix(closing)
        parsed = json.loads(opening + text.strip().removesuffix(b",") + closing)
        found += parsed.items() if isinstance(parsed, dict) else parsed
    return found


@settings(max_examples=150, deadline=None)
@given(values, styles, st.lists(st.integers(0, 2000), max_size=12))
def test_any_document_at_any_block_edge(value: Any, style: tuple[int | None, bool, str], cuts: list[int]) -> None:
    data = written(value, style)
    found = outline(data)
    assert found.problems == ()
    check_ranges(found.sections, data)
    assert in_blocks(JsonScanner, data, cuts) == found
    if isinstance(value, (dict, list)) and value:
        items = list(value.items()) if isinstance(value, dict) else value
        assert member_values(found.sections, data, value) == items


@settings(max_examples=150, deadline=None)
@given(
    values, st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=3)), max_size=3), st.lists(st.integers(0, 400))
)
def test_broken_documents_are_covered_and_judged_as_python_does(
    value: Any, edits: list[tuple[int, bytes]], cuts: list[int]
) -> None:
    data = written(value, (None, False, "\n"))
    for place, text in edits:
        place %= len(data) + 1
        data = data[:place] + text + data[place + 1 :]
    found = outline(data)
    if data:
        assert found.sections[0].start_byte == 0
        assert found.sections[-1].end_byte == len(data)
    assert all(
        left.end_byte == right.start_byte for left, right in zip(found.sections, found.sections[1:], strict=False)
    )
    try:
        json.loads(data.decode(), parse_constant=_refuse)
        is_valid = True
    except (ValueError, RecursionError):
        is_valid = False
    assert is_valid == (found.problems == ())
    assert in_blocks(JsonScanner, data, cuts) == found


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


FAULTS = [
    (b'{"a": 1,\n "b": [1 2]}', "expected ',' or ']', found 2", 2, 18),
    (b'[1, 2,\n]', "trailing comma before ']'", 2, 7),
    (b'{"a": NaN}', "NaN is not a JSON value", 1, 6),
    (b"[01]", "invalid number 01", 1, 1),
    (b'["a\tb"]', "control character 0x09 in a string", 1, 3),
    (b'["\\x41"]', "invalid escape \\x in a string", 1, 2),
    (b'["\xff"]', "byte 0xFF is not UTF-8", 1, 2),
    (b'{"a": 1}}', "'}' closes nothing: nothing is open", 1, 8),
    (b'{"a": [1}', "'}' closes nothing: '[' is open", 1, 8),
    (b'{a: 1}', "key without quotes: a", 1, 1),
    (b'{"a" 1}', "expected ':', found 1", 1, 5),
    (b'{"a": 1} x', "after the end of the document: x", 1, 9),
    (b'// settings\n{"a": "http://x"}', "comments are not part of JSON", 1, 0),
    (b'{"a": [1, 2', "truncated at byte 11, 2 levels deep: expected ',' or ']'", 1, 11),
    (b'{"a": "b', "truncated at byte 8 inside a string: expected a value after ':'", 1, 8),
    (b"", "there is no JSON value in this file", 1, 0),
]  # fmt: skip


@pytest.mark.parametrize("data, message, line, byte", FAULTS, ids=[fault[1] for fault in FAULTS])
def test_faults_are_named_with_their_place(data: bytes, message: str, line: int, byte: int) -> None:
    assert [(problem.message, problem.line, problem.byte) for problem in outline(data).problems] == [
        (message, line, byte)
    ]


def test_what_follows_a_fault_is_one_section() -> None:
    data = b'{\n  "good": 1,\n  "bad": [1, 2 3],\n  "rest": {}\n}\n'
    found = outline(data)
    assert [(section.title, section.start_line, section.end_line) for section in found.sections] == [
        ("good", 1, 2),
        ("bad", 3, 3),
        ("not parsed: expected ',' or ']', found 3", 3, 5),
    ]
    assert found.sections[-1].kind == "error"


def test_comments_and_trailing_commas_are_flagged_and_outlined() -> None:
    data = b'{\n  // a "quoted" [word]\n  "a": [1, 2,], /* } */\n  "b": "//no comment",\n}\n'
    found = outline(data)
    assert [section.title for section in found.sections] == ["a", "b"]
    assert [problem.line for problem in found.problems] == [2, 3]  # the first of each sort


def test_columns_in_a_one_line_file() -> None:
    data = '{"é🌍":1,"b":[true,"x"]}'.encode()
    found = outline(data)
    assert [(section.title, section.start_column, section.end_column) for section in found.sections] == [
        ("é🌍", None, 9),
        ("b", 9, None),
    ]
    assert [child.start_column for child in found.sections[1].children] == [14, 19]


def test_a_large_flat_array_is_grouped_and_every_group_expands() -> None:
    elements = [{"name": f"n{number}", "tags": ["a", "]"]} for number in range(20_000)]
    data = json.dumps(elements).encode()
    found = outline(data)
    assert found.facts["members"] == 20_000
    assert len(found.sections) <= 256
    assert sum(section.count for section in found.sections) == 20_000
    assert found.sections[1].title == "[500 … 999] n500 … n999"
    assert found.sections[1].facts["shape"] == {"name": "string", "tags": "array"}
    assert member_values(found.sections, data, elements) == elements
    for group in (found.sections[0], found.sections[1], found.sections[-1]):
        first = group.facts["first"]
        members = leaves(data, group)
        assert [value for member in members for value in part(data, member)] == elements[first : first + 500]
        assert members[3].facts["path"] == f".[{first + 3}]"


def leaves(data: bytes, group: Section) -> list[Section]:
    """All single members in a group, by expanding what is in it as often as it takes."""
    found: list[Section] = []
    for section in group.children if group.resume is None else expanded(data, group):
        found += leaves(data, section) if section.kind == "group" else [section]
    return found


def expanded(data: bytes, group: Section) -> tuple[Section, ...]:
    """What a scan of nothing but the range of a group finds."""
    context = Context(
        start_byte=group.start_byte,
        start_line=group.start_line,
        total_bytes=group.end_byte - group.start_byte,
        resume=dict(group.resume or {}),
    )
    scan = Scan(
        BytesSource("x", data),
        JsonScanner(context),
        start_byte=group.start_byte,
        start_line=group.start_line,
        starts_line=group.start_column is None,
        end_byte=group.end_byte,
    )
    scan.run()
    inside = scan.result().findings.sections
    assert (inside[0].start_byte, inside[-1].end_byte) == (group.start_byte, group.end_byte)
    assert (inside[0].start_column, inside[-1].end_column) == (group.start_column, group.end_column)
    return inside


def part(data: bytes, member: Section) -> list[Any]:
    """The values in the range of a section among the elements of a root array."""
    text = data[member.start_byte : member.end_byte].strip()
    text = text.removeprefix(b"[") if member.start_byte == 0 else text
    text = text.removesuffix(b"]") if member.end_byte == len(data) else text
    parsed: list[Any] = json.loads(b"[" + text.strip().removesuffix(b",") + b"]")
    return parsed


def test_random_elements_of_a_larger_document_are_where_the_outline_says() -> None:
    chance = random.Random(7)
    rows = [{"id": number, "text": "x" * chance.randrange(40), "at": [number, {"b": "}"}]} for number in range(90_000)]
    document = {"meta": {"count": len(rows)}, "rows": rows, "by_id": {f"k{row['id']}": row["at"] for row in rows}}
    data = json.dumps(document, indent=chance.choice([None, 1])).encode()
    assert len(data) > 2 * STRETCH_BYTES
    found = outline(data)
    by_path = {section.facts["path"]: section for section in walk(found.sections) if section.kind != "group"}
    groups = [section for section in walk(found.sections) if section.kind == "group"]
    checked = 0
    for group in groups:
        first = group.facts["first"]
        inside = json.loads(closed(data, group))
        count = group.facts["last_index"] - first + 1
        if group.facts["path"] == ".rows":
            assert inside == rows[first : first + count]
        elif group.facts["path"] == ".by_id":
            assert inside == {f"k{row['id']}": row["at"] for row in rows[first : first + count]}
        checked += count
    assert checked > 5_000
    assert by_path[".meta"].digest == "object, 16 bytes, 1 key: count" or by_path[".meta"].facts["members"] == 1


def closed(data: bytes, group: Section) -> bytes:
    """A run of members as a document of its own."""
    text = data[group.start_byte : group.end_byte].strip().rstrip(b",")
    return b"{" + text + b"}" if (group.resume or {})["within"] == "{" else b"[" + text + b"]"


def test_nesting_ends_at_a_cap_and_fast() -> None:
    started = time.process_time()
    found = outline(b"[" * 100_000)
    assert time.process_time() - started < 1
    assert found.problems[0].message == "nested deeper than 900 levels"
    assert found.sections[-1].kind == "error"


def test_large_strings_are_told_by_what_they_are_and_their_size() -> None:
    blob = base64.b64encode(random.Random(1).randbytes(3_000_000)).decode()
    data = json.dumps(
        {"photo": "data:image/png;base64," + blob, "raw": blob, "essay": "Once upon a time. " * 90_000}
    ).encode()
    assert [section.digest[:40] for section in outline(data).sections] == [
        "image/png in base64, 4.0 MB",
        "base64 string, 4.0 MB",
        "string, 1.6 MB: Once upon a time. Once u",
    ]


KINDS: list[tuple[dict[str, Any] | list[Any], str, list[str]]] = [
    (
        {
            "openapi": "3.1.0",
            "info": {"title": "Pets"},
            "paths": {"/pets": {"get": {"summary": "List pets"}, "post": {}}},
        },
        "OpenAPI 3.1.0: Pets, 1 paths",
        ["/pets", "GET /pets — List pets", "POST /pets"],
    ),
    (
        {
            "type": "FeatureCollection",
            "features": [{"type": "Feature", "geometry": None, "properties": {"ADMIN": "Peru"}}],
        },
        "GeoJSON, 1 features",
        ["[0] Peru"],
    ),
    ([{"ph": "X", "ts": 5, "name": "paint", "pid": 1, "tid": 2}], "trace, 1 events", ["[0] X paint"]),
    (
        {"log": {"entries": [{"request": {"method": "GET", "url": "http://a/"}, "response": {"status": 404}}]}},
        "HTTP archive",
        ["[0] GET 404 http://a/"],
    ),
    (
        {"nbformat": 4, "cells": [{"cell_type": "code", "source": ["import os\n", "x"]}]},
        "notebook, 1 cells",
        ["[0] code: import os"],
    ),
    (
        {"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1.2.3"}}},
        "lock file, 1 packages",
        ["node_modules/a 1.2.3"],
    ),
    (
        {"version": 3, "sources": ["a.ts"], "sourcesContent": ["let a"], "mappings": "AAAA", "file": "a.js"},
        "source map of a.js, 1 sources",
        ["[0] a.ts"],
    ),
]


@pytest.mark.parametrize("document, title, inner", KINDS, ids=[kind[1] for kind in KINDS])
def test_known_kinds_get_the_titles_their_readers_expect(document: Any, title: str, inner: list[str]) -> None:
    found = outline(json.dumps(document, indent=1).encode())
    assert found.facts["title"] == title
    titles = [section.title for section in walk(found.sections)]
    assert [wanted for wanted in inner if wanted not in titles] == []


def test_parts_of_a_known_kind_are_called_the_same_when_expanded() -> None:
    operation = {"summary": "Read it", "description": "x" * 300}
    paths = {f"/things/{number}": {"get": operation, "put": operation} for number in range(3_000)}
    data = json.dumps({"openapi": "3.1.0", "info": {"title": "Things"}, "paths": paths}).encode()
    groups = [section for section in walk(outline(data).sections) if section.kind == "group" and section.resume]
    inside = expanded(data, groups[5])
    assert {section.kind for section in inside if section.kind != "group"} | {
        str(section.facts["of"]) for section in inside if section.kind == "group"
    } <= {"path", "object"}
    singles = [one for section in inside for one in ([section] if section.kind == "path" else section.children)]
    assert singles[0].children[0].title == f"GET {singles[0].title} — Read it"


def test_an_asked_copy_leaves_the_scan_as_it_was() -> None:
    data = json.dumps([{"name": "x" * 50, "n": [number]} for number in range(40_000)], indent=1).encode()
    scanner = JsonScanner(Context(total_bytes=len(data)))
    for block in blocks(data, [900_000, 1_700_000, 2_000_001]):
        scanner.feed(block)
        middle = copy.deepcopy(scanner).finish(End(block.end, 1))
        assert middle.sections[-1].end_byte == block.end
    assert scanner.finish(End(len(data), data.count(b"\n") + 1)).sections == outline(data).sections


def test_an_unterminated_trace_is_outlined() -> None:
    events = [{"name": f"task{number}", "ph": "X", "ts": number, "pid": 1, "tid": 1} for number in range(3_000)]
    data = (json.dumps({"traceEvents": events})[:-2] + ',\n{"name": "hal').encode()
    found = outline(data)
    assert found.facts["title"] == "trace, 3,001 events"
    assert found.problems[0].message.startswith(f"truncated at byte {len(data)} inside a string")


@pytest.mark.parametrize("max_nodes", [400, 5000])
def test_the_number_of_nodes_is_kept(max_nodes: int) -> None:
    rows = [{"small": 1} if number % 2 else {"large": list(range(300))} for number in range(6_000)]
    data = json.dumps({"rows": rows, "more": {f"k{number}": row for number, row in enumerate(rows)}}).encode()
    found = scanned(JsonScanner, data, Context(total_bytes=len(data), max_nodes=max_nodes))
    assert sum(1 for _ in walk(found.sections)) <= max_nodes
    check_ranges(found.sections, data)


@pytest.mark.corpus
def test_json_test_suite(corpus: Path) -> None:
    wrong = []
    for path in sorted((corpus / "JSONTestSuite" / "test_parsing").glob("*.json")):
        data = path.read_bytes()
        started = time.process_time()
        is_clean = outline(data).problems == ()
        if (path.name[0] == "y" and not is_clean) or (path.name[0] == "n" and is_clean):
            wrong.append(path.name)
        assert time.process_time() - started < 1.5, path.name
    assert wrong == []


@pytest.mark.parametrize(
    "name, head, sure",
    [
        ("a", b'{"a": [1, 2]}', True),
        ("a.log", b"[2026-11-30 10:00:00] INFO started\n[2026-11-30 10:00:01] WARN slow\n", False),
        ("a.json", b'{"a": 1}\n{"a": 2}\n', False),
        ("a.txt", b"{ indented prose }", False),
        ("broken.json", b'{"a" 1}', True),
    ],
)
def test_recognition(name: str, head: bytes, sure: bool) -> None:
    assert (FORMAT.sniff(sample_of(BytesSource(name, head), name)) >= 0.5) is sure


@pytest.mark.parametrize(
    "name, text, found",
    [
        ("a.json", b'"no end', "json"),
        ("a.json", b"123 456\n", "json"),
        ("a.json", b"<nothing>", "json"),
        ("a.json", b"[1, 2]]\n", "json"),
        ("a.json", b"true story\nof two lines\n", "json"),
        ("a.json", b"Once upon a time\nthere was a file.\n", "text"),
        ("a.json", b"<html><body><p>502 Bad Gateway</p></body></html>", "xml"),
        ("a.json", b" \n", "text"),
        ("a.json", b"", "text"),
        ("a.txt", b'"no end', "text"),
    ],
)
def test_a_name_decides_where_nothing_else_does(name: str, text: bytes, found: str) -> None:
    analysis = Analysis(BytesSource(name, text))
    outlined = analysis.outline()
    assert outlined.format == found
    assert bool(outlined.problems) or found != "json"


def test_a_block_may_begin_inside_a_character() -> None:
    data = '["🌍🌍🌍"]'.encode()
    scanner = JsonScanner(Context(total_bytes=len(data)))
    for at in range(len(data)):
        scanner.feed(Block(at, 1, data[at : at + 1], at == 0, False))
        scanner.settle()
    assert scanner.finish(End(len(data), 1)) == outline(data)
