"""A final text in the making: short paragraphs and lists of plain text, the most important first, within a size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from milepost.core.outline import Outline, Section
from milepost.core.text import clip_text
from milepost.digest.values import FileFacts, Place, State

MAX_BYTES = 4096

_VALUES = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+")


class Text:
    """Lines that are kept as long as they fit; what does not fit is left out, and so is all after it in that list."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lines: list[str] = []
        self._bytes = 0

    @property
    def room(self) -> int:
        """How many bytes are left."""
        return self._max_bytes - self._bytes

    def add(self, line: str) -> bool:
        """Add a line if it fits; whether it did."""
        size = len(line.encode("utf-8", "replace")) + 1
        if size > self.room:
            return False
        self._lines.append(line)
        self._bytes += size
        return True

    def paragraph(self, text: str) -> None:
        """A paragraph by itself."""
        if text:
            if self._lines:
                self.add("")
            self.add(clip_text(text, max(0, min(1200, self.room - 1))))

    def listing(self, head: str, items: Sequence[str], *, share: float = 1.0, most: int = 16) -> None:
        """A list of at most `most` items under a head; the last line counts the rest.

        `share` is how much of the room that is left it may take.
        """
        if not items:
            return
        end = self._bytes + int(share * self.room)
        if not self.room > len(head.encode()) + 80:
            return
        self.paragraph(head)
        for shown, item in enumerate(items):
            line = f"- {item}"
            more = f"- and {len(items) - shown:,} more"
            ends_here = self._bytes + len(line.encode()) + len(more.encode()) + 2 > min(end, self._max_bytes)
            if shown and (ends_here or (shown >= most and len(items) > most + 1)):
                self.add(more)
                return
            if not self.add(line):
                return

    def __str__(self) -> str:
        return "\n".join(self._lines).strip()


@dataclass(frozen=True, slots=True)
class Read:
    """What was read of a file: the whole of it, or lines and bytes of a part, and what the outline says of that."""

    outline: Outline
    state: State
    facts: FileFacts
    whole: bool
    start_line: int
    end_line: int

    @classmethod
    def of(cls, state: State, facts: FileFacts) -> Read:
        """What `facts.examined` covers."""
        outline = facts.outline
        start, end = facts.examined
        whole = start <= 0 and end >= outline.total_bytes
        first = state.entries[0].start_line if state.entries else 1
        last = state.entries[-1].end_line if state.entries else outline.total_lines or 1
        if whole:
            first, last = 1, outline.total_lines or last
        return cls(outline, state, facts, whole, first, last)

    @property
    def lines(self) -> int:
        """How many lines were read."""
        return self.end_line - self.start_line + 1

    @property
    def bytes(self) -> int:
        """How many bytes were read."""
        return self.facts.examined[1] - self.facts.examined[0]

    def sections(self) -> list[Section]:
        """The sections that lie in what was read, as a whole; of one that does not, those of its children that do."""
        return list(self._inside(self.outline.sections))

    def _inside(self, sections: Iterable[Section]) -> Iterator[Section]:
        start, end = self.facts.examined
        for section in sections:
            if section.start_byte >= start and section.end_byte <= end:
                yield section
            elif section.start_byte < end and section.end_byte > start:
                yield from self._inside(section.children)

    @property
    def told_whole(self) -> bool:
        """Whether the sections that lie in what was read are all of it, so that counts of them are those of the part."""
        return self.whole or sum(one.end_byte - one.start_byte for one in self.sections()) == self.bytes

    def place_at(self, start_byte: int) -> Place | None:
        """The place that was read again for a note that begins at a byte."""
        if len(self.facts.places) == len(self.state.notes):
            for note, place in zip(self.state.notes, self.facts.places, strict=True):
                if note.start_byte == start_byte:
                    return place
        return None

    def noted(self) -> list[tuple[float, Place]]:
        """The places that were noted, with their scores, the best first."""
        if len(self.facts.places) != len(self.state.notes):
            return []
        pairs = [(note.score, place) for note, place in zip(self.state.notes, self.facts.places, strict=True)]
        return sorted(pairs, key=lambda pair: (-pair[0], pair[1].start_byte))


def at_lines(start: int, end: int) -> str:
    """`(line N)` or `(lines A–B)`."""
    return f"(line {start})" if start == end else f"(lines {start}–{end})"


def counted(count: int, noun: str, plural: str = "") -> str:
    """`1 line`, `2,000 lines`."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def size_of(size: int) -> str:
    """A number of bytes for people: `812 bytes`, `2.4 kB`, `1.7 MB`."""
    if size < 1000:
        return f"{size} bytes"
    for unit, scale in (("kB", 1e3), ("MB", 1e6), ("GB", 1e9)):
        if size < 1000 * scale or unit == "GB":
            return f"{size / scale:.1f} {unit}"
    raise AssertionError(size)


def joined(items: Sequence[str], most: int = 8) -> str:
    """A list in a sentence; past `most` items the rest is counted."""
    if len(items) <= most + 1:
        return ", ".join(items)
    return f"{', '.join(items[:most])} and {len(items) - most:,} more"


def wording(text: str) -> str:
    """What texts share that differ in numbers only."""
    return _VALUES.sub("#", text)


def sentence(text: str, max_bytes: int = 200) -> str:
    """A text as part of a sentence: plain, on one line, clipped, without an end mark."""
    return clip_text(" ".join(text.split()), max_bytes).rstrip(" .;,:·")


def opening(read: Read, what: str) -> str:
    """The first sentence: what the file is, how large, and how much of it was read."""
    outline = read.outline
    size = (
        f"{counted(outline.total_lines, 'line')}, {size_of(outline.total_bytes)}"
        if outline.total_lines
        else (size_of(outline.total_bytes))
    )
    first = f"{what}, {size}."
    if not read.whole:
        share = 100 * read.bytes / max(1, outline.total_bytes)
        first += (
            f" What follows is about lines {read.start_line}–{read.end_line} alone, {share:.0f} % of the file;"
            " the rest was not read."
        )
    if outline.degraded:
        first += f" Outlined by a lesser method: {sentence(outline.degraded)}."
    return first
