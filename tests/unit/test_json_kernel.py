"""The compiled search of JSON marks and measures what the general code does, of any text."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from milepost.core import wasm
from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline
from milepost.core.source import BytesSource
from milepost.core.structure import json_scanner
from milepost.core.structure.json_index import Stretch
from milepost.core.structure.json_kernel import JsonKernel

PIECES = [
    b"{", b"}", b"[", b"]", b'"', b"\\", b'\\"', b"\\\\", b":", b",", b"a", b" ", b"0", b"\n", b"\x00", b"\xff",
    b"a" * 60, b"[" * 9,
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=80).map(b"".join)


@pytest.fixture(scope="module")
def kernel() -> JsonKernel:
    return JsonKernel()


@settings(max_examples=400, deadline=None)
@given(texts, st.booleans(), st.integers(-3, 5))
@example(b"\\" * 64 + b'"[', False, 0)
@example(b"a" * 63 + b"\\" + b'"]', True, 0)
@example(b"]" * 200 + b"[" * 300 + b"][" * 64, False, 2)
def test_it_says_what_the_general_code_says(kernel: JsonKernel, text: bytes, in_string: bool, known: int) -> None:
    general, compiled = Stretch(text, in_string), Stretch(text, in_string, kernel)
    for name in ("quotes", "strings", "openers", "closers"):
        assert np.array_equal(getattr(general, name), getattr(compiled, name)), name
    assert general.ends_in_string == compiled.ends_in_string
    for end in (len(text), len(text) // 2):
        general.cut(end)
        compiled.cut(end)
        for name in ("before", "lowest", "byte_lows"):
            assert np.array_equal(getattr(general.levels, name), getattr(compiled.levels, name)), name
        assert general.levels.greatest(known) == compiled.levels.greatest(known)


def outline_of(data: bytes) -> Outline:
    return Analysis(BytesSource("data.json", data), Options(format="json")).outline()


@pytest.mark.parametrize("fault", [b"", b'"an \\"end', b"]", b"// a remark\n"])
def test_outlines_are_the_same(fault: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole and broken, in several stretches."""
    chosen = random.Random(3)
    members = [
        {"id": number, "name": 'n\\"]' * chosen.randrange(4), "in": [[number] * chosen.randrange(9), {}]}
        for number in range(60_000)
    ]
    data = json.dumps({"items": members, "rest": [members[:50]] * 3}, indent=0).encode()
    data = data[: len(data) // 2] + fault + data[len(data) // 2 :] if fault else data
    monkeypatch.setattr(json_scanner, "STRETCH_BYTES", 1 << 16)
    monkeypatch.setattr(wasm, "AFTER_BYTES", 0)
    monkeypatch.setattr(wasm, "RELEASED_BYTES", 0)
    without = outline_of(data)
    used = []
    mark = JsonKernel.mark
    monkeypatch.setattr(JsonKernel, "mark", lambda *arguments: used.append(1) or mark(*arguments))
    monkeypatch.setattr(wasm, "WORTH_BYTES", 0)
    assert outline_of(data) == without
    assert used
