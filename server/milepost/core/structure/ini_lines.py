"""What a line of an INI file, of TOML or of properties says, and whether a text is one of these."""

from __future__ import annotations

import re

from milepost.core.formats.base import Sample

HEADER = re.compile(rb"[ \t]*\[(\[?)([^\[\]]+(?:\[[^\[\]]*\][^\[\]]*)*)\]\]?[ \t]*(?:[#;].*)?$")
KEY = re.compile(
    rb"[ \t]*((?:\"[^\"]*\"|'[^']*'|@|[^\s=:#;!\[\]\"'{}<>()|,][^=:#\[\]{}<>|\"']{0,80}?)"
    rb"(?:[ \t]*\.[ \t]*(?:\"[^\"]*\"|'[^']*'|[\w-]+))*)[ \t]*[=:](.*)$"
)
COMMENT = re.compile(rb"[ \t]*(?:[#;!]|//)")
TRIPLES = (b'"""', b"'''")
_NAME = re.compile(rb"\"[^\"]*\"|'[^']*'|[^.]+")
_PROPERTY = re.compile(rb"([A-Za-z_][\w.\-/$\[\]]*)[ \t]*[=:]")
_NO_HEADER = re.compile(rb":\s|=\s*\d|^\d+[:.\-]\d|^\s*\w+=\S+,")
_CODE = re.compile(rb"[;{}]\s*$|^\s*(?:if|for|def|class|import|return|export)\b")


def names_of(header: bytes) -> list[bytes]:
    """The parts of a dotted name; a quoted part is one."""
    return [part.strip(b"\"' \t") for part in _NAME.findall(header) if part.strip()]


def opens_array(value: bytes) -> bool:
    """Whether a value is a list that goes on in the next line."""
    value = value.split(b"#")[0].strip()
    return value.startswith(b"[") and value.count(b"[") > value.count(b"]")


def opens_text(value: bytes) -> bytes:
    """The quotes that end a text of several lines that begins here; empty if none does."""
    return next((triple for triple in TRIPLES if value.count(triple) == 1), b"")


def sniff_ini(sample: Sample) -> float:
    """How sure it is: headers in brackets with nothing but keys between them, or nothing but properties."""
    name = sample.name.lower()
    headers = keys = other = dotted = equals = 0
    until = b""
    in_array = False
    lines = sample.lines[:1000]
    for line in lines:
        if other > 0.1 * len(lines):
            return 0.0  # too much for whatever is still to come
        stripped = line.strip()
        if until:
            until = b"" if until in line else until
            continue
        if in_array:
            in_array = not stripped.startswith(b"]")
            continue
        if not stripped:
            continue
        if COMMENT.match(line):
            continue
        header = HEADER.match(line) if line[:1] == b"[" else None
        if header is not None:
            # Headers with times, or with values in them, are those of a log.
            headers += not _NO_HEADER.search(header[2])
            other += bool(_NO_HEADER.search(header[2]))
            continue
        match = KEY.match(line)
        if match is None or _CODE.search(line):
            # A line that is indented goes on with the value before; systemd and properties end such lines in a backslash.
            if not (line[:1] in b" \t" and keys):
                other += 1
            continue
        keys += 1
        dotted += b"." in match[1]
        equals += line[match.end(1) :].lstrip()[:1] == b"="
        until = opens_text(match[2])
        in_array = not until and opens_array(match[2])
    if headers and keys >= 2:
        if other > 0.1 * (keys + headers) or (equals < 0.6 * keys and not name.endswith((".ini", ".cfg", ".conf"))):
            return 0.0
        return 0.88 if keys >= headers * 0.5 else 0.4
    if headers or keys < 3 or other > 0.02 * keys:
        return 0.0
    properties = sum(1 for line in lines if _PROPERTY.match(line))
    if properties < 0.95 * keys:
        return 0.0
    if name.endswith((".properties", ".env", ".cfg", ".conf", ".toml", ".ini")):
        return 0.85
    return 0.7 if dotted >= 0.5 * keys and equals >= 0.9 * keys else 0.0
