"""JSON and NDJSON against Python's `json`, and against what JSONTestSuite says of its files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from milepost.core.formats import json as json_format
from milepost.core.formats import ndjson as ndjson_format
from milepost.core.outline import Section, walk
from milepost.core.scan import Context, Findings, Scan
from milepost.core.source import BytesSource
from oracles.base import Check, compare

MEGABYTE = 1_000_000
LARGEST_ELEMENT = 1 << 16
_RANDOM_ELEMENTS = 5_000
_PYTHON = "Python's json"


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


def checks(corpus: Path) -> Iterator[Check]:
    """Every comparison of these formats."""
    yield from _suite(corpus)
    for folder in ("nativejson-benchmark", "simdjson-data"):
        yield _slices(corpus, folder)
    big = json.dumps(repeated_document(corpus, 20 * MEGABYTE), indent=1).encode()
    document = json.loads(big)
    chosen = random_elements(big, outline(big).sections, _RANDOM_ELEMENTS)
    what = f"random elements of a document of {len(big) / MEGABYTE:.0f} MB, runs expanded"
    cases = ((f"{section.facts['path']}", holds(big, section, document)) for section in chosen)
    yield compare("json", _PYTHON, what, cases)
    for name in (
        "elastic-examples/canvas/elasticoffee/elasticoffee-data.bulk",
        "simdjson-data/jsonexamples/amazon_cellphones.ndjson",
        "grade-school-math/test.jsonl",
    ):
        yield ndjson_records(corpus / name)


def _suite(corpus: Path) -> Iterator[Check]:
    suite = sorted((corpus / "JSONTestSuite" / "test_parsing").glob("*.json"))
    for prefix, what, clean in (("y", "outlined without a problem", True), ("n", "flagged", False)):
        cases = (
            (path.name, (outline(path.read_bytes()).problems == ()) is clean)
            for path in suite
            if path.name[0] == prefix
        )
        yield compare("json", "JSONTestSuite", f"files `{prefix}_`: {what}", cases)
    either = ((path.name, outline(path.read_bytes()) is not None) for path in suite if path.name[0] == "i")
    yield compare("json", "JSONTestSuite", "files `i_`: no crash", either)


def _slices(corpus: Path, folder: str) -> Check:
    cases: list[tuple[str, bool]] = []
    files = 0
    for path in sorted((corpus / folder).rglob("*.json")):
        data = path.read_bytes()
        try:
            document = json.loads(data.decode(), object_pairs_hook=unique)
        except ValueError:
            continue
        files += 1
        if isinstance(document, (dict, list)) and document:
            cases += [
                (f"{path.name} {section.id}", holds(data, section, document))
                for section in walk(outline(data).sections)
                if section.kind != "group"
            ]
    return compare("json", _PYTHON, f"sections of {files} files of {folder} reparse to equal values", cases)


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless it has a key twice: Python keeps the last, so that the first has no value to compare with."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def ndjson_records(path: Path) -> Check:
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
    agrees = (facts["records"], facts["bad_records"]) == (good + bad, bad)
    what = f"{good + bad:,} records of {path.name}, {bad} of them bad"
    return compare("ndjson", _PYTHON, what, [(path.name, agrees)])


def repeated_document(corpus: Path, size: int) -> Any:
    """A document of about `size` bytes, made of the corpus' own."""
    catalog = json.loads((corpus / "nativejson-benchmark" / "data" / "citm_catalog.json").read_bytes())
    statuses = json.loads((corpus / "nativejson-benchmark" / "data" / "twitter.json").read_bytes())["statuses"]
    rounds = max(1, size // 1_300_000)
    return {"statuses": statuses * rounds, "catalogs": {f"c{number}": catalog for number in range(rounds)}}
