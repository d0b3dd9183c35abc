"""Parts that several replies share: sections, places, quotes, errors."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from milepost.wire.base import WireModel


class Span(WireModel):
    """A range of a file: lines are 1-based and inclusive, bytes half-open offsets in the file as it is on disk."""

    start_line: int
    """The first line, 1-based."""

    end_line: int
    """The last line, inclusive."""

    start_byte: int
    """Offset of the first byte."""

    end_byte: int
    """Offset after the last byte."""


class More(WireModel):
    """Children that exist but are not listed here."""

    count: int
    """How many children are left out here; what lies inside them is not counted."""

    cursor: str
    """Lists them: the `cursor` of an outline request. Children that were shown between them come again."""


class Section(Span):
    """A part of a file: contiguous, named, with an exact range."""

    id: str
    """Names the section in requests. The same bytes give the same id, and it stays when the file grows."""

    title: str
    """One line, at most 120 bytes, free of control characters."""

    kind: str
    """What it is: `segment`, `incident`, `group`, `heading`, `block` and so on, by format."""

    digest: str
    """One line on what it holds, at most 240 bytes; empty where there is nothing to add to the title."""

    count: int
    """How many things it stands for: records, lines, repeats, or members of a group."""

    facts: dict[str, Any]
    """What was computed about it, by name (`severity`, `first`, `last`, `template` …), spelled alike on all doors."""

    children: tuple[Section, ...]
    """The sections inside it, in file order, as far as they are listed."""

    more: More | None = None
    """There are further children that are not listed."""

    start_column: int | None = None
    """Where it begins inside its first line, in UTF-16 units from 0; left out where it begins with the line."""

    end_column: int | None = None
    """Where it ends inside its last line, in UTF-16 units from 0; left out where it ends with the line."""

    omitted_facts: tuple[str, ...] = ()
    """Long facts that were left out to fit the reply's cap, by name; a larger cap brings them back."""

    weight: float = Field(default=0.0, exclude=True)
    """How much a person wants to see it when not everything fits, 0 to 1. Not sent."""


class Problem(WireModel):
    """Something that is wrong with the file's content, where it was noticed."""

    message: str
    """One sentence."""

    line: int
    """The 1-based line."""

    byte: int
    """The offset in the file."""


class ReadOn(WireModel):
    """Where to go on reading."""

    start_byte: int
    """The first byte that was not given: `start_byte` of the next request."""

    line: int
    """The 1-based line that this byte lies in."""


class Quote(Span):
    """A place in the file with its text: a hit of a search, or a line that proves an answer."""

    text: str
    """The text, cut where it is long."""

    section: str | None
    """The id of the innermost section it lies in; null where no outline is at hand."""

    verified: bool
    """The text was compared with the file and stands there."""

    start_column: int | None = None
    """Where it begins inside its first line, in UTF-16 units from 0; left out where it begins with the line."""

    end_column: int | None = None
    """Where it ends inside its last line, in UTF-16 units from 0; left out where it ends with the line."""


class ErrorInfo(WireModel):
    """Why something could not be done, or not to its end."""

    kind: str
    """One word, the same on all doors: `file_changed`, `cursor_invalid`, `not_found`, `invalid_params` and so on."""

    message: str
    """One sentence for a person."""


class ErrorData(WireModel):
    """The `data` of an LSP error; the sentence is in the error's `message`."""

    kind: str
    """One word: `file_changed`, `cursor_invalid`, `not_found`, `invalid_params` and so on."""


class ErrorReply(WireModel):
    """What the command line prints with `--json` instead of a reply that could not be given."""

    error: ErrorInfo
    """What went wrong."""
