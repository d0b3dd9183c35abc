"""An outline that must get smaller is not cut: what weighs least is left out, counted where it is missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pydantic_core

from milepost.core.outline import TITLE_MAX_BYTES
from milepost.core.selection import UNLIMITED, Costs, Kept, Selection, select_sections
from milepost.core.text import clip_text
from milepost.limits.sizes import Listing, size_of
from milepost.wire import More, OutlineReply, Section

#: A fact above this length, in bytes of JSON, makes way for sections.
_LONG_FACT_BYTES = 120

#: How often a selection is made again with less room because its costs were a little too low.
_ATTEMPTS = 4


def fit_outline(reply: OutlineReply, room: int, listing: Listing) -> OutlineReply | None:
    """The outline in at most `room` bytes; None where not even its frame fits."""
    if listing.depth is not None or listing.max_nodes is not None:
        reply = _with_selection(reply, _select(reply.sections, UNLIMITED, listing), listing, slim=False)
    if size_of(reply) <= room:
        return reply
    for frame in (reply, reply.model_copy(update={"stats": {}, "problems": ()})):
        empty = frame.model_copy(update={"sections": (), "truncated": True, "omitted_sections": len(reply.sections)})
        spare = room - size_of(empty)
        for _ in range(_ATTEMPTS):
            if spare <= 0:
                break
            fitted = _with_selection(frame, _select(frame.sections, spare, listing), listing, slim=True)
            excess = size_of(fitted) - room
            if excess <= 0:
                return fitted
            spare -= excess
    return _frame_only(reply, room, listing)


def _frame_only(reply: OutlineReply, room: int, listing: Listing) -> OutlineReply | None:
    """No section at all, where not one fits."""
    update = {
        "sections": (),
        "stats": {},
        "problems": (),
        "truncated": True,
        "omitted_sections": _count(reply.sections),
    }
    if reply.sections:
        update["next"] = listing.cursor_at_byte(reply.section or "", reply.sections[0].start_byte) or None
    for lesser in ({}, {"degraded": clip_text(reply.degraded, 40)}, {"degraded": "", "path": "", "next": None}):
        frame = reply.model_copy(update={**update, **lesser})
        if size_of(frame) <= room:
            return frame
    return None


def fit_sections(sections: Sequence[Section], room: int, listing: Listing) -> tuple[tuple[Section, ...], int]:
    """The sections of a summary in at most `room` bytes, and how many were left out."""
    if sum(size_of(section) + 1 for section in sections) <= room + 1:
        return tuple(sections), 0
    spare = room
    for _ in range(_ATTEMPTS):
        if spare <= 0:
            break
        selection = _select(sections, spare, listing)
        built = tuple([_as_section(kept, listing, "", slim=True) for kept in selection.roots])
        excess = sum(size_of(section) + 1 for section in built) - 1 - room
        if excess <= 0:
            return built, selection.omitted
        spare -= excess
    return (), _count(sections)


def _without_long_facts(section: Section) -> Section:
    """Another section says more than a list of templates does."""
    long = tuple([name for name, value in section.facts.items() if _is_long(value)])
    if not long:
        return section
    facts = {name: value for name, value in section.facts.items() if name not in long}
    return section.model_copy(update={"facts": facts, "omitted_facts": long})


def _is_long(fact: Any) -> bool:
    if isinstance(fact, (bool, int, float)):
        return False
    return len(pydantic_core.to_json(fact)) > _LONG_FACT_BYTES


def _count(sections: Sequence[Section]) -> int:
    return sum(1 + _count(section.children) for section in sections)


def _select(sections: Sequence[Section], budget: int, listing: Listing) -> Selection[Section]:
    costs: Costs[Section] = Costs(
        section=lambda section, depth: _cost_of_section(section),
        more=lambda section: _cost_of_more(section, listing),
        group=lambda first, last, members: size_of(_merged(first, last, members, listing, "")) + 1,
    )
    return select_sections(
        sections, budget, costs, depth=listing.depth, max_nodes=listing.max_nodes, in_order=listing.in_order
    )


def _cost_of_section(section: Section) -> int:
    section = _without_long_facts(section)
    own = section.__pydantic_serializer__.to_json(section, exclude={"children", "more"}, exclude_defaults=True)
    return len(own) + len(',"children":[]') + 1


def _cost_of_more(section: Section, listing: Listing) -> int:
    # The end of a section is the highest byte its cursor may hold, so no cursor of it is longer than this one.
    count = len(section.children) + (section.more.count if section.more else 0)
    cursor = listing.cursor_at_byte(section.id, section.end_byte)
    return len(f',"more":{{"count":{count},"cursor":"{cursor}"}}')


def _with_selection(
    reply: OutlineReply, selection: Selection[Section], listing: Listing, *, slim: bool
) -> OutlineReply:
    inside = reply.section or ""
    following = reply.next
    if selection.rest is not None:
        following = listing.cursor_at_byte(inside, selection.rest.start_byte)
    return reply.model_copy(
        update={
            "sections": tuple([_as_section(kept, listing, inside, slim=slim) for kept in selection.roots]),
            "truncated": reply.truncated or slim or selection.omitted > 0,
            "omitted_sections": reply.omitted_sections + selection.omitted,
            "next": following,
        }
    )


def _as_section(kept: Kept[Section], listing: Listing, inside: str, *, slim: bool) -> Section:
    section = kept.section
    if kept.members > 1:
        return _merged(section, kept.last, kept.members, listing, inside)
    more = None
    if kept.left_out:
        hidden = section.more is not None and section.more.count > 0
        first = section.start_byte if hidden or kept.next_child is None else kept.next_child.start_byte
        more = More(count=kept.left_out, cursor=listing.cursor_at_byte(section.id, first))
    children = tuple([_as_section(child, listing, section.id, slim=slim) for child in kept.children])
    shown = _without_long_facts(section) if slim else section
    return shown.model_copy(update={"children": children, "more": more})


def _merged(first: Section, last: Section, members: int, listing: Listing, inside: str) -> Section:
    """Neighbours as one counted entry; its id is the first's and the last's, which both can be asked for."""
    return Section(
        id=f"{first.id}..{last.id}",
        title=clip_text(
            f"{members} sections: {clip_text(first.title, 48)} … {clip_text(last.title, 48)}", TITLE_MAX_BYTES
        ),
        kind="group",
        start_line=first.start_line,
        end_line=last.end_line,
        start_byte=first.start_byte,
        end_byte=last.end_byte,
        digest="",
        count=members,
        facts={"of": first.kind if first.kind == last.kind else "mixed"},
        children=(),
        more=More(count=members, cursor=listing.cursor_at_byte(inside, first.start_byte)),
        start_column=first.start_column,
        end_column=last.end_column,
        weight=max(first.weight, last.weight),
    )
