"""Feeding the JSON scanners by hand, and documents to feed them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies
from naive import LINE, lines_of, starts_of

from milepost.core.outline import Section, walk
from milepost.core.scan import Block, Context, End, Findings, Scan, Scanner
from milepost.core.source import BytesSource
from milepost.core.structure.json_scanner import JsonScanner

Make = Callable[[Context], Scanner]

#: Keys and strings with everything that a careless scan trips over.
text = strategies.one_of(
    strategies.sampled_from(
        ["", "a", "name", "id", '"', "\\", '\\"', "{", "]", ",", ":", "é", "🌍", "a,b", "\n", "[{", "//"]
    ),
    strategies.text(max_size=8),
)
scalars = strategies.one_of(
    strategies.none(),
    strategies.booleans(),
    strategies.integers(),
    strategies.floats(allow_nan=False, allow_infinity=False),
    text,
)
values = strategies.recursive(
    scalars,
    lambda inner: strategies.one_of(
        strategies.lists(inner, max_size=6), strategies.dictionaries(text, inner, max_size=6)
    ),
    max_leaves=40,
)
#: How a document is written: indented or not, escaped or not, with line ends of each kind.
styles = strategies.tuples(
    strategies.sampled_from([None, 0, 2]), strategies.booleans(), strategies.sampled_from(["\n", "\r\n", "\r"])
)


def written(value: Any, style: tuple[int | None, bool, str]) -> bytes:
    """A document as bytes."""
    indent, escaped, line_end = style
    plain = json.dumps(value, indent=indent, ensure_ascii=escaped)
    return plain.replace("\n", line_end).encode("utf-8", "surrogatepass") if indent is not None else plain.encode()


def scanned(make: Make, data: bytes, context: Context | None = None) -> Findings:
    """What a scanner finds, fed by the driver."""
    scan = Scan(BytesSource("x", data), make(context or Context(total_bytes=len(data))))
    scan.run()
    return scan.result().findings


def in_blocks(make: Make, data: bytes, cuts: list[int]) -> Findings:
    """What a scanner finds, fed blocks that are cut anywhere (a CRLF excepted, which the driver never splits).

    A scanner that waits for more is made to look at each block at once.
    """
    scanner = make(Context(total_bytes=len(data)))
    for block in blocks(data, cuts):
        scanner.feed(block)
        if isinstance(scanner, JsonScanner):
            scanner.settle()
    return scanner.finish(End(len(data), len(lines_of(data))))


def blocks(data: bytes, cuts: list[int]) -> Iterator[Block]:
    """`data` as blocks."""
    places = sorted({place % (len(data) + 1) for place in cuts} | {len(data)})
    start, line, starts_line = 0, 1, True
    for end in places:
        if data[end - 1 : end + 1] == b"\r\n":
            end += 1
        if end <= start:
            continue
        part = data[start:end]
        ends_line = part.endswith((b"\n", b"\r"))
        yield Block(start, line, part, starts_line, ends_line)
        line += len(LINE.findall(part)) - (0 if ends_line else 1)
        start, starts_line = end, ends_line


def check_ranges(sections: tuple[Section, ...], data: bytes) -> None:
    """Top-level sections join to the whole; children lie within, in order; lines and columns agree with the bytes."""
    at = 0
    for section in sections:
        assert section.start_byte == at
        at = section.end_byte
    assert at == len(data)
    starts = [*starts_of(data), len(data)]
    for section in walk(sections):
        inside = section.start_byte
        for child in section.children:
            assert inside <= child.start_byte < child.end_byte <= section.end_byte
            inside = child.end_byte
        assert starts[section.start_line - 1] + units_to_bytes(
            data, starts, section.start_line, section.start_column
        ) == (section.start_byte)
        if section.end_column is None:
            assert starts[section.end_line] == section.end_byte
        else:
            end = starts[section.end_line - 1] + units_to_bytes(data, starts, section.end_line, section.end_column)
            assert end == section.end_byte


def units_to_bytes(data: bytes, starts: list[int], line: int, column: int | None) -> int:
    """How many bytes of a line its first `column` UTF-16 units are."""
    if not column:
        return 0
    characters = data[starts[line - 1] : starts[line]].decode("utf-8", "surrogatepass")
    units = characters.encode("utf-16-le", "surrogatepass")[: 2 * column]
    return len(units.decode("utf-16-le", "surrogatepass").encode("utf-8", "surrogatepass"))
