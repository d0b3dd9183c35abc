"""Log lines grouped by template: the wording that stays while the values in it vary.

Online and in one pass.  A line's id is a function of the lines before it, however they are cut into batches, and never
of a clock, a hash seed or a block size.

How it works, from cheap to careful:

1. The line without its digits is looked up in a dictionary; most lines of a log are settled there, in C.
2. Lines with an unknown key are masked (`template_tokens`) and their masked tokens looked up in the same dictionary.
3. Unknown tokens go to a *family* (`template_families`): lines with as many tokens, the same first plain word, and half
   of their other tokens alike, as in Drain (He et al., ICWS 2017).  Other than in Drain, a family is not yet a template,
   for that would join what differs in a telling word ("disk full", "disk ok").  It keeps its wordings apart as *groups*,
   until a position shows itself to be variable: when five groups differ there and nowhere else, or the family has twenty
   values there.  Groups that differ in variable positions alone then become one, and the ids of those that went redirect
   to the one that stays.

Memory is bounded: past `max_templates` the rarest quarter falls into `OTHER`, whose count says how many lines did.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count, islice
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from milepost.core.template_families import Family, Variation, bucket_key, most_similar
from milepost.core.template_tokens import MASK, MAX_LINE_BYTES, Tokens, fold_key, masked_lines, shaped

__all__ = ["OTHER", "TemplateMiner", "fold_key"]

OTHER = 0
"""The id of the group that takes in the rarest templates once there are too many."""

MAX_KNOWN_KEYS = 16384
"""So many keys of lines and of masked lines are remembered: at 512 bytes at most, some 2 MB as a rule and never 10 MB."""

MAX_BATCH_LINES = 1024
"""So many lines at once: more do not fit the processor's cache and cost more each, fewer repeat fixed costs more often."""
MAX_REDIRECTS_PER_TEMPLATE = 16
"""Past so many redirects for each template allowed, the oldest are given up: their ids then resolve to `OTHER`."""

_MAX_DENSE_IDS = 65536

_DIGITS = b"0123456789"

Ids = npt.NDArray[np.int64]


