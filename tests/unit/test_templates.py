"""The template miner: what it holds for one template, what it keeps apart, and that batching never shows."""

from __future__ import annotations

import copy
import csv
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.core import templates
from milepost.core.templates import OTHER, TemplateMiner, fold_key


def mined(*lines: bytes) -> list[str]:
    """The template of each line, as text, once all are in."""
    miner = TemplateMiner()
    return [miner.text(number) for number in miner.add_lines(lines).tolist()]


@pytest.mark.parametrize(
    ("wording", "lines"),
    [
        ("took <*>", [b"took 12 ms", b"took 3 s", b"took 1.5 ms"]),
        ("took <*>ms", [b"took 12ms", b"took 3ms"]),
        ("from <*> port <*>", [b"from 10.0.0.1 port 22", b"from 192.168.7.20 port 40022"]),
        ("peer <*>", [b"peer 10.0.0.1:8080", b"peer fe80::1c2f:3aff:fe4b:5d6e", b"peer db-3.eu-west.example.net"]),
        ("resolving <*>", [b"resolving www.example.com", b"resolving mail.example.org"]),
        ("request <*> done", [b"request 1b4e28ba-2fa1-11d2-883f-0016d3cca427 done", b"request 7 done"]),
        ("page <*> at <*>", [b"page 0x7ffe12 at deadbe01", b"page 0x1 at 00ffaa99"]),
        ("open <*>: denied", [b"open /etc/shadow: denied", b"open /var/log/a.log: denied"]),
        ("GET <*>", [b"GET /a?x=1&y=2 HTTP/1.1", b"GET /b/c HTTP/1.0"]),
        ("GET https:<*> failed", [b"GET https://example.org/x failed", b"GET https://example.org/y/z failed"]),
        ("load <*> failed", [rb"load C:\Windows\a.dll failed", rb"load C:\b.dll failed"]),
        ("uid=<*> gid=<*>", [b"uid=0 gid=0", b"uid=1000 gid=-1"]),
        ("at <*> by cron", [b"at Fri Jun 17 07:07:00 2005 by cron", b"at Sat Jul 2 17:00:01 2005 by cron"]),
        ("ids <*> end", [b"ids 1 2 3 end", b"ids 7 end"]),
        (
            "connection from <*> (<*>)",
            [b"connection from 10.0.0.1 (a-1.b.example.net)", b"connection from 10.0.0.2 ()"],
        ),
        ("session closed for user <*>", [b"session closed for user root", b"session closed for user bob"]),
        ("<*>[<*>] up", [b"\x1b[32m10\x1b[0m[1] up", b"7[2] up"]),
        ("disk sda<*> full", [b"disk sda1 full\0\0\0", b"disk sda2 full"]),
        (
            '{"time":<*>, "level":"warn", "free":<*>}',
            [b'{"time":1,"level":"warn","free":3.5}', b'{"time":22,"level":"warn","free":0.1}'],
        ),
    ],
)
def test_lines_that_differ_in_values_have_one_template(wording: str, lines: Sequence[bytes]) -> None:
    assert mined(*lines) == [wording] * len(lines)


@pytest.mark.parametrize(
    "lines",
    [
        [b"disk full", b"disk ok"],
        [b"link up", b"link down", b"link flapping", b"link lost"],
        [b"receiver x+ error", b"receiver x- error"],
        [b"state RUNNING to DONE", b"state RUNNING to FAILED"],
        [b"cupsd startup succeeded", b"klogd startup succeeded"],
        [b"power/control problem", b"power/memory problem"],
        [b"retry", b"retry now", b"retry it now"],
        [b'{"level":"warn","event":"full"}', b'{"level":"warn","event":"empty"}'],
    ],
)
def test_lines_that_differ_in_wording_have_templates_of_their_own(lines: Sequence[bytes]) -> None:
    assert mined(*lines) == [b" ".join(line.replace(b",", b", ").split()).decode() for line in lines]


