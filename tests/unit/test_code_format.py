"""Source code: the symbols of each language, at any size, by the parser and by line heads."""

# ruff: noqa: E501  (examples of source code, one to a line)
from __future__ import annotations

import random
from pathlib import Path

import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.code import scanner as code_scanner
from milepost.core.code.cuts import best_cut, closing
from milepost.core.code.languages import LANGUAGES, language_named
from milepost.core.code.line_heads import symbols_by_lines
from milepost.core.code.macros import without_macros
from milepost.core.code.modules import module_marks
from milepost.core.code.sniffing import language_of
from milepost.core.identity import Change
from milepost.core.outline import Outline, walk
from milepost.core.source import BytesSource, open_source

#: A file of each language, and the symbols in it: kind, name, line of the name.
EXAMPLES: dict[str, tuple[str, list[tuple[str, str, int]]]] = {
    "python": (
        "import os\n\n\n@decorated(1)\nclass A(Base):\n    '''It is.'''\n\n    def one(self):\n        def inner():\n"
        "            return 1\n        return inner\n\n\nasync def two(x):\n    return x\n",
        [("class", "A", 5), ("method", "one", 8), ("function", "inner", 9), ("function", "two", 14)],
    ),
    "javascript": (
        "import a from 'a';\n// Says what it does.\nexport function one(x) {\n  return `}${x}{`;\n}\n"
        "class B extends C {\n  constructor() {}\n  get it() { return /[{]/; }\n}\nconst two = (a) => {\n  return a;\n};\n",
        [
            ("function", "one", 3),
            ("class", "B", 6),
            ("method", "constructor", 7),
            ("method", "it", 8),
            ("function", "two", 10),
        ],
    ),
    "typescript": (
        "interface I {\n  m(x: number): void;\n}\nexport abstract class A<T> {\n  private go(): T { return null!; }\n}\n"
        "enum E { A, B }\ntype U = string | number;\nnamespace N {\n  export function f(): void {}\n}\n",
        [
            *(("interface", "I", 1), ("method", "m", 2), ("class", "A", 4), ("method", "go", 5), ("enum", "E", 7)),
            *(("type", "U", 8), ("namespace", "N", 9), ("function", "f", 10)),
        ],
    ),
    "c": (
        "#include <stdio.h>\n\nstruct point {\n  int x;\n};\n\nint later(void);\n\nstatic enum mode f(\n  int a\n)\n{\n  return a;\n}\n"
        'char *g(void) { return "{"; }\n',
        [("struct", "point", 3), ("prototype", "later", 7), ("function", "f", 9), ("function", "g", 15)],
    ),
    "cpp": (
        "namespace n {\ntemplate <class T>\nclass A {\n public:\n  A();\n  ~A() {}\n  bool operator==(const A& o) const { return true; }\n};\n"
        "}\nvoid n::B::run() {\n}\n",
        [
            *(("namespace", "n", 1), ("class", "A", 3), ("prototype", "A", 5), ("method", "~A", 6)),
            *(("method", "operator==", 7), ("function", "n::B::run", 10)),
        ],
    ),
    "csharp": (
        "using System;\nnamespace N {\n  public class A {\n    public A() {}\n    int F(int x) => x;\n  }\n}\n",
        [("namespace", "N", 2), ("class", "A", 3), ("method", "A", 4), ("method", "F", 5)],
    ),
    "java": (
        "package p;\nimport java.util.List;\npublic class A {\n  @Override\n  public int f() { return 1; }\n  enum E { X }\n}\n",
        [("class", "A", 3), ("method", "f", 5), ("enum", "E", 6)],
    ),
    "kotlin": (
        "package p\nclass A(val x: Int) {\n  fun f(): Int {\n    return x\n  }\n}\nobject O\nfun g() = 1\n",
        [("class", "A", 2), ("method", "f", 3), ("object", "O", 7), ("function", "g", 8)],
    ),
    "go": (
        'package main\n\nimport "fmt"\n\n// T is.\ntype T struct {\n\tx int\n}\n\nfunc (t *T) Get() int {\n\treturn t.x\n}\n\nfunc main() {\n\tfmt.Println(`{`)\n}\n',
        [("type", "T", 6), ("method", "Get", 10), ("function", "main", 14)],
    ),
    "rust": (
        "use std::fmt;\n#[derive(Debug)]\npub struct S {\n    x: u8,\n}\nimpl S {\n    fn new() -> S { S { x: 1 } }\n}\ntrait T {\n    fn t(&self);\n}\nmod m {}\n",
        [
            ("struct", "S", 3),
            ("impl", "S", 6),
            ("method", "new", 7),
            ("trait", "T", 9),
            ("method", "t", 10),
            ("module", "m", 12),
        ],
    ),
    "ruby": (
        "require 'set'\nmodule M\n  class A < B\n    def one(x)\n      x.each do |y|\n      end\n    end\n    def self.two; end\n  end\nend\n",
        [("module", "M", 2), ("class", "A", 3), ("method", "one", 4), ("method", "two", 8)],
    ),
    "php": (
        '<?php\nnamespace N;\nclass A extends B {\n  public function f($x) {\n    return "{$x}";\n  }\n}\nfunction g() {\n}\n',
        [("module", "N", 2), ("class", "A", 3), ("method", "f", 4), ("function", "g", 8)],
    ),
    "swift": (
        "import Foundation\nclass A {\n  init() {\n  }\n  func f() -> Int {\n    return 1\n  }\n}\nprotocol P {\n  func g()\n}\n",
        [("class", "A", 2), ("method", "init", 3), ("method", "f", 5), ("interface", "P", 9), ("method", "g", 10)],
    ),
    "scala": (
        "package p\ntrait T {\n  def f: Int\n}\nclass A extends T {\n  def f: Int = {\n    1\n  }\n}\nobject O {\n}\n",
        [("interface", "T", 2), ("method", "f", 3), ("class", "A", 5), ("method", "f", 6), ("object", "O", 10)],
    ),
    "bash": (
        "#!/bin/bash\nset -e\nfunction one {\n  echo hi\n}\ntwo() {\n  cat <<EOF\n}\nEOF\n}\n",
        [("function", "one", 3), ("function", "two", 6)],
    ),
    "lua": (
        "local M = {}\nfunction M.one(x)\n  return x\nend\nlocal function two()\nend\nreturn M\n",
        [("function", "one", 2), ("function", "two", 5)],
    ),
    "perl": (
        "#!/usr/bin/perl\nuse strict;\nuse warnings;\n\n# Makes one.\nsub new {\n    my ($class) = @_;\n    return bless {}, $class;\n}\n\npackage Two;\n\nsub other {\n    return 1;\n}\n1;\n",
        [("function", "new", 6), ("module", "Two", 11), ("function", "other", 13)],
    ),
    "elixir": (
        'defmodule My.Server do\n  @moduledoc "Says."\n  use GenServer\n\n  def start(a) do\n    a\n  end\n\n  defp inner(x) when x > 1 do\n    x\n  end\nend\n\ndefimpl Proto, for: X do\n  def go(x), do: x\nend\n',
        [
            *(("module", "My.Server", 1), ("function", "start", 5), ("function", "inner", 9)),
            *(("module", "Proto", 14), ("function", "go", 15)),
        ],
    ),
    "ocaml": (
        "open Printf\n\ntype t = A | B of int\n\n(** Adds. *)\nlet add x y =\n  x + y\n\nmodule M = struct\n  let inner z = z\nend\n\nlet rec go = function\n  | [] -> 0\n  | x :: r -> x + go r\n",
        [
            *(("type", "t", 3), ("function", "add", 6), ("module", "M", 9)),
            *(("function", "inner", 10), ("function", "go", 13)),
        ],
    ),
    "julia": (
        "module A\n\nusing Base\n\nstruct P\n  x::Int\nend\n\nfunction f(x::Int)::Int\n  x\nend\n\ng(x) = x + 1\n\nmacro m(x)\n  x\nend\n\nend\n",
        [("module", "A", 1), ("struct", "P", 5), ("function", "f", 9), ("function", "g", 13), ("macro", "m", 15)],
    ),
    "zig": (
        'const std = @import("std");\n\npub const P = struct {\n    x: u8,\n    pub fn f(self: P) u8 {\n        return self.x;\n    }\n};\n\npub fn main() !void {\n}\n\ntest "a b" {\n}\n',
        [("struct", "P", 3), ("method", "f", 5), ("function", "main", 10), ("function", '"a b"', 13)],
    ),
}


