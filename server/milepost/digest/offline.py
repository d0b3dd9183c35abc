"""The digester without a model: extraction for summaries, ranked search for answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from milepost.core.source import ByteSource, Progress, StopFlag, no_progress
from milepost.digest.answers import Question, Statistics, decide, is_decisive, search_chunk, survey
from milepost.digest.answers.tally import lines_with
from milepost.digest.extractive import conclude_summary, summarize_chunk
from milepost.digest.state import merged_notes
from milepost.digest.values import Brief, ChunkDigest, ChunkText, Conclusion, FileFacts, State, Usage

NAME = "extractive"


class ExtractiveDigester:
    """Digests by computation alone. `view` is the text that a question is looked for in, as a whole, once."""

    def __init__(self, view: ByteSource, progress: Progress = no_progress) -> None:
        self._view = view
        self._progress = progress
        self._lock = threading.Lock()
        self._asked: tuple[str, Question, Statistics] | None = None

    @property
    def name(self) -> str:
        """`extractive`."""
        return NAME

    def digest(self, chunk: ChunkText, state: State, brief: Brief, *, should_stop: StopFlag) -> ChunkDigest:
        """What a chunk holds; with a question, the places in it that may answer."""
        if not brief.question:
            return summarize_chunk(chunk, state)
        question, statistics = self._parsed(brief, should_stop)
        notes = search_chunk(chunk, question, statistics)
        labels = summarize_chunk(chunk, state).labels if brief.wants_summary else {}
        answers = is_decisive(merged_notes([*state.notes, *notes]), question, statistics)
        return ChunkDigest(labels=labels, notes=notes, answers=answers)

    def merge(self, summaries: Sequence[str], brief: Brief, *, should_stop: StopFlag) -> tuple[str, Usage]:
        """There is no running summary to merge."""
        return "", Usage()

    def conclude(self, state: State, facts: FileFacts, brief: Brief, *, should_stop: StopFlag) -> Conclusion:
        """The summary, and the answer if something was asked."""
        if not brief.question:
            summary, followups = conclude_summary(state, facts)
            return Conclusion(summary, followups=followups)
        question, statistics = self._parsed(brief, should_stop)
        start, end = facts.examined
        whole = start == 0 and end >= self._view.size
        answered = decide(
            state.notes,
            question,
            statistics,
            facts,
            lines_with=(lambda wording: lines_with(self._view, wording, should_stop=should_stop)) if whole else None,
        )
        summary = conclude_summary(State(state.summary, state.entries), facts)[0] if brief.wants_summary else ""
        return Conclusion(summary, answered.text, answered.found, answered.places)

    def _parsed(self, brief: Brief, should_stop: StopFlag) -> tuple[Question, Statistics]:
        with self._lock:
            if self._asked is None or self._asked[0] != brief.question:
                question = Question.parse(brief.question)
                statistics = survey(self._view, question, should_stop=should_stop, progress=self._progress)
                self._asked = (brief.question, question, statistics)
            return self._asked[1], self._asked[2]
