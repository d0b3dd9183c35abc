"""What a walk over a file's chunks answers: summaries, and answers with the lines that prove them."""

from __future__ import annotations

from milepost.wire.base import Reply, ShownPath, WireModel
from milepost.wire.sections import ErrorInfo, Quote, ReadOn, Section


class Answer(WireModel):
    """What the file says to a question."""

    text: str
    """The answer; says so where nothing was found."""

    found: bool
    """The file answers the question."""

    quotes: tuple[Quote, ...]
    """The lines that prove it."""


class SummaryStats(WireModel):
    """What a summary or an answer has read and used."""

    total_lines: int | None
    """How many lines the file has."""

    total_bytes: int
    """The size of the file."""

    chunks_read: int
    """How many chunks were examined, from the first request of this run on."""

    chunks_total: int
    """How many chunks the plan has."""

    bytes_examined: int
    """How many bytes were examined, from the first request of this run on."""

    calls: int
    """How many times a model was called."""

    input_tokens: int
    """How many tokens were sent."""

    output_tokens: int
    """How many tokens came back."""

    dropped_entries: int
    """How many things a model said were dropped because the file does not bear them out."""

    duration_ms: int
    """How long it took."""

    summarizer: str
    """What summarized: `extractive`, or the name of the model."""

    dump: str | None = None
    """The file that the run's requests and replies were written to, where the setting `debug.dump` asks for that."""


class Estimate(WireModel):
    """What a run with a model would send, reckoned before anything is sent."""

    host: str
    """Where the text would go."""

    model: str
    """The model's name there."""

    calls: int
    """How many calls there would be."""

    input_tokens: int
    """About how many tokens would be sent."""

    output_tokens: int
    """About how many tokens would come back."""

    input_bytes: int
    """About how many bytes of text would be sent."""

    allowed: bool
    """The user has agreed that text is sent to this host."""


class ReadingReply(Reply):
    """What a walk over the chunks gives: shared by summaries and answers."""

    path: ShownPath
    """The file."""

    summary: str
    """The summary so far, at most 4 KB; of a binary file, its size and sha256."""

    outline: tuple[Section, ...]
    """What was found, in file order."""

    cursor: str
    """Goes on where this reply stopped; empty where there is nothing to go on with."""

    truncated: bool
    """The walk stopped before its end, or something was left out to fit the reply's cap."""

    followups: tuple[str, ...]
    """Questions that suggest themselves."""

    stats: SummaryStats
    """What was read and used."""

    answer: Answer | None = None
    """The answer; left out where no question was asked."""

    error: ErrorInfo | None = None
    """Why the walk stopped early; what was found until then is kept."""

    estimate: Estimate | None = None
    """What the run would send, where `estimate_only` was set."""

    omitted_sections: int = 0
    """How many entries of the outline were left out to fit the reply's cap."""


class SummarizeReply(ReadingReply):
    """A summary of a file."""

    content: str | None = None
    """A small file's own text, in place of a summary."""

    encoding: str | None = None
    """The encoding that `content` was decoded from."""

    next: ReadOn | None = None
    """Where `content` goes on, for a read request."""

    compact: str | None = None
    """The outline as a short text, where it was asked for."""


class AskReply(ReadingReply):
    """The answer to a question about a file."""
