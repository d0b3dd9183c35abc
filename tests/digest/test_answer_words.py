"""Words of a question and words of a file: which are forms of one, and which stand for each other."""

from __future__ import annotations

import sys
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.digest.answers.question import Question
from milepost.digest.answers.thesaurus import load_thesaurus
from milepost.digest.answers.words import base_of, is_doer_of, is_form_of, words_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def table() -> dict[str, Any]:
    """The thesaurus as it is written."""
    return tomllib.loads(files("milepost.digest.answers").joinpath("thesaurus.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("stopped", "stop"),
        ("fail", "failure"),
        ("failure", "failing"),
        ("retries", "retry"),
        ("running", "run"),
        ("logs", "logged"),
        ("authenticated", "authentication"),
        ("start", "restarted"),
        ("memory", "memories"),
        ("process", "processes"),
    ],
)
def test_forms_of_one_word(asked: str, found: str) -> None:
    assert is_form_of(found, base_of(asked))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("server", "service"),
        ("generate", "general"),
        ("https", "http"),
        ("node", "nod"),
        ("tls", "tl"),
        ("drive", "driver"),
    ],
)
def test_words_that_only_begin_alike(asked: str, found: str) -> None:
    assert not is_form_of(found, base_of(asked))


def test_who_does_it_is_near() -> None:
    assert is_doer_of("driver", base_of("drive"))
    assert not is_doer_of("drives", base_of("drive"))


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=15))
def test_a_word_is_a_form_of_itself(word: str) -> None:
    assert is_form_of(word, base_of(word))
    assert word.startswith(base_of(word))


def test_identifiers_are_split() -> None:
    assert words_of("maxTaskFailuresPerNode num_tokens HTTPServer2 numCPUs") == (
        ["max", "task", "failures", "per", "node", "num", "tokens", "http", "server", "2", "num", "cpus"]
    )


def test_each_group_of_the_thesaurus_says_something() -> None:
    thesaurus = table()
    for section in ("groups", "loose"):
        for name, words in thesaurus[section].items():
            plain = [word.lstrip(">") for word in words]
            assert len(plain) > 1, name
            assert len(set(plain)) == len(plain), (name, sorted(word for word in plain if plain.count(word) > 1))
            assert any(not word.startswith(">") for word in words), name
            assert all(words_of(word) for word in plain), name
    for hint in thesaurus["hint"]:
        assert hint["asked"]
        assert hint["found"]


def test_all_that_stands_for_a_word_is_worth_less_than_the_word() -> None:
    relatives = load_thesaurus().relatives
    assert all(0 < worth < 1 for row in relatives.values() for worth in row.values())
    assert relatives[("memor",)][("heap",)] == relatives[("heap",)][("memor",)]


@pytest.mark.parametrize(
    ("text", "kind", "superlative", "terms"),
    [
        ("which port does redis listen on?", "which", "", ["port", "redis", "listen"]),
        ("who could not connect, and why?", "who", "", ["could not connect"]),
        ("how long did the slowest query take?", "how_long", "most", ["how long", "query"]),
        ("why could node-55 not boot?", "why", "", ["node-55", "boot"]),
        ("is TLS on?", "whether", "", ["tls"]),
        ("what is in `config.ini`?", "which", "", ["config.ini"]),
        ("", "which", "", []),
    ],
)
def test_questions_are_taken_apart(text: str, kind: str, superlative: str, terms: list[str]) -> None:
    question = Question.parse(text)
    assert (question.kind, question.superlative) == (kind, superlative)
    assert [term.text for term in question.terms][: len(terms)] == terms[: len(question.terms)]


@pytest.mark.parametrize(
    "text", ["why did the build fail?", "why did it crash?", "what went wrong?", "why did CI fail?"]
)
def test_asking_for_the_cause_of_all(text: str) -> None:
    assert Question.parse(text).is_cause


def test_asking_for_the_cause_of_something() -> None:
    assert not Question.parse("why did the docker installation fail?").is_cause


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_asked(text: str) -> None:
    question = Question.parse(text)
    assert len(question.needles) <= 160
    assert Question.parse(text) == question
