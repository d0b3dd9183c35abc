"""The depths that are told from bit masks are those that counting bracket by bracket gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.core.structure.json_bits import quote_bits, set_bits
from milepost.core.structure.json_index import Stretch

#: Short texts that make all orders of brackets within 8 and 64 bytes, and long ones that span words.
pieces = st.sampled_from(
    [
        "[",
        "]",
        "{",
        "}",
        "[]",
        "[[",
        "]]",
        "],[",
        "{}",
        ",",
        '"x],["',
        " ",
        "1" * 9,
        "1" * 70,
        '"\\""',
        '"' + "y" * 300 + '"',
    ]
)
texts = st.lists(pieces, max_size=120).map(lambda parts: "".join(parts).encode())


def depths_by_counting(text: bytes) -> tuple[list[int], list[int], list[int]]:
    """The depth before each byte and at the end, where brackets lie, and where commas do, strings left out."""
    depth, depths, brackets, commas = 0, [0], [], []
    in_string = escaped = False
    for at, byte in enumerate(text):
        if in_string:
            in_string = escaped or byte != 0x22
            escaped = byte == 0x5C and not escaped
        elif byte == 0x22:
            in_string = True
        elif byte in b"[]{}":
            depth += 1 if byte in b"[{" else -1
            brackets.append(at)
        elif byte == 0x2C:
            commas.append(at)
        depths.append(depth)
    return depths, brackets, commas


def mates(depths: list[int], brackets: list[int]) -> tuple[list[tuple[int, int]], list[int], list[int]]:
    """The pairs of brackets, the closers and the openers without a partner."""
    pairs, closers, openers = [], [], []
    for at in brackets:
        if depths[at + 1] > depths[at]:
            openers.append(at)
        elif openers:
            pairs.append((openers.pop(), at))
        else:
            closers.append(at)
    return pairs, closers, openers


@given(texts)
def test_depths_and_partners(text: bytes) -> None:
    depths, brackets, commas = depths_by_counting(text)
    stretch = Stretch(text, False)
    levels = stretch.levels
    assert set_bits(stretch.openers | stretch.closers).tolist() == brackets
    assert levels.before.tolist() == [*depths[:-1:64], depths[-1]] if text else [0]
    assert levels.lowest.tolist() == [min(depths[at : at + 65]) for at in range(0, len(text), 64)]
    assert levels.least == min(depths)
    assert levels.last == depths[-1]
    assert levels.greatest(0) == max(depths)
    assert levels.greatest(1000) == 1000
    assert levels.depths_at(np.arange(len(text))).tolist() == depths[:-1]
    pairs, closers, openers = mates(depths, brackets)
    assert [found.tolist() for found in stretch.unmatched] == [closers, openers]
    # The innermost parts between brackets without a partner: each has the commas that lie in no container inside it.
    edges = sorted([*closers, *openers])
    asked = [depths[at] for at in edges] + [depths[-1]]
    expected = [at for at in commas if depths[at] == asked[sum(edge < at for edge in edges)]]
    found = stretch.separators(np.array(edges, np.int64), np.array(asked, np.int32))
    assert found.tolist() == expected
    for sizes in ([200, 400], [200, 300, 5000], [2, 3]):
        least = [(size, level) for level, size in enumerate(sizes, min(depths) + 1)]
        wanted = {
            (opener, closer, level)
            for opener, closer in pairs
            for size, level in least
            if depths[opener] + 1 == level and closer - opener + 1 >= size
        }
        assert set(zip(*(one.tolist() for one in stretch.large_pairs(sizes)), strict=True)) == wanted


@given(texts, st.integers(0, 400))
def test_what_is_cut_off_is_forgotten(text: bytes, end: int) -> None:
    whole, part = Stretch(text, False), Stretch(text[:end], False)
    whole.cut(min(end, len(text)))
    assert whole.levels.before.tolist() == part.levels.before.tolist()
    nowhere = np.zeros(0, np.int64)
    outside = np.zeros(1, np.int32)
    assert whole.separators(nowhere, outside).tolist() == part.separators(nowhere, outside).tolist()


@pytest.mark.parametrize("backslashes", [*range(10), 62, 63, 64, 65, 127, 128])
def test_a_quote_after_any_number_of_backslashes(backslashes: int) -> None:
    for before in range(60, 68):
        text = b"x" * before + b"\\" * backslashes + b'"' + b' "'
        found = set_bits(quote_bits(text, np.frombuffer(text, np.uint8))).tolist()
        assert found == ([] if backslashes % 2 else [before + backslashes]) + [len(text) - 1]


def test_very_many_levels() -> None:
    stretch = Stretch(b"]" * 20_000 + b"[" * 30_000, False)
    closers, openers = stretch.unmatched
    assert closers.tolist() == list(range(20_000))
    assert openers.tolist() == list(range(20_000, 50_000))
