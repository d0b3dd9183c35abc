"""No leaf of a structured format holds over a quarter of a big file's lines: files made to tempt each format to one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from invariants import check_outline

from milepost.core.analysis import Analysis, Options
from milepost.core.source import BytesSource

LINES = 6_000


def lines(text: str, between: str = "\n") -> str:
    """So many lines of a text, `{}` being the number of each."""
    return between.join(text.replace("{}", str(number)) for number in range(LINES)) + "\n"


TRACE = lines("\tat org.example.deep.Recursion.down(Recursion.java:12)")
THREAD = '"worker" #1 prio=5 os_prio=0 cpu=1ms tid=0x1 nid=0x2 runnable [0x3]\n   java.lang.Thread.State: RUNNABLE\n'
STANZA = "Package: a\nVersion: 1\nArchitecture: all\n\n"
UNIFIED = "diff --git a/f b/f\n--- a/f\n+++ b/f\n"

#: What the file is, its format, and its text.
CASES: dict[str, tuple[str, Callable[[], str]]] = {
    "an array of strings": ("json", lambda: '{"a": [\n' + lines('  "some value {}"', ",\n") + '], "b": 1}\n'),
    "an object of numbers": ("json", lambda: "{\n" + lines(' "some key {}": {}', ",\n") + "}\n"),
    "brackets without end": ("json", lambda: '{"a":\n' * LINES + "1" + "\n}" * LINES + " " * 100_000),
    "records of one shape": ("ndjson", lambda: lines('{"time": {}, "message": "it goes on"}')),
    "records": ("csv", lambda: "a,b,c\n" + lines("{},some words,more words")),
    "a field of many lines": ("csv", lambda: 'a,b,c\n1,2,"' + lines("words of one field") + '"\n4,5,6\n'),
    "an INSERT of many rows": (
        "sql",
        lambda: "CREATE TABLE t (a int);\nINSERT INTO t VALUES\n" + lines("({}, 'some text here')", ",\n") + ";\n",
    ),
    "a COPY block": ("sql", lambda: "COPY t (a, b) FROM stdin;\n" + lines("{}\tsome text here") + "\\.\n"),
    "a long routine": (
        "sql",
        lambda: "CREATE FUNCTION f() RETURNS int AS $$\n" + lines("  x := x + {};") + "$$ LANGUAGE plpgsql;\n",
    ),
    "a table of many columns": ("sql", lambda: "CREATE TABLE t (\n" + lines(" c{} integer NOT NULL", ",\n") + ");\n"),
    "an element of text": ("xml", lambda: "<a><b>\n" + lines("some text and more {}") + "</b><c/></a>\n"),
    "a comment": ("xml", lambda: "<a><!--\n" + lines("some text and more {}") + "--><c/></a>\n"),
    "elements of one kind": ("xml", lambda: "<a>\n" + lines('<b id="{}">text</b>') + "</a>\n"),
    "a block scalar": ("yaml", lambda: "kind: ConfigMap\ndata:\n  file: |\n" + lines("    some text and more {}")),
    "a list": ("yaml", lambda: "items:\n" + lines("- name: a{}\n  value: {}")),
    "a mapping": ("yaml", lambda: "a:\n" + lines("  key{}: value {} and more")),
    "a block of code": ("markup", lambda: "# Title\n\n```\n" + lines("code code code {}") + "```\n\n## Two\n\nEnd\n"),
    "a long paragraph": ("markup", lambda: "# Title\n\n" + lines("Text of a long paragraph {}") + "\n## Two\n\nEnd\n"),
    "one hunk": ("diff", lambda: UNIFIED + f"@@ -0,0 +1,{LINES} @@\n" + lines("+some new line here {}")),
    "a stanza of one field": (
        "records",
        lambda: STANZA[:-1] + "Text: x\n" + lines(" more text of it {}") + "\n" + STANZA * 3,
    ),
    "a stanza of many fields": ("records", lambda: "Package: a\n" + lines("Key-{}: some value here")),
    "a section of many keys": ("ini", lambda: "[one]\n" + lines("key{} = some value here") + "[two]\na = 1\n"),
    "keys without a section": ("ini", lambda: lines("some.key{}=some value here")),
    "a long function": ("code", lambda: "import os\n\n\ndef one():\n" + lines("    x = call(a, b, {})")),
    "a long table": ("code", lambda: "import os\n\nTABLE = {\n" + lines("    'some key {}': 'some value',") + "}\n"),
    "a long comment": ("code", lambda: "#include <x.h>\n/*\n" + lines(" * words of a comment {}") + " */\nint a;\n"),
    "a long array": ("code", lambda: "static const int t[] = {\n" + lines("  {}, 2, 3, 4, 5, 6,") + "};\n"),
    "a stack of one thread": (
        "thread_dump",
        lambda: "Full thread dump OpenJDK 64-Bit Server VM (17):\n\n" + THREAD + TRACE + "\n" + (THREAD + "\n") * 3,
    ),
    "one sort of pause": ("gc_log", lambda: lines("[1.{}s][info][gc] GC({}) Pause Young (Normal) 24M->4M(254M) 3.1ms")),
    "one sort of call": ("strace", lambda: lines('100 read(3, "abc", 100) = {}')),
    "functions of a profile": (
        "profile",
        lambda: (
            "  6000 function calls in 1.5 seconds\n\n ncalls  tottime  percall  cumtime  percall filename:lineno\n"
            + lines("  1    0.001    0.000    0.002    0.000 module.py:{}(call)")
        ),
    ),
    "instructions of a function": (
        "profile",
        lambda: (
            "# callgrind format\nevents: Ir\n"
            + "fn=(1) one\n1 2\n\n" * 40
            + "fn=(2) two\n"
            + lines("+1 {}0000000000000")
        ),
    ),
    "a stack of gdb": ("thread_dump", lambda: lines("#{}  0x00005555 in down (n={}) at rec.c:2")),
    "an error with a long trace": (
        "log",
        lambda: "2026-11-30 10:00:00,000 INFO a: start\n2026-11-30 10:00:01,000 ERROR a: failed\n" + TRACE,
    ),
    "lines of one time": ("log", lambda: lines("2026-11-30 10:00:00,000 INFO a: start of {}")),
    "lines without time": ("log", lambda: lines("some step of the work: done with {}")),
    "continuations only": ("log", lambda: "head:\n" + lines("  some step of the work: {}")),
}


@pytest.mark.parametrize("name", CASES)
def test_no_leaf_is_too_big(name: str) -> None:
    """Every invariant holds, the rule for leaves with its listed exceptions among them."""
    format_name, text = CASES[name]
    data = text().encode()
    assert len(data) > 96 * 1024
    outline = Analysis(BytesSource("x", data), Options(format=format_name)).outline()
    assert outline.format == format_name
    assert check_outline(outline, data) == []
