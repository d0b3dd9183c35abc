"""Code without symbols: long literals and languages that are not known, told by their indentation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from invariants import check_outline

from milepost.core import scan
from milepost.core.analysis import Analysis, Options
from milepost.core.code.assemble import Assembler
from milepost.core.code.client import Piece
from milepost.core.code.indentation import COMMENTS, DIRECTIVES, held_lines, title_of_line
from milepost.core.code.languages import language_named
from milepost.core.detect import detect_format, sample_of
from milepost.core.identity import Change
from milepost.core.outline import Outline, walk
from milepost.core.source import BytesSource, open_source
from outlines import shown


def outline(data: bytes, name: str) -> Outline:
    return Analysis(BytesSource(name, data), Options(format="code")).outline()


def tree(groups: int, size: int) -> dict[str, dict[str, list[int]]]:
    return {f"group {group}": {"few": [1], "many": list(range(size))} for group in range(groups)}


LITERAL = b"# Made by hand\nTREE = " + json.dumps(tree(40, 30), indent=2).encode() + b"\n\n\ndef last():\n    pass\n"


def test_a_long_literal_is_told_by_its_members() -> None:
    found = outline(LITERAL, "x.py")
    lines = LITERAL.count(b"\n")
    assert shown(found.sections)[:6] == [
        "Made by hand 1-1",
        f"TREE 2-{lines - 2}",
        " group 0 3-39",
        "  many 7-38",
        " group 1 40-76",
        "  many 44-75",
    ]
    assert found.sections[-1].title == "def last()"
    assert len(found.sections[1].children) == 40
    assert check_outline(found, LITERAL) == []


def test_members_go_on_from_piece_to_piece(tmp_path: Path) -> None:
    data = b"TREE = " + json.dumps(tree(2000, 60), indent=2).encode() + b"\n"
    assert len(data) > 1 << 20
    found = outline(data, "x.py")
    (root,) = found.sections
    assert (root.title, root.end_line) == ("TREE", data.count(b"\n"))
    members = [one for one in walk((root,)) if one.title.startswith("group ")]
    assert len(members) == 2000
    for one in members:
        if one.kind == "data":
            assert one.end_line - one.start_line + 1 == 67
            text = data[one.start_byte : one.end_byte].strip().rstrip(b",")
            assert next(iter(json.loads(b"{" + text + b"}").values()))["few"] == [1]
    assert check_outline(found, data) == []
    # A file that grows is outlined as if it had always been longer.
    path = tmp_path / "x.py"
    path.write_bytes(data)
    with open_source(path) as source:
        expected = Analysis(source).outline()
    path.write_bytes(data[: len(data) * 2 // 3])
    with open_source(path) as source:
        analysis = Analysis(source)
        analysis.outline()
    path.write_bytes(data)
    with open_source(path) as source:
        assert analysis.refresh(source) is Change.GREW
        assert analysis.outline() == expected


def test_a_symbol_that_begins_a_piece_lies_in_no_literal_before_it() -> None:
    literal = b"TREE = {\n" + b"  1: 2,\n" * 600
    function = b"def f():\n    pass\n"
    assembler = Assembler(language_named("python"), 5000, 0, 1, "utf-8")
    assembler.add(Piece(0, literal, ()), [])
    symbol = (0, len(function), 4, 8, "function", "f", "def f()", "")
    assembler.add(Piece(len(literal), function, ()), [symbol])
    found = assembler.finish(len(literal) + len(function), 603)
    assert [line for line in shown(found) if not line.startswith(" ")] == ["TREE 1-601", "def f() 602-603"]


def test_a_member_can_be_listed() -> None:
    analysis = Analysis(
        BytesSource("x.py", b"TREE = " + json.dumps(tree(6000, 30), indent=2).encode()), Options("code")
    )
    group = next(one for one in walk(analysis.outline().sections) if one.kind == "group")
    listed = analysis.expand(group)
    assert sum(one.count if one.kind == "group" else 1 for one in listed) == group.count
    member = next(one for one in walk(listed) if one.kind == "data" and one.title.startswith("group "))
    assert [one.title for one in analysis.expand(member)] == ["many"]


VIM = b"""\
" A plugin
if exists("g:loaded")
  finish
