"""Markup: headings of every dialect, nested by level; what looks like a heading but is none."""

from __future__ import annotations

import random

import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.detect import sample_of
from milepost.core.formats.markup import FORMAT
from milepost.core.outline import Outline, Section, walk
from milepost.core.source import BytesSource
from milepost.core.structure import markup_fences
from milepost.core.structure.markup_sniff import dialect_of

MARKDOWN = b"""\
---
title: Front matter
---
# One

Text of one.

```sh
# no heading
```

<!-- a comment
# no heading
-->
Two lines of
a heading
---------

- item
  # heading of the item
- - -

### Three ###
<div>
# no heading in HTML
</div>

#hashtag
"""

RST = b"""\
=====
Title
=====

Intro, see :ref:`x`.

First
=====

.. note:: Something

Sub
---

Second
======

no title
 ===
"""

ASCIIDOC = b"""\
= Title

:toc:

== First

----
== no heading
----

=== Sub

== Second
"""

LATEX = b"""\
\\documentclass{article}
\\begin{document}
\\section{One \\emph{and} more}
\\subsection*{Sub}
\\begin{verbatim}
\\section{no heading}
\\end{verbatim}
\\section[short]{Two}
\\end{document}
"""

ORG = b"""\
#+TITLE: Notes
* TODO One :tag:
** Sub
text
* Two
"""

INFO = b"""\
This is x.info.

\x1f
File: x.info,  Node: Top,  Next: One,  Up: (dir)

Top text
\x1f
File: x.info,  Node: One,  Next: Two,  Prev: Top,  Up: Top

\x1f
File: x.info,  Node: Inner,  Up: One

\x1f
File: x.info,  Node: Two,  Prev: One,  Up: Top

\x1f
Tag Table:
"""

ROFF = b"""\
.\\" a comment
.TH LS 1 "May 2024"
.SH NAME
ls \\- list
.SH "SEE \\fIALSO\\fR"
.SS Sub section
text
"""

MAN = b"""\
LS(1)                            User Commands                           LS(1)

N\x08NA\x08AM\x08ME\x08E
       ls - list directory contents

DESCRIPTION
       List information

   Exit status:
       0      if OK
"""

MBOX = b"""\
From ada@example.org Mon Jan  1 10:00:00 2024
From: Ada <ada@example.org>
Date: Mon, 1 Jan 2024 10:00:00 +0000
Subject: A long
 subject
To: list@example.org

Body
From here on it is still the body.

From bob@example.org Tue Jan  2 10:00:00 2024
From: Bob <bob@example.org>
Date: Tue, 2 Jan 2024 10:00:00 +0000
Subject: Re: A long subject

Yes
"""

RFC = b"""\
Network Working Group                                       A. Author
Request for Comments: 9999                                   May 2024

                              A Protocol

Abstract

   Text.

Table of Contents

   1. Introduction .................................................2

1.  Introduction

   Text.

Author                                                        [Page 1]
\x0c
RFC 9999                       A Protocol                      May 2024

1.1.  Terms

   Text.

2.  Security Considerations
"""

DISASSEMBLY = b"""\

lib.a(one.o):     file format elf64-x86-64


Disassembly of section .text:

0000000000000000 <first>:
   0:\t48 83 ec 08          \tsub    $0x8,%rsp
   4:\tc3                   \tret

0000000000000005 <operator<<(std::ostream&, int)>:
   5:\t0f 1f 40 00          \tnopl   0x0(%rax)
\t...

Disassembly of section .fini:

0000000000000010 <.fini>:
  10:\tc3                   \tret

two.o:     file format elf64-x86-64
"""

CASES = {
    "disassembly": (
        DISASSEMBLY,
        [
            "1 lib.a(one.o) (elf64-x86-64)",
            "2 .text",
            "3 first",
            "3 operator<<(std::ostream&, int)",
            "2 .fini",
            "3 .fini",
            "1 two.o (elf64-x86-64)",
        ],
    ),
    "markdown": (MARKDOWN, ["9 front matter", "1 One", "2 Two lines of a heading", "3 Three"]),
    "rst": (RST, ["1 Title", "2 First", "3 Sub", "2 Second"]),
    "asciidoc": (ASCIIDOC, ["1 Title", "2 First", "3 Sub", "2 Second"]),
    "latex": (LATEX, ["1 document", "3 One \\emph{and} more", "4 Sub", "3 Two"]),
    "org": (ORG, ["1 TODO One", "2 Sub", "1 Two"]),
    "info": (INFO, ["1 Top", "2 One", "3 Inner", "2 Two", "1 Tag Table"]),
    "roff": (ROFF, ["1 LS(1)", "2 NAME", "2 SEE ALSO", "3 Sub section"]),
    "man": (MAN, ["1 LS(1)", "2 NAME", "2 DESCRIPTION", "3 Exit status:"]),
    "mbox": (MBOX, ["1 A long subject", "1 Re: A long subject"]),
    "rfc": (
        RFC,
        ["1 Abstract", "1 Table of Contents", "1 1. Introduction", "2 1.1. Terms", "1 2. Security Considerations"],
    ),
}


