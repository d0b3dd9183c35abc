"""Days of use in half an hour: mixed requests on ten files up to 1 GB that grow, shrink and change meanwhile.

python tests/bench/bench_endurance.py [--minutes 30] [--megabytes 1000] [--restarts 1] [--seed 1]

The server is ended properly and started again `--restarts` times. Exits with 1 where an error reply has no kind, open handles
or memory (without the text of open documents) grow, the 99th percentile of `documentSymbol` on a file that has not changed is
over 100 ms, the event loop was held for over 50 ms (without what the kernel gave to others), or the server does not end as it
should. What held the loop is written to the file that MILEPOST_BENCH_STACKS names (`watched_server.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from grow import cache_folder
from measure import pss_bytes, table

TESTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "lsp"))

from raw_client import ErrorReplyError, RawClient, ServerProcess, capabilities_of  # noqa: E402

MEGABYTE = 1_000_000
MAX_SYMBOLS_S = 0.1
MAX_PAUSE_S = 0.05
#: Memory and handles are those of the last third of a server's life against those of the third before it.
MAX_GROWTH_BYTES = 12 * MEGABYTE
MAX_HANDLES_GROWTH = 8
WARM_UP_SHARE = 1 / 3
SAMPLE_EVERY_S = 2.0
WAIT_S = 180.0


def log_line(number: int) -> str:
    """A line of a log, an error now and then."""
    clock = f"{number // 36000 % 24:02}:{number // 600 % 60:02}:{number // 10 % 60:02}.{number % 10}00"
    if number % 4999 == 17:
        return f"2026-03-01 {clock} ERROR worker-{number % 7}: cannot reach db-{number % 5}: connection refused\n"
    return f"2026-03-01 {clock} INFO worker-{number % 7}: request {number * 7919 % 1_000_003} took {number % 97} ms\n"


def json_line(number: int) -> str:
    """A record of an NDJSON file."""
    return json.dumps({"id": number, "name": f"user{number % 997}", "ok": number % 13 > 0, "ms": number % 300}) + "\n"


def csv_line(number: int) -> str:
    """A row of a CSV file; row 0 is the header."""
    return f"{number},user{number % 997},{number % 89}.5,2026-03-01\n" if number else "id,name,score,day\n"


def sql_line(number: int) -> str:
    """A statement of a dump."""
    if number == 0:
        return "CREATE TABLE users (id integer, name text);\n"
    return f"INSERT INTO users VALUES ({number}, 'it''s user {number % 997}');\n"


def markdown_line(number: int) -> str:
    """A line of a document."""
    return f"## Part {number // 20}\n" if number % 20 == 0 else f"Line {number} says that all is well, mostly.\n"


KINDS: dict[str, Callable[[int], str]] = {
    ".log": log_line,
    ".ndjson": json_line,
    ".csv": csv_line,
    ".sql": sql_line,
    ".md": markdown_line,
}


def write_file(path: Path, size: int, line: Callable[[int], str]) -> None:
    """Fill a file with lines up to a size."""
    number = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        while file.tell() < size:
            file.writelines(line(at) for at in range(number, number + 5000))
            number += 5000


@dataclass
class Life:
    """What was seen of one server, from its start to its end."""

    symbols_s: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    open_text: list[int] = field(default_factory=list)
    handles: list[int] = field(default_factory=list)
    pauses_s: list[float] = field(default_factory=list)
    requests: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    untyped: list[str] = field(default_factory=list)
    code: int | None = None


class User:
    """Somebody at an editor: asks, edits, and has files change under the server's feet."""

    def __init__(self, client: RawClient, fixed: list[Path], changing: list[Path], chance: random.Random, life: Life):
        self.client = client
        self.fixed = fixed
        self.changing = changing
        self.chance = chance
        self.life = life
        self.opened: dict[Path, int] = {}
        #: How long the text of each open document is: the user's own, which the server has to hold.
        self.open_bytes: dict[Path, int] = {}
        self.acts: list[tuple[int, Callable[[], None]]] = [
            (30, self.symbols),
            (12, self.read),
            (10, self.features),
            (8, self.outline),
            (5, self.find),
            (3, self.ask),
            (2, self.summarize),
            (8, self.edit),
            (6, self.append),
            (2, self.truncate),
            (1, self.rewrite),
            (4, self.cancel),
            (4, self.wrong),
            (3, self.command),
            (1, self.close),
        ]

    def act(self) -> None:
        """Do something, the likelier things more often."""
        self.chance.choices([act for _, act in self.acts], [weight for weight, _ in self.acts])[0]()

    def request(self, method: str, params: Any) -> Any:
        """A request whose refusal is fine as long as it says its kind."""
        self.life.requests[method] += 1
        try:
            return self.client.request(method, params, WAIT_S)
        except ErrorReplyError as error:
            self.life.errors[f"{error.kind}"] += 1
            if not error.kind:
                self.life.untyped.append(f"{method}: {error}")
            return None

    def any_file(self) -> Path:
        return self.chance.choice(self.fixed + self.changing)

    def symbols(self) -> None:
        """Symbols of a file that does not change; the first time it has to be scanned."""
        path = self.chance.choice(self.fixed)
        began = time.monotonic()
        self.request("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})
        if self.life.requests[f"seen {path.name}"] > 1:
            self.life.symbols_s.append(time.monotonic() - began)
        self.life.requests[f"seen {path.name}"] += 1

    def read(self) -> None:
        start = self.chance.randrange(1, 5000)
        span = {"startLine": start, "endLine": start + self.chance.randrange(60)}
        self.request("milepost/read", {"uri": self.any_file().as_uri(), **span})

    def features(self) -> None:
        document = {"textDocument": {"uri": self.any_file().as_uri()}}
        self.request("textDocument/codeLens", document)
        self.request("textDocument/foldingRange", document)
        position = {"line": self.chance.randrange(3000), "character": 0}
        self.request("textDocument/hover", {**document, "position": position})

    def outline(self) -> None:
        choices: list[dict[str, Any]] = [{}, {"depth": 1}, {"maxBytes": 2000}, {"wait": False}]
        options = self.chance.choice(choices)
        found = self.request("milepost/outline", {"uri": self.any_file().as_uri(), **options})
        if found and found.get("next"):
            self.request(
                "milepost/outline", {"uri": found["path"] and Path(found["path"]).as_uri(), "cursor": found["next"]}
            )

    def find(self) -> None:
        pattern = self.chance.choice(["refused", "user42", "no such thing", "took 9[67] ms"])
        params = {"uri": self.any_file().as_uri(), "pattern": pattern, "regex": "[" in pattern, "maxHits": 50}
        self.request("milepost/find", params)

    def ask(self) -> None:
        small = [path for path in self.fixed if path.stat().st_size < 80 * MEGABYTE]
        params = {"uri": self.chance.choice(small).as_uri(), "question": "which host refused the connection?"}
        self.request("milepost/ask", {**params, "maxChunks": 3})

    def summarize(self) -> None:
        path = self.chance.choice(self.changing)
        found = self.request("milepost/summarize", {"uri": path.as_uri(), "maxChunks": 4})
        if found and found["cursor"]:
            self.request("milepost/summarize", {"uri": path.as_uri(), "maxChunks": 1, "cursor": found["cursor"]})

    def edit(self) -> None:
        """Open a document if it is not, type into it, and look at its symbols."""
        path = self.chance.choice(self.changing)
        if path not in self.opened:
            if path.stat().st_size > 30 * MEGABYTE:
                return
            text = path.read_text(encoding="utf-8")
            self.client.open(path.as_uri(), text)
            self.opened[path], self.open_bytes[path] = 1, len(text)
        for _ in range(self.chance.randrange(1, 20)):
            self.opened[path] += 1
            line = self.chance.randrange(500)
            where = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}
            change = {"range": where, "text": self.chance.choice(["x", "\n", "🌍 ", "a line\nand another\n"])}
            document = {"uri": path.as_uri(), "version": self.opened[path]}
            self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        self.request("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})

    def close(self) -> None:
        if self.opened:
            path = self.chance.choice(sorted(self.opened))
            del self.opened[path], self.open_bytes[path]
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})

    def append(self) -> None:
        path = self.chance.choice(self.changing)
        line = KINDS[path.suffix]
        with path.open("a", encoding="utf-8", newline="") as file:
            file.writelines(line(at) for at in range(1, self.chance.randrange(2, 3000)))
        self.request("milepost/outline", {"uri": path.as_uri()})

    def truncate(self) -> None:
        path = self.chance.choice(self.changing)
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2)
        self.request("milepost/outline", {"uri": path.as_uri()})

    def rewrite(self) -> None:
        path = self.chance.choice(self.changing)
        write_file(path, 2 * MEGABYTE, self.chance.choice(list(KINDS.values())))
        self.request("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})

    def cancel(self) -> None:
        """Begin what takes long, and lose interest."""
        choices: list[tuple[str, dict[str, Any]]] = [
            ("milepost/find", {"pattern": "no such thing at all", "caseSensitive": False}),
            ("milepost/summarize", {}),
            ("milepost/outline", {"format": "text"}),
        ]
        method, params = self.chance.choice(choices)
        path = self.chance.choice(self.fixed)
        started = self.client.start(method, {"uri": path.as_uri(), **params})
        time.sleep(self.chance.random() * 0.3)
        self.client.cancel(started)
        self.life.requests[f"cancelled {method}"] += 1
        try:
            self.client.wait(started, WAIT_S)
        except ErrorReplyError as error:
            if error.code != -32800 and not error.kind:
                self.life.untyped.append(f"{method}: {error}")

    def wrong(self) -> None:
        """What cannot be answered is refused, with a kind."""
        path = self.any_file()
        method, params = self.chance.choice(
            [
                ("milepost/outline", {"path": str(path) + ".missing"}),
                ("milepost/outline", {"path": str(path.parent)}),
                ("milepost/outline", {"uri": path.as_uri(), "cursor": "nonsense"}),
                ("milepost/read", {"uri": path.as_uri(), "startLine": 10**9}),
                ("milepost/read", {"uri": path.as_uri(), "startLine": "one"}),
                ("milepost/nothing", {}),
                ("workspace/executeCommand", {"command": "milepost.nothing", "arguments": []}),
                ("milepost/ask", {"uri": path.as_uri(), "question": " "}),
            ]
        )
        self.request(method, params)

    def command(self) -> None:
        arguments = [{"uri": self.any_file().as_uri(), "startLine": 1, "endLine": 5}]
        self.request("workspace/executeCommand", {"command": "milepost.read", "arguments": arguments})


def live(fixed: list[Path], changing: list[Path], seconds: float, chance: random.Random) -> Life:
    """One server's life."""
    life = Life()
    process = ServerProcess(sys.executable, str(Path(__file__).with_name("watched_server.py")))
    try:
        client = process.client
        client.initialize(capabilities_of("vscode"))
        user = User(client, fixed, changing, chance, life)
        for path in fixed:  # everything that is loaded at a first use is loaded, every file scanned
            client.request("milepost/outline", {"uri": path.as_uri()}, WAIT_S)
        client.request("bench/pauses")
        system = psutil.Process(process.process.pid)
        end = time.monotonic() + seconds
        sampled = 0.0
        while time.monotonic() < end:
            user.act()
            # What came in is checked elsewhere; kept for half an hour it would only fill this process.
            client.received.clear()
            if time.monotonic() - sampled >= SAMPLE_EVERY_S:
                sampled = time.monotonic()
                life.memory.append(pss_bytes(process.process.pid))
                life.open_text.append(sum(user.open_bytes.values()))
                life.handles.append(system.num_fds())
                life.pauses_s.append(client.request("bench/pauses")["own"])
        life.code = process.leave()
    finally:
        process.end()
    return life


def growth(samples: list[int]) -> float:
    """How much more the last third of the samples is than the third before it."""
    third = max(1, len(samples) // 3)
    return statistics.median(samples[-third:]) - statistics.median(samples[-2 * third : -third] or samples[:third])


def course(samples: list[int]) -> str:
    """The median of each tenth of the samples, in MB: whether they level off or climb."""
    tenths = [samples[len(samples) * tenth // 10 : len(samples) * (tenth + 1) // 10] for tenth in range(10)]
    return " ".join(f"{statistics.median(tenth) / MEGABYTE:.0f}" for tenth in tenths if tenth)


def verdicts(lives: list[Life]) -> list[tuple[str, str, str, bool]]:
    """What was measured, what was wanted, and whether it holds."""
    symbols = sorted(taken for life in lives for taken in life.symbols_s)
    slowest = symbols[-max(1, len(symbols) // 100)] if symbols else 0.0
    memory = max(
        growth([held - text for held, text in zip(life.memory, life.open_text, strict=True)]) for life in lives
    )
    handles = max(growth(life.handles) for life in lives)
    pause = max(pause for life in lives for pause in life.pauses_s)
    untyped = [one for life in lives for one in life.untyped]
    codes = [life.code for life in lives]
    return [
        ("documentSymbol, unchanged file, 99th percentile", f"{1000 * slowest:.0f} ms of {len(symbols):,}", "≤ 100 ms",
         slowest <= MAX_SYMBOLS_S),
        ("error replies without a kind", f"{len(untyped)} {untyped[:3] or ''}", "0", not untyped),
        ("memory without open text, last third against the second", f"{memory / MEGABYTE:+.1f} MB", "≤ +12 MB",
         memory <= MAX_GROWTH_BYTES),
        ("most memory", f"{max(max(life.memory) for life in lives) / MEGABYTE:.0f} MB", "", True),
        ("open handles, last third against the one before", f"{handles:+.0f}", "≤ +8", handles <= MAX_HANDLES_GROWTH),
        ("the event loop's worst pause", f"{1000 * pause:.0f} ms", "≤ 50 ms", pause <= MAX_PAUSE_S),
        ("exit codes", f"{codes}", "0", set(codes) == {0}),
    ]  # fmt: skip


def main() -> int:
    """Live, and say how it was."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--megabytes", type=int, default=1000, help="size of the largest file")
    parser.add_argument("--restarts", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=cache_folder()) as made:
        folder = Path(made)
        sizes = [(".log", options.megabytes), (".log", 60), (".ndjson", 40), (".csv", 30), (".sql", 20)]
        fixed = [folder / f"fixed{number}{suffix}" for number, (suffix, _) in enumerate(sizes)]
        for path, (suffix, megabytes) in zip(fixed, sizes, strict=True):
            write_file(path, megabytes * MEGABYTE, KINDS[suffix])
        changing = [folder / f"changing{suffix}" for suffix in KINDS]
        for path in changing:
            write_file(path, 3 * MEGABYTE, KINDS[path.suffix])
        seconds = 60 * options.minutes / (options.restarts + 1)
        lives = [live(fixed, changing, seconds, chance) for _ in range(options.restarts + 1)]
    rows = verdicts(lives)
    asked = sum((life.requests for life in lives), Counter[str]())
    refused = sum((life.errors for life in lives), Counter[str]())
    requests = sum(count for name, count in asked.items() if not name.startswith("seen "))
    print(f"{requests:,} requests in {options.minutes:g} minutes, {len(lives)} servers; refused: {dict(refused)}\n")
    print(
        table(
            "Endurance",
            ("what", "measured", "wanted", "holds"),
            [(*row[:3], "yes" if row[3] else "NO") for row in rows],
        )
    )
    for number, life in enumerate(lives, 1):
        print(f"memory of server {number} by tenths of its life, MB: {course(life.memory)}")
        print(f"  of which text of open documents: {course(life.open_text)}")
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
