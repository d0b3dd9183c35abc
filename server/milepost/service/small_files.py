"""Replies for which nothing is walked through: of a small file, of a binary one, and of a run that is only reckoned."""

from __future__ import annotations

from typing import Any

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline
from milepost.core.reads import read_limit
from milepost.core.source import StopFlag
from milepost.service.replies import read_reply
from milepost.wire import Answer, AskReply, AskRequest, SummarizeReply, SummarizeRequest, SummaryStats


def is_passed_through(analysis: Analysis, request: SummarizeRequest | AskRequest, small_bytes: int) -> bool:
    """Whether a file is given as it is: a small one, whole, about which nothing is asked."""
    return (
        isinstance(request, SummarizeRequest)
        and not request.question
        and request.section is None
        and request.start_line is None
        and request.cursor is None
        and not request.estimate_only
        and analysis.source.size < small_bytes
    )


def passed_through(analysis: Analysis, max_bytes: int, should_stop: StopFlag) -> SummarizeReply | AskReply:
    """A small file's own text, as much of it as a read would give."""
    analysis.prepare_text(should_stop=should_stop)
    if analysis.encoding.kind == "binary":
        return binary_reply(analysis.outline(should_stop=should_stop), None)
    result = read_limit(
        analysis.view, 1, None, max_bytes=max_bytes, index=None, encoding=analysis.encoding, should_stop=should_stop
    )
    read = read_reply(analysis.source.name, result, analysis.encoding)
    return SummarizeReply(
        path=read.path,
        summary="",
        outline=(),
        cursor="",
        truncated=read.truncated,
        followups=(),
        stats=_stats(analysis.source.size, read.total_lines, "none", 0),
        content=read.content,
        encoding=read.encoding,
        next=read.next,
    )


def binary_reply(outline: Outline, request: SummarizeRequest | AskRequest | None) -> SummarizeReply | AskReply:
    """What is said of a file without text."""
    kind, digest = outline.stats.get("type", "binary"), outline.stats.get("sha256", "")
    named = "" if kind == "binary" else f" ({kind})"
    summary = f"binary file{named}, {outline.total_bytes} bytes, sha256={digest}"
    answer = None
    if request is not None and request.question:
        answer = Answer(text=f"The file holds no text: {summary}.", found=False, quotes=())
    return unread(outline, request, "none", summary=summary, answer=answer)


def unread(
    outline: Outline,
    request: SummarizeRequest | AskRequest | None,
    summarizer: str,
    *,
    chunks_total: int = 0,
    **parts: Any,
) -> SummarizeReply | AskReply:
    """A reply for which no chunk was examined."""
    model = AskReply if isinstance(request, AskRequest) else SummarizeReply
    given: dict[str, Any] = {
        "path": outline.path,
        "summary": "",
        "outline": (),
        "cursor": "",
        "truncated": False,
        "followups": (),
        "stats": _stats(outline.total_bytes, outline.total_lines, summarizer, chunks_total),
    }
    return model.model_validate({**given, **parts})


def _stats(total_bytes: int, total_lines: int | None, summarizer: str, chunks_total: int) -> SummaryStats:
    return SummaryStats(
        total_lines=total_lines,
        total_bytes=total_bytes,
        chunks_read=0,
        chunks_total=chunks_total,
        bytes_examined=0,
        calls=0,
        input_tokens=0,
        output_tokens=0,
        dropped_entries=0,
        duration_ms=0,
        summarizer=summarizer,
    )
