"""Scans a JSON document, whole or broken, in memory that does not grow with it.

The text is taken in stretches of about a megabyte: the structure of each is found with whole-array operations
(`structure.json_index`), checked against the grammar (`json_check`; what is refused, by `json_faults`), and entered into a
small tree (`json_walk`, `json_tree`) that `json_outline` turns into sections when somebody asks.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from milepost.core.outline import Node, Problem, freeze
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.json_check import (
    Expect,
    Place,
    first_bad_utf8,
    is_valid,
    open_after,
    place_after,
)
from milepost.core.structure.json_faults import CommentBlanker, Diagnosis, Fault, diagnose
from milepost.core.structure.json_groups import blank_node, not_parsed_node
from milepost.core.structure.json_index import Stretch
from milepost.core.structure.json_kernel import JsonKernel
from milepost.core.structure.json_kinds import kind_named
from milepost.core.structure.json_outline import Extent, JsonOutline
from milepost.core.structure.json_place import LOSSY, Lines, Mark
from milepost.core.structure.json_tree import TAIL_BYTES, Container, Tree
from milepost.core.structure.json_walk import Walk
from milepost.core.wasm import OnDemand

#: So much is looked at in one go: fewer steps in Python for a byte, and still no more memory than it may take.
STRETCH_BYTES = 4 << 20
#: A stretch with a fault is looked into in parts of this size.
_CLOSE_BYTES = 1 << 20
MAX_SCALAR_BYTES = 1 << 20
_MAX_PROBLEMS = 100
#: So much is looked into token by token; a file with faults in more stretches than that is not checked further.
_MAX_DIAGNOSED_BYTES = 4 << 20
_BOM = b"\xef\xbb\xbf"

#: A file of a larger class has its smaller containers listed only when their surroundings are expanded.
SIZE_CLASSES = (1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30)
_LEAST_RANKS = (0, 64, 256, 1024, 4096, 16384)


class JsonScanner:
    """Outlines one JSON document, or the members of a container that is being expanded (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        self._context = context
        resume = context.resume or {}
        self._is_range = context.resume is not None
        self._path = tuple(resume.get("path", ()))
        self._origin = int(resume.get("index", 0))
        self._level = int(resume.get("level", 1))
        size_class = sum(context.total_bytes > size for size in SIZE_CLASSES)
        self._tree = Tree(context.start_byte, context.max_nodes * 4 // 5, _LEAST_RANKS[size_class])
        self._place = Place()
        self._title = ""
        within = str(resume.get("within", "")).encode()
        if within:
            self._tree.top.token = context.start_byte
            self._tree.open(within[0], context.start_byte - 1)
            self._place = Place(within, Expect.KEY if within == b"{" else Expect.ELEMENT)
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self._carry = b""
        self._base = context.start_byte
        self._behind = b""
        self._significant = context.start_byte - 1
        self._starts: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._line = context.start_line
        self._units = int(resume.get("column", 0))
        self._line_start = context.start_byte - self._units
        self._start = Mark(context.start_byte, context.start_line, self._units or None)
        self._blanker: CommentBlanker | None = None
        self._allowed = frozenset({"lone surrogate"})
        self._encoding = "utf-8" if context.encoding.startswith(("utf", "ascii")) else context.encoding
        self._checks_encoding = True
        self._diagnosed_bytes = 0
        self._problems: list[Problem] = []
        self._has_more_problems = False
        self._max_depth = 0
        self._fault: Mark | None = None
        self._compiled = OnDemand(JsonKernel)

    def __deepcopy__(self, memo: dict[int, Any]) -> JsonScanner:
        twin = JsonScanner.__new__(JsonScanner)
        twin.__dict__.update(self.__dict__)
        twin._tree = copy.deepcopy(self._tree)
        twin._problems = list(self._problems)
        twin._waiting = list(self._waiting)
        twin._blanker = copy.copy(self._blanker)
        twin._compiled = self._compiled.spent()
        return twin

    # --- taking text in ---------------------------------------------------------------------------------------------

    def feed(self, block: Block) -> None:
        """Take the next block."""
        if self._fault is not None:
            return
        starts = block.starts + block.start
        if block.start == self._context.start_byte and len(starts) and int(starts[0]) == block.start:
            starts = starts[1:]
        self._starts = np.concatenate((self._starts, starts)) if len(self._starts) else starts
        self._waiting.append(block.data)
        self._waiting_bytes += len(block.data)
        if self._waiting_bytes >= STRETCH_BYTES:
            self.settle()

    def settle(self) -> None:
        """Take what was fed and waits for more, to be looked at in one go."""
        waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
        if waiting and self._fault is None:
            if self._blanker is not None:
                waiting = [self._blanker.feed(data) for data in waiting]
            self._take(b"".join((self._carry, *waiting)), final=False)

    def _take(self, text: bytes, final: bool) -> None:
        """Do as much of `text`, which begins at `_base`, as can be done for certain; the rest is carried on."""
        if self._base == 0 and text.startswith(_BOM):
            text = b"   " + text[3:]
            self._units = -3  # an editor does not count it
        if not text or (not final and self._base == 0 and _BOM.startswith(text)):
            self._carry = text
            return
        kernel = self._compiled.at(self._base - self._context.start_byte, self._context.total_bytes - self._base)
        stretch = Stretch(text, self._place.in_string, kernel)
        end = len(text) if final else stretch.shallow_end(stretch.safe_end())
        stretch.cut(end)
        stack, kept = open_after(self._place, stretch)
        after = place_after(self._place, stretch, end, stack)
        valid = is_valid(self._place, memoryview(text)[:end], after, kept, self._allowed)
        if not valid and len(text) > 2 * _CLOSE_BYTES:
            self._take_by_parts(text, final)
            return
        lines = Lines(text, self._base, self._line, self._units, self._starts, self._line_start, self._encoding)
        self._check_encoding(stretch, end, lines)
        diagnosis = Diagnosis() if valid else self._diagnose(stretch, end, after, kept, lines)
        if diagnosis.comment >= 0 and self._blanker is None:
            self._note(lines, "comments are not part of JSON", diagnosis.comment)
            self._blanker = CommentBlanker(self._place.in_string)
            blanked = self._blanker.feed(text)
            self._take(blanked + self._blanker.rest() if final else blanked, final)
            return
        hard = diagnosis.hard
        if not final and hard is None and len(text) - end > MAX_SCALAR_BYTES:
            hard = Fault("a number or word of more than 1 MB", end)
        if hard is not None:
            end = hard.offset
            stretch.cut(end)
            byte = self._base + end
            # What was noted beyond it (a byte that is not UTF-8) is of no account.
            self._problems = [problem for problem in self._problems if problem.byte < byte]
            self._problems.append(Problem(hard.message, lines.line_and_start(byte)[0], byte))
        outside = self._place.depth
        self._max_depth = outside + stretch.levels.greatest(self._max_depth - outside)
        walk = Walk(self._tree, stretch, lines, self._behind, self._significant, end, final or hard is not None)
        done = walk.run()
        if hard is not None:
            walk.finish(end)
            self._fault = self._fault_mark(lines, self._base + end)
            return
        if final:
            walk.finish(end)
        elif done != end:
            after = place_after(self._place, stretch, done, self._tree.kinds())
        self._advance(stretch, lines, text, done, after)

    def _advance(self, stretch: Stretch, lines: Lines, text: bytes, done: int, after: Place) -> None:
        significant = stretch.last_significant(done)
        if significant >= 0:
            self._significant = self._base + significant
        line, line_start = lines.line_and_start(self._base + done)
        self._units = lines.column(self._base + done, line_start)
        self._starts = self._starts[line - self._line :]
        self._line, self._line_start = line, line_start
        self._behind = (self._behind + text[max(0, done - TAIL_BYTES) : done])[-TAIL_BYTES:]
        self._base += done
        self._carry = text[done:]
        self._place = after

    def _take_by_parts(self, text: bytes, final: bool) -> None:
        """Do a stretch with a fault in parts that can be looked into token by token."""
        blanker, self._carry = self._blanker, b""
        for start in range(0, len(text), _CLOSE_BYTES):
            part = text[start : start + _CLOSE_BYTES]
            is_last = final and start + _CLOSE_BYTES >= len(text)
            if self._blanker is not blanker and self._blanker is not None:
                part = self._blanker.feed(part) + (self._blanker.rest() if is_last else b"")
            self._take(self._carry + part, is_last)
            if self._fault is not None:
                return

    def _check_encoding(self, stretch: Stretch, end: int, lines: Lines) -> None:
        """Note the first byte that is not UTF-8."""
        text = stretch.data
        bad = first_bad_utf8(text, end) if self._checks_encoding else -1
        if bad >= 0:
            self._note(lines, f"byte 0x{text[bad]:02X} is not UTF-8", bad)
            self._checks_encoding = False
            if self._encoding == "utf-8":
                self._encoding = lines.encoding = LOSSY

    def _diagnose(self, stretch: Stretch, end: int, after: Place, kept: int, lines: Lines) -> Diagnosis:
        """Note what is wrong with a stretch before `end`. What is returned says whether that ends the structure."""
        text = stretch.data
        while True:
            is_closed_too_often = len(stretch.unmatched[0]) > self._place.depth
            if self._gave_up and not is_closed_too_often:
                return Diagnosis()
            self._diagnosed_bytes += end
            diagnosis = diagnose(self._place, text[:end], self._allowed)
            for fault in diagnosis.soft:
                self._note(lines, fault.message, fault.offset)
            if not diagnosis.variant:
                return diagnosis
            self._allowed |= {diagnosis.variant}
            if is_valid(self._place, memoryview(text)[:end], after, kept, self._allowed):
                return Diagnosis()

    @property
    def _gave_up(self) -> bool:
        """Whether faults are so many that only what breaks the structure is still looked for."""
        return self._diagnosed_bytes >= _MAX_DIAGNOSED_BYTES or self._has_more_problems

    def _note(self, lines: Lines, message: str, offset: int) -> None:
        byte = lines.base + offset
        if len(self._problems) >= _MAX_PROBLEMS:
            self._has_more_problems = True
        elif all(problem.byte != byte for problem in self._problems):
            # The end of a stretch may have been looked at before, as the start of this one.
            self._problems.append(Problem(message, lines.line_and_start(byte)[0], byte))

    def _fault_mark(self, lines: Lines, offset: int) -> Mark:
        """Where what is not parsed begins: the line of the fault, unless something that was parsed begins on it."""
        line, start = lines.line_and_start(offset)
        latest = max(self._context.start_byte, self._tree.last_boundary())
        return Mark(start, line, None) if start > latest else lines.mark_at(offset)

    # --- saying what was found --------------------------------------------------------------------------------------

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the text so far (as far as it is settled)."""
        return tuple(sorted(self._problems, key=lambda problem: problem.byte))

    def problems_at(self, end: End) -> tuple[Problem, ...]:
        """What is wrong with a text that is over at `end`. Nothing can be fed after that."""
        self.settle()
        if self._fault is None:
            if self._blanker is not None:
                self._carry += self._blanker.rest()
            self._take(self._carry, final=True)
        if self._fault is None:
            self._take_end(end)
        return self.problems

    def finish(self, end: End) -> Findings:
        """Say what was found up to `end`."""
        found = self.problems_at(end)
        document = self._tree.stack[0]
        boundary = self._fault or self._end_mark(end)
        end_column = boundary.column if self._fault is not None else (self._context.resume or {}).get("end_column")
        last_line = end.line
        if self._fault is not None:
            last_line = boundary.line if boundary.column else boundary.line - 1
        extent = Extent(self._start, boundary, last_line, end_column)
        nodes = self._nodes(document, extent)
        if self._fault is not None and self._fault.byte < end.byte:
            nodes.append(not_parsed_node(self._fault, end, self._problems[-1], self._level))
        return Findings(freeze(nodes), () if self._is_range else found, "", self._facts())

    def _take_end(self, end: End) -> None:
        """Close what is still open at the end, and say so."""
        place = self._place
        lines = Lines(b"", self._base, self._line, self._units, self._starts, self._line_start, self._encoding)
        Walk(self._tree, Stretch(b"", False), lines, self._behind, self._significant, 0, True).finish(0)
        if self._is_range:
            return
        if place.expect is Expect.ROOT and not place.in_string:
            self._problems.append(Problem("there is no JSON value in this file", max(1, end.line), end.byte))
        elif place.expect is not Expect.NOTHING or place.in_string:
            inside = " inside a string" if place.in_string else ""
            levels = f", {place.depth} levels deep" if place.depth > 1 else ""
            message = f"truncated at byte {end.byte}{inside}{levels}: expected {place.expect.value}"
            self._problems.append(Problem(message, max(1, end.line), end.byte))

    def _end_mark(self, end: End) -> Mark:
        return Mark(end.byte, self._line, self._units or None)

    def _nodes(self, document: Container, extent: Extent) -> list[Node]:
        """The top level, within the budget: listed members split runs, so that there can be more nodes than were counted."""
        while True:
            nodes = self._top_level(document, extent)
            if sum(node.size() for node in nodes) <= self._context.max_nodes or not any(document.listed()):
                return nodes
            self._tree.min_rank += max(1, self._tree.min_rank // 4)
            document.forget_below(self._tree.min_rank)
            if self._tree.min_rank > extent.end.byte - extent.start.byte:
                return self._top_level(document, extent)

    def _top_level(self, document: Container, extent: Extent) -> list[Node]:
        if extent.start.byte >= extent.end.byte:
            return []
        if not document.entries:
            return [blank_node(extent.start, extent.end, extent.last_line, extent.last_column, self._level)]
        kind = kind_named(str((self._context.resume or {}).get("kind", "")))
        builder = JsonOutline(kind, extent)
        target = self._target_of(document)
        if target is None or not target.entries:
            return builder.members(document, (), self._level, 0, whole=True)
        if not self._is_range:
            builder.recognise(target)
            self._title = builder.kind.title
        return builder.members(target, self._path, self._level, self._origin, whole=True)

    def _target_of(self, document: Container) -> Container | None:
        """The container whose members are the top level: the root value, where it is one."""
        return next((entry.child for entry in document.entries if entry.child is not None), None)

    def _facts(self) -> dict[str, Any]:
        target = self._target_of(self._tree.stack[0])
        facts: dict[str, Any] = {
            "root": "none" if not self._tree.stack[0].entries else "scalar" if target is None else "array",
            "max_depth": self._max_depth,
        }
        if target is not None:
            facts["root"] = "object" if target.kind == 0x7B else "array"
            facts["members"] = target.members
        if self._title:
            facts["title"] = self._title
        if self._gave_up:
            facts["checked"] = "too many faults: the first are listed, the grammar was not checked to the end"
        return facts
