"""Replies of models are read as generously as can be, and nothing that was not complete is taken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.digest.labelling.parsing import parse_object


@pytest.mark.parametrize(
    "reply, expected",
    [
        ('{"a": 1}', {"a": 1}),
        ('```json\n{"a": [1, 2]}\n```\nHope this helps!', {"a": [1, 2]}),
        ('Sure, here {you} go:\n{"a": "x"}', {"a": "x"}),
        ('<think>maybe {"a": 0}</think>{"a": 1}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('{"a": "b", "c": [{"i": 1, "t": "T"}, {"i": 2, "ti', {"a": "b", "c": [{"i": 1, "t": "T"}, {"i": 2}]}),
        ('{"summary": "done", "text": "cut off in the mid', {"summary": "done"}),
        ('{"text": "cut off in the mid', None),
        ('{"a": "he said \\"hi\\"", "b": 2', {"a": 'he said "hi"'}),
        ("", None),
        ("I cannot do that.", None),
        ("[1, 2]", None),
        ("{}", None),
        ("null", None),
        ("{" * 100_000, None),
        ('{"a":' * 50_000, None),
        ("[" * 100_000, None),
    ],
)  # fmt: skip
def test_what_is_complete_is_kept(reply: str, expected: Any) -> None:
    assert parse_object(reply) == expected


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def is_part(found: Any, whole: Any) -> bool:
    """Whether `found` is `whole` with ends of lists and members of objects left out."""
    if isinstance(whole, dict):
        return isinstance(found, dict) and all(
            key in whole and is_part(value, whole[key]) for key, value in found.items()
        )
    if isinstance(whole, list):
        return isinstance(found, list) and len(found) <= len(whole) and all(map(is_part, found, whole))
    return bool(found == whole and type(found) is type(whole))


@given(st.dictionaries(st.text(min_size=1, max_size=6), VALUES, min_size=1, max_size=5), st.data())
def test_a_reply_cut_anywhere_gives_a_part_of_the_whole(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert parse_object(text) == value
    cut = parse_object(text[: data.draw(st.integers(0, len(text)))])
    # Of a cut list the numbers at its end would be taken for whole: "12" may have been "123".
    assert cut is None or is_part(cut, value) or any(isinstance(one, dict) for one in value.values())


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(text: str) -> None:
    value = parse_object(text)
    assert value is None or isinstance(value, dict)
