"""CSV: dialects, headers, records with quoted line ends, what columns hold, what is broken, groups and what is in them."""

from __future__ import annotations

import copy
import csv
import io
import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import lines_of

from milepost.core.analysis import Analysis, Options
from milepost.core.formats.base import Sample
from milepost.core.formats.csv import FORMAT, CsvScanner
from milepost.core.outline import Outline, Section, walk
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.source import BytesSource
from milepost.core.tables import columns as columns_module
from milepost.core.tables.columns import Columns
from milepost.core.tables.dialect import Dialect, guess_table
from milepost.core.tables.records import RecordFinder
from milepost.core.tables.values import ColumnProfile


def analysis_of(data: bytes) -> Analysis:
    return Analysis(BytesSource("table.csv", data), Options(format="csv"))


def outline_of(data: bytes) -> Outline:
    return analysis_of(data).outline()


def sniff(text: str, name: str = "data") -> float:
    data = text.encode()
    return FORMAT.sniff(Sample(name, data, tuple(data.splitlines()), True))


def table(rows: int, line: str = "{i},name {i},2024-01-{day:02d},{i}.5\n") -> bytes:
    header = "id,name,day,value\n"
    return (header + "".join(line.format(i=i, day=i * 28 // rows + 1) for i in range(1, rows + 1))).encode()


# --- dialects and headers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "delimiter", "columns", "header"),
    [
        ("a,b,c\n1,2,3\n4,5,6\n", ",", 3, True),
        ("1,x,2024-01-01\n2,y,2024-01-02\n3,z,2024-01-03\n", ",", 3, False),
        ("a;b\n1,5;2,5\n3,5;4,5\n2,5;1,5\n", ";", 2, True),
        ("a\tb\tc\n1\t\t3\n4\t5\t6\n", "tab", 3, True),
        ("a|b|c\nx|1|2\ny|3|4\n", "|", 3, True),
        ('name,text\n"x","a;b;c"\n"y","d;e;f"\n', ",", 2, True),
        ("a,b,c\r1,2,3\r4,5,6\r", ",", 3, True),
        ("\ufeffid,name\n1,a\n2,b\n", ",", 2, True),
        ("# made by hand\nid,name,n\n1,a,2\n# more\n2,b,3\n", ",", 3, True),
        ("Report of May,,\n,,\nid,name,n\n1,a,2\n2,b,3\n3,c,4\n", ",", 3, True),
        ("year,2001,2002\nx,1,2\ny,3,4\nz,5,6\n", ",", 3, True),
        ("only\none\ncolumn\n", "none", 1, False),
    ],
)
def test_dialect_and_header(text: str, delimiter: str, columns: int, header: bool) -> None:
    guess = guess_table(text.encode(), True)
    assert (guess.dialect.facts()["delimiter"], guess.columns, guess.has_header) == (delimiter, columns, header)


def test_backslashes_escape_quotes_where_they_are_used_so() -> None:
    data = b'name,year\n"say \\"no\\", twice",1987\n"b \\"c\\" d",1984\n"e",1964\n'
    outline = outline_of(data)
    assert outline.stats["records"] == 3
    assert outline.stats["dialect"]["escape"] == "\\"
    assert not outline.problems


@pytest.mark.parametrize(
    "text",
    [
        "Dear Sir, we write to you, as agreed, about the matter.\nIt rained, and then, it did not.\nBye, all.\n" * 5,
        "2024-05-06 07:08:09,250 INFO [main] a.B - started, at last\n" * 20,
        "#include <a.h>\nint f(int a, int b);\nint g(int a, int b);\nint h(int a, int b);\n" * 5,
        "INSERT INTO t VALUES (1,'a','b');\n" * 20,
        '{"a": 1, "b": 2}\n' * 20,
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n" * 3,
        "int a;\nint b;\nint c;\n" * 5,
        "Name: x\nVersion: 1, 2\n\nName: y\nVersion: 2, 3\n\n" * 5,
        "",
    ],
)
def test_what_is_no_table(text: str) -> None:
    assert sniff(text) == 0.0


def test_a_table_of_times_with_a_header_is_surer_than_a_log() -> None:
    rows = "".join(f"2024-05-06 07:08:{i:02d},host{i % 3},{i * 7 % 11}\n" for i in range(60))
    assert sniff("time,host,load\n" + rows) > 0.9


# --- records --------------------------------------------------------------------------------------------------------

PIECES = [b'"', b'"', b",", b",", b"\n", b"\r\n", b"a", b" ", b'x"y', b'"a"', b'"",', b',"', b'",']


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.lists(st.integers(0, 60), max_size=3))
def test_records_are_those_of_python_csv(pieces: list[bytes], cuts: list[int]) -> None:
    """However quotes are misplaced, and wherever the text is cut into blocks."""
    data = b"".join(pieces)
    expected = [len(row) for row in csv.reader(io.StringIO(data.decode("latin-1"), newline="")) if row]
    finder = RecordFinder(Dialect(), 3, 0, 1)
    found: list[tuple[int, int, int]] = []
    places = sorted({cut for cut in cuts if cut < len(data) and not data[:cut].endswith(b"\r")} | {0, len(data)})
    for low, high in pairwise(places):
        piece = data[low:high]
        first_line = len(lines_of(data[:low])) + (1 if low == 0 or data[:low].endswith((b"\n", b"\r")) else 0)
        starts_line = low == 0 or data[:low].endswith((b"\n", b"\r"))
        rows = finder.feed(Block(low, first_line, piece, starts_line, piece.endswith((b"\n", b"\r"))))
        found += [
            (low + start, low + end, fields)
            for start, end, fields in zip(rows.starts.tolist(), rows.ends.tolist(), rows.fields.tolist(), strict=True)
        ]
    start, line, fields = finder.last()
    assert line == len(lines_of(data[:start])) + 1
    if start < len(data):
        found.append((start, len(data), fields))
    assert [fields for start, end, fields in found if data[start:end].strip(b"\r\n")] == expected


def test_line_ends_in_quotes_belong_to_the_record() -> None:
    data = b'id,note\n1,"two\nlines"\n2,plain\n3,"three\r\nlines\n."\n'
    outline = outline_of(data)
    assert outline.stats["records"] == 3
    assert outline.stats["multi_line_records"] == 2
    assert [(s.start_line, s.end_line) for s in outline.sections] == [(1, 1), (2, 3), (4, 4), (5, 7)]


def test_blank_lines_and_remarks_are_no_records() -> None:
    outline = outline_of(b"# head\nid,a\n\n1,x\n# remark\n\n2,y\n\n")
    assert outline.stats["records"] == 2
    assert not outline.problems


def test_a_record_in_pieces() -> None:
    """A quoted field of many megabytes comes in pieces that are cut anywhere."""
    data = b'id,blob,n\n1,"' + b'x,\n""' * 1_000_000 + b'",2\n2,y,3\n'
    scanner = CsvScanner(Context(total_bytes=len(data), head=data[:1000]))
    line = 1
    for low in range(0, len(data), 999_983):
        piece = data[low : low + 999_983]
        begins = low == 0 or data[low - 1 : low] == b"\n"
        scanner.feed(Block(low, line, piece, begins, piece.endswith(b"\n")))
        line += piece.count(b"\n")
    findings = scanner.finish(End(len(data), line - 1))
    assert findings.facts["records"] == 2
    assert [(s.start_line, s.end_line) for s in findings.sections] == [(1, 1), (2, 1_000_002), (1_000_003, 1_000_003)]


# --- what is broken -------------------------------------------------------------------------------------------------


def test_ragged_records_are_reported_where_they_are() -> None:
    lines = [b"id,a,b"] + [b"%d,x,y" % i for i in range(300)]
    lines[7], lines[250] = b"6,x", b"249,x,y,z"
    outline = outline_of(b"\n".join(lines))
    assert [(problem.line, problem.message) for problem in outline.problems] == [
        (8, "record 7 has 2 fields, not 3"),
        (251, "record 250 has 4 fields, not 3"),
    ]
    errors = [section for section in walk(outline.sections) if section.kind == "error"]
    assert [(section.start_line, section.weight) for section in errors] == [(8, 0.8), (251, 0.8)]


def test_a_quote_that_is_never_closed() -> None:
    outline = outline_of(b'id,a\n1,x\n2,"open\n3,y\n')
    assert [(problem.line, problem.message) for problem in outline.problems] == [
        (3, "a quote opened in record 2 is never closed")
    ]
    assert outline.sections[-1].kind == "error"
    assert (outline.sections[-1].start_line, outline.sections[-1].end_line) == (3, 4)


# --- columns --------------------------------------------------------------------------------------------------------


def test_columns_of_a_small_table_are_exact() -> None:
    data = (
        b"id,zip,when,share,on,note,gap\n"
        b"3,00501,2024-01-02,0.5,yes,red,\n1,10001,2024-01-01,1e3,no,,\n2,20002,2024-01-03,-2,yes,blue,\n"
    )
    columns = {column["name"]: column for column in outline_of(data).stats["columns"]}
    assert {name: column["type"] for name, column in columns.items()} == {
        "id": "integer", "zip": "code", "when": "date", "share": "number", "on": "boolean", "note": "text", "gap": "empty",
    }  # fmt: skip
    assert (columns["id"]["min"], columns["id"]["max"]) == (1, 3)
    assert (columns["when"]["min"], columns["when"]["max"]) == ("2024-01-01", "2024-01-03")
    assert (columns["share"]["min"], columns["share"]["max"]) == (-2, 1000.0)
    assert (columns["note"]["empty"], columns["gap"]["empty"], columns["id"]["empty"]) == (1, 3, 0)
    assert columns["id"]["distinct"] is True
    assert "distinct" not in columns["on"]


def test_columns_of_a_big_table_are_exact() -> None:
    lines = [f"{i},{'' if i % 10 == 0 else i},{i % 7}\n" for i in range(200_000)]
    lines[123_456] = "-5,,2024-01-01\n"
    stats = outline_of(("id,maybe,week\n" + "".join(lines)).encode()).stats
    assert stats["records"] == 200_000
    assert "sampled" not in stats
    assert stats["columns"] == [
        {"name": "id", "type": "integer", "min": -5, "max": 199_999, "empty": 0},
        {"name": "maybe", "type": "integer", "min": 1, "max": 199_999, "empty": 20_001},
        {"name": "week", "type": "integer", "min": 0, "max": 6, "empty": 0},
    ]


VALUES = [
    *("", "", "7", "12", "-3", "00501", "0", "-0", "-05", "+8", "123456789", "12345678901234567", "9" * 31, "1" * 70),
    *("1.5", "-2.25", "5.", ".5", "10.123456789", "123456789.5", "00.5", "1e5", "1,5", "1,234", "1.2.3"),
    *("NULL", "n/a", "NA", "\\N", "-", "nan", "inf", "-inf", "true", "No", "yes", "not", "nope"),
    *("2024-01-02", "2024-1-2", "2023-12-31 10:11:12.5", "2024/01/02", "12 Jan 2020", "Jan 3, 2020", "10:11:12"),
    *("abc", "May", "maybe", "x1", "12 Main St", "\u00e9t\u00e9", "(555) 1", "x" * 70, "747AB", "1-2-3", "zzzzz"),
    *(" 7", "8 ", "  ", " NULL ", "\t9", "two\nlines", "\n4\n", 'say "no"'),
]


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(VALUES), min_size=2, max_size=6), min_size=1, max_size=3),
    st.lists(st.integers(0, 10**6), min_size=2, max_size=60),
    st.lists(st.integers(0, 9999), max_size=3),
    st.sampled_from([1, 5, 30]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_columns_are_what_their_values_are_one_by_one(
    pools: list[list[str]], draws: list[int], cuts: list[int], times: int, line_end: str, quoting: Literal[0, 1]
) -> None:
    """All cells looked at by whole-array operations, against each looked at by itself; wherever blocks are cut."""
    rows = [[pool[draw // 7**index % len(pool)] for index, pool in enumerate(pools)] + ["end"] for draw in draws]
    assert_columns_are_exact(rows * times, cuts, line_end, quoting)


def assert_columns_are_exact(rows: list[list[str]], cuts: list[int], line_end: str, quoting: Literal[0, 1]) -> None:
    """The columns of rows that come in blocks cut anywhere, against those of values added one by one."""
    text = io.StringIO()
    csv.writer(text, lineterminator=line_end, quoting=quoting).writerows(rows)
    data = text.getvalue().encode()
    names = tuple(f"column {index}" for index in range(len(rows[0])))
    expected = [ColumnProfile(name) for name in names]
    for profile, cells in zip(expected, zip(*rows, strict=True), strict=True):
        profile.add([cell.encode() for cell in cells], "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_module, "_CLOSE_CELLS", 1)
        columns = Columns(names, "utf-8")
    finder = RecordFinder(Dialect(), len(names), 0, 1)
    lines = lines_of(data)
    places = sorted({cut % (len(lines) + 1) for cut in cuts} | {0, len(lines)})
    offset, open_text = 0, b""
    for low, high in pairwise(places):
        piece = b"".join(lines[low:high])
        found = finder.feed(Block(offset, low + 1, piece, True, True))
        if len(found):
            columns.take(
                Block(offset, low + 1, piece, True, True), found, None, Dialect(), open_text + piece[: found.ends[0]]
            )
            open_text = b""
        offset += len(piece)
        open_text += piece[max(0, finder.open_start - offset + len(piece)) :]
    for facts, profile, found_profile in zip(columns.facts(), expected, columns._profiles, strict=True):
        if not found_profile.unseen:
            assert found_profile.kinds == profile.kinds
        exact = profile.facts("utf-8")
        assert "sampled" not in facts
        assert (facts["type"], facts.get("min"), facts.get("max")) == (
            exact["type"],
            exact.get("min"),
            exact.get("max"),
        )
        assert facts["empty"] == profile.kinds.get("empty", 0)


WHOLE = ["0", "1", "7", "9", "10", "16", "42", "99", "100", "1234", "9999", "123456789012345", "-3", "-10", "007", ""]
POINTED = ["0.5", "0.25", "1.5", "9.99", "12.75", "42.0", "42.5", "99.125", "123.5", "-7.5", "-0.5", "00.5", ".5", "5."]


def columns_of(usual: list[str], odd: list[str]) -> st.SearchStrategy[list[str]]:
    """The values of one column, the usual one first."""
    return st.builds(
        lambda first, others: [first, *others], st.sampled_from(usual), st.lists(st.sampled_from(odd), max_size=9)
    )


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.one_of(columns_of(WHOLE[:10], WHOLE), columns_of(POINTED[2:9], POINTED), columns_of(["3.5"], ["3.5", "4"])),
        min_size=2,
        max_size=3,
    ),
    st.lists(st.integers(0, 10**6), min_size=2, max_size=20),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=10),
    st.sampled_from(["\n", "\r\n"]),
)
def test_columns_of_numbers_alone_are_what_their_values_are_one_by_one(
    pools: list[list[str]], early: list[int], late: list[int], line_end: str
) -> None:
    """Blocks of nothing but numbers are told by ranks alone (`tables.numeric`): rare ones and odd ones count too."""
    usual = [[pool[0] for pool in pools]] * 40
    rows = [
        [[pool[draw // 11**index % len(pool)] for index, pool in enumerate(pools)] for draw in draws]
        for draws in (early, late)
    ]
    assert_columns_are_exact(
        [*usual, *rows[0], *usual, *rows[1], *usual], [40 + len(early)], line_end, csv.QUOTE_MINIMAL
    )


@pytest.mark.parametrize(
    "odd",
    [
        [["4", "3.5", "7"]],
        [["3.5", "3.5", "7"], ["4", "4", "7"]],
        [["3", "4", "7"], ["3.5", "4.5", "7"]],
        [["3.5.5", "4", "7"], ["3", "4", "7"]],
        [["3.5", "1-2", "7"]],
        [["3.5", "-4", "-"]],
        [["3.5", "4", "2024-01-02"]],
        [["1e5", "4", "7"]],
        [["3.5", "4", "7" * 40]],
        [["3" * 40 + ".5", "4", "7"]],
    ],
    ids=str,
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_few_odd_records_among_plain_numbers_are_seen(odd: list[list[str]], line_end: str) -> None:
    wide = [["0.5", "0", "0"], ["99999.5", "99999", "99999"]]
    usual = [["33.5", "44", "77"]] * 100
    rows = [*wide, *wide, *usual, *odd, *usual]
    for turned in (rows, [row[::-1] for row in rows], [[row[1], row[0], row[2]] for row in rows]):
        assert_columns_are_exact(turned, [4], line_end, csv.QUOTE_MINIMAL)


@pytest.mark.parametrize(
    ("low", "usual", "high", "odd"),
    [
        ("4444", "4466", "4488", "4411"),
        ("4444", "4466", "4488", "4499"),
        ("4444", "4466", "4488", "444"),
        ("4.44", "4.66", "4.88", "4.41"),
        ("0.25", "0.5", "0.75", "0.125"),
        ("0.25", "0.5", "0.75", "0.8"),
        ("0.250000001", "0.5", "0.750000001", "0.750000002"),
        ("-44", "7", "44", "-45"),
        ("-44.5", "7.5", "44.5", "-44.75"),
        ("-99999999999999", "0", "1", "-123456789012345678"),
        ("0", "7", "99999999999999", "123456789012345678"),
        ("12345678", "55555555", "87654321", "87654322"),
        ("123456789", "555555555", "987654321", "987654322"),
    ],
)
def test_one_number_beyond_the_range_so_far_widens_it(low: str, usual: str, high: str, odd: str) -> None:
    rows = [[usual, "1"]] * 60
    ends = [[low, "1"], [high, "2"]] * 2
    assert_columns_are_exact([*ends, *rows, [odd, "1"], *rows], [4], "\n", csv.QUOTE_MINIMAL)


# --- groups ---------------------------------------------------------------------------------------------------------


def test_groups_hold_all_records_and_list_them_when_expanded() -> None:
    data = table(20_000, "{i},name {i},x,{i}.5\n")
    analysis = analysis_of(data)
    outline = analysis.outline()
    header, *groups = outline.sections
    assert header.title == "header: id, name, day, value"
    assert sum(group.count for group in groups) == 20_000
    assert groups[3].title == "records 1,501–2,000"
    assert groups[3].digest == "1501 · name 1501 … 2000 · name 2000"
    inside = analysis.expand(groups[3])
    assert sum(section.count for section in inside) == 500
    assert inside[1].title == "records 1,511–1,520"
    (record, *_rest) = analysis.expand(inside[1])
    assert (record.kind, record.title, record.start_line) == ("record", "1511 · name 1511", 1512)
    assert record.digest == "day=x, value=1511.5"


def test_a_table_sorted_by_day_is_grouped_by_day() -> None:
    groups = outline_of(table(3000)).sections[1:]
    assert [group.title for group in groups[:2]] == ["2024-01-01 · 107 records", "2024-01-02 · 107 records"]
    assert len(groups) == 29


def test_a_table_grouped_by_its_first_column() -> None:
    rows = "".join(f"{country},town {i},{i}\n" for country in ("at", "be", "ch") for i in range(50))
    groups = outline_of(("country,town,n\n" + rows).encode()).sections[1:]
    assert [(group.title, group.start_line) for group in groups] == [
        ("at · 50 records", 2),
        ("be · 50 records", 52),
        ("ch · 50 records", 102),
    ]


# --- always ---------------------------------------------------------------------------------------------------------

ODD = [
    *PIECES,
    b"a,b,c\n1,2,3\n",
    b"\r",
    b"\n\n",
    b"#c\n",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\x00",
    b"2024-01-02,",
    b";",
    b"\t",
]


def scanned(data: bytes, cuts: list[int], resume: Section | None = None) -> Findings:
    """The findings of a text fed in blocks of whole lines, with an answer asked for (and thrown away) after each."""
    start, first = (resume.start_byte, resume.start_line) if resume else (0, 1)
    context = Context(
        total_bytes=len(data),
        head=data,
        start_byte=start,
        start_line=first,
        resume=dict(resume.resume or {}) if resume else None,
    )
    scanner = CsvScanner(context)
    lines = lines_of(data)
    places = sorted({cut % (len(lines) + 1) for cut in cuts} | {0, len(lines)})
    offset = start
    for low, high in pairwise(places):
        piece = b"".join(lines[low:high])
        scanner.feed(Block(offset, first + low, piece, True, piece.endswith((b"\n", b"\r"))))
        offset += len(piece)
        copy.deepcopy(scanner).finish(End(offset, first + high - 1))
    return scanner.finish(End(offset, first + len(lines) - 1))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ODD), max_size=60), st.lists(st.integers(0, 99), max_size=3), st.integers(1, 12))
def test_any_text_is_covered_whatever_the_blocks(pieces: list[bytes], cuts: list[int], times: int) -> None:
    data = b"".join(pieces) * times
    findings = scanned(data, [])
    offsets = [section.start_byte for section in findings.sections] + [len(data)]
    assert offsets[0] == 0
    assert [section.end_byte for section in findings.sections] == offsets[1:]
    again = scanned(data, cuts)
    assert (again.sections, again.facts) == (findings.sections, findings.facts)
    for section in walk(findings.sections):
        assert data[section.start_byte : section.end_byte] == b"".join(
            lines_of(data)[section.start_line - 1 : section.end_line]
        )
        if section.resume is not None:
            inside = scanned(data[section.start_byte : section.end_byte], [], section).sections
            assert (inside[0].start_byte, inside[-1].end_byte) == (section.start_byte, section.end_byte)


# --- the corpus -----------------------------------------------------------------------------------------------------


def pollock(corpus: Path) -> list[tuple[Path, Dialect]]:
    """The files whose dialect is annotated, with that dialect."""
    names = {"comma": ",", "semicolon": ";", "tab": "\t", "vslash": "|", "space": " "}
    quotes = {"doublequote": '"', "singlequote": "'"}
    found = []
    root = corpus / "csvsniffer-pollock"
    for listing, folder in (("Dialect_annotations.txt", "CSV"), ("W3C-CSVW-Dialect_annotations.txt", "W3C-CSVW")):
        for row in csv.reader((root / listing).read_text("utf-8-sig").splitlines(), delimiter="|"):
            path = root / folder / row[0]
            if len(row) >= 5 and path.is_file():
                delimiter = names.get(row[2], row[2])
                if len(delimiter) == 1 and row[4] in ("", "doublequote"):
                    found.append((path, Dialect(ord(delimiter), ord(quotes.get(row[3], '"')))))
    return found


@pytest.mark.corpus
def test_pollock_dialects_and_counts(corpus: Path) -> None:
    """The delimiter is found in 96 % of the files that have one, and there records and fields are those of `csv`."""
    wrong, different, total = [], [], 0
    for path, expected in pollock(corpus):
        data = path.read_bytes()
        sample = expected.reader(data.decode("latin-1"))
        if data[:2] in (b"\xff\xfe", b"\xfe\xff") or sum(len(row) > 1 for row in sample) * 2 < len(sample):
            continue  # UTF-16, or one column: nothing separates fields
        total += 1
        guess = guess_table(data[: 256 << 10], True)
        if guess.dialect.delimiter != expected.delimiter:
            wrong.append(path.name)
            continue
        text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
        rows = guess.dialect.reader(text, limit=None)
        if guess.dialect.comments:
            rows = [row for row in rows if not row[0].startswith("#") or len(row) == guess.columns]
        outline = outline_of(data)
        if outline.stats["records"] != len(rows) - guess.preamble - guess.has_header:
            different.append((path.name, outline.stats["records"], len(rows), guess))
    assert total > 150
    assert len(wrong) <= total * 0.04, wrong
    assert not different


@pytest.mark.corpus
def test_csv_spectrum_counts(corpus: Path) -> None:
    """Records of each file as many as in its JSON twin, with as many columns."""
    for path in sorted((corpus / "csv-spectrum" / "csvs").glob("*.csv")):
        expected = json.loads((corpus / "csv-spectrum" / "json" / f"{path.stem}.json").read_text())
        expected = expected if isinstance(expected, list) else [expected]
        stats = outline_of(path.read_bytes()).stats
        assert (stats["records"], stats["fields"]) == (len(expected), len(expected[0])), path.name


@pytest.mark.corpus
def test_counts_of_big_tables_are_those_of_python_csv(corpus: Path) -> None:
    paths = [
        corpus / "rust-csv-bench" / "bench" / "worldcitiespop.csv",
        *sorted((corpus / "openflights").glob("*.dat")),
    ]
    paths += random.Random(1).sample(sorted((corpus / "loghub-labels").rglob("*.csv")), 6)
    for path in paths:
        stats = outline_of(path.read_bytes()).stats
        with path.open(newline="", encoding="latin-1") as file:
            rows = [row for row in csv.reader(file) if row]
        assert stats["records"] == len(rows) - stats["header"], path.name
        widths = {len(row) for row in rows}
        assert stats["fields"] in widths
        assert stats.get("ragged_records", 0) == sum(len(row) != stats["fields"] for row in rows), path.name
