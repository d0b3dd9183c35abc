"""Whether an open document is what its file holds: the text on the wire against bytes on disk."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

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
        assert found.data == text.encode()


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


def test_a_document_without_a_file_is_its_text(tmp_path: Path) -> None:
    assert UnsavedTexts().of(snapshot(tmp_path / "gone.log", "x"), str(tmp_path / "gone.log")) is not None
    assert UnsavedTexts().of(snapshot(tmp_path / "x", "x"), None) is not None
