"""C and C++ without the macros that decorate declarations, which a parser that has not seen their definition trips over.

They are blanked out, so that every offset stays: `namespace std _GLIBCXX_VISIBILITY(default)`, `void f() NOEXCEPT {`,
`Q_OBJECT` on a line of its own, `SQLITE_API int f(`. Titles are taken from the text as it is.
"""

from __future__ import annotations

import re

_MACRO = rb"_{0,2}[A-Z][A-Z0-9_]{3,}"
_CALL = rb"(?:[ \t]*\([^()\n;{}]*\))?"
_DECORATIONS = re.compile(
    rb"(?:(?<=\n)[ \t]*" + _MACRO + _CALL + rb"[ \t]*(?=\r?\n))"  # alone on a line
    rb"|(?:(?<=\))[ \t]*(?:const[ \t]+)?" + _MACRO + _CALL + rb"[ \t]*(?=[{;\n\r]))"  # behind the parameters
    rb"|(?:(?<=\n)[ \t]*" + _MACRO + rb"(?=[ \t]+[\w:]+(?:<[^<>\n]*>)?[\s*&]+[\w:~]+[ \t]*\())"  # before the type
    rb"|(?:(?<=\bstatic )" + _MACRO + rb"(?=[ \t]+(?:struct|union|const)\b))"
    rb"|(?P<keep>(?<=\n)[ \t]*(?:inline[ \t]+)?namespace[ \t]+\w+[ \t]+)" + _MACRO + _CALL  # of a namespace
)


def without_macros(text: bytes) -> bytes:
    """`text` with such macros replaced by blanks."""
    return _DECORATIONS.sub(_blank, text)


def _blank(match: re.Match[bytes]) -> bytes:
    kept = match["keep"] or b""
    rest = match[0][len(kept) :]
    if b"const" in rest and not kept:
        place = rest.index(b"const") + 5
        kept, rest = rest[:place], rest[place:]
    return kept + b" " * len(rest)
