"""Ranges word for word, with an exact account of what is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import lines_of, starts_of, texts

from milepost.core.encoding import Encoding, TranscodedSource
from milepost.core.lines import BUCKET_BYTES, LineIndex
from milepost.core.reads import PathAnchor, ReadResult, parse_anchor, read_bytes, read_limit, read_lines
from milepost.core.source import BytesSource
from milepost.errors import Cancelled, InvalidParams, OutOfRange

PLENTY = 1 << 30


def source_of(data: bytes) -> BytesSource:
    return BytesSource("some.txt", data)


def index_of(data: bytes) -> LineIndex:
    index = LineIndex()
    index.feed(data)
    return index


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("a.log", PathAnchor("a.log")),
        ("a.log:12", PathAnchor("a.log", 12, 12)),
        ("a.log:3-12", PathAnchor("a.log", 3, 12)),
        ("a.log:3-", PathAnchor("a.log", 3, None)),
        ("C:\\logs\\a.log:5", PathAnchor("C:\\logs\\a.log", 5, 5)),
        ("dir:7/a.log", PathAnchor("dir:7/a.log")),
        ("a.log:x", PathAnchor("a.log:x")),
        (":12", PathAnchor(":12")),
        ("a.log:-3", PathAnchor("a.log:-3")),
    ],
)
def test_anchors_are_taken_apart(text: str, anchor: PathAnchor) -> None:
    assert parse_anchor(text) == anchor


def test_a_file_whose_name_ends_like_an_anchor_wins(tmp_path: Path) -> None:
    path = tmp_path / "notes:12"
    path.write_bytes(b"x")
    assert parse_anchor(str(path)) == PathAnchor(str(path))
    assert parse_anchor(f"{path}:3") == PathAnchor(str(path), 3, 3)
    assert parse_anchor("a.log:12", allow_suffix=False) == PathAnchor("a.log:12")


@pytest.mark.parametrize("text", ["a.log:0", "a.log:9-3", "a.log:0-"])
def test_anchors_that_cannot_be(text: str) -> None:
    with pytest.raises(InvalidParams):
        parse_anchor(text)


@given(texts, st.integers(1, 12), st.integers(0, 12), st.booleans())
def test_lines_are_those_of_a_plain_split(data: bytes, start: int, more: int, indexed: bool) -> None:
    lines, source = lines_of(data), source_of(data)
    index = index_of(data) if indexed else None
    if start > max(1, len(lines)):
        with pytest.raises(OutOfRange, match=rf"some\.txt has {len(lines)} lines; line {start} is past its end"):
            read_lines(source, start, start + more, max_bytes=PLENTY, index=index)
        return
    wanted = b"".join(lines[start - 1 : start + more])
    result = read_lines(source, start, start + more, max_bytes=PLENTY, index=index)
    assert result.content == wanted == data[result.start_byte : result.end_byte]
    assert (result.start_line, result.end_line) == (start, min(len(lines), start + more))
    assert (result.truncated, result.omitted_bytes, result.next_byte, result.next_line) == (False, 0, None, None)
    assert result.total_lines in ((len(lines),) if indexed else (len(lines), None))
    assert read_limit(source, start, more + 1, max_bytes=PLENTY, index=index) == result
    assert read_limit(source, start, max_bytes=PLENTY).content == b"".join(lines[start - 1 :])


@given(texts, st.integers(0, 30), st.booleans())
def test_reading_on_gives_the_whole_and_every_part_says_what_it_is(data: bytes, max_bytes: int, indexed: bool) -> None:
    index = index_of(data) if indexed else None
    line_of_byte = [number for number, line in enumerate(lines_of(data), 1) for _ in line]
    result = read_lines(source_of(data), max_bytes=max_bytes, index=index)
    parts = [result]
    while result.truncated and result.content:
        assert result.next_byte is not None
        result = read_bytes(source_of(data), result.next_byte, max_bytes=max_bytes, index=index)
        parts.append(result)
    offset = 0
    for part in parts:
        assert len(part.content) <= max_bytes
        assert part.start_byte == offset
        assert part.content == data[part.start_byte : part.end_byte]
        offset = part.end_byte
        assert part.omitted_bytes == len(data) - offset
        assert part.starts_line == (part.start_byte in (0, *starts_of(data)))
        if part.content:
            assert part.start_line == line_of_byte[part.start_byte]
            assert part.end_line == line_of_byte[part.end_byte - 1]
        else:
            assert part.end_line == part.start_line - 1
        if part.truncated:
            assert (part.next_byte, part.next_line) == (offset, line_of_byte[offset])
    if max_bytes >= 4:
        assert offset == len(data)


@pytest.mark.parametrize("cap", range(12))
def test_a_cap_cuts_no_character(cap: int) -> None:
    data = "a🌍b🌎c".encode()
    result = read_lines(source_of(data), max_bytes=cap)
    assert data.startswith(result.content)
    assert len(result.content) == max(size for size in (0, 1, 5, 6, 10, 11) if size <= cap)
    result.content.decode("utf-8")


def test_whole_lines_are_kept_where_they_fit() -> None:
    result = read_lines(source_of(b"first\nsecond\nthird\n"), max_bytes=15)
    assert (result.content, result.end_line, result.next_line) == (b"first\nsecond\n", 2, 3)
    assert (result.truncated, result.omitted_bytes, result.next_byte) == (True, 6, 13)
    result = read_lines(source_of(b"a\r\nb"), max_bytes=2)  # not between CR and LF, if it can be helped
    assert (result.content, result.next_line) == (b"a\r", 1)


def test_one_line_of_10_megabytes_is_clipped_and_can_be_read_on() -> None:
    data = b"head\n" + "ü".encode() * 5_000_000 + b"\ntail\n"
    result = read_lines(source_of(data), 2, 3, max_bytes=32_767)
    assert (result.start_line, result.end_line, len(result.content)) == (2, 2, 32_766)
    assert (result.next_byte, result.next_line) == (5 + 32_766, 2)
    assert result.omitted_bytes == 10_000_001 + 5 - 32_766
    following = read_bytes(source_of(data), 5 + 32_766, max_bytes=100)
    assert (following.start_line, following.end_line, following.starts_line) == (2, 2, False)
    last = read_bytes(source_of(data), len(data) - 6, max_bytes=100)
    assert (last.content, last.start_line, last.end_line, last.total_lines) == (b"\ntail\n", 2, 3, 3)


class CountingSource(BytesSource):
    """Remembers how far it was read."""

    furthest = 0

    def read_at(self, offset: int, length: int) -> bytes:
        data = super().read_at(offset, length)
        self.furthest = max(self.furthest, offset + len(data))
        return data


def test_a_small_read_near_the_head_looks_no_further_than_it_must() -> None:
    source = CountingSource("big.log", b"a line of a log\n" * 1_000_000)
    for result in (
        read_lines(source, 5, 9, max_bytes=PLENTY),
        read_lines(source, 5, max_bytes=100),
        read_limit(source, 5, 3, max_bytes=PLENTY),
        read_bytes(source, 70, 20, max_bytes=PLENTY),
    ):
        assert result.total_lines is None
        assert result.content
    assert source.furthest <= BUCKET_BYTES + 1
    assert read_lines(source, 999_999, 1_000_000, max_bytes=PLENTY).total_lines == 1_000_000


def test_an_empty_file_reads_as_nothing() -> None:
    for result in (read_lines(source_of(b""), max_bytes=10), read_bytes(source_of(b""), 0, max_bytes=10)):
        assert result == ReadResult(b"", 1, 0, 0, 0, 0, False, 0, None, None, True)
    with pytest.raises(OutOfRange, match="0 lines; line 2"):
        read_lines(source_of(b""), 2, max_bytes=10)


def test_ranges_that_cannot_be() -> None:
    source = source_of(b"a\nb\n")
    for start, end in ((0, None), (3, 2), (-1, 1)):
        with pytest.raises(InvalidParams):
            read_lines(source, start, end, max_bytes=10)
    with pytest.raises(InvalidParams):
        read_lines(source, max_bytes=-1)
    with pytest.raises(InvalidParams):
        read_limit(source, 1, 0, max_bytes=10)
    with pytest.raises(InvalidParams):
        read_bytes(source, -1, max_bytes=10)
    with pytest.raises(OutOfRange, match="has 4 bytes; byte 4 is past its end"):
        read_bytes(source, 4, max_bytes=10)
    with pytest.raises(Cancelled):
        read_lines(source, 2, max_bytes=10, should_stop=lambda: True)


@given(
    st.text(st.sampled_from("a🌍é€\n\r"), min_size=1, max_size=40),
    st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le"]),
    st.integers(4, 40),
)
def test_wide_texts_are_read_in_bytes_of_the_file(text: str, codec: str, max_bytes: int) -> None:
    data = text.encode(codec)
    view = TranscodedSource(BytesSource("wide", data), Encoding(codec, "utf16" if "16" in codec else "utf32"))
    line_of_byte = [number for number, line in enumerate(lines_of(text.encode()), 1) for _ in line]
    result = read_lines(view, max_bytes=max_bytes)
    read = result.content
    while result.truncated:
        assert result.next_byte is not None
        assert result.content.decode(codec)
        assert result.next_line == line_of_byte[len(data[: result.next_byte].decode(codec).encode())]
        result = read_bytes(view, result.next_byte, max_bytes=max_bytes)
        read += result.content
    assert read == data


def test_a_cap_cuts_no_character_of_a_legacy_encoding() -> None:
    data = "日本語テキスト".encode("cp932")
    for cap in range(len(data)):
        result = read_lines(source_of(data), max_bytes=cap, encoding=Encoding("cp932", "legacy"))
        assert len(result.content) == cap // 2 * 2
