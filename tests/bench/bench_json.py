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
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from measure import Run, table
from measure import run as run_process

from milepost.core.formats import json as json_format
from milepost.core.formats import ndjson as ndjson_format
from milepost.core.outline import Section, walk
from milepost.core.scan import Context, Findings, Scan
from milepost.core.source import BytesSource

MEGABYTE = 1_000_000
REQUIRED_MEMORY = 150 * 1024 * 1024
REQUIRED = {"json": 200, "ndjson": 400}
LARGEST_ELEMENT = 1 << 16
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


# --- oracles --------------------------------------------------------------------------------------------------------


def outline(data: bytes) -> Findings:
    """What the JSON scanner finds in a file of these bytes."""
    scan = Scan(BytesSource("x", data), json_format.JsonScanner(Context(total_bytes=len(data))))
    scan.run()
    return scan.result().findings


def inside(data: bytes, section: Section) -> tuple[Section, ...]:
    """The sections one level down, by scanning nothing but the range of a section again where they are not listed."""
    if section.resume is None:
        return section.children
    context = Context(
        start_byte=section.start_byte,
        start_line=section.start_line,
        total_bytes=section.end_byte - section.start_byte,
        resume=dict(section.resume),
    )
    scan = Scan(
        BytesSource("x", data),
        json_format.JsonScanner(context),
        start_byte=section.start_byte,
        start_line=section.start_line,
        starts_line=section.start_column is None,
        end_byte=section.end_byte,
    )
    scan.run()
    return scan.result().findings.sections


def value_at(document: Any, path: str) -> Any:
    """The value a path (as jq writes it) leads to, found with Python's `json` alone."""
    rest = path
    while rest not in ("", "."):
        if rest.startswith(("[", ".[")):
            rest = rest.removeprefix(".")
            step, used = json.JSONDecoder().raw_decode(rest, 1)
            document, rest = document[step], rest[used + 1 :]
        else:
            name = rest[1:].split(".")[0].split("[")[0]
            document, rest = document[name], rest[1 + len(name) :]
    return document


def text_of(data: bytes, section: Section) -> bytes:
    """A member's own text: its key, what separates it, and the brackets of its parent left out."""
    text = data[section.start_byte : section.end_byte].lstrip(b" \t\r\n")
    if section.start_byte == 0:
        text = text[1:].lstrip(b" \t\r\n")
    return text


def holds(data: bytes, section: Section, document: Any) -> bool:
    """Whether the bytes of a section, read by Python's `json`, are the value its path leads to."""
    text = text_of(data, section).decode()
    decoder = json.JSONDecoder()
    value, end = decoder.raw_decode(text)
    after = text[end:].lstrip()
    if after.startswith(":"):
        value, _ = decoder.raw_decode(after[1:].lstrip())
    return bool(value == value_at(document, section.facts["path"]))


def random_elements(data: bytes, sections: tuple[Section, ...], wanted: int) -> Iterator[Section]:
    """Single members anywhere in a document, none too large to compare 5,000 of them: down a random branch each time,
    runs expanded on the way.
    """
    chance = random.Random(11)
    known: dict[tuple[int, int, str], tuple[Section, ...]] = {}
    while wanted:
        level, found = sections, None
        while level:
            found = chance.choice(level)
            name = (found.start_byte, found.end_byte, found.kind)
            if name not in known:
                known[name] = inside(data, found)
            deeper = known[name]
            if len(deeper) == 1 and (deeper[0].start_byte, deeper[0].end_byte) == name[:2]:
                deeper = deeper[0].children
            if found.kind != "group" and chance.random() < 0.3:
                break
            level = deeper
        if found is not None and found.kind != "group" and found.end_byte - found.start_byte <= LARGEST_ELEMENT:
            wanted -= 1
            yield found


def oracle_rows(corpus: Path) -> list[tuple[object, ...]]:
    """Each oracle: what was compared, how many agree."""
    rows: list[tuple[object, ...]] = []
    suite = sorted((corpus / "JSONTestSuite" / "test_parsing").glob("*.json"))
    for prefix, text, clean in (("y", "outlined without a problem", True), ("n", "flagged", False)):
        files = [path for path in suite if path.name[0] == prefix]
        right = sum((outline(path.read_bytes()).problems == ()) is clean for path in files)
        rows.append((f"JSONTestSuite `{prefix}_`: {text}", len(files), right))
    either = [path for path in suite if path.name[0] == "i"]
    rows.append(
        ("JSONTestSuite `i_`: no crash", len(either), sum(outline(path.read_bytes()) is not None for path in either))
    )
    for folder in ("nativejson-benchmark", "simdjson-data"):
        slices = right = files_read = 0
        for path in sorted((corpus / folder).rglob("*.json")):
            data = path.read_bytes()
            try:
                document = json.loads(data.decode(), object_pairs_hook=unique)
            except ValueError:
                continue
            files_read += 1
            for section in walk(outline(data).sections):
                if section.kind != "group" and isinstance(document, (dict, list)) and document:
                    slices += 1
                    right += holds(data, section, document)
        rows.append(
            (f"{folder}: sections of {files_read} files reparse to the values of Python's `json`", slices, right)
        )
    big = json.dumps(repeated_document(corpus, 20 * MEGABYTE), indent=1).encode()
    document = json.loads(big)
    chosen = list(random_elements(big, outline(big).sections, 5000))
    right = sum(holds(big, section, document) for section in chosen)
    rows.append((f"random elements of a document of {len(big) / MEGABYTE:.0f} MB, runs expanded", len(chosen), right))
    bulk = corpus / "elastic-examples" / "canvas" / "elasticoffee" / "elasticoffee-data.bulk"
    rows.append(ndjson_row(bulk))
    rows.append(ndjson_row(corpus / "simdjson-data" / "jsonexamples" / "amazon_cellphones.ndjson"))
    rows.append(ndjson_row(corpus / "grade-school-math" / "test.jsonl"))
    return rows


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless it has a key twice: Python keeps the last, so that the first has no value to compare with."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def ndjson_row(path: Path) -> tuple[object, ...]:
    """Records and bad records of an NDJSON file, against Python's `json` line by line."""
    data = path.read_bytes()
    good = bad = 0
    for line in data.split(b"\n"):
        if line.strip():
            try:
                json.loads(line)
                good += 1
            except ValueError:
                bad += 1
    scan = Scan(BytesSource("x", data), ndjson_format.NdjsonScanner(Context(total_bytes=len(data))))
    scan.run()
    facts = scan.result().findings.facts
    counted = facts["records"] if facts["bad_records"] == bad else -1
    return (f"{path.name}: records ({bad} bad)", good + bad, counted)


def repeated_document(corpus: Path, size: int) -> Any:
    """A document of about `size` bytes, made of the corpus' own."""
    catalog = json.loads((corpus / "nativejson-benchmark" / "data" / "citm_catalog.json").read_bytes())
    statuses = json.loads((corpus / "nativejson-benchmark" / "data" / "twitter.json").read_bytes())["statuses"]
    rounds = max(1, size // 1_300_000)
    return {"statuses": statuses * rounds, "catalogs": {f"c{number}": catalog for number in range(rounds)}}


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
    print(table("JSON: oracles", ("what", "compared", "agree"), oracle_rows(arguments.corpus)))
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


def run(corpus: Path) -> list[tuple[object, ...]]:
    """The rows of both tables, for whoever puts many formats into one."""
    folder = Path(tempfile.gettempdir()) / "milepost-bench-json"
    folder.mkdir(exist_ok=True)
    return [*oracle_rows(corpus), *speed_rows(corpus, folder, 250)]


if __name__ == "__main__":
    main()
