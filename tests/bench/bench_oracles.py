"""Every format against oracles, in one table: what was compared, how much is equal, and why the rest is not.

python tests/bench/bench_oracles.py [FORMAT ...]

A tool that is not installed leaves its rows empty and is named there. The exit status is 1 where something differs and no
one knows why. The sources for universal-ctags are fetched once (see oracles/sources.toml).
"""

from __future__ import annotations

import sys

from grow import corpus_folder
from measure import table
from oracles import databases, json_values, symbols, tables, texts
from oracles.base import HEAD

MODULES = {
    "json": json_values,
    "csv": tables,
    "sql": databases,
    "texts": texts,
    "code": symbols,
}


def main(names: list[str]) -> int:
    """Print the table."""
    unknown = [name for name in names if name not in MODULES]
    if unknown:
        print(f"No such comparison: {', '.join(unknown)}. There are: {', '.join(MODULES)}.", file=sys.stderr)
        return 2
    corpus = corpus_folder()
    checks = [check for name in names or MODULES for check in MODULES[name].checks(corpus)]
    print(table("Oracles", HEAD, [check.row() for check in checks]))
    unexplained = sum(check.unexplained for check in checks)
    if unexplained:
        print(f"{unexplained:,} differences are not explained.", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
