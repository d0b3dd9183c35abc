"""What of a reply about a part of a chunk is borne out by the chunk. The rest is dropped and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from milepost.core.text import clip_text
from milepost.digest.labelling.quotes import PlaceFinder, QuoteFinder
from milepost.digest.labelling.texts import ANSWER_MAX_BYTES, FOLLOWUP_MAX_BYTES, SUMMARY_MAX_BYTES, Cleaner
from milepost.digest.values import Label, Note, Piece, Place

#: So many quotes of one reply are looked for.
MAX_QUOTES = 6
MAX_FOLLOWUPS = 3

#: Kinds that are ours to give.
_RESERVED_KINDS = frozenset({"archived"})

_ANSWER_SCORE, _TELLING_SCORE, _NEARBY_SCORE = 10.0, 5.0, 1.0


@dataclass(frozen=True, slots=True)
class Checked:
    """What is left of a reply."""

    labels: Mapping[str, Label]
    summary: str
    notes: tuple[Note, ...]
    answers: bool
    dropped: int


def check_reply(
    value: Mapping[str, Any], shown: str, pieces: Sequence[Piece], finder: QuoteFinder, *, is_question: bool
) -> Checked:
    """Check a reply to a prompt that showed `shown` and asked for `pieces`."""
    cleaner = Cleaner(shown)
    dropped = 0
    labels: dict[str, Label] = {}
    known = {piece.id for piece in pieces}
    for section in _sections(value.get("sections")):
        identifier = str(section.get("id", "")).strip().strip("[]():.").lower()
        if identifier not in known or identifier in labels:
            dropped += 1
            continue
        kind = cleaner.kind(section.get("kind"))
        labels[identifier] = Label(
            title=cleaner.title(section.get("title")),
            kind="" if kind in _RESERVED_KINDS else kind,
            digest=cleaner.digest(section.get("digest")),
        )
    answer = value.get("answer")
    if is_question:
        answer = answer if isinstance(answer, Mapping) else {}
        claims, quotes = answer.get("found") is True, answer.get("quotes")
        best = _ANSWER_SCORE if claims else _NEARBY_SCORE
    else:
        claims, quotes, best = False, value.get("quotes"), _TELLING_SCORE
    notes: list[Note] = []
    for quote in _texts(quotes)[:MAX_QUOTES]:
        note = finder.find(quote, best - len(notes) / 10)
        if note is None:
            dropped += 1
        elif all((note.start_byte, note.end_byte) != (other.start_byte, other.end_byte) for other in notes):
            notes.append(note)
    dropped += max(0, len(_texts(quotes)) - MAX_QUOTES)
    if claims and not notes:
        dropped += 1  # an answer without proof is none
    return Checked(
        labels=labels,
        summary=cleaner.text(value.get("summary"), SUMMARY_MAX_BYTES),
        notes=tuple(notes),
        answers=claims and bool(notes),
        dropped=dropped + cleaner.dropped,
    )


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """What is left of a final reply."""

    summary: str
    answer: str
    found: bool
    quotes: tuple[Place, ...]
    followups: tuple[str, ...]
    dropped: int


def check_final(
    value: Mapping[str, Any], shown: str, places: tuple[Place, ...], max_summary_bytes: int
) -> CheckedAnswer:
    """Check a final reply, which may quote `places` and nothing else."""
    cleaner = Cleaner(shown)
    dropped = 0
    answer = value.get("answer")
    answer = answer if isinstance(answer, Mapping) else {}
    quotes: list[Place] = []
    finder = PlaceFinder(places)
    for quote in _texts(answer.get("quotes"))[:MAX_QUOTES]:
        place = finder.find(quote)
        if place is None:
            dropped += 1
        elif place not in quotes:
            quotes.append(place)
    claims = answer.get("found") is True
    dropped += claims and not quotes
    found = claims and bool(quotes)
    text = ""
    if found:  # of a reply that was cut off the text may be missing: then the proof itself is the answer
        text = cleaner.text(answer.get("text"), ANSWER_MAX_BYTES) or clip_text(quotes[0].text, ANSWER_MAX_BYTES)
    followups = [cleaner.text(one, FOLLOWUP_MAX_BYTES) for one in _texts(value.get("followups"))[:MAX_FOLLOWUPS]]
    return CheckedAnswer(
        summary=cleaner.text(value.get("summary"), max_summary_bytes),
        answer=text,
        found=found,
        quotes=tuple(quotes) if found else (),
        followups=tuple(one for one in followups if one),
        dropped=dropped + cleaner.dropped,
    )


def _sections(value: object) -> list[Mapping[str, Any]]:
    """The sections of a reply, also where they came as an object by id."""
    if isinstance(value, Mapping):
        return [
            {"id": name, **one} if isinstance(one, Mapping) else {"id": name, "digest": one}
            for name, one in value.items()
        ]
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if not isinstance(value, list):
        return []
    texts = [one.get("text", one.get("quote")) if isinstance(one, Mapping) else one for one in value]
    return [text for text in texts if isinstance(text, str) and text.strip()]
