"""C and C++ without the macros that decorate declarations, which a parser that has not seen their definition trips over.

They are blanked out, so that every offset stays: `namespace std _GLIBCXX_VISIBILITY(default)`, `void f() NOEXCEPT {`,
`Q_OBJECT` on a line of its own, `SQLITE_API int f(`. Titles are taken from the text as it is.
"""

from __future__ import annotations

import re

_MACRO = rb"_{0,2}[A-Z][A-Z0-9_]{3,}"
_CALL = rb"(?:[ \t]*\([^()\n;{}]*\))?"
# Every alternative begins with a fixed byte, which is what makes looking for them quick.
_DECORATIONS = re.compile(
    rb"\n(?P<name>[ \t]*(?:inline[ \t]+)?namespace[ \t]+\w+[ \t]+)" + _MACRO + _CALL  # of a namespace
    + rb"|\n[ \t]*" + _MACRO + _CALL + rb"[ \t]*(?=\r?\n)"  # alone on a line
    + rb"|\n[ \t]*" + _MACRO + rb"(?=[ \t]+[\w:]+(?:<[^<>\n]*>)?[\s*&]+[\w:~]+[ \t]*\()"  # before the type
    + rb"|\)(?P<const>[ \t]*const)?[ \t]*" + _MACRO + _CALL + rb"[ \t]*(?=[{;\n\r])"  # behind the parameters
    + rb"|static " + _MACRO + rb"(?=[ \t]+(?:struct|union|const)\b)"
)  # fmt: skip


def without_macros(text: bytes) -> bytes:
    """`text` with such macros replaced by blanks."""
    return _DECORATIONS.sub(_blank, text)


def _blank(match: re.Match[bytes]) -> bytes:
    text = match[0]
    kept = 7 if text.startswith(b"static ") else 1 + len(match["name"] or match["const"] or b"")
    return text[:kept] + b" " * (len(text) - kept)
