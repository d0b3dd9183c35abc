"""What a model is sent of a file: tokens of the condensed views against sending every byte, and whether incidents survive.

The way to beat is that of the seed's `pi-read-chunks`: the file in chunks of 10,000 characters that overlap by 800, each
sent with its prompt and the running summary so far. How long that summary is depends on the model; here it is taken to be
800 characters, and the ratio is also given against the text alone, sent once without overlap, prompt or summary. Tokens are
estimated by the same function for both.

Then the incidents: every line of the loghub samples that is labelled as an error or alert, and five planted ones in grown
logs. A line is *in the view* when the view line that stands for it shows its wording (all words without digits among the
first so many of its message), verbatim or folded with its like.

    python tests/bench/bench_condense.py [--megabytes 4] [--seeds 6]
"""

from __future__ import annotations

import argparse
import re
import time
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bench_incidents import labelled_lines, plant
from grow import LAYOUTS, cache_folder, corpus_folder, grown_log
from measure import table

from milepost.core.analysis import Analysis
from milepost.core.chunks import plan_chunks
from milepost.core.lines import line_starts
from milepost.core.source import open_source
from milepost.digest.chunk_texts import ChunkReader, Scope
from milepost.digest.condense import ViewLine, condense
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import ChunkText
from milepost.errors import MilepostError

SEED_CHUNK, SEED_OVERLAP, SEED_SUMMARY = 10_000, 800, 800
#: The instructions that go with each chunk, by the same estimate.
SEED_PROMPT_TOKENS = 139
#: Smaller files are passed through: no model sees them.
LEAST_BYTES = 98_304
#: The words of a line that must be shown, at most this many from the beginning of its message.
WORDS = 6
MOST_RATIO = 0.1
_VALUE = re.compile(r"[\d/]")
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(slots=True)
class Cost:
    """Of one file or several: bytes, tokens of the text alone, by the seed's way and of our views, and CPU seconds."""

    files: int = 0
    size: int = 0
    raw: int = 0
    seed: int = 0
    ours: int = 0
    cpu_s: float = 0.0
    worst: tuple[float, str] = (0.0, "")
    lines: dict[int, list[ViewLine]] = field(default_factory=dict)
    """For each line of the file, the view lines that stand for it."""

    def add(self, other: Cost, name: str) -> None:
        """Take in one more file."""
        self.files += 1
        self.size += other.size
        self.raw += other.raw
        self.seed += other.seed
        self.ours += other.ours
        self.cpu_s += other.cpu_s
        self.worst = max(self.worst, (other.ours / max(1, other.seed), name))


def chunks_of(path: Path) -> Iterator[ChunkText]:
    """The chunks of a file as a walk examines them; none where it is binary."""
    with open_source(path) as source:
        analysis = Analysis(source)
        outline = analysis.outline()
        if analysis.scan is None:
            return
        plan = plan_chunks(analysis.view, index=analysis.index)
        scope = Scope(1, plan.line_count, 0, plan.byte_count)
        reader = ChunkReader(analysis.view, analysis.encoding, plan, outline, scope, 800)
        for index in range(len(reader)):
            yield reader.read(index)


def measure_file(path: Path) -> tuple[str, Cost]:
    """The format of a file, and what it costs."""
    cost = Cost(1)
    kind = ""
    texts = []
    for chunk in chunks_of(path):
        kind = chunk.format
        texts.append(chunk.decoded(chunk.data))
        started = time.process_time()
        view = condense(chunk, mask=str)
        cost.cpu_s += time.process_time() - started
        cost.size += len(chunk.data)
        cost.ours += estimate_tokens(view.render())
        starts = [*line_starts(chunk.data).tolist(), len(chunk.data)]
        for view_line in view:
            for start, end in view_line.ranges:
                for index in range(bisect_right(starts, start) - 1, bisect_left(starts, end)):
                    cost.lines.setdefault(chunk.chunk.start_line + index, []).append(view_line)
    text = "".join(texts)
    cost.raw = estimate_tokens(text)
    cost.seed = seed_tokens(text)
    return kind, cost


