"""What can be asked of Milepost. Each request is also a command: `milepost/outline` is `milepost.outline`."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from milepost.wire.base import Natural, Positive, Request, WireModel, check_lines, wrong

Detail = Literal["outline", "standard", "deep"]
Mode = Literal["sequential", "parallel"]


class OutlineRequest(Request):
    """`milepost/outline`: the sections of a file, or of one section of it."""

    depth: Positive | None = None
    """How many levels of sections to list; 1 is the top level only. Without it, as many as fit."""

    max_nodes: Positive | None = None
    """At most this many sections are listed; the rest are counted in `more`."""

    format: str | None = None
    """Read the file as this format (as `milepost outline --json` names it) instead of the one that was detected."""

    section: str | None = None
    """List what lies inside the section with this id, instead of the top level."""

    cursor: str | None = None
    """Go on where an earlier reply left sections out: a `cursor` of a `more`, or a `next`."""

    wait: bool = True
    """Wait for the exact outline. Without that a long scan is answered after about a second with what there is then
    (`state` is `provisional`, and its cursors are empty); `milepost/outlineChanged` with the reason `exact` says when
    to ask again. Only the language server does so, and only for a whole file in its own format."""

    def check(self) -> None:
        """A cursor already says which section it belongs to."""
        if self.cursor is not None and self.section is not None:
            raise wrong("give cursor or section, not both: a cursor knows its section")


class ReadRequest(Request):
    """`milepost/read`: the text of a range, word for word.

    The range is given in one of four ways: `start_line` with or without `end_line`; `offset` with or without `limit`;
    `start_byte` with or without `length`; or `anchor`. Without any of them reading begins at the first line.
    """

    start_line: Positive | None = None
    """The first line, 1-based. One past the end of the file is `out_of_range`."""

    end_line: Positive | None = None
    """The last line, inclusive; past the end of the file it means the last line. Without it, `start_line` alone."""

    offset: Positive | None = None
    """The first line, 1-based, when reading on until `limit` or the reply's cap."""

    limit: Natural | None = None
    """How many lines from `offset` on; without it, as many as the reply may hold."""

    start_byte: Natural | None = None
    """The first byte, counted from 0 in the file as it is on disk."""

    length: Natural | None = None
    """How many bytes from `start_byte` on; without it, as many as the reply may hold."""

    anchor: str | None = None
    """A range as text: `START-END` or `N`; or `PATH:START-END`, which names the file in place of `uri` and `path`."""

    def check_file(self) -> None:
        """An anchor may bring the path along; whether it does is seen when the file is looked for."""
        if self.uri is None and self.path is None and self.anchor is not None:
            return
        super().check_file()

    def check(self) -> None:
        """One way of saying what to read, and nothing that runs backwards."""
        ways = {
            "start_line": self.start_line is not None or self.end_line is not None,
            "offset": self.offset is not None or self.limit is not None,
            "start_byte": self.start_byte is not None or self.length is not None,
            "anchor": self.anchor is not None,
        }
        chosen = [name for name, given in ways.items() if given]
        if len(chosen) > 1:
            raise wrong("the range is given twice, by {first} and by {second}", first=chosen[0], second=chosen[1])
        check_lines(self.start_line, self.end_line)
        if self.length is not None and self.start_byte is None:
            raise wrong("length is given but start_byte is missing")


class FindRequest(Request):
    """`milepost/find`: where a text or pattern occurs, in file order, each hit with the section it lies in."""

    pattern: str
    """What to look for: a text as it stands, or with `regex` a regular expression that is matched line by line."""

    regex: bool = False
    """`pattern` is a regular expression."""

    case_sensitive: bool = True
    """Upper and lower case differ."""

    cursor: str | None = None
    """Go on behind the last hit of an earlier reply: its `next`."""

    max_hits: Positive | None = None
    """At most this many hits; without it, as many as the reply may hold."""

    def check(self) -> None:
        """A pattern that is not empty."""
        if not self.pattern:
            raise wrong("pattern is empty: give the text to look for")


class PlanRequest(Request):
    """`milepost/plan`: how the file would be cut into chunks for a summary. Nothing is summarized."""

    chunk_bytes: Positive | None = None
    """The size to aim at, in bytes; without it the setting `chunks.target_bytes`."""

    cursor: str | None = None
    """Go on listing chunks: the `next` of an earlier reply."""


class _ScopedRequest(Request):
    """A request that reads the whole file chunk by chunk, or one part of it."""

    section: str | None = None
    """Only the section with this id."""

    start_line: Positive | None = None
    """Only from this line on, 1-based."""

    end_line: Positive | None = None
    """Only up to this line, inclusive."""

    cursor: str | None = None
    """Go on where an earlier reply to the same request stopped: its `cursor`."""

    detail: Detail = "standard"
    """How much of each chunk is looked at: the skeleton, the condensed view, or the full text."""

    max_chunks: Natural = 0
    """Stop after this many chunks, with a cursor to go on; 0 reads all."""

    estimate_only: bool = False
    """Send nothing to a model; only say in `estimate` what would be sent, how much of it, and to which host."""

    def check(self) -> None:
        """A section or lines, not both; lines that run forwards."""
        if self.section is not None and (self.start_line is not None or self.end_line is not None):
            raise wrong("give section or lines, not both")
        check_lines(self.start_line, self.end_line)


class SummarizeRequest(_ScopedRequest):
    """`milepost/summarize`: a summary of the file that has examined every byte of it, with an outline by chunk."""

    question: str | None = None
    """What the reader wants to know; the summary is written towards it."""

    mode: Mode = "sequential"
    """`sequential` carries a running summary from chunk to chunk; `parallel` summarizes chunks apart, then merges."""

    compact: bool = False
    """Also give the outline as a short text, about 25 entries of 120 characters."""


class AskRequest(_ScopedRequest):
    """`milepost/ask`: an answer from the file, quoting the lines that prove it."""

    question: str
    """What to find out."""

    all: bool = False
    """Read on to the end, also after a chunk that answers."""

    def check(self) -> None:
        """A question that is not empty."""
        super().check()
        if not self.question.strip():
            raise wrong("question is empty: say what to find out")


class Anchor(WireModel):
    """A place in a file that can be found again after the file has changed."""

    model_config = ConfigDict(strict=True)

    start_line: Positive
    """The first line, 1-based."""

    end_line: Positive
    """The last line, inclusive."""

    head_hash: str | None = None
    """A hash of the place's first bytes, as an earlier reply gave it. Without it, the reply makes the anchor."""


class ResolveAnchorRequest(Request):
    """`milepost/resolveAnchor`: where an anchor's text is now."""

    anchor: Anchor
    """The place, as it was."""

    def check(self) -> None:
        """Lines that run forwards."""
        check_lines(self.anchor.start_line, self.anchor.end_line)


class CheckRequest(Request):
    """`milepost check`: whether the invariants of outlines, lines and chunks hold on this file."""
