"""The parts of a chunk, as the file's outline names them.

The pieces of a chunk are exact and together they are the chunk: sections of the outline that lie in it, parts of sections
that go beyond it, and what lies between. Where the outline goes deeper it is followed, the largest piece first, until there
are enough pieces to tell something and not so many that each tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from milepost.core.chunks import Chunk
from milepost.core.outline import TITLE_MAX_BYTES, Section
from milepost.core.text import clip_text
from milepost.digest.values import NOTABLE_WEIGHT, Piece

MAX_PIECES = 12
"""So many pieces a chunk has at most: a model is to say something of each."""

_FINER_FROM_BYTES = 4096
"""A piece smaller than this is not looked into."""


@dataclass(frozen=True, slots=True)
class _Span:
    """A stretch of the chunk and the section it belongs to; `is_rest` where it is what its children leave over."""

    section: Section | None
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    is_rest: bool = False

    @property
    def bytes(self) -> int:
        return self.end_byte - self.start_byte


def pieces_of(chunk: Chunk, sections: Sequence[Section]) -> tuple[Piece, ...]:
    """The pieces of a chunk, at most `MAX_PIECES`, in order and without gap, from the top-level `sections` of the file."""
    spans = _clipped(_Span(None, chunk.start_line, chunk.end_line, chunk.start_byte, chunk.end_byte), sections)
    while True:
        finer = [
            (span.bytes, -index)
            for index, span in enumerate(spans)
            if span.bytes >= _FINER_FROM_BYTES and span.section and span.section.children and not span.is_rest
        ]
        best: list[_Span] | None = None
        for _, negative in sorted(finer, reverse=True):
            index = -negative
            span = spans[index]
            assert span.section is not None
            inside = _clipped(span, span.section.children)
            candidate = [*spans[:index], *inside, *spans[index + 1 :]]
            if len(candidate) <= MAX_PIECES or len(spans) < MAX_PIECES // 2:
                best = candidate
                break
        if best is None:
            break
        spans = best
    return tuple(_piece(f"s{number}", one) for number, one in enumerate(_merged(spans), 1))


def _clipped(span: _Span, sections: Iterable[Section]) -> list[_Span]:
    """A span divided by the sections that overlap it; what they leave over keeps the span's own section."""
    found: list[_Span] = []
    line, byte = span.start_line, span.start_byte
    for section in sections:
        if section.end_byte <= span.start_byte or section.start_byte == section.end_byte:
            continue
        if section.start_byte >= span.end_byte:
            break
        start, end = max(section.start_byte, span.start_byte), min(section.end_byte, span.end_byte)
        start_line = section.start_line if section.start_byte >= span.start_byte else span.start_line
        end_line = section.end_line if section.end_byte <= span.end_byte else span.end_line
        if start > byte:
            shares_line = section.start_column is not None
            rest_end = max(line, start_line if shares_line else start_line - 1)
            found.append(_Span(span.section, line, rest_end, byte, start, is_rest=True))
        found.append(_Span(section, start_line, end_line, start, end))
        byte = end
        line = end_line if section.end_column is not None or end < section.end_byte else end_line + 1
    if byte < span.end_byte:
        found.append(_Span(span.section, min(line, span.end_line), span.end_line, byte, span.end_byte, is_rest=True))
    return found


def _merged(spans: Sequence[_Span]) -> list[list[_Span]]:
    """Neighbours put together until few enough are left, the smallest and least notable first."""
    groups = [[span] for span in spans]
    while len(groups) > MAX_PIECES:
        index = min(
            range(len(groups) - 1),
            key=lambda at: (
                _is_notable(groups[at]) + _is_notable(groups[at + 1]),
                groups[at + 1][-1].end_byte - groups[at][0].start_byte,
                at,
            ),
        )
        groups[index : index + 2] = [groups[index] + groups[index + 1]]
    return groups


def _is_notable(group: Sequence[_Span]) -> bool:
    return any(
        span.section is not None and not span.is_rest and span.section.weight >= NOTABLE_WEIGHT for span in group
    )


def _piece(piece_id: str, group: Sequence[_Span]) -> Piece:
    first, last = group[0], group[-1]
    piece = Piece(
        id=piece_id,
        section=None,
        title="",
        kind="text",
        start_line=first.start_line,
        end_line=last.end_line,
        start_byte=first.start_byte,
        end_byte=last.end_byte,
    )
    named = [span.section for span in group if span.section is not None]
    if not named:
        lines = last.end_line - first.start_line + 1
        return replace(piece, title=f"{lines:,} lines" if lines > 1 else "1 line", count=lines)
    if len(group) == 1:
        (section,) = named
        return replace(
            piece,
            section=section.id,
            title=section.title,
            kind=section.kind,
            digest="" if first.is_rest else section.digest,
            count=1 if first.is_rest else section.count,
            facts={} if first.is_rest else section.facts,
            weight=min(section.weight, NOTABLE_WEIGHT - 0.1) if first.is_rest else section.weight,
        )
    best = max(named, key=lambda section: section.weight)
    titles = list(dict.fromkeys(section.title for section in named))
    title = titles[0] if len(titles) == 1 else f"{clip_text(titles[0], 52)} … {clip_text(titles[-1], 52)}"
    return replace(
        piece,
        title=clip_text(title, TITLE_MAX_BYTES),
        kind=named[0].kind if len({section.kind for section in named}) == 1 else "group",
        digest=best.title if best.title not in (titles[0], titles[-1]) else best.digest,
        count=len(named),
        facts={name: best.facts[name] for name in ("severity",) if name in best.facts},
        weight=max(section.weight for section in named),
    )
