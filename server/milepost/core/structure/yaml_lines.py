"""What a line of YAML says: a key, an item of a sequence, a marker between documents; and whether more is nested in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KEY = re.compile(
    rb"(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^']|'')*)'"
    rb"|(?P<plain>(?:[^\s\-?:,\[\]{}#&*!|>'\"%@`]|[-?:](?=[^\s]))(?:[^:#]|:(?=[^\s])|(?<!\s)#)*?))\s*:(?=\s|$)"
)
_PROPERTIES = re.compile(rb"(?:[&!][^\s]*\s*)+")
_BLOCK_SCALAR = re.compile(rb"[|>][-+0-9]*\s*(?:#.*)?$")
_COMMENT = re.compile(rb"(?:^|\s)#.*$")
_ITEM = re.compile(rb"-(?:\s+|$)")
#: Keys whose values name an item, the best first.
NAMING_KEYS = (
    b"name",
    b"id",
    b"title",
    b"key",
    b"path",
    b"alert",
    b"job_name",
    b"host",
    b"kind",
    b"type",
    b"uses",
    b"run",
)


@dataclass(frozen=True, slots=True)
class Said:
    """A key or an item: its name (empty for an item), its value on the same line, and whether lines below nest in it."""

    name: bytes
    value: bytes
    is_item: bool
    holds_more: bool


def read_line(text: bytes) -> Said | None:
    """What a line, given without its indentation, says; None for what is no structure (text of a scalar, a comment)."""
    if text[:1] == b"-":
        match = _ITEM.match(text)
        if match is None:
            return None
        rest = text[match.end() :]
        value = plain_value(rest)
        is_map = read_line(rest) is not None if rest else False
        return Said(b"", rest.strip(), True, not value or is_map)
    match = _KEY.match(text)
    if match is None:
        return None
    name = match["double"] or match["single"] or match["plain"] or b""
    rest = text[match.end() :].strip()
    return Said(name.strip(), rest, False, not plain_value(rest))


def plain_value(rest: bytes) -> bytes:
    """What is left of a value without anchor, tag and comment. Empty where the value is nested below."""
    if b"#" in rest:
        rest = _COMMENT.sub(b"", rest)
    rest = rest.strip()
    if rest[:1] not in (b"&", b"!"):
        return rest
    match = _PROPERTIES.match(rest)
    return rest[match.end() :] if match is not None else rest


def is_block_scalar(rest: bytes) -> bool:
    """Whether a value is the head of a block scalar."""
    return (b"|" in rest or b">" in rest) and bool(_BLOCK_SCALAR.match(plain_value(rest)))


def unquoted(value: bytes) -> bytes:
    """A short value as it is shown."""
    value = plain_value(value)
    if len(value) > 1 and value[:1] == value[-1:] and value[:1] in b"\"'":
        return value[1:-1]
    return value


def is_marker(text: bytes) -> bool:
    """`---` or `...`, alone or before a blank."""
    return text[:3] in (b"---", b"...") and text[3:4] in (b"", b" ", b"\t", b"\r")
