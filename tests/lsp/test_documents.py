"""The text of an open document stays what the client has, whatever is edited, in all three position encodings."""

from __future__ import annotations

import io
import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.lsp import documents
from milepost.lsp.documents import TextDocument, cut_pieces
from milepost.lsp.position import UNITS, Units, index_of_column, width
from milepost.lsp.transport import LARGE_MESSAGE_BYTES, decode_message, read_bodies

# What makes trouble: all line ends and what only looks like one, characters of one to four bytes, a combining mark.
ALPHABET = [
    "a",
    "b",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u2028",
    "é",
    "€",
    "𐐀",
    "🌍",
    "e\u0301",
    "\t",
]
texts = st.lists(st.sampled_from(ALPHABET), max_size=40).map("".join)


def lines_of(text: str) -> list[str]:
    """The lines of a text as LSP counts them, without their ends."""
    return re.split(r"\r\n|\r|\n", text)


def offset_of(text: str, line: int, column: int, units: Units) -> int:
    """A plain reference: walk to the line, then unit by unit to the column."""
    ends = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    if line >= len(ends):
        return len(text)
    content = lines_of(text)[line]
    used = 0
    for index, character in enumerate(content):
        codec, unit_bytes = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}[units]
        step = len(character.encode(codec)) // unit_bytes
        if used + step > column:
            return ends[line] + index
        used += step
    return ends[line] + len(content)


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def document(text: str, units: Units = "utf-16") -> TextDocument:
    return TextDocument("file:///x.log", "log", 1, cut_pieces(text), units)


edits = st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 12), st.integers(0, 12), texts)


@pytest.mark.parametrize("units", UNITS)
@settings(max_examples=150, deadline=None)
@given(text=texts, changes=st.lists(edits, max_size=6))
def test_edits_equal_a_plain_reference(units: Units, text: str, changes: list[Any]) -> None:
    # Pieces of a few characters, so that every edit crosses some.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "PIECE_CHARACTERS", 4)
        open_document = document(text, units)
        for number, (line1, column1, line2, column2, inserted) in enumerate(changes):
            edit = {"range": {"start": position(line1, column1), "end": position(line2, column2)}, "text": inserted}
            open_document.change(number + 2, [edit])
            start, end = sorted((offset_of(text, line1, column1, units), offset_of(text, line2, column2, units)))
            text = text[:start] + inserted + text[end:]
            assert "".join(open_document.snapshot().texts()) == text
        pieces = open_document.snapshot().pieces
    assert sum(piece.line_ends for piece in pieces) == len(lines_of(text)) - 1
    for piece, following in itertools.pairwise(pieces):
        assert piece.text.endswith(("\n", "\r"))
        assert not (piece.text.endswith("\r") and following.text.startswith("\n"))


@pytest.mark.parametrize(
    "units, column, index",
    [
        ("utf-8", 0, 0), ("utf-8", 1, 1), ("utf-8", 3, 1), ("utf-8", 5, 2), ("utf-8", 6, 3), ("utf-8", 99, 3),
        ("utf-16", 1, 1), ("utf-16", 2, 1), ("utf-16", 3, 2), ("utf-16", 4, 3), ("utf-16", 99, 3),
        ("utf-32", 1, 1), ("utf-32", 2, 2), ("utf-32", 3, 3), ("utf-32", 99, 3),
    ],
)  # fmt: skip
def test_columns_of_a_line_with_an_astral_character(units: Units, column: int, index: int) -> None:
    assert index_of_column("a𐐀b", column, units) == index


def test_widths() -> None:
    assert [width("a𐐀b", units) for units in UNITS] == [6, 4, 3]


def test_the_whole_text_can_be_replaced() -> None:
    open_document = document("a\nb")
    open_document.change(2, [{"text": "c\fd\n"}])
    snapshot = open_document.snapshot()
    assert ("".join(snapshot.texts()), open_document.version, snapshot.edited) == ("c\fd\n", 2, True)


def test_messages_come_out_of_a_stream_whole() -> None:
    stream = (
        b"Content-Length: 2\r\n\r\n{}"
        b"content-length:3\r\nContent-Type: x\r\n\r\n[1]"
        b"X-Other: 1\r\n\r\n"
        b"Content-Length: 1\r\n\r\n7"
    )
    for size in (1, 7, 1000):
        parts = iter([stream[start : start + size] for start in range(0, len(stream), size)])
        assert list(read_bodies(lambda _, parts=parts: next(parts, b""))) == [b"{}", b"[1]", b"7"]


@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_a_large_document_is_decoded_in_pieces_to_the_same_text(ensure_ascii: bool) -> None:
    line = 'q " \\ \\n é € 𐐀🌍\t\x85\u2028 "text": "\\\\" \r\n🌍\r x\n'
    text = line * (2 * LARGE_MESSAGE_BYTES // len(line))
    message = {
        "jsonrpc": "2.0",
        "method": "textDocument/didOpen",
        "params": {"textDocument": {"uri": "u", "text": text}},
    }
    data = json.dumps(message, ensure_ascii=ensure_ascii).encode()
    stream = io.BytesIO(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
    (body,) = read_bodies(stream.read)
    received = decode_message(body)
    assert received.pieces is not None
    assert "".join(piece.text for piece in received.pieces) == text
    assert all(piece.text.endswith(("\n", "\r")) for piece in received.pieces[:-1])
    assert received.value["params"]["textDocument"] == {"uri": "u", "text": ""}


@pytest.mark.parametrize("body", [b"", b"{", b'{"a":', b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_said_to_be_none(body: bytes) -> None:
    assert decode_message(body).value is None
