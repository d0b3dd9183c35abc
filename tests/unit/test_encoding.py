"""Which encoding a text is in, and wide encodings seen as UTF-8 with exact offsets."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_path import corpus_folder
from milepost.core.encoding import (
    PREFIX_BYTES,
    UTF8,
    Encoding,
    TranscodedSource,
    binary_type,
    decode,
    detect_encoding,
    text_view,
)
from milepost.core.source import BytesSource, open_source
from milepost.errors import Cancelled, OutOfRange

RANDOM = random.Random(7).randbytes(5000)
RUSSIAN = "Привет, мир! Это просто строка журнала.\n"
CHINESE = "错误：无法打开文件，请检查路径是否正确。一\n"


def detected(data: bytes) -> Encoding:
    return detect_encoding(BytesSource("sample", data))


@pytest.mark.parametrize(
    ("data", "name", "exact"),
    [
        pytest.param(b"", "utf-8", True, id="empty"),
        pytest.param(b"plain\n", "utf-8", True, id="ascii"),
        pytest.param("naïve €5 🌍\n".encode(), "utf-8", True, id="utf-8"),
        pytest.param("é".encode("utf-8-sig"), "utf-8", True, id="utf-8 with mark"),
        pytest.param("Привет".encode()[:-1], "utf-8", True, id="utf-8 that ends inside a character"),
        pytest.param(RUSSIAN.encode() * 9 + b"\xff\xfe", "utf-8", False, id="utf-8 with some broken bytes"),
        pytest.param(b"all plain but for \x8f\x9d\x81 here\n" * 1, "utf-8", False, id="damage in plain text"),
        pytest.param(b"caf\xe9", "windows-1252", False, id="one accented letter at the end"),
        pytest.param(b"price \xa35\n", "windows-1252", False, id="one sign"),
        pytest.param("a\tb\n".encode("utf-16-le") * 3, "utf-16-le", False, id="utf-16-le"),
        pytest.param("a\tb\n".encode("utf-16-be") * 3, "utf-16-be", False, id="utf-16-be"),
        pytest.param("[é]".encode("utf-16-le"), "utf-16-le", False, id="utf-16-le of Latin-1"),
        pytest.param(RUSSIAN.encode("utf-16-le"), "utf-16-le", False, id="utf-16-le of Russian"),
        pytest.param(CHINESE.encode("utf-16-be"), "utf-16-be", False, id="utf-16-be of Chinese"),
        pytest.param(CHINESE.encode("utf-16-le"), "utf-16-le", False, id="utf-16-le of Chinese"),
        pytest.param("\ufeffx".encode("utf-16-be"), "utf-16-be", True, id="utf-16-be with mark"),
        pytest.param("\ufeffx".encode("utf-32-le"), "utf-32-le", True, id="utf-32-le with mark"),
        pytest.param("hello\n".encode("utf-32-be"), "utf-32-be", False, id="utf-32-be"),
        pytest.param(RUSSIAN.encode("koi8-r") * 3, "koi8-r", False, id="koi8-r"),
        pytest.param(RUSSIAN.encode("cp1251") * 3, "windows-1251", False, id="windows-1251"),
        pytest.param("エラーが発生しました\n".encode("iso2022_jp"), "iso2022-jp-ext", True, id="iso-2022-jp"),
        pytest.param(b"\x1b[31mERROR\x1b[0m failed\n" * 5, "utf-8", True, id="ANSI colours"),
        pytest.param(b"8=FIX.4.2\x019=65\x0135=A\x01\n" * 5, "utf-8", True, id="fields separated by SOH"),
        pytest.param(b"*\x0f\t\x0319Speaking\x02 now\n" * 5, "utf-8", True, id="IRC colours"),
        pytest.param(b"./a/b\x00./c/d\x00" * 9, "utf-8", True, id="find -print0"),
        pytest.param(b"one\x00two\n", "utf-8", True, id="one NUL"),
        pytest.param(b"before\n" + b"\x00" * 9000 + b"after\n", "utf-8", True, id="NUL run inside"),
        pytest.param(RUSSIAN.encode() + b"\x00" * 9001, "utf-8", True, id="NUL run at the end"),
        pytest.param(b"Bush hid the facts", "utf-8", True, id="plain text that could be UTF-16"),
        pytest.param(b"\x00" * 100, "binary", True, id="NULs only"),
        pytest.param(RANDOM, "binary", True, id="random bytes"),
        pytest.param(zlib.compress(RANDOM), "binary", True, id="compressed bytes"),
        pytest.param(b"%PDF-1.7\nall letters\n", "binary", True, id="PDF"),
    ],
)
def test_what_a_text_is_in(data: bytes, name: str, exact: bool) -> None:
    encoding = detected(data)
    assert (encoding.name, encoding.exact) == (name, exact)


def test_the_kind_says_how_to_scan() -> None:
    mark = detected("\ufeffa".encode("utf-8-sig")[:3] + b"a")
    assert (mark.kind, mark.bom_bytes, mark.unit_bytes, mark.is_ascii_superset) == ("utf8", 3, 1, True)
    wide = detected("\ufeffabc\n".encode("utf-16-le"))
    assert (wide.kind, wide.bom_bytes, wide.unit_bytes, wide.is_ascii_superset) == ("utf16", 2, 2, False)
    assert detected(RANDOM).kind == "binary"


@pytest.mark.parametrize("nul_bytes", [PREFIX_BYTES, PREFIX_BYTES + 1, 5_000_001])
def test_text_behind_a_leading_run_of_nuls_is_found(nul_bytes: int) -> None:
    nuls = b"\x00" * nul_bytes
    assert detected(nuls).kind == "binary"
    for growth in (1, 50, 50_000):
        assert detected(nuls + b"line of text\n" * growth) == UTF8


def test_text_behind_a_hole_of_4_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "sparse.log"
    with path.open("wb") as file:
        file.seek(4 << 30)
        file.write(b"text\n" * 10)
    with open_source(path) as source:
        assert detect_encoding(source) == UTF8


def test_what_lies_beyond_the_prefix_does_not_matter() -> None:
    prefix = "Grüße aus Köln\n".encode() * (PREFIX_BYTES // 17 + 1)
    assert detected(prefix + RANDOM) == detected(prefix) == UTF8


@given(st.integers(0, 3))
def test_the_end_of_the_prefix_cuts_no_character(shift: int) -> None:
    assert detected(b"x" * shift + "🌍".encode() * (PREFIX_BYTES // 4 + 1)) == UTF8


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"\x89PNG\r\n\x1a\n", "PNG image"),
        (b"\x7fELF\x02", "ELF program"),
        (b"SQLite format 3\x00", "SQLite database"),
        (b"PAR1\x15\x04", "Parquet data"),
        (b"x" * 257 + b"ustar\x00", "tar archive"),
        (b"no magic", ""),
        (b"", ""),
    ],
)
def test_binary_files_are_named(head: bytes, name: str) -> None:
    assert binary_type(head) == name


def test_letters_that_begin_a_signature_make_no_text_binary() -> None:
    for text in (b"MZ is a prefix\n", b"ORC and BZh9\n", b"ID3 tags\n", b"BM\n"):
        assert detected(text) == UTF8


def test_decoding_says_what_was_lost() -> None:
    assert decode("é".encode(), UTF8) == ("é", False)
    assert decode(b"a\xff", UTF8) == ("a\ufffd", True)
    assert decode(b"a\xe9", Encoding("windows-1252", "legacy")) == ("aé", False)
    assert decode("🌍".encode("utf-16-le")[:2], Encoding("utf-16-le", "utf16")) == ("\ufffd", True)
    assert decode(b"\x00\xff", Encoding("binary", "binary")) == ("\x00\ufffd", True)


@pytest.mark.corpus
def test_most_labelled_texts_are_decoded_as_their_labels_say() -> None:
    folder = corpus_folder()
    if folder is None or not (folder / "chardet-encodings").is_dir():
        pytest.skip("needs the corpus: set MILEPOST_CORPUS")
    right = total = 0
    for labelled in sorted((folder / "chardet-encodings").glob("*/*")):
        codec = "-".join(labelled.parent.name.split("-")[: 2 if "windows" in labelled.parent.name else 3])
        try:
            wanted = labelled.read_bytes().decode(codec, "replace")
        except LookupError:
            continue
        data = labelled.read_bytes()
        total += 1
        right += decode(data, detected(data))[0].lstrip("\ufeff") == wanted.lstrip("\ufeff")
    assert total > 60
    assert right / total >= 0.95


wide_texts = st.text(
    st.sampled_from("aé€🌍𐐀\n\r\ufeff一\x00")
    | st.characters(min_codepoint=0x20, max_codepoint=0x2FFFF, exclude_categories=["Cs"]),
    max_size=60,
)
wide_encodings = st.sampled_from(
    [
        Encoding("utf-16-le", "utf16"),
        Encoding("utf-16-be", "utf16"),
        Encoding("utf-32-le", "utf32"),
        Encoding("utf-32-be", "utf32"),
    ]
)


@given(wide_texts, wide_encodings)
def test_offsets_of_the_view_and_of_the_file_answer_each_other(text: str, encoding: Encoding) -> None:
    data = text.encode(encoding.name)
    view = text_view(BytesSource("wide", data), encoding)
    assert isinstance(view, TranscodedSource)
    assert view.read_at(0, view.size + 1) == text.encode()
    for count in range(len(text)):
        own, seen = len(text[:count].encode(encoding.name)), len(text[:count].encode())
        for offset in range(own, len(text[: count + 1].encode(encoding.name))):
            assert view.from_original(offset) == seen  # any byte of a character belongs to it
        for offset in range(seen, len(text[: count + 1].encode())):
            assert view.to_original(offset) == own
            assert view.read_at(offset, 3) == text.encode()[offset : offset + 3]
    assert (view.to_original(view.size), view.from_original(len(data))) == (len(data), view.size)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("shift", [0, 1, 2])
def test_offsets_hold_over_the_edges_of_blocks(codec: str, shift: int) -> None:
    text = "x" * shift + "🌍é" * 30_000 + "\nend"
    encoding = Encoding(codec, "utf16" if "16" in codec else "utf32")
    view = TranscodedSource(BytesSource("wide", text.encode(codec)), encoding)
    assert view.read_at(0, view.size) == text.encode()
    for count in range(0, len(text), 577):
        own, seen = len(text[:count].encode(codec)), len(text[:count].encode())
        assert (view.to_original(seen), view.from_original(own)) == (own, seen)
        assert view.read_at(seen, 10) == text.encode()[seen : seen + 10]


@given(st.binary(max_size=50), wide_encodings)
def test_units_that_are_no_characters_shift_no_offset(data: bytes, encoding: Encoding) -> None:
    view = TranscodedSource(BytesSource("broken", data), encoding)
    seen = view.read_at(0, view.size)
    seen.decode("utf-8")
    starts = [offset for offset, byte in enumerate(seen) if byte & 0xC0 != 0x80]
    own = [view.to_original(offset) for offset in starts]
    assert own == sorted(set(own))
    assert [view.from_original(offset) for offset in own] == starts


def test_no_such_offset_and_cancelling() -> None:
    encoding = Encoding("utf-16-le", "utf16")
    view = TranscodedSource(BytesSource("wide", b"a\x00"), encoding)
    with pytest.raises(OutOfRange):
        view.to_original(2)
    with pytest.raises(OutOfRange):
        view.from_original(3)
    with pytest.raises(OutOfRange):
        view.read_at(-1, 1)
    with pytest.raises(Cancelled):
        TranscodedSource(BytesSource("wide", b"a\x00"), encoding, should_stop=lambda: True)
