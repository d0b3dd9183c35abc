"""Runs of binary data written as text, block after block.

Encoders write lines of one length, so that a run shows as neighbouring lines that are equally long; only those are looked
at. PEM blocks and uuencoded files say themselves where they begin and end; a giant line may be one run by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from milepost.core.opaque.kinds import (
    DATA_URI,
    HEAD_BYTES,
    LINES,
    NAMES,
    PEM,
    PEM_END,
    REPEATED,
    UU,
    decoded_bytes,
    decoded_head,
    is_whole,
    kind_of_line,
    looks_encoded,
    type_of,
)
from milepost.core.structure.line_view import LineView

#: Fewer lines of equal length are no run.
LEAST_LINES = 6
_LEAST_WIDTH = 33
#: A line of so many bytes may be a run by itself.
GIANT_LINE = 2048
#: The end of a PEM block comes within so many bytes, or the line was no beginning.
_MOST_PEM_BYTES = 256 << 10
_LINE_BYTES = 1024


@dataclass(slots=True)
class Run:
    """Lines that hold binary data. `encoded` counts their bytes without line ends."""

    kind: str
    label: str = ""
    first: bytes = b""
    last: bytes = b""
    head: bytes = b""
    encoded: int = 0
    is_giant: bool = False
    is_data: bool = True

    def title(self) -> str:
        """What it is called."""
        return self.label or NAMES.get(self.kind, self.kind)

    def facts(self) -> dict[str, object]:
        """How it is written, and what is in it."""
        found: dict[str, object] = {"encoding": self.kind, "encoded_bytes": self.encoded}
        size = decoded_bytes(self.kind, self.encoded, self.first, self.last)
        if size is not None:
            found["decoded_bytes"] = size
        content = type_of(decoded_head(self.kind, self.head)) if self.kind != "pem" else ""
        if content:
            found["content"] = content
        return found


@dataclass(slots=True)
class Stretch:
    """Lines `low` to `high` (exclusive) of a block that belong to a run. `is_new` says that the run begins there."""

    low: int
    high: int
    run: Run
    is_new: bool = True


@dataclass(slots=True)
class OpaqueRuns:
    """Finds the runs of a text. A run that reaches the end of a block may go on in the next one."""

    open: Run | None = field(default=None)

    def find(self, view: LineView) -> list[Stretch]:
        """The stretches of a block, in order."""
        found: list[Stretch] = []
        if not view.block.starts_line:
            self._giant_piece(view)
        position = 0
        if self.open is not None and not self.open.is_giant:
            position = self._extended(view, 0, self.open, self._equal(view))
            if position:
                found.append(self._taken(view, 0, position, self.open, is_new=False))
        if position < view.size or not view.size:
            self.open = self.open if self.open is not None and self.open.is_giant and not view.size else None
        if not view.size:
            return found
        equal = self._equal(view)
        for low, high, run in self._candidates(view, equal):
            if low < position:
                continue
            end = self._extended(view, high, run, equal)
            found.append(self._taken(view, low, end, run, is_new=True))
            position = end
        if found and found[-1].high == view.size:
            self.open = found[-1].run
        return found

    def _taken(self, view: LineView, low: int, high: int, run: Run, *, is_new: bool) -> Stretch:
        """A stretch, with its bytes counted in its run."""
        start = int(view.starts[low])
        end = int(view.starts[high]) if high < view.size else len(view.data)
        data = view.data[start:end]
        run.first = run.first or view.text(low, _LINE_BYTES)
        if len(run.head) < HEAD_BYTES:
            run.head = (run.head + data[:HEAD_BYTES])[:HEAD_BYTES]
        run.last = view.text(high - 1, _LINE_BYTES) if not run.is_giant else data[-8:].rstrip(b"\r\n")
        run.encoded += len(data) - data.count(b"\n") - data.count(b"\r")
        return Stretch(low, high, run, is_new)

    def _giant_piece(self, view: LineView) -> None:
        """The part of a giant line that a block begins with."""
        if self.open is None or not self.open.is_giant:
            return
        end = int(view.starts[0]) if view.size else len(view.data)
        run = self.open
        run.is_data = run.is_data and is_whole(run.kind, view.block.array[:end])
        piece = view.data[:end]
        run.encoded += len(piece.rstrip(b"\r\n"))
        run.last = piece[-8:].rstrip(b"\r\n")

    def _equal(self, view: LineView) -> np.ndarray:
        """Where stretches of equally long lines begin and end: pairs of line indexes."""
        lengths = view.lengths()
        if len(lengths) < 2:
            return np.empty((0, 2), np.int64)
        same = np.zeros(len(lengths) + 1, np.int8)
        same[1:-1] = (lengths[1:] == lengths[:-1]) & (lengths[1:] >= _LEAST_WIDTH)
        steps = np.diff(same)
        pairs = np.column_stack((np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) + 1))
        found: np.ndarray = pairs[pairs[:, 1] - pairs[:, 0] >= LEAST_LINES]
        return found

    def _candidates(self, view: LineView, equal: np.ndarray) -> list[tuple[int, int, Run]]:
        """What may be a run, in order: first line, the line after those that are sure, and the run."""
        found: list[tuple[int, int, Run]] = []
        for low, high in equal.tolist():
            first, last = view.text(low, _LINE_BYTES), view.text(high - 1, _LINE_BYTES)
            kind = kind_of_line(first)
            if not kind or not LINES[kind].match(last):
                continue
            start = int(view.starts[low])
            end = int(view.starts[high]) if high < view.size else len(view.data)
            if is_whole(kind, view.block.array[start:end]) and looks_encoded(
                kind, view.data[start : min(end, start + HEAD_BYTES)]
            ):
                found.append((low, high, Run(kind)))
        dashes = view.heads == 45
        begins = (
            np.flatnonzero(dashes | (view.heads == 98)).tolist() if bool(dashes.any()) or b"begin" in view.data else ()
        )
        for index in begins:
            marked = self._marked(view, index)
            if marked is not None:
                found.append((index, index + 1, marked))
        for index in np.flatnonzero(view.lengths() >= GIANT_LINE).tolist():
            giant = self._giant(view, index)
            if giant is not None:
                found.append((index, index + 1, giant))
        return sorted(found, key=lambda one: (one[0], -one[1]))

    def _marked(self, view: LineView, index: int) -> Run | None:
        """A PEM block or a uuencoded file that begins at a line."""
        line = view.text(index, _LINE_BYTES)
        pem = PEM.match(line)
        if pem is not None:
            start = int(view.starts[index])
            reach = view.data[start : start + _MOST_PEM_BYTES]
            if PEM_END in reach or len(reach) < _MOST_PEM_BYTES:
                return Run("pem", pem[1].decode("ascii").strip())
            return None
        uu = UU.match(line)
        if uu is None or index + 1 >= view.size:
            return None
        following = view.text(index + 1, _LINE_BYTES)
        width = len(following)
        if uu[1] or (width >= 2 and 32 < following[0] <= 96 and abs((following[0] - 32 + 2) // 3 * 4 + 1 - width) <= 1):
            return Run("uuencode", f"uuencoded {uu[2].decode('utf-8', 'replace').strip()}")
        return None

    def _giant(self, view: LineView, index: int) -> Run | None:
        """A giant line that is nothing but base64 or hex digits, perhaps behind the head of a data URI."""
        start = int(view.starts[index])
        end = int(view.starts[index + 1]) if index + 1 < view.size else len(view.data)
        head = view.data[start : min(end, start + HEAD_BYTES)]
        uri = DATA_URI.match(head)
        if uri is not None:
            start, head = start + uri.end(), head[uri.end() :]
        array = view.block.array[start:end]
        kind = "hex" if uri is None and is_whole("hex", array) else "base64"
        if not is_whole(kind, array) or not looks_encoded(kind, head):
            return None
        label = f"data URI, {uri[1].decode('ascii')}" if uri is not None else ""
        return Run(kind, label, is_giant=True)

    def _extended(self, view: LineView, index: int, run: Run, equal: np.ndarray) -> int:
        """Where a run ends whose lines before `index` are sure."""
        if run.is_giant:
            return index
        if run.kind in ("pem", "uuencode"):
            return self._to_mark(view, index, run)
        begins = dict(zip(equal[:, 0].tolist(), equal[:, 1].tolist(), strict=True)) if len(equal) else {}
        pattern = LINES[run.kind]
        width = len(run.first)
        while index < view.size:
            line = view.text(index, _LINE_BYTES)
            is_dump = run.kind in ("xxd", "hexdump", "od")
            if is_dump and line == REPEATED:
                index += 1
                continue
            if not pattern.match(line) or (not is_dump and width and len(line) > width):
                break
            end = begins.get(index, index + 1)
            if end > index + 1:
                start, stop = int(view.starts[index]), int(view.starts[end]) if end < view.size else len(view.data)
                if not is_whole(run.kind, view.block.array[start:stop]) or not pattern.match(
                    view.text(end - 1, _LINE_BYTES)
                ):
                    break
            index = end
            if not is_dump and width and len(line) < width:
                break  # a shorter line is the last one
        return index

    def _to_mark(self, view: LineView, index: int, run: Run) -> int:
        """The line after the one that ends a PEM block or a uuencoded file; the block's end where it is not in it."""
        position = int(view.starts[index]) if index < view.size else len(view.data)
        marks = (b"\n" + PEM_END,) if run.kind == "pem" else (b"\nend", b"\n====")
        places = [place for place in (view.data.find(mark, max(0, position - 1)) for mark in marks) if place >= 0]
        if not places:
            return view.size
        return int(np.searchsorted(view.starts, min(places) + 1, side="right"))
