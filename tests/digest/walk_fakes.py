"""A digester that does as it is told, and a file to walk over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from milepost.core.analysis import Analysis
from milepost.core.source import StopFlag, never, no_progress, open_source
from milepost.digest.values import (
    Brief,
    ChunkDigest,
    ChunkText,
    Conclusion,
    Digester,
    FileFacts,
    Label,
    Note,
    State,
    Usage,
)
from milepost.digest.walk import Step
from milepost.errors import MilepostError
from milepost.service.reading import Reading, read_through
from milepost.service.subject import subject_of
from milepost.wire import AskReply, AskRequest, SummarizeReply, SummarizeRequest


@dataclass
class FakeDigester:
    """Labels each piece with its number and carries on a summary that depends on all that came before.

    `fails` says, by chunk, what goes wrong there; `answers` which chunks answer.
    """

    name: str = "fake"
    fails: Callable[[int, int], MilepostError | None] = lambda index, times: None
    answers: frozenset[int] = frozenset()
    seen: list[int] = field(default_factory=list)
    states: list[State] = field(default_factory=list)

    def digest(self, chunk: ChunkText, state: State, brief: Brief, *, should_stop: StopFlag) -> ChunkDigest:
        self.seen.append(chunk.index)
        self.states.append(state)
        error = self.fails(chunk.index, self.seen.count(chunk.index))
        if error is not None:
            raise error
        line = chunk.data.split(b"\n", 1)[0][:150]
        note = Note(
            score=float(len(set(line))),
            start_line=chunk.chunk.start_line,
            end_line=chunk.chunk.start_line,
            start_byte=chunk.chunk.start_byte,
            end_byte=chunk.chunk.start_byte + len(line),
            text=line.decode(),
        )
        labels = {piece.id: Label(digest=f"{chunk.index}/{piece.id}: {piece.title}") for piece in chunk.pieces}
        summary = f"{state.summary[-200:]}|{chunk.index}:{len(state.entries)}:{len(chunk.data)}"
        return ChunkDigest(labels, summary, (note,), chunk.index in self.answers, Usage(1, 100, 10))

    def merge(self, summaries: Sequence[str], brief: Brief, *, should_stop: StopFlag) -> tuple[str, Usage]:
        return "+".join(summaries)[-400:], Usage(1, 5, 5)

    def conclude(self, state: State, facts: FileFacts, brief: Brief, *, should_stop: StopFlag) -> Conclusion:
        text = f"{self.name}: {state.summary}"
        return Conclusion(text, f"answer of {self.name}", bool(facts.places), facts.places[:2], usage=Usage(1, 50, 20))


def write_log(path: Path, size: int) -> Path:
    """A log of about this many bytes with incidents in it, another one for another size."""
    lines = []
    written = number = 0
    while written < size:
        hour, minute, second = 10 + number // 36000 % 12, number // 600 % 60, number // 10 % 60
        level, message = "INFO", f"request {number * 7919 % 100003} served in {number % 37} ms"
        if number % 997 == 500:
            level, message = "ERROR", f"cannot reach host db-{number % 7}: connection refused"
        line = f"2026-03-01 {hour:02}:{minute:02}:{second:02} {level} worker-{number % 5}: {message}\n"
        lines.append(line)
        written += len(line)
        number += 1
    path.write_text("".join(lines), "utf-8")
    return path


def read_with(
    path: Path,
    request: SummarizeRequest | AskRequest,
    digester: Digester,
    *,
    should_stop: StopFlag = never,
    on_step: Callable[[Step], None] = lambda step: None,
) -> SummarizeReply | AskReply:
    """The reply to a request that this digester answers; what it fails on is read by another fake."""
    with ExitStack() as closing:
        analysis = Analysis(closing.enter_context(open_source(path)))
        subject = subject_of(
            analysis,
            analysis.outline(),
            request,
            180_000,
            closing,
            should_stop=should_stop,
            progress=no_progress,
        )
        reading = Reading(digester, FakeDigester("fallback"), 800, concurrency=3, on_step=on_step)
        return read_through(subject, request, reading, should_stop)
