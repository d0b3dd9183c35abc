"""Diffs: files and hunks of unified, context and normal diffs, git's and svn's; commits of `git log` and patch series.

What a hunk holds is known from its head (`@@ -1,5 +1,6 @@`), so that a removed line that looks like the head of a file
(`--- a`) is not taken for one. All hunks of a block are measured at once from running sums over the first bytes of its
lines; only lines outside hunks are looked at one by one.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from milepost.core.formats.base import Format
from milepost.core.outline import Node, Problem
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.diff_context import STARS, ContextHunks
from milepost.core.structure.diff_files import MOST_PENDING, DiffFile, Patch, path_of
from milepost.core.structure.diff_hunks import Gap, Hunk, HunkTable
from milepost.core.structure.diff_measure import LineSums
from milepost.core.structure.diff_sniff import is_normal_diff, sniff_diff
from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.section_tree import SectionTree

#: A diff of a larger class lists the hunks of its smaller files only when those are expanded.
SIZE_CLASSES = (4 << 20, 32 << 20, 256 << 20, 2 << 30)
_SMALL_SHARE = 1024
_MAX_PROBLEMS = 50
_COMMIT_LEVEL, _FILE_LEVEL = 0, 1
#: The head of a file as git writes it, with hunks behind it.
_PLAIN_HEAD = re.compile(
    rb"diff --git [^\r\n]*\n(?:(?:index |new |deleted |old |similarity |rename |copy )[^\r\n]*\n){0,6}"
    rb"--- [^\r\n]*\n\+\+\+ [^\r\n]*\n"
)
_COMMIT = re.compile(rb"commit ([0-9a-f]{40}(?:[0-9a-f]{24})?)\b")
_MAIL = re.compile(rb"From ([0-9a-f]{40}(?:[0-9a-f]{24})?) \w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}")
_BZR_HEAD = re.compile(rb"=== (?:added|modified|removed|renamed) (?:file|directory) '(.*?)'")
#: First bytes of the lines outside hunks that may say something.
_SPACE = 32
_LEAST_COMMIT_LINES = 6
_CANDIDATE_BYTES = b"dI=-+*!rnsocFBGSAD"
_CANDIDATES = table_of(_CANDIDATE_BYTES)


class _Place(NamedTuple):
    """A line whose meaning the next one decides."""

    byte: int
    line: int
    text: bytes


class DiffScanner:
    """Outlines a diff of any of these kinds; they may be mixed."""

    def __init__(self, context: Context) -> None:
        self._tree = SectionTree(context, part_kind="text")
        self._tree.on_close = self._close
        self._tree.read_label = self._label
        self._decoded = self._tree.decoded
        classes = [size for size in SIZE_CLASSES if size < context.total_bytes]
        self._least_bytes = classes[-1] // _SMALL_SHARE if classes else 0
        #: A range inside a file is a file without a node.
        resume = context.resume
        self._range = DiffFile() if (resume or {}).get("hunks") else None
        self._is_normal = is_normal_diff(context.head) if resume is None else bool(resume.get("normal"))
        #: What is needed to read a range again.
        self._resume = {"normal": True} if self._is_normal else {}
        self._file: DiffFile | None = self._range
        self._commit: Patch | None = None
        self._context = ContextHunks()
        self._open: Hunk | None = None
        self._left = (0, 0)
        self._before: _Place | None = None
        self._wants_title = False
        self._totals = {"commits": 0, "files": 0, "hunks": 0, "added": 0, "removed": 0}
        self._problems: list[Problem] = []
        self._more_problems = 0

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block, only_lf=True)
        if not view.size:
            return  # inside a giant line, whose head has been seen
        sums = LineSums(view, normal=self._is_normal)
        position = self._go_on(view, sums)
        table = self._measure(view, sums, position)
        if self._wants_title:
            self._find_title(view, position)
        taken = 0
        # Between hunks that touch there is nothing to look at.
        gaps = table.gaps(position, view.size)
        number = 0
        while number < len(gaps):
            gap = gaps[number]
            if gap.hunk > taken:
                self._add_hunks(view, table, taken, gap.hunk)
                position = table.stops[gap.hunk - 1]
                taken = gap.hunk
            counted = self._count_files(view, table, gaps, number) if self._tree.is_gathering(_FILE_LEVEL) else 0
            if counted:
                number += counted
                taken = gaps[number - 1].hunk
                continue
            for index in self._candidates(view, gap):
                position = self._take(view, position, index)
            number += 1
        if taken < len(table):
            self._add_hunks(view, table, taken, len(table))
            position = table.stops[-1]
        self._tree.advance(view, position, view.size)
        if self._file is not None:
            # What waits for the file's end must not keep this block in memory.
            self._file.waiting.settle()

    # --- files that are only counted --------------------------------------------------------------------------------

    def _candidates(self, view: LineView, gap: Gap) -> list[int]:
        """The lines between hunks that may say something."""
        if gap.high - gap.low <= _LEAST_COMMIT_LINES:
            first_bytes = view.heads[gap.low : gap.high].tolist()
            return [gap.low + number for number, byte in enumerate(first_bytes) if byte in _CANDIDATE_BYTES]
        heads = view.heads[gap.low : gap.high]
        # ` 3 files changed, 10 insertions(+)`, below the files of a commit.
        second = view.block.array[np.minimum(view.starts[gap.low : gap.high] + 1, len(view.data) - 1)]
        wanted = _CANDIDATES[heads] | ((heads == _SPACE) & (second - 48 < 10))
        found: list[int] = (np.flatnonzero(wanted) + gap.low).tolist()
        return found

    def _count_files(self, view: LineView, table: HunkTable, gaps: list[Gap], number: int) -> int:
        """Count files from this gap on, as long as gaps are just the head of a file as git writes it, and a group takes them.

        Returns how many. Each but the last has all its hunks then.
        """
        data, starts, first = view.data, view.starts, number
        head = b""
        while number < len(gaps):
            gap = gaps[number]
            match = _PLAIN_HEAD.match(data, starts.item(gap.low)) if gap.high < view.size else None
            if match is None or match.end() != starts.item(gap.high) or not self._tree.counts(_FILE_LEVEL, match[0]):
                break
            head = match[0]
            number += 1
        if number == first:
            return 0
        self._end_counted()
        low, high = gaps[first].hunk, gaps[number - 1].hunk
        self._total(number - first - 1, high - low, *table.changes(low, high))
        self._report_short(view, table, low, high)
        self._totals["files"] += number - first
        self._file = DiffFile(head=head, is_named=True)
        self._open = None
        self._context.forget()
        return number - first

    # --- hunks ------------------------------------------------------------------------------------------------------

    def _measure(self, view: LineView, sums: LineSums, position: int) -> HunkTable:
        """The hunks that begin in this block at or after `position`, with what of them lies in it."""
        found = sums.heads(view, position)
        table = HunkTable(view, sums, found)
        if not len(found):
            return table
        for number in table.followed.tolist():
            # A file's head may follow, or the line `-- ` over the signature of a mail.
            if not view.text(table.stops[number]).startswith((b"--", b"+++ ")):
                index = table.indexes[number]
                self._problem("the hunk has more lines than its head says", view.number(index), view.offset(index))
        if table.is_open:
            index, old, new = found[-1].tolist()
            self._left = sums.left(index + 1, old, new)
        return table

    def _go_on(self, view: LineView, sums: LineSums) -> int:
        """What of this block belongs to the hunk that was open at the end of the last one; returns the line after it."""
        hunk, file = self._open, self._file
        if hunk is None or file is None:
            return 0
        old, new = self._left
        first = np.zeros(1, np.int64)
        stops, is_short = sums.stops(first, first + old, first + new)
        stop = int(stops[0])
        added, removed = int(sums.added[stop]), int(sums.removed[stop])
        hunk.added += added
        hunk.removed += removed
        file.added += added
        file.removed += removed
        hunk.add_cuts(view, 0, stop)
        hunk.end_byte, hunk.end_line = view.offset(stop), view.number(stop) - 1
        if stop == view.size:
            self._left = sums.left(0, old, new)
        else:
            self._open = None
            if is_short[0]:
                self._too_short(hunk)
        return stop

    def _add_hunks(self, view: LineView, table: HunkTable, low: int, high: int) -> None:
        """The hunks `low` to `high` of a table, one behind the other, belong to the file that is open."""
        file = self._file
        first = table.indexes[low]
        byte, line = view.offset(first), view.number(first)
        if file is None:
            file = self._begin_file(byte, line, "(no file named)")
        if file.is_context:
            # Both kinds in one file: what is open ends here.
            self._context.end(file, view, first)
            self._context.forget()
            file.is_context = False
        if not file.hunk_count:
            self._tree.settle(byte, line)
            self._tree.cuts_parts = False
        file.take_hunks(table, low, high)
        self._report_short(view, table, low, high)
        self._flush(file)
        self._open = None
        if table.is_open and high == len(table):
            self._open = file.waiting.last()

    def _flush(self, file: DiffFile) -> None:
        """Enter hunks that have waited for their file's end, if they get too many."""
        if file.node is None and file is not self._range:
            file.waiting.drop()
        elif file.is_flushed or len(file.waiting) > MOST_PENDING:
            file.is_flushed = True
            self._enter(file, keeps_last=True)

    def _enter(self, file: DiffFile, *, keeps_last: bool = False) -> None:
        enter = file.waiting.groups if file.is_flushed and self._least_bytes > 0 else file.waiting.nodes
        for node in enter(self._decoded, keeps_last=keeps_last):
            node.resume = {"hunks": True, **self._resume}
            self._tree.leaf(node)

    def _report_short(self, view: LineView, table: HunkTable, low: int, high: int) -> None:
        for number in table.short_ones(low, high):
            self._problem_of_short(view.number(table.indexes[number]), view.offset(table.indexes[number]))

    def _too_short(self, hunk: Hunk) -> None:
        hunk.is_short = True
        self._problem_of_short(hunk.start_line, hunk.start_byte)

    def _problem_of_short(self, line: int, byte: int) -> None:
        self._problem("the hunk has fewer lines than its head says", line, byte)

    def _problem(self, message: str, line: int, byte: int) -> None:
        if len(self._problems) < _MAX_PROBLEMS:
            self._problems.append(Problem(message, line, byte))
        else:
            self._more_problems += 1

    # --- lines outside hunks ----------------------------------------------------------------------------------------

    def _take(self, view: LineView, position: int, index: int) -> int:
        """Look at a line outside hunks. Lines up to the one returned are done with."""
        text = view.text(index)
        place = _Place(view.offset(index), view.number(index), text)
        before, self._before = self._before, None
        if before is not None and before.line != place.line - 1:
            before = None
        file = self._file
        if text.startswith(b"--- "):
            if before is not None and before.text.startswith(b"*** "):
                return self._name(before, text, view, position, index)
            if not self._context.takes_head(file, text):
                self._before = place
        elif text.startswith(b"+++ "):
            if before is not None and before.text.startswith(b"--- "):
                return self._name(before, text, view, position, index)
        elif text.startswith(b"*** "):
            if not self._context.takes_head(file, text):
                self._before = place
        elif text.startswith(STARS):
            if file is not None and file.is_context:
                self._tree.settle(place.byte, place.line)
                self._tree.cuts_parts = False
                self._context.end(file, view, index)
                self._flush(file)
                self._context.begin(file, view, index)
        elif path := _path_of_head(text):
            # CVS gives both kinds of heads.
            if not (file is not None and file.is_bare_index and not file.hunk_count and text.startswith(b"diff ")):
                self._tree.advance(view, position, index)
                file = self._begin_file(place.byte, place.line, self._decoded(path))
                file.is_bare_index = text.startswith(b"Index: ")
                return index
        elif (
            text.startswith(b"Binary files ")
            and (file is None or file.hunk_count or file.note)
            and text.endswith(b" differ")
        ):
            self._tree.advance(view, position, index)
            file = self._begin_file(place.byte, place.line, self._decoded(text[13:-7].split(b" and ")[-1]))
            file.take_header(text, self._decoded)
            return index
        elif match := _COMMIT.match(text) or _MAIL.match(text):
            self._tree.advance(view, position, index)
            self._begin_commit(place, match[1], is_mail=text.startswith(b"From "))
            if self._wants_title:
                self._find_title(view, index + 1)
            return index
        elif text[:1] == b" ":
            if self._commit is not None and self._file is None:
                self._commit.take_summary(text)
        elif not self._context.takes_line(file, text):
            if file is not None and not file.hunk_count:
                file.take_header(text, self._decoded)
            elif file is None and self._commit is not None:
                self._commit.take_header(text, self._decoded)
        return position

    def _name(self, first: _Place, second: bytes, view: LineView, position: int, index: int) -> int:
        """The two lines that name a file: they begin one, unless its head has come already."""
        file = self._file
        if file is None or file.is_named or file.hunk_count:
            self._tree.advance(view, position, max(position, index - 1))
            file = self._begin_file(first.byte, first.line, "")
            position = max(position, index - 1)
        file.is_named = True
        file.is_context = first.text.startswith(b"*** ")
        file.set_paths(path_of(first.text[4:]), path_of(second[4:]), self._decoded)
        return position

    def _begin_file(self, byte: int, line: int, path: str) -> DiffFile:
        file = DiffFile(path=path)
        node = Node("file", file.path or "file", byte, line, weight=0.5, resume=self._resume)
        if self._begin(_FILE_LEVEL, node, file):
            file.node = node
            self._tree.part_resume = {"hunks": True, **self._resume}
        self._file = file
        self._totals["files"] += 1
        return file

    def _begin_commit(self, place: _Place, name: bytes, *, is_mail: bool) -> None:
        short = name[:12].decode("ascii", "replace")
        node = Node("commit", short, place.byte, place.line, weight=0.6, resume=self._resume, label=short)
        commit = Patch(None, short)
        if self._begin(_COMMIT_LEVEL, node, commit):
            commit.node = node
        self._commit = commit
        self._totals["commits"] += 1
        self._wants_title = not is_mail

    def _begin(self, level: int, node: Node, what: DiffFile | Patch) -> bool:
        """Begin a file or commit; what is open of this level or a deeper one ends there. False if it is only counted."""
        self._end_counted()
        self._open = None
        self._context.forget()
        self._tree.cuts_parts = True
        self._tree.part_resume = self._resume
        is_listed = not self._tree.gathers(level, node.kind, node.start_byte, node.start_line, what, self._resume)
        if is_listed:
            self._tree.begin(level, node)
        self._file = None
        return is_listed

    def _end_counted(self) -> None:
        """The file that is open ends, if it is one that is only counted."""
        file = self._file
        if file is not None and file.node is None and file is not self._range:
            self._total(1, file.hunk_count, file.added, file.removed)

    def _total(self, files: int, hunks: int, added: int, removed: int) -> None:
        """Files have ended."""
        self._totals["hunks"] += hunks
        self._totals["added"] += added
        self._totals["removed"] += removed
        if self._commit is not None:
            self._commit.take_files(files, added, removed)

    def _label(self, what: DiffFile | Patch | bytes) -> str:
        """What a file or commit is called that is the first or last of a group; a file may be given by its head."""
        return (DiffFile(head=what) if isinstance(what, bytes) else what).title(self._decoded)

    def _find_title(self, view: LineView, index: int) -> None:
        """The first line of a commit's message: the first that is indented, after its header."""
        for position in range(index, min(view.size, index + 40)):
            text = view.text(position)
            if text.startswith(b"    ") and text.strip() and self._commit is not None:
                self._commit.subject = self._decoded(text.strip())
                self._wants_title = False
                return
            if text.startswith((b"diff ", b"commit ")):
                self._wants_title = False
                return

    # --- the end ----------------------------------------------------------------------------------------------------

    def _close(self, node: Node) -> None:
        """A file or commit ends: say what it holds."""
        file, commit = self._file, self._commit
        if file is not None and file.node is node:
            if file.is_context and file.waiting.hunks:
                last = file.waiting.hunks[-1]
                last.end_byte, last.end_line = node.end_byte, node.end_line
            if node.end_byte - node.start_byte >= self._least_bytes or file.is_flushed:
                self._enter(file)
            else:
                node.hidden = file.hunk_count
            file.close(self._decoded)
            self._total(1, file.hunk_count, file.added, file.removed)
            self._file = None
        elif commit is not None and commit.node is node:
            commit.close(self._decoded)
            self._commit = None

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        if self._open is not None:
            self._open.end_byte, self._open.end_line = end.byte, end.line
            if max(self._left) > 0:
                self._problem("the diff ends inside a hunk", end.line, self._open.start_byte)
        if self._range is not None and self._file is self._range:
            self._enter(self._range)
        self._end_counted()
        sections = self._tree.finish(end)
        facts: dict[str, Any] = {name: count for name, count in self._totals.items() if count or name != "commits"}
        if self._more_problems:
            facts["more_problems"] = self._more_problems
        return Findings(sections, tuple(self._problems), facts=facts)


def _path_of_head(text: bytes) -> bytes:
    """The path that the head of a file names: `diff …`, `Index: …`, or bzr's `=== modified file …`. Empty if it is none."""
    if text.startswith(b"diff "):
        return path_of(text, command=True)
    if text.startswith(b"Index: "):
        return path_of(text[7:])
    match = _BZR_HEAD.match(text) if text.startswith(b"=== ") else None
    return match[1] if match is not None else b""


FORMAT = Format("diff", "diff", sniff_diff, DiffScanner, size_classes=SIZE_CLASSES)
