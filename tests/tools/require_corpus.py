"""Reads in pytest's JUnit report what became of the big files, and fails where the corpus was not gone through.

Usage: python require_corpus.py REPORT.xml
"""

from __future__ import annotations

import os
import sys
from xml.etree import ElementTree

CORPUS = ("tests.corpus.test_invariants", "test_corpus_file")
BIG_FILES = ("tests.corpus.test_big_files", "test_big_file")


def cases_of(report: ElementTree.ElementTree, module: str, test: str) -> tuple[list[ElementTree.Element], list[str]]:
    """The cases of a test, and why those that were skipped were."""
    cases = [
        case
        for case in report.iter("testcase")
        if case.get("classname") == module and str(case.get("name")).startswith(test)
    ]
    found = [case.find("skipped") for case in cases]
    return cases, [str(one.get("message")) for one in found if one is not None]


def main(path: str) -> int:
    """0 if at least one shard of the corpus test ran and none was skipped, or there is no corpus, else 1 with one clear line.

    Big files need a network, so that they may be missing; but it is said.
    """
    report = ElementTree.parse(path)
    files, reasons = cases_of(report, *BIG_FILES)
    if len(reasons) == len(files):
        print("No big file was checked.", file=sys.stderr)
    else:
        print(f"Big files: {len(files) - len(reasons)} of {len(files)} were checked.", file=sys.stderr)
    for reason in sorted(set(reasons)):
        print(f"  {reason}", file=sys.stderr)
    if not os.environ.get("MILEPOST_CORPUS"):
        print("There is no corpus to go through: MILEPOST_CORPUS is not set.", file=sys.stderr)
        return 0
    shards, skipped = cases_of(report, *CORPUS)
    if not shards or skipped:
        print(f"The corpus test was not run: {len(skipped)} of {len(shards)} parts were skipped.", file=sys.stderr)
        return 1
    print(f"The corpus test ran in {len(shards)} parts, none skipped.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
