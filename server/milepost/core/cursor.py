"""Opaque tokens that say where a paged reply goes on.

A token is a CRC-32, one byte that says what the body is, and the body, in base64url without padding. The CRC finds
every error burst of up to 32 bits, so any flipped bit of a token is found, not only most of them. What it does not do
is keep anyone from making a token: decoded values are checked like any other input.

Most cursors are JSON (`encode_cursor`). An outline carries one cursor for every section that holds children back, so
its cursors are packed (`OutlineCursor`): about 75 characters instead of 170.
"""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from milepost.errors import CursorInvalid

# What a body is. A body whose meaning changes between releases gets another number, so that old tokens are refused.
_JSON, _DEFLATED_JSON, _OUTLINE = 2, 3, 4

#: No token of ours is longer; a foreign one is refused before it is looked at.
MAX_TOKEN_BYTES = 8192
_MAX_BODY_BYTES = 64 << 10

_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")

#: How many bytes the size and the position take; the mtime in nanoseconds; how many bytes the hash takes.
_OUTLINE_HEAD = struct.Struct(">BBqB")


def encode_cursor(kind: str, payload: Mapping[str, Any]) -> str:
    """A token that holds `payload` (JSON values), for requests of one `kind`."""
    body = json.dumps([kind, payload], ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    deflated = zlib.compress(body, 9)
    return _seal(_DEFLATED_JSON, deflated) if len(deflated) < len(body) else _seal(_JSON, body)


def decode_cursor(text: str, kind: str, fields: Mapping[str, type]) -> dict[str, Any]:
    """The payload of a token of this `kind`.

    `fields` names what the payload must hold, with the type of each value. Raises CursorInvalid for a token that is
    damaged, cut short, made by something else, or made for another kind of request.
    """
    made_as, body = _unseal(text)
    if made_as == _DEFLATED_JSON:
        body = _inflate(body)
    elif made_as != _JSON:
        raise _foreign(kind)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise _damaged() from None
    match value:
        case [str() as made_for, dict() as payload]:
            pass
        case _:
            raise _damaged()
    if made_for != kind:
        raise _foreign(kind)
    # `type() is`, not isinstance: true is no number here.
    if set(payload) != set(fields) or any(type(payload[name]) is not wanted for name, wanted in fields.items()):
        raise CursorInvalid("the cursor was made by another version of Milepost: ask again without a cursor")
    return payload


@dataclass(frozen=True, slots=True)
class OutlineCursor:
    """Where the listing of sections goes on.

    In the section with the id `section` ("" is the file), with the first child that starts at or after `from_byte`: a
    position, not a number of children, since groups change while a file grows.

    `size`, `mtime_ns` and `head_hash` (in hexadecimal) say which state of the file it was made from.
    """

    size: int
    mtime_ns: int
    head_hash: str
    section: str
    from_byte: int

    def encode(self) -> str:
        """The token."""
        head = bytes.fromhex(self.head_hash)
        # Zeros at the front of the numbers are most of them; a length byte says how many were taken away.
        size, byte = _shortest(self.size), _shortest(self.from_byte)
        packed = _OUTLINE_HEAD.pack(len(size), len(byte), self.mtime_ns, len(head)) + size + byte + head
        return _seal(_OUTLINE, packed + self.section.encode())

    @classmethod
    def decode(cls, text: str) -> OutlineCursor:
        """The cursor that a token stands for. Raises CursorInvalid."""
        made_as, body = _unseal(text)
        if made_as != _OUTLINE:
            raise _foreign("outline")
        try:
            size_bytes, byte_bytes, mtime_ns, head_bytes = _OUTLINE_HEAD.unpack_from(body)
            at = _OUTLINE_HEAD.size
            parts = []
            for length in (size_bytes, byte_bytes, head_bytes):
                if at + length > len(body):
                    raise _damaged()
                parts.append(body[at : at + length])
                at += length
            section = body[at:].decode()
        except (struct.error, UnicodeDecodeError):
            raise _damaged() from None
        size, byte, head = parts
        return cls(int.from_bytes(size, "big"), mtime_ns, head.hex(), section, int.from_bytes(byte, "big"))


def _shortest(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _seal(made_as: int, body: bytes) -> str:
    versioned = bytes([made_as]) + body
    token = zlib.crc32(versioned).to_bytes(4, "big") + versioned
    return base64.urlsafe_b64encode(token).rstrip(b"=").decode("ascii")


def _unseal(text: str) -> tuple[int, bytes]:
    """What the body is, and the body. Only the one spelling that `_seal` gives is taken."""
    if len(text) > MAX_TOKEN_BYTES or not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        raise _damaged()
    token = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    # The last character may carry bits that decode to nothing: they must be zero.
    if base64.urlsafe_b64encode(token).rstrip(b"=") != text.encode("ascii"):
        raise _damaged()
    checksum, versioned = token[:4], token[4:]
    if not versioned or zlib.crc32(versioned).to_bytes(4, "big") != checksum:
        raise _damaged()
    return versioned[0], versioned[1:]


def _inflate(deflated: bytes) -> bytes:
    inflate = zlib.decompressobj()
    try:
        body = inflate.decompress(deflated, _MAX_BODY_BYTES)
    except zlib.error:
        raise _damaged() from None
    if not inflate.eof or inflate.unused_data:
        raise _damaged()
    return body


def _damaged() -> CursorInvalid:
    return CursorInvalid("the cursor is damaged: ask again without a cursor")


def _foreign(kind: str) -> CursorInvalid:
    return CursorInvalid(f"the cursor belongs to another request, not to {kind}: ask again without a cursor")
