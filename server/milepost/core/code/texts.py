"""The strings and comments that span lines, by a plain reading of a text.

Asked only where a parse tree is broken: a parser that recovers from an error may read a string as code.
"""

from __future__ import annotations

import re
from functools import lru_cache

_QUOTED = rb"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?"
_SINGLE = rb"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
_CHARACTER = rb"|'(?:[^'\\\n]|\\[^\n]{1,8}?)'"
_SLASHES = rb"//[^\n]*|/\*.*?(?:\*/|\Z)"
_TRIPLE = rb"|\"\"\".*?(?:\"\"\"|\Z)"
_BACKTICK = rb"|`[^`\\]*(?:\\.[^`\\]*)*(?:`|\Z)"
_REGEX = rb"|[=(,:;!&|?{}\[\n]\s*/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
_HEREDOC = rb"|<<[-~]?[ ]?(['\"]?)(?P<word>[A-Za-z_]\w*)\1[^\n]*\n.*?(?:\n[ \t]*(?P=word)\b|\Z)"
_C_RAW = rb"|R\"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)\"|\Z)"
_RUST_RAW = rb"|\br(?P<hashes>#+)\".*?(?:\"(?P=hashes)|\Z)"

_SCRIPT = _SLASHES + _BACKTICK + _QUOTED + _SINGLE + _REGEX
_PATTERNS: dict[str, bytes] = {
    "python": rb"#[^\n]*" + _TRIPLE + rb"|'''.*?(?:'''|\Z)" + _QUOTED + _SINGLE,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "c": _SLASHES + _QUOTED + _CHARACTER,
    "cpp": _SLASHES + _C_RAW + _QUOTED + _CHARACTER,
    "csharp": _SLASHES + rb"|@\"(?:[^\"]|\"\")*(?:\"|\Z)" + _TRIPLE + _QUOTED + _CHARACTER,
    "go": _SLASHES + rb"|`[^`]*(?:`|\Z)" + _QUOTED + _CHARACTER,
    "rust": _SLASHES + _RUST_RAW + rb"|\"[^\"\\]*(?:\\.[^\"\\]*)*(?:\"|\Z)" + _CHARACTER,
    "php": _SLASHES + rb"|#[^\n\[]*|'[^'\\]*(?:\\.[^'\\]*)*(?:'|\Z)|\"[^\"\\]*(?:\\.[^\"\\]*)*(?:\"|\Z)",
    "ruby": rb"(?:(?<=\n)=begin\b.*?(?:\n=end|\Z))|#[^\n]*" + _HEREDOC + _QUOTED + _SINGLE,
    "bash": rb"(?:(?<=\s)#[^\n]*)" + _HEREDOC + rb"|\\.|'[^']*(?:'|\Z)|\"[^\"\\]*(?:\\.[^\"\\]*)*(?:\"|\Z)",
    "lua": rb"--\[(?P<level>=*)\[.*?(?:\](?P=level)\]|\Z)|--[^\n]*|\[\[.*?(?:\]\]|\Z)" + _QUOTED + _SINGLE,
}
_OTHERS = _SLASHES + _TRIPLE + _QUOTED + _CHARACTER


@lru_cache(maxsize=4)
def _tokens(language: str) -> re.Pattern[bytes]:
    return re.compile(_PATTERNS.get(language, _OTHERS), re.DOTALL)


def long_texts(text: bytes, language: str) -> list[tuple[int, int]]:
    """The strings and comments of `text` that hold line ends; one that is not closed ends with it."""
    found: list[tuple[int, int]] = []
    for match in _tokens(language).finditer(text):
        start, end = match.span()
        if end - start > 1 and text.find(b"\n", start + 1, end) >= 0:
            found.append((start, end))
    return found


_LONG_LINE_BYTES = 64 << 10
_LONG_STRING_BYTES = 4 << 10
_LONG_LINE = re.compile(rb"[^\n]{%d,}" % _LONG_LINE_BYTES)
_STRING = re.compile(rb"\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*(?:\"|\\?\Z)|'[^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|\\?\Z)", re.DOTALL)


def without_long_strings(text: bytes) -> bytes:
    """`text` with the insides of very long strings in very long lines made one word, all offsets kept.

    A parser makes a node of every escape sequence: megabytes of text in a string would be a hundred times as much tree.
    """
    return _LONG_LINE.sub(lambda line: _STRING.sub(_shortened, line[0]), text)


def _shortened(match: re.Match[bytes]) -> bytes:
    string = match[0]
    return string[:1] + b"x" * (len(string) - 2) + string[-1:] if len(string) > _LONG_STRING_BYTES else string
