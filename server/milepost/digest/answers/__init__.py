"""Answers without a model: a question taken apart, its terms counted, the lines that may answer ranked, the best quoted."""

from __future__ import annotations

from milepost.digest.answers.decide import Answered, decide, is_decisive
from milepost.digest.answers.question import Question
from milepost.digest.answers.search import search_chunk
from milepost.digest.answers.survey import Statistics, survey

__all__ = ["Answered", "Question", "Statistics", "decide", "is_decisive", "search_chunk", "survey"]
