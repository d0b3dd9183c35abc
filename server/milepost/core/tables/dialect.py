"""How a table is written: what separates its fields, what quotes them, where its header is. Told from its head.

Each candidate is tried with Python's `csv` on the first records; the best is the one under which most records have the
same number of fields and most fields look like values. The idea of weighing the pattern of the records by the types of
the cells is that of van den Burg, Nazábal and Sutton, "Wrangling messy CSV files by detecting row and type patterns"
(2019).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice

from milepost.core.tables.values import kind_of

#: So much of the head is tried, and so many records of it.
SNIFF_BYTES = 48 << 10
SNIFF_RECORDS = 200
_DELIMITERS = ",;\t|:^~\x01\x1f#&*! "
_BOM = b"\xef\xbb\xbf"
_NAME = re.compile(r"[^\W\d](?:[\w .%()/#&'?+:°€$-]{0,78}[\w.%)?#:$])?", re.UNICODE)
_APOSTROPHE_OPENS = re.compile(r"(?:^|[,;\t|])'", re.MULTILINE)
_IN_APOSTROPHES = re.compile(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\r\n]|\Z)", re.MULTILINE)
_WORD = re.compile(r"[\w.@+/-]{1,40}", re.UNICODE)
_PROSE = re.compile(r"\w+ \w+ \w+ \w+|[.!?] \w")


@dataclass(frozen=True, slots=True)
class Dialect:
    """The bytes that structure a table; -1 for one that is not used."""

    delimiter: int = 0x2C
    quote: int = 0x22
    escape: int = -1
    skip_space: bool = False
    comments: bool = False

    def reader(self, text: str, limit: int | None = SNIFF_RECORDS + 50) -> list[list[str]]:
        """The records of a piece of text that was decoded as latin-1, blank lines left out."""
        arguments = {
            "delimiter": chr(self.delimiter) if self.delimiter >= 0 else "\x1e",
            "skipinitialspace": self.skip_space,
            "escapechar": chr(self.escape) if self.escape >= 0 else None,
        }
        if self.quote >= 0:
            arguments["quotechar"] = chr(self.quote)
        else:
            arguments["quoting"] = csv.QUOTE_NONE
        rows: list[list[str]] = []
        with suppress(csv.Error):
            found = csv.reader(io.StringIO(text.replace("\0", "\x02"), newline=""), **arguments)  # type: ignore[arg-type]
            rows.extend(row for row in islice(found, limit) if row)
        return rows

    def facts(self) -> dict[str, str]:
        """The dialect in words, as JSON values."""
        names = {0x09: "tab", 0x20: "space", -1: "none"}

        def one(byte: int) -> str:
            return names.get(byte, chr(byte) if 0x20 < byte < 0x7F else f"0x{byte:02x}")

        facts = {"delimiter": one(self.delimiter), "quote": one(self.quote)}
        if self.escape >= 0:
            facts["escape"] = one(self.escape)
        if self.comments:
            facts["comments"] = "#"
        return facts


@dataclass(frozen=True, slots=True)
class Guess:
    """What the head of a text looks like as a table.

    `columns` fields in most records; `consistency` the share of records that have so many; `typed` the share of cells
    that look like values; `preamble` records come before the table proper, whose first is a header if `has_header`.
    """

    dialect: Dialect
    columns: int = 1
    records: int = 0
    consistency: float = 0.0
    typed: float = 0.0
    preamble: int = 0
    has_header: bool = False
    names: tuple[str, ...] = ()
    score: float = 0.0


def guess_table(head: bytes, whole: bool, encoding: str = "utf-8") -> Guess:
    """The best reading of the head of a text as a table. Always answers; `score` and `consistency` say how good it is."""
    sample = _sample(head, whole)
    text = sample.decode("latin-1")
    comments = _has_comments(text)
    best = Guess(Dialect(comments=comments))
    for dialect in _candidates(text, comments):
        guess = _tried(dialect, text)
        if guess.score > best.score + 1e-9:
            best = guess
    if best.columns < 2:
        return _single_column(text, comments, encoding)
    rows = _table_rows(best, text)
    return _with_header(best, rows, encoding)


def _sample(head: bytes, whole: bool) -> bytes:
    head = head.removeprefix(_BOM)
    if len(head) <= SNIFF_BYTES:
        sample = head
    else:
        sample, whole = head[:SNIFF_BYTES], False
    if not whole:
        end = max(sample.rfind(b"\n"), sample.rfind(b"\r", 0, len(sample) - 1)) + 1
        sample = sample[:end] if end else sample
    return sample


def _has_comments(text: str) -> bool:
    """Whether lines that begin with `#` are remarks: some do at the head, or blank-hash ones among records."""
    lines = [line for line in text.splitlines()[:SNIFF_RECORDS] if line]
    marked = [line for line in lines if line.startswith("#")]
    return bool(marked) and len(marked) * 2 < len(lines)


def _candidates(text: str, comments: bool) -> list[Dialect]:
    quotes = [0x22]
    opened = len(_APOSTROPHE_OPENS.findall(text))
    if opened >= 3 and len(_IN_APOSTROPHES.findall(text)) >= opened * 0.6:
        quotes.append(0x27)
    dialects = []
    for delimiter in _DELIMITERS:
        if delimiter not in text:
            continue
        for quote in quotes:
            mark = chr(quote)
            spaced = text.count(f"{delimiter} {mark}") if delimiter != " " else 0
            skip = spaced > 0
            escapes = len(re.findall(rf"\\{mark}(?![{re.escape(delimiter)}\r\n])", text))
            escaped = escapes > 0 and escapes >= text.count(mark * 2) // 4
            dialects.append(Dialect(ord(delimiter), quote, 0x5C if escaped else -1, skip, comments))
    return dialects


def _tried(dialect: Dialect, text: str) -> Guess:
    rows = _without_remarks(dialect.reader(text), dialect)[:SNIFF_RECORDS]
    guess = Guess(dialect, records=len(rows))
    if not rows:
        return guess
    columns = _columns([len(row) for row in rows])
    if columns < 2:
        return guess
    same = [row for row in rows if len(row) == columns]
    first = next(index for index, row in enumerate(rows) if len(row) == columns)
    preamble = first if len(rows) - first >= 2 else 0
    consistency = len(same) / (len(rows) - preamble / 2)
    if chr(dialect.delimiter) not in ",;\t|" and (len(same) < 4 or consistency < 0.8):
        return guess
    typed = _typed_share(same[:80])
    used = sum(any(row[index] for row in same) for index in range(columns)) if columns < 200 else columns
    if used < 2:  # each line ends in the delimiter, and that is all
        return guess
    width = 1 - 1 / (columns + 1)
    score = consistency**2 * (0.2 + 0.8 * typed) * width
    if not preamble and all(_NAME.fullmatch(cell.strip()) for cell in rows[0] if cell):
        score *= 1.1
    if chr(dialect.delimiter) in " :#&*!":  # common inside values, rare between them
        score *= 0.6
    return replace(guess, columns=columns, consistency=consistency, typed=typed, preamble=preamble, score=score)


def _columns(lengths: list[int]) -> int:
    """How many fields a record has: what is most common, not counting single ones among wider."""
    counts = Counter(lengths)
    if len(counts) > 1 and counts[1] * 2 < len(lengths):
        del counts[1]
    return max(counts, key=lambda length: (counts[length], length))


def _without_remarks(rows: list[list[str]], dialect: Dialect) -> list[list[str]]:
    if not dialect.comments:
        return rows
    width = _columns([len(row) for row in rows]) if rows else 0
    return [row for row in rows if not row[0].startswith("#") or len(row) == width > 1]


def _typed_share(rows: list[list[str]]) -> float:
    total = good = 0.0
    for row in rows:
        for cell in row[:60]:
            total += 1
            if kind_of(cell.encode("latin-1")) != "text":
                good += 1
            elif _WORD.fullmatch(cell):
                good += 0.9
            elif len(cell) < 200 and not any(mark in cell for mark in ';|\t"{}<>='):
                good += 0.6
            elif len(cell) < 2000:
                good += 0.2
    return good / total if total else 0.0


def _table_rows(guess: Guess, text: str) -> list[list[str]]:
    rows = _without_remarks(guess.dialect.reader(text), guess.dialect)
    return rows[guess.preamble :]


def _with_header(guess: Guess, rows: list[list[str]], encoding: str) -> Guess:
    # Titles above a table may be padded with empty fields to its width.
    padded = next((index for index, row in enumerate(rows[:12]) if sum(map(bool, row)) * 2 >= len(row)), 0)
    for skipped in (padded, 0) if padded and guess.columns > 2 else (0,):
        top, below = rows[skipped], [row for row in rows[skipped + 1 :] if len(row) == guess.columns][:100]
        names = tuple(_decoded(cell, encoding).strip().lstrip("#").strip() for cell in top[: guess.columns])
        names += ("",) * (guess.columns - len(names))
        if is_header(names, [[_decoded(cell, encoding) for cell in row] for row in below]):
            named = tuple(name or f"column {index + 1}" for index, name in enumerate(names))
            return replace(guess, has_header=True, names=named, preamble=guess.preamble + skipped)
    return replace(guess, names=tuple(f"column {index + 1}" for index in range(guess.columns)))


def is_header(top: tuple[str, ...], below: list[list[str]]) -> bool:
    """Whether the first record of a table names its columns, judged by the records below it."""
    filled = [name for name in top if name]
    if not filled or len(filled) * 2 < len(top):
        return False
    kinds = [kind_of(name.encode("utf-8", "replace")) for name in top]
    plain = sum(kind in ("text", "empty", "boolean") for kind in kinds)
    years = sum(kind == "integer" and 1800 < int(name) < 2200 for kind, name in zip(kinds, top, strict=True))
    if plain + years < len(top) or plain == kinds.count("empty"):
        return False
    if not below:
        return all(_NAME.fullmatch(name) for name in filled)
    differs = same = 0
    for index, name in enumerate(top):
        column = [row[index] for row in below if index < len(row)]
        found = Counter(kind_of(cell.encode("utf-8", "replace")) for cell in column)
        del found["empty"]
        if name and name in column:
            same += 1
        elif found and found["text"] * 5 < sum(found.values()) and kinds[index] == "text":
            differs += 1
    if same * 4 > len(filled):
        return False
    if differs or len(top) == 1:
        return differs > 0
    repeated = len(filled) - len(set(filled))
    return (
        repeated * 4 <= len(filled) and sum(bool(_NAME.fullmatch(name)) for name in filled) + years >= len(filled) * 0.8
    )


def _single_column(text: str, comments: bool, encoding: str) -> Guess:
    dialect = Dialect(-1, 0x22, comments=comments)
    rows = _without_remarks(dialect.reader(text), dialect)
    guess = Guess(dialect, 1, len(rows), 1.0, 0.0)
    return _with_header(guess, rows, encoding) if rows else replace(guess, names=("column 1",))


def _decoded(cell: str, encoding: str) -> str:
    return cell.encode("latin-1", "replace").decode(encoding, "replace")
