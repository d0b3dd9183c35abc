"""Summaries and questions by a real model behind a real server, on ten real files: `make bench-model`.

python tests/bench/bench_model.py [--model 0.5b] [--files 10] [--minutes 60] [--context 3072] [--lines N] [--threads N]

The model is what tests/tools/install_model.sh puts below MILEPOST_CACHE; without it, or without the corpus, this says so and
measures nothing. A small part of each file is read, since a model on two cores reads 50 tokens a second. Everything that
comes out is checked against the file here again, by other means than those of Milepost.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grow import corpus_folder
from measure import table

from milepost.core.source import StopFlag
from milepost.digest.labelling.parsing import parse_object
from milepost.digest.models.openai import OpenAIModel, make_model
from milepost.digest.models.protocol import Completion, Prompt
from milepost.digest.tokens import estimate_tokens
from milepost.service import Service
from milepost.settings import ModelSettings, Settings
from milepost.wire import AskReply, AskRequest, SummarizeReply, SummarizeRequest

# File, the lines that are read, a question, and what a right answer quotes (in one of those lines).
TASKS = [
    ("logdetective-sample/f91ba960-67ea-4eb1-97b1-a897111dd030/builder-live.log", (-40, -1), "Why did the build fail?"),
    ("loghub/Linux/Linux_2k.log", (1, 30), "Which user's authentication failed?"),
    ("simdjson-data/jsonexamples/amazon_cellphones.ndjson", (1, 12), "Which brands of phones are listed?"),
    ("openflights/airports.dat", (1, 25), "In which country is Goroka Airport?"),
    ("chinook/Chinook_MySql.sql", (1, 80), "Which tables are created?"),
    ("commonmark-spec/spec.txt", (1, 60), "What is Markdown?"),
    ("git-output-lnav/docs-and-testlogs.diff", (1, 60), "Which file is changed first?"),
    ("argo-cd-manifests/manifests/install.yaml", (1, 70), "What kind of resource is defined first?"),
    ("libxml2-tests/test/schemas/nvdcve_0.xml", (1, 40), "What is the name of the first entry?"),
    ("grade-school-math/test.jsonl", (1, 6), "How many eggs do Janet's ducks lay per day?"),
]
HEAD = (
    "file", "lines", "calls", "read as JSON at once", "dropped", "quotes given", "quotes kept", "verified here",
    "found", "tokens in", "tokens out", "s a call", "our estimate of tokens in",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Measure and print; 0 also where there is nothing to measure with."""
    parser = argparse.ArgumentParser(description="Summaries and questions by a real model.")
    parser.add_argument("--model", default="0.5b")
    parser.add_argument("--files", type=int, default=len(TASKS))
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--context", type=int, default=3072)
    parser.add_argument("--lines", type=int, default=1000, help="so many lines of each file at most")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args(arguments)
    home, corpus = model_home(), corpus_folder()
    weights, python = home / f"{options.model}.gguf", home / "venv" / "bin" / "python"
    if corpus is None or not weights.is_file() or not python.is_file():
        missing = (
            "the corpus is not there"
            if corpus is None
            else f"no model: run tests/tools/install_model.sh {options.model}"
        )
        print(f"Skipped: {missing}.")
        return 0
    until = time.monotonic() + 60 * options.minutes
    rows: list[list[object]] = []
    totals = Counted()
    with served(python, weights, options.threads) as url:
        for name, lines, question in TASKS[: options.files]:
            if time.monotonic() > until:
                print(f"Stopped after {len(rows) // 2} files: {options.minutes:g} minutes are over.", flush=True)
                break
            first, last = lines
            if first > 0:
                last = min(last, first + options.lines - 1)
            else:
                first = max(first, -options.lines)
            for row, counted in measured(url, corpus / name, (first, last), question, options.context):
                rows.append([name.rsplit("/", 1)[-1], *row])
                totals.add(counted)
                print(f"{row} after {counted.seconds:.0f} s", file=sys.stderr, flush=True)
        ratios = [tokenizer_ratio(url, path) for path in sampled_files(corpus)]
    print(table(f"A real model ({options.model}) on real files", HEAD, rows))
    print(
        f"In all: {totals.calls} calls, {totals.readable} read as JSON at once, {totals.dropped} statements dropped, "
        f"{totals.given} quotes given, {totals.kept} kept, {totals.verified} of those verified here; "
        f"{totals.tokens_in:,} tokens in, {totals.tokens_out:,} out; {totals.seconds / max(1, totals.calls):.1f} s a call."
    )
    if ratios:
        print(
            f"Our estimate of tokens against this model's tokenizer, {len(ratios)} texts of 4 KB: "
            f"{min(ratios):.2f} to {max(ratios):.2f}, {sum(ratios) / len(ratios):.2f} on average."
        )
    return 0 if totals.kept == totals.verified else 1


def model_home() -> Path:
    """Where tests/tools/install_model.sh puts things."""
    named = os.environ.get("MILEPOST_CACHE")
    cache = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "milepost"
    return cache / "model"


