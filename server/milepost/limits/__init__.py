"""The one choke point for the size of output: every reply passes `fit_reply`, every text of a terminal `fit_text`.

A cap counts the bytes of a reply as it is sent, envelope and notices included. Text is cut at a character boundary and
ends in a notice; an outline is never cut: what weighs least is left out and counted. What a reply says about itself
(ranges, counts, where to go on) is true of what it holds after it was fitted. A cap holds however small it is: when not
even a reply's frame fits, the shortest thing that says so is sent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from milepost.limits.lists import fit_check, fit_find, fit_plan, fit_read
from milepost.limits.outlines import fit_outline, fit_sections
from milepost.limits.sizes import Listing, fit_json_text, fit_text, notice, size_of
from milepost.limits.summaries import fit_summary
from milepost.wire import (
    CheckReply,
    FindReply,
    OutlineReply,
    PlanReply,
    ReadingReply,
    ReadReply,
    Reply,
    to_json,
)

__all__ = [
    "ENVELOPE_BYTES",
    "Fitted",
    "Listing",
    "fit_json_text",
    "fit_reply",
    "fit_sections",
    "fit_text",
    "notice",
    "size_of",
]

#: What is kept free for the envelope: `{"jsonrpc": "2.0", "id": "…36 characters…", "result": }`. The command line keeps
#: it free too, though it only ends in a line feed, so that the same request gives the same values on every front door.
ENVELOPE_BYTES = 84

#: Sent in place of a reply whose frame does not fit, the first that does.
_STUBS = (b'{"truncated":true}', b"{}", b"")


@dataclass(frozen=True, slots=True)
class Fitted:
    """A reply as it may be sent. `data` is its JSON in UTF-8; `reply` is None where only a stub fitted."""

    reply: Reply | None
    data: bytes

    @property
    def payload(self) -> Any:
        """The JSON value of `data` (None where there is none), for a front door that serializes by itself."""
        return json.loads(self.data) if self.data else None


def fit_reply(
    reply: Reply,
    max_bytes: int,
    *,
    camel: bool,
    listing: Listing | None = None,
    envelope_bytes: int = ENVELOPE_BYTES,
) -> Fitted:
    """The reply in at most `max_bytes` bytes, envelope included, in the spelling of LSP (`camel`) or the command line.

    `listing` says how lists go on where they are cut; give it wherever a caller can come back. The choice of what stays
    does not depend on `camel`.
    """
    fitted = _fit(reply, max_bytes - envelope_bytes, listing or Listing())
    if fitted is not None:
        return Fitted(fitted, to_json(fitted, camel=camel))
    return Fitted(None, next(stub for stub in _STUBS if len(stub) <= max(0, max_bytes)))


def _fit(reply: Reply, room: int, listing: Listing) -> Reply | None:
    if isinstance(reply, OutlineReply):
        return fit_outline(reply, room, listing)
    if isinstance(reply, ReadReply):
        return fit_read(reply, room)
    if size_of(reply) <= room:
        return reply
    if isinstance(reply, FindReply):
        return fit_find(reply, room, listing)
    if isinstance(reply, PlanReply):
        return fit_plan(reply, room, listing)
    if isinstance(reply, ReadingReply):
        return fit_summary(reply, room, listing)
    if isinstance(reply, CheckReply):
        return fit_check(reply, room)
    return None
