"""The language server on big files: what a client waits for, what cancelled work costs it, and how its loop is kept free.

python tests/bench/bench_server.py [--log HDFS] [--megabytes 60 200 1000] [--rounds 3]

Exits with 1 where something that issue 2 or 6 asks for does not hold. Files are named by their URI alone, no document
is opened, but for the last row about the event loop. What the scan itself costs is measured by bench_scan.py.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from grow import LAYOUTS, cache_folder, grown_log
from measure import table

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "lsp"))

from raw_client import ErrorReplyError, RawClient, ServerProcess  # noqa: E402
from start_cost import MAX_CPU_S, MAX_MEMORY_BYTES, start_costs  # noqa: E402

MEGABYTE = 1_000_000
MAX_PAUSE_S = 0.05
MAX_READ_S = 0.05
MAX_LIVE_DELAY_S = 1.0
EDITS = 1_000
CANCELLED = 50
SYMBOLS = 5_000
#: A client that can be told to ask again: it is given a provisional outline first.
REFRESHING = {
    "workspace": {"codeLens": {"refreshSupport": True}, "foldingRange": {"refreshSupport": True}},
    "textDocument": {"documentSymbol": {"dynamicRegistration": True, "hierarchicalDocumentSymbolSupport": True}},
}
WAIT_S = 120.0

Row = tuple[object, ...]


class Verdicts:
    """Rows with what was asked for; remembers whether all of it holds."""

    def __init__(self) -> None:
        self.good = True

    def row(self, what: str, measured: str, wanted: str, holds: bool) -> Row:
        """One row, its last column a word."""
        self.good = self.good and holds
        return what, measured, wanted, "yes" if holds else "NO"


@contextmanager
def running(*command: str, options: object = None) -> Iterator[RawClient]:
    """A client of a fresh server that can be told to ask again. Everything a first request loads is loaded."""
    process = ServerProcess(*command)
    try:
        process.client.initialize(REFRESHING, initializationOptions=options)
        with tempfile.NamedTemporaryFile(suffix=".log") as small:
            small.write(b"2024-01-29 08:00:00,000 INFO x: started\n" * 100)
            small.flush()
            process.client.request("milepost/outline", {"path": small.name})
            process.client.request("milepost/find", {"path": small.name, "pattern": "x"})
        yield process.client
        process.leave()
    finally:
        process.end()


def milliseconds(seconds: float) -> str:
    """A time for a table."""
    return f"{1000 * seconds:,.1f}"


# --- files by their URI alone ------------------------------------------------------------------------------------------


def bench_file(path: Path, verdicts: Verdicts) -> Row:
    """One cold file: symbols at once, reads while it is scanned, the exact outline, then line ranges."""
    size, uri = path.stat().st_size, path.as_uri()
    chance = random.Random(size)
    with running() as client:

        def read(**span: int) -> float:
            asked = time.monotonic()
            client.request("milepost/read", {"uri": uri, **span})
            return time.monotonic() - asked

        began = time.monotonic()
        symbols = client.symbols(uri, WAIT_S)
        symbols_s = time.monotonic() - began
        outline = client.start("milepost/outline", {"uri": uri})
        early = []
        # No line is known yet, so what is read are bytes.
        while outline not in client.arrived_at:
            early.append(read(startByte=chance.randrange(size - 8192), length=8192))
        exact = client.wait(outline, WAIT_S)
        outline_s = client.arrived_at[outline] - began
        assert (exact["state"], exact["totalBytes"]) == ("exact", size)
        state = "provisional" if client.messages("milepost/outlineChanged") else "exact"
        reads = []
        for _ in range(200):
            start = chance.randrange(1, exact["totalLines"] - 60)
            reads.append(read(startLine=start, endLine=start + chance.randrange(1, 60)))
    slowest = sorted(reads)[-len(reads) // 100 - 1]
    return (
        f"{size / MEGABYTE:,.0f}",
        f"{symbols_s:.2f} ({len(symbols)}, {state})",
        f"{outline_s:.2f}",
        milliseconds(statistics.median(early)) if early else "",
        *verdicts.row("", milliseconds(slowest), "≤ 50", slowest <= MAX_READ_S and bool(symbols))[1:],
    )


# --- cancelled work ----------------------------------------------------------------------------------------------------


def bench_cancelled(big: Path, live: Path, rounds: int, verdicts: Verdicts) -> list[Row]:
    """Outlines of fifty cold files cancelled a moment after they were asked for; then one that somebody waits for.

    Each file is a name of its own (a hard link) of the same bytes: cold for the server, no cost to the disk.
    """
    lone, behind, cancelled = [], [], []
    with tempfile.TemporaryDirectory(dir=cache_folder()) as made, running() as client:
        names = itertools.count()

        def cold(original: Path) -> dict[str, str]:
            path = Path(made) / f"{next(names)}.log"
            os.link(original, path)
            return {"uri": path.as_uri()}

        def timed(request: dict[str, str]) -> float:
            began = time.monotonic()
            client.request("milepost/outline", request, WAIT_S)
            return time.monotonic() - began

        for _ in range(rounds):
            lone.append(timed(cold(live)))
            requests = [client.start("milepost/outline", cold(big)) for _ in range(CANCELLED)]
            time.sleep(0.3)  # the first of them are being scanned
            for request in requests:
                client.cancel(request)
            behind.append(timed(cold(live)))
            cancelled.append(sum(was_cancelled(client, request) for request in requests))
    size = live.stat().st_size / MEGABYTE
    lone_s, behind_s = statistics.median(lone), statistics.median(behind)
    return [
        (f"outline of {size:.0f} MB alone, s", f"{lone_s:.2f}", "", ""),
        verdicts.row(
            f"the same behind {CANCELLED} cancelled ones, s",
            f"{behind_s:.2f}",
            "at most 1 more",
            behind_s <= lone_s + MAX_LIVE_DELAY_S,
        ),
        verdicts.row("answered as cancelled", f"{min(cancelled)}", f"{CANCELLED}", min(cancelled) == CANCELLED),
    ]


def was_cancelled(client: RawClient, request: int) -> bool:
    """Whether a request was answered with the error that says so."""
    try:
        client.wait(request, WAIT_S)
    except ErrorReplyError as error:
        return bool(error.kind == "cancelled")
    return False


# --- the event loop ----------------------------------------------------------------------------------------------------


def bench_pauses(big: Path, verdicts: Verdicts) -> list[Row]:
    """The worst pauses of the event loop, by a watchdog inside the server."""
    rows: list[Row] = []
    watched = (sys.executable, str(Path(__file__).with_name("watched_server.py")))

    def note(client: RawClient, what: str, *, judged: bool = True) -> None:
        pauses = client.request("bench/pauses")
        measured = f"{milliseconds(pauses['own'])} ({milliseconds(pauses['worst'])} with waiting for a processor)"
        holds = pauses["own"] <= MAX_PAUSE_S
        rows.append(verdicts.row(what, measured, "≤ 50", holds) if judged else (what, measured, "", ""))

    with running(*watched) as client:
        client.request("bench/pauses")
        time.sleep(2)
        note(client, "two idle seconds", judged=False)
        exact = client.request("milepost/outline", {"uri": big.as_uri()}, WAIT_S)
        assert exact["state"] == "exact"
        note(client, f"outline of {big.stat().st_size / MEGABYTE:,.0f} MB")
    # More nodes than a reply of symbols may have, which is then as long as one can be.
    options = {"outline": {"maxNodes": 4 * SYMBOLS}}
    with tempfile.TemporaryDirectory() as folder, running(*watched, options=options) as client:
        path = Path(folder) / "many.json"
        path.write_text(many_sections())
        client.request("milepost/outline", {"uri": path.as_uri()}, WAIT_S)
        client.request("bench/pauses")
        symbols = count(client.symbols(path.as_uri()))
        note(client, f"a reply of {symbols:,} symbols")
        verdicts.good = verdicts.good and symbols == SYMBOLS
        text = "".join(f"a line of an open document, its number is {number}\n" for number in range(900_000))
        client.request("bench/pauses")
        client.open("untitled:large", text)
        for number in range(EDITS):
            place = {"line": number * 800, "character": 3}
            change = {"range": {"start": place, "end": place}, "text": "X\n" if number % 2 else "é"}
            identifier = {"uri": "untitled:large", "version": number + 2}
            client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        note(client, f"a document of {len(text) / MEGABYTE:.0f} MB opened and edited {EDITS:,} times")
    return rows


def many_sections() -> str:
    """A text with more sections than there are symbols in a reply: objects that all differ."""
    chance = random.Random(7)
    names = [f"member {number}" for number in range(60)]
    objects = {
        f"object {number} {chance.random()}": {name: {"number": number} for name in chance.sample(names, 5)}
        for number in range(SYMBOLS // 3)
    }
    return json.dumps(objects, indent=1)


def count(symbols: Sequence[dict[str, object]]) -> int:
    """How many symbols there are at all depths."""
    total = 0
    for symbol in symbols:
        children = symbol.get("children", [])
        assert isinstance(children, list)
        total += 1 + count(children)
    return total


# --- starting ----------------------------------------------------------------------------------------------------------


def bench_start(verdicts: Verdicts) -> list[Row]:
    """From the start to `initialized`, beside an empty pygls server."""
    empty, ours = start_costs(rounds=3)
    cpu_s, memory = ours.cpu_s - empty.cpu_s, ours.memory_bytes - empty.memory_bytes
    cpu = verdicts.row("CPU, s", f"{cpu_s:.2f}", f"≤ {MAX_CPU_S}", cpu_s <= MAX_CPU_S)
    size = verdicts.row(
        "resident memory, MB", f"{memory / 2**20:.0f}", f"≤ {MAX_MEMORY_BYTES >> 20}", memory <= MAX_MEMORY_BYTES
    )
    return [
        (cpu[0], f"{empty.cpu_s:.2f}", f"{ours.cpu_s:.2f}", *cpu[1:]),
        (size[0], f"{empty.memory_bytes / 2**20:.0f}", f"{ours.memory_bytes / 2**20:.0f}", *size[1:]),
    ]


def main() -> int:
    """Print the tables; 1 where something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", default="HDFS", choices=sorted(LAYOUTS))
    parser.add_argument("--megabytes", type=int, nargs="+", default=[60, 200, 1000])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    verdicts = Verdicts()
    # The tail is the one that bench_scan.py asks for, so that both use the same file.
    paths = [grown_log(arguments.log, size * MEGABYTE, tail_bytes=MEGABYTE)[0] for size in sorted(arguments.megabytes)]
    head: tuple[str, ...] = (
        "MB",
        "first symbols, s",
        "exact outline, s",
        "8 KB read meanwhile, median, ms",
        "line range then, 99th percentile of 200, ms",
        "wanted",
        "holds",
    )
    rows = [bench_file(path, verdicts) for path in paths]
    print(table(f"{arguments.log} by its URI alone, no document opened", head, rows), flush=True)
    head = ("what", f"median of {arguments.rounds}", "wanted", "holds")
    rows = bench_cancelled(paths[-1], paths[0], arguments.rounds, verdicts)
    print(table("Cancelled requests", head, rows), flush=True)
    head = ("while", "worst pause of the event loop, ms", "wanted", "holds")
    print(table("The event loop", head, bench_pauses(paths[-1], verdicts)), flush=True)
    head = ("start to initialized", "empty pygls server", "Milepost", "more by", "wanted", "holds")
    print(table("Starting (best of 3)", head, bench_start(verdicts)))
    return 0 if verdicts.good else 1


if __name__ == "__main__":
    sys.exit(main())
