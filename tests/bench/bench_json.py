"""JSON and NDJSON: oracles over the corpus, and speed and memory at 250 MB against jq and Python's `json` in the same run.

python tests/bench/bench_json.py [--megabytes 250] [--corpus DIR] [--folder DIR]

The big inputs are made of the corpus' own documents, repeated, and written once to a folder of temporary files. A peer that
is slower by far runs on a slice: what is compared is megabytes per CPU second, start of the process included.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measure import Run, table
from measure import run as run_process
from oracles import json_values
from oracles.base import HEAD

MEGABYTE = 1_000_000
REQUIRED_MEMORY = 150 * 1024 * 1024
REQUIRED = {"json": 200, "ndjson": 400}
#: What a peer is given of an input, in MB.
SLICES = {"jq": 15, "json": 60}

_OURS = """
import sys
from milepost.core.analysis import Analysis, Options
from milepost.core.source import open_source
Analysis(open_source(sys.argv[1]), Options(format=sys.argv[2])).outline()
"""
_PYTHON = "import json, sys\njson.load(open(sys.argv[1], 'rb'))"
_PYTHON_LINES = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"


# --- speed ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """A big file: how its `number`th part is written, and what comes before, between and after parts."""

    name: str
    format: str
    head: bytes
    between: bytes
    tail: bytes
    part: Callable[[int], bytes]


def inputs(corpus: Path) -> list[Input]:
    """Each sort of file that is measured."""
    data = corpus / "nativejson-benchmark" / "data"
    catalog = (data / "citm_catalog.json").read_bytes()
    statuses = json.loads((data / "twitter.json").read_bytes())["statuses"]
    compact = [json.dumps(status, ensure_ascii=False, separators=(",", ":")).encode() for status in statuses]
    chance = random.Random(3)
    cities = [
        b'{"name":"Place %d","lat":"%.5f","lng":"%.5f","country":"XY","admin1":"%02d","admin2":""}'
        % (number, chance.uniform(-90, 90), chance.uniform(-180, 180), number % 40)
        for number in range(5_000)
    ]
    rings = [
        b"["
        + b",".join(b"[%.5f,%.5f]" % (chance.uniform(-180, 180), chance.uniform(-90, 90)) for _ in range(3_000))
        + b"]"
        for _ in range(8)
    ]
    events = [
        b'{"time":"2026-11-30T10:%02d:%02dZ","level":"info","service":"s%d","route":"/a/%d","ms":%d,"ok":true}'
        % (number // 60 % 60, number % 60, number % 7, number % 900, number % 5_000)
        for number in range(5_000)
    ]
    feature = b'{"type":"Feature","properties":{"name":"F%d"},"geometry":{"type":"Polygon","coordinates":[%s]}}'
    return [
        Input("small records, one line", "json", b"[", b",", b"]", lambda number: b",".join(cities)),
        Input("tweets, one line, UTF-8", "json", b'{"statuses":[', b",", b"]}", lambda number: b",".join(compact)),
        Input("catalogues, pretty", "json", b"{", b",\n", b"}", lambda number: b'"c%d": %s' % (number, catalog)),
        Input(
            "GeoJSON, one line",
            "json",
            b'{"type":"FeatureCollection","features":[',
            b",",
            b"]}",
            lambda number: feature % (number, rings[number % 8]),
        ),
        Input("small records", "ndjson", b"", b"\n", b"\n", lambda number: b"\n".join(events)),
        Input("tweets, UTF-8", "ndjson", b"", b"\n", b"\n", lambda number: b"\n".join(compact)),
    ]


def write(path: Path, what: Input, size: int) -> Path:
    """The file with parts up to `size` bytes; one that is there already is taken."""
    if not path.exists():
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as file:
            file.write(what.head)
            number = 0
            while file.tell() < size or number == 0:
                file.write((what.between if number else b"") + what.part(number))
                number += 1
            file.write(what.tail)
        unfinished.rename(path)
    return path


def speed_rows(corpus: Path, folder: Path, megabytes: int) -> list[tuple[object, ...]]:
    """Each input: our speed and memory, the peers' speed, and whether half the file takes at least half the time."""
    rows: list[tuple[object, ...]] = []
    tiny = folder / "tiny.json"
    tiny.write_bytes(b'{"a": 1}\n')
    has_jq = shutil.which("jq") is not None
    for number, what in enumerate(inputs(corpus)):
        paths = {
            size: write(folder / f"{number}-{size}.{what.format}", what, size * MEGABYTE)
            for size in (megabytes, megabytes // 2, *SLICES.values())
        }
        whole, half = paths[megabytes], paths[megabytes // 2]
        ours = checked(run_process([sys.executable, "-c", _OURS, str(whole), what.format], memory=True))
        ours_half = checked(run_process([sys.executable, "-c", _OURS, str(half), what.format]))
        script = _PYTHON if what.format == "json" else _PYTHON_LINES
        theirs = checked(run_process([sys.executable, "-c", script, str(paths[SLICES["json"]])]))
        jq = checked(run_process(["jq", "empty", str(paths[SLICES["jq"]])])) if has_jq else None
        started = checked(run_process([sys.executable, "-c", _OURS, str(tiny), what.format]))
        speed = rate(whole, ours)
        rows.append(
            (
                f"{what.format}: {what.name}",
                f"{whole.stat().st_size / MEGABYTE:.0f}",
                f"{speed:.0f}",
                f"{whole.stat().st_size / MEGABYTE / (ours.cpu_s - started.cpu_s):.0f}",
                f"{rate(paths[SLICES['json']], theirs):.0f}",
                f"{rate(paths[SLICES['jq']], jq):.0f}" if jq else "",
                f"{ours.peak_pss_bytes / 2**20:.0f}",
                f"{ours.cpu_s / ours_half.cpu_s:.2f}",
                "yes" if speed >= REQUIRED[what.format] and ours.peak_pss_bytes <= REQUIRED_MEMORY else "NO",
            )
        )
    return rows


def checked(finished: Run) -> Run:
    """The run, unless it failed."""
    if finished.code:
        raise SystemExit(finished.errors.decode())
    return finished


def rate(path: Path, finished: Run) -> float:
    """Megabytes per CPU second."""
    return path.stat().st_size / MEGABYTE / finished.cpu_s


def main() -> None:
    """Print both tables."""
    checkout = Path(__file__).resolve().parent.parent.parent
    named = os.environ.get("MILEPOST_CORPUS")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=250)
    parser.add_argument("--corpus", type=Path, default=Path(named) if named else checkout.parent / "shared" / "corpus")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "milepost-bench-json")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    print(table("JSON: oracles", HEAD, [check.row() for check in json_values.checks(arguments.corpus)]))
    head = (
        "what",
        "MB",
        "MB/CPU s",
        "start left out",
        "Python json",
        "jq",
        "peak MB (PSS)",
        "twice the bytes, times",
        "holds",
    )
    print(table("JSON: speed", head, speed_rows(arguments.corpus, arguments.folder, arguments.megabytes)))


if __name__ == "__main__":
    main()
