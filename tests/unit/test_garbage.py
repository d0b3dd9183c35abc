"""What a scan held is freed with it: a server collects garbage fully only when it is idle, and may not be for hours."""

from __future__ import annotations

import ast
import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpus_path import CHECKOUT
from milepost.core.analysis import Analysis
from milepost.core.source import open_source
from milepost.errors import Cancelled, NotFound
from milepost.lsp.jobs import Control, Job, Jobs

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


def test_work_that_is_refused_or_cancelled_leaves_nothing() -> None:
    def refused(control: Control[int]) -> int:
        raise NotFound("There is no file absent.log.")

    def stopped(control: Control[int]) -> int:
        while not control.should_stop():
            time.sleep(0.001)
        raise Cancelled("Stopped.")

    async def ask() -> None:
        jobs = Jobs()
        async with jobs.join("refused", refused) as job:
            with pytest.raises(NotFound):
                await job.result()
        async with jobs.join("stopped", stopped) as job:
            job.stop()
            with pytest.raises(Cancelled):
                await job.first()
        await jobs.close(10)

    asyncio.run(ask())
    with kept_garbage() as found:
        asyncio.run(ask())
    assert not [one for one in found if isinstance(one, Job | Control)]


SOURCES = sorted((CHECKOUT / "server" / "milepost").rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


def self_referring(tree: ast.AST) -> list[str]:
    """Functions inside functions that name themselves, directly or by way of others beside them.

    Each call of the outer one makes a function that holds itself, and all else that it closes over, until a full collection.
    """
    found = []
    for outer in ast.walk(tree):
        if not isinstance(outer, Function):
            continue
        inner = {one.name: one for one in ast.walk(outer) if isinstance(one, Function) and one is not outer}
        named = {
            name: {one.id for one in ast.walk(body) if isinstance(one, ast.Name) and one.id in inner}
            for name, body in inner.items()
        }
        for name in inner:
            reached: set[str] = set()
            unread = list(named[name])
            while unread:
                next_one = unread.pop()
                if next_one not in reached:
                    reached.add(next_one)
                    unread += named[next_one]
            if name in reached:
                found.append(f"{outer.name}.{name}")
    return found


def test_a_function_that_holds_itself_is_noticed() -> None:
    assert self_referring(ast.parse("def f():\n  def g(): return h()\n  def h(): return g()\n")) == ["f.g", "f.h"]
    assert self_referring(ast.parse("def f():\n  def g(): return 1\n  def h(): return g()\n")) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_function_holds_itself(path: Path) -> None:
    assert self_referring(ast.parse(path.read_text(encoding="utf-8"))) == []
