"""SQL, minified code, dumps and huge lines condensed: lines are cut at structural marks, and what is alike folds.

Two parts are alike when they are the same but for strings and numbers. Only data folds (rows, array members, repeated
statements of minified code): a definition is shown, however much it looks like another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from milepost.digest.condense.lines import ChunkLines, shown
from milepost.digest.condense.variations import describe_rows, odd_rows
from milepost.digest.condense.view import View, ViewLine, clipped, ordered

_LINE_BYTES = 240
_FOLD_BYTES = 700
_FEWEST = 3
#: A line longer than this is cut into parts.
LONG_LINE_BYTES = 2000
_PART_BYTES = 600
_MARKS = (
    re.compile(rb"\}\s*,\s*(?=\{)"),
    re.compile(rb"\)\s*,\s*(?=\()"),
    re.compile(rb"\]\s*,\s*(?=\[)"),
    re.compile(rb"\}\s*,\s*(?=\")"),
    re.compile(rb">\s*(?=<[\w?!])"),
    re.compile(rb"\};?(?=[\w.#@$({])"),
    re.compile(rb";"),
    re.compile(rb","),
    re.compile(rb"\s"),
)
#: The name of a member (which stays), a string, a number, a constant.
_MASK = re.compile(
    rb"(\"(?:[^\"\\]|\\.)*\"\s*:)|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|-?\b\d[\d.eE+-]*|\b(?:NULL|null|true|false)\b"
)
_SPACE = re.compile(rb"\s+")
_TOKENS = re.compile(rb"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|[^,'\"]+|[,'\"]")
_ROW = re.compile(rb"\s*(?:\(|INSERT\b|insert\b|Insert\b|REPLACE\b|VALUES\b|UNION ALL SELECT|SELECT \d)")
_SQL_WORD = re.compile(rb"\s*(?:[A-Za-z]\w*\s|--|/\*|\)|`|$)")


@dataclass(frozen=True, slots=True)
class _Part:
    """A line or a part of one: its byte range in the chunk, its number, its text, and whether it may fold."""

    start: int
    end: int
    line: int
    text: bytes
    folds: bool


def condense_parts(lines: ChunkLines, kind: str) -> View:
    """The view of a chunk of SQL (`kind` is "sql"), or of text in huge lines."""
    parts: list[_Part] = []
    copying = False
    for index in range(lines.count):
        text = lines.line(index)
        if lines.size(index) > LONG_LINE_BYTES:
            parts.extend(_cut(lines, index))
            continue
        folds = True
        if kind == "sql":
            copying = (copying and text.strip() != b"\\.") or text.startswith((b"COPY ", b"copy "))
            folds = _ROW.match(text) is not None or (copying and b"\t" in text) or _SQL_WORD.match(text) is None
        parts.append(_Part(lines.starts[index], lines.starts[index + 1], lines.number(index), text, folds))
    groups: defaultdict[bytes, list[_Part]] = defaultdict(list)
    for part in parts:
        groups[_mask(part.text) if part.folds else b"%d" % part.start].append(part)
    out: list[ViewLine] = []
    singles: list[_Part] = []
    for group in groups.values():
        if len(group) < _FEWEST:
            singles.extend(group)
        else:
            out.extend(_fold(lines, group, singles))
    singles.sort(key=lambda part: part.start)
    room = max(80, min(_LINE_BYTES, len(lines.chunk.data) // 12 // max(1, len(singles))))
    if kind == "sql" and sum(min(_LINE_BYTES, len(part.text)) for part in singles) > len(lines.chunk.data) // 8:
        out.extend(_statements(lines, singles))
    elif len(singles) * 90 > max(8000, len(lines.chunk.data) // 8):
        out.extend(_runs(lines, singles))
    else:
        out.extend(_single(lines, part, room if part.folds else _LINE_BYTES) for part in singles)
    return ordered(out)


def _single(lines: ChunkLines, part: _Part, max_bytes: int) -> ViewLine:
    size = part.end - part.start
    text = shown(lines.decode(part.text[:4096]), max_bytes)
    if len(part.text) > 4096 or len(part.text) + 2 < size:
        text = clipped(text, max_bytes) + f" ({size:,} bytes)"
    return ViewLine(text, part.line, part.line, 1, ((part.start, part.end),))


def _fold(lines: ChunkLines, group: list[_Part], singles: list[_Part]) -> list[ViewLine]:
    rows = [_TOKENS.findall(part.text) for part in group]
    odd = set(odd_rows(rows))
    singles.append(group[0])
    singles.extend(group[place] for place in sorted(odd - {0}))
    rest = [place for place in range(len(group)) if place and place not in odd]
    if len(rest) < 2:
        singles.extend(group[place] for place in rest)
        return []
    text = describe_rows([rows[place] for place in rest], lines.decode, "")
    return [_joined([group[place] for place in rest], shown(text, _FOLD_BYTES), "repeat")]


def _joined(parts: Sequence[_Part], text: str, kind: str) -> ViewLine:
    ranges: list[tuple[int, int]] = []
    for part in parts:
        if ranges and ranges[-1][1] == part.start:
            ranges[-1] = (ranges[-1][0], part.end)
        else:
            ranges.append((part.start, part.end))
    return ViewLine(
        text, parts[0].line, parts[-1].line, len(parts), tuple(ranges), "body" if kind == "body" else "repeat"
    )


_ENDS_STATEMENT = re.compile(rb";\s*$|^\s*(?:GO|go|/|\$\$;?)\s*$")
_SAYS_NOTHING = re.compile(rb"\s*(?:--.*|/\*.*|\*/.*)?$")


def _statements(lines: ChunkLines, singles: Sequence[_Part]) -> list[ViewLine]:
    """Too many definitions: of each the first line, and what its other lines begin with; comments and blank lines once."""
    out: list[ViewLine] = []
    at = 0
    while at < len(singles):
        run = [singles[at]]
        idle = _SAYS_NOTHING.match(run[0].text) is not None
        while at + len(run) < len(singles) and singles[at + len(run)].start == run[-1].end:
            following = singles[at + len(run)]
            if idle != (_SAYS_NOTHING.match(following.text) is not None) and (idle or not following.text.strip()):
                break
            if not idle and _ENDS_STATEMENT.search(run[-1].text):
                break
            run.append(following)
        at += len(run)
        if idle:
            telling = next((part for part in run if len(part.text.strip(b" -/*")) > 3), run[0])
            text = shown(lines.decode(telling.text), _LINE_BYTES) or "(blank)"
            out.append(_joined(run, text, "body") if len(run) > 1 else _single(lines, run[0], _LINE_BYTES))
            continue
        out.append(_single(lines, run[0], _LINE_BYTES))
        if len(run) <= 3:
            out.extend(_single(lines, part, _LINE_BYTES) for part in run[1:])
        else:
            heads = [shown(lines.decode(part.text.strip()[:60].split(b" ")[0]), 32) for part in run[1:]]
            listed = [head for head in dict.fromkeys(heads) if head.strip("();,")][:16]
            out.append(_joined(run[1:], f"({len(run) - 1} lines: {', '.join(listed)})", "body"))
    return out


def _runs(lines: ChunkLines, singles: Sequence[_Part]) -> list[ViewLine]:
    """Too many parts without a like: neighbours together, with what the first and the longest begin with."""
    out: list[ViewLine] = []
    size = max(2, len(singles) // 60)
    at = 0
    while at < len(singles):
        run = [singles[at]]
        while len(run) < size and at + len(run) < len(singles) and singles[at + len(run)].folds and run[0].folds:
            run.append(singles[at + len(run)])
        at += len(run)
        if len(run) == 1:
            out.append(_single(lines, run[0], _LINE_BYTES))
            continue
        longest = max(run, key=lambda part: (part.end - part.start, -part.start))
        heads = [shown(lines.decode(part.text[:400].strip()), 70) for part in dict.fromkeys((run[0], longest))]
        total = sum(part.end - part.start for part in run)
        out.append(_joined(run, f"{' … '.join(heads)} ({len(run)} parts, {total:,} bytes)", "body"))
    return out


def _mask(text: bytes) -> bytes:
    masked = _SPACE.sub(b" ", _MASK.sub(lambda match: match[1] or b"0", text[:4096]))
    # Lists of values differ in length without being unlike.
    return re.sub(rb"0(?: ?, ?0){3,}", b"0,*", masked)[:400]


def _cut(lines: ChunkLines, index: int) -> list[_Part]:
    """A huge line in parts: at the mark that gives many parts of a bearable size; the parts are the line, gapless."""
    start, end = lines.starts[index], lines.starts[index + 1]
    masked = lines.is_masked(index)
    data = lines.chunk.data[start:end]
    best: list[int] = []
    for mark in _MARKS:
        cuts = [match.end() for match in mark.finditer(data)]
        if len(cuts) >= 8 and len(data) / len(cuts) <= 4 * _PART_BYTES:
            best = cuts
            break
    places = [0]
    for cut in best:
        if cut - places[-1] >= 24 and cut < len(data):
            places.append(cut)
    places.append(len(data))
    number = lines.number(index)
    if masked:
        return [_Part(start, end, number, lines.line(index), False)]
    return [_Part(start + low, start + high, number, data[low:high], True) for low, high in pairwise(places)]
