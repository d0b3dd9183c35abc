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
    + rb"|\n[ \t]*" + _MACRO + rb"(?=[ \t]+[\w:]+(?:<[^<>\n]*>)?[\s*&]+(?:\(\*)?[\w:~]+[ \t]*\()"  # before the type
    + rb"|\)(?P<const>[ \t]*const)?[ \t]*" + _MACRO + _CALL + rb"[ \t]*(?=[{;\n\r])"  # behind the parameters
    + rb"|static " + _MACRO + rb"(?=[ \t]+(?:struct|union|const)\b)"
)  # fmt: skip
# Those in small letters are told by what they end with: `simdjson_really_inline`, `my_unused`, `foo_warn_unused`.
_SMALL = re.compile(rb"_(?:inline|noinline|unused|nodiscard|deprecated|forceinline)(?=[ \t]+[\w:~])")
_WORD_START = re.compile(rb"[A-Za-z]\w*\Z")
_WORD_BYTES = 48


def without_macros(text: bytes) -> bytes:
    """`text` with such macros replaced by blanks."""
    return _without_small(_DECORATIONS.sub(_blank, text))


def _without_small(text: bytes) -> bytes:
    pieces, position = [], 0
    for match in _SMALL.finditer(text):
        word = _WORD_START.search(text, max(position, match.start() - _WORD_BYTES), match.start())
        if word is not None and text[word.start() - 1 : word.start()] in (b"\n", b" ", b"\t", b">"):
            pieces += [text[position : word.start()], b" " * (match.end() - word.start())]
            position = match.end()
    return b"".join([*pieces, text[position:]]) if pieces else text


def _blank(match: re.Match[bytes]) -> bytes:
    text = match[0]
    kept = 7 if text.startswith(b"static ") else 1 + len(match["name"] or match["const"] or b"")
    return text[:kept] + b" " * (len(text) - kept)
