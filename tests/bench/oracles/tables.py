"""Tables against Python's `csv`, csv-spectrum's own answers and the annotations of Pollock."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from milepost.core.tables.dialect import guess_table
from oracles.base import Check, compare, outline_of

_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "vslash": "|", "space": " "}
_HEAD_BYTES = 256 << 10
_MORE_PIPES = "one line with three times as many pipes as separators: only its name tells"
_MORE_SEMICOLONS = "its cells hold more semicolons than there are commas between them"
#: Files of Pollock whose delimiter is not the one that is found.
_KNOWN = {
    "file_field_delimiter_0x20.csv": "a blank separates cells and words alike",
    "methane_molecular_structure_xyz_20140911.csv": "prose above columns that are laid out with blanks",
    "Pipe character is more frequent than the comma.csv": _MORE_PIPES,
    "Pipe character is more frequent than the semicolon.csv": _MORE_PIPES,
    "test305.csv": _MORE_SEMICOLONS,
    "test306.csv": _MORE_SEMICOLONS,
    "test307.csv": _MORE_SEMICOLONS,
}


def checks(corpus: Path) -> Iterator[Check]:
    """Every comparison of tables."""
    yield compare("csv", "Python's csv", "records and ragged records of whole files", _whole_files(corpus))
    yield compare("csv", "csv-spectrum", "records and fields", _spectrum(corpus / "csv-spectrum"))
    yield from _pollock(corpus / "csvsniffer-pollock")


def _rows_of(path: Path) -> list[list[str]]:
    """The records as Python's `csv` finds them."""
    with path.open(newline="", encoding="latin-1") as file:
        return [row for row in csv.reader(file) if row]


def _whole_files(corpus: Path) -> Iterator[tuple[str, bool]]:
    paths = [corpus / "rust-csv-bench/bench/worldcitiespop.csv", *sorted((corpus / "openflights").glob("*.dat"))]
    paths += sorted((corpus / "loghub-labels").rglob("*structured*.csv"))
    for path in paths:
        stats, expected = outline_of(path, "csv").stats, _rows_of(path)
        fields = stats["fields"]
        theirs = (len(expected) - stats["header"], sum(len(row) != fields for row in expected))
        yield path.name, theirs == (stats["records"], stats.get("ragged_records", 0))


def _spectrum(root: Path) -> Iterator[tuple[str, bool]]:
    for path in sorted((root / "csvs").glob("*.csv")):
        expected = json.loads((root / "json" / f"{path.stem}.json").read_text())
        expected = expected if isinstance(expected, list) else [expected]
        stats = outline_of(path, "csv").stats
        yield path.name, (stats["records"], stats["fields"]) == (len(expected), len(expected[0]))


def _pollock(root: Path) -> Iterator[Check]:
    delimiters: list[tuple[str, bool]] = []
    records: list[tuple[str, bool]] = []
    for listing, folder in (("Dialect_annotations.txt", "CSV"), ("W3C-CSVW-Dialect_annotations.txt", "W3C-CSVW")):
        for row in csv.reader((root / listing).read_text("utf-8-sig").splitlines(), delimiter="|"):
            path = root / folder / row[0]
            delimiter = _DELIMITERS.get(row[2], row[2]) if len(row) > 2 else ""
            if len(delimiter) != 1 or not path.is_file():
                continue
            data = path.read_bytes()
            guess = guess_table(data[:_HEAD_BYTES], True)
            lines = list(csv.reader(data.decode("latin-1").splitlines(), delimiter=delimiter))
            if data[:2] in (b"\xff\xfe", b"\xfe\xff") or sum(len(line) > 1 for line in lines) * 2 < len(lines):
                continue  # UTF-16, or one column: nothing separates fields
            delimiters.append((path.name, guess.dialect.delimiter == ord(delimiter)))
            expected = guess.dialect.reader(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1"), limit=None)
            if guess.dialect.comments:
                expected = [line for line in expected if not line[0].startswith("#") or len(line) == guess.columns]
            count = len(expected) - guess.preamble - guess.has_header
            records.append((path.name, outline_of(path, "csv").stats["records"] == count))
    yield compare("csv", "Pollock's annotations", "delimiters", delimiters, _KNOWN)
    yield compare("csv", "Python's csv", "records of Pollock's files, in the dialect that was found", records)