def test_a_position_with_many_values_becomes_variable_and_the_ids_given_before_redirect() -> None:
    miner = TemplateMiner()
    first = miner.add_lines([b"invalid login: %b from tty1" % name for name in (b"ann", b"bob", b"cem", b"dan")])
    assert len({miner.resolve(number) for number in first.tolist()}) == 4

    last = miner.add_lines([b"invalid login: eve from tty1", b"invalid login: fay from tty2"])
    assert {miner.resolve(number) for number in (*first.tolist(), *last.tolist())} == {first[0]}
    assert miner.text(first[3]) == "invalid login: <*> from tty<*>"
    assert miner.count(first[3]) == 6
    assert miner.templates() == [(first[0], 6)]


def test_values_that_vary_together_become_variable_though_they_never_differ_alone() -> None:
    names = [
        "".join(letters) for letters in zip("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm", strict=True)
    ]
    lines = [f"copied {name} to {name}x on this node".encode() for name in names]
    assert set(mined(*lines)) == {"copied <*> to <*> on this node"}


def test_the_name_of_a_variable_value_stays() -> None:
    lines = [b"login user=%b ok" % name for name in (b"ann", b"bob", b"cem", b"dan", b"eve")]
    assert set(mined(*lines)) == {"login user=<*> ok"}


def test_beside_a_lone_word_it_takes_more_values_to_be_variable() -> None:
    wordings = [b"PanelView: " + bytes([letter]) * 5 for letter in b"abcdefghijklmnopqrst"]
    assert mined(*wordings[:19]) == [wording.decode() for wording in wordings[:19]]
    assert set(mined(*wordings)) == {"PanelView: <*>"}


def test_one_word_lines_are_never_taken_for_values_of_nothing() -> None:
    words = [b"alpha", b"beta", b"gamma", b"delta", b"epsilon", b"a.b.c", b"a.b.d", b"a.b.e", b"a.b.f", b"a.b.g"]
    assert mined(*words) == [word.decode() for word in words]


WORDS = st.sampled_from(
    [b"open", b"close", b"of", b"file", b"user", b"for", b"ann", b"bob", b"cem", b"dan", b"eve", b"x=1"]
)
VALUES = st.one_of(st.integers(0, 999).map(lambda value: b"%d" % value), st.binary(max_size=6))
LINES = st.lists(st.lists(st.one_of(WORDS, WORDS, VALUES), max_size=6).map(b" ".join), max_size=60)


@given(lines=LINES, cuts=st.lists(st.integers(0, 60), max_size=6), max_templates=st.sampled_from([1, 2, 5, 4000]))
def test_batching_and_checkpoints_never_show(lines: list[bytes], cuts: list[int], max_templates: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates, "MAX_KNOWN_KEYS", 12)  # so that keys are forgotten on the way
        whole = TemplateMiner(max_templates)
        expected = whole.add_lines(lines).tolist()

        batched = TemplateMiner(max_templates)
        ids: list[int] = []
        edges = sorted({0, *(cut for cut in cuts if cut < len(lines)), len(lines)})
        for start, end in pairwise(edges):
            abandoned = copy.deepcopy(batched)  # what goes into one miner must not reach its copies
            ids += batched.add_lines(lines[start:end]).tolist()
            abandoned.add_lines([b"close of file", b"something else"])
        assert ids == expected
        assert batched.templates() == whole.templates()
        assert [batched.text(number) for number, _ in batched.templates()] == [
            whole.text(number) for number, _ in whole.templates()
        ]
        assert sum(count for _, count in whole.templates()) == len(lines)
        assert len(whole) <= max_templates


def test_many_lines_go_through_in_inner_batches() -> None:
    lines = [b"job %d of queue q%d" % (number, number % 7) for number in range(templates.MAX_BATCH_LINES * 2 + 5)]
    miner = TemplateMiner()
    ids = miner.add_lines(lines)
    assert len(ids) == len(lines)
    assert miner.templates() == [(ids[0], len(lines))]


