"""Short pauses: of Python's garbage collector, and of the event loop while other threads work.

A full collection stops every thread. With all that a server loads (lsprotocol's classes, the models, the formats) and
what a scan holds it takes 50 to 150 ms, and each scan makes enough objects to cause one or two. So what was loaded is
taken out (`gc.freeze`: it stays for good), and full collections wait until nobody else does.

Nearly everything is freed when the last reference goes; collections are for what refers to itself, as an exception does
through its traceback. What of that dies young is still collected as always, and costs little.

A thread that computes in Python gives way after five milliseconds to one that waits, and the event loop waits again after
each message it reads or writes; so threads are asked to give way sooner.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Awaitable, Callable

#: How long nothing must have been asked before everything is looked through.
IDLE_S = 10.0

_NEVER_BY_ITSELF = 1_000_000
_GIVE_WAY_AFTER_S = 0.001


#: How often what a scan has freed is given back, while there are any.
TRIM_EVERY_S = 5.0


async def trim_after_work(ended_jobs: Callable[[], int], call: Callable[[Callable[[], None]], Awaitable[None]]) -> None:
    """Give memory back after work was done. `ended_jobs` counts what has ended; `call` calls in another thread."""
    trimmed_at = 0
    while True:
        await asyncio.sleep(TRIM_EVERY_S)
        ended = ended_jobs()
        if ended != trimmed_at:
            trimmed_at = ended
            await call(_trim)


def _trim() -> None:
    # numpy comes with it: it is there once anything was scanned.
    from milepost.core.heap import give_back_freed_memory

    give_back_freed_memory()


def settle() -> None:
    """Take everything that exists now out of future collections. It is still freed when nothing refers to it."""
    gc.freeze()


def shorten() -> None:
    """Leave full collections to `collect_when_idle`, and have threads give way soon. For the whole process, at its start."""
    sys.setswitchinterval(_GIVE_WAY_AFTER_S)
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER_BY_ITSELF)


async def collect_when_idle(idle_s: Callable[[], float]) -> None:
    """Do a full collection once in every idle time. `idle_s` says for how long nobody has wanted anything."""
    collected = False
    while True:
        await asyncio.sleep(IDLE_S / 4)
        if idle_s() < IDLE_S:
            collected = False
        elif not collected:
            gc.collect()
            collected = True
