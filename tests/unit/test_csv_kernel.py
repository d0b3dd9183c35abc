"""The compiled search of tables says what the general code says, of every record and cell."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from milepost.core import wasm
from milepost.core.formats.csv import CsvScanner
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.tables import columns as columns_module
from milepost.core.tables import survey as survey_module
from milepost.core.tables.dialect import Dialect
from milepost.core.tables.kernel import TableKernel
from milepost.core.tables.records import RecordFinder

#: Sorts of cells; those that stand in one column are of one sort as a rule.
SORTS = {
    "whole": ["0", "1", "7", "9", "10", "42", "999", "1000", "-1", "-0", "-17", "007", "12345678", "123456789012"],
    "huge": ["999999999999999999", "-999999999999999999", "9223372036854775808", "1" * 30, "1" * 31, "18446744073709551616"],
    "decimal": ["0.5", ".5", "-.5", "5.", ".", "-", "-.", "1.25", "-1.25", "179.99", "-179.9", "00.5", "9.99"],
    "long decimal": ["51.47722222222222", "-0.4613888888888889", "0.12345678901234567", "1e5", "-1.5E-3", "9.00000000000001"],
    "date": ["2024-01-31", "2024-1-31", "1999-12-31", "31.12.2024", "2024/01/31", "2024-01-3x", "mar 5 2024"],
    "stamp": ["2024-01-31 10:00:00", "2024-01-31T10:00:00Z", "2024-01-31 10:00", "2023-12-31 23:59:59"],
    "text": ["abc", "Nancy", "none", "n", "na", "no", "yes", "march", "mar", "May 5, 2024", "Oct", "north", "inf", "x" * 70],
    "padded": [" a", "b ", " ", "  ", " 5", "5 ", "na ", "none  ", " null"],
    "nothing": ["", "\\N", "\\n", "NULL", "n/a", "-", "NaN"],
    "quoted": ['"a"', '""', '"5"', '"a,b"', '"say ""no"""', '"\n"', '"2024-01-31"', '"'],
}  # fmt: skip


@st.composite
def tables(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """The records that are read first, and blocks of others: most cells of a column are of its sort, some of any other."""
    sorts = [draw(st.sampled_from(sorted(SORTS))) for _ in range(draw(st.integers(2, 5)))]
    anything = [cell for cells in SORTS.values() for cell in cells]
    line_end = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    random = draw(st.randoms(use_true_random=False))
    share = draw(st.sampled_from([0.0, 0.02, 0.3]))

    def records(count: int, some: bool) -> bytes:
        rows = []
        for _ in range(count):
            row = [random.choice(anything if some and random.random() < share else SORTS[sort]) for sort in sorts]
            rows.append(",".join(row + ["odd"] * (some and random.random() < share / 20)) + line_end)
        return "".join(rows).encode()

    head = ",".join(f"name{index}" for index in range(len(sorts))) + line_end
    return head.encode() + records(12, False), [records(random.choice([1, 5, 40]), True) for _ in range(3)]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first block on, if at all."""
    monkeypatch.setattr(wasm, "AFTER_BYTES", 0)
    monkeypatch.setattr(wasm, "RELEASED_BYTES", 0)


def findings_of(head: bytes, blocks: list[bytes]) -> Findings:
    whole = b"".join([head, *blocks])
    scanner = CsvScanner(Context("table.csv", head=whole, total_bytes=len(whole) + (8 << 20), start_line=1))
    start = lines = 0
    for data in [head, *blocks]:
        scanner.feed(Block(start, lines + 1, data, True, True))
        start += len(data)
        lines += data.count(b"\n")
    return scanner.finish(End(start, lines))


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from([0, 4 << 20]))
@example((b"a,b\n" + b"x,0.5\n" * 12, [b"x,0\n", b"x,1\n", b"x,0.75\n"]), 0)  # no whole number in the range
@example((b"a,b\n" + b"x,-3\n" * 12, [b"x,-0.5\n", b"x,7.25\n", b"x,-4\n"]), 0)
def test_it_says_what_the_general_code_says(parts: tuple[bytes, list[bytes]], close_bytes: int) -> None:
    """With and without it, looking closely at texts and not: sections, facts and problems are the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "_CLOSE_CELLS", 20)
        patch.setattr(survey_module, "_CLOSE_BYTES", close_bytes)
        patch.setattr(survey_module, "_CLOSE_EVERY", 1 << 60 if not close_bytes else 1)
        without = findings_of(*parts)
        patch.setattr(wasm, "WORTH_BYTES", 0)
        assert findings_of(*parts) == without


def test_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of many bytes are gone through by it, block by block."""
    found = []
    find = TableKernel.find
    monkeypatch.setattr(TableKernel, "find", lambda *arguments: found.append(find(*arguments)) or found[-1])
    monkeypatch.setattr(wasm, "WORTH_BYTES", 0)
    findings_of(b"a,b\n" + b"1,2\n" * 20, [b"3,4\n" * 10, b'5,"x\ny"\n' * 10, b"6\n" * 10])
    assert [rows is not None and (len(rows), rows.is_of_lines) for rows in found] == [
        (21, True), (10, True), (10, False), False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        b'a,b\n1,"x\n',
        b'a,b\n1,x"y\n',
        b'a,b\n1,"x"y\n',
        b"a,b\n1,2\r3,4\n",
        b"a,b\n1,2,3\n",
        b"a,b\n1\n2,3,4\n",
        b"a,b,c,d\n",
        b"\n\n\n",
        b"a,b\n1,2",
    ],
)
def test_what_is_not_certain_is_left(data: bytes) -> None:
    """Quotes where none belong, lone CR, records of other numbers of fields, a record that is not all there."""
    kernel = TableKernel()
    assert kernel.find(Block(0, 1, data, True, data.endswith(b"\n")), Dialect(), 2) is None


@pytest.mark.parametrize("size", [1, 62, 63, 64, 65, 127, 128, 129, 4096])
def test_fields_end_where_they_end_at_any_place(size: int) -> None:
    """A quoted cell of any length, across the edges of what is looked at in one step."""
    data = b'"' + b"x" * size + b',""\n", 2\n1,""\n'
    block = Block(0, 1, data, True, True)
    kernel = TableKernel()
    rows, general = kernel.find(block, Dialect(), 2), RecordFinder(Dialect(), 2, 0, 1).feed(block)
    assert rows is not None
    assert general.grid is not None
    assert rows.grid.tolist() == general.grid.tolist()
    assert not rows.is_of_lines


def test_without_it_the_general_code_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine without wasmtime."""
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    monkeypatch.setattr(wasm, "WORTH_BYTES", 0)
    assert wasm.loaded(TableKernel) is None
    assert findings_of(b"a,b\n" + b"1,2\n" * 20, [b"3,4\n" * 10]).facts["records"] == 30
