"""SQL dumps against oracles (a loaded database, the text itself), and what their outline costs against a plain tokenizer.

python tests/bench/bench_sql.py [--megabytes 250]
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import measure
from bench_csv import FLOOR, MEGABYTE, OURS, cheapest_of_three
from grow import cache_folder, corpus_folder
from measure import table
from oracles import databases
from oracles.base import HEAD, outline_of

SPEED_HEAD = (
    "dump",
    "MB per CPU-second",
    "tokenizer",
    "reading and hashing alone",
    "times tokenizer",
    "rows equal",
    "peak memory, MB",
)
#: So much of a dump is given to the tokenizer, which is slow.
_SLICE = 20 * MEGABYTE
_PEER = (
    rb"""
import re, sys, time
token = re.compile(rb"'(?:[^'\\]|\\.|'')*'|--[^\n]*|/\*.*?\*/|\"[^\"]*\"|`[^`]*`|;|[^'\";`/-]+|.", re.DOTALL)
with open(sys.argv[1], "rb") as file:
    data = file.read(%d)
began = time.process_time()
sum(match.group() == b";" for match in token.finditer(data))
print(time.process_time() - began)
"""
    % _SLICE
)


def _dump(kind: str, airports: list[list[str]], size: int) -> Iterator[bytes]:
    """A dump in one of the shapes that tools write, of real rows over and over."""
    columns = ",\n".join(f"  c{index} text" for index in range(len(airports[0])))
    rows = cycle(airports)
    written = 0
    yield f"--\n-- A dump.\n--\n\nCREATE TABLE public.airports (\n{columns}\n);\n\n".encode()
    if kind == "copy":
        yield b"COPY public.airports FROM stdin;\n"
    while written < size:
        if kind == "copy":
            text = "".join(
                "\t".join(row).replace("\\N", "\\N") + "\n" for row, _ in zip(rows, range(5000), strict=False)
            )
        elif kind == "inserts":
            text = "".join(
                f"INSERT INTO public.airports VALUES ({_values(row)});\n"
                for row, _ in zip(rows, range(5000), strict=False)
            )
        else:
            values = ",".join(f"({_values(row)})" for row, _ in zip(rows, range(8000), strict=False))
            text = f"INSERT INTO `airports` VALUES {values};\n"
        data = text.encode()
        written += len(data)
        yield data
    if kind == "copy":
        yield b"\\.\n"


def _values(row: list[str]) -> str:
    return ", ".join(
        "NULL" if value == "\\N" else "'" + value.replace("\\", "").replace("'", "''") + "'" for value in row
    )


def grown_dump(kind: str, corpus: Path, size: int) -> tuple[Path, int]:
    """A dump of about `size` bytes and how many rows it has; kept once made."""
    path = cache_folder() / f"airports-{kind}-{size}.sql"
    if not path.exists():
        airports = list(csv.reader((corpus / "openflights" / "airports.dat").read_text("utf-8").splitlines()))
        partial = path.with_suffix(".partial")
        with partial.open("wb") as file:
            file.writelines(_dump(kind, airports, size))
        partial.rename(path)
    rows = 0
    with path.open("rb") as file:
        for line in file:
            if kind == "copy":
                rows += line.count(b"\t") == 13
            elif line.startswith(b"INSERT"):
                rows += 1 if kind == "inserts" else line.count(b"'),(") + 1
    return path, rows


def speed(corpus: Path, megabytes: int) -> list[tuple[object, ...]]:
    """CPU of the work itself and memory of the process, against a tokenizer and against reading and hashing alone."""
    found: list[tuple[object, ...]] = []
    for kind, title in (
        ("copy", "COPY"),
        ("inserts", "one INSERT a row"),
        ("extended", "INSERTs of a megabyte a line"),
    ):
        path, rows = grown_dump(kind, corpus, megabytes * MEGABYTE)
        size = path.stat().st_size / MEGABYTE
        # The floor first: then all find the file in memory.
        floor, peer = (measure.run([sys.executable, "-c", script, str(path)]) for script in (FLOOR, _PEER.decode()))
        ours, ours_s = cheapest_of_three([sys.executable, "-c", OURS, str(path), "sql"])
        floor_s, peer_s = float(floor.output), float(peer.output)
        peer_speed = min(size, _SLICE / MEGABYTE) / peer_s
        found.append(
            (
                f"{title}, {size:.0f} MB",
                f"{size / ours_s:.0f}",
                f"{peer_speed:.0f}",
                f"{size / floor_s:.0f}",
                f"{size / ours_s / peer_speed:.1f}",
                outline_of(path, "sql").stats["rows"] == rows,
                f"{ours.peak_pss_bytes / 2**20:.0f}",
            )
        )
    return found


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=250)
    arguments = parser.parse_args()
    corpus = corpus_folder()
    print(table("SQL against oracles", HEAD, [check.row() for check in databases.checks(corpus)]))
    print(table("SQL: cost", SPEED_HEAD, speed(corpus, arguments.megabytes)))


if __name__ == "__main__":
    main()
