"""What a model sees of a chunk: numbered lines that together stand for every byte of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from milepost.core.text import cut_text

ViewKind = Literal["text", "repeat", "body"]
"""`text`: lines as they are. `repeat`: lines (or records, or parts of a line) of one template. `body`: a passage that is
left out but for what its text says of it."""

ByteRange = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ViewLine:
    """One line of a view.

    `text` is what is shown, on one line; `count` how many lines, records or parts of a line it stands for. `ranges` are
    byte ranges in the chunk's `data`, in order and disjoint; `start_line` and `end_line` are the file's, of the first and
    the last of them. Between those there may be lines that other view lines stand for.
    """

    text: str
    start_line: int
    end_line: int
    count: int
    ranges: tuple[ByteRange, ...]
    kind: ViewKind = "text"

    def render(self) -> str:
        """As a model sees it: `LINE| text`, or `A-B ×N| text`."""
        lines = str(self.start_line) if self.start_line == self.end_line else f"{self.start_line}-{self.end_line}"
        return f"{lines}| {self.text}" if self.count == 1 else f"{lines} ×{self.count}| {self.text}"


class View(tuple[ViewLine, ...]):
    """A chunk as a model sees it. The ranges of all its lines together cover the chunk's `data` exactly once."""

    __slots__ = ()

    def render(self) -> str:
        """All lines, each ended by a line feed."""
        return "".join(f"{line.render()}\n" for line in self)

    def parts(self, max_tokens: int, estimate: Callable[[str], int]) -> list[View]:
        """The view in parts that each take at most `max_tokens` by `estimate`, in order; nothing is left out.

        A single line that is too long by itself is clipped, and says by how much; its ranges stay.
        """
        parts: list[View] = []
        lines: list[ViewLine] = []
        tokens = 0
        for line in self:
            cost = estimate(f"{line.render()}\n")
            if cost > max_tokens:
                line = _fitted(line, max_tokens, estimate)
                cost = estimate(f"{line.render()}\n")
            if lines and tokens + cost > max_tokens:
                parts.append(View(lines))
                lines, tokens = [], 0
            lines.append(line)
            tokens += cost
        if lines:
            parts.append(View(lines))
        return parts


def ordered(lines: Iterable[ViewLine]) -> View:
    """A view of these lines, by where each begins."""
    return View(sorted(lines, key=lambda line: line.ranges[0]))


def clipped(text: str, max_bytes: int, unseen: int = 0) -> str:
    """`text` if it is at most `max_bytes` long in UTF-8; else its beginning, and how many bytes are left out.

    `unseen` is how many bytes more there are that are not in `text`.
    """
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    if size <= max_bytes and not unseen:
        return text
    head = cut_text(text, max_bytes).rstrip()
    left_out = size - len(head.encode("utf-8", "replace")) + unseen
    return f"{head} [+{left_out:,} bytes]"


def _fitted(line: ViewLine, max_tokens: int, estimate: Callable[[str], int]) -> ViewLine:
    """The line with so much of its text as fits."""
    low, high = 0, len(line.text.encode("utf-8", "replace"))
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(f"{replace(line, text=clipped(line.text, middle)).render()}\n") <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return replace(line, text=clipped(line.text, low))
