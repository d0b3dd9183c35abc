"""Keeping memory that is freed, for code that allocates and frees large arrays over and over."""

from __future__ import annotations

import numpy as np

_BYTES = 31 << 20


def keep_freed_memory() -> None:
    """Have the C library keep some tens of megabytes that are freed, instead of giving each array's pages back.

    glibc serves large blocks with `mmap` and returns the top of its heap to the system eagerly, so that every stretch of a
    scan pays for fresh, zeroed pages: a quarter of the CPU time was spent on that. It adapts both thresholds to the largest
    block it has seen freed (mallopt(3), "dynamic mmap threshold"; 32 MiB at most), and this is one. No page of it is ever
    touched. Elsewhere this does nothing.
    """
    del [np.empty(_BYTES, np.uint8)][0]