def outline_of(data: bytes, name: str, **options: int) -> Outline:
    """The outline of a file of this content, as code."""
    return Analysis(BytesSource(name, data), Options(format="code", **options)).outline()


def symbols_in(outline: Outline) -> list[tuple[str, str, int]]:
    """Kind, name and line of each symbol."""
    return [(one.kind, one.facts["name"], one.facts["line"]) for one in walk(outline.sections) if "name" in one.facts]


@pytest.mark.parametrize("name", EXAMPLES)
def test_symbols_of_each_language(name: str) -> None:
    """Each kind of definition is found at its line, and the top level joins to the whole file."""
    language = language_named(name)
    assert language is not None
    text, expected = EXAMPLES[name]
    outline = outline_of(text.encode(), "file" + language.suffixes[0])
    assert outline.degraded == ""
    assert symbols_in(outline) == expected
    at = 0
    for section in outline.sections:
        assert section.start_byte == at
        at = section.end_byte
    assert at == len(text.encode())


def test_what_precedes_a_symbol_belongs_to_it() -> None:
    """Decorators and comments: the section begins with them, the digest is what the comment says."""
    text = "x = 1\n\n# Adds two numbers together. Slowly.\n@cached\ndef add(a, b):\n    return a + b\n"
    section = outline_of(text.encode(), "a.py").sections[-1]
    assert (section.start_line, section.end_line, section.facts["line"]) == (3, 6, 5)
    assert section.title == "def add(a, b)"
    assert section.digest == "4 lines: Adds two numbers together."


