"""Whether the incidents of an outline are the ones a person looks for.

Two questions. On the loghub samples: does every line that is labelled or worded as an error, fatal or severe lie in an
incident, and how many of the other lines do incidents take in? And in a big log with five planted incidents: does the
outline, cut to its usual cap, have an anchor at each?

    python tests/bench/bench_incidents.py [--big-megabytes 500] [--small-megabytes 50] [--seeds 6]
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grow import LAYOUTS, Grower, cache_folder, corpus_folder
from measure import MILEPOST, run, table

from milepost.core.analysis import Analysis
from milepost.core.formats.log_occurrences import find_occurrences
from milepost.core.source import open_source

MEGABYTE = 1_000_000
CAP_BYTES = 16_384
WORDED = re.compile(r"\b(?:error|fatal|severe)\b", re.IGNORECASE)
LABELLED = {"error", "fatal", "severe"}
#: A file is mostly normal when at most this share of its lines is labelled or worded.
MOSTLY_NORMAL = 0.2
MOST_OTHERS = 0.1


# --- recall and precision on labelled logs -----------------------------------------------------------------------


def labelled_lines(name: str, labels: Path) -> set[int]:
    """The lines that loghub labels: by level, by HPC's state, or by BGL's and Thunderbird's alert label."""
    path = labels / name / f"{name}_2k.log_structured_corrected.csv"
    if not path.exists():
        return set()
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return {
            int(row["LineId"])
            for row in csv.DictReader(file)
            if (row.get("Level") or "").lower() in LABELLED
            or (row.get("State") or "").lower() in LABELLED
            or row.get("Label", "-") != "-"
        }


def incident_lines(path: Path) -> tuple[set[int], set[int]]:
    """Every line that the incidents of a log take in, and those of them that only the range of a burst takes in.

    The outline lists the first of many equal incidents and counts the rest; here all of them are asked for.
    """
    with open_source(path) as source:
        occurrences = find_occurrences(Analysis(source))
    burst_lines = _lines((one.start_line, one.end_line) for one in occurrences if one.category == "burst")
    occurring = _lines((one.start_line, one.end_line) for one in occurrences if one.category != "burst")
    return occurring | burst_lines, burst_lines - occurring


