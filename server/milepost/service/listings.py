"""Replies that know how their lists go on, and the cursors by which they do."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import PrivateAttr

from milepost.core.analysis import Analysis
from milepost.core.cursor import OutlineCursor
from milepost.core.source import display_path
from milepost.errors import CursorInvalid, FileChanged
from milepost.limits import Listing
from milepost.wire import FindReply, OutlineReply, PlanReply, Reply


class ListedOutline(OutlineReply):
    """An outline's reply that knows how its lists go on."""

    _listing: Listing = PrivateAttr(default_factory=Listing)


class ListedFind(FindReply):
    """A search's reply that knows how its hits go on."""

    _listing: Listing = PrivateAttr(default_factory=Listing)


class ListedPlan(PlanReply):
    """A plan's reply that knows how its chunks go on."""

    _listing: Listing = PrivateAttr(default_factory=Listing)


def listing_of(reply: Reply) -> Listing | None:
    """How the lists of a reply of this service go on where they are cut."""
    return reply._listing if isinstance(reply, ListedOutline | ListedFind | ListedPlan) else None


def state_of(analysis: Analysis) -> list[object]:
    identity = analysis.identity
    return [identity.size, identity.mtime_ns, identity.head_hash] if identity else [0, 0, ""]


def cursor_maker(analysis: Analysis) -> Callable[[str, int], str]:
    identity = analysis.identity

    def cursor_at_byte(section: str, from_byte: int) -> str:
        if identity is None:
            return ""
        return OutlineCursor(identity.size, identity.mtime_ns, identity.head_hash, section, from_byte).encode()

    return cursor_at_byte


def check_cursor(cursor: OutlineCursor, analysis: Analysis) -> None:
    check_state([cursor.size, cursor.mtime_ns, cursor.head_hash], analysis)


def check_state(state: list[object], analysis: Analysis) -> None:
    """A cursor goes on in the file it is from, also when that has grown."""
    size, mtime_ns, head = [*state, None, None, None][:3]
    identity = analysis.identity
    if identity is None or not isinstance(size, int):
        raise CursorInvalid("The cursor is damaged: ask again without a cursor.")
    same = (size, mtime_ns, head) == (identity.size, identity.mtime_ns, identity.head_hash)
    grew = size < identity.size and (head == identity.head_hash or size < 65536)
    if not same and not grew:
        raise FileChanged(f"{display_path(analysis.source.name)} has changed since the cursor was made: ask again.")
