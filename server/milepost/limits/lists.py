"""Replies whose length is a text or a list: reads, hits, chunks, checks."""

from __future__ import annotations

import base64
from typing import TypeVar

from milepost.limits.sizes import (
    CutContent,
    Listing,
    cut_content,
    cut_lossy_content,
    fit_json_text,
    fitting,
    notice,
    shorter_path,
    size_of,
    utf16_units,
)
from milepost.wire import CheckReply, FindReply, PlanReply, ReadOn, ReadReply, Reply

R = TypeVar("R", bound=Reply)


def fit_read(reply: ReadReply, room: int) -> ReadReply | None:
    """A read with as much of its text as fits; byte range, lines and `next` say exactly what it holds."""
    if reply.truncated and reply.notice is None:
        reply = reply.model_copy(update={"notice": notice(reply.omitted_bytes)})
    if size_of(reply) <= room:
        return reply
    nothing = CutContent("", 0, 0, "")
    frame = _with_content(reply, nothing)
    # Counts and line numbers get no longer than in this frame, in which all is dropped and the last line is named.
    widest = frame.model_copy(
        update={
            "end_line": reply.end_line + 1,
            "next": ReadOn(start_byte=reply.end_byte, line=reply.end_line + 1),
            "end_byte": reply.end_byte,
            "end_column": 4 * len(reply.content) + (reply.start_column or 0),
        }
    )
    spare = room - size_of(widest)
    if spare >= 0:
        if reply.content_base64 is None:
            return _with_content(reply, cut_content(reply.content, reply.encoding, spare))
        raw = base64.b64decode(reply.content_base64)
        return _with_content(reply, cut_lossy_content(raw, reply.encoding, spare))
    return _smallest(frame, room, {"notice": None})


def _with_content(reply: ReadReply, cut: CutContent) -> ReadReply:
    end_byte = reply.start_byte + cut.byte_count
    omitted = reply.omitted_bytes + reply.end_byte - end_byte
    line = reply.start_line + cut.line_ends
    inside_line = bool(cut.tail)
    before = (reply.start_column or 0) if not cut.line_ends else 0
    update: dict[str, object] = {
        "content": cut.text,
        "end_line": line if inside_line else line - 1,
        "end_byte": end_byte,
        "end_column": before + utf16_units(cut.tail) if inside_line else None,
        "truncated": True,
        "omitted_bytes": omitted,
        "next": ReadOn(start_byte=end_byte, line=line),
        "notice": notice(omitted),
    }
    if reply.content_base64 is not None:
        raw = base64.b64decode(reply.content_base64)[: cut.byte_count]
        update["content_base64"] = base64.b64encode(raw).decode("ascii")
    return reply.model_copy(update=update)


def fit_find(reply: FindReply, room: int, listing: Listing) -> FindReply | None:
    """As many hits as fit, from the first on; of the first, when it alone is too long, the beginning."""

    def with_hits(count: int) -> FindReply:
        left_out = len(reply.hits) - count
        return reply.model_copy(
            update={
                "hits": reply.hits[:count],
                "truncated": True,
                "omitted_hits": reply.omitted_hits + left_out,
                "next": (listing.cursor_at(count) or None) if left_out else reply.next,
            }
        )

    for frame_of in (0, 1):
        if frame_of < len(reply.hits):
            # A cursor gets no longer than that of the last hit, by whatever it counts; the loop below makes sure.
            count = fitting(reply.hits, room - size_of(with_hits(frame_of).model_copy(update={"hits": ()})))
            while count > 0:
                fitted = with_hits(count)
                if size_of(fitted) <= room:
                    return fitted
                count -= 1
    if reply.hits:
        first = reply.hits[0]
        bare = with_hits(1).model_copy(update={"hits": (first.model_copy(update={"text": ""}),)})
        spare = room - size_of(bare)
        if spare > 0:
            return bare.model_copy(
                update={"hits": (first.model_copy(update={"text": fit_json_text(first.text, spare)}),)}
            )
    return _smallest(with_hits(0), room, {"next": None})


def fit_plan(reply: PlanReply, room: int, listing: Listing) -> PlanReply | None:
    """As many chunks as fit, from the first on."""

    def with_chunks(count: int) -> PlanReply:
        left_out = len(reply.chunks) - count
        return reply.model_copy(
            update={
                "chunks": reply.chunks[:count],
                "truncated": True,
                "omitted_chunks": reply.omitted_chunks + left_out,
                "next": (listing.cursor_at(count) or None) if left_out else reply.next,
            }
        )

    count = fitting(reply.chunks, room - size_of(with_chunks(0)))
    while count > 0:
        fitted = with_chunks(count)
        if size_of(fitted) <= room:
            return fitted
        count -= 1
    return _smallest(with_chunks(0), room, {"next": None})


def fit_check(reply: CheckReply, room: int) -> CheckReply | None:
    """As many results as fit, failures first."""
    ordered = sorted(reply.checks, key=lambda check: check.ok)
    frame = reply.model_copy(update={"checks": (), "truncated": True})
    count = fitting(ordered, room - size_of(frame))
    shown = {id(check) for check in ordered[:count]}
    kept = tuple([check for check in reply.checks if id(check) in shown])
    return _smallest(frame.model_copy(update={"checks": kept}), room, {})


def _smallest(reply: R, room: int, without: dict[str, object]) -> R | None:
    """The reply; or without these fields; or with its path cut as well; or None."""
    for candidate in (reply, reply.model_copy(update=without)):
        excess = size_of(candidate) - room
        if excess <= 0:
            return candidate
    path = getattr(candidate, "path", "")
    candidate = candidate.model_copy(update={"path": shorter_path(path, -excess)})
    return candidate if size_of(candidate) <= room else None
