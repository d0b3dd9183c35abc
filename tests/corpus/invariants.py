"""What must be true of every outline of every file, checked against the file's bytes.

Nothing here uses Milepost's own line counting, decoding or clipping: lines are found with plain regular expressions and
`bytes.decode`, so that a fault there cannot hide itself. Each check returns the faults it found as sentences.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from milepost.core.outline import Outline, Section

TITLE_MAX_BYTES = 120
DIGEST_MAX_BYTES = 240
BIG_BYTES = 96 * 1024
UNIT_BYTES = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}

# Formats whose content has no parts by its nature: a leaf may be as big as it likes.
UNSTRUCTURED = {"text", "binary"}
# Kinds that may stay whole however much of a big file they hold, by format ("" is any), with the reason.
INDIVISIBLE: dict[tuple[str, str], str] = {
    ("", "nul_run"): "nothing but zeros",
    ("", "opaque"): "base64, a hex dump: no part says more than another",
    ("", "error"): "what could not be read has no parts that are known",
    ("csv", "record"): "one record with a giant quoted field is one thing",
    ("sql", "statement"): "one statement is one thing, though it has thousands of lines",
    ("sql", "function"): "a routine is shown whole",
    ("sql", "table"): "a definition is one statement",
    ("log", "incident"): "an error is one node with its stack trace",
}


@dataclass(frozen=True, slots=True)
class LineTable:
    """Where the lines of a file start, counted plainly."""

    starts: tuple[int, ...]
    size: int
    lone_cr: int
    line_feeds: int
    crlf: int

    @classmethod
    def of(cls, data: bytes, encoding: str) -> LineTable:
        """Count the lines of `data`: LF, CRLF or a lone CR ends one."""
        width = UNIT_BYTES.get(encoding, 1)
        ends = []
        lone_cr = line_feeds = crlf = 0
        if width == 1:
            found = ((match.group(), match.end()) for match in re.finditer(rb"\r\n|\n|\r", data))
        else:
            # One character a code unit, so that an index in this text is an index of code units.
            codec = "utf-32-" + encoding[-2:]
            units = data[: len(data) - len(data) % width]
            if width == 2:
                low, high = (units[0::2], units[1::2]) if encoding.endswith("le") else (units[1::2], units[0::2])
                text = "".join(chr(a) if b == 0 else "." for a, b in zip(low, high, strict=True))
            else:
                text = units.decode(codec, "replace")
            found = ((match.group().encode(), width * match.end()) for match in re.finditer("\r\n|\n|\r", text))
        for end, offset in found:
            ends.append(offset)
            lone_cr += end == b"\r"
            line_feeds += end == b"\n"
            crlf += end == b"\r\n"
        starts = ([0] if data else []) + [offset for offset in ends if offset < len(data)]
        return cls(tuple(starts), len(data), lone_cr, line_feeds, crlf)

    @property
    def total(self) -> int:
        """How many lines there are; a last line without an end counts."""
        return len(self.starts)

    @property
    def line_ending(self) -> str:
        """Which line end the file uses."""
        used = [
            name
            for name in ("lf", "crlf", "cr")
            if {"lf": self.line_feeds, "crlf": self.crlf, "cr": self.lone_cr}[name]
        ]
        return used[0] if len(used) == 1 else ("mixed" if used else "none")

    def start(self, line: int) -> int:
        """Where the 1-based `line` starts; the file's size for the line after the last."""
        return self.starts[line - 1] if line <= self.total else self.size

    def line_of(self, offset: int) -> int:
        """The 1-based line that holds the byte at `offset`."""
        return bisect_right(self.starts, offset)


