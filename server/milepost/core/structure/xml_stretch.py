"""A stretch of tags as a piece of a tree: the level of each, which closes which, and whether they nest as they must."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from milepost.core.structure.xml_tags import Ints, Tags, first_words, names_differ
from milepost.core.structure.xml_titles import FAILED_ATTRIBUTE, FAILED_ELEMENTS, TEST_ELEMENTS, name_at, name_of

#: Elements this deep are not listed any more.
MAX_DEPTH = 16
KNOWN_NAMES = 10_000
_TEST_WORD, _TEST_MASK = np.uint64(int.from_bytes(b"test", "little")), np.uint64((1 << 32) - 1)
_RESULT_WORD = np.uint64(int.from_bytes(b"UnitTest", "little"))
_TEST_HEADS = b"tU"
_FAILED_HINTS = (b"ail", b"rror", b"FAIL")


@dataclass(slots=True)
class Stretch:
    """Tags that nest: `levels` (0 for a root), `mates` (the tag that closes or opens the same element, itself for an empty
    one, -1 where it lies in another stretch)."""

    tags: Tags
    levels: Ints
    kinds: npt.NDArray[np.int8]
    mates: Ints

    def __len__(self) -> int:
        return len(self.levels)

    def name(self, index: int) -> bytes:
        """The name in a tag."""
        return name_at(self.tags.data, self.tags.begins.item(index))

    def names(self, indexes: Ints) -> list[bytes]:
        """The names in some tags."""
        data = self.tags.data
        return [name_at(data, begin) for begin in self.tags.begins[indexes].tolist()]

    def tag(self, index: int, most_bytes: int = 4096) -> bytes:
        """A tag, or the first bytes of it."""
        begin = int(self.tags.begins[index])
        return self.tags.data[begin : min(begin + most_bytes, int(self.tags.stops[index]))]

    def inside(self, index: int, most_bytes: int) -> bytes:
        """The first bytes inside an element."""
        if self.kinds[index] == 0:
            return b""
        stop, mate = int(self.tags.stops[index]), int(self.mates[index])
        end = int(self.tags.begins[mate]) if mate >= 0 else len(self.tags.data)
        return self.tags.data[stop : min(end, stop + most_bytes)]

    def stop(self, index: int) -> int:
        """The byte after an element whose end lies in this stretch."""
        return int(self.tags.stops[self.mates[index]])


def read_stretch(tags: Tags, depth: int, names: list[bytes]) -> tuple[Stretch, int, str]:
    """The tags as a stretch that begins `depth` deep inside the elements `names` (the innermost last).

    Where a tag does not nest, the stretch ends before it: then also the offset of that tag and what is wrong with it.
    """
    levels = np.cumsum(tags.kinds, dtype=np.int64) + depth - (tags.kinds == 1)
    count = len(levels)
    message = ""
    negative = np.flatnonzero(levels < 0)
    if len(negative):
        count = int(negative[0])
    stretch = Stretch(tags, levels[:count], tags.kinds[:count], _mates(tags.kinds[:count], levels[:count]))
    if len(negative):
        begin = int(tags.begins[count])
        message = f"</{_shown(name_of(tags.data[begin : begin + 80]))}> closes nothing"
    opens = np.flatnonzero((stretch.kinds == 1) & (stretch.mates >= 0))
    wrong = opens[names_differ(tags, opens, stretch.mates[opens])] if len(opens) else opens
    if len(wrong):
        first = int(wrong[np.argmin(stretch.mates[wrong])])
        count = int(stretch.mates[first])
        message = f"</{_shown(stretch.name(count))}> does not close <{_shown(stretch.name(first))}>"
    if depth <= KNOWN_NAMES:
        closes = np.flatnonzero((stretch.kinds[:count] == -1) & (stretch.mates[:count] < 0)).tolist()
        for index, name in zip(closes, reversed(names), strict=False):
            if stretch.name(index)[:200] != name:
                count = index
                message = f"</{_shown(stretch.name(index))}> does not close <{_shown(name)}>"
                break
    offset = int(tags.begins[count]) if message else -1
    if count < len(stretch):
        mates = stretch.mates[:count].copy()
        mates[mates >= count] = -1
        stretch = Stretch(tags, stretch.levels[:count], stretch.kinds[:count], mates)
    return stretch, offset, message


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "replace")[:60]


def _mates(kinds: npt.NDArray[np.int8], levels: Ints) -> Ints:
    """Among the tags of one level opening and closing ones take turns, so each one's mate is its neighbour there."""
    mates = np.full(len(kinds), -1, np.int64)
    is_open, is_left = kinds == 1, kinds != 0
    alone = np.flatnonzero(~is_left)
    mates[alone] = alone
    # Most elements hold no other: their tags follow each other.
    leaves = np.flatnonzero(is_open[:-1] & (kinds[1:] == -1))
    mates[leaves] = leaves + 1
    mates[leaves + 1] = leaves
    is_left[leaves] = is_left[leaves + 1] = False
    left = np.flatnonzero(is_left)
    # Numbers of two bytes are sorted by radix, four times as fast.
    narrow = np.int16 if len(levels) and int(levels.max()) < 32000 else np.int32
    order = left[np.argsort(levels[left].astype(narrow), kind="stable")]
    if len(order) > 1:
        paired = np.flatnonzero((kinds[order[:-1]] == 1) & (levels[order[:-1]] == levels[order[1:]]))
        opening, closing = order[paired], order[paired + 1]
        mates[opening] = closing
        mates[closing] = opening
    return mates


