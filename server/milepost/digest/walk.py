"""The walk over the chunks: one after the other, each examined, what was found carried on in a bounded state.

A chunk that a model fails on is digested by extraction instead, and marked; so nothing is skipped. Three failures in a row,
or one that no later call can get round (a refused key, a budget that is spent), end the walk early: what was found is kept,
and the walk can go on from before the failures.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from milepost.core.source import StopFlag
from milepost.digest.chunk_texts import ChunkReader
from milepost.digest.cursor import Progressed
from milepost.digest.state import absorbed
from milepost.digest.values import Brief, ChunkDigest, ChunkText, Digester, Label, State, Usage
from milepost.errors import Cancelled, MilepostError, ModelRefused, ModelUnavailable

MAX_FAILURES = 3
"""So many chunks in a row may fail before a walk stops."""

MARK = "not read by the model: "
"""Begins the digest of a piece whose chunk the model failed on."""

#: In a parallel walk so many chunks are digested apart, then merged.
PARALLEL_BATCH = 8


@dataclass(frozen=True, slots=True)
class Step:
    """What a watcher is told after each chunk: how far the walk is, in chunks and bytes of its part of the file."""

    done: Progressed
    chunks_total: int
    bytes_total: int
    start_line: int
    end_line: int
    summarizer: str


@dataclass(frozen=True, slots=True)
class Walked:
    """Where a walk ended. `resume` is what a cursor holds; `reached` what was found, which may be further.

    `answered` says that a chunk's notes answer the question; `complete` that the last chunk was examined.
    """

    reached: Progressed
    resume: Progressed
    complete: bool
    answered: bool = False
    error: MilepostError | None = None


@dataclass(frozen=True, slots=True)
class _Digested:
    """A chunk and its digest; `failure` is why that is not the model's."""

    chunk: ChunkText
    digest: ChunkDigest
    failure: MilepostError | None = None


@dataclass(slots=True)
class _Run:
    """A walk under way. `resume` lags behind `reached` while chunks in a row fail."""

    reached: Progressed
    resume: Progressed
    failures: int = 0
    answered: bool = False

    def stops(self, brief: Brief) -> bool:
        return self.answered and brief.stops_early


@dataclass(frozen=True, slots=True)
class Walker:
    """How to walk. `fallback` digests what `digester` fails on; `check_file` raises `FileChanged`; `on_step` is told."""

    digester: Digester
    fallback: Digester
    reader: ChunkReader
    brief: Brief
    max_chunks: int = 0
    parallel: bool = False
    concurrency: int = 1
    check_file: Callable[[], None] = lambda: None
    on_step: Callable[[Step], None] = lambda step: None

    def walk(self, start: Progressed, should_stop: StopFlag) -> Walked:
        """Go on from `start` to the end, to `max_chunks`, to an answer, or to what stops it."""
        run = _Run(start, start)
        total = len(self.reader)
        end = min(total, start.next_chunk + self.max_chunks) if self.max_chunks else total
        try:
            if self.parallel:
                self._walk_apart(run, end, should_stop)
            else:
                while run.reached.next_chunk < end and not run.stops(self.brief):
                    self._take(run, self._one(run.reached.next_chunk, run.reached.state, should_stop))
        except MilepostError as error:
            return Walked(run.reached, run.resume, complete=False, answered=run.answered, error=error)
        complete = run.reached.next_chunk >= total
        return Walked(run.reached, run.reached, complete=complete, answered=run.answered)

    def _walk_apart(self, run: _Run, end: int, should_stop: StopFlag) -> None:
        """Digest chunks side by side, each for itself, a batch at a time; then merge what was said, in order."""
        with ThreadPoolExecutor(self.concurrency, "milepost-digest") as pool:
            while run.reached.next_chunk < end and not run.stops(self.brief):
                index = run.reached.next_chunk
                upto = min(end, (index // PARALLEL_BATCH + 1) * PARALLEL_BATCH)
                running = [pool.submit(self._one, at, State(), should_stop) for at in range(index, upto)]
                digested = [one.result() for one in running]
                before = run.reached.state.summary
                summaries = [one.digest.summary for one in digested if one.digest.summary]
                merged, usage = before, Usage()
                if summaries:
                    parts = [before, *summaries] if before else summaries
                    merged, usage = self.digester.merge(parts, self.brief, should_stop=should_stop)
                for place, one in enumerate(digested):
                    spent = one.digest.usage + usage if place == 0 else one.digest.usage
                    self._take(run, replace(one, digest=replace(one.digest, summary=merged, usage=spent)))

    def _take(self, run: _Run, one: _Digested) -> None:
        """Carry on what one chunk gave. Raises what the walk cannot go on after."""
        failure = one.failure
        run.reached = self._after(run.reached, one.chunk, one.digest)
        run.failures = run.failures + 1 if failure else 0
        if failure is None:
            run.resume = run.reached
            run.answered = run.answered or one.digest.answers
        scope = self.reader.scope
        self.on_step(
            Step(
                run.reached,
                len(self.reader),
                scope.end_byte - scope.start_byte,
                one.chunk.chunk.start_line,
                one.chunk.chunk.end_line,
                self.digester.name,
            )
        )
        if failure is not None and run.failures >= MAX_FAILURES:
            raise failure

    def _one(self, index: int, state: State, should_stop: StopFlag) -> _Digested:
        if should_stop():
            raise Cancelled("The work was cancelled.")
        self.check_file()
        chunk = self.reader.read(index)
        try:
            return _Digested(chunk, self.digester.digest(chunk, state, self.brief, should_stop=should_stop))
        except (ModelUnavailable, ModelRefused) as failure:
            if failure.is_fatal:
                raise
            digest = self.fallback.digest(chunk, state, replace(self.brief, question=""), should_stop=should_stop)
            return _Digested(chunk, _marked(chunk, digest), failure)

    def _after(self, before: Progressed, chunk: ChunkText, digest: ChunkDigest) -> Progressed:
        return Progressed(
            next_chunk=chunk.index + 1,
            state=absorbed(before.state, chunk.pieces, digest),
            chunks_read=before.chunks_read + 1,
            bytes_examined=before.bytes_examined + chunk.chunk.end_byte - chunk.chunk.start_byte,
            usage=before.usage + digest.usage,
        )


def _marked(chunk: ChunkText, digest: ChunkDigest) -> ChunkDigest:
    """An extractive digest that says it stands in for the model's."""
    labels: dict[str, Label] = {}
    for piece in chunk.pieces:
        label = digest.labels.get(piece.id, Label())
        labels[piece.id] = replace(label, digest=MARK + (label.digest or piece.digest or piece.title))
    return ChunkDigest(labels=labels, usage=digest.usage)