def seed_tokens(text: str) -> int:
    """What the seed's way sends: overlapping chunks, each with its prompt and, from the second on, the running summary."""
    tokens = 0
    summary = estimate_tokens("The service started and handled requests. " * (SEED_SUMMARY // 42))
    start = 0
    while True:
        tokens += SEED_PROMPT_TOKENS + estimate_tokens(text[start : start + SEED_CHUNK]) + (summary if start else 0)
        if start + SEED_CHUNK >= len(text):
            return tokens
        start += SEED_CHUNK - SEED_OVERLAP


def is_in_view(cost: Cost, line: int, text: str) -> bool:
    """Whether a line's wording is shown where it is stood for. Words in paths and names with digits are values."""
    words = [word for token in text.split() if not _VALUE.search(token) for word in _WORD.findall(token)][:WORDS]
    for shown in cost.lines.get(line, ()):
        there = Counter(_WORD.findall(shown.text))
        if not Counter(words) - there:
            return True
    return False


def bench_cost(megabytes: int) -> tuple[str, bool]:
    """A row for each format."""
    corpus = corpus_folder()
    paths = [path for path in sorted(corpus.rglob("*")) if path.is_file() and path.stat().st_size >= LEAST_BYTES]
    costs: defaultdict[str, Cost] = defaultdict(Cost)
    for path in paths:
        try:
            kind, cost = measure_file(path)
        except MilepostError:
            continue
        if kind:
            costs[kind].add(cost, path.name)
    for name in sorted(LAYOUTS):
        path, _ = grown_log(name, megabytes * 1_000_000)
        _, cost = measure_file(path)
        costs["log, grown"].add(cost, path.name)
    rows = [
        (
            kind,
            cost.files,
            f"{cost.size / 1e6:.1f}",
            f"{cost.raw:,}",
            f"{cost.seed:,}",
            f"{cost.ours:,}",
            f"{100 * cost.ours / cost.seed:.1f} %",
            f"{100 * cost.ours / cost.raw:.1f} %",
            f"{100 * cost.worst[0]:.0f} % {cost.worst[1]}",
            f"{cost.size / 1e6 / max(cost.cpu_s, 1e-9):.1f}",
        )
        for kind, cost in sorted(costs.items())
    ]
    head = (
        "format", "files", "MB", "tokens, text alone", "tokens, seed's way", "tokens, views", "of seed's way",
        "of the text alone", "worst file", "MB per CPU second",
    )  # fmt: skip
    wanted = f"wanted: on logs at most {100 * MOST_RATIO:.0f} % of the seed's way"
    title = f"Tokens sent for files from {LEAST_BYTES:,} bytes up ({wanted})"
    return table(title, head, rows), all(
        costs[kind].ours <= MOST_RATIO * costs[kind].seed for kind in ("log", "log, grown")
    )


def bench_labelled() -> tuple[str, bool]:
    """Whether each labelled line of the loghub samples is in the view."""
    corpus = corpus_folder()
    rows: list[tuple[object, ...]] = []
    for path in sorted((corpus / "loghub").glob("*/*_2k.log")):
        wanted = labelled_lines(path.parent.name, corpus / "loghub-labels")
        if not wanted:
            continue
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
        _, cost = measure_file(path)
        missed = [line for line in sorted(wanted) if not is_in_view(cost, line, message(lines[line - 1]))]
        share = 100 * (len(wanted) - len(missed)) / len(wanted)
        rows.append((path.parent.name, len(wanted), f"{share:.1f} %", ", ".join(map(str, missed[:5])) or "none"))
    return table("Labelled lines in the view (loghub)", ("log", "labelled", "in the view", "missed"), rows), all(
        row[3] == "none" for row in rows
    )


def message(line: str) -> str:
    """A line from its level on, or from where its stamp ends: there its wording begins."""
    found = re.search(r"\b(?:ERROR|FATAL|SEVERE|WARN(?:ING)?|INFO|error|fatal|severe|failure)\b", line)
    return line[found.start() :] if found else re.sub(r"^\S*\d\S*(?: \S*\d\S*)*", "", line)


def bench_planted(megabytes: int, seeds: int) -> tuple[str, bool]:
    """Whether each planted incident is in the view, and verbatim where it is one line or a trace."""
    rows: list[tuple[object, ...]] = []
    good = True
    for seed in range(seeds):
        name = ("Spark", "HDFS")[seed % 2]
        path = cache_folder() / f"condensed-{name}-{megabytes}-{seed}.log"
        planted = plant(path, name, megabytes * 1_000_000, seed)
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
        _, cost = measure_file(path)
        path.unlink()
        missed = []
        verbatim = 0
        for one in planted:
            numbers = range(one.first_line, one.last_line + 1)
            if not all(is_in_view(cost, number, message(lines[number - 1])) for number in numbers):
                missed.append(one.kind)
            shown = cost.lines.get(one.first_line, ())
            verbatim += any(view_line.count == 1 and view_line.start_line == one.first_line for view_line in shown)
        good &= not missed and verbatim == len(planted)
        ratio = f"{100 * cost.ours / cost.seed:.1f} %"
        rows.append(
            (
                f"{name}, {megabytes} MB",
                seed,
                f"{len(planted) - len(missed)} of 5",
                f"{verbatim} of 5",
                ratio,
                ", ".join(missed) or "none",
            )
        )
    head = ("log", "seed", "in the view", "begins verbatim", "tokens of seed's way", "missed")
    return table("Planted incidents in the view", head, rows), good


def main() -> None:
    """Print the tables; exit with 1 where a wanted figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=6)
    arguments = parser.parse_args()
    parts = [bench_cost(arguments.megabytes), bench_labelled(), bench_planted(arguments.megabytes, arguments.seeds)]
    for text, _ in parts:
        print(text)
    raise SystemExit(0 if all(good for _, good in parts) else 1)


if __name__ == "__main__":
    main()
