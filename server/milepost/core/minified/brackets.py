"""The brackets of a stretch of code that matter: those around much, and those that a stretch cuts in two.

All brackets are matched at once: sorted by depth and place, each closing one follows its opening one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

_STEP = np.zeros(256, np.int8)
_STEP[list(b"([{")] = 1
_STEP[list(b")]}")] = -1
_IS_SEPARATOR = np.zeros(256, np.bool_)
_IS_SEPARATOR[list(b",;")] = True
# What may follow a closing brace without going on with the same statement.
_BEGINS = np.zeros(256, np.bool_)
_BEGINS[list(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$@#.*!~\n\r")] = True
#: Deeper brackets are not followed.
MOST_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Events:
    """`places` of brackets, in order, with `opens` and the depth outside each; boundaries by their depth.

    A boundary is the place after a separator or a closing brace; `boundary_order` sorts them by depth, then place.
    """

    places: list[int]
    opens: list[bool]
    depths: list[int]
    boundary_depths: Ints
    boundaries: Ints
    depth: int

    def between(self, depth: int, low: int, high: int) -> Ints:
        """The boundaries of a depth with `low` < boundary <= `high`."""
        first, last = np.searchsorted(self.boundary_depths, (depth, depth + 1))
        found = self.boundaries[first:last]
        begin, end = np.searchsorted(found, (low, high), side="right")
        return found[begin:end]


def events_of(
    array: npt.NDArray[np.uint8], masked: npt.NDArray[np.bool_], depth: int, least_bytes: int, *, style_sheet: bool
) -> Events:
    """What there is in a stretch that begins at `depth`. Pairs of fewer than `least_bytes` are left out."""
    steps = np.where(masked, np.int8(0), _STEP[array])
    places: Ints = np.flatnonzero(steps).astype(np.int64)
    step = steps[places].astype(np.int64)
    after = depth + np.cumsum(step)
    outside = np.where(step > 0, after - 1, after)
    order = np.lexsort((places, outside))
    sorted_outside, sorted_step = outside[order], step[order]
    pairs = np.flatnonzero((sorted_outside[:-1] == sorted_outside[1:]) & (sorted_step[:-1] > 0) & (sorted_step[1:] < 0))
    keep = np.ones(len(places), np.bool_)
    first, second = order[pairs], order[pairs + 1]
    is_small = places[second] - places[first] < least_bytes
    keep[first[is_small]] = False
    keep[second[is_small]] = False
    keep &= np.abs(outside - depth) < MOST_DEPTH
    separators = np.flatnonzero(_IS_SEPARATOR[array] & ~masked).astype(np.int64)
    separator_depths = depth + _sums_at(places, step, separators)
    braces = places[(array[places] == 125)]
    brace_depths = after[(array[places] == 125)]
    follows = array[np.minimum(braces + 1, len(array) - 1)]
    ends = (braces + 1 < len(array)) & (_BEGINS[follows] | style_sheet)
    boundaries = np.concatenate((separators, braces[ends])) + 1
    depths = np.concatenate((separator_depths, brace_depths[ends]))
    boundary_order = np.lexsort((boundaries, depths))
    chosen = np.flatnonzero(keep)
    return Events(
        places[chosen].tolist(),
        (step[chosen] > 0).tolist(),
        outside[chosen].tolist(),
        depths[boundary_order],
        boundaries[boundary_order],
        int(after[-1]) if len(after) else depth,
    )


def depths_at(array: npt.NDArray[np.uint8], masked: npt.NDArray[np.bool_], depth: int, wanted: Ints) -> Ints:
    """The depth before each of some places."""
    steps = np.where(masked, np.int8(0), _STEP[array])
    places: Ints = np.flatnonzero(steps).astype(np.int64)
    return depth + _sums_at(places, steps[places].astype(np.int64), wanted)


def _sums_at(places: Ints, steps: Ints, wanted: Ints) -> Ints:
    sums = np.zeros(len(places) + 1, np.int64)
    np.cumsum(steps, out=sums[1:])
    result: Ints = sums[np.searchsorted(places, wanted)]
    return result