class Columns:
    """How many UTF-16 code units lie between the start of a line and an offset in it, by decoding what lies between.

    A line of 80 MB is asked about thousands of times, so each answer starts from the nearest one before it.
    """

    def __init__(self, table: LineTable, encoding: str, data: bytes) -> None:
        self.encoding = encoding
        self._table = table
        self._data = data
        self._known: dict[int, list[tuple[int, int]]] = {}

    def units(self, line: int, offset: int) -> int | None:
        """The column of a byte in a line; None where the bytes before it are no text of the encoding."""
        start = self._table.start(line)
        known = self._known.setdefault(line, [(start, 0)])
        place = bisect_right(known, offset, key=lambda one: one[0])
        before, units = known[place - 1]
        try:
            text = self._data[before:offset].decode(self.encoding)
        except UnicodeDecodeError:
            return None
        if before == 0:
            text = text.removeprefix("\ufeff")
        units += len(text.encode("utf-16-le", "surrogatepass")) // 2
        if offset > before:
            known.insert(place, (offset, units))
        return units


def walk(sections: tuple[Section, ...]) -> Iterator[tuple[Section, int]]:
    """Every section with its depth."""
    for section in sections:
        yield section, 0
        for child, depth in walk(section.children):
            yield child, depth + 1


def check_outline(outline: Outline, data: bytes, *, max_nodes: int = 5000) -> list[str]:
    """All faults of `outline`, which is claimed to be the exact one of a file that holds `data`."""
    table = LineTable.of(data, outline.encoding)
    faults = check_totals(outline, table)
    faults += check_cover(outline, table)
    columns = Columns(table, outline.encoding, data)
    for section, _ in walk(outline.sections):
        faults += check_range(section, table, columns)
        faults += check_labels(section)
    faults += check_nodes(outline, max_nodes)
    faults += check_leaves(outline, table, data)
    return faults


def check_totals(outline: Outline, table: LineTable) -> list[str]:
    """What the outline says of the whole file. A binary file has bytes only."""
    faults = []
    if outline.total_bytes != table.size:
        faults.append(f"total_bytes is {outline.total_bytes}, the file has {table.size}")
    if outline.state != "exact":
        faults.append(f"state is {outline.state}, exact was asked for")
    if outline.encoding == "binary":
        return faults
    claims = {"total_lines": table.total, "lone_cr": table.lone_cr, "line_ending": table.line_ending}
    for name, value in claims.items():
        if getattr(outline, name) != value:
            faults.append(f"{name} is {getattr(outline, name)}, a plain count gives {value}")
    return faults


def check_cover(outline: Outline, table: LineTable) -> list[str]:
    """Invariant 1: top-level sections join to the whole file; children lie in their parent, in order, disjoint."""
    faults = []
    at = 0
    for section in outline.sections:
        if section.start_byte != at:
            faults.append(f"{section.id} starts at byte {section.start_byte}, the one before ends at {at}")
        at = section.end_byte
    if at != table.size and not (outline.encoding == "binary" and not outline.sections):
        faults.append(f"the last section ends at byte {at}, the file at {table.size}")
    for section, _ in walk(outline.sections):
        at, line = section.start_byte, section.start_line
        for child in section.children:
            if child.start_byte < at or child.end_byte > section.end_byte:
                faults.append(
                    f"{child.id} [{child.start_byte}, {child.end_byte}) lies outside {section.id} or its elder"
                )
            if child.start_line < line or child.end_line > section.end_line:
                faults.append(
                    f"{child.id} lines {child.start_line}-{child.end_line} lie outside {section.id} or its elder"
                )
            at = child.end_byte
            # A child that begins inside the line in which its elder ends shares that line with it.
            line = child.end_line if child.end_column is not None else child.end_line + 1
    return faults


