"""A cursor comes back as it was made, or not at all."""

from __future__ import annotations

import base64
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.core.cursor import OutlineCursor, decode_cursor, encode_cursor
from milepost.errors import CursorInvalid

OUTLINE = OutlineCursor(10**9, 1_700_000_000_123_456_789, "0123456789abcdef" * 2, "incident-2-1f3a", 123_456_789)
FIELDS = {"byte": int, "pattern": str}
PLAIN = encode_cursor("find", {"byte": 12, "pattern": "x"})
DEFLATED = encode_cursor("find", {"byte": 12, "pattern": "timeout while connecting " * 8})


def decode_find(text: str) -> dict[str, object]:
    return decode_cursor(text, "find", FIELDS)


TOKENS = [(OUTLINE.encode(), OutlineCursor.decode), (PLAIN, decode_find), (DEFLATED, decode_find)]


@given(
    st.integers(0, 2**63 - 1),
    st.integers(-(2**63), 2**63 - 1),
    st.binary(max_size=16),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    st.integers(0, 2**63 - 1),
)
def test_an_outline_cursor_comes_back(size: int, mtime_ns: int, head: bytes, section: str, byte: int) -> None:
    cursor = OutlineCursor(size, mtime_ns, head.hex(), section, byte)
    assert OutlineCursor.decode(cursor.encode()) == cursor


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=300), max_size=5))
def test_any_payload_comes_back(payload: dict[str, str]) -> None:
    assert decode_cursor(encode_cursor("find", payload), "find", dict.fromkeys(payload, str)) == payload


@pytest.mark.parametrize("token, decode", TOKENS, ids=["outline", "plain", "deflated"])
def test_every_flipped_bit_is_found(token: str, decode) -> None:
    for position in range(len(token)):
        for bit in range(8):
            flipped = token[:position] + chr(ord(token[position]) ^ (1 << bit)) + token[position + 1 :]
            with pytest.raises(CursorInvalid):
                decode(flipped)


@pytest.mark.parametrize("token, decode", TOKENS, ids=["outline", "plain", "deflated"])
def test_every_other_length_is_found(token: str, decode) -> None:
    for wrong in [token[:length] for length in range(len(token))] + [token + "A", token + "=", "A" + token, token * 2]:
        with pytest.raises(CursorInvalid):
            decode(wrong)


@given(st.text(max_size=80))
def test_no_text_gives_a_traceback(text: str) -> None:
    for decode in (decode_find, OutlineCursor.decode):
        with pytest.raises(CursorInvalid):
            decode(text)


def sealed(body: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.crc32(body).to_bytes(4, "big") + body).rstrip(b"=").decode()


@given(st.binary(max_size=60))
def test_a_good_checksum_over_anything_gives_no_traceback(body: bytes) -> None:
    for made_as in (b"\x02", b"\x03", b"\x04", b""):
        for decode in (decode_find, OutlineCursor.decode):
            try:
                decode(sealed(made_as + body))
            except CursorInvalid:
                continue
            assert decode is OutlineCursor.decode, "no short body is the JSON that a find cursor needs"


@pytest.mark.parametrize(
    "body",
    [
        b"\x02" + b"[" * 5000,
        b"\x02" + b'["find", {"byte": true, "pattern": "x"}]',
        b"\x02" + b'["find", {"byte": 1}]',
        b"\x02" + b'["find", {"byte": 1, "pattern": "x", "more": 1}]',
        b"\x02" + b'{"find": 1}',
        b"\x03" + zlib.compress(b'["find", {"byte": 1, "pattern": "' + b"x" * (1 << 20) + b'"}]'),
        b"\x03" + zlib.compress(b'["find", {"byte": 1, "pattern": "x"}]') + b"x",
    ],
    ids=["too deep", "wrong type", "a field missing", "a field too many", "no list", "a bomb", "something behind"],
)
def test_a_made_up_token_is_refused(body: bytes) -> None:
    with pytest.raises(CursorInvalid):
        decode_find(sealed(body))


def test_a_cursor_of_another_request_is_refused_by_name() -> None:
    with pytest.raises(CursorInvalid, match="belongs to another request, not to plan"):
        decode_cursor(PLAIN, "plan", FIELDS)
    with pytest.raises(CursorInvalid, match="belongs to another request, not to outline"):
        OutlineCursor.decode(PLAIN)


def test_an_outline_cursor_is_short() -> None:
    assert len(OUTLINE.encode()) <= 80
