"""Lines that need no look of their own, since many before them were alike and meant the same.

A line with triggers is told by a key of 64 bits: 24 bytes of its head with the digits masked, its length in steps of 24
bytes, and which triggers it holds how often. When `STABLE_AFTER` lines of one key have been looked at and all meant the
same harmless or weak thing, further ones are counted by the block. A line with one trigger more, another head or another
length has another key and is looked at; strong incidents always are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.logs.triggers import Hits
from milepost.core.scan import Block

STABLE_AFTER = 24
_LIMIT = 4096
UNKNOWN = -2
NOTHING = -1


class Shortcut:
    """The keys that are stable, and those on the way to it."""

    def __init__(self) -> None:
        self._keys: npt.NDArray[np.uint64] = np.empty(0, np.uint64)
        self._kinds: npt.NDArray[np.int64] = np.empty(0, np.int64)
        self._seen: dict[int, list[int]] = {}
        self._spoilt: set[int] = set()
        self._ready: list[int] = []

    def kinds_of(self, keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """For each key the number of its kind, `NOTHING`, or `UNKNOWN` where the line must be looked at."""
        if not len(self._keys):
            return np.full(len(keys), UNKNOWN, np.int64)
        places = np.searchsorted(self._keys, keys)
        places[places == len(self._keys)] = 0
        return np.where(self._keys[places] == keys, self._kinds[places], UNKNOWN)

    def observe(self, key: int, kind: int) -> None:
        """A line of this key was looked at, and meant `kind` (or `NOTHING`); `UNKNOWN` for what must always be looked at."""
        seen = self._seen.get(key)
        if seen is None:
            if key in self._spoilt or len(self._seen) >= _LIMIT:
                return
            seen = self._seen[key] = [kind, 0]
        if kind == UNKNOWN or seen[0] != kind:
            del self._seen[key]
            if len(self._spoilt) < _LIMIT:
                self._spoilt.add(key)
            return
        seen[1] += 1
        if seen[1] == STABLE_AFTER:
            self._ready.append(key)

    def settle(self) -> None:
        """At the end of a block: what became stable counts from the next one on."""
        ready = [key for key in self._ready if key in self._seen]
        self._ready = []
        if not ready or len(self._keys) >= _LIMIT:
            return
        keys = np.concatenate([self._keys, np.array(ready, np.uint64)])
        kinds = np.concatenate([self._kinds, np.array([self._seen[key][0] for key in ready], np.int64)])
        order = np.argsort(keys)
        self._keys, self._kinds = keys[order], kinds[order]
        self._spoilt.update(ready)
        for key in ready:
            del self._seen[key]


def line_keys(block: Block, hits: Hits, signatures: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """A key for each line that was hit: its head, its length in steps, its triggers."""
    candidates = hits.lines
    starts = block.starts
    ends = np.append(starts[1:], len(block.data))
    steps = np.minimum((ends[candidates] - starts[candidates]) // 24, 63).astype(np.uint64)
    return (signatures[candidates] ^ hits.codes) * np.uint64(0xD1B54A32D192ED03) + steps
