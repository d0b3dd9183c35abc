"""The language server on standard streams, with a watchdog on its event loop: run by the benches.

The request `bench/pauses` says what was the worst since it was asked last. With a file named in MILEPOST_BENCH_STACKS, what
every thread was doing is written there whenever the event loop has been held for 35 ms, whoever holds the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import faulthandler
import functools
import os
import time
from dataclasses import dataclass
from typing import Any

from milepost.lsp import app
from milepost.lsp.session import EngineFactory

_SLEEP_S = 0.005
_STACKS_AFTER_S = 0.035
_SCHEDULE = "/proc/thread-self/schedstat"


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
        name = os.environ.get("MILEPOST_BENCH_STACKS")
        stacks = open(name, "a") if name else None  # noqa: SIM115, ASYNC230 - open for as long as the process
        began, used, queued = time.perf_counter(), time.process_time(), _queued_s()
        while True:
            if stacks:
                faulthandler.dump_traceback_later(_STACKS_AFTER_S + _SLEEP_S, file=stacks)
            await asyncio.sleep(_SLEEP_S)
            # Once a turn: each look at the kernel's account lets go of the interpreter's lock, and waits for it again.
            now, used_now, queued_now = time.perf_counter(), time.process_time(), _queued_s()
            gap = now - began - _SLEEP_S
            own = min(gap - (queued_now - queued), used_now - used)
            began, used, queued = now, used_now, queued_now
            self.worst_s = max(self.worst_s, gap)
            self.own_s = max(self.own_s, own)
            if stacks and gap > _STACKS_AFTER_S:
                print(f"--- held for {1000 * gap:.0f} ms, {1000 * own:.0f} of them its own", file=stacks, flush=True)

    def taken(self) -> dict[str, float]:
        """What was seen; then begin again."""
        seen = {"worst": self.worst_s, "own": self.own_s}
        self.worst_s = self.own_s = 0.0
        return seen


def _queued_s() -> float:
    """How long this thread has waited for a processor since it began."""
    account = _account()
    return int(os.pread(account, 100, 0).split()[1]) / 1e9 if account is not None else 0.0


@functools.cache
def _account() -> int | None:
    try:
        return os.open(_SCHEDULE, os.O_RDONLY)
    except OSError:
        return None


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