class TemplateMiner:
    """Gives each line the id of its template.

    Lines are messages, their time stamp and level taken off, as any bytes; of long ones only the first 512 bytes count.
    Ids are final once given.  When templates merge later, or the rarest fall into `OTHER`, `resolve` tells where an id
    went.  `copy.deepcopy` gives an independent miner at the cost of a few milliseconds.
    """

    def __init__(self, max_templates: int = 4000) -> None:
        if max_templates < 1:
            raise ValueError("max_templates must be at least 1")
        self.max_templates = max_templates
        # Keys of lines and masked tokens, to ids as they were given.  A key that is asked for in vain is numbered from -1
        # down, in C, until `_fill` puts its id in place.
        self._known: defaultdict[bytes | Tokens, int] = defaultdict()
        self._masks: dict[bytes, bytes] = {}
        self._families: defaultdict[tuple[int, bytes], list[Family]] = defaultdict(list)
        self._tokens: dict[int, Tokens] = {}  # of live templates
        self._counts: dict[int, int] = {OTHER: 0}
        self._redirects: dict[int, int] = {}
        self._next_id = OTHER + 1

    def __len__(self) -> int:
        return len(self._tokens)

    def __deepcopy__(self, memo: dict[int, Any]) -> TemplateMiner:
        other = TemplateMiner(self.max_templates)
        other._known.update(self._known)
        other._masks = self._masks.copy()
        for key, bucket in self._families.items():
            other._families[key] = [family.copy() for family in bucket]
        other._tokens = self._tokens.copy()
        other._counts = self._counts.copy()
        other._redirects = self._redirects.copy()
        other._next_id = self._next_id
        return other

    def add_lines(self, lines: Sequence[bytes]) -> Ids:
        """Take in lines; the template id of each, in an array of int64."""
        batches = [lines[start : start + MAX_BATCH_LINES] for start in range(0, len(lines), MAX_BATCH_LINES)]
        if len(batches) == 1:
            return self._add(lines, _keys(lines))
        return np.concatenate([np.empty(0, np.int64), *[self._add(batch, _keys(batch)) for batch in batches]])

    def _add(self, lines: Sequence[bytes], keys: list[bytes]) -> Ids:
        known = self._known
        before = len(known)
        known.default_factory = count(-1, -1).__next__
        ids = np.fromiter(map(known.__getitem__, keys), np.int64, len(keys))
        if len(known) > before:
            unknown = cast(list[bytes], list(islice(reversed(known), len(known) - before)))
            unknown.reverse()
            if len(max(unknown, key=len)) > MAX_LINE_BYTES:
                self._drop(unknown)
                return self._add(lines, _clipped(keys, lines))
            fits = len(self._tokens) + len(unknown) <= self.max_templates
            if not (fits and len(known) + len(unknown) <= MAX_KNOWN_KEYS) and len(lines) > 1:
                # Something may have to be forgotten on the way.  That must fall after the same line however lines are
                # batched, so halve until no limit can be met, or a line stands alone.
                self._drop(unknown)
                half = len(lines) // 2
                return np.concatenate([self._add(lines[:half], keys[:half]), self._add(lines[half:], keys[half:])])
            self._fill(ids, lines, unknown)
        self._count(ids)
        if len(self._tokens) > self.max_templates:
            self._evict()
            known.clear()
        elif len(known) > MAX_KNOWN_KEYS:
            known.clear()
        return ids

    def _fill(self, ids: Ids, lines: Sequence[bytes], unknown: list[bytes]) -> None:
        """Put real ids for the provisional ones, -1 for `unknown[0]` and so on, by placing each first line."""
        known = self._known
        provisional = np.maximum(-1 - ids, -1)  # 0 for `unknown[0]` and so on, -1 for a known line
        highest = np.maximum.accumulate(provisional)
        first = (np.flatnonzero(highest[1:] > highest[:-1]) + 1).tolist()
        if provisional[0] == 0:
            first.insert(0, 0)
        numbers: list[int] = []
        for key, tokens in zip(unknown, masked_lines([lines[index] for index in first], self._masks), strict=True):
            number = known.get(tokens)
            if number is None:
                number = known[tokens] = self._place(shaped(tokens))
            known[key] = number
            numbers.append(number)
        numbers.append(-1)
        np.copyto(ids, np.array(numbers, np.int64)[provisional], where=provisional >= 0)

    def _count(self, ids: Ids) -> None:
        if self._next_id <= _MAX_DENSE_IDS:
            dense = np.bincount(ids)
            seen = np.flatnonzero(dense)
            occurrences = dense[seen]
        else:
            seen, occurrences = np.unique(ids, return_counts=True)
        for number, times in zip(seen.tolist(), occurrences.tolist(), strict=True):
            self._counts[self.resolve(number)] += times

    def _drop(self, keys: list[bytes]) -> None:
        for key in keys:
            del self._known[key]

    def _place(self, tokens: Tokens) -> int:
        bucket = self._families[bucket_key(tokens)]
        family = most_similar(bucket, tokens) if bucket else None
        if family is None:
            number = self._new_template(tokens)
            bucket.append(Family(tokens, number))
            return number
        found = family.find(tokens)
        if found is not None:
            return found
        variation = family.variation
        if variation is None:
            variation = family.variation = Variation({family.pattern: family.number})
        tokens = variation.projected(tokens)
        number = self._new_template(tokens)
        position = variation.add(tokens, number)
        if position is not None:
            self._merge(family.generalize(position), variation)
        return number

    def _new_template(self, tokens: Tokens) -> int:
        number = self._next_id
        self._next_id = number + 1
        self._tokens[number] = tokens
        self._counts[number] = 0
        return number

    def _merge(self, merged: dict[int, int], variation: Variation) -> None:
        for number, stays in merged.items():
            self._redirects[number] = stays
            self._counts[stays] += self._counts.pop(number)
            del self._tokens[number]
        for tokens, number in variation.groups.items():
            self._tokens[number] = tokens
        surplus = len(self._redirects) - MAX_REDIRECTS_PER_TEMPLATE * self.max_templates
        for number in list(self._redirects)[: max(0, surplus)]:
            del self._redirects[number]

    def _evict(self) -> None:
        counts = self._counts
        rarest = sorted(self._tokens, key=lambda number: (counts[number], number))
        for number in rarest[: max(1, self.max_templates // 4)]:
            counts[OTHER] += counts.pop(number)
            del self._tokens[number]
        for key, bucket in list(self._families.items()):
            kept = []
            for family in bucket:
                if family.variation:
                    family.variation.keep(self._tokens)
                    if family.variation.groups:
                        kept.append(family)
                elif family.number in self._tokens:
                    kept.append(family)
            if kept:
                self._families[key] = kept
            else:
                del self._families[key]

    def resolve(self, template_id: int) -> int:
        """The id that stands for a template now: itself, the one it merged into, or `OTHER`."""
        redirects = self._redirects
        while template_id in redirects:
            template_id = redirects[template_id]
        return template_id if template_id in self._tokens else OTHER

    def count(self, template_id: int) -> int:
        """How many lines the template has that an id stands for now."""
        return self._counts[self.resolve(template_id)]

    def text(self, template_id: int, max_bytes: int = 120) -> str:
        """The wording, with `<*>` where values vary; at most `max_bytes` of UTF-8.  Blanks are not kept as they were."""
        tokens = self._tokens.get(self.resolve(template_id))
        if tokens is None:
            return _cut("(other lines)", max_bytes)
        text = b" ".join(tokens).replace(MASK, b"<*>").decode("utf-8", "replace")
        return _cut("".join(char if char.isprintable() else " " for char in text) or "(blank)", max_bytes)

    def template_of(self, line: bytes) -> int | None:
        """The id of the template that a line falls under, nothing counted or learnt; None if it would be a new one."""
        number = self._known.get(_clipped(_keys([line]), [line])[0])
        if number is None:
            tokens = masked_lines([line], self._masks)[0]
            number = self._known.get(tokens)
            if number is None:
                tokens = shaped(tokens)
                family = most_similar(self._families.get(bucket_key(tokens), []), tokens)
                number = family.find(tokens) if family else None
        return None if number is None else self.resolve(number)

    def templates(self) -> list[tuple[int, int]]:
        """(id, count) of the live templates, the most frequent first, and `OTHER` last if lines fell into it."""
        counts = self._counts
        ids = sorted(self._tokens, key=lambda number: (-counts[number], number))
        if counts[OTHER]:
            ids.append(OTHER)
        return [(number, counts[number]) for number in ids]


def _keys(lines: Sequence[bytes]) -> list[bytes]:
    """Each line without its digits; of long lines only what counts."""
    keys = b"\n".join(lines).translate(None, _DIGITS).split(b"\n")
    if len(keys) != len(lines):  # some line holds a line feed
        keys = [line.translate(None, _DIGITS) for line in lines]
    return keys


def _clipped(keys: list[bytes], lines: Sequence[bytes]) -> list[bytes]:
    """The keys, those of long lines made from what counts of them."""
    return [
        key if len(key) <= MAX_LINE_BYTES else line[:MAX_LINE_BYTES].translate(None, _DIGITS)
        for key, line in zip(keys, lines, strict=True)
    ]


def _cut(text: str, max_bytes: int) -> str:
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    ellipsis = "…".encode()
    return encoded[: max(0, max_bytes - len(ellipsis))].decode("utf-8", "ignore") + ("…" if max_bytes >= 3 else "")
