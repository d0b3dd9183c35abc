"""The language server on standard streams, with a watchdog on its event loop: run by the benches.

The request `bench/pauses` says what was the worst since it was asked last.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from milepost.lsp import app
from milepost.lsp.session import EngineFactory

_SLEEP_S = 0.005
_SCHEDULE = Path("/proc/thread-self/schedstat")


@dataclass(slots=True)
class Pauses:
    """The longest time between two 5 ms sleeps on the event loop, beyond those 5 ms.

    `own_s` counts without what the loop's thread spent ready to run while the kernel gave the processors to others
    (the kernel's account, Linux only), and never more than the processor time that the whole process got meanwhile: a
    thread that holds the interpreter's lock may be the one that is kept waiting. On a machine that does other things
    too, only this is the server's doing.
    """

    worst_s: float = 0.0
    own_s: float = 0.0

    async def watch(self) -> None:
        """Measure until cancelled."""
        while True:
            began, used, queued = time.perf_counter(), time.process_time(), _queued_s()
            await asyncio.sleep(_SLEEP_S)
            gap = time.perf_counter() - began - _SLEEP_S
            own = min(gap - (_queued_s() - queued), time.process_time() - used)
            self.worst_s = max(self.worst_s, gap)
            self.own_s = max(self.own_s, own)

    def taken(self) -> dict[str, float]:
        """What was seen; then begin again."""
        seen = {"worst": self.worst_s, "own": self.own_s}
        self.worst_s = self.own_s = 0.0
        return seen


def _queued_s() -> float:
    """How long this thread has waited for a processor since it began."""
    try:
        return int(_SCHEDULE.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def main() -> None:
    """Serve, watched."""
    create = app.create_server
    tasks: list[asyncio.Task[None]] = []

    def create_watched(make_engine: EngineFactory) -> app.MilepostServer:
        server = create(make_engine)
        pauses = Pauses()
        tasks.append(asyncio.get_running_loop().create_task(pauses.watch()))

        @server.feature("bench/pauses")
        def taken(params: Any) -> dict[str, float]:
            return pauses.taken()

        return server

    app.create_server = create_watched  # type: ignore[assignment]
    app.run_stdio()


if __name__ == "__main__":
    main()
