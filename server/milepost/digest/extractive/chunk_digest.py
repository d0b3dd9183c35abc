"""What one chunk holds: labels for pieces whose computed ones say little, and the places worth telling."""

from __future__ import annotations

import re
from bisect import bisect_right

from milepost.core.lines import line_starts
from milepost.core.outline import DIGEST_MAX_BYTES, TITLE_MAX_BYTES
from milepost.core.text import clip_text, cut_text
from milepost.digest.condense.tables import odd_records
from milepost.digest.extractive.prose import Sentence, telling_sentences
from milepost.digest.values import NOTE_MAX_BYTES, ChunkDigest, ChunkText, Label, Note, Piece, State

_SENTENCES = 5
_INCIDENT_BYTES = 2000
_MOST_TO_DO = 6
_MOST_ODD = 4
_TO_DO = re.compile(rb"\b(?:TODO|FIXME|XXX|HACK)\b")
_SEVERITY_SCORES = {"fatal": 0.5, "critical": 0.5, "error": 0.3, "warning": 0.0}
_POOR_KINDS = frozenset({"block", "paragraphs", "text", "lines"})


def summarize_chunk(chunk: ChunkText, state: State) -> ChunkDigest:
    """Titles and digests for the pieces of a chunk, and the places in it that are worth telling."""
    reader = _Lines(chunk)
    labels: dict[str, Label] = {}
    notes: list[Note] = []
    if chunk.format in ("text", "markup"):
        encoding = chunk.encoding.name if chunk.encoding.is_ascii_superset else "utf-8"
        sentences = telling_sentences(chunk.data, encoding, _SENTENCES * 4, is_start=chunk.index == 0)
        notes.extend(reader.note(one.start, one.end, one.score) for one in sentences[:_SENTENCES])
        labels.update(_prose_labels(chunk, reader, sentences))
    elif chunk.format in ("csv", "ndjson"):
        notes.extend(reader.note(start, end, 0.5) for start, end in odd_records(chunk)[:_MOST_ODD])
    elif chunk.format == "code":
        for match in _TO_DO.finditer(chunk.data):
            notes.append(reader.line_note(match.start(), 0.4))
            if len(notes) == _MOST_TO_DO:
                break
    notes.extend(_incident_notes(chunk, reader))
    return ChunkDigest(labels=labels, notes=tuple(notes))


def _incident_notes(chunk: ChunkText, reader: _Lines) -> list[Note]:
    """A note for each incident among the pieces: the first of a kind before its repeats."""
    notes = []
    for piece in chunk.pieces:
        if piece.kind != "incident":
            continue
        score = piece.weight + _SEVERITY_SCORES.get(str(piece.facts.get("severity", "")), 0.0)
        if "again" in piece.digest:
            score *= 0.5
        start = reader.offset_of(piece.start_byte)
        if start is not None:
            end = reader.offset_of(piece.end_byte)
            long = end is None or end - start > _INCIDENT_BYTES
            notes.append(reader.line_note(start, score) if long or end is None else reader.note(start, end, score))
    return notes


def _prose_labels(chunk: ChunkText, reader: _Lines, sentences: list[Sentence]) -> dict[str, Label]:
    """For pieces that are named by their first line or not at all: the most telling sentence in each."""
    labels: dict[str, Label] = {}
    for piece in chunk.pieces:
        if piece.kind not in _POOR_KINDS and piece.digest:
            continue
        start, end = reader.offset_of(piece.start_byte), reader.offset_of(piece.end_byte)
        if start is None or end is None:
            continue
        best = next((one for one in sentences if start <= one.start < end), None)
        if best is not None:
            labels[piece.id] = Label(digest=clip_text(best.text, DIGEST_MAX_BYTES), title=_title(piece))
    return labels


def _title(piece: Piece) -> str:
    return clip_text(piece.title, TITLE_MAX_BYTES)


class _Lines:
    """Offsets of a chunk's text as lines and as offsets of the file."""

    def __init__(self, chunk: ChunkText) -> None:
        self._chunk = chunk
        self._starts: list[int] = line_starts(chunk.data).tolist()

    def note(self, start: int, end: int, score: float) -> Note:
        """A note for the text from `start` to `end`."""
        chunk = self._chunk
        text = cut_text(chunk.decoded(chunk.data[start : min(end, start + 2 * NOTE_MAX_BYTES)]), NOTE_MAX_BYTES)
        return Note(
            score, self._line(start), self._line(max(start, end - 1)), chunk.to_file(start), chunk.to_file(end), text
        )

    def line_note(self, offset: int, score: float) -> Note:
        """A note for the line at an offset, without its end."""
        place = bisect_right(self._starts, offset) - 1
        start = self._starts[place]
        following = self._starts[place + 1] if place + 1 < len(self._starts) else len(self._chunk.data)
        line = self._chunk.data[start:following].rstrip(b"\r\n")
        return self.note(start, start + max(1, len(line)), score)

    def _line(self, offset: int) -> int:
        return self._chunk.chunk.start_line + bisect_right(self._starts, offset) - 1

    def offset_of(self, file_byte: int) -> int | None:
        """Where a byte of the file is in the chunk's text; None if it cannot be told."""
        chunk = self._chunk
        size = len(chunk.data)
        if chunk.byte_map is None:
            offset = file_byte - chunk.chunk.start_byte
            return offset if 0 <= offset <= size else None
        low, high = 0, size
        while low < high:
            middle = (low + high) // 2
            if chunk.to_file(middle) < file_byte:
                low = middle + 1
            else:
                high = middle
        return low if chunk.to_file(low) == file_byte else None