def check_range(section: Section, table: LineTable, columns: Columns) -> list[str]:
    """Invariant 2: the lines of a section are its bytes."""
    name = (
        f"{section.id} (lines {section.start_line}-{section.end_line}, bytes {section.start_byte}-{section.end_byte})"
    )
    if not 0 <= section.start_byte < section.end_byte <= table.size:
        return [f"{name}: no range of the file's {table.size} bytes"]
    if columns.encoding == "binary":
        return []
    if not 1 <= section.start_line <= section.end_line <= table.total:
        return [f"{name}: no range of the file's {table.total} lines"]
    faults = []
    if section.start_column is None:
        if table.start(section.start_line) != section.start_byte:
            faults.append(f"{name}: line {section.start_line} starts at byte {table.start(section.start_line)}")
    else:
        faults += check_column(name, section.start_byte, section.start_line, section.start_column, table, columns)
    if section.end_column is None:
        if table.start(section.end_line + 1) != section.end_byte:
            faults.append(f"{name}: line {section.end_line} ends at byte {table.start(section.end_line + 1)}")
    else:
        faults += check_column(name, section.end_byte, section.end_line, section.end_column, table, columns)
    return faults


def check_column(name: str, offset: int, line: int, column: int, table: LineTable, columns: Columns) -> list[str]:
    """A section that begins or ends inside a line: the column counts UTF-16 code units, 0-based."""
    start, end = table.start(line), table.start(line + 1)
    if not start <= offset <= end:
        return [f"{name}: byte {offset} is not in line {line} (bytes {start}-{end})"]
    units = columns.units(line, offset)
    return [] if units in (None, column) else [f"{name}: byte {offset} is column {units}, not {column}"]


def check_labels(section: Section) -> list[str]:
    """Invariant 4, and that nothing in a label acts on a terminal or an editor."""
    faults = []
    for name, text, limit in (("title", section.title, TITLE_MAX_BYTES), ("digest", section.digest, DIGEST_MAX_BYTES)):
        if len(text.encode("utf-8", "surrogatepass")) > limit:
            faults.append(f"{section.id}: {name} is longer than {limit} bytes: {text!r}")
        bad = sorted({character for character in text if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")})
        if bad:
            faults.append(f"{section.id}: {name} holds {bad}: {text!r}")
    if not section.title.strip():
        faults.append(f"{section.id}: the title is empty")
    if section.count < 1:
        faults.append(f"{section.id}: count is {section.count}")
    if section.more is not None and section.more.count < 1:
        faults.append(f"{section.id}: more is given, but its count is {section.more.count}")
    if not 0 <= section.weight <= 1:
        faults.append(f"{section.id}: weight is {section.weight}")
    try:
        facts = json.dumps(dict(section.facts), allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError) as problem:
        faults.append(f"{section.id}: facts are no plain JSON: {problem}")
    else:
        if b"\\u001b" in facts:
            faults.append(f"{section.id}: facts hold an escape sequence: {facts[:200]!r}")
    return faults


def check_nodes(outline: Outline, max_nodes: int) -> list[str]:
    """At most `max_nodes` nodes, each with an id of its own."""
    faults = []
    seen: set[str] = set()
    count = 0
    for section, _ in walk(outline.sections):
        count += 1
        if section.id in seen:
            faults.append(f"{section.id}: the id is given twice")
        seen.add(section.id)
    if count > max_nodes:
        faults.append(f"{count} nodes, the cap is {max_nodes}")
    return faults


def check_leaves(outline: Outline, table: LineTable, data: bytes) -> list[str]:
    """Invariant 1, last part: in a big file of a structured format no leaf holds over a quarter of the lines."""
    if table.size <= BIG_BYTES or outline.format in UNSTRUCTURED or outline.degraded or table.total < 100:
        return []
    faults = []
    for section, _ in walk(outline.sections):
        lines = section.end_line - section.start_line + 1
        if section.children or section.more is not None or lines <= table.total / 4:
            continue
        if {("", section.kind), (outline.format, section.kind)} & INDIVISIBLE.keys():
            continue
        if outline.format == "xml" and data.count(b"<", section.start_byte, section.end_byte) < lines / 100:
            continue  # an element around a text of thousands of lines holds nothing that could be listed
        faults.append(f"{section.id}: a leaf of {lines} lines in a file of {table.total}")
    return faults