def test_past_the_limit_the_rarest_fall_into_other_and_are_counted() -> None:
    miner = TemplateMiner(max_templates=4)
    often = miner.add_lines([b"heartbeat received"] * 9)
    rare = miner.add_lines([b"alpha", b"beta", b"gamma", b"delta"])
    assert len(miner) == 4
    assert miner.resolve(rare[0]) == OTHER
    assert miner.count(OTHER) == 1
    assert miner.text(OTHER) == "(other lines)"
    assert miner.templates()[0] == (often[0], 9)
    assert miner.templates()[-1] == (OTHER, 1)

    again = miner.add_lines([b"alpha", b"heartbeat received"])
    assert again[0] not in (OTHER, rare[0])  # it may come to be frequent now
    assert miner.count(again[1]) == 10


def test_template_of_neither_counts_nor_learns() -> None:
    miner = TemplateMiner()
    ids = miner.add_lines([b"disk sda1 full"])
    before = miner.templates()
    assert miner.template_of(b"disk sda77 full") == ids[0]
    assert miner.template_of(b"disk \x1b[1msda7\x1b[0m full") == ids[0]
    assert miner.template_of(b"disk sda1 ok") is None
    assert miner.template_of(b"disk sda1 ok") is None
    assert miner.templates() == before


def test_of_a_long_line_only_the_start_counts() -> None:
    start = b"dump follows: " + b"word " * 200
    miner = TemplateMiner()
    ids = miner.add_lines([start + b"a" * 2_000_000, start + b"b", start + b"7" * 900])
    assert len(set(ids.tolist())) == 1
    assert miner.template_of(start) == ids[0]


@pytest.mark.parametrize(
    ("max_bytes", "text"), [(120, "größe <*> überschritten"), (12, "größe <…"), (11, "größe …"), (3, "…"), (2, "")]
)
def test_text_is_cut_by_bytes_between_characters(max_bytes: int, text: str) -> None:
    miner = TemplateMiner()
    ids = miner.add_lines(["größe 12 überschritten".encode()])
    assert miner.text(ids[0], max_bytes) == text


def test_text_is_fit_to_show_whatever_the_bytes() -> None:
    assert mined(b"a\xff\x1b]0;title\x07b\x85", b"", b"\0\0", b"two\nlines \xe2\x80\xa8") == [
        "a�b�",
        "(blank)",
        "(blank)",
        "two lines  ",
    ]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (b"error 5 at 0x7f12", b"error 117 at 0xdeadbeef", True),
        (b"job 1b4e28ba-2fa1-11d2-883f-0016d3cca427 failed", b"job deafbeef-cafe-4bad-9bad-aaaaaaaaaaa1 failed", True),
        (b"\x1b[31mdisk sda1\x1b[0m full", b"disk sda12 full", True),
        (b"commit 9fceb02 bad", b"commit 41e7a3d bad", True),
        (b"disk sda1 full", b"disk sda1 ok", False),
        (b"added face", b"added cafe", False),
    ],
)
def test_fold_key_folds_numbers_and_hexadecimal_ids_only(one: bytes, other: bytes, same: bool) -> None:
    assert (fold_key(one) == fold_key(other)) is same


def test_a_limit_of_no_templates_is_refused() -> None:
    with pytest.raises(ValueError, match="max_templates"):
        TemplateMiner(0)


@pytest.mark.corpus
def test_lines_labelled_by_hand_are_grouped_as_their_labels_say(corpus: Path) -> None:
    accuracies = []
    for path in sorted(corpus.glob("loghub-labels/*/*_structured_corrected.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            records = list(csv.DictReader(file))
        miner = TemplateMiner()
        ids = miner.add_lines([record["Content"].encode() for record in records]).tolist()
        groups, events = defaultdict(list), defaultdict(list)
        for index, (number, record) in enumerate(zip(ids, records, strict=True)):
            groups[miner.resolve(number)].append(index)
            events[record["EventId"]].append(index)
        right = {tuple(indexes) for indexes in events.values()} & {tuple(indexes) for indexes in groups.values()}
        accuracies.append(sum(map(len, right)) / len(records))
        assert accuracies[-1] > 0.9, path.name
    assert sum(accuracies) / len(accuracies) > 0.97