def _lines(ranges: Iterable[tuple[int, int]]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def bench_labelled() -> str:
    """One row for each loghub sample."""
    corpus = corpus_folder()
    rows: list[tuple[object, ...]] = []
    for path in sorted((corpus / "loghub").glob("*/*_2k.log")):
        name = path.parent.name
        lines = path.read_bytes().split(b"\n")
        lines = lines[:-1] if not lines[-1] else lines
        labelled = labelled_lines(name, corpus / "loghub-labels")
        worded = {number for number, line in enumerate(lines, 1) if WORDED.search(line.decode("utf-8", "replace"))}
        wanted = labelled | worded
        taken, between = incident_lines(path)
        others = len(lines) - len(wanted)
        share = len(taken - wanted) / others if others else 0.0
        recall = len(taken & wanted) / len(wanted) if wanted else 1.0
        precision = len(taken & wanted) / len(taken) if taken else 1.0
        normal = len(wanted) <= MOSTLY_NORMAL * len(lines)
        holds = recall == 1.0 and (share <= MOST_OTHERS or not normal)
        missed = sorted(wanted - taken)[:3]
        rows.append(
            (
                name,
                len(labelled),
                len(worded),
                f"{100 * recall:.1f} %",
                f"{100 * precision:.1f} %",
                f"{100 * share:.1f} %",
                f"{100 * len(between - wanted) / others if others else 0:.1f} %",
                "yes" if normal else "no",
                "yes" if holds else "NO" + (f" (missed: {', '.join(map(str, missed))})" if missed else ""),
            )
        )
    head = (
        "log",
        "labelled",
        "worded",
        "recall",
        "precision",
        "others taken in",
        "of these between a burst's lines",
        "mostly normal",
        "holds",
    )
    return table(
        "Incidents against labels and words (loghub, 2,000 lines each; wanted: recall 100 %, others ≤ 10 %)", head, rows
    )


# --- planted incidents -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Planted:
    """An incident that was put into a log, and the lines it takes."""

    kind: str
    first_line: int
    last_line: int


TRACE = [
    "ERROR {source}: Could not commit batch 7731",
    "java.lang.IllegalStateException: batch 7731 was rolled back",
    "\tat com.example.store.Committer.commit(Committer.java:212)",
    "\tat com.example.store.Committer.run(Committer.java:88)",
    "\tat java.base/java.lang.Thread.run(Thread.java:840)",
    "Caused by: java.net.SocketTimeoutException: Read timed out",
    "\tat java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:288)",
    "\t... 14 more",
]
FATAL = ["FATAL {source}: Journal volume /dev/vdb1 went away, giving up"]
RETRIES = ["WARN {source}: Retrying connect to server 10.9.8.7:8020, attempt {number}"]
RESTART = [
    "INFO {source}: SHUTDOWN_MSG: Shutting down at node-17",
    "INFO {source}: STARTUP_MSG: Starting node-17, build 2.6.1, pid 40213",
    "INFO {source}: Loaded configuration from /etc/example/site.conf",
]
METRIC = "INFO {source}: Cache statistics: hit ratio 0.{ratio}, free {free} MB"
#: What "a value gone wrong" may look like; which one is taken depends on the seed.
WRONG = (
    "INFO {source}: Cache statistics: hit ratio NaN, free 412 MB",
    "INFO {source}: Cache statistics: hit ratio 0.93, free -2147483648 MB",
    "INFO {source}: Cache statistics: hit ratio 0.94, free 98213377421 MB",
)
KINDS = ("error with a trace", "fatal", "burst of retries", "restart", "value gone wrong")


def plant(path: Path, name: str, size: int, seed: int) -> list[Planted]:
    """Write a log of `size` bytes with the five incidents at seeded places, one of them at its very end.

    The background is the lines of a real log that are not worded as errors (warnings and exceptions among them stay),
    and a metric line once in 400 or 4,000, so that its wrong value is one among many right ones. Two of the five, the restart
    and the wrong value, carry no word of severity.
    """
    chance = random.Random(seed)
    grower = Grower(LAYOUTS[name], seed=seed, keep=lambda line: WORDED.search(line) is None)
    source = "store.Committer" if name == "Spark" else "dfs.Committer"
    between = " 4127 " if name == "HDFS" else " "
    order = [kind for kind in KINDS if kind != KINDS[seed % len(KINDS)]]
    chance.shuffle(order)
    order.insert(0, KINDS[seed % len(KINDS)])
    metric_every = (400, 4000)[seed // 2 % 2]
    places = sorted(chance.randrange(size // 20, size - size // 20) for _ in range(4))
    planted: list[Planted] = []
    written = line_number = 0
    with path.open("wb") as file:

        def write(text: str) -> None:
            nonlocal written, line_number
            data = text.encode() + b"\n"
            file.write(data)
            written += len(data)
            line_number += 1

        def stamped(text: str) -> str:
            grower.advance()
            return grower.stamp() + between + text

        def put(kind: str) -> None:
            first = line_number + 1
            if kind == "burst of retries":
                for number in range(1, 41):
                    write(stamped(RETRIES[0].format(source=source, number=number)))
            elif kind == "error with a trace":
                write(stamped(TRACE[0].format(source=source)))
                for text in TRACE[1:]:
                    write(text)
            else:
                wrong = [WRONG[seed % len(WRONG)]]
                texts = {"fatal": FATAL, "restart": RESTART, "value gone wrong": wrong}[kind]
                for text in texts:
                    write(stamped(text.format(source=source)))
            planted.append(Planted(kind, first, line_number))

        for line in grower.lines():
            write(line)
            if places and written >= places[0]:
                places.pop(0)
                put(order.pop())
            elif line_number % metric_every == 0:
                ratio, free = chance.randrange(88, 97), chance.randrange(380, 450)
                write(stamped(METRIC.format(source=source, ratio=ratio, free=free)))
            if written >= size:
                break
        put(order.pop())
        for _, line in zip(range(chance.randrange(3)), grower.lines(), strict=False):
            write(line)
    return planted


def found(planted: Iterable[Planted], ranges: list[tuple[int, int]]) -> list[bool]:
    """Whether an anchor leads to each: it starts in the incident's lines, or a few lines above them."""
    return [any(one.first_line - 10 <= start <= one.last_line for start, _ in ranges) for one in planted]


def json_ranges(output: bytes) -> list[tuple[int, int]]:
    """The line ranges of all sections in `--json`."""
    ranges: list[tuple[int, int]] = []
    todo = list(json.loads(output)["sections"])
    while todo:
        section = todo.pop()
        ranges.append((section["start_line"], section["end_line"]))
        todo += section.get("children", ())
    return ranges


def text_ranges(output: bytes) -> list[tuple[int, int]]:
    """The line ranges that the text for people shows, as `A-B` or `:A`."""
    text = output.decode().replace(",", "")
    pairs = [(int(a), int(b)) for a, b in re.findall(r"(?<![\d-])(\d+)[-–](\d+)(?![\d-])", text)]
    return pairs + [(int(a), int(a)) for a in re.findall(r"(?<![\w.-])[:L]?(\d+)(?=\s|$)", text)]


def bench_planted(name: str, megabytes: int, seed: int) -> tuple[object, ...]:
    """One log: how many of the five are anchors in the JSON and in the text reply, each within the cap."""
    path = cache_folder() / f"planted-{name}-{megabytes}-{seed}.log"
    planted = plant(path, name, megabytes * MEGABYTE, seed)
    as_json = run([*MILEPOST, "outline", str(path), "--json", "--max-bytes", str(CAP_BYTES)])
    as_text = run([*MILEPOST, "outline", str(path), "--max-bytes", str(CAP_BYTES)])
    if as_json.code or as_text.code:
        raise SystemExit((as_json.errors or as_text.errors).decode())
    path.unlink()
    in_json = found(planted, json_ranges(as_json.output))
    in_text = found(planted, text_ranges(as_text.output))
    within = max(len(as_json.output), len(as_text.output)) <= CAP_BYTES + 1
    missed = sorted(
        {one.kind for one, in_a, in_b in zip(planted, in_json, in_text, strict=True) if not (in_a and in_b)}
    )
    return (
        f"{name}, {megabytes} MB",
        seed,
        planted[-1].kind,
        f"{sum(in_json)} of 5",
        f"{sum(in_text)} of 5",
        f"{len(as_json.output):,}",
        "yes" if within and not missed else "NO" + (f" (missed: {', '.join(missed)})" if missed else ""),
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--big-megabytes", type=int, default=500)
    parser.add_argument("--small-megabytes", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=6)
    arguments = parser.parse_args()
    print(bench_labelled())
    rows = [
        bench_planted(("Spark", "HDFS")[seed % 2], arguments.small_megabytes, seed) for seed in range(arguments.seeds)
    ]
    if arguments.big_megabytes:
        rows.append(bench_planted("HDFS", arguments.big_megabytes, arguments.seeds))
    head = ("log", "seed", "at the end", "anchors in JSON", "anchors in text", "bytes of JSON", "holds")
    print(table(f"Five planted incidents, outline capped at {CAP_BYTES:,} bytes", head, rows))


if __name__ == "__main__":
    main()
