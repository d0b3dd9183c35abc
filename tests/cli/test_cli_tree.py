"""The tree of an outline: within its bytes and its width whatever these are, and nothing lost without being counted."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len

from milepost.cli.terminal import Terminal
from milepost.cli.tree import Tree, Wanted
from milepost.wire import More, Section

TOP, INSIDE = 60, 20


def section(kind: str, number: int, lines: tuple[int, int], weight: float = 0.3, **more: object) -> Section:
    start, end = lines
    return Section(
        **{
            "id": f"{kind}-{number}",
            "title": f"{kind} {number} 漢字 of some length",
            "kind": kind,
            "start_line": start,
            "end_line": end,
            "start_byte": 10 * start - 10,
            "end_byte": 10 * end,
            "digest": "what it holds, in a line that may be longer than there is room for on a screen " * 2,
            "count": 1,
            "facts": {},
            "children": (),
            "weight": weight,
            **more,
        }
    )


def log() -> list[Section]:
    """60 segments of 20 blocks each; three errors among these, one of them the very last."""
    errors = {(17, 3), (17, 4), (59, 19)}
    sections = []
    for top in range(TOP):
        first = top * 100 + 1
        children = [
            section(
                "incident", top * INSIDE + one, (first + 5 * one, first + 5 * one + 4), 0.9, facts={"severity": "error"}
            )
            if (top, one) in errors
            else section("block", top * INSIDE + one, (first + 5 * one, first + 5 * one + 4))
            for one in range(INSIDE)
        ]
        sections.append(section("segment", top, (first, first + 99), children=tuple(children)))
    return sections


def terminal(**options: object) -> Terminal:
    return Terminal(out=io.BytesIO(), err=None, **options)  # type: ignore[arg-type]


def rendered(max_bytes: int, sections: list[Section] | None = None, **options: object) -> str:
    on = terminal(**options)
    tree = Tree(log() if sections is None else sections, on)
    data = tree.render("name · log\n", Wanted(max_bytes)).data
    assert len(data) <= max_bytes
    return data.decode(on.encoding)


@pytest.mark.parametrize("color", [False, True], ids=["plain", "colour"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_cap_and_the_width_hold_whatever_they_are(width, color):
    for max_bytes in [*range(0, 120, 7), 400, 4096, 1 << 20]:
        text = rendered(max_bytes, width=width, color=color)
        for line in text.splitlines():
            assert cell_len(re.sub(r"\x1b\[[0-9;]*m", "", line)) <= width


@pytest.mark.parametrize("max_bytes", [2048, 4096, 16384])
def test_errors_show_wherever_they_lie(max_bytes):
    text = rendered(max_bytes)
    assert text.count("✖ incident") == 3
    assert "\n5996-6000   ✖ incident" in text


@pytest.mark.parametrize("max_bytes", [700, 2048, 16384, 1 << 20])
def test_what_is_not_shown_is_counted_in_its_place(max_bytes):
    """Walks the rows as a reader would: every section is a row of its own, or in a count that stands where it lies."""
    rows = rendered(max_bytes).splitlines()[1:]
    merged = sum(int(row.split("…")[1].split("×")[0]) for row in rows if re.search(r"^ *\S+ … \d+ ×", row))
    shown = sum(bool(re.search(r"^ *\S+ ▸ segment", row)) for row in rows)
    assert merged + shown == TOP
    at = 1
    for row in rows:
        if re.search(r"^ *\S+ (▸|…) ", row):
            start, _, end = row.split()[0].partition("-")
            assert int(start) == at
            at = int(end or start) + 1
    assert at == TOP * 100 + 1
    inside = 0
    for row in rows:
        if hidden := re.search(r" \+(\d+) --section segment-\d+$", row):
            assert int(hidden[1]) == INSIDE
        elif re.search(r"^ *\S+   [✖·] ", row):
            inside += 1
        elif counted := re.search(r"^ *\S+   … (\d+) more", row):
            inside += int(counted[1])
    assert inside % INSIDE == 0
    if max_bytes == 1 << 20:
        assert inside == TOP * INSIDE


def test_children_that_are_not_listed_at_all_are_counted_too():
    text = rendered(4096, [section("segment", 1, (1, 9), more=More(count=4096, cursor="x"))])
    assert "+4,096 --section segment-1" in text


def test_a_section_inside_a_line_is_named_by_bytes():
    text = rendered(4096, [section("block", 1, (1, 1), start_byte=100, end_byte=350, start_column=100)])
    assert "\n@100:250 · block 1" in text


def test_a_stream_without_these_characters_gets_others():
    for encoding in ("ascii", "latin-1", "cp437"):
        text = rendered(4096, encoding=encoding)
        text.encode("ascii" if encoding == "ascii" else encoding)
        assert "\\u6f22" in text
        assert "E incident" in text


@pytest.mark.parametrize("hostile", ["\x1b[31mred", "a\nb", "\u202egnp.exe", "\udcff", "\x9b5m"])
def test_nothing_that_acts_on_a_terminal_gets_out(hostile):
    text = rendered(4096, [section("block", 1, (1, 2), title=f"a{hostile.encode('utf-8', 'replace').decode()}b")])
    assert text.count("\n") == 2
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\ud800-\udfff]", text)