def headings(sections: tuple[Section, ...], data: bytes) -> list[str]:
    """Level and title of each, after checking that children lie in their parents and that nothing is left out."""
    found = []
    for section in sections:
        inside = headings(section.children, data)
        if "level" in section.facts:
            found.append(f"{section.facts['level']} {section.title}")
        for child in section.children:
            assert section.start_byte <= child.start_byte <= child.end_byte <= section.end_byte
        found += inside
    return found


@pytest.mark.parametrize("dialect", CASES)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_headings(dialect: str, line_end: bytes) -> None:
    data, expected = CASES[dialect]
    data = data.replace(b"\n", line_end)
    source = BytesSource("x", data)
    assert dialect_of(sample_of(source, "x" if dialect != "markdown" else "x.md"))[0] == dialect
    found = Analysis(source, Options(format="markup")).outline() if dialect != "markdown" else outline_of_markdown(data)
    assert headings(found.sections, data) == expected
    assert found.sections[0].start_byte == 0
    assert found.sections[-1].end_byte == len(data)


def outline_of_markdown(data: bytes) -> Outline:
    return Analysis(BytesSource("x.md", data), Options(format="markup")).outline()


def test_a_long_section_without_headings_is_listed_in_parts() -> None:
    data = b"# Long\n\n" + b"".join(b"paragraph %d\nmore of it\n\n" % number for number in range(1000)) + b"# Next\n"
    first, last = outline_of_markdown(data).sections
    assert (first.title, last.title) == ("Long", "Next")
    assert all(part.kind == "paragraphs" and part.end_line - part.start_line < 600 for part in first.children)
    assert first.children[0].start_line == 1
    assert first.children[-1].end_line == first.end_line
    assert first.children[1].title.startswith("paragraph ")


def test_what_finds_no_room_is_counted_and_listed_when_expanded() -> None:
    data = b"".join(
        b"# Chapter %d\n\n" % chapter + b"".join(b"## Section %d.%d\n\ntext\n\n" % (chapter, n) for n in range(100))
        for chapter in range(120)
    )
    analysis = Analysis(BytesSource("x.md", data), Options(format="markup", max_nodes=2000))
    found = analysis.outline()
    assert found.stats["headings"] == 120 * 101
    assert found.stats["nodes"] <= 2000
    chapter = next(one for one in found.sections if one.more is not None)
    assert chapter.more is not None
    assert len(chapter.children) + chapter.more.count == 100
    assert [one.title for one in analysis.expand(chapter)][:2] == [
        chapter.title.replace("Chapter", "Section") + ".0",
        chapter.title.replace("Chapter", "Section") + ".1",
    ]


@pytest.mark.parametrize(
    "name, text",
    [
        ("x.sh", b"#!/bin/sh\n# Set up\nset -e\n\n# Go\nexport A=1\nif [ -f x ]; then\n  echo x\nfi\n"),
        ("x.py", b"# comment\nimport os\n\n# another\ndef f():\n    return 1\n"),
        ("x.conf", b"# comment\nkey = value\n\n# comment\nother = value\n"),
        ("x.csv", b"#id,name\n1,a\n2,b\n"),
        ("x.log", b"----------\nstarting\n==========\n2024-01-01 INFO x\n" * 10),
        ("x.txt", b"Just some text.\n\nAnd more of it.\n"),
        ("x.yaml", b"# comment\nkey: value\nlist:\n  - a\n  - b\n"),
        ("x", b""),
    ],
)
def test_other_texts_are_no_markup(name: str, text: bytes) -> None:
    assert FORMAT.sniff(sample_of(BytesSource(name, text), name)) < 0.3


_PIECES = (
    "```|````|~~~|``` py|~~~ x|```  |# Head|text||  ```|   ~~~~|Under\n===|Words\n---|<!-- c -->|a `` b|``` a`b|## Closed ##|"
    "`````````````|`````````````````````````|``````````````` example|``` words that are longer than two words `of eight bytes"
)


@pytest.mark.parametrize("seed", range(60))
def test_rows_of_fenced_blocks_are_read_as_one_block_after_the_other(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    text = "\n".join(chance.choices(_PIECES.split("|"), k=chance.choice((12, 60, 200)))).encode()

    def headings(least_openers: int, few: int) -> list[tuple[int, int, str]]:
        monkeypatch.setattr(markup_fences, "_FEW_OPENERS", least_openers)
        monkeypatch.setattr(markup_fences, "_FEW", few)
        found = Analysis(BytesSource("x.md", text), Options(format="markup")).outline()
        return [
            (one.facts["level"], one.start_line, one.title) for one in walk(found.sections) if one.kind == "heading"
        ]

    one_by_one = headings(10**9, 10**9)
    assert headings(1, 0) == one_by_one
    assert headings(1, 10**9) == one_by_one


def test_of_very_many_headings_groups_are_listed_that_list_them() -> None:
    text = b"".join(
        b"# Head *%d* #\n\nWords.\n\n## Below\n\n```sh\n# no head\n```\n\n" % number for number in range(30_000)
    )
    analysis = Analysis(BytesSource("x.md", text))
    found = analysis.outline()
    assert found.stats["headings"] == 60_000
    assert found.stats["nodes"] <= 5000
    assert sum(each.count if each.kind == "group" else 1 for each in found.sections) == 30_000
    last = found.sections[-1]
    assert last.title.endswith("Head *29999*")
    members = [each.title for each in analysis.expand(last)]
    assert members == [f"Head *{number}*" for number in range(30_000 - last.count, 30_000)]
