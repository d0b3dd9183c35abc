"""Fills the tree from the structure of one stretch: a step for each large container, whole arrays for the rest."""

from __future__ import annotations

import numpy as np

from milepost.core.structure.json_bits import Positions
from milepost.core.structure.json_index import Stretch
from milepost.core.structure.json_place import Lines, Mark
from milepost.core.structure.json_tree import HEAD_BYTES, LISTED_DEPTH, TAIL_BYTES, Container, Member, Tree

_UNMATCHED = 1 << 62
#: A depth at which no text lies.
_NOWHERE = -(1 << 20)


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
            position, opens, is_open_ended, commas = event
            container = tree.top
            self._members(container, cursor, position, commas)
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
        self._members(container, cursor, self.end, events.rest())
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

    def _members(self, container: Container, start: int, end: int, commas: Positions) -> None:
        """Enter the members of `container` that end in [start, end), all of them small, and begin the one after.

        `commas` are those between them.
        """
        if container.depth > LISTED_DEPTH:
            container.token = -1
            return
        if not len(commas):
            if start < end:
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
    """The brackets to stop at, in order: those of containers that may have to be listed, and those without a partner.

    With each come the commas between the members of the container that is innermost before it.
    """

    def __init__(self, stretch: Stretch, outer_depth: int, min_rank: int) -> None:
        closers, openers = stretch.unmatched
        shallowest = outer_depth + stretch.levels.least + 1
        # Deeper than this, a container of the stretch would have to be longer than the stretch to reach the rank.
        deepest = 1 + (len(stretch.data) // min_rank).bit_length() // 2 if min_rank else LISTED_DEPTH
        depths = range(shallowest, min(deepest, LISTED_DEPTH) + 1)
        large_openers, large_closers, levels = stretch.large_pairs([min_rank << 2 * (depth - 1) for depth in depths])
        ranks = (large_closers - large_openers + 1) >> 2 * (levels + outer_depth - 1)
        unmatched = np.full(len(closers) + len(openers), _UNMATCHED, np.int64)
        at = np.concatenate((closers, openers, large_openers, large_closers))
        order = np.argsort(at)
        self._at: Positions = at[order]
        self._ranks = np.concatenate((unmatched, ranks, ranks))[order]
        counts = (len(closers), len(openers), len(large_openers), len(large_closers))
        self._opens = np.repeat(np.array([False, True, True, False]), counts)[order]
        self._opened_at = np.concatenate((unmatched, large_openers, large_openers))[order]
        inside = np.concatenate((np.zeros(1, np.int32), np.cumsum(np.where(self._opens, 1, -1), dtype=np.int32)))
        self._commas = stretch.separators(self._at, np.where(inside + outer_depth <= LISTED_DEPTH, inside, _NOWHERE))
        self._stops = self._commas.searchsorted(self._at)
        self._inside = np.repeat(inside, np.diff(self._stops, prepend=0, append=len(self._commas)))
        self._depth = 0
        self._taken = 0
        self._has_forgotten = False
        self._load()

    def _load(self) -> None:
        columns = (self._at, self._opens, self._ranks == _UNMATCHED, self._stops)
        self._rows = iter(zip(*(column.tolist() for column in columns), strict=True))

    def next(self) -> tuple[int, bool, bool, Positions] | None:
        """The next bracket: its position, whether it opens, whether its partner lies outside of the stretch; the commas."""
        row = next(self._rows, None)
        if row is None:
            return None
        position, opens, is_open_ended, stop = row
        commas = self._take(stop)
        self._depth += 1 if opens else -1
        return position, opens, is_open_ended, commas

    def rest(self) -> Positions:
        """The commas after the last bracket."""
        return self._take(len(self._commas))

    def _take(self, stop: int) -> Positions:
        taken, self._taken = self._taken, stop
        commas = self._commas[taken:stop]
        if self._has_forgotten and stop > taken:
            # Some lie in containers that were to be stopped at once.
            commas = commas[self._inside[taken:stop] == self._depth]
        return commas

    def forget_below(self, min_rank: int, position: int) -> None:
        """Leave out what comes after `position` of containers of lower rank, unless they are open there."""
        keep = (self._at > position) & ((self._ranks >= min_rank) | (self._opened_at < position))
        self._at, self._ranks, self._opens = self._at[keep], self._ranks[keep], self._opens[keep]
        self._opened_at, self._stops = self._opened_at[keep], self._stops[keep]
        self._has_forgotten = True
        self._load()


__all__ = ["Mark", "Walk"]
