"""What starting a server costs, beside an empty pygls server: for a test and for a measurement."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import psutil
from raw_client import ServerProcess

EMPTY_SERVER = (
    sys.executable,
    "-c",
    "from pygls.lsp.server import LanguageServer\nLanguageServer('x', '1').start_io()",
)
MAX_CPU_S = 0.25
MAX_MEMORY_BYTES = 40 << 20


@dataclass(frozen=True, slots=True)
class StartCost:
    """CPU seconds and resident bytes of a server once it is initialized."""

    cpu_s: float
    memory_bytes: int


def start_costs(rounds: int) -> tuple[StartCost, StartCost]:
    """Of an empty pygls server and of ours, in turn; the best of so many rounds.

    The best: what else runs on the machine makes the first reading from disk slow, and nothing faster.
    """
    empty, ours = [], []
    for _ in range(rounds):
        empty.append(_started(*EMPTY_SERVER))
        ours.append(_started())
    return _best(empty), _best(ours)


def _best(costs: list[StartCost]) -> StartCost:
    return StartCost(min(cost.cpu_s for cost in costs), min(cost.memory_bytes for cost in costs))


def _started(*command: str) -> StartCost:
    process = ServerProcess(*command)
    try:
        process.client.initialize()
        process.client.notify("$/setTrace", {"value": "off"})
        time.sleep(0.3)
        measured = psutil.Process(process.process.pid)
        times = measured.cpu_times()
        return StartCost(times.user + times.system, measured.memory_info().rss)
    finally:
        process.end()
