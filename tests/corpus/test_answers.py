"""Answers without a model, through the service, on real files: how many of the questions are answered, and none falsely.

The bars are what was reached, a little lower, so that a later change that makes answers worse is seen. What is aimed at is
80 % with the first quote, 92 % with one of three, all six builds, and no false claim; `bench_answers.py` prints where it
stands, by group. The held-out third was never looked at while tuning: its bars are only what it measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from answering import Outcome, outcomes
from questions import BIG, asked

TUNED_TOP_1, TUNED_TOP_3 = 0.85, 0.89
HELD_OUT_TOP_1, HELD_OUT_TOP_3 = 0.45, 0.55
MAX_FALSE_CLAIMS = 1


@pytest.fixture(scope="module")
def found(corpus: Path) -> tuple[Outcome, ...]:
    """All outcomes on files of the corpus; the bench asks the big files too, which take a minute."""
    return tuple(outcomes((one for one in asked() if not one.file.startswith(BIG)), corpus))


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("held_out", "first", "of_three"),
    [(False, TUNED_TOP_1, TUNED_TOP_3), (True, HELD_OUT_TOP_1, HELD_OUT_TOP_3)],
    ids=["tuned", "held out"],
)
def test_a_quote_answers(found: tuple[Outcome, ...], held_out: bool, first: float, of_three: float) -> None:
    those = [one for one in found if one.asked.kind == "question" and one.asked.held_out == held_out]
    assert share(those, lambda one: one.hits(1)) >= first
    assert share(those, lambda one: one.hits(3)) >= of_three


@pytest.mark.corpus
def test_all_six_builds_are_explained(found: tuple[Outcome, ...]) -> None:
    builds = [one for one in found if one.asked.kind == "build"]
    assert len(builds) == 6
    assert [one.asked.file for one in builds if not one.hits(3)] == []


@pytest.mark.corpus
def test_nothing_is_claimed_that_is_not_there(found: tuple[Outcome, ...]) -> None:
    absent = [one for one in found if one.asked.kind == "absent"]
    assert len(absent) >= 12
    assert [one.asked.ask for one in absent if one.is_false_claim and not one.asked.held_out] == []
    assert sum(one.is_false_claim for one in absent) <= MAX_FALSE_CLAIMS


def share(outcomes: Iterable[Outcome], is_good: Callable[[Outcome], bool]) -> float:
    """How many of them are good, from 0 to 1."""
    good = [is_good(one) for one in outcomes]
    return sum(good) / len(good)
