"""Real server processes for the tests: on the real service, or on one that is slow on purpose."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from raw_client import ServerProcess

SLOW_ENGINE = Path(__file__).parent / "slow_engine.py"


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    """`python -m milepost serve`, not initialized yet."""
    process = ServerProcess()
    yield process
    process.end()


@pytest.fixture
def slow() -> Iterator[ServerProcess]:
    """The server on the slow service of `slow_engine.py`, not initialized yet."""
    process = ServerProcess(sys.executable, str(SLOW_ENGINE))
    yield process
    process.end()