@contextmanager
def served(python: Path, weights: Path, threads: int) -> Iterator[str]:
    """The address of a server of the model, which ends with the context."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = Path(__file__).with_name("model_server.py")
    process = subprocess.Popen(
        [str(python), str(script), str(weights), str(port), str(threads)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OMP_WAIT_POLICY": "passive"},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            if process.poll() is not None:
                raise RuntimeError(f"the model's server ended with {process.returncode}")
            try:
                with urllib.request.urlopen(f"{url}/health", timeout=2):
                    break
            except OSError:
                time.sleep(0.5)
        yield f"{url}/v1"
    finally:
        process.terminate()
        process.wait(20)


@dataclass
class Counted:
    """What came of some calls."""

    calls: int = 0
    readable: int = 0
    dropped: int = 0
    given: int = 0
    kept: int = 0
    verified: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated_in: int = 0
    seconds: float = 0.0

    def add(self, other: Counted) -> None:
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Watched:
    """A model whose calls are counted."""

    inner: OpenAIModel
    counted: Counted = field(default_factory=Counted)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def host(self) -> str:
        return self.inner.host

    @property
    def context_tokens(self) -> int:
        return self.inner.context_tokens

    def complete(self, prompt: Prompt, *, should_stop: StopFlag) -> Completion:
        """The inner one's reply, counted."""
        began = time.monotonic()
        completion = self.inner.complete(prompt, should_stop=should_stop)
        counted, value = self.counted, parse_object(completion.text)
        counted.seconds += time.monotonic() - began
        counted.calls += 1
        counted.readable += value is not None
        counted.tokens_in += completion.input_tokens
        counted.tokens_out += completion.output_tokens
        counted.estimated_in += estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
        counted.given += len(quotes_in(value or {}))
        return completion

    def close(self) -> None:
        self.inner.close()


def quotes_in(value: dict[str, Any]) -> list[object]:
    """What a reply gives for quotes."""
    answer = value.get("answer")
    found = [value.get("quotes"), answer.get("quotes") if isinstance(answer, dict) else None]
    return [quote for quotes in found if isinstance(quotes, list) for quote in quotes]


def measured(
    url: str, path: Path, lines: tuple[int, int], question: str, context_tokens: int
) -> Iterator[tuple[list[object], Counted]]:
    """A summary of some lines of a file and an answer from them: the cells of a row, and what was counted."""
    data = path.read_bytes()
    total = data.count(b"\n") + (not data.endswith(b"\n"))
    start, end = (line if line > 0 else total + 1 + line for line in lines)
    host = url.split("/")[2]
    model = ModelSettings(
        base_url=url, name="local", context_tokens=context_tokens, timeout_s=900.0, allowed_hosts=(host,)
    )
    settings = Settings.model_validate({"model": model.model_dump(), "cache": {"enabled": False}})
    for request in (
        SummarizeRequest(path=str(path), start_line=start, end_line=end),
        AskRequest(path=str(path), start_line=start, end_line=end, question=question),
    ):
        watched: list[Watched] = []

        def watch(chosen: ModelSettings, watched: list[Watched] = watched) -> Watched:
            watched.append(Watched(make_model(chosen, None)))
            return watched[-1]

        service = Service(lambda: settings, watch)
        reply: SummarizeReply | AskReply = (
            service.ask(request) if isinstance(request, AskRequest) else service.summarize(request)
        )
        counted = watched[-1].counted
        counted.dropped = reply.stats.dropped_entries
        quotes = reply.answer.quotes if reply.answer else ()
        counted.kept = len(quotes)
        if not reply.answer:  # the quotes of a summary stay within: they are what it may go back to
            counted.given = 0
        counted.verified = sum(is_true(data, quote) for quote in quotes)
        check_outline(reply, data, start, end)
        if reply.error:
            print(f"{path.name}: {reply.error.kind}: {reply.error.message}", file=sys.stderr)
        what = "question" if isinstance(request, AskRequest) else "summary"
        found = ("yes" if reply.answer and reply.answer.found else "no") if isinstance(request, AskRequest) else ""
        yield (
            [
                f"{what} {start}-{end}",
                counted.calls,
                counted.readable,
                counted.dropped,
                counted.given,
                counted.kept,
                counted.verified,
                found,
                counted.tokens_in,
                counted.tokens_out,
                f"{counted.seconds / max(1, counted.calls):.1f}",
                f"{counted.estimated_in / max(1, counted.tokens_in):.2f}",
            ],
            counted,
        )


def is_true(data: bytes, quote: Any) -> bool:
    """Whether a quote stands in the file where it says, by counting from the beginning."""
    if data[quote.start_byte : quote.end_byte].decode("utf-8", "replace") != quote.text:
        return False
    return data[: quote.start_byte].count(b"\n") + 1 == quote.start_line


def check_outline(reply: SummarizeReply | AskReply, data: bytes, start: int, end: int) -> None:
    """The entries join, and cover the lines that were asked for."""
    entries = reply.outline
    assert not entries or (entries[0].start_line, entries[-1].end_line) == (start, end), (start, end, entries)
    for before, after in itertools.pairwise(entries):
        assert before.end_byte == after.start_byte
    for entry in entries:
        assert entry.start_line == data[: entry.start_byte].count(b"\n") + 1


def sampled_files(corpus: Path) -> list[Path]:
    """Files of every kind, for the estimate of tokens."""
    names = [name for name, _, _ in TASKS]
    names += [
        "chardet-encodings/utf-8/_ude_russian.txt",
        "simdjson-data/jsonexamples/numbers.json",
        "loghub/HDFS/HDFS_2k.log",
    ]
    return [corpus / name for name in names if (corpus / name).is_file()]


def tokenizer_ratio(url: str, path: Path) -> float:
    """Our estimate of a file's first 4 KB over what the model's own tokenizer counts."""
    with path.open("rb") as file:
        text = file.read(4096).decode("utf-8", "replace")
    request = urllib.request.Request(
        url.replace("/v1", "/tokenize"),
        json.dumps({"content": text}).encode(),
        {"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return estimate_tokens(text) / max(1, len(json.load(reply)["tokens"]))


if __name__ == "__main__":
    # No settings or logs of the person who runs this.
    with tempfile.TemporaryDirectory() as home:
        cache = os.environ.get("MILEPOST_CACHE") or str(model_home().parent)
        os.environ.update(MILEPOST_CACHE=cache, XDG_CONFIG_HOME=home, XDG_STATE_HOME=home)
        sys.exit(main(sys.argv[1:]))
