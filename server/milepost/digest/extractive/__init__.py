"""Summaries without a model: what a chunk holds, and the final text, told from what was computed and read."""

from __future__ import annotations

from milepost.digest.values import ChunkDigest, ChunkText, FileFacts, State

__all__ = ["conclude_summary", "summarize_chunk"]


def summarize_chunk(chunk: ChunkText, state: State) -> ChunkDigest:
    """Titles and digests for the pieces of a chunk, and the places in it that are worth telling."""
    return ChunkDigest()


def conclude_summary(state: State, facts: FileFacts) -> tuple[str, tuple[str, ...]]:
    """The final text, at most 4,096 bytes of plain UTF-8, and questions worth asking next."""
    return f"{facts.outline.format}, {facts.outline.total_bytes:,} bytes", ()
