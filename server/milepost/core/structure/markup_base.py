"""What a dialect of markup is: something that finds the headings among the lines of a view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from milepost.core.structure.line_view import LineView

#: A heading may begin at most so many lines before the line that shows it to be one.
LOOK_BACK_LINES = 30


@dataclass(slots=True)
class Heading:
    """A section begins at `index` of the view (negative: in the view before). At level 0, only the state changes.

    Instead of the `title` there may be a `raw` one, which `Dialect.title` cleans when it is to be shown.
    """

    index: int
    byte: int = -1
    line: int = -1
    level: int = 0
    title: bytes = b""
    raw: bytes = b""
    kind: str = "heading"
    digest: bytes = b""
    facts: dict[str, Any] = field(default_factory=dict)


class Dialect(Protocol):
    """Reads views in order. `resume` is what a twin needs to go on from the line that was reached last."""

    name: str

    def read(self, view: LineView) -> Iterator[Heading]:
        """The headings of the next view, in order."""

    def title(self, raw: bytes) -> bytes:
        """A title that was left as it stands, cleaned."""

    def resume(self) -> dict[str, Any]:
        """What `state` must be for a reader of a range that begins here."""


@dataclass(frozen=True, slots=True)
class PastLine:
    """A line of the view before, or of this one: where it is and what it says."""

    byte: int
    line: int
    text: bytes


class LookBack:
    """The lines before a place, also where they lie in the view before."""

    def __init__(self) -> None:
        self._past: list[PastLine] = []

    def before(self, view: LineView, index: int, steps: int) -> PastLine | None:
        """The line `steps` before `index`; None where there is none, or it is too far back."""
        position = index - steps
        if position >= 0:
            return PastLine(view.offset(position), view.number(position), view.text(position))
        past = len(self._past) + position
        return self._past[past] if past >= 0 else None

    def keep(self, view: LineView, lines: int = LOOK_BACK_LINES) -> None:
        """Remember the last lines of a view that has been read."""
        fresh = [
            PastLine(view.offset(index), view.number(index), view.text(index))
            for index in range(max(0, view.size - lines), view.size)
        ]
        self._past = [*self._past, *fresh][-lines:]


def squeezed(text: bytes) -> bytes:
    """A title on one line, with single blanks."""
    return b" ".join(text.split())
