"""The invariants of outlines, lines and chunks, checked on one file against an independent count.

For `milepost check`: what is checked here is counted again from the bytes with plain means (`bytes.count`, slices), not
with the code that made the outline.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from milepost.core.chunks import ChunkPlan
from milepost.core.outline import DIGEST_MAX_BYTES, TITLE_MAX_BYTES, Outline, Section, walk
from milepost.core.source import ByteSource, StopFlag, never, raise_if_stopped

_STEP_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """One invariant and whether it holds; `message` says what was compared, or where it fails."""

    name: str
    ok: bool
    message: str


def check_file(
    view: ByteSource, outline: Outline, again: Outline, plan: ChunkPlan, *, should_stop: StopFlag = never
) -> tuple[Verdict, ...]:
    """Check an outline, the outline of a second scan, and a chunk plan of the same bytes.

    `view` is the file as an ASCII superset; line checks are skipped where it is a transcoded one of another size.
    """
    return tuple(
        _verdict(name, problems)
        for name, problems in (
            ("cover", _cover(outline)),
            ("nesting", _nesting(outline.sections)),
            ("lines", _lines(view, outline, should_stop)),
            ("labels", _labels(outline.sections)),
            ("ids", _ids(outline.sections)),
            ("deterministic", _deterministic(outline, again)),
            ("chunks", _chunks(plan, outline)),
        )
    )


_HOLDS = {
    "cover": "the top-level sections join to the whole file",
    "nesting": "sections lie within their parents, in order and disjoint",
    "lines": "every section's lines are those of its bytes, by an independent count",
    "labels": "titles and digests keep their limits and hold no control characters",
    "ids": "no two sections share an id",
    "deterministic": "a second scan gives the same outline",
    "chunks": "the chunks join to the whole file",
}


def _verdict(name: str, problems: Iterable[str]) -> Verdict:
    first = next(iter(problems), None)
    return Verdict(name, first is None, _HOLDS[name] if first is None else first)


def _cover(outline: Outline) -> Iterator[str]:
    at = 0
    for section in outline.sections:
        if section.start_byte != at:
            yield f"section {section.id} starts at byte {section.start_byte:,}, but the one before ends at {at:,}"
        at = section.end_byte
    if at != outline.total_bytes:
        yield f"the last section ends at byte {at:,} of {outline.total_bytes:,}"


def _nesting(sections: Iterable[Section], parent: Section | None = None) -> Iterator[str]:
    before: Section | None = None
    for section in sections:
        if section.end_byte < section.start_byte or section.end_line < section.start_line:
            yield f"section {section.id} ends before it starts"
        if parent is not None and not (
            parent.start_byte <= section.start_byte
            and section.end_byte <= parent.end_byte
            and parent.start_line <= section.start_line
            and section.end_line <= parent.end_line
        ):
            yield f"section {section.id} reaches out of {parent.id}"
        if before is not None and section.start_byte < before.end_byte:
            yield f"section {section.id} overlaps {before.id}"
        before = section
        yield from _nesting(section.children, section)


def _lines(view: ByteSource, outline: Outline, should_stop: StopFlag) -> Iterator[str]:
    if view.size != outline.total_bytes or outline.encoding == "binary":
        return
    # The line of each offset that matters, counted in one pass: ends of lines before it, plus one.
    starts = sorted({section.start_byte for section in walk(outline.sections)})
    lasts = sorted(
        {section.end_byte - 1 for section in walk(outline.sections) if section.end_byte > section.start_byte}
    )
    offsets = sorted({*starts, *lasts})
    line_of: dict[int, int] = {}
    position = count = 0
    for offset in offsets:
        while position < offset:
            raise_if_stopped(should_stop)
            data = view.read_at(position, min(_STEP_BYTES, offset - position))
            following = view.read_at(position + len(data), 1)
            count += _line_ends(data, following)
            position += len(data)
        line_of[offset] = count + 1
    for section in walk(outline.sections):
        if section.end_byte == section.start_byte:
            continue
        first, last = line_of[section.start_byte], line_of[section.end_byte - 1]
        if (section.start_line, section.end_line) != (first, last):
            yield (
                f"section {section.id} says lines {section.start_line:,} to {section.end_line:,}, "
                f"but its bytes are lines {first:,} to {last:,}"
            )


def _line_ends(data: bytes, following: bytes) -> int:
    pairs = data.count(b"\r\n") + (data.endswith(b"\r") and following == b"\n")
    return data.count(b"\n") + data.count(b"\r") - pairs


def _labels(sections: Iterable[Section]) -> Iterator[str]:
    for section in walk(sections):
        for name, text, limit in (
            ("title", section.title, TITLE_MAX_BYTES),
            ("digest", section.digest, DIGEST_MAX_BYTES),
        ):
            if len(text.encode()) > limit:
                yield f"the {name} of section {section.id} is {len(text.encode())} bytes long, the limit is {limit}"
            if any(ord(character) < 32 or ord(character) == 127 for character in text):
                yield f"the {name} of section {section.id} holds a control character"


def _ids(sections: Iterable[Section]) -> Iterator[str]:
    seen: set[str] = set()
    for section in walk(sections):
        if section.id in seen:
            yield f"two sections have the id {section.id}"
        seen.add(section.id)


def _deterministic(outline: Outline, again: Outline) -> Iterator[str]:
    if outline.sections != again.sections:
        pairs = zip(walk(outline.sections), walk(again.sections), strict=False)
        differing = next((one.id for one, other in pairs if one != other), "the last ones")
        yield f"a second scan gives another outline from section {differing} on"


def _chunks(plan: ChunkPlan, outline: Outline) -> Iterator[str]:
    at = 0
    for chunk in plan.chunks:
        if chunk.start_byte != at or chunk.end_byte <= chunk.start_byte:
            yield f"the chunk at byte {chunk.start_byte:,} does not begin where the one before ends ({at:,})"
        at = chunk.end_byte
    if at != outline.total_bytes and outline.encoding != "binary":
        yield f"the last chunk ends at byte {at:,} of {outline.total_bytes:,}"
