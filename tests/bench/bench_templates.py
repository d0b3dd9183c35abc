"""The template miner beside Drain3, on log lines that people have labelled by hand.

    python tests/bench/bench_templates.py [CORPUS]

The corpus is MILEPOST_CORPUS if not given; its `loghub-labels/*/*_structured_corrected.csv` say for each line which event
it is of.  Accuracy is grouping accuracy (GA) as in the loghub papers (Zhu et al., "Tools and Benchmarks for Automated Log
Parsing", ICSE-SEIP 2019): a line counts as right if its predicted group holds exactly the lines of its true event.

Both are fed the same bytes of the `Content` column, a fresh miner for each file, and timed in CPU seconds of this process
from the first line to the last id resolved, the best of three runs.  Drain3 runs with its default configuration (depth 4)
and the masks for IP addresses and numbers of its README and for hexadecimal numbers of its example, at the better of two
similarity thresholds, 0.4 and 0.5.  Files of 2,000 lines show a cold start: one line in ten is of a shape never seen.  The
last row, all files after one another ten times over, shows what a longer log costs.

Exit code 1 if the mean accuracy is below Drain3's, or the lines of all rows together took more than a twentieth of its
time.
"""

from __future__ import annotations

import csv
import logging
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from drain3 import TemplateMiner as Drain
from drain3.masking import MaskingInstruction
from drain3.template_miner_config import TemplateMinerConfig

from milepost.core.templates import TemplateMiner

LEAST_SPEED_RATIO = 20.0
SIMILARITY_THRESHOLDS = (0.4, 0.5)
REPEATS = 3
LARGE_FACTOR = 10
LARGE = f"all files x {LARGE_FACTOR}"
MASKS = (
    (r"((?<=[^A-Za-z0-9])|^)(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})((?=[^A-Za-z0-9])|$)", "IP"),
    (r"((?<=[^A-Za-z0-9])|^)(0x[a-f0-9A-F]+)((?=[^A-Za-z0-9])|$)", "HEX"),
    (r"((?<=[^A-Za-z0-9])|^)([\-\+]?\d+)((?=[^A-Za-z0-9])|$)", "NUM"),
)

Mine = Callable[[Sequence[bytes]], list[int]]


@dataclass(frozen=True, slots=True)
class Row:
    """One input: how much of it each groups right (0 to 1), and the CPU seconds each took."""

    name: str
    lines: int
    accuracy: float
    drain_accuracy: float
    cpu_s: float
    drain_cpu_s: float

    @property
    def ratio(self) -> float:
        return self.drain_cpu_s / self.cpu_s


def run(corpus: Path) -> list[Row]:
    """Measure every labelled file of a corpus, and all of them ten times over."""
    labelled = {
        path.parent.name: _read(path) for path in sorted(corpus.glob("loghub-labels/*/*_structured_corrected.csv"))
    }
    if not labelled:
        raise FileNotFoundError(f"no labelled files under {corpus}")
    logging.disable(logging.CRITICAL)  # Drain3 tells of its start
    threshold = max(SIMILARITY_THRESHOLDS, key=lambda threshold: _mean_accuracy(labelled, threshold))
    print(f"Drain3's better similarity threshold: {threshold}\n")
    rows = [_measure(name, lines, events, threshold, REPEATS) for name, (lines, events) in labelled.items()]
    lines = [line for some, _ in labelled.values() for line in some] * LARGE_FACTOR
    events = [(name, event) for name, (_, some) in labelled.items() for event in some] * LARGE_FACTOR
    return [*rows, _measure(LARGE, lines, events, threshold, REPEATS)]


def grouping_accuracy(predicted: Sequence[Hashable], true: Sequence[Hashable]) -> float:
    """The share of lines whose predicted group has exactly the lines of their true event."""
    groups: defaultdict[Hashable, list[int]] = defaultdict(list)
    events: defaultdict[Hashable, list[int]] = defaultdict(list)
    for index, (group, event) in enumerate(zip(predicted, true, strict=True)):
        groups[group].append(index)
        events[event].append(index)
    right = {tuple(indexes) for indexes in events.values()}
    return sum(len(indexes) for indexes in groups.values() if tuple(indexes) in right) / len(true)


