"""How much the outline of a big log costs: CPU against `wc -l` in the same run, memory, and a running server's answers.

python tests/bench/bench_scan.py [--log HDFS] [--megabytes 1000] [--rounds 3]
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
from pathlib import Path

from grow import LAYOUTS, grown_log
from measure import MILEPOST, LanguageClient, PeakMemory, run, table

TAIL_BYTES = 1_000_000
MEGABYTE = 1_000_000
REQUIRED_RATIO = 20
REQUIRED_MEMORY = 150 * 1024 * 1024
#: What may be read besides the tail: the last unfinished stripe, and the samples that tell growth from change.
MARGIN_BYTES = 6 * 2**20


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` of them do not exceed."""
    return sorted(values)[max(0, -(-int(len(values) * share * 1000) // 1000) - 1)]


def verdict(good: bool) -> str:
    """One word for the last column."""
    return "yes" if good else "NO"


def bench_process(name: str, size: int, rounds: int) -> str:
    """`milepost outline` against `wc -l`, alternating; the median of each."""
    path, _ = grown_log(name, size, tail_bytes=TAIL_BYTES)
    counted = run(["wc", "-l", str(path)])
    lines = int(counted.output.split()[0])
    ours, theirs, peaks, walls = [], [], [], []
    for _ in range(rounds):
        theirs.append(run(["wc", "-l", str(path)]).cpu_s)
        outlined = run([*MILEPOST, "outline", str(path), "--json"], memory=True)
        if outlined.code:
            raise SystemExit(outlined.errors.decode())
        ours.append(outlined.cpu_s)
        walls.append(outlined.wall_s)
        peaks.append(outlined.peak_pss_bytes)
    ratio = statistics.median(ours) / statistics.median(theirs)
    peak = max(peaks)
    rows = [
        ("CPU of `wc -l`, s", f"{statistics.median(theirs):.2f}", "", ""),
        ("CPU of `milepost outline`, s", f"{statistics.median(ours):.2f}", "", ""),
        ("ratio", f"{ratio:.1f}", f"≤ {REQUIRED_RATIO}", verdict(ratio <= REQUIRED_RATIO)),
        ("wall time of `milepost outline`, s", f"{statistics.median(walls):.2f}", "", ""),
        ("peak memory of the process tree (PSS), MB", f"{peak / 2**20:.0f}", "≤ 150", verdict(peak <= REQUIRED_MEMORY)),
    ]
    title = f"{LAYOUTS[name].file.split('/')[-1]} grown to {size / MEGABYTE:.0f} MB, mean line {size / lines:.0f} bytes"
    return table(title, ("what", f"median of {rounds}", "wanted", "holds"), rows)


def bench_server(name: str, size: int) -> str:
    """A running server, from the path alone: line ranges, the outline again, and an append."""
    original, tail = grown_log(name, size, tail_bytes=TAIL_BYTES)
    path = original.with_suffix(".growing.log")
    shutil.copyfile(original, path)
    chance = random.Random(5)
    client = LanguageClient()
    try:
        memory = PeakMemory(client.process.pid)
        first, first_s = client.timed("milepost/outline", {"path": str(path)})
        while first["state"] == "provisional":
            first, _ = client.timed("milepost/outline", {"path": str(path)})
        total = first["totalLines"]
        reads = []
        for _ in range(50):
            start = chance.randrange(1, total - 60)
            span = {"path": str(path), "startLine": start, "endLine": start + chance.randrange(1, 60)}
            reply, seconds = client.timed("milepost/read", span)
            assert reply["startLine"] == start
            reads.append(seconds)
        again = [client.timed("milepost/outline", {"path": str(path)})[1] for _ in range(9)]
        with path.open("ab") as file:
            file.write(tail)
        before = bytes_read(client.process.pid)
        grown, grown_s = client.timed("milepost/outline", {"path": str(path)})
        examined = bytes_read(client.process.pid) - before
        assert grown["totalBytes"] == size_of(first) + len(tail), (
            "the outline after the append is not of the whole file"
        )
        peak = memory.close()
        client.close()
    finally:
        client.process.kill()
        path.unlink()
    worst_read, worst_again = percentile(reads, 0.99), max(again)
    rows = [
        ("first outline, s", f"{first_s:.2f}", "", ""),
        ("line range, 99th percentile of 50, ms", f"{1000 * worst_read:.1f}", "≤ 50", verdict(worst_read <= 0.05)),
        ("outline again, slowest of 9, ms", f"{1000 * worst_again:.1f}", "≤ 100", verdict(worst_again <= 0.1)),
        ("outline after an append of 1 MB, ms", f"{1000 * grown_s:.1f}", "", ""),
        (
            "bytes that the server read for it",
            f"{examined:,}",
            "the tail",
            verdict(examined <= len(tail) + MARGIN_BYTES),
        ),
        ("peak memory of the server (PSS), MB", f"{peak / 2**20:.0f}", "≤ 150", verdict(peak <= REQUIRED_MEMORY)),
    ]
    return table(f"A server on the same log ({size / MEGABYTE:.0f} MB)", ("what", "measured", "wanted", "holds"), rows)


def bytes_read(pid: int) -> int:
    """How many bytes a process has asked the kernel for since it began, by its own account in /proc."""
    fields = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return int(fields["rchar"])


def size_of(reply: dict[str, object]) -> int:
    """The file's size as an outline says it."""
    size = reply["totalBytes"]
    assert isinstance(size, int)
    return size


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", default="HDFS", choices=sorted(LAYOUTS))
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    size = arguments.megabytes * MEGABYTE
    print(bench_process(arguments.log, size, arguments.rounds))
    print(bench_server(arguments.log, size))


if __name__ == "__main__":
    main()
