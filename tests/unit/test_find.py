"""Find: line by line, exact places, the same whatever the blocks, never hung by a pattern."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import lines_of, texts

from milepost.core.encoding import UTF8, Encoding, TranscodedSource
from milepost.core.find import TEXT_BYTES, FindResult, find
from milepost.core.source import BytesSource
from milepost.errors import Cancelled, InvalidParams, OutOfRange

PLENTY = 1 << 20


def found(data: bytes, pattern: str, *, max_hits: int = PLENTY, block_bytes: int = 64, **options: bool) -> FindResult:
    return find(BytesSource("text", data), pattern, max_hits=max_hits, block_bytes=block_bytes, **options)


def places(result: FindResult) -> list[tuple[int, int, int]]:
    return [(hit.start_line, hit.start_byte, hit.end_byte) for hit in result.hits]


def naive_places(data: bytes, expression: re.Pattern[bytes]) -> list[tuple[int, int, int]]:
    """Leftmost longest is leftmost for the expressions used here."""
    expected = []
    offset = 0
    for number, line in enumerate(lines_of(data), 1):
        match = expression.search(line.rstrip(b"\r\n"))
        if match:
            expected.append((number, offset + match.start(), offset + match.end()))
        offset += len(line)
    return expected


@settings(deadline=None)
@given(texts, st.sampled_from(["a", "ERROR", "é", "🌍", "b ", "\f", "\u2028", "\udcff", "\x00"]), st.integers(20, 90))
def test_a_text_is_found_where_a_plain_search_finds_it(data: bytes, pattern: str, block_bytes: int) -> None:
    expression = re.compile(re.escape(pattern.encode("utf-8", "surrogateescape")))
    result = found(data, pattern, block_bytes=block_bytes)
    assert places(result) == naive_places(data, expression)
    assert (result.next_byte, result.next_line, result.examined_bytes) == (None, None, len(data))
    assert result.last_line == len(lines_of(data))
    lines = dict(enumerate(lines_of(data), 1))
    for hit in result.hits:
        assert data[hit.line_start_byte : hit.line_end_byte] == lines[hit.start_line]
        assert hit.text == lines[hit.start_line].rstrip(b"\r\n")
        assert (hit.end_line, hit.text_start_byte) == (hit.start_line, hit.line_start_byte)


# Of these the leftmost match is the longest one too, as hyperscan's and re's views of one agree on.
EXPRESSIONS = [
    r"a+", r"^a", r"a$", r"^$", r"a*", r"ERROR.*b", r"^ERROR|^b", r"a\s+b", r"[^a]+", r"\bERROR\b", r"\s$", r"(a|b)+ ",
    r"b{2,3}", r"R.?a", r"^[ab]*$", r".$",
]  # fmt: skip

valid_texts = st.lists(
    st.sampled_from(["a", "b", "ERROR", " ", "\n", "\r", "\r\n", "\n\n", "\f", "\0"]), max_size=40
).map(lambda pieces: "".join(pieces).encode())


@settings(deadline=None, max_examples=300)
@given(valid_texts, st.sampled_from(EXPRESSIONS))
def test_an_expression_is_found_where_re_finds_it_in_each_line(data: bytes, expression: str) -> None:
    # In one block: `$` and long matches in lines longer than a block are a matter of their own.
    result = found(data, expression, regex=True, block_bytes=4096)
    assert places(result) == naive_places(data, re.compile(expression.encode(), re.DOTALL))


@settings(deadline=None)
@given(valid_texts, st.sampled_from(EXPRESSIONS), st.integers(1, 5))
def test_going_on_from_the_last_hit_gives_the_same_hits(data: bytes, expression: str, max_hits: int) -> None:
    every = found(data, expression, regex=True, block_bytes=4096).hits
    start, line, collected = 0, 1, []
    while True:
        part = find(
            BytesSource("text", data), expression, regex=True, start_byte=start, first_line=line, max_hits=max_hits
        )
        collected.extend(part.hits)
        if part.next_byte is None or part.next_line is None:
            break
        assert len(part.hits) == max_hits
        assert part.last_line is None
        start, line = part.next_byte, part.next_line
    assert tuple(collected) == every


@settings(deadline=None)
@given(valid_texts, st.sampled_from(["a+", "ERROR", r"\bb", "a b"]), st.integers(20, 90))
def test_blocks_do_not_matter(data: bytes, expression: str, block_bytes: int) -> None:
    assume(max(map(len, lines_of(data)), default=0) < block_bytes)
    whole = found(data, expression, regex=True, block_bytes=4096)
    assert found(data, expression, regex=True, block_bytes=block_bytes) == whole


def test_odd_separators_end_no_line() -> None:
    data = "one\ftwo\vthree\x85four\u2028five\nsix\rseven\r\neight".encode()
    assert [hit.start_line for hit in found(data, "i").hits] == [1, 2, 4]
    assert [hit.start_line for hit in found(data, "seven").hits] == [3]
    assert [hit.start_line for hit in found(data, "e$", regex=True).hits] == [1]


def test_case_may_be_ignored_beyond_ascii_too() -> None:
    data = "Äpfel\nÄPFEL\näpfel\nerror\n\xe4\n".encode()
    assert [hit.start_line for hit in found(data, "äpfel", case_sensitive=False).hits] == [1, 2, 3]
    assert [hit.start_line for hit in found(data, "ÄPF", case_sensitive=True).hits] == [2]
    assert [hit.start_line for hit in found(data, "ERR|ä$", regex=True, case_sensitive=False).hits] == [4, 5]
    assert places(found(b"\xff\xfeError\n", "error", case_sensitive=False)) == [(1, 2, 7)]


def test_special_characters_of_a_plain_text_are_none() -> None:
    for text in ("a.b", "[x]", "$1", "C:\\x", "a|b", "^", "(", "*", "\\Q", "\x00", "{2}"):
        data = f"axb\n  {text} \n".encode()
        for case_sensitive in (True, False):
            assert [hit.start_byte for hit in found(data, text, case_sensitive=case_sensitive).hits] == [6], text


def test_a_match_in_a_line_longer_than_a_block() -> None:
    data = b"short\n" + b"x" * 3_000_000 + b"needle 42" + b"y" * 3_000_000 + b"\r\nneedle 7\n" + b"z" * 2_000_000
    for pattern, regex in (("needle 42", False), (r"needle \d+", True), (r"NEEDLE.\d\d", True)):
        result = find(
            BytesSource("text", data), pattern, regex=regex, case_sensitive=False, max_hits=1, block_bytes=1 << 20
        )
        (hit,) = result.hits
        assert (hit.start_line, hit.start_byte, hit.end_byte) == (2, 3_000_006, 3_000_015)
        assert (hit.line_start_byte, hit.line_end_byte) == (6, 6_000_017)
        assert (result.next_byte, result.next_line, result.last_line) == (6_000_017, 3, None)
        assert len(hit.text) == TEXT_BYTES
        assert data[hit.text_start_byte :].startswith(hit.text)
        assert b"needle 42" in hit.text
    result = find(BytesSource("text", data), "^needle|z$", regex=True, max_hits=9, block_bytes=1 << 20)
    assert [(hit.start_line, hit.end_byte) for hit in result.hits] == [(3, 6_000_023), (4, len(data))]
    assert result.last_line == 4


def test_the_text_of_a_hit_is_whole_characters_around_it() -> None:
    data = "ä".encode() * 1000 + b"x" + "🌍".encode() * 1000 + b"\r\n"
    (hit,) = found(data, "x", block_bytes=1 << 20).hits
    assert len(hit.text) > TEXT_BYTES - 8
    assert "x" in hit.text.decode("utf-8")
    (hit,) = found(b"a" * (TEXT_BYTES + 1) + b"\r\n", "a+", regex=True, block_bytes=1 << 20).hits
    assert hit.text == b"a" * TEXT_BYTES


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-be"])
def test_wide_texts_are_found_in_offsets_of_the_file(codec: str) -> None:
    text = "\ufeff一\nGröße 🌍 x\r\nx"
    data = text.encode(codec)
    view = TranscodedSource(BytesSource("wide", data), Encoding(codec, "utf16" if "16" in codec else "utf32"))
    result = find(view, "🌍", max_hits=9)
    (hit,) = result.hits
    assert data[hit.start_byte : hit.end_byte].decode(codec) == "🌍"
    assert hit.text.decode(codec) == "Größe 🌍 x"
    assert (hit.start_line, result.last_line, result.examined_bytes) == (2, 3, len(data))
    first = find(view, "x", max_hits=1)
    assert first.next_byte == len(data) - len("x".encode(codec))
    assert first.next_line == 3
    second = find(view, "x", max_hits=1, start_byte=first.next_byte, first_line=3)
    assert [(hit.start_line, hit.start_byte) for hit in second.hits] == [(3, first.next_byte)]


@pytest.mark.parametrize(
    ("codec", "text", "pattern"),
    [
        ("windows-1252", "naïve\r\nÄrger über Öl\nend", "über"),
        ("windows-1251", "привет\nошибка: нет файла\n", "НЕТ"),
        ("cp932", "表示\nログ エラー\nソ\n", "エラー"),  # with 0x5C, 0x7C as second bytes
        ("gb18030", "正常\n错误：一\n", "误"),
        ("iso2022_jp", "plain\nエラー x\n", "ラ"),
    ],
)
def test_legacy_texts_are_found_in_offsets_of_the_file(codec: str, text: str, pattern: str) -> None:
    data = text.encode(codec)
    result = find(
        BytesSource("legacy", data), pattern, case_sensitive=False, encoding=Encoding(codec, "legacy"), max_hits=9
    )
    (hit,) = result.hits
    assert hit.start_line == 2
    assert data[hit.line_start_byte : hit.line_end_byte].decode(codec) == text.splitlines(keepends=True)[1]
    if codec != "iso2022_jp":  # whose characters alone do not decode
        assert data[hit.start_byte : hit.end_byte].decode(codec).lower() == pattern.lower()
        assert hit.text.decode(codec) == text.splitlines()[1]


def test_damaged_legacy_text_keeps_its_lines() -> None:
    data = "エラー\n".encode("cp932") + b"\x81\n\x81\r\n" + "エラー x\n".encode("cp932")
    result = find(BytesSource("legacy", data), "x", encoding=Encoding("cp932", "legacy"), max_hits=9)
    assert [(hit.start_line, hit.start_byte) for hit in result.hits] == [(4, len(data) - 2)]


@pytest.mark.parametrize(
    ("pattern", "regex", "reason"),
    [
        ("", False, "is empty"),
        ("a\nb", False, "line end"),
        ("x" * 2001, False, "2,001 characters"),
        ("(?=a)b", True, "look-around"),
        (r"(a)\1", True, "back-references"),
        ("[a", True, "Unterminated character class"),
        (r"\Aa", True, r"\\A is not supported.*use \^ and \$"),
        ("(?i-m)a", True, "not supported"),
        ("a\udcff", True, "look for them without regex"),
    ],
)
def test_patterns_that_cannot_be_looked_for_say_why(pattern: str, regex: bool, reason: str) -> None:
    with pytest.raises(InvalidParams, match=reason) as caught:
        found(b"text", pattern, regex=regex)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("pattern", [r"(x+x+)+y", r"(a|a)*$", r"(.*)*z", r"(\w+\s?)*!$"])
def test_patterns_that_hang_others_do_not_hang_this(pattern: str) -> None:
    data = (b"x" * 5000 + b"a" * 5000 + b"\n") * 20
    began = time.process_time()
    found(data, pattern, regex=True, max_hits=5, block_bytes=1 << 20)
    assert time.process_time() - began < 5


def test_a_pattern_whose_start_cannot_be_tracked_is_still_found() -> None:
    data = b"x" * 50 + b"a" * 400 + b"b\n"
    (hit,) = found(data, "a{350}b", regex=True, block_bytes=4096).hits
    assert (hit.start_byte, hit.end_byte) == (100, 451)


def test_limits_progress_and_cancelling() -> None:
    seen: list[tuple[int, int]] = []
    source = BytesSource("text", b"line\n" * 100_000)
    find(source, "absent", max_hits=1, progress=lambda done, total: seen.append((done, total)), block_bytes=65536)
    assert seen[-1] == (500_000, 500_000)
    assert len(seen) > 5
    with pytest.raises(Cancelled):
        find(source, "absent", max_hits=1, should_stop=lambda: True)
    with pytest.raises(InvalidParams):
        find(source, "line", max_hits=0)
    with pytest.raises(OutOfRange, match="no byte 500,001"):
        find(source, "line", max_hits=1, start_byte=500_001)
    assert find(source, "line", max_hits=1, start_byte=500_000, first_line=100_001).hits == ()
    assert find(BytesSource("text", b""), "a", max_hits=1, encoding=UTF8).last_line == 0
