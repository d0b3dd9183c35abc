"""Summaries and answers: what matters most is put in first, and each part takes what the ones before it have left."""

from __future__ import annotations

from typing import Any, TypeVar

import pydantic_core

from milepost.limits.outlines import fit_sections
from milepost.limits.sizes import Listing, cut_content, fit_json_text, fitting, size_of
from milepost.wire import ReadingReply, ReadOn, SummarizeReply

T = TypeVar("T", bound=ReadingReply)

#: What the field adds besides its text.
_FIELD_BYTES = len(',"compact":""')


def fit_summary(reply: T, room: int, listing: Listing) -> T | None:
    """The reply in at most `room` bytes: answer, summary, quotes, text, outline and follow-ups, in this order."""
    answer = reply.answer
    bare = reply.model_copy(
        update={
            "summary": "",
            "outline": (),
            "followups": (),
            "truncated": True,
            "answer": answer.model_copy(update={"text": "", "quotes": ()}) if answer else None,
            "omitted_sections": 10 * len(reply.outline) + 10,
            **({"content": None, "next": None, "compact": None} if isinstance(reply, SummarizeReply) else {}),
        }
    )
    if size_of(bare) > room and reply.error is not None:
        short = reply.error.model_copy(update={"message": fit_json_text(reply.error.message, 120)})
        bare = bare.model_copy(update={"error": short})
    if size_of(bare) > room:
        bare = bare.model_copy(update={"path": ""})
    if size_of(bare) > room:
        return None
    fitted: T = bare

    def spare() -> int:
        return room - size_of(fitted)

    if answer and fitted.answer:
        text = fit_json_text(answer.text, spare())
        fitted = fitted.model_copy(update={"answer": fitted.answer.model_copy(update={"text": text})})
    fitted = fitted.model_copy(update={"summary": fit_json_text(reply.summary, spare())})
    if answer and fitted.answer:
        quotes = answer.quotes[: fitting(answer.quotes, spare())]
        fitted = fitted.model_copy(update={"answer": fitted.answer.model_copy(update={"quotes": quotes})})
    if isinstance(reply, SummarizeReply) and isinstance(fitted, SummarizeReply):
        fitted = fitted.model_copy(update=_texts(reply, fitted, room))
    outline, omitted = fit_sections(reply.outline, spare(), listing)
    fitted = fitted.model_copy(update={"outline": outline, "omitted_sections": reply.omitted_sections + omitted})
    followups = []
    left = spare()
    for question in reply.followups:
        left -= len(pydantic_core.to_json(question)) + 1
        if left < 0:
            break
        followups.append(question)
    return fitted.model_copy(update={"followups": tuple(followups)})


def _texts(reply: SummarizeReply, fitted: SummarizeReply, room: int) -> dict[str, Any]:
    """As much of a small file's own text, and of the compact outline, as fits."""
    update: dict[str, Any] = {}
    spare = room - size_of(fitted)
    if reply.content is not None:
        # Counts get no longer than these: a character has at most four bytes, a line end at least one.
        following = ReadOn(start_byte=4 * len(reply.content), line=len(reply.content) + 1)
        taken = size_of(fitted.model_copy(update={"next": reply.next or following, "content": ""})) - size_of(fitted)
        if spare > taken:
            cut = cut_content(reply.content, reply.encoding or "utf-8", spare - taken)
            rest = ReadOn(start_byte=cut.byte_count, line=1 + cut.line_ends)
            update = {"content": cut.text, "next": reply.next if cut.text == reply.content else rest}
            spare = room - size_of(fitted.model_copy(update=update))
    if reply.compact is not None and spare > _FIELD_BYTES:
        update["compact"] = fit_json_text(reply.compact, spare - _FIELD_BYTES)
    return update
