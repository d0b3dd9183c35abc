"""How well single log lines are understood, against what others say about them.

    python tests/bench/bench_log_lines.py [CORPUS]

The corpus is MILEPOST_CORPUS if not given. Exit code 1 when a row is under its bar.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

from milepost.core.logs.ansi import strip_ansi
from milepost.core.logs.layouts import Layout, detect_layout
from milepost.core.logs.severity import severity_of
from milepost.core.logs.timestamps import StampReader, find_stamp

ZURICH = ZoneInfo("Europe/Zurich")
"""The zone that fail2ban's own test clock stands in."""
LABEL_NAMES = {"WARN": "WARNING", "SEVERE": "ERROR", "FAILURE": "ERROR"}
NO_LOGS = (
    "JSONTestSuite", "argo-cd-manifests", "big-list-of-naughty-strings", "chardet-encodings", "chinook",
    "commonmark-spec", "csv-spectrum", "csvsniffer-pollock", "defusedxml", "employees-test_db", "git-output-lnav",
    "grade-school-math", "kubernetes-examples", "libxml2-tests", "loghub-labels", "nativejson-benchmark", "openflights",
    "pagila-schema", "rust-csv-bench", "sakila", "simdjson-data", "unidiff-samples", "yaml-test-suite",
)  # fmt: skip
CONSOLES = ("analysis-model-logs/parser", "logdetective-sample", "terminal-to-html")
NO_CONSOLES = re.compile(
    r"\.(?:rendered|sarif|yaml)$|/json-issues|ClangAnalyzer|(?:homer|pikachu|weather|huge-line)\.sh"
)
"""Beside the consoles: HTML, JSON and YAML made of them, and ASCII art."""


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement: `bar` is the least good `value` (the most, if `at_most`); None is not judged."""

    name: str
    value: float
    unit: str
    bar: float | None = None
    at_most: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        if self.bar is None:
            return True
        return self.value <= self.bar if self.at_most else self.value >= self.bar


def lines_of(path: Path, most_bytes: int = 400_000) -> list[bytes]:
    """The lines of a file's head as a scanner gives them: decoded from UTF-16, without line ends and escapes."""
    data = path.read_bytes()[:most_bytes]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    return [strip_ansi(line) for line in re.split(rb"\r\n|\n|\r(?!\n)", data)]


def files_in(folder: Path) -> Iterator[Path]:
    """The corpus files of a folder without its licences and provenance."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "LICENSE" not in str(path) and path.name != "PROVENANCE.md":
            yield path


def lnav_levels(corpus: Path) -> Row:
    """The level of lnav's samples, each a file of its own."""
    right = total = 0
    wrong: list[str] = []
    for text in (corpus / "lnav/DERIVED/format-samples.ndjson").read_text().splitlines():
        sample = json.loads(text)
        if not sample["level"]:
            continue
        total += 1
        lines = sample["line"].encode().split(b"\n")
        severity = severity_of(lines[0], detect_layout(lines))
        if severity is not None and severity.name.lower() == sample["level"]:
            right += 1
        else:
            wrong.append(f"{sample['format']}: {severity!r}, not {sample['level']}")
    return Row("severity of lnav's samples", 100 * right / total, f"% of {total}", 95, remarks=tuple(wrong))


def fail2ban_times(corpus: Path) -> Row:
    """The time fail2ban expects of its test lines; years only where the line has one, zones moved to its test zone."""
    right = total = 0
    wrong: list[str] = []
    for path in files_in(corpus / "fail2ban-logs"):
        expected = ""
        for line in path.read_bytes().split(b"\n"):
            if line.startswith(b"# failJSON:"):
                expected = json.loads(line[11:]).get("time") or ""
                continue
            if line.startswith(b"#") or not line.strip():
                continue
            # Lines without a clock or a number of seconds carry no time: fail2ban then takes that of a line before.
            if expected and re.search(rb"\d:\d\d|\d{10}|@4[0-9a-f]{15}", line):
                total += 1
                want = datetime(*map(int, re.findall(r"\d+", expected)[:6]))
                stamp = find_stamp(line, 2004)
                got = None
                if stamp is not None:
                    moment = datetime.fromtimestamp(int(stamp.seconds), timezone.utc)
                    got = (moment.astimezone(ZURICH) if stamp.has_zone else moment).replace(tzinfo=None)
                    if not stamp.has_year:
                        got, want = got.replace(year=2004), want.replace(year=2004)
                if got == want:
                    right += 1
                else:
                    wrong.append(f"{path.name}: {expected} but {got} in {line[:70]!r}")
            expected = ""
    return Row("time of fail2ban's lines", 100 * right / total, f"% of {total}", 95, remarks=tuple(wrong))