def listed_tags(stretch: Stretch, least_bytes: int, names: list[bytes]) -> npt.NDArray[np.bool_]:
    """Which tags are looked at one by one: of elements that are big, that reach into other stretches, or that failed."""
    tags, mates, levels = stretch.tags, stretch.mates, stretch.levels
    is_open = stretch.kinds >= 0
    paired = np.flatnonzero(is_open & (mates >= 0))
    count = len(stretch)
    is_listed = mates < 0
    is_listed[paired] = tags.stops[mates[paired]] - tags.begins[paired] >= least_bytes
    for index in _failed_tags(stretch, names):
        place, level = index, int(levels[index])
        while place >= 0 and not is_listed[place]:
            # With it, all that it lies in.
            is_listed[place] = True
            level -= 1
            place = _before(stretch, place, level)
    is_listed &= levels[:count] < MAX_DEPTH
    chosen = np.flatnonzero(is_listed & is_open & (mates >= 0))
    is_listed[mates[chosen]] = True
    return is_listed


def _before(stretch: Stretch, index: int, level: int) -> int:
    """The last opening tag of a level before a tag; -1 if there is none in the stretch."""
    low = index
    while low > 0:
        high, low = low, max(0, low - 256)
        found = np.flatnonzero((stretch.levels[low:high] == level) & (stretch.kinds[low:high] == 1))
        if len(found):
            return low + int(found[-1])
    return -1


def _failed_tags(stretch: Stretch, names: list[bytes]) -> list[int]:
    """Tags that say that a test failed: a child of it, or its own attribute."""
    tags = stretch.tags
    data = tags.data
    if not len(stretch):
        return []
    if not names or names[-1] not in TEST_ELEMENTS:
        heads = tags.heads[: len(stretch)]
        words = first_words(tags, np.flatnonzero((heads == _TEST_HEADS[0]) | (heads == _TEST_HEADS[1])))
        if not bool((((words & _TEST_MASK) == _TEST_WORD) | (words == _RESULT_WORD)).any()):
            return []
    if not any(hint in data for hint in _FAILED_HINTS):
        return []
    found: set[int] = set()
    for index in _named(stretch, FAILED_ELEMENTS):
        parent = _before(stretch, index, int(stretch.levels[index]) - 1)
        above = stretch.name(parent) if parent >= 0 else (names[-1] if names else b"")
        if above in TEST_ELEMENTS:
            found.add(index)
    for index in _named(stretch, TEST_ELEMENTS):
        if FAILED_ATTRIBUTE.search(stretch.tag(index)):
            found.add(index)
    return sorted(found)


def _named(stretch: Stretch, wanted: Iterable[bytes]) -> Iterator[int]:
    """The opening tags of elements with one of these names."""
    opens = np.flatnonzero(stretch.kinds >= 0)
    words = first_words(stretch.tags, opens)
    for name in sorted(wanted):
        size = min(len(name), 8)
        word, mask = int.from_bytes(name[:size], "little"), (1 << (8 * size)) - 1
        for index in opens[(words & np.uint64(mask)) == np.uint64(word)].tolist():
            if stretch.name(index) == name:
                yield index