def _large_python(classes: int, methods: int) -> str:
    parts = ['"""A file."""\n\nimport os\n\n']
    for number in range(classes):
        parts.append(f"\nclass C{number}(Base):\n")
        for method in range(methods):
            parts.append(f'    def m{number}_{method}(self):\n        """Text\nat column 0 (\n        """\n')
            parts += [f"        self.x{line} = [{line}, '(']\n" for line in range(6)]
    return "".join(parts)


def _large_script(methods: int) -> str:
    parts = ["var whole = (() => {\n", "class Only {\n"]
    text = "  m{}(a) {{\n    const t = `\n}}\nfunction no() {{ ${{a}}`;\n    return t;\n  }}\n\n"
    parts += [text.format(method) for method in range(methods)]
    parts.append("}\nfunction last() {\n}\n})();\n")
    return "".join(parts)


def test_no_symbol_is_lost_where_pieces_meet() -> None:
    """One class that spans many pieces, with strings that look like code at column 0."""
    found = symbols_in(outline_of(_large_python(2, 4000).encode(), "a.py", max_nodes=100_000))
    assert [name for kind, name, _ in found if kind == "method"] == [f"m{c}_{m}" for c in (0, 1) for m in range(4000)]
    assert [name for kind, name, _ in found if kind == "class"] == ["C0", "C1"]
    found = symbols_in(outline_of(_large_script(25_000).encode(), "a.js", max_nodes=100_000))
    assert [name for _, name, _ in found if name != "whole"] == ["Only", *(f"m{m}" for m in range(25_000)), "last"]


