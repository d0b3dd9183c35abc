"""How a chunk is divided among calls, so that each fits the model's context and nothing of the chunk is left out."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from milepost.core.lines import line_starts
from milepost.core.text import cut_text, plain_text
from milepost.digest.condense import View, ViewLine, condense
from milepost.digest.labelling import prompts
from milepost.digest.secrets import mask_secrets
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import Brief, ChunkText, Piece

_SAFETY = 0.95
"""So much of the context is used: estimates are not counts."""

_MIN_TEXT_TOKENS = 48
_MIN_OUTPUT_TOKENS = 128
_MAX_OUTPUT_TOKENS = 1400
_MAX_ANSWER_TOKENS = 450
"""What a reply without sections takes at most. A small model that has lost the thread writes on until it is stopped."""

_PHRASES_TOKENS = 130
"""What stands around the parts of a prompt."""

_CONTEXT_FROM_TOKENS = 2000
"""With less room for text, what stands before a chunk is not shown."""

_CONTEXT_BYTES = 400


@dataclass(frozen=True, slots=True)
class Room:
    """How the tokens of one call are shared out."""

    output: int
    summary: int
    rows: int
    text: int

    @classmethod
    def of(cls, context_tokens: int, brief: Brief) -> Room:
        """The shares of a context of so many tokens. Very small ones are overdrawn rather than refused."""
        most = _MAX_OUTPUT_TOKENS if brief.wants_summary else _MAX_ANSWER_TOKENS
        output = min(most, max(_MIN_OUTPUT_TOKENS, context_tokens // 4))
        fixed = estimate_tokens(prompts.SYSTEM) + _PHRASES_TOKENS + estimate_tokens(brief.question)
        free = max(0, int(context_tokens * _SAFETY) - output - fixed)
        summary = min(400, free // 5)
        rows = min(1200, free // 4)
        return cls(output, summary, rows, max(_MIN_TEXT_TOKENS, free - summary - rows))


@dataclass(frozen=True, slots=True)
class Part:
    """What one call is about: a stretch of the chunk's view, and the pieces that are to be labelled from it.

    `view` is None where only the rows of the pieces are judged.
    """

    number: int
    of: int
    pieces: tuple[Piece, ...]
    view: View | None = None
    context: str = ""

    def text(self) -> str:
        """The view as it is sent."""
        return "" if self.view is None else self.view.render()


def parts_of(chunk: ChunkText, brief: Brief, room: Room) -> list[Part]:
    """The calls that a chunk takes."""
    if brief.detail == "outline" and not brief.question:
        batches = _batches(chunk.pieces, room.rows + room.text)
        return [Part(number, len(batches), batch) for number, batch in enumerate(batches, 1)]
    view = _whole(chunk, room.text // 2) if brief.detail == "deep" else condense(chunk, mask=mask_secrets)
    views = view.parts(room.text, estimate_tokens)
    context = ""
    if chunk.before and room.text >= _CONTEXT_FROM_TOKENS:
        context = plain_text(cut_text(mask_secrets(chunk.decoded(chunk.before[-_CONTEXT_BYTES:])), _CONTEXT_BYTES))
    asked = [()] * len(views) if not brief.wants_summary else _shared_out(chunk, views, room.rows)
    return [
        Part(number, len(views), pieces, one, context if number == 1 else "")
        for number, (one, pieces) in enumerate(zip(views, asked, strict=True), 1)
    ]


def fits(part: Part, room: Room) -> bool:
    """Whether a part is at most what the room has for it, or cannot be divided."""
    if part.view is None:
        return (
            len(part.pieces) <= 1 or estimate_tokens("\n".join(map(prompts.row, part.pieces))) <= room.rows + room.text
        )
    # The estimate of a whole is not quite the sum of those of its rows.
    return estimate_tokens(part.text()) <= 1.05 * room.text + 16


def divided(part: Part, room: Room) -> list[Part]:
    """The part in smaller ones, for a model that turned out to take less."""
    if part.view is None:
        half = max(1, len(part.pieces) // 2)
        batches = [part.pieces[:half], part.pieces[half:]]
        return [Part(part.number, part.of, batch) for batch in batches if batch]
    views = part.view.parts(
        max(_MIN_TEXT_TOKENS // 2, min(room.text, estimate_tokens(part.text()) // 2)), estimate_tokens
    )
    # The pieces are asked for where the largest share of the text is: with the first.
    return [
        Part(part.number, part.of, part.pieces if number == 0 else (), view, part.context if number == 0 else "")
        for number, view in enumerate(views)
    ]


def _batches(pieces: Sequence[Piece], max_tokens: int) -> list[tuple[Piece, ...]]:
    batches: list[tuple[Piece, ...]] = []
    batch: list[Piece] = []
    tokens = 0
    for piece in pieces:
        cost = estimate_tokens(prompts.row(piece)) + 1
        if batch and tokens + cost > max_tokens:
            batches.append(tuple(batch))
            batch, tokens = [], 0
        batch.append(piece)
        tokens += cost
    return [*batches, tuple(batch)] if batch else batches


def _shared_out(chunk: ChunkText, views: Sequence[View], max_tokens: int) -> list[tuple[Piece, ...]]:
    """Each piece with the view that shows most of it, as far as there is room for its row; the weightiest first."""
    starts = line_starts(chunk.data).tolist()
    bounds = [view[0].ranges[0][0] for view in views] + [len(chunk.data)]
    bounds[0] = 0
    shared: list[list[Piece]] = [[] for _ in views]
    room = [max_tokens] * len(views)
    for piece in sorted(chunk.pieces, key=lambda piece: (-piece.weight, piece.start_byte)):
        begin, end = _extent(chunk, piece, starts)
        overlaps = [min(end, after) - max(begin, before) for before, after in itertools.pairwise(bounds)]
        best = max(range(len(views)), key=lambda number: (overlaps[number], -number))
        cost = estimate_tokens(prompts.row(piece)) + 1
        if cost <= room[best]:
            room[best] -= cost
            shared[best].append(piece)
    return [tuple(sorted(pieces, key=lambda piece: piece.start_byte)) for pieces in shared]


def _extent(chunk: ChunkText, piece: Piece, starts: Sequence[int]) -> tuple[int, int]:
    """Where in the chunk's data a piece lies; by whole lines where offsets are not those of the file."""
    if chunk.byte_map is None:
        return piece.start_byte - chunk.chunk.start_byte, piece.end_byte - chunk.chunk.start_byte
    first, after = piece.start_line - chunk.chunk.start_line, piece.end_line - chunk.chunk.start_line + 1
    begin = starts[min(max(first, 0), len(starts) - 1)] if starts else 0
    return begin, starts[after] if 0 <= after < len(starts) else len(chunk.data)


def _whole(chunk: ChunkText, max_tokens: int) -> View:
    """Every line as it is, secrets masked; a long one in several rows."""
    starts = line_starts(chunk.data).tolist()
    masked = mask_secrets(chunk.decoded(chunk.data)).encode("utf-8", "surrogatepass")
    begins = line_starts(masked).tolist()
    rows: list[ViewLine] = []
    width = max(40, max_tokens)  # a character is about a token at worst
    for index, (begin, end) in enumerate(itertools.pairwise([*begins, len(masked)])):
        number = chunk.chunk.start_line + index
        low, high = starts[index], starts[index + 1] if index + 1 < len(starts) else len(chunk.data)
        text = plain_text(masked[begin:end].decode("utf-8", "replace").rstrip("\r\n"))
        cuts = list(range(0, len(text), width)) or [0]
        # The ranges of a line's rows are shares of it: where a mask is shorter than what it hides, none is exact.
        edges = [low + (high - low) * place // len(cuts) for place in range(len(cuts) + 1)]
        for place, cut in enumerate(cuts):
            rows.append(ViewLine(text[cut : cut + width], number, number, 1, ((edges[place], edges[place + 1]),)))
    return View(rows)
