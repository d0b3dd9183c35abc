"""From the core's values to the parts of replies."""

from __future__ import annotations

import base64

from milepost.core.analysis import Analysis
from milepost.core.encoding import Encoding, binary_type, decode
from milepost.core.find import Hit
from milepost.core.magic import decompressor_of
from milepost.core.outline import Outline, Section
from milepost.core.reads import ReadResult
from milepost.core.source import ByteSource, display_path
from milepost.errors import BinaryFile
from milepost.wire import Quote, ReadOn, ReadReply

#: A column is counted in lines up to this length before the hit; the byte range is exact in any.
_COLUMN_BYTES = 4 << 20


def read_reply(name: str, result: ReadResult, encoding: Encoding) -> ReadReply:
    content, lossy = decode(result.content, encoding)
    following = None
    if result.next_byte is not None and result.next_line is not None:
        following = ReadOn(start_byte=result.next_byte, line=result.next_line)
    return ReadReply(
        path=name,
        content=content,
        encoding=encoding.name,
        lossy=lossy,
        start_line=result.start_line,
        end_line=result.end_line,
        start_byte=result.start_byte,
        end_byte=result.end_byte,
        total_lines=result.total_lines,
        truncated=result.truncated,
        omitted_bytes=result.omitted_bytes,
        next=following,
        content_base64=base64.b64encode(result.content).decode() if lossy else None,
    )


def quote_of(hit: Hit, analysis: Analysis, outline: Outline) -> Quote:
    """A hit as it is sent: its line, or as much of a long one as stands around the match."""
    text, _ = decode(hit.text, analysis.encoding)
    column: int | None = None
    before = hit.text_start_byte - hit.line_start_byte
    if 0 < before <= _COLUMN_BYTES:
        prefix, _ = decode(analysis.source.read_at(hit.line_start_byte, before), analysis.encoding)
        column = len(prefix.encode("utf-16-le", "surrogatepass")) // 2
    return Quote(
        text=text,
        start_line=hit.start_line,
        end_line=hit.end_line,
        start_byte=hit.text_start_byte,
        end_byte=hit.text_start_byte + len(hit.text),
        section=innermost(outline.sections, hit.start_byte),
        verified=True,
        start_column=column,
    )


def innermost(sections: tuple[Section, ...], byte: int) -> str | None:
    """The id of the deepest section that holds a byte."""
    found: str | None = None
    level = sections
    while True:
        inside = next((one for one in level if one.start_byte <= byte < one.end_byte), None)
        if inside is None:
            return found
        found, level = inside.id, inside.children


def no_text(source: ByteSource) -> BinaryFile:
    name = binary_type(source.read_at(0, 4096)) or "binary"
    tool = decompressor_of(name)
    hint = f"decompress it first ({tool})" if tool else "read it with a byte range"
    return BinaryFile(f"{display_path(source.name)} holds no text ({name}): {hint}.")
