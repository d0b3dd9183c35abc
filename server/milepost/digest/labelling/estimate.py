"""What a run would cost, told before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from milepost.digest.labelling import prompts
from milepost.digest.labelling.parts import Room, parts_of
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import Brief, ChunkText

#: So many chunks are condensed for an estimate; a longer file is reckoned from them, spread over its length.
SAMPLED_CHUNKS = 8

#: What a reply takes of the room it has, for a summary with labels.
_OUTPUT_SHARE = 0.5
_SUMMARY_BYTES = 500


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, tokens in and out, and bytes sent. `is_exact` says that each chunk was condensed; replies are a guess anyway,
    and with an early stop (`ask`) a run costs less."""

    calls: int
    input_tokens: int
    output_tokens: int
    input_bytes: int
    is_exact: bool


class Chunks(Protocol):
    """The chunks of a run, read one at a time."""

    def __len__(self) -> int: ...

    def read(self, index: int) -> ChunkText:
        """One of them."""
        ...


def estimate_run(chunks: Chunks, brief: Brief, context_tokens: int, *, max_chunks: int = 0) -> Estimate:
    """What reading these chunks (the first `max_chunks` of them, if that is not 0) would cost, by the prompts themselves."""
    total = min(len(chunks), max_chunks) if max_chunks else len(chunks)
    if not total:
        return Estimate(0, 0, 0, 0, is_exact=True)
    room = Room.of(context_tokens, brief)
    sampled = min(total, SAMPLED_CHUNKS)
    calls = tokens = size = out = 0
    fixed = estimate_tokens(prompts.SYSTEM)
    summary = "x" * 7 + " "
    for number in range(sampled):
        chunk = chunks.read(number * (total - 1) // max(1, sampled - 1))
        for part in parts_of(chunk, brief, room):
            user = prompts.chunk_prompt(
                head=f"Format: {chunk.format}. Chunk {chunk.index + 1} of {chunk.total}.",
                question=brief.question,
                summary=summary * (min(_SUMMARY_BYTES, 3 * room.summary) // len(summary)),
                pieces=part.pieces,
                context=part.context,
                text=part.text(),
            )
            calls += 1
            tokens += fixed + estimate_tokens(user)
            size += len(prompts.SYSTEM) + len(user.encode("utf-8", "replace"))
            out += int(room.output * _OUTPUT_SHARE)
    scale = total / sampled
    # And the final text, which has the run's entries and notes before it.
    last = min(int(context_tokens * 0.6), 4000)
    return Estimate(
        calls=round(calls * scale) + 1,
        input_tokens=round(tokens * scale) + last,
        output_tokens=round(out * scale) + int(room.output * _OUTPUT_SHARE),
        input_bytes=round(size * scale) + 3 * last,
        is_exact=sampled == total,
    )
