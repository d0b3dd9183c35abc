"""Fills the tree from the structure of one stretch: a step for each large container, whole arrays for the rest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from milepost.core.structure.json_index import Positions, Stretch
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
        events = _Events(stretch, tree.min_bytes)
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
                events.forget_below(tree.min_bytes, position)
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
        commas = self.stretch.separators(start, end, container.depth - self.outer_depth, container.kind == 0x7B)
        if not len(commas):
            self._begin(container, start, end)
            return
        first, last = int(commas[0]), int(commas[-1])
        self._begin(container, start, first)
        if container.token >= 0 and not container.recorded:
            self._add_current(container, first)
        container.recorded = False
        done, total = 1, len(commas)
        while done < total:
            count = min(container.run_length(), total - done)
            before, after = int(commas[done - 1]), int(commas[done])
            token, member = self._member_between(before, after)
            mark = self.lines.mark(self.base + before, token)
            if count > 1:
                _, final = self._member_between(int(commas[done + count - 2]), int(commas[done + count - 1]))
            else:
                final = member
            container.add(mark, count, member, final)
            done += count
        container.token = -1
        container.after = self.base + last
        self._begin(container, last + 1, end)

    def _member_between(self, before: int, after: int) -> tuple[int, Member]:
        """Where the member between two commas begins in the file, and the member."""
        token = self.stretch.skip_space(before + 1, after)
        size = after - token
        data = self.stretch.data
        head = data[token : min(after, token + HEAD_BYTES)]
        tail = data[after - TAIL_BYTES : after] if size > HEAD_BYTES else b""
        return self.base + token, Member(self.base + token, size, head, tail)

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
    """The brackets to stop at, in order: those of containers large enough to be listed, and those without a partner."""

    def __init__(self, stretch: Stretch, min_bytes: int) -> None:
        closers, openers = stretch.unmatched()
        large_openers, large_closers = stretch.large_pairs(min_bytes)
        places = stretch.positions
        sizes = places[large_closers] - places[large_openers] + 1
        unmatched = np.full(len(closers) + len(openers), _UNMATCHED, np.int64)
        at = np.concatenate((closers, openers, large_openers, large_closers))
        order = np.argsort(at)
        self._at: Positions = places[at][order]
        self._sizes = np.concatenate((unmatched, sizes, sizes))[order]
        self._opens: npt.NDArray[np.bool_] = stretch.opens[at][order]
        opened_at = np.concatenate((unmatched, places[large_openers], places[large_openers]))
        self._opened_at = opened_at[order]
        self._load()

    def _load(self) -> None:
        rows = zip(self._at.tolist(), self._opens.tolist(), (self._sizes == _UNMATCHED).tolist(), strict=True)
        self._rows = iter(rows)

    def next(self) -> tuple[int, bool, bool] | None:
        """The next bracket: its position, whether it opens, and whether its partner lies outside of the stretch."""
        return next(self._rows, None)

    def forget_below(self, min_bytes: int, position: int) -> None:
        """Leave out what comes after `position` of containers smaller than that, unless they are open there."""
        keep = (self._at > position) & ((self._sizes >= min_bytes) | (self._opened_at < position))
        self._at, self._sizes, self._opens = self._at[keep], self._sizes[keep], self._opens[keep]
        self._opened_at = self._opened_at[keep]
        self._load()


__all__ = ["Mark", "Walk"]