def test_growth_equals_one_scan(tmp_path: Path) -> None:
    """A prefix outlined and then appended to is outlined like the whole."""
    whole = _large_python(3, 2600).encode()
    path = tmp_path / "a.py"
    path.write_bytes(whole)
    with open_source(path) as source:
        expected = Analysis(source).outline()
    path.write_bytes(whole[: 1_100_000 + random.Random(5).randrange(500_000)])
    with open_source(path) as source:
        analysis = Analysis(source)
        analysis.outline()
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(whole[size:])
    with open_source(path) as source:
        assert analysis.refresh(source) is Change.GREW
        assert analysis.outline() == expected


def test_a_group_lists_what_it_hides() -> None:
    """With a small budget methods are merged; expanding gives them back with the same ranges."""
    data = _large_python(1, 2000).encode()
    analysis = Analysis(BytesSource("a.py", data), Options(format="code", max_nodes=400))
    groups = [one for one in walk(analysis.outline().sections) if one.kind == "group"]
    assert groups
    inside = [one for one in analysis.expand(groups[0]) if "name" in one.facts]
    assert [one.facts["name"] for one in inside] == [f"m0_{m}" for m in range(groups[0].count)]
    assert (inside[0].start_byte, inside[-1].end_byte) == (groups[0].start_byte, groups[0].end_byte)


def test_past_the_budget_line_heads_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the parser is not given is still outlined, and the outline says so; the same bytes give the same outline."""
    monkeypatch.setattr(code_scanner, "BUDGET_BYTES", 1 << 19)
    data = _large_python(2, 4000).encode()
    outline = outline_of(data, "a.py", max_nodes=100_000)
    assert "line heads" in outline.degraded
    names = [name for kind, name, _ in symbols_in(outline) if name.startswith("m")]
    assert names == [f"m{c}_{m}" for c in (0, 1) for m in range(4000)]
    assert outline_of(data, "a.py", max_nodes=100_000) == outline


def test_without_a_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language whose grammar is not installed is outlined by line heads, with the reason."""
    monkeypatch.setattr("milepost.core.code.languages.find_spec", lambda name: None)
    outline = outline_of(EXAMPLES["java"][0].encode(), "A.java")
    assert "grammar" in outline.degraded
    assert ("class", "A", 3) in symbols_in(outline)


@pytest.mark.parametrize("name", EXAMPLES)
def test_line_heads_find_most(name: str) -> None:
    """Line heads find at least the first definition of each language at its line, and end it where it ends."""
    language = language_named(name)
    assert language is not None
    text, expected = EXAMPLES[name]
    lines = {text.encode()[: one[0]].count(b"\n") + 1 for one in symbols_by_lines(text.encode(), language, [])}
    wanted = {line for kind, _, line in expected if kind not in ("prototype", "type", "module", "namespace")}
    assert len(wanted & lines) * 2 >= len(wanted)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)
def test_language_is_told_by_its_name_and_shebang(language) -> None:  # type: ignore[no-untyped-def]
    """The suffix decides between dialects; a shebang before everything."""
    example = EXAMPLES["typescript" if language.name == "tsx" else language.name][0].encode()
    found, sure = language_of("file" + language.suffixes[0], example)
    assert found is language
    assert sure > 0.35
    for word in language.interpreters[:1]:
        assert language_of("file", b"#!/usr/bin/env " + word.encode() + b"\n" + example)[0] is language


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 10:00:00 INFO start {\n" * 20,
        "The quick brown fox jumps over the lazy dog.\nIt does so often, and well.\n" * 10,
        "CREATE TABLE a (\n  id int,\n  name text\n);\nINSERT INTO a VALUES (1, 'x');\n" * 5,
        "--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n int main(void) {\n-  return 1;\n+  return 0;\n }\n" * 5,
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n  - name: b\n" * 4,
        "$ gcc -c a.c\na.c:1:2: error: expected ';'\n    1 | int f(void) {\n      |            ^\n" * 6,
        "a,b,c\n1,2,3\n4,5,6\n" * 10,
        "[section]\nkey = value\nother = 2\n" * 8,
    ],
)
def test_what_is_no_code(text: str) -> None:
    """Logs, prose, SQL, diffs, YAML, consoles, tables and settings are left to their own formats."""
    assert language_of("file.txt", text.encode())[1] == 0.0


