"""The parts of a summary's or an answer's reply."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.core.source import ByteSource
from milepost.core.text import clip_text
from milepost.core.transcode import TranscodedSource
from milepost.digest.values import Entry, Place
from milepost.service.replies import innermost
from milepost.service.subject import Subject
from milepost.wire import Quote, Section

COMPACT_ENTRIES = 25
COMPACT_BYTES = 120

#: A line's start is looked for so far back; a column further in is left out.
_COLUMN_BYTES = 1 << 20


def entries_of(entries: Sequence[Entry]) -> tuple[Section, ...]:
    """The outline of a reply. An entry that is a section of the file's outline has its id, at its first place."""
    found, known = [], set()
    for entry in entries:
        section_id = entry.section
        if section_id is None or section_id in known:
            section_id = f"part-{entry.start_byte:x}-{entry.end_byte - entry.start_byte:x}"
        known.add(section_id)
        facts = {"severity": entry.severity} if entry.severity else {}
        found.append(
            Section(
                start_line=entry.start_line,
                end_line=entry.end_line,
                start_byte=entry.start_byte,
                end_byte=entry.end_byte,
                id=section_id,
                title=entry.title,
                kind=entry.kind,
                digest=entry.digest,
                count=entry.count,
                facts=facts,
                children=(),
                weight=entry.weight,
            )
        )
    return tuple(found)


def compact_of(entries: Sequence[Entry]) -> str:
    """The outline as a short text: the weightiest entries, in file order, one a line."""
    ranked = sorted(entries, key=lambda entry: (-entry.weight, entry.start_byte))[:COMPACT_ENTRIES]
    lines = []
    for entry in sorted(ranked, key=lambda entry: entry.start_byte):
        place = f"{entry.start_line}-{entry.end_line}" if entry.end_line > entry.start_line else f"{entry.start_line}"
        lines.append(clip_text(f"{place} {entry.title}{': ' if entry.digest else ''}{entry.digest}", COMPACT_BYTES))
    if len(entries) > len(ranked):
        lines.append(f"… {len(entries) - len(ranked)} more")
    return "\n".join(lines)


def quotes_of(subject: Subject, places: Sequence[Place]) -> tuple[tuple[Quote, ...], int]:
    """The places that stand in the file as they are quoted, and how many do not."""
    quotes = []
    for place in places:
        start, end = _in_view(subject, place.start_byte), _in_view(subject, place.end_byte)
        data = subject.view.read_at(start, max(0, end - start))
        if not data or _decoded(subject, data) != place.text:
            continue
        # A line is quoted without its end.
        end -= len(data) - len(data.rstrip(b"\r\n"))
        quotes.append(
            Quote(
                text=place.text.rstrip("\r\n"),
                start_line=place.start_line,
                end_line=place.end_line,
                start_byte=place.start_byte,
                end_byte=_in_file(subject, end),
                section=innermost(subject.outline.sections, place.start_byte),
                verified=True,
                start_column=_column(subject, start),
            )
        )
    return tuple(quotes), len(places) - len(quotes)


def _in_view(subject: Subject, offset: int) -> int:
    view = subject.view
    return view.from_original(offset) if isinstance(view, TranscodedSource) else offset


def _in_file(subject: Subject, offset: int) -> int:
    view = subject.view
    return view.to_original(offset) if isinstance(view, TranscodedSource) else offset


def _decoded(subject: Subject, data: bytes) -> str:
    encoding = subject.encoding
    return data.decode(encoding.name if encoding.is_ascii_superset else "utf-8", "replace")


def _column(subject: Subject, start: int) -> int | None:
    """Where in its line a place begins, in UTF-16 units; None where it begins with the line, or that is far back."""
    before = _line_before(subject.view, start)
    if not before:
        return None
    return len(_decoded(subject, before).encode("utf-16-le", "surrogatepass")) // 2


def _line_before(view: ByteSource, start: int) -> bytes:
    """What stands before `start` in its line; nothing where that is more than is looked at."""
    step = 4096
    while True:
        begin = max(0, start - step)
        data = view.read_at(begin, start - begin)
        line_start = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if line_start or begin == 0:
            return data[line_start:]
        if step >= _COLUMN_BYTES:
            return b""
        step *= 16
