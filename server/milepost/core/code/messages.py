"""What the scanner and the parser's process send each other: a length in four bytes, then so many bytes."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

from milepost.core.code.cuts import Header

_LENGTH = struct.Struct("<I")


def headers_to(headers: tuple[Header, ...]) -> list[list[Any]]:
    """Headers as they are sent, and kept in a section's `resume`."""
    return [[header.indent, header.text.decode("latin-1")] for header in headers]


def headers_from(values: list[list[Any]]) -> tuple[Header, ...]:
    """The headers that were sent."""
    return tuple(Header(int(indent), text.encode("latin-1")) for indent, text in values)


def read_message(stream: BinaryIO) -> bytes | None:
    """The next message, or None at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(head)[0]
    data = stream.read(size)
    return data if len(data) == size else None


def write_message(stream: BinaryIO, data: bytes) -> None:
    """Send a message."""
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()
