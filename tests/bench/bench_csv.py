"""Tables against oracles (Python's `csv`, csv-spectrum, Pollock), and what their outline costs against `csv` in the same run.

python tests/bench/bench_csv.py [--megabytes 250]
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import measure
from grow import cache_folder, corpus_folder
from measure import table
from oracles import tables
from oracles.base import HEAD

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


def cheapest_of_three(command: list[str]) -> tuple[measure.Run, float]:
    """The first of three runs, for its memory, and the least CPU seconds that one of them printed."""
    runs = [measure.run(command, memory=not attempt) for attempt in range(3)]
    return runs[0], min(float(one.output) for one in runs)


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


def number_table(decimals: int) -> bytes:
    """A table of numbers alone: ten columns of one to five digits, or three of decimals and two of whole numbers."""
    chance = random.Random(1)
    if decimals:
        rows = [
            ",".join(
                [
                    *(f"{chance.gauss(0, 100):.{decimals}f}" for _ in range(3)),
                    *(str(chance.randrange(10**5)) for _ in "ab"),
                ]
            )
            for _ in range(100_000)
        ]
        return "\n".join(["x,y,z,n,m", *rows, ""]).encode()
    most = (10, 100, 1000, 10_000, 100, 17, 5000, 99_999, 2, 50)
    rows = [",".join(str(chance.randrange(one)) for one in most) for _ in range(100_000)]
    return "\n".join([",".join(f"c{index}" for index in range(len(most))), *rows, ""]).encode()


def speed(corpus: Path, megabytes: int) -> list[tuple[object, ...]]:
    """CPU of the work itself and memory of the process, against `csv` and against reading and hashing alone."""
    inputs = {
        "worldcitiespop": ((corpus / "rust-csv-bench" / "bench" / "worldcitiespop.csv").read_bytes(), True),
        "airports": ((corpus / "openflights" / "airports.dat").read_bytes(), False),
        "hdfs-labels": ((corpus / "loghub-labels/HDFS/HDFS_2k.log_structured_corrected.csv").read_bytes(), True),
        "whole numbers (made)": (number_table(0), True),
        "decimals (made)": (number_table(3), True),
    }
    rows: list[tuple[object, ...]] = []
    for name, (data, has_header) in inputs.items():
        path = grown_table(name, data, megabytes * MEGABYTE, has_header)
        size = path.stat().st_size / MEGABYTE
        # The floor first: then all find the file in memory.
        floor, peer = (measure.run([sys.executable, "-c", script, str(path)]) for script in (FLOOR, _PEER))
        ours, ours_s = cheapest_of_three([sys.executable, "-c", OURS, str(path), "csv"])
        floor_s, peer_s = float(floor.output), float(peer.output)
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
    print(table("Tables against oracles", HEAD, [check.row() for check in tables.checks(corpus)]))
    print(table("Tables: cost", SPEED_HEAD, speed(corpus, arguments.megabytes)))


if __name__ == "__main__":
    main()
