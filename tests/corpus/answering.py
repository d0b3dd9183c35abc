"""Asks the questions of questions.toml through the service, offline, and says what was quoted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from questions import AskedQuestion

from milepost.service import Service
from milepost.settings import Settings
from milepost.wire import Answer, AskRequest


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question. `rank` is the place, from 1, of the first quote that holds a line that answers; 0 for none.

    `stopped` says that the walk stopped before the end of the file, `seconds` is CPU time, the scan of the file included.
    """

    asked: AskedQuestion
    answer: Answer
    rank: int
    stopped: bool
    seconds: float

    @property
    def is_false_claim(self) -> bool:
        """Whether an answer was claimed where there is none."""
        return self.asked.kind == "absent" and self.answer.found

    def hits(self, most: int) -> bool:
        """Whether an answer was claimed, one of its first `most` quotes answers, and what must be said is said."""
        says = self.answer.text.replace(",", "")
        return self.answer.found and 0 < self.rank <= most and (not self.asked.says or self.asked.says in says)


def outcomes(questions: Iterable[AskedQuestion], corpus: Path, *, read_all: bool = False) -> Iterator[Outcome]:
    """The outcomes, file by file. Questions on big files that nobody has fetched are left out."""
    by_path: dict[Path, list[AskedQuestion]] = {}
    for question in questions:
        path = question.path(corpus)
        if path is not None:
            by_path.setdefault(path, []).append(question)
    for path, those in by_path.items():
        # A service of its own for each file: nothing is kept of the others.
        settings = Settings()
        service = Service(lambda settings=settings: settings)
        for question in those:
            yield ask(service, path, question, read_all=read_all)


def ask(service: Service, path: Path, asked: AskedQuestion, *, read_all: bool) -> Outcome:
    """One question."""
    began = time.process_time()
    reply = service.ask(AskRequest(path=str(path), question=asked.ask, all=read_all))
    seconds = time.process_time() - began
    assert reply.error is None, (path, asked.ask, reply.error)
    answer = reply.answer
    assert answer is not None
    rank = next(
        (
            number
            for number, quote in enumerate(answer.quotes, 1)
            if asked.is_answered_by(quote.start_line, quote.end_line)
        ),
        0,
    )
    return Outcome(asked, answer, rank, reply.truncated, seconds)
