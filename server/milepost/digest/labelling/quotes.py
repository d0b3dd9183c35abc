"""Where in a chunk a quote stands. What is quoted to the user is the file's own text at that place, never the model's."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from dataclasses import dataclass

from milepost.core.lines import line_starts
from milepost.core.text import cut_text, plain_text
from milepost.digest.secrets import mask_secrets
from milepost.digest.values import NOTE_MAX_BYTES, ChunkText, Note, Place

#: A quote shorter than this proves nothing, unless it is a whole line.
MIN_CHARACTERS = 6
MAX_CHARACTERS = 2000
MAX_QUOTED_LINES = 12
#: A place is widened to whole lines up to this size in bytes.
WHOLE_LINES_MAX_BYTES = 1000

# What models put around a quote: quote marks, and the line numbers that they saw before it.
_NUMBERED = re.compile(r"(?m)^\s*\d[\d,]*(?:-\d[\d,]*)?(?:\s*×\s*[\d,]+)?\s*[|:]\s?")
# Where a view leaves something out: bytes that are counted, a beginning that is that of the row above.
_GAP = re.compile(r"\s*(?:\[\+[\d,]+ bytes\]|\([\d,]+ bytes\)\Z|…|\.\.\.)\s*")
_MAX_TRIES = 200
_AROUND = " \t\r\n\"'`“”‘’«»"


class QuoteFinder:
    """Finds quotes in one chunk: as they stand, else with blanks as they may be, else in the text without secrets."""

    def __init__(self, chunk: ChunkText) -> None:
        self._chunk = chunk
        self._starts = line_starts(chunk.data).tolist()
        self._codec = chunk.encoding.name if chunk.encoding.is_ascii_superset else "utf-8"
        self._shown: _Shown | None = None

    def find(self, quote: object, score: float) -> Note | None:
        """The first place where the quote stands, widened to whole lines; None where it does not stand anywhere."""
        for text in _forms(quote):
            span = self._exact(text) or self._with_any_blanks(text) or self._as_shown(text)
            if span is not None:
                return self._note(*span, score)
        return None

    def _exact(self, text: str) -> tuple[int, int] | None:
        encoded = text.encode(self._codec, "replace")
        start = self._chunk.data.find(encoded)
        return None if start < 0 else self._worth(text, start, start + len(encoded))

    def _with_any_blanks(self, text: str) -> tuple[int, int] | None:
        words = text.encode(self._codec, "replace").split()
        if len(words) < 2:
            return None
        match = re.search(rb"\s+".join(map(re.escape, words)), self._chunk.data)
        return self._worth(text, match.start(), match.end()) if match else None

    def _as_shown(self, text: str) -> tuple[int, int] | None:
        if self._shown is None:
            self._shown = _Shown(self._chunk, self._starts)
        found = self._shown.lines_of(" ".join(text.split()))
        if found is None:
            return None
        start, end = self._stripped(*found)
        if end - start > WHOLE_LINES_MAX_BYTES:  # of a long line the part that is quoted, if it stands there so
            piece = max(_GAP.split(text), key=len).encode(self._codec, "replace")
            place = self._chunk.data.find(piece, start, end)
            if place >= 0:
                return place, place + len(piece)
        return start, end

    def _worth(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """The span, if it is long enough to prove something, or a whole line."""
        if len(text) >= MIN_CHARACTERS:
            return start, end
        first, last = self._line_of(start), self._line_of(max(start, end - 1))
        return (start, end) if first == last and self._stripped(first, last) == (start, end) else None

    def _line_of(self, offset: int) -> int:
        return bisect_right(self._starts, offset) - 1

    def _stripped(self, first: int, last: int) -> tuple[int, int]:
        """The bytes of these lines without the last one's end."""
        data = self._chunk.data
        end = self._starts[last + 1] if last + 1 < len(self._starts) else len(data)
        while end > self._starts[first] and data[end - 1] in b"\r\n":
            end -= 1
        return self._starts[first], end

    def _note(self, start: int, end: int, score: float) -> Note | None:
        first, last = self._line_of(start), self._line_of(max(start, end - 1))
        if last - first >= MAX_QUOTED_LINES:
            return None
        wide_start, wide_end = self._stripped(first, last)
        if wide_end - wide_start <= WHOLE_LINES_MAX_BYTES:
            start, end = wide_start, wide_end
        else:
            end = min(end, wide_end)
        if start >= end:
            return None
        chunk = self._chunk
        return Note(
            score=score,
            start_line=chunk.chunk.start_line + first,
            end_line=chunk.chunk.start_line + last,
            start_byte=chunk.to_file(start),
            end_byte=chunk.to_file(end),
            text=cut_text(chunk.decoded(chunk.data[start:end]), NOTE_MAX_BYTES),
        )


class _Shown:
    """The chunk's lines as a model is shown them: without secrets, escape sequences, and runs of blanks."""

    def __init__(self, chunk: ChunkText, starts: list[int]) -> None:
        masked = mask_secrets(chunk.decoded(chunk.data)).encode("utf-8", "surrogatepass")
        begins = [*line_starts(masked).tolist(), len(masked)]
        self._ends: list[int] = []
        parts: list[str] = []
        size = 0
        if len(begins) == len(starts) + 1:
            for start, end in itertools.pairwise(begins):
                line = " ".join(plain_text(masked[start:end].decode("utf-8", "replace")).split())
                parts.append(line)
                size += len(line) + 1
                self._ends.append(size)
        self._text = " ".join(parts)

    def lines_of(self, text: str) -> tuple[int, int] | None:
        """The first and last line over which the text stands. What a view left out of a line may be anything."""
        pieces = [piece for piece in _GAP.split(text) if piece]
        if sum(map(len, pieces)) < MIN_CHARACTERS:
            return None
        start = -1
        for _ in range(_MAX_TRIES):
            start = self._text.find(pieces[0], start + 1)
            if start < 0:
                return None
            first = bisect_right(self._ends, start)
            end = start + len(pieces[0])
            for piece in pieces[1:]:
                place = self._text.find(piece, end, self._ends[first])
                end = place + len(piece) if place >= 0 else -1
                if end < 0:
                    break
            if end >= 0:
                return first, bisect_right(self._ends, end - 1)
        return None


def _forms(quote: object) -> list[str]:
    """The quote as it came, and without what models put around it."""
    if not isinstance(quote, str) or len(quote) > MAX_CHARACTERS:
        return []
    bare = quote.strip(_AROUND)
    found = [quote, bare, _NUMBERED.sub("", bare).strip(_AROUND)]
    return [text for number, text in enumerate(found) if text.strip() and text not in found[:number]]


@dataclass(frozen=True, slots=True)
class PlaceFinder:
    """Finds quotes in places that were read again from the file, for a final answer. `encoding` is that of the file."""

    places: tuple[Place, ...]

    def find(self, quote: object) -> Place | None:
        """The place that a quote names ("q3", also "q3: its text") or stands in."""
        if isinstance(quote, str):
            named = re.match(r"\W*q(\d{1,4})\b", quote, re.IGNORECASE)
            if named:
                number = int(named[1]) - 1
                return self.places[number] if 0 <= number < len(self.places) else None
        for text in _forms(quote):
            wanted = " ".join(plain_text(text).split())
            if len(wanted) < MIN_CHARACTERS:
                continue
            for place in self.places:
                if wanted in " ".join(plain_text(place.text).split()):
                    return place
                if wanted in " ".join(plain_text(mask_secrets(place.text)).split()):
                    return place
        return None
