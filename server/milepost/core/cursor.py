"""Opaque tokens that say where a paged reply goes on.

A token is a CRC-32, one version byte and a JSON body (deflated where that is shorter), in base64url without padding.
The CRC finds every error burst of up to 32 bits, so any flipped bit of a token is found, not only most of them. What it
does not do is keep anyone from making a token: decoded values are checked like any other input.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from milepost.errors import CursorInvalid

#: Raised when tokens of an earlier release must no longer be understood. The low bit says that the body is deflated.
_PLAIN, _DEFLATED = 2, 3

#: No token of ours is longer; a foreign one is refused before it is looked at.
MAX_TOKEN_BYTES = 8192
_MAX_BODY_BYTES = 64 << 10

_BASE64URL = re.compile(r"[A-Za-z0-9_-]+")


def encode_cursor(kind: str, payload: Mapping[str, Any]) -> str:
    """A token that holds `payload` (JSON values), for requests of one `kind`."""
    body = json.dumps([kind, payload], ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
    deflated = zlib.compress(body, 9)
    versioned = bytes([_DEFLATED]) + deflated if len(deflated) < len(body) else bytes([_PLAIN]) + body
    token = zlib.crc32(versioned).to_bytes(4, "big") + versioned
    return base64.urlsafe_b64encode(token).rstrip(b"=").decode("ascii")


def decode_cursor(text: str, kind: str, fields: Mapping[str, type]) -> dict[str, Any]:
    """The payload of a token of this `kind`.

    `fields` names what the payload must hold, with the type of each value. Raises CursorInvalid for a token that is
    damaged, cut short, made by something else, or made for another kind of request.
    """
    entry = _parse(_unpack(text))
    if entry is None:
        raise CursorInvalid("the cursor is damaged: ask again without a cursor")
    made_for, payload = entry
    if made_for != kind:
        raise CursorInvalid(f"the cursor belongs to another request, not to {kind}: ask again without a cursor")
    # `type() is`, not isinstance: true is no number here.
    if set(payload) != set(fields) or any(type(payload[name]) is not wanted for name, wanted in fields.items()):
        raise CursorInvalid("the cursor was made by another version of Milepost: ask again without a cursor")
    return payload


def _unpack(text: str) -> bytes | None:
    """The body of a token, or None where it is damaged. Only the one spelling that `encode_cursor` gives is taken."""
    if len(text) > MAX_TOKEN_BYTES or not _BASE64URL.fullmatch(text) or len(text) % 4 == 1:
        return None
    token = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    # The last character may carry bits that decode to nothing: they must be zero.
    if base64.urlsafe_b64encode(token).rstrip(b"=") != text.encode("ascii"):
        return None
    checksum, versioned = token[:4], token[4:]
    if len(versioned) < 2 or zlib.crc32(versioned).to_bytes(4, "big") != checksum:
        return None
    if versioned[0] == _PLAIN:
        return versioned[1:]
    if versioned[0] != _DEFLATED:
        return None
    inflate = zlib.decompressobj()
    try:
        body = inflate.decompress(versioned[1:], _MAX_BODY_BYTES)
    except zlib.error:
        return None
    return body if inflate.eof and not inflate.unused_data else None


def _parse(body: bytes | None) -> tuple[str, dict[str, Any]] | None:
    if body is None:
        return None
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    match value:
        case [str() as kind, dict() as payload]:
            return kind, payload
    return None


@dataclass(frozen=True, slots=True)
class OutlineCursor:
    """Where the listing of sections goes on.

    In the section with the id `section` ("" is the file), with the first child that starts at or after `from_byte`: a
    position, not a number of children, since groups change while a file grows.

    `size`, `mtime_ns` and `head_hash` say which state of the file it was made from.
    """

    size: int
    mtime_ns: int
    head_hash: str
    section: str
    from_byte: int

    def encode(self) -> str:
        """The token."""
        return encode_cursor(
            "outline",
            {"b": self.from_byte, "h": self.head_hash, "m": self.mtime_ns, "p": self.section, "s": self.size},
        )

    @classmethod
    def decode(cls, text: str) -> OutlineCursor:
        """The cursor that a token stands for. Raises CursorInvalid."""
        payload = decode_cursor(text, "outline", {"b": int, "h": str, "m": int, "p": str, "s": int})
        cursor = cls(payload["s"], payload["m"], payload["h"], payload["p"], payload["b"])
        if cursor.size < 0 or cursor.from_byte < 0:
            raise CursorInvalid("the cursor is damaged: ask again without a cursor")
        return cursor
