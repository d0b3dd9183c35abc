"""Every reply fits its cap, whatever the cap, and what it says about itself is true of what it still holds."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milepost import wire
from milepost.core.outline import More, Outline, Section
from milepost.limits import ENVELOPE_BYTES, Fitted, Listing, fit_json_text, fit_reply, fit_text

CURSOR_AT = Listing(
    cursor_at_byte=lambda section, byte: f"C<{section}@{byte}>", cursor_at=lambda index: f"C<{index:05}>"
)


def caps(largest: int) -> Iterable[int]:
    """Every small cap, then odd steps up to the one that all fits into."""
    return [*range(130), *range(130, largest, 29), largest]


def fitted_both_ways(reply: wire.Reply, cap: int, listing: Listing = CURSOR_AT) -> Fitted:
    """Fit for both front doors; both must hold the cap and say the same."""
    plain, camel = (fit_reply(reply, cap, camel=spelling, listing=listing) for spelling in (False, True))
    for fitted in (plain, camel):
        # A stub is the least there is; it is not in an envelope that could be any smaller.
        assert len(fitted.data) + (ENVELOPE_BYTES if fitted.reply else 0) <= cap
        assert not fitted.data or json.loads(fitted.data) == fitted.payload
    assert plain.reply == camel.reply
    if plain.reply:
        assert wire.dump_plain(type(reply).model_validate_json(plain.data)) == plain.payload
        assert len(plain.data) >= len(camel.data)
    return plain


# --- outlines ---------------------------------------------------------------------------------------------------------


def make_outline(shape: list[Any], weight_of: Callable[[int], float] = lambda number: 0.3) -> Outline:
    """Nested lists as an outline: a number is a leaf of so many lines, a list a section that holds its members."""
    number = 0

    def build(part: Any, level: int, line: int) -> Section:
        nonlocal number
        number += 1
        mine = number
        if isinstance(part, list):
            children: list[Section] = []
            at = line
            for inner in part:
                children.append(build(inner, level + 1, at))
                at = children[-1].end_line + 1
        else:
            children, at = [], line + part
        more = More(part % 3) if not isinstance(part, list) and part % 3 else None
        return Section(
            id=f"block-{level}-{10 * (line - 1):x}",
            title=f"Section number {mine} é",
            kind="block",
            start_line=line,
            end_line=at - 1,
            start_byte=10 * (line - 1),
            end_byte=10 * (at - 1),
            digest="what it holds " * (mine % 4),
            children=tuple(children),
            facts={"severity": "error", "templates": ["connection from <*> refused"] * (mine % 9)},
            weight=weight_of(mine),
            more=more,
        )

    top = build(shape, 0, 1)
    return Outline(
        "log/a.log", "log", "utf-8", "lf", 0, top.end_line, top.end_byte, sections=top.children, stats={"scan_ms": 12}
    )


def as_reply(outline: Outline) -> wire.OutlineReply:
    return wire.outline_from_core(outline, CURSOR_AT.cursor_at_byte)


SHAPES = [
    [[3, 4, [5, 6, 7]], 8, [9, [10, [11, 12]], 13], 14, [15, 16], 17],
    [[1] * 12, [2] * 5],
    [3] * 25,
    [[[[[4, 5]]]]],
    [7],
]


def shown(sections: Iterable[wire.Section]) -> list[wire.Section]:
    return [one for section in sections for one in (section, *shown(section.children))]


def check_outline(reply: wire.OutlineReply, outline: Outline) -> None:
    """What an outline that was made smaller must still be."""
    known: dict[str, Section] = {}
    waiting = list(outline.sections)
    while waiting:
        section = waiting.pop()
        known[section.id] = section
        waiting.extend(section.children)
    if reply.sections:
        edges = [(section.start_byte, section.end_byte) for section in reply.sections]
        assert edges[0][0] == 0, "the top level begins with the file"
        assert edges[-1][1] == outline.total_bytes, "the top level ends with the file"
        assert all(left[1] == right[0] for left, right in pairwise(edges)), "and has no gap"
    stand_alone = 0
    members = 0
    for section in shown(reply.sections):
        if section.kind == "group":
            members += section.count
            assert section.more == wire.More(count=section.count, cursor=f"C<@{section.start_byte}>")
            continue
        stand_alone += 1
        original = known[section.id]
        facts = {name: value for name, value in original.facts.items() if name not in section.omitted_facts}
        assert section.facts == facts, "a fact is there or named"
        listed = [child.id for child in section.children]
        ids = [child.id for child in original.children]
        assert listed == [name for name in ids if name in listed], "order is kept"
        hidden = original.more.count if original.more else 0
        assert len(listed) + (section.more.count if section.more else 0) == len(ids) + hidden, "nothing is lost"
        missing = [child for child in original.children if child.id not in listed]
        if section.more:
            goes_on = original.start_byte if hidden else missing[0].start_byte
            assert section.more.cursor == f"C<{original.id}@{goes_on}>"
    assert stand_alone + reply.omitted_sections == len(known)
    if reply.sections:
        tops = [section for section in reply.sections if section.kind != "group"]
        assert len(tops) + members == len(outline.sections)
    is_slim = any(section.omitted_facts for section in shown(reply.sections))
    assert reply.truncated == (reply.omitted_sections > 0 or is_slim or not reply.stats)


@pytest.mark.parametrize("shape", SHAPES, ids=["mixed", "two", "flat", "deep", "one"])
def test_an_outline_holds_any_cap(shape: list[Any]) -> None:
    outline = make_outline(shape, lambda number: (number * 37 % 101) / 101)
    reply = as_reply(outline)
    whole = len(wire.to_json(reply, camel=False)) + ENVELOPE_BYTES
    for cap in caps(whole):
        fitted = fitted_both_ways(reply, cap).reply
        if isinstance(fitted, wire.OutlineReply):
            check_outline(fitted, outline)
    assert fitted == reply, "with room for all of it, it is all there"


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(st.integers(1, 5), lambda inner: st.lists(inner, min_size=1, max_size=8), max_leaves=40).filter(
        lambda shape: isinstance(shape, list)
    ),
    st.integers(0, 6000),
    st.lists(st.floats(0, 1), min_size=1, max_size=7),
)
def test_any_outline_holds_any_cap(shape: list[Any], cap: int, weights: list[float]) -> None:
    outline = make_outline(shape, lambda number: weights[number % len(weights)])
    fitted = fitted_both_ways(as_reply(outline), cap).reply
    if isinstance(fitted, wire.OutlineReply):
        check_outline(fitted, outline)


def test_what_weighs_most_stays_wherever_it_stands() -> None:
    heavy = {77, 1234, 2500, 3999, 4620}
    outline = make_outline([[[1] * 15] * 16] * 18, lambda number: 0.9 if number in heavy else 0.3)
    fitted = fit_reply(as_reply(outline), 16384, camel=True, listing=CURSOR_AT).reply
    assert isinstance(fitted, wire.OutlineReply)
    check_outline(fitted, outline)
    assert heavy <= {int(section.title.split()[2]) for section in shown(fitted.sections) if section.kind != "group"}


def test_of_equals_both_ends_stay_and_the_middle_is_one_group() -> None:
    fitted = fit_reply(as_reply(make_outline([3] * 100)), 3000, camel=False, listing=CURSOR_AT).reply
    assert isinstance(fitted, wire.OutlineReply)
    kinds = [section.kind for section in fitted.sections]
    assert kinds.count("group") == 1
    assert 1 < kinds.index("group") < len(kinds) - 2


def test_long_facts_make_way_for_sections() -> None:
    outline = make_outline([[1] * 8] * 4)
    reply = as_reply(outline)
    fitted = fit_reply(reply, len(wire.to_json(reply, camel=False)), camel=False, listing=CURSOR_AT).reply
    assert isinstance(fitted, wire.OutlineReply)
    check_outline(fitted, outline)
    assert fitted.omitted_sections == 0
    assert {name for section in shown(fitted.sections) for name in section.omitted_facts} == {"templates"}
    assert all("severity" in section.facts for section in shown(fitted.sections))


def test_depth_and_number_can_be_bounded_too() -> None:
    outline = make_outline(SHAPES[0])
    for depth, max_nodes in [(1, None), (2, None), (None, 1), (None, 4), (2, 5), (9, 99)]:
        listing = Listing(CURSOR_AT.cursor_at_byte, CURSOR_AT.cursor_at, depth=depth, max_nodes=max_nodes)
        fitted = fitted_both_ways(as_reply(outline), 1 << 20, listing).reply
        assert isinstance(fitted, wire.OutlineReply)
        check_outline(fitted, outline)
        assert len(shown(fitted.sections)) <= (max_nodes or 99)
        assert depth != 1 or not any(section.children for section in fitted.sections)


def test_pages_follow_each_other_without_a_gap() -> None:
    outline = make_outline([[1, 2], 3, [4, 5, 6], 7, 8, [9], 10, 11])
    for cap in range(520, 1600, 41):
        rest, pages = outline.sections, 0
        while rest:
            page = as_reply(make_page(outline, rest))
            listing = Listing(CURSOR_AT.cursor_at_byte, in_order=True)
            fitted = fitted_both_ways(page, cap, listing).reply
            if not isinstance(fitted, wire.OutlineReply) or not fitted.sections:
                break  # not even one section fits
            count = len(fitted.sections)
            assert [section.id for section in fitted.sections] == [section.id for section in rest[:count]]
            assert fitted.next == (f"C<@{rest[count].start_byte}>" if rest[count:] else None)
            rest, pages = rest[count:], pages + 1
        assert not rest or cap < 1100
        assert pages <= len(outline.sections)


def make_page(outline: Outline, sections: tuple[Section, ...]) -> Outline:
    return Outline(outline.path, "log", "utf-8", "lf", 0, outline.total_lines, outline.total_bytes, sections=sections)


def test_a_large_outline_is_fitted_in_the_time_of_a_few_serializations() -> None:
    reply = as_reply(make_outline([[[1] * 15] * 16] * 18, lambda number: (number * 37 % 101) / 101))
    assert len(shown(reply.sections)) > 4500

    def best_of_three(work: Callable[[], object]) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            work()
            times.append(time.process_time() - start)
        return min(times)

    one = best_of_three(lambda: wire.to_json(reply, camel=False))
    fit = best_of_three(lambda: fit_reply(reply, 16384, camel=True, listing=CURSOR_AT))
    assert fit < 12 * one, f"{fit * 1000:.1f} ms against {one * 1000:.1f} ms"


# --- texts ------------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


def parts(text: str) -> tuple[str, int | None]:
    """What was kept, and how many bytes the notice says are missing."""
    start = text.rfind("[truncated: ")
    if start < 0 or not text.endswith(" bytes dropped, refine your query]"):
        return text, None
    return text[:start], int(text[start:].split()[1])


@given(TEXTS, st.integers(0, 400))
def test_a_text_is_whole_or_says_exactly_what_is_missing(text: str, cap: int) -> None:
    for fit, length in [
        (fit_text, lambda value: len(value.encode())),
        (fit_json_text, lambda value: len(json.dumps(value, ensure_ascii=False).encode()) - 2),
    ]:
        fitted = fit(text, cap)
        assert length(fitted) <= cap
        kept, missing = parts(fitted)
        assert text.startswith(kept)
        if length(text) <= cap:
            assert fitted == text
        elif missing is None:
            assert length("[truncated: 0 bytes dropped, refine your query]") > cap - 3, "only where no notice fits"
        else:
            assert missing == len(text.encode()) - len(kept.encode())


# --- reads ------------------------------------------------------------------------------------------------------------

CONTENT = 'first "quoted" line\r\nzweite Zeile: äöü €\n\n\ttab and \\ and \x1b[31m red\rlast: 日本 😀' * 3
ENCODINGS = ["utf-8", "utf-16-le", "utf-32-be", "utf-8-lossy"]


def read_of(raw: bytes, encoding: str, start_byte: int, start_line: int) -> wire.ReadReply:
    """What the service gives for everything from a byte on."""
    name, lossy = encoding.removesuffix("-lossy"), encoding.endswith("-lossy")
    content = raw[start_byte:].decode(name, "replace")
    return wire.ReadReply(
        path="a.txt",
        content=content,
        encoding=name,
        lossy=lossy,
        start_line=start_line,
        end_line=start_line + len(wire_lines(content)) - 1,
        start_byte=start_byte,
        end_byte=len(raw),
        total_lines=None,
        truncated=False,
        omitted_bytes=0,
        next=None,
        content_base64=base64.b64encode(raw[start_byte:]).decode() if lossy else None,
    )


def wire_lines(text: str) -> list[str]:
    """Lines as Milepost counts them, with their ends."""
    return text.replace("\r\n", "\0").replace("\r", "\1\0").replace("\n", "\2\0").removesuffix("\0").split("\0")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_read_holds_any_cap_and_goes_on_where_it_stopped(encoding: str) -> None:
    raw = CONTENT.encode(encoding.removesuffix("-lossy"))
    raw = raw[:40] + b"\xff\xfe" + raw[40:] if encoding.endswith("-lossy") else raw
    whole = read_of(raw, encoding, 0, 1)
    for cap in caps(len(wire.to_json(whole, camel=False)) + ENVELOPE_BYTES):
        at, line, collected = 0, 1, b""
        while True:
            asked = read_of(raw, encoding, at, line)
            fitted = fitted_both_ways(asked, cap).reply
            if not isinstance(fitted, wire.ReadReply) or not fitted.content:
                break
            held = raw[fitted.start_byte : fitted.end_byte]
            assert held.decode(whole.encoding, "replace") == fitted.content
            assert fitted.content_base64 is None or base64.b64decode(fitted.content_base64) == held
            assert fitted.end_line == line + len(wire_lines(fitted.content)) - 1
            assert fitted.omitted_bytes == len(raw) - fitted.end_byte
            assert fitted.truncated == bool(fitted.omitted_bytes) == (fitted.next is not None)
            collected += held
            if fitted.next is None:
                break
            assert fitted.notice == f"[truncated: {fitted.omitted_bytes} bytes dropped, refine your query]"
            at, line = fitted.next.start_byte, fitted.next.line
        assert collected == raw or cap < 600
    assert fitted == whole


# --- lists ------------------------------------------------------------------------------------------------------------


def quote(number: int, text: str = "a line with a hit") -> wire.Quote:
    return wire.Quote(
        text=text,
        start_line=number,
        end_line=number,
        start_byte=100 * number,
        end_byte=100 * number + 3,
        section=None,
        verified=True,
    )


def find_of(hits: list[wire.Quote]) -> wire.FindReply:
    return wire.FindReply(
        path="a.log", hits=tuple(hits), total_hits=None, truncated=False, omitted_hits=0, next=None, total_lines=None
    )


def test_hits_are_left_out_from_the_end_and_counted() -> None:
    reply = find_of([quote(number) for number in range(1, 13)])
    for cap in caps(len(wire.to_json(reply, camel=False)) + ENVELOPE_BYTES):
        fitted = fitted_both_ways(reply, cap).reply
        if isinstance(fitted, wire.FindReply):
            count = len(fitted.hits)
            assert [hit.start_line for hit in fitted.hits] == list(range(1, count + 1))
            assert fitted.omitted_hits == 12 - count
            assert fitted.truncated == (count < 12)
            if fitted.truncated and fitted.next:
                assert fitted.next == f"C<{count:05}>"
    assert fitted == reply


def test_a_first_hit_that_is_too_long_is_cut_so_that_a_search_gets_on() -> None:
    reply = find_of([quote(1, "x" * 5000), quote(2)])
    fitted = fitted_both_ways(reply, 1000).reply
    assert isinstance(fitted, wire.FindReply)
    assert [parts(hit.text)[1] for hit in fitted.hits] == [5000 - fitted.hits[0].text.count("x")]
    assert fitted.next == "C<00001>"


def test_chunks_are_left_out_from_the_end_and_counted() -> None:
    spans = [wire.Span(start_line=n, end_line=n, start_byte=10 * n - 10, end_byte=10 * n) for n in range(1, 30)]
    reply = wire.PlanReply(
        path="a.log",
        chunks=tuple(spans),
        chunk_count=29,
        line_count=29,
        byte_count=290,
        plan_hash="0" * 32,
        truncated=False,
        omitted_chunks=0,
        next=None,
    )
    for cap in caps(len(wire.to_json(reply, camel=False)) + ENVELOPE_BYTES):
        fitted = fitted_both_ways(reply, cap).reply
        if isinstance(fitted, wire.PlanReply):
            assert fitted.chunks == reply.chunks[: len(fitted.chunks)]
            assert fitted.omitted_chunks == 29 - len(fitted.chunks)
    assert fitted == reply


def test_checks_that_failed_stay_longest() -> None:
    checks = tuple(wire.CheckResult(name=f"rule {n}", ok=n != 17, message="compared " * 5) for n in range(20))
    reply = wire.CheckReply(path="a.log", ok=False, checks=checks, truncated=False)
    for cap in caps(len(wire.to_json(reply, camel=False)) + ENVELOPE_BYTES):
        fitted = fitted_both_ways(reply, cap).reply
        if isinstance(fitted, wire.CheckReply) and fitted.checks:
            assert any(not check.ok for check in fitted.checks)
    assert fitted == reply


# --- summaries --------------------------------------------------------------------------------------------------------


def summary_of(**fields: Any) -> wire.SummarizeReply:
    stats = wire.SummaryStats(
        total_lines=10,
        total_bytes=100,
        chunks_read=1,
        chunks_total=1,
        bytes_examined=100,
        calls=0,
        input_tokens=0,
        output_tokens=0,
        dropped_entries=0,
        duration_ms=3,
        summarizer="extractive",
    )
    outline = as_reply(make_outline(SHAPES[0], lambda number: number / 50)).sections
    return wire.SummarizeReply(
        path="a.log",
        summary='It starts, "fails" twice\nand ends. ' * 9,
        outline=outline,
        cursor="",
        truncated=False,
        followups=("Why did it fail?", 'What is "x"?'),
        stats=stats,
        **fields,
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"answer": wire.Answer(text="The disk is full. " * 9, found=True, quotes=(quote(3), quote(5)))},
        {"content": CONTENT, "encoding": "utf-8", "compact": "1-3 start\n" * 9},
        {"error": wire.ErrorInfo(kind="file_changed", message="the file was cut short meanwhile " * 9)},
    ],
    ids=["summary", "answer", "small file", "interrupted"],
)
def test_a_summary_holds_any_cap(fields: dict[str, Any]) -> None:
    reply = summary_of(**fields)
    for cap in caps(len(wire.to_json(reply, camel=False)) + ENVELOPE_BYTES):
        fitted = fitted_both_ways(reply, cap).reply
        if isinstance(fitted, wire.SummarizeReply):
            assert fitted.truncated == (fitted != reply)
            assert len(shown(fitted.outline)) + fitted.omitted_sections >= len(shown(reply.outline))
            assert fitted.stats == reply.stats
            if fitted.answer and reply.answer:
                assert fitted.answer.quotes == reply.answer.quotes[: len(fitted.answer.quotes)]
            if fitted.content is not None and fitted.next is not None:
                assert CONTENT.encode()[: fitted.next.start_byte].decode() == fitted.content
    assert fitted == reply


def test_the_envelope_has_room() -> None:
    envelope = {"jsonrpc": "2.0", "id": "01234567-89ab-cdef-0123-456789abcdef", "result": 0}
    assert len(json.dumps(envelope)) - 1 <= ENVELOPE_BYTES