endif

let g:loaded = 1
function! Plug(name)
  let x = a:name
" call Trace(x)

  return x
endfunction
"""


def test_a_language_that_is_not_known_goes_by_its_indentation() -> None:
    assert detect_format(sample_of(BytesSource("plug.vim", VIM), "plug.vim")).name == "code"
    found = outline(VIM, "plug.vim")
    assert "not known" in found.degraded
    assert shown(found.sections) == [
        '" A plugin 1-1',
        'if exists("g:loaded") 2-5',
        "let g:loaded = 1 6-6",
        "function! Plug(name) 7-12",
    ]


@pytest.mark.parametrize(
    "name, text",
    [
        ("tutor.el", "Μάθημα 1.1:\n  ΜΕΤΑΚΙΝΟΝΤΑΣ ΤΟΝ ΔΡΟΜΕΑ (πλήκτρα)\n\nΠατήστε το πλήκτρο,\nόπως φαίνεται:\n" * 5),
        ("notes.r", "Nothing here looks like code\nand so it is none\n" * 9),
    ],
)
def test_prose_is_no_code_whatever_its_suffix(name: str, text: str) -> None:
    assert detect_format(sample_of(BytesSource(name, text.encode()), name)).name == "text"


@pytest.mark.parametrize(
    "text, passed_over, expected",
    [
        (b"a:\n  b\n  c\nd\n", None, [(0, 11)]),
        (b"f()\n{\n  b\n}\nd\n", None, [(0, 12)]),  # a bracket of its own belongs to the line above
        (b"x = [\n  1,\n  2,\n]\n", None, [(0, 18)]),
        (b"x = {\n  1\n}\n)\nd\n", None, [(0, 14)]),
        (b"if a {\n  b\n} else {\n  c\n}\n", None, [(0, 11), (11, 26)]),
        (b"x = {\n#if A\n  1\n#endif\n}\n", DIRECTIVES, [(0, 25)]),
        (b"x = {\n  1\n};\n#if A \\\n   && B\ny\n", DIRECTIVES, [(0, 13)]),
        (b"x = {\r\n  1\r\n};\r\n#if A \\\r\n   && B\r\ny\r\n", DIRECTIVES, [(0, 16)]),
        (b"a\n\tb\n\n\tc\nd\n", None, [(0, 9)]),
        (b'a\n  b\n" comment\n  c\nd\n', COMMENTS, [(0, 20)]),
    ],
)  # fmt: skip
def test_a_line_holds_the_deeper_ones(text: bytes, passed_over: object, expected: list[tuple[int, int]]) -> None:
    _, found = held_lines(text, 0, len(text), [], 1, passed_over)  # type: ignore[arg-type]
    assert [(one.start, one.end) for one in found] == expected


@pytest.mark.parametrize(
    "line, title",
    [
        (b'  "name": {\n', "name"),
        (b"static const int X[] = {\n", "static const int X[]"),
        (b"data = '''\n", "data"),
        (b"// Names of all\n", "Names of all"),
        (b"{\n", "{"),
        (b"if x", "if x"),
    ],
)
def test_titles_leave_out_what_only_opens(line: bytes, title: str) -> None:
    assert title_of_line(line, 0).decode() == title


LINES = st.sampled_from(
    [
        b"a = {",
        b"}",
        b"  b: [",
        b"  ]",
        b"    1,",
        b"",
        b"x",
        b"\ty",
        b"def f():",
        b"  return",
        b'"""',
        b"#if A",
        b"end",
    ]
)


@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINES, max_size=60), repeated=st.integers(1, 30), stripe_bytes=st.integers(40, 400))
@pytest.mark.parametrize("name", ["x.vim", "x.lua"])
def test_any_text_is_covered(name: str, lines: list[bytes], repeated: int, stripe_bytes: int) -> None:
    data = b"\n".join(lines * repeated)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "STRIPE_BYTES", stripe_bytes)
        patch.setattr("milepost.core.code.assemble.PART_LINES", 20)
        patch.setattr("milepost.core.code.indentation.LEAST_LINES", 3)
        assert check_outline(outline(data, name), data) == []
