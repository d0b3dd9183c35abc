"""Summaries and answers: from a request and its subject to a walk, and from the walk to the reply."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from milepost.core.source import StopFlag
from milepost.digest.chunk_texts import ChunkReader
from milepost.digest.cursor import Progressed, Request, make_cursor, read_cursor
from milepost.digest.values import Brief, Conclusion, Digester, FileFacts
from milepost.digest.walk import Step, Walked, Walker
from milepost.errors import FileChanged, MilepostError
from milepost.service.reading_replies import compact_of, entries_of, quotes_of
from milepost.service.subject import Subject
from milepost.wire import (
    Answer,
    AskReply,
    AskRequest,
    ErrorInfo,
    SummarizeReply,
    SummarizeRequest,
    SummaryStats,
)

OnStep = Callable[[Step], None]

#: So many quotes an answer has at most.
MAX_QUOTES = 5


@dataclass(frozen=True, slots=True)
class Reading:
    """How a request is to be answered: by which digester, from which it falls back, and how many calls run at a time."""

    digester: Digester
    fallback: Digester
    context_bytes: int
    concurrency: int = 1
    dump: str | None = None
    on_step: OnStep = lambda step: None


def read_through(
    subject: Subject, request: SummarizeRequest | AskRequest, reading: Reading, should_stop: StopFlag
) -> SummarizeReply | AskReply:
    """Walk over the subject and say what was found. What stops the walk is in the reply's `error`, not raised.

    Raises CursorInvalid and FileChanged for a cursor that cannot be gone on with.
    """
    began = time.monotonic()
    brief = brief_of(request)
    reader = reader_of(subject, reading.context_bytes)
    asked = asked_of(subject, request, reading.digester)
    start = Progressed()
    if request.cursor is not None:
        start = read_cursor(request.cursor, asked, subject.source, subject.plan, reader.first, len(reader))
        notes = tuple(replace(note, text=reader.place(note).text) for note in start.state.notes)
        start = replace(start, state=replace(start.state, notes=notes))
    walked = Walker(
        digester=reading.digester,
        fallback=reading.fallback,
        reader=reader,
        brief=brief,
        max_chunks=request.max_chunks,
        parallel=isinstance(request, SummarizeRequest) and request.mode == "parallel",
        concurrency=reading.concurrency,
        check_file=subject.check,
        on_step=reading.on_step,
    ).walk(start, should_stop)
    conclusion, error = _concluded(subject, reader, reading, brief, walked, should_stop)
    return _reply(subject, request, reading, reader, asked, walked, conclusion, error, time.monotonic() - began)


def brief_of(request: SummarizeRequest | AskRequest) -> Brief:
    """What a digester is told of a request."""
    if isinstance(request, AskRequest):
        return Brief(request.question.strip(), request.detail, stops_early=not request.all, wants_summary=False)
    return Brief((request.question or "").strip(), request.detail)


def reader_of(subject: Subject, context_bytes: int) -> ChunkReader:
    """The subject's chunks."""
    return ChunkReader(subject.view, subject.encoding, subject.plan, subject.outline, subject.scope, context_bytes)


def asked_of(subject: Subject, request: SummarizeRequest | AskRequest, digester: Digester) -> Request:
    """The request as a cursor knows it."""
    is_summary = isinstance(request, SummarizeRequest)
    return Request(
        kind="summarize" if is_summary else "ask",
        path=subject.name,
        question=(request.question or "").strip(),
        detail=request.detail,
        mode=request.mode if isinstance(request, SummarizeRequest) else "sequential",
        summarizer=digester.name,
        target_bytes=subject.plan.target_bytes,
        scope=None if subject.whole else subject.scope,
    )


def _concluded(
    subject: Subject, reader: ChunkReader, reading: Reading, brief: Brief, walked: Walked, should_stop: StopFlag
) -> tuple[Conclusion, MilepostError | None]:
    """The final text, and what went wrong on the way to it.

    A walk that stopped on the way is concluded without a model, but where it stopped for an answer that was found.
    """
    state, error = walked.reached.state, walked.error
    try:
        places = tuple(reader.place(note) for note in state.notes)
    except FileChanged as changed:
        places, error = (), changed
    end = (
        reader.chunks[walked.reached.next_chunk - 1].end_byte if walked.reached.next_chunk else reader.scope.start_byte
    )
    facts = FileFacts(subject.outline, (reader.scope.start_byte, end), places)
    is_final = walked.complete or (walked.answered and brief.stops_early)
    if error is None and (is_final or brief.question):
        try:
            return reading.digester.conclude(state, facts, brief, should_stop=should_stop), None
        except MilepostError as failed:
            error = failed
    partial = reading.fallback.conclude(state, facts, brief, should_stop=lambda: False)
    if state.summary:
        partial = replace(partial, summary=state.summary)
    return partial, error


def _reply(
    subject: Subject,
    request: SummarizeRequest | AskRequest,
    reading: Reading,
    reader: ChunkReader,
    asked: Request,
    walked: Walked,
    conclusion: Conclusion,
    error: MilepostError | None,
    duration_s: float,
) -> SummarizeReply | AskReply:
    finished = walked.complete and error is None
    cursor = ""
    if not finished and not isinstance(error, FileChanged):
        cursor = make_cursor(asked, subject.source, subject.plan, walked.resume, reader.first)
    entries = entries_of(walked.reached.state.entries)
    quotes, dropped = quotes_of(subject, conclusion.quotes[:MAX_QUOTES])
    answer = None
    if request.question is not None:
        found = conclusion.found and bool(quotes)
        read, total = walked.reached.next_chunk, len(reader)
        where = "the file" if read >= total else f"the first {read:,} of {total:,} chunks"
        answer = Answer(text=conclusion.answer or f"Nothing in {where} answers that.", found=found, quotes=quotes)
    usage = walked.reached.usage + conclusion.usage
    stats = SummaryStats(
        total_lines=subject.outline.total_lines,
        total_bytes=subject.outline.total_bytes,
        chunks_read=walked.reached.chunks_read,
        chunks_total=len(reader),
        bytes_examined=walked.reached.bytes_examined,
        calls=usage.calls,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        dropped_entries=usage.dropped + dropped,
        duration_ms=round(duration_s * 1000),
        summarizer=reading.digester.name,
        dump=reading.dump,
    )
    shared = {
        "path": subject.name,
        "summary": conclusion.summary,
        "outline": entries,
        "cursor": cursor,
        "truncated": not walked.complete,
        "followups": conclusion.followups,
        "stats": stats,
        "answer": answer,
        "error": None if error is None else ErrorInfo(kind=error.kind, message=str(error)),
    }
    if isinstance(request, AskRequest):
        return AskReply.model_validate(shared)
    compact = compact_of(walked.reached.state.entries) if request.compact else None
    return SummarizeReply.model_validate({**shared, "compact": compact})
