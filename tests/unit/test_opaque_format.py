"""Binary data written as text: each run one node with its size and what it holds, alone in a file or inside a text."""

from __future__ import annotations

import base64
import binascii
import gzip
import random

import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline, Section
from milepost.core.source import BytesSource

CONTENT = gzip.compress(random.Random(1).randbytes(60_000), mtime=0)


def outline_of(data: bytes, name: str = "x", format_name: str | None = None) -> Outline:
    """The outline of a file of these bytes."""
    return Analysis(BytesSource(name, data), Options(format=format_name)).outline()


def runs_of(outline: Outline) -> list[Section]:
    """The runs in an outline."""
    return [section for section in outline.sections if section.kind == "opaque"]


def as_xxd(content: bytes) -> bytes:
    """What `xxd` writes."""
    rows = [content[start : start + 16] for start in range(0, len(content), 16)]
    lines = []
    for number, row in enumerate(rows):
        pairs = " ".join(row[at : at + 2].hex() for at in range(0, len(row), 2))
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{16 * number:08x}: {pairs:<39}  {text}\n")
    return "".join(lines).encode()


def as_hexdump(content: bytes) -> bytes:
    """What `hexdump -C` writes, its star for what repeats included."""
    lines, before = [], b""
    for start in range(0, len(content), 16):
        row = content[start : start + 16]
        if row == before:
            if lines[-1] != "*\n":
                lines.append("*\n")
            continue
        pairs = " ".join(f"{byte:02x}" for byte in row[:8]) + "  " + " ".join(f"{byte:02x}" for byte in row[8:])
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        lines.append(f"{start:08x}  {pairs:<48}  |{text}|\n")
        before = row
    return ("".join(lines) + f"{len(content):08x}\n").encode()


def as_uu(content: bytes) -> bytes:
    """What `uuencode` writes."""
    rows = [binascii.b2a_uu(content[start : start + 45]) for start in range(0, len(content), 45)]
    return b"begin 644 data.gz\n" + b"".join(rows) + b"`\nend\n"


ENCODED = {
    "base64": base64.encodebytes(CONTENT),
    "hex": b"".join(CONTENT[start : start + 30].hex().encode() + b"\n" for start in range(0, len(CONTENT), 30)),
    "xxd": as_xxd(CONTENT),
    "hexdump": as_hexdump(CONTENT),
    "uuencode": as_uu(CONTENT),
}


@pytest.mark.parametrize("kind", ENCODED)
def test_a_whole_file_is_one_run(kind: str) -> None:
    """It is told without its name, and what it decodes to is named with its size."""
    outline = outline_of(ENCODED[kind])
    assert outline.format == "opaque"
    (run,) = outline.sections
    assert (run.kind, run.facts["encoding"], run.facts["content"]) == ("opaque", kind, "gzip")
    if kind != "uuencode":
        assert run.facts["decoded_bytes"] == len(CONTENT)


def test_runs_lie_inside_a_text() -> None:
    """Text before, between and behind stays text; runs begin and end at their own lines."""
    before, between, after = b"A letter.\n\nThe picture:\n", b"\nAnd a dump:\n\n", b"That was all.\n"
    data = before + ENCODED["base64"] + between + ENCODED["hexdump"] + after
    outline = outline_of(data, format_name="text")
    first, second = runs_of(outline)
    assert data[first.start_byte : first.end_byte] == ENCODED["base64"] + b"\n"
    assert data[second.start_byte : second.end_byte] == ENCODED["hexdump"]
    assert outline.sections[-1].title == "That was all."
    assert outline.stats["opaque_bytes"] == len(ENCODED["base64"] + ENCODED["hexdump"]) + 1


def test_keys_and_certificates_are_named() -> None:
    """A chain of PEM blocks, each with its label, and the text between them."""
    body = base64.encodebytes(random.Random(2).randbytes(900)).replace(b"\n", b"")
    lines = b"\n".join(body[start : start + 64] for start in range(0, len(body), 64))
    blocks = [
        b"-----BEGIN %s-----\n%s\n-----END %s-----\n" % (name, lines, name) for name in (b"CERTIFICATE", b"PRIVATE KEY")
    ]
    outline = outline_of(blocks[0] + b"Bag Attributes\n" + blocks[1] + blocks[0], "chain.pem")
    assert outline.format == "opaque"
    assert [one.title for one in outline.sections] == ["CERTIFICATE", "Bag Attributes", "PRIVATE KEY", "CERTIFICATE"]


def test_a_giant_line_is_a_run_by_itself() -> None:
    """Base64 without line ends, also over several blocks; one character that does not belong makes it text."""
    encoded = base64.b64encode(CONTENT * 120)
    assert len(encoded) > 9 << 20
    (run,) = outline_of(encoded).sections
    assert (run.kind, run.facts["decoded_bytes"], run.facts["content"]) == ("opaque", len(CONTENT) * 120, "gzip")
    (text,) = outline_of(encoded[: 8 << 20] + b" " + encoded[8 << 20 :], format_name="text").sections
    assert text.kind == "paragraph"
    (uri,) = runs_of(outline_of(b"data:image/png;base64," + base64.b64encode(CONTENT) + b"\n", format_name="text"))
    assert uri.title == "data URI, image/png"


def test_dumps_with_stars_are_one_run() -> None:
    """What repeats is left out by a star; the dump goes on behind it."""
    content = CONTENT[:5_000] + bytes(4_096) + CONTENT[5_000:9_000] + bytes(64) + CONTENT[:50]
    (run,) = outline_of(as_hexdump(content)).sections
    assert run.facts["decoded_bytes"] == len(content)


@pytest.mark.parametrize(
    "text",
    [
        ">gene\n" + ("ACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCAACGTTGCA\n" * 400),
        ("the_same_identifier_in_each_line_of_this_file_again\n" * 400),
        ("2026-11-30 10:00:00 INFO something happened here again\n" * 400),
        ("1234567890123456789012345678901234567890\n" * 400),
        "-----BEGIN of a quotation-----\n" + "words\n" * 400,
    ],
)
def test_what_is_no_data(text: str) -> None:
    """Lines of one length that are genes, names, numbers or logs."""
    outline = outline_of(text.encode())
    assert outline.format != "opaque"
    assert not runs_of(outline_of(text.encode(), format_name="text"))
