"""Runs every measurement beside it and prints their tables: `python tests/bench/run.py [NAME ...]` (`make bench`).

A NAME is a script without `bench_` and `.py`; without one, all run but those of `LONG`.
What is measured is the installed package.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

#: Run only where they are named: a real model takes an hour, endurance half of one, the requests ten minutes.
LONG = ("model", "endurance", "requests")


def main(names: list[str]) -> int:
    """Run them one after the other; the exit status says whether all of them ran to their end."""
    folder = Path(__file__).parent
    known = {path.stem.removeprefix("bench_"): path for path in sorted(folder.glob("bench_*.py"))}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"No such measurement: {', '.join(unknown)}. There are: {', '.join(known)}.", file=sys.stderr)
        return 2
    failed = []
    for name in names or [name for name in known if name not in LONG]:
        print(f"## {name}\n", flush=True)
        if subprocess.run([sys.executable, str(known[name])], check=False).returncode:
            failed.append(name)
    if failed:
        print(f"Did not run to the end: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