@pytest.mark.parametrize(
    "text, language",
    [
        ('// Generated.\npackage ssa\n\nimport "fmt"\n' + "\tv.reset(OpA)\n\tif v {\n" * 40, "Go"),
        ("/* A file. */\n#include <stdio.h>\n" + "  call(a,\n    b);\n" * 40, "C"),
        ("=head1 NAME\n\nWords.\n\n" * 30 + "=cut\n\npackage DB;\nuse strict;\n" + "  go($x);\n" * 9, "Perl"),
        ("<?php\n/** Words. */\nclass A {\n" + "  go($x);\n" * 9 + "}\n", "PHP"),
        ('var ts = {};\n"use strict";\n' + "  one: () => one,\n" * 40, "JavaScript"),
    ],
)
def test_how_a_file_begins_tells_its_language(text: str, language: str) -> None:
    """Without a suffix, and with a head in which few lines are typical."""
    outline = outline_of(text.encode(), "noname")
    assert (outline.format, outline.stats["language"]) == ("code", language)


def test_cuts_know_what_is_open() -> None:
    """A piece that begins in a class is put into it."""
    body = b"class A {\n  f() {\n    x();\n  }\n\n  g() {\n  }\n"
    cut = best_cut(body, (), 12, "brace")
    assert cut is not None
    assert body[cut.offset :].startswith(b"  g()")
    assert [header.text for header in cut.headers] == [b"class A {\n"]
    assert closing(cut, "brace") == b"}"


def test_marks_of_bundles_and_macros() -> None:
    """What tells the modules of a bundle, and that blanking macros keeps every offset."""
    text = b"a();\n\n// src/one.ts\nb();\n\n// src/two.ts\nc();\n/****** Begin file x.c ******/\n"
    assert [path for _, _, path in module_marks(text)] == [b"src/one.ts", b"src/two.ts", b"x.c"]
    source = b"\nnamespace std _VISIBLE(default)\n{\n_BEGIN_NAMESPACE\nvoid f() const NOEXCEPT\n{ }\n}\n"
    blanked = without_macros(source)
    assert len(blanked) == len(source)
    assert blanked.split() == [b"namespace", b"std", b"{", b"void", b"f()", b"const", b"{", b"}", b"}"]
    small = b"template<> my_really_inline my_unused T<int>::T() {}\nint is_inline = 1;\nint a_unused(void);\n"
    blanked = without_macros(small)
    assert len(blanked) == len(small)
    assert blanked.split(b"\n")[0].split() == [b"template<>", b"T<int>::T()", b"{}"]
    assert blanked.split(b"\n")[1:] == small.split(b"\n")[1:]


def test_functions_of_c_that_the_grammar_cannot_parse() -> None:
    """A directive inside a condition breaks the tree; the function around it is found by its head."""
    broken = "static int lost(\n  int a\n){\n  if( a && (\n#ifdef X\n   a>0\n#else\n   a>1\n#endif\n#ifdef Y\n   || (a & 1)\n#endif\n  )){\n    a = 2;\n  }\n  return a;\n}\n"
    text = "int one(void) {\n  return 1;\n}\n" + broken + "int two(void) {\n  return 2;\n}\n"
    assert symbols_in(outline_of(text.encode(), "x.c")) == [
        ("function", "one", 1),
        ("function", "lost", 4),
        ("function", "two", 21),
    ]


def test_casts_of_a_class_are_named_by_their_types() -> None:
    """`T::operator bool()` outside its class is no function `bool`."""
    text = (
        "inline T::operator bool() const { return true; }\ninline T::operator std::string() const {\n  return s;\n}\n"
    )
    found = [name for _, name, _ in symbols_in(outline_of(text.encode(), "x.cpp"))]
    assert found == ["T::operator bool", "T::operator std::string"]
