"""How many lines say the same: what "how many" is answered with where nothing was counted when the file was scanned."""

from __future__ import annotations

import re

from milepost.core.source import ByteSource, StopFlag, raise_if_stopped
from milepost.digest.answers.matching import quality
from milepost.digest.answers.question import Question
from milepost.digest.answers.words import words_of

_BLOCK_BYTES = 1 << 20
_WORD = re.compile(r"[^\W\d_]+")
_BETWEEN = re.compile(r"[ \t_-]{1,2}$")
_LINE_END = re.compile(rb"[\r\n]")


def wording_of(question: Question, text: str) -> str:
    """The words of a line, one after the other as they stand, that say what was counted; "" where it takes others too."""
    terms = [term for term in question.terms if term.weight >= 1]
    best = ""
    start = end = -1
    held: set[int] = set()
    for word in _WORD.finditer(text):
        lowered = word[0].lower()
        holds = {number for number, term in enumerate(terms) if quality(term, lowered, words_of(word[0])) > 0}
        if not holds:
            start = -1
            continue
        if start < 0 or not _BETWEEN.match(text[end : word.start()]):
            start, held = word.start(), set()
        end = word.end()
        held |= holds
        if len(held) == len(terms):
            best = best or text[start:end]
    return best


def lines_with(view: ByteSource, wording: str, *, should_stop: StopFlag) -> int:
    """How many lines of a text hold it, letter for letter. Raises `Cancelled`."""
    sought = wording.encode("utf-8")
    count = 0
    is_counted = False
    tail = b""
    for offset in range(0, view.size, _BLOCK_BYTES):
        raise_if_stopped(should_stop)
        data = tail + view.read_at(offset, _BLOCK_BYTES)
        at = 0
        while True:
            if not is_counted:
                at = data.find(sought, at)
                if at < 0:
                    # A line end cannot be in what is sought, so what is carried over joins no two lines.
                    tail = data[-(len(sought) - 1) :] if len(sought) > 1 else b""
                    break
                count += 1
            end = _LINE_END.search(data, at)
            is_counted = end is None
            if end is None:
                tail = b""
                break
            at = end.end()
    return count
