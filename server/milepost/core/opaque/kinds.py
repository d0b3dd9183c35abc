"""How binary data is written as text, told by lines, and what a run of such lines decodes to."""

from __future__ import annotations

import base64
import binascii
import re
from contextlib import suppress

import numpy as np

from milepost.core.magic import binary_type
from milepost.core.structure.line_view import table_of

#: So much of a run's beginning is kept, to decode and look at.
HEAD_BYTES = 4096
#: Base64 uses most of its letters; a sequence of genes or a row of digits uses few.
_FEWEST_LETTERS = 20

PEM = re.compile(rb"-----BEGIN ([A-Z0-9][A-Z0-9 #.]{1,60})-----\s*\Z")
PEM_END = b"-----END "
UU = re.compile(rb"begin(-base64)? [0-7]{3,4} (\S.*)")
DATA_URI = re.compile(rb"data:([\w.+-]+/[\w.+-]+)(?:;[\w=.-]+)*;base64,")

#: What every line of a kind looks like, the last one of a run too. In the order in which kinds are tried.
LINES: dict[str, re.Pattern[bytes]] = {
    "xxd": re.compile(rb"([0-9a-f]{6,16}): ((?:[0-9a-f]{2,32} ?)+) .*\Z", re.DOTALL),
    "hexdump": re.compile(rb"([0-9a-f]{7,16})(?:  ?((?:[0-9a-f]{2} +){1,32})\|.*\|?)?\s*\Z", re.DOTALL),
    "od": re.compile(rb"([0-7]{7,16})((?: +[0-7]{3,11}| +[0-9a-f]{2,16}){1,16})?\s*\Z"),
    "hex": re.compile(rb"(?:[0-9a-f]{2})+\Z|(?:[0-9A-F]{2})+\Z"),
    "base64": re.compile(rb"[A-Za-z0-9+/]+={0,2}\Z|[A-Za-z0-9_-]+={0,2}\Z"),
}
NAMES = {
    "xxd": "hex dump (xxd)",
    "hexdump": "hex dump (hexdump)",
    "od": "octal or hex dump (od)",
    "hex": "hex digits",
    "base64": "base64",
    "uuencode": "uuencode",
}
#: Dumps leave out what repeats and write this line.
REPEATED = b"*"
_ALPHABETS = {
    "base64": table_of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-\r\n"),
    "hex": table_of(b"0123456789abcdefABCDEF\r\n"),
}


def kind_of_line(line: bytes) -> str:
    """Which kind a line is of; nothing for a line of text."""
    return next((kind for kind, pattern in LINES.items() if pattern.match(line)), "")


def is_whole(kind: str, data: np.ndarray) -> bool:
    """Whether nothing but the letters of a kind is in a stretch; kinds that show text beside the digits have no limit."""
    alphabet = _ALPHABETS.get(kind)
    return alphabet is None or bool(alphabet[data].all())


def looks_encoded(kind: str, head: bytes) -> bool:
    """Whether the beginning of a stretch is data and no text that uses the same letters."""
    if kind == "hex":
        return len(set(head) & set(b"abcdefABCDEF")) >= 4
    if kind == "base64":
        plain = head.replace(b"\n", b"").replace(b"\r", b"")
        has_all = any(65 <= byte <= 90 for byte in plain) and any(97 <= byte <= 122 for byte in plain)
        return has_all and any(48 <= byte <= 57 for byte in plain) and len(set(plain)) >= _FEWEST_LETTERS
    return True


def decoded_head(kind: str, head: bytes) -> bytes:
    """The first bytes of what a run holds; empty where they cannot be told."""
    lines = head.splitlines()
    if kind in ("base64", "pem"):
        text = b"".join(line for line in lines if not line.startswith(b"-----") and b":" not in line)
        text = text.replace(b"-", b"+").replace(b"_", b"/")
        with suppress(binascii.Error):
            return base64.b64decode(text[: len(text) // 4 * 4])
    elif kind == "hex":
        text = b"".join(lines)
        with suppress(ValueError):
            return bytes.fromhex(text[: len(text) // 2 * 2].decode("ascii"))
    elif kind == "uuencode":
        return _from_uu(lines[1:])
    elif kind in ("xxd", "hexdump"):
        found = b""
        for line in lines[:-1] or lines:
            match = LINES[kind].match(line)
            if match is None or not match[2]:
                break
            with suppress(ValueError):
                found += bytes.fromhex(match[2].decode("ascii"))
        return found
    return b""


def _from_uu(lines: list[bytes]) -> bytes:
    found = b""
    with suppress(binascii.Error):
        for line in lines[:-1]:
            found += binascii.a2b_uu(line)
    return found


def decoded_bytes(kind: str, encoded: int, first: bytes, last: bytes) -> int | None:
    """How many bytes a run holds: from the number of its letters, or from the last offset of a dump."""
    if kind == "base64":
        return encoded * 3 // 4 - (len(last) - len(last.rstrip(b"=")))
    if kind == "hex":
        return encoded // 2
    match = LINES[kind].match(last) if kind in LINES else None
    if match is None:
        return None
    start = LINES[kind].match(first)
    base = 8 if kind == "od" else 16
    rest = len(bytes.fromhex(match[2].decode("ascii"))) if kind in ("xxd", "hexdump") and match[2] else 0
    return int(match[1], base) + rest - (int(start[1], base) if start else 0)


def type_of(content: bytes) -> str:
    """What decoded bytes are: a known type, text, or nothing that can be told."""
    if not content:
        return ""
    found = binary_type(content)
    if found:
        return found
    try:
        text = content[:1024].decode("utf-8", "strict")
    except UnicodeDecodeError as problem:
        if problem.start < len(content[:1024]) - 4:
            return ""
        text = content[: problem.start].decode("utf-8")
    return "text" if text and all(letter.isprintable() or letter in "\n\r\t" for letter in text) else ""
