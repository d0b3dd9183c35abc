"""Labels: within their bytes, on one line, with nothing in them that acts on a terminal or an editor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.core.text import clip_text, cut_text, plain_text


@pytest.mark.parametrize(
    "text, label",
    [
        ("  plain  ", "plain"),
        ("\x1b[1;31mERROR\x1b[0m disk\tfull", "ERROR disk full"),
        ("\x1b]0;window title\x07prompt", "prompt"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("10%\r 50%\rdone", "10%  50% done"),
        ("a\x00b\x07c", "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("\ufefffirst", "first"),
        ("one\u2028two", "one two"),
        ("half \udc80", "half \N{REPLACEMENT CHARACTER}"),
        ("cut \x1b[38;5", "cut"),
    ],
)
def test_a_label_is_plain(text: str, label: str) -> None:
    assert clip_text(text, 120) == label


@pytest.mark.parametrize(
    "max_bytes, label",
    [(12, "naïve café"), (11, "naïve c…"), (6, "na…"), (4, "n…"), (3, "…"), (2, "na"), (0, "")],
)
def test_a_label_is_cut_at_a_character(max_bytes: int, label: str) -> None:
    assert clip_text("naïve café", max_bytes) == label


@given(st.text(), st.integers(0, 300))
def test_no_label_is_too_long_or_acts(text: str, max_bytes: int) -> None:
    label = clip_text(text, max_bytes)
    assert len(label.encode()) <= max_bytes
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in label)
    assert plain_text(label) == label


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 100))
def test_a_cut_is_the_longest_beginning(text: str, max_bytes: int) -> None:
    cut = cut_text(text, max_bytes)
    assert text.startswith(cut)
    assert len(cut.encode()) <= max_bytes
    assert cut == text or len(text[: len(cut) + 1].encode()) > max_bytes


def test_a_line_of_megabytes_is_not_read_to_its_end_for_a_label() -> None:
    assert clip_text("\x1b[31m" + "x" * 50_000_000, 10) == "xxxxxxx…"
