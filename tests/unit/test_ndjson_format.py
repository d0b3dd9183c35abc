"""The NDJSON scanner against Python's `json`, line by line: every record counted, every bad one named."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from json_cases import blocks, check_ranges, in_blocks, scanned, values
from naive import lines_of

from milepost.core.detect import sample_of
from milepost.core.formats.ndjson import FORMAT, NdjsonScanner, scanner
from milepost.core.outline import Section, walk
from milepost.core.scan import PIECE_BYTES, Context, End, Findings, Scan
from milepost.core.source import BytesSource


def outline(data: bytes) -> Findings:
    """What the scanner finds in a whole file."""
    return scanned(NdjsonScanner, data)


def bad_lines(data: bytes) -> list[int]:
    """The lines that hold something which is no JSON value, by Python's `json`."""
    bad = []
    for number, line in enumerate(lines_of(data), 1):
        if line.strip(b" \t\r\n"):
            try:
                json.loads(line.decode(), parse_constant=_refuse)
            except ValueError:
                bad.append(number)
    return bad


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


records = values.map(lambda value: json.dumps(value).encode())
#: Records, blank lines, and lines that a lenient reader lets pass.
lines = st.one_of(
    records,
    records,
    st.sampled_from([b"", b"  ", b'{"a":', b"1}", b"{} {}", b"[1,", b'"x', b"nul", b"{'a': 1}", b"\xff", b'{"a":NaN}']),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(lines, max_size=30),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
    st.booleans(),
    st.lists(st.integers(0, 3000), max_size=8),
)
def test_any_lines_at_any_block_edge(parts: list[bytes], line_end: bytes, ended: bool, cuts: list[int]) -> None:
    data = line_end.join(parts) + (line_end if ended else b"")
    found = outline(data)
    if data:
        check_ranges_of_lines(found.sections, data)
    expected = bad_lines(data)
    assert [problem.line for problem in found.problems] == expected
    assert found.facts["bad_records"] == len(expected)
    assert found.facts["records"] == sum(1 for line in lines_of(data) if line.strip(b" \t\r\n"))
    assert [section.facts["line"] for section in found.sections if section.kind == "error"] == expected
    assert in_blocks(NdjsonScanner, data, cuts) == found


def check_ranges_of_lines(sections: tuple[Section, ...], data: bytes) -> None:
    """Sections are whole lines and join to the whole file."""
    starts = [0]
    for line in lines_of(data):
        starts.append(starts[-1] + len(line))
    at = 0
    for section in sections:
        assert (section.start_byte, section.end_byte) == (starts[section.start_line - 1], starts[section.end_line])
        assert section.start_byte == at
        at = section.end_byte
    assert at == len(data)


def test_runs_fields_and_times_of_many_records() -> None:
    rows = [
        {"ts": f"2026-11-30T10:{n // 600:02}:{n // 10 % 60:02}Z", "type": "ab"[n % 2], "n": n} for n in range(20_000)
    ]
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    found = outline(data)
    assert sum(section.count for section in found.sections) == found.facts["records"] == 20_000
    assert found.sections[1].title == "records 500 … 999: 2026-11-30T10:00:50Z … 2026-11-30T10:01:39Z"
    assert found.sections[1].facts["shape"] == {"ts": "string", "type": "string", "n": "number"}
    assert found.facts["fields"]["type"]["type"] == "string"
    assert set(found.facts["fields"]["type"]["values"]) == {"a", "b"}
    assert found.facts["kind_field"] == "type"
    assert found.facts["fields_from"].startswith("a sample, ")
    for section in (found.sections[0], found.sections[7]):
        inside = expanded(data, section)
        assert sum(one.count for one in inside) == section.count
        held = [json.loads(line) for line in data[section.start_byte : section.end_byte].splitlines()]
        assert held == rows[section.facts["first"] : section.facts["last_index"] + 1]
        assert inside[0].title.startswith(f"records {section.facts['first']:,} … ")


def expanded(data: bytes, section: Section) -> tuple[Section, ...]:
    """What a scan of nothing but the range of a section finds."""
    context = Context(
        start_byte=section.start_byte,
        start_line=section.start_line,
        total_bytes=section.end_byte - section.start_byte,
        resume=dict(section.resume or {}),
    )
    scan = Scan(
        BytesSource("x", data),
        scanner(context),
        start_byte=section.start_byte,
        start_line=section.start_line,
        end_byte=section.end_byte,
    )
    scan.run()
    return scan.result().findings.sections


