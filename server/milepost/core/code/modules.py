"""The files that a bundle or an amalgamation was made of, by the marks that its maker has left.

esbuild and rollup put `// src/file.ts` before each, webpack a box with `!*** ./src/file.js ***!`, SQLite's amalgamation
`/***** Begin file btree.c *****/`.
"""

from __future__ import annotations

import re

_MARK = re.compile(
    rb"""
      (?:^|(?<=\n)) (?P<line>//[ ](?P<esbuild>(?:[\w.@$-]+/|\.{1,2}/)[\w./@+$ -]*\.\w{1,6}) (?:\?[\w=&-]*)? \r?\n) (?=[^\r\n])
    | (?:^|(?<=\n)) (?P<box>/\*!\*{5,}\\\r?\n[ ]*!\*\*\*[ ](?P<webpack>[^\r\n]+?)[ ]\*\*\*!\r?\n[ ]*\\\*+/\r?\n)
    | (?:^|(?<=\n)) (?P<begin>/\*{3,}[ ]Begin[ ]file[ ](?P<amalgam>[^\s*]+)[ ]\*{3,}/\r?\n)
    """,
    re.VERBOSE,
)


def module_marks(body: bytes) -> list[tuple[int, int, bytes]]:
    """Where modules begin: the offset of the mark, the offset after it, and the path it names."""
    found: list[tuple[int, int, bytes]] = []
    if b"// " not in body and b"!***" not in body and b" Begin file " not in body:
        return found
    for match in _MARK.finditer(body):
        start = match.start()
        # A path alone in a comment says nothing, unless it stands by itself before the next line of code.
        if match["esbuild"] and start and body[max(0, start - 2) : start] not in (b"\n\n", b"\r\n"):
            continue
        found.append((start, match.end(), match["esbuild"] or match["webpack"] or match["amalgam"]))
    return found
