"""Which terms of a question a line holds, and how surely."""

from __future__ import annotations

from collections.abc import Sequence

from milepost.digest.answers.terms import Needle, Term
from milepost.digest.answers.words import is_doer_of, is_form_of

#: What a word counts that only begins like the one looked for (`temphigh`, `nodecard`), beside the word itself.
_COMPOUND, _DOER = 0.5, 0.6
_COMPOUND_MIN = 5


def credit(value: float) -> float:
    """How far a term counts as held at all: what is said in other words is said."""
    return min(1.0, value / 0.7) if value >= 0.6 else value


def quality(term: Term, text: str, words: Sequence[str]) -> float:
    """How surely a line holds a term: 0 to 1. `text` is the line in lower case, `words` its words."""
    best = 0.0
    for needle in term.needles:
        if needle.worth > best:
            best = max(best, needle.worth * _found(needle, text, words))
    return best


def _found(needle: Needle, text: str, words: Sequence[str]) -> float:
    if needle.is_name:
        return _name_found(needle.phrase[0], text)
    if len(needle.phrase) == 1:
        base = needle.phrase[0]
        if not base.isascii():
            return 1.0 if base in text else 0.0
        if base not in text:
            return 0.0
        if any(is_form_of(word, base) for word in words):
            return 1.0
        if any(is_doer_of(word, base) for word in words):
            return _DOER
        return _COMPOUND if len(base) >= _COMPOUND_MIN and any(word.startswith(base) for word in words) else 0.0
    first, *rest = needle.phrase
    for at, word in enumerate(words):
        if is_form_of(word, first) and len(words) - at > len(rest):
            following = words[at + 1 : at + 1 + len(rest)]
            if all(is_form_of(other, base) for other, base in zip(following, rest, strict=True)):
                return 1.0
    joined = "".join(needle.phrase)
    return 0.9 if any(is_form_of(word, joined) for word in words) else 0.0


def _name_found(name: str, text: str) -> float:
    """A name as it stands, not as a part of a longer one; half where it is one."""
    at = text.find(name)
    best = 0.0
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() and name[0].isalnum()) and not (after.isalnum() and name[-1].isalnum()):
            return 1.0
        best = 0.5
        at = text.find(name, at + 1)
    return best