def test_a_record_expands_to_its_members() -> None:
    data = b'{"a": 1}\n{"b": [1, 2],\t"c": {"d": null}}\n'
    inside = expanded(data, outline(data).sections[1])
    assert [(one.title, one.start_byte, one.end_byte) for one in inside] == [("b", 9, 23), ("c", 23, 41)]


def test_a_bad_record_is_one_node_with_its_line() -> None:
    good = b'{"id": 1}\n' * 3_000
    data = good + b'{"id": "2\n' + b"\n" + good + b"[1 2]\n" + good
    found = outline(data)
    bad = [section for section in found.sections if section.kind == "error"]
    assert [(section.start_line, section.weight) for section in bad] == [(3_001, 0.85), (6_003, 0.85)]
    assert bad[0].title == "record 3,000: the record breaks off"
    assert bad[1].title == "record 6,001: expected ',' or ']', found 2"
    assert sum(section.count for section in found.sections) == 9_002


def test_sorts_of_record_that_lie_apart_are_not_mixed() -> None:
    data = b'{"kind":"user","id":1}\n' * 700 + b'{"kind":"order","id":1}\n' * 900
    found = outline(data)
    edges = [section.start_line for section in found.sections]
    assert 701 in edges


def test_a_record_longer_than_a_block_is_read_inside() -> None:
    long = {"name": "dump", "rows": [{"n": number, "text": "x" * 80} for number in range(100_000)]}
    data = b'{"name": "before"}\n' + json.dumps(long).encode() + b'\n{"name": "after"}\n'
    assert len(data) > 2 * PIECE_BYTES
    found = outline(data)
    assert [section.title for section in found.sections] == ["record 0: before", "record 1: dump", "record 2: after"]
    assert [child.title for child in found.sections[1].children] == ["name", "rows"]
    assert found.sections[1].children[1].digest.startswith("array of 100,000 objects")
    check_ranges(found.sections, data)
    broken = outline(data[:9_000_000] + b"\n{}\n")
    assert [(section.kind, section.start_line) for section in broken.sections] == [
        ("record", 1),
        ("error", 2),
        ("record", 3),
    ]


def test_an_asked_copy_leaves_the_scan_as_it_was() -> None:
    data = b"".join(b'{"n": %d}\n' % number for number in range(60_000))
    one = NdjsonScanner(Context(total_bytes=len(data)))
    for block in blocks(data, [100_000, 350_001]):
        one.feed(block)
        middle = copy.deepcopy(one).finish(End(block.end, data[: block.end].count(b"\n") + 1))
        assert middle.sections[-1].end_byte == block.end
    assert one.finish(End(len(data), 60_000)) == outline(data)


SNIFFED: list[tuple[str, list[Any], float, float]] = [
    ("named.json", [{"a": 1}, {"a": 2}], 0.9, 1.0),
    ("app.log", [{"time": "2026-11-30T10:00:00Z", "level": "info", "msg": "up"}] * 3, 0.6, 0.6),
    ("one.jsonl", [{"a": 1}], 0.9, 1.0),
    ("one.txt", [{"a": 1}], 0.0, 0.0),
    ("prose.txt", [], 0.0, 0.0),
]


@pytest.mark.parametrize("name, rows, low, high", SNIFFED, ids=[case[0] for case in SNIFFED])
def test_recognition(name: str, rows: list[Any], low: float, high: float) -> None:
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows) or b"Some words.\nMore words.\n"
    assert low <= FORMAT.sniff(sample_of(BytesSource(name, data), name)) <= high


def test_log_records_are_marked_as_such() -> None:
    row = {"time": "2026-11-30T10:00:00Z", "level": "warn", "message": "slow"}
    assert outline(json.dumps(row).encode() + b"\n").facts["log"] is True
    assert "log" not in outline(b'{"a": 1}\n').facts


def test_every_section_is_named(corpus: Any) -> None:
    for path in sorted((corpus / "plaso-logs" / "jsonl").glob("*.jsonl")):
        assert all(section.title.strip() for section in walk(outline(path.read_bytes()).sections)), path
