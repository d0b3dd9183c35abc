"""Families of log lines of one shape, and when a difference within one is a value and not wording.

The second half of the template miner: `templates` says how it comes to be asked.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from functools import reduce
from operator import eq, xor

import xxhash

from milepost.core.template_tokens import MASK, MASK_BYTE, Tokens

MIN_SIMILARITY = 0.5
"""The share of a family's fixed tokens that a line must have.  Drain's own range is 0.4 to 0.5; on the labelled loghub
files all from 0.3 to 0.7 do the same here, since a family does not join wordings as Drain does."""

VALUES_PER_SLOT = 5
"""So many groups that differ in one position only make it variable.  Wordings that differ in one telling word seldom
come by the five, values soon do.  Mean grouping accuracy on the labelled loghub files: 0.956 with three, 0.979 with
four, 0.984 with five and six, 0.949 with seven."""

VALUES_PER_LONE_WORD = 20
"""The same where only one fixed token is left beside the position: after `PanelView:` there may be many one-word wordings.
Where none is left, nothing becomes variable: all lines of one length would be one template."""

VALUES_PER_POSITION = 20
"""So many values in one position of a family make it variable whatever else differs, as long as half of the positions
stay fixed: two values that vary together never differ alone.  On the labelled files it changes nothing."""

MAX_FAMILIES_PER_BUCKET = 64
"""Past this, lines with one token count and first word join the most similar family instead of founding another."""

_NAME_OF_VALUE = re.compile(rb"(?:[\w.-]+=|[{(]?\"[\w.-]+\":)")


class Variation:
    """The groups of a family, and what their differences tell."""

    __slots__ = ("groups", "slots", "values", "variable")

    def __init__(self, groups: dict[Tokens, int]) -> None:
        self.groups = groups
        self.variable: tuple[int, ...] = ()
        self.slots: dict[int, int] = {}
        self.values: list[set[bytes]] = []

    def copy(self) -> Variation:
        other = Variation(self.groups.copy())
        other.variable = self.variable
        other.slots = self.slots.copy()
        other.values = [values.copy() for values in self.values]
        return other

    def projected(self, tokens: Tokens) -> Tokens:
        """The tokens with those in variable positions masked; of `name=value` and `"name":value` the name stays."""
        if not self.variable:
            return tokens
        projected = list(tokens)
        for position in self.variable:
            name = _NAME_OF_VALUE.match(projected[position])
            projected[position] = name.group() + MASK if name else MASK
        return tuple(projected)

    def add(self, tokens: Tokens, number: int) -> int | None:
        """Take in a new group; the position that has now shown itself variable, if one has."""
        self.groups[tokens] = number
        if len(self.groups) < VALUES_PER_SLOT:
            return None
        return self._note(tokens) if self.slots else self._note_all()

    def generalize(self, position: int) -> dict[int, int]:
        """Make a position variable.  Which groups went, each with the one that it became part of."""
        merged: dict[int, int] = {}
        found: int | None = position
        while found is not None:
            self.variable = (*self.variable, found)
            groups: dict[Tokens, int] = {}
            for tokens, number in self.groups.items():
                stays = groups.setdefault(self.projected(tokens), number)
                if stays != number:
                    merged[number] = stays
            self.groups = groups
            found = self._note_all()
        for number, stays in merged.items():
            while stays in merged:  # it went in a later round
                stays = merged[stays]
            merged[number] = stays
        return merged

    def keep(self, ids: Container[int]) -> None:
        """Drop all groups but those with these ids."""
        groups = {tokens: number for tokens, number in self.groups.items() if number in ids}
        if len(groups) < len(self.groups):
            self.groups = groups
            self.slots = {}

    def _note_all(self) -> int | None:
        self.slots = {}
        if len(self.groups) < VALUES_PER_SLOT:
            return None
        self.values = [set() for _ in next(iter(self.groups))]
        found = None
        for tokens in self.groups:
            position = self._note(tokens)
            found = position if found is None else found
        return found

    def _note(self, tokens: Tokens) -> int | None:
        # A slot is one position together with all tokens but the one there, as a hash: the exclusive or of the hashes
        # of those tokens, each seeded with its position.  Groups are distinct, so each brings a new value to its slots.
        digests = [xxhash.xxh3_64_intdigest(token, position) for position, token in enumerate(tokens)]
        whole = reduce(xor, digests, 0)
        found = None
        for position, digest in enumerate(digests):
            slot = whole ^ digest
            filled = self.slots[slot] = self.slots.get(slot, 0) + 1
            values = self.values[position]
            if len(values) < VALUES_PER_POSITION:
                values.add(tokens[position])
            if found is None and (filled >= VALUES_PER_SLOT or len(values) >= VALUES_PER_POSITION):
                found = position if self._is_variable(tokens, position, filled) else None
        return found

    def _is_variable(self, tokens: Tokens, position: int, filled: int) -> bool:
        if position in self.variable:
            return False
        fixed_words = sum(
            token != MASK and other != position and other not in self.variable for other, token in enumerate(tokens)
        )
        if fixed_words == 0:
            return False
        if filled >= (VALUES_PER_SLOT if fixed_words > 1 else VALUES_PER_LONE_WORD):
            return True
        half_fixed = 2 * (len(self.variable) + 1) <= len(tokens)
        return half_fixed and len(self.values[position]) >= VALUES_PER_POSITION


class Family:
    """Lines of one shape: a single group, as most are, or a variation."""

    __slots__ = ("needed", "number", "pattern", "variation")

    def __init__(self, pattern: Tokens, number: int, variation: Variation | None = None) -> None:
        self.pattern = pattern
        self.number = number
        self.needed = MIN_SIMILARITY * len(pattern)
        self.variation = variation

    def copy(self) -> Family:
        other = Family(self.pattern, self.number, self.variation and self.variation.copy())
        other.needed = self.needed
        return other

    def find(self, tokens: Tokens) -> int | None:
        """The id of the group that tokens fall into."""
        if self.variation is None:
            return self.number if tokens == self.pattern else None
        return self.variation.groups.get(self.variation.projected(tokens))

    def generalize(self, position: int) -> dict[int, int]:
        """Make a position of the variation variable.  Which groups went, each with the one that now stands for it."""
        assert self.variation is not None
        merged = self.variation.generalize(position)
        self.pattern = self.variation.projected(self.pattern)
        self.needed = MIN_SIMILARITY * (len(self.pattern) - len(self.variation.variable))
        return merged


def bucket_key(tokens: Tokens) -> tuple[int, bytes]:
    """What a line and its family must share: how many tokens, and the first that is a word."""
    for token in tokens:
        # A name like `com.example.Job` is no word.
        if token.isalpha() or (MASK_BYTE not in token and token.count(b".") < 2):
            return len(tokens), token
    return len(tokens), b""


def most_similar(bucket: Sequence[Family], tokens: Tokens) -> Family | None:
    """The family of a bucket that tokens belong to; the oldest of equals; None if they should found one."""
    best = None
    highest = 0.0
    for family in bucket:
        likeness = sum(map(eq, family.pattern, tokens)) - family.needed
        if best is None or likeness > highest:
            best = family
            highest = likeness
    return best if highest >= 0 or len(bucket) >= MAX_FAMILIES_PER_BUCKET else None
