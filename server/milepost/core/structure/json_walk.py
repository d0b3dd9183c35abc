"""Fills the tree from the structure of one stretch: a step for each large container, whole arrays for the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.structure.json_bits import Positions
from milepost.core.structure.json_index import Stretch
from milepost.core.structure.json_place import Lines, Mark
from milepost.core.structure.json_tree import HEAD_BYTES, LISTED_DEPTH, TAIL_BYTES, Container, Member, Tree

_UNMATCHED = 1 << 62


class Walk:
    """One walk over a stretch. `behind` is the text before it (TAIL_BYTES are enough), `significant` the offset in the
    file of the last byte before it that is not white space. `final` says that nothing comes after the stretch.
    """

    def __init__(
        self, tree: Tree, stretch: Stretch, lines: Lines, behind: bytes, significant: int, end: int, final: bool
    ) -> None:
        self.tree = tree
        self.stretch = stretch
        self.lines = lines
        self.base = lines.base
        self.behind = behind
        self.significant = significant
        self.end = end
        self.final = final
        self.outer_depth = len(tree.stack) - 1

    def run(self) -> int:
        """Walk, and say how much is done with: less than `end` where a member is cut off that begins close to it."""
        stretch, tree = self.stretch, self.tree
        events = _Events(stretch, self.outer_depth, tree.min_rank)
        cursor = 0
        while True:
            event = events.next()
            if event is None:
                break
            position, opens, is_open_ended = event
            container = tree.top
            self._members(container, cursor, position)
            if opens:
                token = self._begin_if_none(container, position)
                if is_open_ended and not self.final and token >= 0 and self.end - token < HEAD_BYTES:
                    container.token = -1
                    return token
                tree.open(stretch.data[position], self.base + position)
            elif self._close(position):
                events.forget_below(tree.min_rank, position)
            cursor = position + 1
        container = tree.top
        self._members(container, cursor, self.end)
        token = container.token - self.base
        if not self.final and container.token >= 0 and not container.recorded and self.end - token < HEAD_BYTES:
            if token < 0:
                return self.end
            container.token = -1
            return token
        return self.end

    def finish(self, end: int) -> None:
        """Close everything at `end`, where the text is over (or not understood any more)."""
        tree = self.tree
        while len(tree.stack) > 1:
            self._last_member(tree.top, end)
            mark = self.lines.mark_at(self.base + end)
            tree.close(self.base + end - 1, mark, self._tail(tree.stack[-2].token, end))
        self._last_member(tree.top, end)

    def _close(self, position: int) -> bool:
        tree = self.tree
        self._last_member(tree.top, position)
        before = self._significant_before(position)
        mark = self.lines.mark(before, self.base + position)
        return tree.close(self.base + position, mark, self._tail(tree.stack[-2].token, position + 1))

    def _last_member(self, container: Container, end: int) -> None:
        if container.token >= 0 and not container.recorded and container.depth <= LISTED_DEPTH:
            self._add_current(container, end)
        container.token = -1
        container.recorded = False

    # --- members ----------------------------------------------------------------------------------------------------

    def _members(self, container: Container, start: int, end: int) -> None:
        """Enter the members of `container` that end in [start, end), all of them small, and begin the one after."""
        if container.depth > LISTED_DEPTH:
            container.token = -1
            return
        if start >= end:
            return
        text = self.stretch.data[start:end] if end - start < 256 else b""
        if text[:1] == b"," and text.count(b",") == 1 and (start or not self.stretch.begins_in_string):
            if container.token >= 0 and not container.recorded:
                self._add_current(container, start)
            container.token, container.recorded = -1, False
            container.after = self.base + start
            self._begin(container, start + 1, end)
            return
        commas = self.stretch.separators(start, end, container.depth - self.outer_depth, container.kind == 0x7B)
        if not len(commas):
            self._begin(container, start, end)
            return
        first, last = int(commas[0]), int(commas[-1])
        self._begin(container, start, first)
        if container.token >= 0 and not container.recorded:
            self._add_current(container, first)
        container.recorded = False
        if len(commas) > 1:
            self._add_between(container, commas)
        container.token = -1
        container.after = self.base + last
        self._begin(container, last + 1, end)

    def _add_between(self, container: Container, commas: Positions) -> None:
        """Enter the members between neighbouring commas, a run at a time."""
        total = len(commas) - 1
        container.make_room(total)
        step = container.step
        firsts = np.arange(step - container.members % step, total, step)
        firsts = np.concatenate((np.zeros(1, np.int64), firsts))
        lasts = np.append(firsts[1:], total) - 1
        text, base = self.stretch, self.base
        bounds = np.stack((commas[firsts], commas[firsts + 1], commas[lasts], commas[lasts + 1]), axis=1)
        for (before, after, last_before, last_after), count in zip(
            bounds.tolist(), (lasts - firsts + 1).tolist(), strict=True
        ):
            token = text.skip_space(before + 1, after)
            first = last = self._member(token, after)
            if count > 1:
                last = self._member(text.skip_space(last_before + 1, last_after), last_after)
            container.add(self.lines.mark(base + before, base + token), count, first, last)

    def _member(self, token: int, end: int) -> Member:
        size = end - token
        if size <= HEAD_BYTES:
            return Member(self.base + token, size, self.stretch.data[token:end], b"")
        data = self.stretch.data
        return Member(self.base + token, size, data[token : token + HEAD_BYTES], data[end - TAIL_BYTES : end])

    def _begin(self, container: Container, start: int, end: int) -> None:
        if container.token < 0:
            token = self.stretch.skip_space(start, end)
            if token < end:
                self._begin_at(container, token)

    def _begin_if_none(self, container: Container, position: int) -> int:
        if container.token < 0:
            self._begin_at(container, position)
        return container.token - self.base

    def _begin_at(self, container: Container, token: int) -> None:
        container.token = self.base + token
        container.head = self.stretch.data[token : token + HEAD_BYTES]
        container.mark = self.lines.mark(container.after, container.token)

    def _add_current(self, container: Container, end: int) -> None:
        finish = self._significant_before(end) + 1
        size = finish - container.token
        tail = self._tail(container.token, finish - self.base)
        member = Member(container.token, size, container.head[:size], tail)
        container.add(container.mark, 1, member, member)

    def _significant_before(self, end: int) -> int:
        found = self.stretch.last_significant(end)
        return self.base + found if found >= 0 else self.significant

    def _tail(self, token: int, end: int) -> bytes:
        """The last bytes of a member that begins at `token` of the file and ends at `end` of the stretch."""
        if self.base + end - token <= HEAD_BYTES:
            return b""
        start = end - TAIL_BYTES
        if start >= 0:
            return self.stretch.data[start:end]
        kept = len(self.behind)
        return self.behind[max(0, kept + start) : max(0, kept + min(end, 0))] + self.stretch.data[: max(0, end)]


class _Events:
    """The brackets to stop at, in order: those of containers that may have to be listed, and those without a partner."""

    def __init__(self, stretch: Stretch, outer_depth: int, min_rank: int) -> None:
        closers, openers = stretch.unmatched
        places = stretch.positions
        shallowest = outer_depth + min(0, int(stretch.depths.min())) + 1 if len(places) else 1
        # Deeper than this, a container of the stretch would have to be longer than the stretch to reach the rank.
        deepest = 1 + (len(stretch.data) // min_rank).bit_length() // 2 if min_rank else LISTED_DEPTH
        large_openers, large_closers = stretch.large_pairs(
            min_rank << 2 * (min(shallowest, LISTED_DEPTH + 1) - 1), min(deepest, LISTED_DEPTH) - outer_depth
        )
        depths = stretch.depths[large_openers].astype(np.int64) + outer_depth
        ranks = (places[large_closers] - places[large_openers] + 1) >> np.minimum(2 * (depths - 1), 62)
        ranked = (ranks >= min_rank) & (depths <= LISTED_DEPTH)
        large_openers, large_closers, ranks = large_openers[ranked], large_closers[ranked], ranks[ranked]
        unmatched = np.full(len(closers) + len(openers), _UNMATCHED, np.int64)
        at = np.concatenate((closers, openers, large_openers, large_closers))
        order = np.argsort(at)
        self._at: Positions = places[at][order]
        self._ranks = np.concatenate((unmatched, ranks, ranks))[order]
        self._opens: npt.NDArray[np.bool_] = stretch.opens[at][order]
        opened_at = np.concatenate((unmatched, places[large_openers], places[large_openers]))
        self._opened_at = opened_at[order]
        self._load()

    def _load(self) -> None:
        rows = zip(self._at.tolist(), self._opens.tolist(), (self._ranks == _UNMATCHED).tolist(), strict=True)
        self._rows = iter(rows)

    def next(self) -> tuple[int, bool, bool] | None:
        """The next bracket: its position, whether it opens, and whether its partner lies outside of the stretch."""
        return next(self._rows, None)

    def forget_below(self, min_rank: int, position: int) -> None:
        """Leave out what comes after `position` of containers of lower rank, unless they are open there."""
        keep = (self._at > position) & ((self._ranks >= min_rank) | (self._opened_at < position))
        self._at, self._ranks, self._opens = self._at[keep], self._ranks[keep], self._opens[keep]
        self._opened_at = self._opened_at[keep]
        self._load()


__all__ = ["Mark", "Walk"]
