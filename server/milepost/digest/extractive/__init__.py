"""Summaries without a model: what a chunk holds, and the final text, told from what was computed and read."""

from __future__ import annotations

from milepost.digest.extractive.chunk_digest import summarize_chunk
from milepost.digest.extractive.conclude import conclude_summary, one_line

__all__ = ["conclude_summary", "one_line", "summarize_chunk"]
