"""Whether a text is a table at all. Strict: prose, logs and code have commas too."""

from __future__ import annotations

import re

from milepost.core.formats.base import Sample
from milepost.core.tables.dialect import Guess, guess_table
from milepost.core.tables.values import kind_of

_STRUCTURED = re.compile(rb"\s*[\[{<]")
_STATEMENT = re.compile(
    rb"(?i)\s*(?:insert\s+into|create\s+|select\s|#include|#define|import\s|package\s|//|/\*|\*|<\?|@|\}|\{|def\s|---\s*$|"
    rb"\w+\s*:=|return\b)"
)
_PROSE = re.compile(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}.* [a-z]{2,}")
_MESSAGE = re.compile(r"(?i)\b(?:info|debug|warn|warning|error|fatal|trace|notice)\b.{8}")


def table_score(sample: Sample) -> float:
    """How sure it is that the text is a table of delimited fields, 0 to 1."""
    lines = [line for line in sample.lines if line.strip()]
    if not lines or b"\0" in sample.head[:4096].replace(b"\0\0", b""):
        return 0.0
    firsts = lines[:60]
    if sum(bool(_STRUCTURED.match(line)) for line in firsts) * 2 > len(firsts):
        return 0.0
    if sum(bool(_STATEMENT.match(line)) for line in firsts) * 5 > len(firsts):
        return 0.0
    guess = guess_table(sample.head, sample.whole)
    if guess.columns < 2:
        return 0.0
    score = _judged(guess, sample)
    if not score and sample.name.lower().endswith((".csv", ".tsv", ".psv")) and guess.consistency >= 0.5:
        return 0.3  # with what the name is worth, enough where nothing else is known
    return score


def _judged(guess: Guess, sample: Sample) -> float:
    text = sample.head[: 48 << 10].decode("latin-1")
    rows = guess.dialect.reader(text)[guess.preamble :]
    if not sample.whole:
        rows = rows[:-1]
    body = [row for row in rows[guess.has_header :] if len(row) == guess.columns]
    delimiter = chr(guess.dialect.delimiter) if guess.dialect.delimiter >= 0 else ""
    cells = [cell for row in body[:100] for cell in row]
    filled = [cell for cell in cells if cell]
    values = sum(kind_of(cell.encode("latin-1")) != "text" for cell in filled) / max(1, len(filled))
    prose = sum(bool(_PROSE.search(cell)) for cell in filled) / max(1, len(filled))
    quoted = text.count(f'"{delimiter}"') > len(body) // 2
    if delimiter not in ",;\t|" and (not guess.has_header or values < 0.3 or guess.columns < 3):
        return 0.0
    if delimiter == " ":
        return 0.0
    spaced = sum(cell.startswith(" ") for cell in filled) / max(1, len(filled))
    if delimiter == "|" and (spaced > 0.5 or any("---" in cell for cell in cells[:200])):
        return 0.0  # a table drawn in Markdown or by a database's shell
    if guess.has_header and not body:
        tokens = all(len(name) < 40 for name in guess.names)
        return 0.4 if tokens and guess.columns >= 4 and guess.records == 1 else 0.0
    if len(body) < 3:
        good = guess.consistency == 1.0 and prose == 0 and (guess.has_header or values > 0.4 or quoted)
        return 0.42 if good else 0.0
    if guess.consistency < (0.75 if guess.has_header and len(body) >= 10 else 0.9):
        return 0.0
    if not guess.has_header:
        messages = sum(any(_MESSAGE.search(cell) for cell in row) for row in body[:100])
        if messages * 3 > len(body[:100]) or (values < 0.2 and not quoted) or (prose > 0.3 and not quoted):
            return 0.0
        if guess.columns == 2 and (values < 0.45 or guess.consistency < 0.98):
            return 0.0
        return min(0.8, 0.55 + 0.02 * min(10, len(body)) + 0.05 * min(guess.columns - 2, 3))
    if guess.columns == 2 and prose > 0.3 and delimiter in ",;" and not quoted:
        return 0.0
    certain = guess.consistency >= 0.95 and guess.columns >= 3 and len(body) >= 5
    return 0.92 if certain else 0.7 if len(body) >= 5 else 0.5
