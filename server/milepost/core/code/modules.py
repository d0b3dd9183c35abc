"""The files that a bundle or an amalgamation was made of, by the marks that its maker has left.

esbuild and rollup put `// src/file.ts` before each, webpack a box with `!*** ./src/file.js ***!`, SQLite's amalgamation
`/***** Begin file btree.c *****/`.
"""

from __future__ import annotations

import re

# Each begins with a fixed text, which is what makes looking for it quick.
_MARKS = (
    re.compile(rb"\n// ((?:[\w.@$-]+/|\.{1,2}/)[\w./@+$ -]*\.\w{1,6})(?:\?[\w=&-]*)?\r?\n(?=[^\r\n])"),
    re.compile(rb"\n/\*!\*{5,}\\\r?\n *!\*\*\* ([^\r\n]+?) \*\*\*!\r?\n *\\\*+/\r?\n"),
    re.compile(rb"\n/\*{3,} Begin file ([^\s*]+) \*{3,}/\r?\n"),
)
_COMMENT = _MARKS[0]
_HEAD_BYTES = 2000


def module_marks(body: bytes) -> list[tuple[int, int, bytes]]:
    """Where modules begin: the offset of the mark, the offset after it, and the path it names."""
    found: list[tuple[int, int, bytes]] = []
    for pattern in _MARKS:
        first = pattern.match(b"\n" + body[:_HEAD_BYTES])
        if first is not None:
            found.append((0, first.end() - 1, first[1]))
        for match in pattern.finditer(body):
            start = match.start() + 1
            # A path alone in a comment says nothing, unless it stands by itself before the next line of code.
            if pattern is _COMMENT and body[max(0, start - 2) : start] not in (b"\n\n", b"\r\n"):
                continue
            found.append((start, match.end(), match[1]))
    found.sort()
    return found
