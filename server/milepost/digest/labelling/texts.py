"""What a model wrote, made fit to be shown: plain, short, and without line numbers, which are ours to tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from milepost.core.text import clip_text, plain_text

TITLE_MAX_BYTES = 120
DIGEST_MAX_BYTES = 240
SUMMARY_MAX_BYTES = 1200
FINAL_SUMMARY_MAX_BYTES = 4000
ANSWER_MAX_BYTES = 2000
FOLLOWUP_MAX_BYTES = 160
KIND = re.compile(r"[a-z][a-z0-9_-]{0,23}\Z")

_NUMBER = r"\#?\s?\d(?:[\d,.']*\d)?"
_LINES = re.compile(
    rf"""
    \s*[(\[]?\s*
    (?:\b(?:at|on|in|near|from|see|around|between|starting|beginning|ending)\s+)?(?:\bthe\s+)?
    \b(?:(?:lines?|rows?|zeilen?)\b|ln\.?|l(?=\d))(?:\s+(?:no\.?|number|numbers))?\s*:?\s?
    (?P<numbers>{_NUMBER}(?:\s*(?:-|–|—|\.\.+|to|and|through|until|,|&)\s*(?:lines?\s+)?{_NUMBER})*)
    \s*[)\]]?
    """,
    re.VERBOSE | re.IGNORECASE,
)
# What is left around a mention that was taken out.
_BLANKS = re.compile(r" {2,}")
_ORPHANED = re.compile(r"\s+([.,;:!?)\]])")
_BEGINNING = re.compile(r"\A[\s,;:.)\]–-]+")


@dataclass(slots=True)
class Cleaner:
    """Cleans what a model wrote about `shown`, the text it was given. Counts what it takes out, in `dropped`.

    A mention of lines ("at line 12", "lines 3-9", "L7") stays only where the text that the model was given has it in the very
    words, as a compiler's message may. Any other is the model's own: it may be wrong, and what is said is attached to exact
    ranges anyway.
    """

    shown: str
    dropped: int = 0
    _lowered: str = field(default="", repr=False)

    def title(self, value: object) -> str:
        """A label of at most 120 bytes."""
        return self._cleaned(value, TITLE_MAX_BYTES)

    def digest(self, value: object) -> str:
        """A sentence or two of at most 240 bytes."""
        return self._cleaned(value, DIGEST_MAX_BYTES)

    def kind(self, value: object) -> str:
        """One lower-case word, or nothing."""
        kind = value.strip().lower().replace(" ", "-") if isinstance(value, str) else ""
        return kind if KIND.match(kind) else ""

    def text(self, value: object, max_bytes: int) -> str:
        """Free text of at most so many bytes."""
        return self._cleaned(value, max_bytes)

    def _cleaned(self, value: object, max_bytes: int) -> str:
        if not isinstance(value, str):
            self.dropped += value is not None
            return ""
        # Runs of blanks would make the search for mentions quadratic.
        text = _BLANKS.sub(" ", plain_text(value[: 8 * max_bytes]))
        dropped = self.dropped
        text = _LINES.sub(self._line_mention, text)
        if self.dropped > dropped:
            text = _BEGINNING.sub("", _ORPHANED.sub(r"\1", _BLANKS.sub(" ", text)))
        return clip_text(text, max_bytes)

    def _line_mention(self, match: re.Match[str]) -> str:
        self._lowered = self._lowered or self.shown.lower()
        mention = match[0].strip(" ()[]").lower()
        said = re.search(
            rf"\b(?:lines?|ln|rows?|zeilen?|l)\W{{0,3}}{re.escape(match['numbers'].lower())}(?!\d)", mention
        )
        if said and said[0] in self._lowered:
            return match[0]
        self.dropped += 1
        return " "
