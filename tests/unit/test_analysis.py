"""One file understood: growth, groups that are expanded, runs of NULs, what is kept between questions."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.core.analysis import Analysis, Options
from milepost.core.identity import Change
from milepost.core.lines import LineIndex, line_starts
from milepost.core.outline import walk
from milepost.core.source import BytesSource, open_source
from milepost.errors import Cancelled, NotFound


def log_bytes(lines: int, seed: int = 3) -> bytes:
    chance = random.Random(seed)
    text = []
    for number in range(lines):
        second = number // 20
        stamp = f"2026-03-01 {second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}"
        text.append(f"{stamp} INFO worker-{chance.randrange(8)} order {chance.randrange(99999)} booked\n")
        if chance.random() < 0.002:
            text.append(f"{stamp} ERROR worker-1 order failed\n\tat shop.Orders.book(Orders.java:1)\nCaused by: disk\n")
    return "".join(text).encode()


@settings(max_examples=12, deadline=None)
@given(cut=st.integers(1_100_000, 2_900_000), seed=st.integers(0, 3))
def test_a_file_that_grew_is_outlined_as_if_it_had_always_been_longer(
    tmp_path_factory: pytest.TempPathFactory, cut: int, seed: int
) -> None:
    """The old end may lie inside a line or a trace; only what is new is scanned."""
    data = log_bytes(60_000, seed)
    path = tmp_path_factory.mktemp("grown") / "app.log"
    path.write_bytes(data[:cut])
    analysis = Analysis(open_source(path))
    analysis.outline()
    before = analysis.scan.examined_bytes if analysis.scan else 0
    with path.open("ab") as file:
        file.write(data[cut:])
    assert analysis.refresh(open_source(path)) is Change.GREW
    grown = analysis.outline()
    assert grown.sections == Analysis(open_source(path)).outline().sections
    assert analysis.scan is not None
    assert analysis.scan.examined_bytes - before <= len(data) - cut + (3 << 20)


def test_a_file_rewritten_in_place_is_scanned_anew(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_bytes(log_bytes(30_000, 1))
    analysis = Analysis(open_source(path))
    first = analysis.outline()
    path.write_bytes(log_bytes(40_000, 2))  # copytruncate, and grown past its old size
    assert analysis.refresh(open_source(path)) is Change.CHANGED
    assert analysis.outline().sections != first.sections


def test_an_unchanged_file_is_not_scanned_twice(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_bytes(log_bytes(30_000))
    analysis = Analysis(open_source(path))
    outline = analysis.outline()
    assert analysis.refresh(open_source(path)) is Change.SAME
    assert analysis.outline() is outline


def test_a_cancelled_scan_goes_on_where_it_stopped() -> None:
    data = log_bytes(60_000)
    analysis = Analysis(BytesSource("app.log", data))
    asked = iter(range(100))
    with pytest.raises(Cancelled):
        analysis.outline(should_stop=lambda: next(asked) >= 2)
    partial = analysis.provisional()
    assert partial.state == "provisional"
    assert partial.sections[-1].kind == "unscanned"
    assert partial.sections[-1].end_byte == len(data)
    assert analysis.outline().sections == Analysis(BytesSource("app.log", data)).outline().sections


def test_every_section_can_be_expanded_and_stays_within_itself() -> None:
    data = log_bytes(60_000)
    analysis = Analysis(BytesSource("app.log", data), Options(max_nodes=30))
    outline = analysis.outline()
    hidden = [section for section in walk(outline.sections) if section.more is not None]
    assert hidden, "a budget of 30 nodes leaves something out"
    for section in hidden:
        inside = analysis.expand(section)
        assert inside
        assert all(section.start_byte <= one.start_byte <= one.end_byte <= section.end_byte for one in inside)
        assert all(section.start_line <= one.start_line <= one.end_line <= section.end_line for one in inside)
        deepest = list(walk(inside))[-1]
        assert analysis.section(deepest.id) == deepest


def test_lone_carriage_returns_at_the_ends_of_stripes_are_counted() -> None:
    outline = Analysis(BytesSource("rows.txt", b"a,b,c\r" * 500_000)).outline()
    assert (outline.total_lines, outline.lone_cr, outline.line_ending) == (500_000, 500_000, "cr")


def test_an_unknown_section_is_named() -> None:
    with pytest.raises(NotFound, match="no-such-id"):
        Analysis(BytesSource("app.log", log_bytes(100))).section("no-such-id")


def test_a_sparse_file_is_a_run_of_nuls_and_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "sparse.log"
    hole = 300 << 20
    with path.open("wb") as file:
        file.seek(hole)
        file.write(log_bytes(10))
    outline = Analysis(open_source(path)).outline()
    assert outline.total_lines == 10
    assert (outline.sections[0].kind, outline.sections[0].end_byte) == ("nul_run", hole)
    assert outline.sections[-1].end_byte == os.path.getsize(path)


@given(
    st.lists(st.binary(max_size=40).map(lambda data: data.replace(b"\r", b"").replace(b"\n", b"")), max_size=30),
    st.data(),
)
def test_lines_counted_by_their_starts_are_the_lines_counted_by_the_byte(
    texts: list[bytes], data: st.DataObject
) -> None:
    """`LineIndex.feed_lines` against `feed`, over pieces that end where lines do, with every kind of line end."""
    ends = data.draw(st.lists(st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=len(texts), max_size=len(texts)))
    pieces: list[bytes] = []
    piece = b""
    for text, end in zip(texts, ends, strict=True):
        piece += text * data.draw(st.sampled_from([1, 1, 4000])) + end
        if data.draw(st.booleans()):
            pieces.append(piece)
            piece = b""
    pieces.append(piece)
    # A CR at the end of a piece stands alone: a scan never cuts between the two bytes of a CRLF.
    pieces = [one.removeprefix(b"\n") for one in pieces]
    plain, by_starts = LineIndex(), LineIndex()
    for piece in pieces:
        plain.feed(piece)
        by_starts.feed_lines(piece, line_starts(piece))
    for name in LineIndex.__slots__:
        if name != "_mask":
            assert getattr(plain, name) == getattr(by_starts, name), name
