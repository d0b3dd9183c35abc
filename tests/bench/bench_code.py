"""Source code against universal-ctags: every class, function and method it finds, and the speed of both.

Usage: bench_code.py [FILE ...] (any source files, or else the ten of oracles/sources.toml, which are fetched once; `ctags`
must be installed). Prints two tables in Markdown: the symbols that are missed with the reason, and MB per CPU-second with
the peak memory of the whole process tree.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from measure import MILEPOST, run, table
from oracles.symbols import compare_symbols, sources

HEAD = ("file", "MB", "ctags finds", "of them at their line", "MB per CPU-s", "ctags", "peak PSS, MB", "degraded")


def main(paths: list[Path]) -> None:
    """Print both tables."""
    rows: list[tuple[object, ...]] = []
    missing: list[tuple[object, ...]] = []
    for path in paths:
        outline, tags, missed = compare_symbols(path)
        missing += [(path.name, count, why or "unknown") for why, count in Counter(missed.values()).most_common()]
        size = path.stat().st_size / 1e6
        ours = run([*MILEPOST, "outline", str(path), "--format", "code", "--json"], memory=True)
        idle = run([*MILEPOST, "--version"])
        theirs = run(["ctags", "-o", "/dev/null", str(path)])
        rows.append(
            (
                path.name,
                f"{size:.1f}",
                f"{len(tags):,}",
                f"{len(tags) - len(missed):,}",
                f"{size / max(ours.cpu_s - idle.cpu_s, 0.001):.1f}",
                f"{size / max(theirs.cpu_s, 0.001):.0f}",
                f"{ours.peak_pss_bytes / 1e6:.0f}",
                outline.degraded or "–",
            )
        )
    print(table("Source code", HEAD, rows))
    print(table("What ctags finds elsewhere, or alone", ("file", "missed", "reason"), missing))


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]] or sources())
