"""Checks that fail in several ways, for a capture of pytest's output; not collected with the project's own tests.

Usage: see captures.sh.
"""

from __future__ import annotations

import pytest


def discount(total: float, percent: float) -> float:
    """A discount with a fault: it forgets to divide by a hundred."""
    print(f"discount({total}, {percent})")
    return total - total * percent


@pytest.fixture
def database() -> object:
    """A fixture that cannot be set up."""
    raise ConnectionRefusedError(111, "Connection refused: 127.0.0.1:5432")


@pytest.mark.parametrize("total", range(1, 41))
def test_no_discount(total: int) -> None:
    """Passes forty times, so that the failures have to be looked for."""
    assert discount(total, 0) == total


def test_ten_percent() -> None:
    """Fails by an assertion with a difference."""
    assert discount(200, 10) == 180


def test_order_is_kept() -> None:
    """Fails with a difference of two lists."""
    assert [line * 2 for line in range(8)] == [0, 2, 4, 6, 8, 10, 12, 15]


def test_raises_late() -> None:
    """Fails inside a nested call."""

    def inner(depth: int) -> int:
        return 1 // depth if depth == 0 else inner(depth - 1)

    inner(3)


def test_with_database(database: object) -> None:
    """An error at setup."""


@pytest.mark.skip(reason="needs a printer")
def test_print() -> None:
    """Skipped."""


@pytest.mark.xfail(reason="known fault")
def test_known() -> None:
    """Expected to fail."""
    assert discount(1, 1) == 1
