"""Whether an open document is what its file holds: the text on the wire against bytes on disk."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from milepost.lsp import documents, unsaved
from milepost.lsp.documents import Snapshot, TextDocument, cut_pieces
from milepost.lsp.unsaved import UnsavedTexts

GERMAN = "Grüße aus Köln, schöne Straße\n" * 9
BOM = b"\xef\xbb\xbf"


def snapshot(path: Path, text: str, *, edited: bool = False) -> Snapshot:
    document = TextDocument(path.as_uri(), "log", 1, cut_pieces(text), "utf-16")
    return replace(document.snapshot(), revision=(1, int(edited)))


@pytest.mark.parametrize(
    "data, text, edited, differs",
    [
        (b"a\nb\n", "a\nb\n", False, False),
        (b"a\nb\n", "a\nc\n", False, True),  # a restored buffer, same length
        (b"a\nb\n", "a\nb\n\n", False, True),
        (b"a\nb\n", "", False, True),
        (b"", "", False, False),
        (BOM + "é\n".encode(), "é\n", False, False),
        ("é€🌍\n".encode("utf-16"), "é€🌍\n", False, False),
        ("é€🌍\n".encode("utf-16"), "é€🌎\n", False, True),
        (GERMAN.encode("latin-1"), GERMAN, False, False),
        (GERMAN.encode("latin-1"), re.sub(r"[^\x00-\x7f]", "\ufffd", GERMAN), False, False),  # read as UTF-8
        (b"valid\xff\nx\n" * 50, "valid\ufffd\nx\n" * 50, False, False),
        # Line ends are compared as they were sent.
        (b"a\r\nb\r\n", "a\r\nb\r\n", False, False),
        (b"a\r\nb\r\n", "a\nb\n", False, True),
        # A mixture that the editor cannot hold is no edit; once something was edited it may be one.
        (b"a\r\nb\nc\rd\n", "a\nb\nc\nd\n", False, False),
        (b"a\r\nb\nc\rd\n", "a\r\nb\r\nc\r\nd\r\n", False, False),
        (b"a\r\nb\nc\rd\n", "a\nb\nc\nX\n", False, True),
        (b"a\r\nb\nc\rd\n", "a\nb\nc\nd\n", True, True),
    ],
)  # fmt: skip
def test_a_document_differs_from_its_file(tmp_path: Path, data: bytes, text: str, edited: bool, differs: bool) -> None:
    path = tmp_path / "x.log"
    path.write_bytes(data)
    found = UnsavedTexts().of(snapshot(path, text, edited=edited), str(path))
    assert (found is not None) == differs
    if found is not None:
        assert found.read_at(0, found.size + 1) == text.encode()


def test_files_of_several_blocks_are_compared_to_their_end(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    text = "a line with a Euro sign €\r\n" * 120_000
    path.write_bytes(text.encode())
    texts = UnsavedTexts()
    assert texts.of(snapshot(path, text), str(path)) is None
    other = snapshot(path, text[:-3] + "x\r\n")
    assert UnsavedTexts().of(other, str(path)) is not None
    path.write_bytes(b"other\n")  # the answer is for one state of the file
    assert texts.of(snapshot(path, text), str(path)) is not None


TEXTS = st.lists(st.sampled_from(["a", "b", "é", "🌍", "\n", "\r\n", "\r"]), max_size=12).map("".join)


def line_ends(text: str) -> set[str]:
    return set(re.findall(r"\r\n?|\n", text))


def with_line_feeds(text: str) -> str:
    return re.sub(r"\r\n?", "\n", text)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), held=TEXTS, block_bytes=st.integers(4, 9), piece=st.integers(1, 5), edited=st.booleans())
def test_texts_are_compared_alike_wherever_they_are_cut(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data: st.DataObject,
    held: str,
    block_bytes: int,
    piece: int,
    edited: bool,
) -> None:
    text = data.draw(st.sampled_from([held, with_line_feeds(held), held[:-1], held + "\r"]) | TEXTS)
    path = tmp_path / "x.log"
    codec = data.draw(st.sampled_from(["utf-8", "utf-16"]))
    path.write_bytes(held.encode(codec))
    monkeypatch.setattr(unsaved, "_BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(documents, "PIECE_CHARACTERS", piece)
    is_mixture = not edited and len(line_ends(held)) > 1 and len(line_ends(text)) < 2
    same = text == held or (is_mixture and with_line_feeds(text) == with_line_feeds(held))
    found = UnsavedTexts().of(snapshot(path, text, edited=edited), str(path))
    assert (found is None) == same, (text, held)


def test_a_document_without_a_file_is_its_text(tmp_path: Path) -> None:
    assert UnsavedTexts().of(snapshot(tmp_path / "gone.log", "x"), str(tmp_path / "gone.log")) is not None
    assert UnsavedTexts().of(snapshot(tmp_path / "x", "x"), None) is not None
