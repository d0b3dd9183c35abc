"""Plain text: parts set off by rules, and the paragraphs in them."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import check_outline

from milepost.core import scan
from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline, walk
from milepost.core.source import BytesSource
from outlines import shown

UNDERLINED = b"""\
Notes on the release

Changes
=======

* One thing
* Another

Thanks to
---------
everybody

and you
"""
PARTED = b"""\
Preface

--------------------

left-pad 1.0 - MIT
https://example.org

Permission is granted

--------------------
--------------------

right-pad 2.0 - ISC
"""
BOXED = b"""\
##############
# Introduction
##############
words

more words
==============
Second chapter
==============
words
"""
HELP = b"""\
==============================================================================
VERSION 1  *version-1*

New things  *new*
-----------------
This and that

short - no rule
--
- item
---
"""
CASES = {
    "underlined": (
        UNDERLINED,
        [
            "Notes on the release 1-2",
            "Changes 3-8",
            " Changes 3-5",
            " * One thing 6-8",
            "Thanks to 9-13",
            " Thanks to 9-12",
            " and you 13-13",
        ],
    ),
    "parted": (
        PARTED,
        [
            "Preface 1-2",
            "left-pad 1.0 - MIT 3-9",
            " left-pad 1.0 - MIT 3-7",
            " Permission is granted 8-9",
            "right-pad 2.0 - ISC 10-13",
        ],
    ),
    "boxed": (
        BOXED,
        ["# Introduction 1-6", " # Introduction 1-5", " more words 6-6", "Second chapter 7-10"],
    ),
    "help": (
        HELP,
        ["VERSION 1  *version-1* 1-3", "New things  *new* 4-11", " New things  *new* 4-7", " short - no rule 8-11"],
    ),
    "nothing but rules": (b"----------\n\n----------\n", ["---------- 1-3"]),
    "none": (b"one\ntwo\n\nthree\n", ["one 1-3", "three 4-4"]),
}


def outline(data: bytes) -> Outline:
    return Analysis(BytesSource("x.txt", data), Options(format="text")).outline()


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_parts_begin_at_rules_and_hold_paragraphs(kind: str, line_end: bytes) -> None:
    data, expected = CASES[kind]
    assert shown(outline(data.replace(b"\n", line_end)).sections) == expected


@pytest.mark.parametrize("stripe_bytes", range(8, 64, 5))
@pytest.mark.parametrize("kind", CASES)
def test_titles_are_found_behind_the_end_of_a_block(
    kind: str, stripe_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, expected = CASES[kind]
    monkeypatch.setattr(scan, "STRIPE_BYTES", stripe_bytes)
    tops = [line for line in expected if not line.startswith(" ")]
    found = [line for line in shown(outline(data).sections) if not line.startswith(" ")]
    # Titles that stand over their rule are known too late where a block ends between the two.
    if kind in ("parted", "nothing but rules", "none"):
        assert found == tops
    assert check_outline(outline(data), data) == []


LINES = st.sampled_from([b"", b" ", b"text", b"a title", b"-------", b"==============", b"--------------", b"-- x"])


@settings(max_examples=300)
@given(lines=st.lists(LINES, max_size=40), stripe_bytes=st.integers(5, 80))
def test_any_text_is_covered_and_its_parts_can_be_listed(lines: list[bytes], stripe_bytes: int) -> None:
    data = b"\n".join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "STRIPE_BYTES", stripe_bytes)
        assert check_outline(outline(data), data) == []


def test_parts_of_a_long_text_are_listed_with_their_paragraphs() -> None:
    data = b"".join(
        b"--------------------\n\nlibrary %d\n\nsome words\n\nmore words\n\n" % number for number in range(5000)
    )
    analysis = Analysis(BytesSource("x.txt", data), Options(format="text"))
    found = analysis.outline()
    assert found.stats["parts"] == 5000
    group = found.sections[0]
    assert (group.kind, group.facts["of"]) == ("group", "section")
    listed = analysis.expand(group)
    assert sum(one.count if one.kind == "group" else 1 for one in listed) == group.count
    part = next(one for one in walk(listed) if one.kind == "section")
    assert [one.title for one in analysis.expand(part)] == [part.title, "some words", "more words"]


def test_a_line_of_base64_is_no_rule() -> None:
    coded = [base64.b64encode(bytes((7 * at + one) % 256 for one in range(57))) for at in range(60)]
    data = b"\n".join([b"Attached", b"", *coded[:30], b"+" * 76, *coded[30:], b"", b"The end", b""])
    assert [one.kind for one in outline(data).sections] == ["paragraph", "opaque", "paragraph"]
