"""The estimate of tokens against what a real tokenizer said."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.digest.tokens import estimate_tokens

# Tokens of the first 4,096 bytes, as the tokenizer of Qwen2.5 counts them.
COUNTED = [
    ("captures/cpp-address-sanitizer.log", 1641),
    ("captures/cpp-build.log", 1445),
    ("captures/dpkg.log", 2538),
    ("captures/java-util-logging.log", 1857),
    ("captures/nginx-access.log", 2477),
    ("captures/node-service.log", 2276),
    ("captures/npm-test.log", 1527),
    ("captures/postgresql.log", 1930),
    ("captures/pytest-failures.log", 1063),
    ("captures/python-logging.log", 2218),
    ("captures/rust-panic.log", 1495),
    ("captures/syslog.log", 2037),
    ("mini/ansi-progress.log", 1631),
    ("mini/array.json", 2050),
    ("mini/deep.json", 2048),
    ("mini/documents.yaml", 288),
    ("mini/dump.sql", 341),
    ("mini/items.xml", 855),
    ("mini/long-line-no-spaces.txt", 3033),
    ("mini/minified.js", 1453),
    ("mini/nul-run.log", 2161),
    ("mini/only-nuls.bin", 4096),
    ("mini/prose.txt", 209),
    ("mini/quoted-lines.csv", 545),
    ("mini/records.ndjson", 2390),
    ("mini/right-to-left.txt", 320),
    ("mini/shelf.c", 408),
    ("mini/wrapped-table.txt", 1200),
]


@pytest.mark.parametrize("name, counted", COUNTED, ids=[name for name, _ in COUNTED])
def test_never_far_under_and_never_far_over(data: Path, name: str, counted: int) -> None:
    text = (data / name).read_bytes()[:4096].decode("utf-8", "ignore")
    assert 0.95 * counted <= estimate_tokens(text) <= 1.4 * counted


def test_on_average_a_fifth_over_at_most(data: Path) -> None:
    ratios = [
        estimate_tokens((data / name).read_bytes()[:4096].decode("utf-8", "ignore")) / counted
        for name, counted in COUNTED
    ]
    assert 1.0 <= sum(ratios) / len(ratios) <= 1.2


def test_nothing_costs_nothing_and_anything_costs_something() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1
    assert estimate_tokens("\ud800") >= 1


@given(st.text(max_size=200), st.text(max_size=200))
def test_parts_cost_about_what_the_whole_costs(first: str, second: str) -> None:
    # What is cut at may save or cost a word and a run on each side, no more.
    assert abs(estimate_tokens(first + second) - estimate_tokens(first) - estimate_tokens(second)) <= 12


def test_a_text_of_many_blocks_costs_the_sum_of_its_blocks() -> None:
    line = "2026-11-30 08:00:01 INFO  request served in 12 ms\n"
    assert estimate_tokens(line * 60_000) == pytest.approx(60_000 * estimate_tokens(line * 100) / 100, rel=0.01)
