"""What Milepost answers. Field by field: always there unless it has a default, then left out when there is nothing."""

from __future__ import annotations

from typing import Any, Literal

from milepost.wire.base import Reply, ShownPath, WireModel
from milepost.wire.requests import Anchor
from milepost.wire.sections import Problem, Quote, ReadOn, Section, Span

State = Literal["provisional", "exact", "growing"]


class OutlineReply(Reply):
    """The sections of a file. At the top level their byte ranges join to the whole file."""

    path: ShownPath
    """The file."""

    format: str
    """What the file was read as."""

    encoding: str
    """The encoding of its text, or `binary`."""

    line_ending: str
    """`lf`, `crlf`, `cr`, `mixed`, or `none` where there is no line end."""

    lone_cr: int
    """How many lines end in a carriage return alone."""

    total_lines: int | None
    """How many lines the file has; null where only part of it was looked at."""

    total_bytes: int
    """The size of the file."""

    state: State
    """`provisional` from a part of the file, `exact` once every byte was examined, `growing` while the file does."""

    degraded: str
    """Empty, or the reason why a lesser method had to do."""

    truncated: bool
    """Something was left out; each `more` and `next` says what and how to go on."""

    sections: tuple[Section, ...]
    """The sections, in file order: of the whole file, or inside the section or from the cursor that was asked for."""

    next: str | None
    """A cursor to go on listing behind the last of `sections`; null where nothing follows."""

    stats: dict[str, Any]
    """Counts and times of the scan."""

    section: str | None = None
    """The id of the section whose inside this is; left out for the whole file."""

    omitted_sections: int = 0
    """How many known sections at any depth were left out to fit the reply's cap."""

    problems: tuple[Problem, ...] = ()
    """What is wrong with the file's content, where it was noticed."""


class ReadReply(Span, Reply):
    """The text of a range, word for word."""

    path: ShownPath
    """The file."""

    content: str
    """The text, decoded; exactly the bytes from `start_byte` to `end_byte`."""

    encoding: str
    """The encoding that was decoded from."""

    lossy: bool
    """Some bytes are no text in this encoding and show as U+FFFD; `content_base64` has them all."""

    total_lines: int | None
    """How many lines the file has; null where only part of it was looked at."""

    truncated: bool
    """The range that was asked for goes on."""

    omitted_bytes: int
    """How many bytes of the range that was asked for are not in this reply."""

    next: ReadOn | None
    """Where to go on reading; null where the range that was asked for is complete."""

    start_column: int | None = None
    """Where the text begins inside its first line, in UTF-16 units from 0; left out where it begins with the line."""

    end_column: int | None = None
    """Where the text ends inside its last line, in UTF-16 units from 0; left out where it ends with the line."""

    content_base64: str | None = None
    """The bytes themselves, where decoding lost something."""

    notice: str | None = None
    """Where the text was cut: what is missing, in words."""


class FindReply(Reply):
    """Where a text or pattern occurs."""

    path: ShownPath
    """The file."""

    hits: tuple[Quote, ...]
    """The hits in file order."""

    total_hits: int | None
    """How many hits the file has from the cursor on; null where the search stopped before the end."""

    truncated: bool
    """There are, or may be, further hits."""

    omitted_hits: int
    """How many hits were found but left out to fit the reply's cap."""

    next: str | None
    """A cursor to go on behind the last hit; null where the search came to the end."""

    total_lines: int | None
    """How many lines the file has; null where only part of it was looked at."""


class PlanReply(Reply):
    """How the file is cut into chunks."""

    path: ShownPath
    """The file."""

    chunks: tuple[Span, ...]
    """The chunks in file order; their byte ranges join."""

    chunk_count: int
    """How many chunks the whole plan has."""

    line_count: int
    """How many lines the chunks cover in all."""

    byte_count: int
    """How many bytes the chunks cover in all: the size of the file."""

    plan_hash: str
    """Equal for equal plans: a function of the file's bytes and the chunk size."""

    truncated: bool
    """Not all chunks are listed."""

    omitted_chunks: int
    """How many chunks of the plan follow behind the last one listed."""

    next: str | None
    """A cursor to list the chunks that follow; null where none do."""


class ResolveAnchorReply(Reply):
    """Where an anchor's text is now."""

    path: ShownPath
    """The file."""

    state: Literal["same", "moved", "stale"]
    """`same` place, `moved` to another one, or `stale`: no longer in the file."""

    anchor: Anchor
    """The place now, with the hash of its first bytes; a stale anchor comes back as it was."""

    start_byte: int | None
    """Offset of its first byte; null where it is stale."""

    end_byte: int | None
    """Offset after its last byte; null where it is stale."""

    section: str | None
    """The id of the innermost section it lies in; null where it is stale or no outline is at hand."""

    truncated: bool
    """Always false: an anchor is never cut."""


class CheckResult(WireModel):
    """One invariant and whether it holds."""

    name: str
    """Which one."""

    ok: bool
    """It holds."""

    message: str
    """What was compared, or where it fails; one sentence."""


class CheckReply(Reply):
    """Whether the invariants hold on a file."""

    path: ShownPath
    """The file."""

    ok: bool
    """All of them hold."""

    checks: tuple[CheckResult, ...]
    """One by one."""

    truncated: bool
    """Results were left out to fit the reply's cap."""


class SectionDigest(WireModel):
    """A digest that has come in for a section."""

    id: str
    """The section."""

    digest: str
    """One line on what it holds, at most 240 bytes."""


class OutlineChangedParams(WireModel):
    """`milepost/outlineChanged`: what was said about a file's outline no longer holds; ask again when it is shown."""

    uri: str
    """The file."""

    state: State
    """What the next outline will be."""

    reason: Literal["exact", "grew", "changed", "digests"]
    """The scan is complete, the file grew, the file became another one, or digests came in."""

    total_lines: int | None
    """How many lines the file has now; null where that is not known."""

    total_bytes: int
    """The size of the file now."""

    digests: tuple[SectionDigest, ...] = ()
    """Digests that came in, where that is the reason."""
