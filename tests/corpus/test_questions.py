"""The table of questions is what it claims to be: real lines, half without a shared word, a third held out by the rule."""

from __future__ import annotations

from pathlib import Path

import pytest
from questions import (
    AskedQuestion,
    asked,
    belongs_to_held_out,
    content_words,
    guard_of,
    is_same_word,
    lines_of,
    shared_words,
    words_of,
)

QUESTIONS = tuple(one for one in asked() if one.kind == "question")
BUILDS = tuple(one for one in asked() if one.kind == "build")
ABSENT = tuple(one for one in asked() if one.kind == "absent")
FORMATS = {"log", "build log", "gc log", "thread dump", "json", "ndjson", "csv", "sql", "xml", "yaml", "markup", "text"}


def test_there_are_enough() -> None:
    assert len(QUESTIONS) >= 60
    assert len({one.file for one in QUESTIONS}) >= 20
    assert len(BUILDS) == 6
    assert len(ABSENT) >= 12
    assert {one.format for one in QUESTIONS} >= FORMATS | {"diff", "code"}
    assert len({(one.file, one.ask) for one in asked()}) == len(asked())


@pytest.mark.parametrize("questions", [QUESTIONS, ABSENT], ids=["answered", "absent"])
def test_about_a_third_is_held_out_by_the_rule(questions: tuple[AskedQuestion, ...]) -> None:
    assert [one.held_out for one in questions] == [belongs_to_held_out(one) for one in questions]
    assert 0.25 <= sum(one.held_out for one in questions) / len(questions) <= 0.5


@pytest.mark.corpus
def test_the_lines_are_those_that_were_meant(corpus: Path) -> None:
    lines: dict[Path, list[bytes]] = {}
    for one in (*QUESTIONS, *BUILDS):
        path = one.path(corpus)
        if path is not None:
            found = lines.setdefault(path, lines_of(path))
            assert guard_of(found, one.answers) == one.guard, (one.file, one.ask)


@pytest.mark.corpus
def test_half_of_them_share_no_word_with_the_lines_that_answer(corpus: Path) -> None:
    shares = []
    for one in QUESTIONS:
        path = one.path(corpus)
        if path is not None:
            lines = lines_of(path)
            targets = [line for first, last in one.answers for line in lines[first - 1 : last]]
            shares.append(bool(shared_words(one.ask, targets)))
    assert shares.count(False) / len(shares) >= 0.5


@pytest.mark.corpus
def test_words_of_the_absent_ones_occur_in_their_files(corpus: Path) -> None:
    for one in ABSENT:
        path = one.path(corpus)
        assert path is not None
        found = words_of("\n".join(line.decode("utf-8", "replace") for line in lines_of(path)))
        wanted = content_words(one.ask)
        occurring = {word for word in wanted if any(is_same_word(word, other) for other in found)}
        assert len(occurring) >= len(wanted) / 2, (one.file, one.ask, wanted - occurring)