def loghub(corpus: Path) -> Iterator[Row]:
    """Stamps, labelled levels and costs on the loghub samples of 2,000 lines."""
    for path in sorted((corpus / "loghub").glob("*/*.log")):
        system = path.parent.name
        lines = path.read_bytes().replace(b"\r\n", b"\n").rstrip(b"\n").split(b"\n")
        reader, layout = StampReader.learn(lines[:400]), detect_layout(lines, path.name)
        assert reader is not None
        assert layout is not None
        read = sum(reader.read(line) is not None for line in lines)
        yield Row(f"loghub {system}: lines with a stamp ({layout.name})", 100 * read / len(lines), "%", 99)
        yield Row(
            f"loghub {system}: StampReader.read", _microseconds(reader.read, lines), "µs a line", 10, at_most=True
        )
        cost = _microseconds(lambda line, layout=layout: severity_of(line, layout), lines)
        yield Row(f"loghub {system}: severity_of", cost, "µs a line", 20, at_most=True)
        yield from _labelled(corpus / "loghub-labels" / system, lines, layout)


def _labelled(folder: Path, lines: list[bytes], layout: Layout) -> Iterator[Row]:
    for path in folder.glob("*structured*.csv"):
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            rows = list(csv.DictReader(file))
        # In the Linux labels the column Level holds the host's name.
        if "Level" not in rows[0] or folder.name == "Linux":
            return
        right = 0
        for row in rows:
            severity = severity_of(lines[int(row["LineId"]) - 1], layout)
            level = row["Level"].upper()
            right += severity is not None and severity.name == LABEL_NAMES.get(level, level)
        yield Row(f"loghub {folder.name}: level as labelled", 100 * right / len(rows), "%", 99)


def _microseconds(action: Callable[[bytes], object], lines: list[bytes]) -> float:
    # CPU time, and the best of some runs: other processes must not decide.
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        for line in lines:
            action(line)
        best = min(best, time.process_time() - start)
    return best / len(lines) * 1e6


def lnav_formats(corpus: Path) -> Row:
    """Files that lnav 0.11.1 finds a format for, and whether a layout is found here."""
    found = total = 0
    missed: list[str] = []
    with (corpus / "lnav/DERIVED/peer-lnav-0.11.1.csv").open(newline="") as file:
        for name, format_name, *_ in csv.reader(file):
            if format_name in ("<NULL>", "?") or not name.startswith("logfile_"):
                continue
            total += 1
            if detect_layout(lines_of(corpus / "lnav/test" / name), name) is not None:
                found += 1
            else:
                missed.append(f"{name} ({format_name})")
    return Row(
        "layout found where lnav finds a format", 100 * found / total, f"% of {total}", 95, remarks=tuple(missed)
    )


def folders(corpus: Path, name: str, folder_names: tuple[str, ...], bar: float, *, logs: bool) -> Row:
    """The share of files that are taken for logs (or are not, if they are none)."""
    right = total = 0
    wrong: list[str] = []
    for folder in folder_names:
        for path in files_in(corpus / folder):
            if logs and NO_CONSOLES.search(str(path)):
                continue
            total += 1
            layout = detect_layout(lines_of(path), path.name)
            if (layout is not None) == logs:
                right += 1
            else:
                wrong.append(f"{path.relative_to(corpus)}: {layout.name if layout else None}")
    return Row(name, 100 * right / total, f"% of {total}", bar, remarks=tuple(wrong))


def run(corpus: Path) -> list[Row]:
    """All measurements."""
    return [
        lnav_levels(corpus),
        fail2ban_times(corpus),
        lnav_formats(corpus),
        folders(corpus, "files that are no logs, not taken for any", NO_LOGS, 99, logs=False),
        folders(corpus, "consoles taken for logs", CONSOLES, 70, logs=True),
        folders(corpus, "garbage collector logs found", ("gc-logs-gcviewer",), 85, logs=True),
        *loghub(corpus),
    ]


def main() -> int:
    """Prints the table."""
    corpus = Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MILEPOST_CORPUS", "../shared/corpus"))
    if not corpus.is_dir():
        print(f"no corpus at {corpus}: name it, or set MILEPOST_CORPUS", file=sys.stderr)
        return 1
    rows = run(corpus)
    for row in rows:
        bar = "" if row.bar is None else f"{'≤' if row.at_most else '≥'} {row.bar:g}"
        print(f"{'ok  ' if row.passed else 'FAIL'} {row.value:7.1f} {row.unit:10} {bar:6} {row.name}")
        for remark in row.remarks:
            print(f"         {remark}")
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
