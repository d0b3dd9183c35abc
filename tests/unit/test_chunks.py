"""Chunk plans: cover every byte, keep their size, cut where a person would."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import lines_of, texts

from milepost.core.chunks import ChunkPlan, plan_chunks, verify_plan
from milepost.core.encoding import Encoding, TranscodedSource
from milepost.core.lines import LineIndex
from milepost.core.source import BytesSource, open_source
from milepost.errors import Cancelled, FileChanged, InvalidParams


def plan_of(data: bytes, target_bytes: int = 180_000) -> ChunkPlan:
    plan = plan_chunks(BytesSource("text", data), target_bytes=target_bytes)
    check(plan, data)
    return plan


def check(plan: ChunkPlan, data: bytes) -> None:
    """Covers the file without gap or overlap, sizes as promised, lines as counted."""
    assert plan.byte_count == len(data)
    edges = [chunk.start_byte for chunk in plan.chunks] + [len(data)] * bool(data)
    assert edges == [0] * bool(data) + [chunk.end_byte for chunk in plan.chunks]
    sizes = [chunk.end_byte - chunk.start_byte for chunk in plan.chunks]
    assert all(0 < size <= plan.target_bytes * 1.2 for size in sizes)
    assert all(size >= plan.target_bytes * 0.8 for size in sizes[:-1])


@given(texts, st.integers(16, 60))
def test_any_text_is_covered_and_its_lines_numbered(data: bytes, target_bytes: int) -> None:
    plan = plan_of(data, target_bytes)
    line_of_byte = [number for number, line in enumerate(lines_of(data), 1) for _ in line]
    assert plan.line_count == (line_of_byte[-1] if data else 0)
    for chunk in plan.chunks:
        assert chunk.start_line == line_of_byte[chunk.start_byte]
        assert chunk.end_line == line_of_byte[chunk.end_byte - 1]


@given(st.text(st.sampled_from("a🌍é€\n "), min_size=1, max_size=300), st.integers(16, 40))
def test_no_cut_divides_a_character(text: str, target_bytes: int) -> None:
    for chunk in plan_of(text.encode(), target_bytes).chunks:
        text.encode()[chunk.start_byte : chunk.end_byte].decode("utf-8")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
@given(st.text(st.sampled_from("a🌍é€\n \r"), min_size=1, max_size=200), st.integers(16, 40))
def test_wide_texts_are_planned_in_offsets_of_the_file(codec: str, text: str, target_bytes: int) -> None:
    data = text.encode(codec)
    view = TranscodedSource(BytesSource("wide", data), Encoding(codec, "utf16" if "16" in codec else "utf32"))
    plan = plan_chunks(view, target_bytes=target_bytes)
    check(plan, data)
    for chunk in plan.chunks:
        before = data[: chunk.start_byte].decode(codec)  # would fail inside a character
        assert chunk.start_line == len(lines_of(before.encode() + b"x"))


def test_an_empty_file_has_no_chunk_and_a_small_one_has_one() -> None:
    assert plan_of(b"").chunks == ()
    for data in (b"x", b"no line end " * 800, b"\n", b"a\n" * 100_000):
        (chunk,) = plan_of(data).chunks
        assert (chunk.start_byte, chunk.end_byte, chunk.start_line) == (0, len(data), 1)
    assert len(plan_of(b"y" * 216_000).chunks) == 1  # a remainder is merged where it fits
    assert len(plan_of(b"y" * 216_001).chunks) == 2


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_paragraphs_stay_whole(line_end: bytes) -> None:
    paragraph = (b"A sentence of a paragraph that goes on." + line_end) * 1220
    data = (paragraph + line_end) * 21
    plan = plan_of(data)
    for chunk in plan.chunks[:-1]:
        assert data[: chunk.end_byte].endswith(line_end * 2)
        assert data[chunk.end_byte :].startswith(b"A sentence")
    assert len(plan.chunks) == 6 if line_end == b"\n" else len(plan.chunks) > 4


@pytest.mark.parametrize(
    ("body", "boundary"),
    [
        pytest.param(b"## heading\ntext\n", b"## heading", id="heading"),
        pytest.param(b"---\nkind: x\nname: y\n", b"---\n", id="YAML document"),
        pytest.param(b"[section]\nkey=value\nother=value\n", b"[section]", id="INI section"),
        pytest.param(b"diff --git a b\n--x\n+y\n z\n", b"diff ", id="diff"),
        pytest.param(b"\fpage\nline\n", b"\f", id="form feed"),
    ],
)
def test_a_cut_lies_before_a_section(body: bytes, boundary: bytes) -> None:
    filler = b"filling line of the section that is no boundary\n" * 300
    data = (body + filler) * 40
    for chunk in plan_of(data).chunks[1:]:
        assert data[chunk.start_byte :].startswith(boundary)


def test_a_cut_lies_after_a_closing_bracket_in_column_0() -> None:
    function = b"int f(void)\n{\n" + b"    call(something);\n" * 400 + b"}\n"
    data = function * 100
    for chunk in plan_of(data).chunks[:-1]:
        assert data[: chunk.end_byte].endswith(b"\n}\n")


def test_records_of_pretty_json_stay_whole() -> None:
    data = json.dumps([{"id": number, "deep": {"list": list(range(30))}} for number in range(5000)], indent=2).encode()
    for chunk in plan_of(data).chunks[1:]:
        assert data[: chunk.start_byte].endswith(b"\n  },\n")


def test_a_record_of_a_log_keeps_its_indented_continuation() -> None:
    record = b"2024-01-01 ERROR it failed\n" + b"    at some.place(File.java:10)\n" * 30
    data = record * 1000
    for chunk in plan_of(data).chunks[1:]:
        assert data[chunk.start_byte :].startswith(b"2024-01-01")


def test_one_giant_line_is_cut_by_bytes_between_records() -> None:
    data = json.dumps([{"id": number, "text": "no line end here"} for number in range(120_000)]).encode()
    assert len(data) > 5_000_000
    plan = plan_of(data)
    assert len(plan.chunks) > 20
    assert all((chunk.start_line, chunk.end_line) == (1, 1) for chunk in plan.chunks)
    assert all(data[: chunk.end_byte].endswith(b"},") for chunk in plan.chunks[:-1])
    uniform = plan_of(b"z" * 1_000_000)
    assert [chunk.end_byte for chunk in uniform.chunks] == [180_000, 360_000, 540_000, 720_000, 900_000, 1_000_000]


def test_the_same_bytes_give_the_same_plan_and_an_append_keeps_all_but_the_last_chunk() -> None:
    data = b"".join(b"%d a line of some log with words\n" % number for number in range(40_000))
    plan = plan_of(data)
    index = LineIndex()
    index.feed(data)
    assert plan_chunks(BytesSource("other name", data), index=index) == plan
    longer = plan_of(data + data)
    kept = len(plan.chunks) - 1
    assert longer.chunks[:kept] == plan.chunks[:kept]
    assert longer.hash_of_first(kept) == plan.hash_of_first(kept)
    assert longer.plan_hash != plan.plan_hash == plan.hash_of_first(len(plan.chunks))
    assert plan_of(data, 100_000).plan_hash != plan.plan_hash
    assert [plan.chunk_at(chunk.start_byte) for chunk in plan.chunks] == list(range(len(plan.chunks)))
    assert plan.chunk_at(plan.chunks[1].start_byte - 1) == 0


def test_a_plan_is_void_once_the_file_has_another_size_or_mtime(tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.write_bytes(b"line\n" * 100)
    with open_source(path) as source:
        plan = plan_chunks(source)
        verify_plan(plan, source)
        os.utime(path, ns=(0, source.state.mtime_ns + 1))
        with pytest.raises(FileChanged, match="was written since"):
            verify_plan(plan, source)
        path.write_bytes(b"line\n" * 101)
        with pytest.raises(FileChanged, match="505 bytes and had 500"):
            verify_plan(plan, source)


def test_bad_targets_and_cancelling() -> None:
    with pytest.raises(InvalidParams, match="8 bytes is too small"):
        plan_chunks(BytesSource("text", b"x"), target_bytes=8)
    with pytest.raises(Cancelled):
        plan_chunks(BytesSource("text", b"x"), should_stop=lambda: True)
