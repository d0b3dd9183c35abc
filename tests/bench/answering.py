"""Asks the questions of tests/corpus/questions.toml, offline, and says what was quoted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from questions import AskedQuestion

from milepost.core.analysis import Analysis
from milepost.core.chunks import plan_chunks
from milepost.core.outline import Outline
from milepost.core.source import open_source
from milepost.digest.answers import Answered, Question, decide, search_chunk, survey
from milepost.digest.chunk_texts import ChunkReader, Scope
from milepost.digest.state import merged_notes
from milepost.digest.values import FileFacts, Note


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question. `rank` is the place, from 1, of the first quote that holds a line that answers; 0 for none."""

    asked: AskedQuestion
    answered: Answered
    rank: int
    seconds: float
    notes: tuple[Note, ...] = ()

    @property
    def is_false_claim(self) -> bool:
        """Whether an answer was claimed where there is none."""
        return self.asked.kind == "absent" and self.answered.found

    def hits(self, most: int) -> bool:
        """Whether one of the first `most` quotes of an answer answers, and what must be said is said."""
        says = self.asked.says
        text = self.answered.text.replace(",", "")
        return self.answered.found and 0 < self.rank <= most and (not says or says in text)


class Asker:
    """Asks about files, each opened and scanned once."""

    def __init__(self, corpus: Path) -> None:
        self._corpus = corpus

    def ask_all(self, questions: Iterable[AskedQuestion]) -> Iterator[Outcome]:
        """The outcomes, file by file. Questions on files that are not there are left out."""
        by_path: dict[Path, list[AskedQuestion]] = {}
        for question in questions:
            path = question.path(self._corpus)
            if path is not None:
                by_path.setdefault(path, []).append(question)
        for path, those in by_path.items():
            analysis = Analysis(open_source(path))
            try:
                outline = analysis.outline()
                for question in those:
                    yield ask(analysis, outline, question)
            finally:
                analysis.close()


def ask(analysis: Analysis, outline: Outline, asked: AskedQuestion) -> Outcome:
    """One question to all of a file, as the walk does it."""
    plan = plan_chunks(analysis.view, index=analysis.index)
    scope = Scope(1, plan.line_count, 0, plan.byte_count)
    reader = ChunkReader(analysis.view, analysis.encoding, plan, outline, scope, 800)
    began = time.process_time()
    question = Question.parse(asked.ask)
    statistics = survey(analysis.view, question)
    notes: tuple[Note, ...] = ()
    for index in range(len(reader)):
        notes = merged_notes([*notes, *search_chunk(reader.read(index), question, statistics)])
    places = tuple(reader.place(note) for note in notes)
    answered = decide(notes, question, statistics, FileFacts(outline, (0, plan.byte_count), places))
    seconds = time.process_time() - began
    rank = next(
        (
            number
            for number, place in enumerate(answered.places, 1)
            if asked.is_answered_by(place.start_line, place.end_line)
        ),
        0,
    )
    return Outcome(asked, answered, rank, seconds, notes)
