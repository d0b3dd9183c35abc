"""Words: how a text is split into them, identifiers too, and when two of them are forms of one.

A question's words are cut down to a base; a word of the file belongs to it if it begins with the base and goes on with an
ending of English (`delete`, `deleted`, `deletion`, `DELETE_USER`). So the file's words are never stemmed, which would cost
more than all else. A short word must be the same but for the ending of its plural or past.
"""

from __future__ import annotations

import re

_RUN = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^A-Za-z]+")

_STRIPPED_TEXT = """isations izations isation ization ations ation ances ences ments ities ance ence ating ated ates
 ate ment ures ings ions ure ity ies ied ing ion ed es ly al s y e"""
_ENDINGS_TEXT = """s es e ed d ing ings ion ions ation ations ate ated ates ating y ies ied ying ment
 ments able ible ity ities ive ure ures ance ances ence ences ant ent ly ize ized izes izing ise ised ises ising ization
 isation ness ful"""

_VOWEL = re.compile(r"[aeiouy]")

#: Endings that are taken off a question's word, the longest first.
_STRIPPED = tuple(_STRIPPED_TEXT.split())
#: Endings that may follow a base of four letters or more.
_ENDINGS = frozenset(("", *_ENDINGS_TEXT.split()))
_DOERS = frozenset(("er", "ers", "or", "ors", "ator", "ators"))
_SHORT_ENDINGS = frozenset(("", "s", "d", "es", "ed", "er", "ing"))
_AFTER_DOUBLED = frozenset(("ed", "ing", "ings"))
_MIN_BASE = 4
_NEVER_DOUBLED = "lsz"


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, in order; those inside identifiers (`maxTaskFailures`, `num_tokens`) too."""
    found: list[str] = []
    for run in _RUN.findall(text):
        if run.islower() or run.isdigit():
            found.append(run)
        elif not run.isascii() or run.istitle() or (run.isupper() and run.isalpha()):
            found.append(run.lower())
        else:
            found.extend(part.lower() for part in _HUMP.findall(run))
    return found


def runs_of(text: str) -> list[str]:
    """The words of a text in lower case with identifiers in one piece, but for digits and underscores."""
    return _RUN.findall(text.lower())


def base_of(word: str) -> str:
    """What stays of a word (in lower case) in all its forms."""
    if not word.isascii() or not word.isalpha() or len(word) < _MIN_BASE:
        return word
    if not _VOWEL.search(word):
        return word  # `https`, `tls`
    for ending in _STRIPPED:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_BASE:
            if ending == "s" and word[-2] in "su":
                break
            base = word[: len(word) - len(ending)]
            is_doubled = base[-1] == base[-2] and base[-1] not in _NEVER_DOUBLED
            base = base[:-1] if is_doubled and ending in ("ed", "ing") and len(base) > 3 else base
            # What is no form of its own base keeps its ending.
            return base if is_form_of(word, base) else word
        if word.endswith(ending) and len(word) - len(ending) == 3 and ending in ("ed", "ing", "s"):
            # Short verbs and plurals: `logs`, `sized`. A doubled end is undone: `running`, `stopped` have four letters.
            return word[:3]
    return word


def is_doer_of(word: str, base: str) -> bool:
    """Whether a word names who or what does it (`driver` of `drive`): near, and often something else."""
    return len(base) >= _MIN_BASE and word.startswith(base) and word[len(base) :] in _DOERS


def is_form_of(word: str, base: str) -> bool:
    """Whether a word of the file (in lower case) is a form of the word that `base` was made of."""
    if not word.startswith(base):
        # `restart` of `start`
        return word.startswith("re") and len(base) >= _MIN_BASE and is_form_of(word[2:], base)
    rest = word[len(base) :]
    if not rest:
        return True
    if len(base) >= _MIN_BASE:
        if rest in _ENDINGS:
            return True
    elif rest in _SHORT_ENDINGS and len(base) == 3:
        return True
    return len(base) >= 3 and rest[0] == base[-1] and rest[1:] in _AFTER_DOUBLED
