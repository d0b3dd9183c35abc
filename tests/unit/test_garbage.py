"""What a scan held is freed with it: a server collects garbage fully only when it is idle, and may not be for hours."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus_path import CHECKOUT
from milepost.core.analysis import Analysis
from milepost.core.source import open_source

FIXTURES = sorted(path for path in (CHECKOUT / "tests" / "data").glob("*/*") if path.is_file())

#: What a regular expression or an exception that was raised and caught on the way may leave.
FEW = 40


@contextmanager
def kept_garbage() -> Iterator[list[object]]:
    """The objects that only a full collection would have freed, filled at the end."""
    found: list[object] = []
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_no_scan_leaves_garbage(path: Path) -> None:
    def scan() -> None:
        analysis = Analysis(open_source(path))
        analysis.outline()
        analysis.provisional()
        analysis.close()

    scan()  # what is made once and kept
    with kept_garbage() as found:
        scan()
    ours = [type(one).__name__ for one in found if type(one).__module__.startswith("milepost")]
    assert len(found) <= FEW, sorted(set(ours))
