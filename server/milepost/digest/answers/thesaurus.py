"""Words of the trade that stand for each other, from `thesaurus.toml`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from milepost.digest.answers.words import base_of, words_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Phrase = tuple[str, ...]
"""The bases of the words of a phrase; most are of one word."""


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """`relatives` leads from what is asked to what may stand in the file for it, each with how much that is worth."""

    relatives: dict[Phrase, dict[Phrase, float]]
    irregular: dict[str, str]
    generic: frozenset[str]
    subjects: frozenset[str]
    hinted: frozenset[Phrase]
    longest: int

    def base(self, word: str) -> str:
        """What stays of a word in all its forms, irregular ones too."""
        return base_of(self.irregular.get(word, word))


#: What another word of the same group is worth beside the word itself; a hinted one, more if a phrase led to it; a near one.
GROUP_WORTH, HINT_WORTH, PHRASE_HINT_WORTH, LOOSE_WORTH = 0.8, 0.85, 0.95, 0.5


@lru_cache(maxsize=1)
def load_thesaurus() -> Thesaurus:
    """Read the table."""
    table: dict[str, Any] = tomllib.loads(files(__package__).joinpath("thesaurus.toml").read_text("utf-8"))
    irregular: dict[str, str] = table["irregular"]

    def phrase(text: str) -> Phrase:
        return tuple(base_of(irregular.get(word, word)) for word in words_of(text))

    relatives: dict[Phrase, dict[Phrase, float]] = {}

    def relate(asked: Phrase, found: Phrase, worth: float) -> None:
        if asked != found:
            row = relatives.setdefault(asked, {})
            row[found] = max(row.get(found, 0.0), worth)

    def relate_all(words: list[str], worth: float) -> None:
        found = [phrase(word) for word in words]
        for one, word in zip(found, words, strict=True):
            if not word.startswith(">"):
                grouped.add(one)
                for other in found:
                    relate(one, other, worth)

    grouped: set[Phrase] = set()
    for words in table["groups"].values():
        relate_all(words, GROUP_WORTH)
    for words in table["loose"].values():
        relate_all(words, LOOSE_WORTH)
    hinted: set[Phrase] = set()
    for hint in table["hint"]:
        for one in map(phrase, hint["asked"]):
            hinted.add(one)
            for other in map(phrase, hint["found"]):
                relate(one, other, PHRASE_HINT_WORTH if len(one) > 1 else HINT_WORTH)
    return Thesaurus(
        relatives=relatives,
        irregular=irregular,
        generic=frozenset(base_of(word) for word in table["generic"]),
        subjects=frozenset(base_of(word) for word in table["subjects"]),
        hinted=frozenset(hinted - grouped),
        longest=max(map(len, relatives)),
    )
