"""Keeping memory that is freed, for code that allocates and frees large arrays over and over; and giving it back.

What is kept is kept for each of the C library's arenas, of which threads get one of their own: a process that lives long and
has many threads lets them share a few, and gives back what is free once in a while.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_BYTES = 31 << 20
_M_ARENA_MAX = -8  # of mallopt(3)


def keep_freed_memory() -> None:
    """Have the C library keep some tens of megabytes that are freed, instead of giving each array's pages back.

    glibc serves large blocks with `mmap` and returns the top of its heap to the system eagerly, so that every stretch of a
    scan pays for fresh, zeroed pages: a quarter of the CPU time was spent on that. It adapts both thresholds to the largest
    block it has seen freed (mallopt(3), "dynamic mmap threshold"; 32 MiB at most), and this is one. No page of it is ever
    touched. Elsewhere this does nothing.
    """
    del [np.empty(_BYTES, np.uint8)][0]


def share_arenas(count: int) -> None:
    """Have all threads of the process share so many arenas. To be called before there are more. glibc only."""
    mallopt = _c_function("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, count)


def give_back_freed_memory() -> None:
    """Give what is free back to the system, in some milliseconds, without holding up other threads' Python. glibc only."""
    malloc_trim = _c_function("malloc_trim")
    if malloc_trim is not None:
        malloc_trim(0)


def _c_function(name: str) -> Any:
    try:
        return getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):  # Windows has no library without a name
        return None