def mine(lines: Sequence[bytes]) -> list[int]:
    miner = TemplateMiner()
    ids = miner.add_lines(lines)
    final = np.array([miner.resolve(number) for number in range(int(ids.max()) + 1)])
    return final[ids].tolist()


def mine_with_drain(threshold: float) -> Mine:
    def mine(lines: Sequence[bytes]) -> list[int]:
        config = TemplateMinerConfig()
        config.drain_sim_th = threshold
        config.masking_instructions = [MaskingInstruction(pattern, name) for pattern, name in MASKS]
        miner = Drain(config=config)
        return [miner.add_log_message(line.decode("utf-8", "replace"))["cluster_id"] for line in lines]

    return mine


def _read(path: Path) -> tuple[list[bytes], list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    return [record["Content"].encode() for record in records], [record["EventId"] for record in records]


def _mean_accuracy(labelled: dict[str, tuple[list[bytes], list[str]]], threshold: float) -> float:
    mine = mine_with_drain(threshold)
    return sum(grouping_accuracy(mine(lines), events) for lines, events in labelled.values()) / len(labelled)


def _measure(name: str, lines: Sequence[bytes], events: Sequence[Hashable], threshold: float, repeats: int) -> Row:
    ours, cpu_s = _timed(mine, lines, repeats)
    drains, drain_cpu_s = _timed(mine_with_drain(threshold), lines, repeats)
    accuracies = grouping_accuracy(ours, events), grouping_accuracy(drains, events)
    return Row(name, len(lines), *accuracies, cpu_s, drain_cpu_s)


def _timed(mine: Mine, lines: Sequence[bytes], repeats: int) -> tuple[list[int], float]:
    best_s = float("inf")
    ids: list[int] = []
    for _ in range(repeats):
        began_s = time.process_time()
        ids = mine(lines)
        best_s = min(best_s, time.process_time() - began_s)
    return ids, best_s


def _together(name: str, rows: Sequence[Row]) -> Row:
    """Several rows as one: the mean of their accuracies, the sum of their lines and times."""
    return Row(
        name,
        sum(row.lines for row in rows),
        sum(row.accuracy for row in rows) / len(rows),
        sum(row.drain_accuracy for row in rows) / len(rows),
        sum(row.cpu_s for row in rows),
        sum(row.drain_cpu_s for row in rows),
    )


def _print(row: Row) -> None:
    print(
        f"{row.name:18} {row.lines:8,} {row.accuracy:8.4f} {row.drain_accuracy:8.4f}"
        f" {row.lines / row.cpu_s:12,.0f} {row.lines / row.drain_cpu_s:12,.0f} {row.ratio:7.1f}"
    )


def main(arguments: list[str]) -> int:
    corpus = Path(arguments[0] if arguments else os.environ.get("MILEPOST_CORPUS", "../shared/corpus"))
    if not (corpus / "loghub-labels").is_dir():
        print(f"No loghub-labels in {corpus}: set MILEPOST_CORPUS.", file=sys.stderr)
        return 1
    rows = run(corpus)
    files = _together("files, mean, sum", rows[:-1])
    together = _together("all rows", rows)
    print(f"{'':18} {'':8} {'GA':>17} {'lines per CPU second':>25}")
    print(f"{'':18} {'lines':>8} {'ours':>8} {'Drain3':>8} {'ours':>12} {'Drain3':>12} {'ratio':>7}")
    for row in (*rows[:-1], files, rows[-1], together):
        _print(row)
    failures = []
    if files.accuracy < files.drain_accuracy:
        failures.append("the mean accuracy is below Drain3's")
    if together.ratio < LEAST_SPEED_RATIO:
        failures.append(f"all rows together are less than {LEAST_SPEED_RATIO:.0f} times as fast")
    print("\n" + ("; ".join(failures) or "as accurate as Drain3 and fast enough"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
