"""Lines: ended by LF, CRLF or a lone CR, counted the same however the bytes come."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import cut, lines_of, starts_of, texts

from milepost.core.lines import BUCKET_BYTES, LineIndex, count_line_ends, line_end_offsets, line_starts
from milepost.core.source import BytesSource
from milepost.errors import FileChanged, OutOfRange


def index_of(*parts: bytes) -> LineIndex:
    index = LineIndex()
    for part in parts:
        index.feed(part)
    return index


@pytest.mark.parametrize(
    ("data", "total_lines", "lone_cr", "line_ending"),
    [
        (b"", 0, 0, "none"),
        (b"a", 1, 0, "none"),
        (b"a\n", 1, 0, "lf"),
        (b"a\nb", 2, 0, "lf"),
        (b"a\r\nb\r\n", 2, 0, "crlf"),
        (b"a\rb\r", 2, 2, "cr"),
        (b"a\rb\r\nc\n", 3, 1, "mixed"),
        (b"\r\r\n\n", 3, 1, "mixed"),
        ("a\fb\vc\x85d\u2028e\n".encode(), 1, 0, "lf"),
    ],
)
def test_only_lf_crlf_and_lone_cr_end_a_line(data: bytes, total_lines: int, lone_cr: int, line_ending: str) -> None:
    index = index_of(data)
    assert (index.total_lines, index.lone_cr, index.line_ending) == (total_lines, lone_cr, line_ending)
    assert count_line_ends(data) == index.line_ends == total_lines - (data[-1:] not in (b"", b"\n", b"\r"))


@given(texts, st.lists(st.integers(0, 200)))
def test_the_counts_are_those_of_a_plain_split_whatever_the_cuts(data: bytes, cuts: list[int]) -> None:
    index = index_of(*cut(data, cuts))
    lines = lines_of(data)
    assert index.total_lines == len(lines)
    assert index.lone_cr == sum(line.endswith(b"\r") for line in lines)
    source = BytesSource("text", data)
    assert [index.offset_of_line(line, source) for line in range(1, len(lines) + 1)] == starts_of(data)
    held = [index.line_at_offset(offset, source) for offset in range(len(data))]
    assert held == [number for number, line in enumerate(lines, 1) for _ in line]
    assert line_starts(data).tolist() == starts_of(data)


@given(texts, st.integers(0, 200))
def test_line_ends_of_a_part_depend_on_the_byte_that_follows_it(data: bytes, place: int) -> None:
    place %= len(data) + 1
    following = data[place] if place < len(data) else None
    ends = [offset - 1 for offset in starts_of(data)[1:]]
    if data[-1:] in (b"\n", b"\r"):
        ends.append(len(data) - 1)
    expected = [end for end in ends if end < place]
    assert line_end_offsets(data[:place], following).tolist() == expected
    assert count_line_ends(data[:place], following) == len(expected)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("shift", [-2, -1, 0, 1])
def test_a_line_end_at_the_edge_of_a_bucket_counts_once(end: bytes, shift: int) -> None:
    first = b"x" * (BUCKET_BYTES + shift - 1) + end
    data = first + b"second" + end + b"third"
    for step in (1 << 20, BUCKET_BYTES, BUCKET_BYTES - 1, 40_000):
        index = index_of(*(data[low : low + step] for low in range(0, len(data), step)))
        source = BytesSource("text", data)
        assert index.total_lines == 3
        assert index.offset_of_line(2, source) == len(first)
        assert index.line_at_offset(len(first) - 1, source) == 1
        assert index.line_at_offset(len(first), source) == 2


def test_many_buckets_of_all_densities() -> None:
    data = b"".join(
        [b"\n" * 200_000, b"y" * 300_000, b"\r\n" * 100_000, b"\r" * 70_000, b"word and word\n" * 30_000, b"end"]
    )
    index = index_of(data)
    starts = starts_of(data)
    source = BytesSource("text", data)
    assert index.total_lines == len(starts)
    for line in range(1, len(starts) + 1, 997):
        assert index.offset_of_line(line, source) == starts[line - 1]
        assert index.line_at_offset(starts[line - 1], source) == line


@given(texts, texts)
def test_a_copy_goes_on_by_itself(head: bytes, tail: bytes) -> None:
    index = index_of(head)
    before = index.total_lines
    for other in (index.copy(), copy.deepcopy(index)):
        other.feed(tail)
        assert other.total_lines == len(lines_of(head + tail))
    assert index.total_lines == before


def test_no_such_line_no_such_byte() -> None:
    index, source = index_of(b"a\nb\n"), BytesSource("notes.txt", b"a\nb\n")
    with pytest.raises(OutOfRange, match=r"no line 3 in notes\.txt: it has 2"):
        index.offset_of_line(3, source)
    with pytest.raises(OutOfRange):
        index.offset_of_line(0, source)
    with pytest.raises(OutOfRange, match=r"no byte 4 in notes\.txt: it has 4"):
        index.line_at_offset(4, source)


def test_other_bytes_than_were_fed_are_a_changed_file() -> None:
    index = index_of(b"a\nb\nc\n")
    with pytest.raises(FileChanged):
        index.offset_of_line(3, BytesSource("text", b"abcdef"))
    with pytest.raises(FileChanged):
        index.offset_of_line(3, BytesSource("text", b"a\n"))
