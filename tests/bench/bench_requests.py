"""100,000 requests of all kinds leave memory and handles as they were.

python tests/bench/bench_requests.py [--requests 100000] [--minutes 15]

The requests go out in batches, so that many are answered side by side; some are cancelled, some are wrong, and the document
is opened, edited and closed again and again. Exits with 1 where memory or open handles grow, an error reply has no kind, or
the time is up before half of the requests were answered.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
from bench_endurance import MAX_GROWTH_BYTES, MAX_HANDLES_GROWTH, MEGABYTE, growth, log_line, write_file
from measure import pss_bytes, table
from raw_client import ErrorReplyError, RawClient, ServerProcess, capabilities_of

LOG_BYTES = 40_000
#: Samples are taken this often; the first tenth of the requests is left out of the growth.
SAMPLES = 100
WAIT_S = 120.0


def requests_of(uri: str, number: int) -> list[tuple[str, Any]]:
    """One of each kind, a little different each time."""
    document = {"textDocument": {"uri": uri}}
    line = 1 + number % 500
    span = {"uri": uri, "startLine": line, "endLine": line + number % 40}
    return [
        ("textDocument/documentSymbol", {**document, "workDoneToken": f"symbols {number}"}),
        ("textDocument/codeLens", document),
        ("textDocument/foldingRange", document),
        ("textDocument/hover", {**document, "position": {"line": line, "character": 0}}),
        ("milepost/outline", {"uri": uri, "workDoneToken": number}),
        ("milepost/outline", {"uri": uri, "depth": 1 + number % 3, "wait": False}),
        ("milepost/read", span),
        ("milepost/read", {**span, "limit": 10, "startLine": None, "endLine": None, "offset": line}),
        ("milepost/find", {"uri": uri, "pattern": f"user{number % 997}", "maxHits": 20}),
        ("milepost/plan", {"uri": uri}),
        ("milepost/resolveAnchor", {"uri": uri, "anchor": {"startLine": line, "endLine": line}}),
        ("workspace/executeCommand", {"command": "milepost.read", "arguments": [span]}),
        ("workspace/executeCommand", {"command": "milepost.nothing", "arguments": []}),
        ("milepost/read", {"uri": uri, "startLine": "one"}),
        ("milepost/outline", {"uri": f"{uri}.missing"}),
        ("textDocument/documentSymbol", {"textDocument": {"uri": "untitled:nothing"}}),
    ]


class Batches:
    """Sends batches to a server, and counts what comes back."""

    def __init__(self, client: RawClient, path: Path) -> None:
        self.client = client
        self.path = path
        self.answered = 0
        self.refused: Counter[str] = Counter()

    def send(self, number: int) -> None:
        """Open, ask for everything at once and cancel some, edit, ask again, close."""
        client, uri = self.client, self.path.as_uri()
        opened = number % 10 == 0
        started = []
        if opened:
            client.open(uri, self.path.read_text(encoding="utf-8"))
            self._edit(uri, 2)
        started += [client.start(method, params) for method, params in requests_of(uri, number)]
        cancelled = client.start("milepost/find", {"uri": uri, "pattern": "no such thing"})
        client.cancel(cancelled)
        if opened:
            self._edit(uri, 3)
        for request in [*started, cancelled]:
            self._wait(request)
        if opened:
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        # What came in is checked elsewhere; kept it would only fill this process.
        client.received.clear()
        client.asked.clear()
        client.arrived_at.clear()

    def _edit(self, uri: str, version: int) -> None:
        where = {"line": 3, "character": 0}
        change = {"range": {"start": where, "end": where}, "text": "🌍 edited\n"}
        document = {"uri": uri, "version": version}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    def _wait(self, request: int) -> None:
        try:
            self.client.wait(request, WAIT_S)
        except ErrorReplyError as error:
            self.refused[error.kind or "without a kind"] += 1
        self.answered += 1


def main() -> int:
    """Ask, and say what is left behind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=15, help="ask no longer than this")
    options = parser.parse_args()
    memory: list[int] = []
    handles: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asked.log"
        write_file(path, LOG_BYTES, log_line)
        server = ServerProcess()
        try:
            server.client.initialize(capabilities_of("vscode"))
            system = psutil.Process(server.process.pid)
            batches = Batches(server.client, path)
            began = time.monotonic()
            for number in itertools.count():
                if batches.answered >= options.requests or time.monotonic() - began > 60 * options.minutes:
                    break
                batches.send(number)
                if batches.answered * SAMPLES >= (len(memory) + 1) * options.requests:
                    memory.append(pss_bytes(server.process.pid))
                    handles.append(system.num_fds())
            taken = time.monotonic() - began
            code = server.leave()
        finally:
            server.end()
    warm_memory, warm_handles = memory[len(memory) // 10 :], handles[len(handles) // 10 :]
    rows = [
        ("requests answered", f"{batches.answered:,} in {taken:.0f} s", f"{options.requests:,}",
         batches.answered * 2 >= options.requests),
        ("memory, last third against the one before", f"{growth(warm_memory) / MEGABYTE:+.1f} MB", "≤ +12 MB",
         growth(warm_memory) <= MAX_GROWTH_BYTES),
        ("memory, first and last", f"{warm_memory[0] / MEGABYTE:.0f} MB, {warm_memory[-1] / MEGABYTE:.0f} MB", "", True),
        ("handles, last third against the one before", f"{growth(warm_handles):+.0f}", "≤ +8",
         growth(warm_handles) <= MAX_HANDLES_GROWTH),
        ("error replies without a kind", f"{batches.refused['without a kind']}", "0",
         batches.refused["without a kind"] == 0),
        ("exit code", f"{code}", "0", code == 0),
    ]  # fmt: skip
    print(f"refused: {dict(batches.refused)}\n")
    print(
        table(
            "100,000 requests",
            ("what", "measured", "wanted", "holds"),
            [(*row[:3], "yes" if row[3] else "NO") for row in rows],
        )
    )
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
