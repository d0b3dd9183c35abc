"""Symbols by the heads of lines and their indentation: at once, for any size, and where no parser can be had.

Lines that may begin something are found by hyperscan, looked at by the language's expression, and end where the
indentation says: at the line that closes them, or where the next thing of the same or a smaller indentation begins.
"""

from __future__ import annotations

import re
from functools import lru_cache

import hyperscan
import numpy as np
import numpy.typing as npt

from milepost.core.code.client import Symbols
from milepost.core.code.languages import Language, expression
from milepost.core.lines import line_starts
from milepost.core.shared_patterns import SharedPatterns

#: Names that look like the head of a function, but are statements.
_STATEMENTS = frozenset(
    b"if for while switch catch return else do throw new sizeof typeof await yield elif when foreach using lock fixed"
    b" synchronized try case default super this defined assert delete in of not and or with print echo exit".split()
)
_SPACES = re.compile(rb"\s+")
_LINE_BYTES = 400
_TAB = 8
_CLOSERS = (b"}", b")", b"]", b"end", b"fi", b"done", b"esac")


@lru_cache(maxsize=8)
def _patterns(trigger: bytes) -> SharedPatterns:
    return SharedPatterns([trigger], [hyperscan.HS_FLAG_MULTILINE])


def symbols_by_lines(body: bytes, language: Language, open_indents: list[int]) -> Symbols:
    """The symbols of `body`, which begins and ends with a line; those that do not end in it end beyond it.

    For each construct of `open_indents`, which are open where `body` begins, the first symbols say where it ends.
    """
    starts = line_starts(body)
    if not len(starts):
        return []
    bounds = np.append(starts, len(body))
    indents = _indents(body, starts, bounds)
    found: list[tuple[int, int, bytes, str, bytes]] = []
    for index in _hit_lines(body, starts, language):
        line = body[int(starts[index]) : min(int(bounds[index + 1]), int(starts[index]) + _LINE_BYTES)]
        head = _head(line, language)
        if head is not None:
            found.append((index, int(indents[index]), *head))
    # [line, indent, end line]: what is open lies before line 0.
    spans: list[list[int]] = [[-1, indent, -1] for indent in open_indents]
    stack = list(range(len(spans)))
    position = 0
    for index, indent, _, _, _ in [*found, (len(starts), -1, b"", "", b"")]:
        while stack:
            span = spans[stack[-1]]
            low = max(position, span[0] + 1)
            end = _end_of(body, starts, indents, low, index, span[1], language)
            if end < 0:
                if index < len(starts) and indent <= span[1]:
                    end = index
                else:
                    break
            span[2] = end
            position = max(position, end)
            stack.pop()
        if index < len(starts):
            spans.append([index, indent, -1])
            stack.append(len(spans) - 1)
    symbols: Symbols = []
    beyond = len(body) + 1
    for number, (first, _, end) in enumerate(spans):
        end_byte = beyond if end < 0 else int(bounds[end])
        if first < 0:
            symbols.append((-1 - len(open_indents) + number, end_byte, -1, -1, "", "", "", ""))
            continue
        _, _, name, kind, line = found[number - len(open_indents)]
        start = int(starts[first])
        title = _SPACES.sub(b" ", line).decode("utf-8", "replace").strip().rstrip(" {:")
        label = name.decode("utf-8", "replace")
        symbols.append((start, end_byte, start, int(bounds[first + 1]), kind, label, title, ""))
    return symbols


def _hit_lines(body: bytes, starts: npt.NDArray[np.int64], language: Language) -> list[int]:
    ends: list[int] = []

    def on_match(identifier: int, start: int, end: int, flags: int, context: object) -> None:
        ends.append(end)

    _patterns(language.trigger).scan(body, on_match)
    if not ends:
        return []
    lines = np.searchsorted(starts, np.asarray(ends, np.int64) - 1, side="right") - 1
    return [int(line) for line in np.unique(lines)]


def _head(line: bytes, language: Language) -> tuple[bytes, str, bytes] | None:
    match = expression(language.heads).match(line)
    if match is None:
        return None
    groups = match.groupdict()
    kind = (groups.get("kind") or b"").split(None, 1)
    name = next(
        (groups[key] for key in ("name", "method", "variable", "property", "impl", "init") if groups.get(key)), b""
    )
    if name in _STATEMENTS or (not kind and line.split(None, 1)[0] in _STATEMENTS):
        return None
    word = kind[0].decode().rstrip("*!") if kind else "function"
    word = {"def": "function", "impl": "impl", "macro_rules": "macro", "mod": "module"}.get(word, word)
    return name.strip(), ("impl" if groups.get("impl") else word), line.rstrip(b"\r\n")


def _indents(body: bytes, starts: npt.NDArray[np.int64], bounds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The indentation of each line; a very large one for blank lines."""
    array = np.frombuffer(body, np.uint8)
    indents = np.zeros(len(starts), np.int64)
    active = np.arange(len(starts))
    place = starts.copy()
    for _ in range(64):
        inside = place < bounds[active + 1]
        active, place = active[inside], place[inside]
        if not len(active):
            break
        bytes_here = array[place]
        indents[active[(bytes_here == 10) | (bytes_here == 13)]] = 1 << 30
        blank = (bytes_here == 32) | (bytes_here == 9)
        active, place = active[blank], place[blank]
        indents[active] += np.where(bytes_here[blank] == 9, _TAB, 1)
        place = place + 1
    return indents


def _end_of(
    body: bytes,
    starts: npt.NDArray[np.int64],
    indents: npt.NDArray[np.int64],
    low: int,
    high: int,
    indent: int,
    language: Language,
) -> int:
    """The line after the last of what has this indentation, if it ends in lines `low` to `high`; else -1."""
    for index in (np.flatnonzero(indents[low:high] <= indent) + low).tolist():
        start = int(starts[index])
        text = body[start : start + 80].lstrip()
        if text.startswith(_CLOSERS):
            if language.style == "indent" or text.startswith((b")", b"]")):
                continue  # the end of a list of parameters
            return int(index) + 1 if int(indents[index]) == indent else int(index)
        if language.style == "brace" or text.startswith((b"#", b"{", b"/*", b"*", *language.comment)):
            continue
        return int(index)
    return -1
