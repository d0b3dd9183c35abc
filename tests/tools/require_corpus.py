"""Fails where the corpus test did not run, as pytest's JUnit report tells: `python require_corpus.py REPORT.xml`."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

MODULE = "tests.corpus.test_invariants"
TEST = "test_corpus_file"


def main(report: str) -> int:
    """0 if at least one shard of the corpus test ran and none was skipped, else 1 with one clear line."""
    shards = [
        case
        for case in ElementTree.parse(report).iter("testcase")
        if case.get("classname") == MODULE and str(case.get("name")).startswith(TEST)
    ]
    skipped = [case for case in shards if case.find("skipped") is not None]
    if not shards or skipped:
        print(f"The corpus test was not run: {len(skipped)} of {len(shards)} parts were skipped.", file=sys.stderr)
        return 1
    print(f"The corpus test ran in {len(shards)} parts, none skipped.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
