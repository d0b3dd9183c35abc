"""Tables against oracles (Python's `csv`, csv-spectrum, Pollock), and what their outline costs against `csv` in the same run.

python tests/bench/bench_csv.py [--megabytes 250]
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

import measure
from grow import cache_folder, corpus_folder
from measure import table

from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline
from milepost.core.source import open_source
from milepost.core.tables.dialect import guess_table

HEAD = ("file or set", "what", "oracle", "found", "equal")
MEGABYTE = 1_000_000
# Each child prints the CPU seconds of its work alone, so that starting Python and the command line does not count.
OURS = """
import sys, time
from milepost.core.analysis import Analysis, Options
from milepost.core.source import open_source
with open_source(sys.argv[1]) as source:
    began = time.process_time()
    Analysis(source, Options(format=sys.argv[2])).outline()
    print(time.process_time() - began)
"""
# What reads, counts lines and hashes alone: the floor under every format's scanner.
FLOOR = """
import sys, time
from milepost.core.scan import Findings, Scan
from milepost.core.source import open_source
class Nothing:
    def feed(self, block): block.starts
    def finish(self, end): return Findings(())
with open_source(sys.argv[1]) as source:
    began = time.process_time()
    Scan(source, Nothing()).run()
    print(time.process_time() - began)
"""
_PEER = """
import csv, sys, time
with open(sys.argv[1], newline="", encoding="latin-1") as file:
    began = time.process_time()
    sum(1 for _ in csv.reader(file))
    print(time.process_time() - began)
"""


def outline_of(path: Path) -> Outline:
    """The outline of a file, as a table."""
    with open_source(path) as source:
        return Analysis(source, Options(format="csv")).outline()


def rows_of(path: Path) -> list[list[str]]:
    """The records as Python's `csv` finds them."""
    with path.open(newline="", encoding="latin-1") as file:
        return [row for row in csv.reader(file) if row]


def run(corpus: Path) -> list[tuple[object, ...]]:
    """Records, fields and ragged records of each file by the oracle and by Milepost."""
    rows: list[tuple[object, ...]] = []
    paths = [
        corpus / "rust-csv-bench" / "bench" / "worldcitiespop.csv",
        *sorted((corpus / "openflights").glob("*.dat")),
    ]
    paths += sorted((corpus / "loghub-labels").rglob("*structured*.csv"))
    for path in paths:
        stats, expected = outline_of(path).stats, rows_of(path)
        fields = stats["fields"]
        theirs = (len(expected) - stats["header"], sum(len(row) != fields for row in expected))
        ours = (stats["records"], stats.get("ragged_records", 0))
        rows.append((path.relative_to(corpus), "records, ragged ones", theirs, ours, theirs == ours))
    equal = total = 0
    for path in sorted((corpus / "csv-spectrum" / "csvs").glob("*.csv")):
        expected = json.loads((corpus / "csv-spectrum" / "json" / f"{path.stem}.json").read_text())
        expected = expected if isinstance(expected, list) else [expected]
        stats = outline_of(path).stats
        total += 1
        equal += (stats["records"], stats["fields"]) == (len(expected), len(expected[0]))
    rows.append(("csv-spectrum", "files with equal records and fields", total, equal, total == equal))
    return rows + _pollock(corpus / "csvsniffer-pollock")


def _pollock(root: Path) -> list[tuple[object, ...]]:
    names = {"comma": ",", "semicolon": ";", "tab": "\t", "vslash": "|", "space": " "}
    total = right = counted = same = 0
    for listing, folder in (("Dialect_annotations.txt", "CSV"), ("W3C-CSVW-Dialect_annotations.txt", "W3C-CSVW")):
        for row in csv.reader((root / listing).read_text("utf-8-sig").splitlines(), delimiter="|"):
            path = root / folder / row[0]
            delimiter = names.get(row[2], row[2]) if len(row) > 2 else ""
            if len(delimiter) != 1 or not path.is_file():
                continue
            data = path.read_bytes()
            guess = guess_table(data[: 256 << 10], True)
            lines = list(csv.reader(data.decode("latin-1").splitlines(), delimiter=delimiter))
            if data[:2] in (b"\xff\xfe", b"\xfe\xff") or sum(len(line) > 1 for line in lines) * 2 < len(lines):
                continue  # UTF-16, or one column: nothing separates fields
            total += 1
            right += guess.dialect.delimiter == ord(delimiter)
            expected = guess.dialect.reader(data.removeprefix(b"\xef\xbb\xbf").decode("latin-1"), limit=None)
            if guess.dialect.comments:
                expected = [line for line in expected if not line[0].startswith("#") or len(line) == guess.columns]
            counted += 1
            same += outline_of(path).stats["records"] == len(expected) - guess.preamble - guess.has_header
    return [
        ("csvsniffer-pollock", "files whose delimiter is found", total, right, total == right),
        ("csvsniffer-pollock", "files with as many records as `csv`", counted, same, counted == same),
    ]


def grown_table(name: str, data: bytes, size: int, has_header: bool) -> Path:
    """A table of about `size` bytes whose records are those of a real one, over and over; kept once made."""
    path = cache_folder() / f"{name}-{size}.csv"
    if not path.exists():
        header, body = data.split(b"\n", 1) if has_header else (b"", data)
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            file.write(header + b"\n" if has_header else b"")
            for _ in range(max(1, size // len(body))):
                file.write(body)
        partial.rename(path)
    return path


def speed(corpus: Path, megabytes: int) -> list[tuple[object, ...]]:
    """CPU of the work itself and memory of the process, against `csv` and against reading and hashing alone."""
    tables = {
        "worldcitiespop": ((corpus / "rust-csv-bench" / "bench" / "worldcitiespop.csv").read_bytes(), True),
        "airports": ((corpus / "openflights" / "airports.dat").read_bytes(), False),
        "hdfs-labels": ((corpus / "loghub-labels/HDFS/HDFS_2k.log_structured_corrected.csv").read_bytes(), True),
    }
    rows = []
    for name, (data, has_header) in tables.items():
        path = grown_table(name, data, megabytes * MEGABYTE, has_header)
        size = path.stat().st_size / MEGABYTE
        ours = measure.run([sys.executable, "-c", OURS, str(path), "csv"], memory=True)
        floor, peer = (measure.run([sys.executable, "-c", script, str(path)]) for script in (FLOOR, _PEER))
        ours_s, floor_s, peer_s = (float(one.output) for one in (ours, floor, peer))
        rows.append(
            (
                f"{name}, {size:.0f} MB",
                f"{size / ours_s:.0f}",
                f"{size / peer_s:.0f}",
                f"{size / floor_s:.0f}",
                f"{peer_s / ours_s:.1f}",
                f"{ours.peak_pss_bytes / 2**20:.0f}",
            )
        )
    return rows


SPEED_HEAD = ("table", "MB per CPU-second", "Python's csv", "reading and hashing alone", "times csv", "peak memory, MB")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=250)
    arguments = parser.parse_args()
    corpus = corpus_folder()
    print(table("Tables against oracles", HEAD, run(corpus)))
    print(table("Tables: cost", SPEED_HEAD, speed(corpus, arguments.megabytes)))


if __name__ == "__main__":
    main()
