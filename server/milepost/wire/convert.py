"""From the core's values to what is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from milepost.core import outline as core
from milepost.wire.replies import OutlineReply
from milepost.wire.sections import More, Problem, Section

#: Makes the cursor that lists the children of a section ("" is the file) from a byte on.
CursorAtByte = Callable[[str, int], str]


def section_from_core(section: core.Section, cursor_at_byte: CursorAtByte) -> Section:
    """A section and all below it; where the core holds children back, `more` says how to list them."""
    more = None
    if section.more is not None and section.more.count:
        cursor = section.more.cursor or cursor_at_byte(section.id, section.start_byte)
        more = More(count=section.more.count, cursor=cursor)
    return Section(
        start_line=section.start_line,
        end_line=section.end_line,
        start_byte=section.start_byte,
        end_byte=section.end_byte,
        id=section.id,
        title=section.title,
        kind=section.kind,
        digest=section.digest,
        count=section.count,
        facts=dict(section.facts),
        children=sections_from_core(section.children, cursor_at_byte),
        more=more,
        start_column=section.start_column,
        end_column=section.end_column,
        weight=section.weight,
    )


def sections_from_core(sections: Iterable[core.Section], cursor_at_byte: CursorAtByte) -> tuple[Section, ...]:
    """Several sections, see `section_from_core`."""
    return tuple([section_from_core(section, cursor_at_byte) for section in sections])


def outline_from_core(outline: core.Outline, cursor_at_byte: CursorAtByte) -> OutlineReply:
    """The reply for the outline of a whole file, before it is fitted to a cap."""
    return OutlineReply.model_validate(
        {
            "path": outline.path,
            "format": outline.format,
            "encoding": outline.encoding,
            "line_ending": outline.line_ending,
            "lone_cr": outline.lone_cr,
            "total_lines": outline.total_lines,
            "total_bytes": outline.total_bytes,
            "state": outline.state,
            "degraded": outline.degraded,
            "truncated": outline.truncated,
            "sections": sections_from_core(outline.sections, cursor_at_byte),
            "next": None,
            "stats": dict(outline.stats),
            "problems": [Problem(message=one.message, line=one.line, byte=one.byte) for one in outline.problems],
        }
    )
