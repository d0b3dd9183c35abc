"""What is carried from chunk to chunk: a bounded state, the same in a run that was interrupted and in one that was not.

After each chunk the state is made to fit a cursor (`squeezed`), and it is this state that the next chunk and the final
answer see. So a cursor holds all that there is, and going on from it gives what going on without a break would have given.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from milepost.core.outline import DIGEST_MAX_BYTES, TITLE_MAX_BYTES
from milepost.core.text import clip_text
from milepost.digest.values import NOTABLE_WEIGHT, ChunkDigest, Entry, Label, Note, Piece, State
from milepost.errors import CursorInvalid

MAX_ENTRIES = 32
"""So many entries are alive; older ones, and the least of them, merge into archived ones that count them."""

MAX_NOTES = 16
MAX_SUMMARY_BYTES = 1200

#: What a state may take in a cursor, deflated. In base64 that is 3,600 bytes, and leaves 400 for what else a cursor holds.
MAX_STATE_BYTES = 2700

ARCHIVED = "archived"

# Tried in turn until a state fits: how many bytes a title, a digest and the running summary may have.
_WIDTHS = (
    (TITLE_MAX_BYTES, DIGEST_MAX_BYTES, MAX_SUMMARY_BYTES),
    (100, 160, MAX_SUMMARY_BYTES),
    (90, 120, 1000),
    (80, 90, 1000),
    (70, 64, 800),
    (60, 40, 800),
    (48, 24, 600),
    (40, 0, 500),
    (24, 0, 300),
    (12, 0, 200),
)

_SEVERITIES = ("", "trace", "debug", "info", "notice", "warning", "error", "critical", "fatal")


def absorbed(state: State, pieces: Sequence[Piece], digest: ChunkDigest) -> State:
    """The state after one more chunk."""
    entries = list(state.entries)
    for piece in pieces:
        entry = _entry(piece, digest.labels.get(piece.id, Label()))
        if entries and _goes_on(entries[-1], entry):
            entries[-1] = _joined(entries[-1], entry)
        else:
            entries.append(entry)
    notes = merged_notes([*state.notes, *digest.notes])
    return squeezed(State(digest.summary or state.summary, tuple(_bounded(entries)), notes))


def merged_notes(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The best notes, one for each place, in file order."""
    best: dict[tuple[int, int], Note] = {}
    for note in notes:
        place = (note.start_byte, note.end_byte)
        if place not in best or note.score > best[place].score:
            best[place] = note
    ranked = sorted(best.values(), key=lambda note: (-note.score, note.start_byte))[:MAX_NOTES]
    return tuple(sorted(ranked, key=lambda note: (note.start_byte, note.end_byte)))


def squeezed(state: State) -> State:
    """The state cut down to what a cursor holds: texts get shorter, entries stay."""
    for title_bytes, digest_bytes, summary_bytes in _WIDTHS:
        entries = tuple(
            replace(
                entry,
                title=clip_text(entry.title, title_bytes),
                digest=clip_text(entry.digest, digest_bytes) if digest_bytes else "",
                weight=round(entry.weight, 2),
                section=entry.section if entry.section and len(entry.section) <= title_bytes else None,
            )
            for entry in state.entries
        )
        notes = tuple(replace(note, score=_rounded(note.score)) for note in state.notes)
        cut = State(clip_text(state.summary, summary_bytes), entries, notes)
        if len(packed(cut)) <= MAX_STATE_BYTES:
            return cut
    return cut


def packed(state: State) -> bytes:
    """The state in the form that a cursor holds. The text of a note is not in it: it is read from the file again."""
    entries: list[list[Any]] = []
    line, byte = 1, 0
    for one in state.entries:
        # Mostly an entry begins where the one before it ended: small numbers deflate well.
        entries.append(
            [
                one.title,
                one.kind,
                one.digest,
                one.start_line - line,
                one.end_line - one.start_line,
                one.start_byte - byte,
                one.end_byte - one.start_byte,
                one.count,
                round(one.weight * 100),
                one.section or "",
                one.severity,
            ]
        )
        line, byte = one.end_line, one.end_byte
    notes = [
        [note.score, note.start_line, note.end_line - note.start_line, note.start_byte, note.end_byte - note.start_byte]
        for note in state.notes
    ]
    text = json.dumps([state.summary, entries, notes], ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "replace"), 9)


def unpacked(data: bytes) -> State:
    """The state that `packed` gave; the texts of its notes are empty. Raises CursorInvalid."""
    inflate = zlib.decompressobj()
    try:
        summary, entry_rows, note_rows = json.loads(inflate.decompress(data, 256 << 10))
        entries = []
        line, byte = 1, 0
        for title, kind, digest, line_step, lines, byte_step, size, count, weight, section, severity in entry_rows:
            start_line, start_byte = line + int(line_step), byte + int(byte_step)
            line, byte = start_line + int(lines), start_byte + int(size)
            entries.append(
                Entry(
                    str(title),
                    str(kind),
                    start_line,
                    line,
                    start_byte,
                    byte,
                    str(digest),
                    int(count),
                    int(weight) / 100,
                    str(section) or None,
                    str(severity),
                )
            )
        notes = [
            Note(float(score), int(start), int(start) + int(lines), int(start_byte), int(start_byte) + int(size), "")
            for score, start, lines, start_byte, size in note_rows
        ]
    except (zlib.error, ValueError, TypeError, RecursionError):
        raise CursorInvalid("the cursor is damaged: ask again without a cursor") from None
    return State(str(summary), tuple(entries), tuple(notes))


def _entry(piece: Piece, label: Label) -> Entry:
    severity = piece.facts.get("severity", "")
    return Entry(
        title=clip_text(label.title or piece.title, TITLE_MAX_BYTES),
        kind=label.kind or piece.kind,
        start_line=piece.start_line,
        end_line=piece.end_line,
        start_byte=piece.start_byte,
        end_byte=piece.end_byte,
        digest=clip_text(label.digest or piece.digest, DIGEST_MAX_BYTES),
        count=piece.count,
        weight=piece.weight,
        section=piece.section,
        severity=severity if isinstance(severity, str) else "",
    )


def _goes_on(before: Entry, after: Entry) -> bool:
    """Whether a section goes on over the edge of a chunk."""
    return before.section is not None and before.section == after.section and before.kind != ARCHIVED


def _joined(before: Entry, after: Entry) -> Entry:
    digest = before.digest
    if after.digest and after.digest not in digest:
        digest = f"{digest}; {after.digest}" if digest else after.digest
    return replace(
        before,
        end_line=after.end_line,
        end_byte=after.end_byte,
        digest=clip_text(digest, DIGEST_MAX_BYTES),
        weight=max(before.weight, after.weight),
        severity=_worse(before.severity, after.severity),
    )


def _bounded(entries: list[Entry]) -> list[Entry]:
    """At most `MAX_ENTRIES`: neighbours merge, those with nothing notable first, then the smallest, then the oldest."""
    while len(entries) > MAX_ENTRIES:
        index = min(
            range(len(entries) - 1),
            key=lambda at: (
                _notable(entries[at]) + _notable(entries[at + 1]),
                entries[at + 1].end_byte - entries[at].start_byte,
                at,
            ),
        )
        entries[index : index + 2] = [_archived(entries[index], entries[index + 1])]
    return entries


def _notable(entry: Entry) -> bool:
    return entry.weight >= NOTABLE_WEIGHT


def _archived(before: Entry, after: Entry) -> Entry:
    count = sum(one.count if one.kind == ARCHIVED else 1 for one in (before, after))
    best = after if after.weight > before.weight else before
    first = before.title if before.kind != ARCHIVED else before.title.partition(": ")[2].partition(" … ")[0]
    last = after.title if after.kind != ARCHIVED else after.title.rpartition(" … ")[2]
    title = f"{count} parts: {clip_text(first, 48)} … {clip_text(last, 48)}"
    return Entry(
        title=title,
        kind=ARCHIVED,
        start_line=before.start_line,
        end_line=after.end_line,
        start_byte=before.start_byte,
        end_byte=after.end_byte,
        digest=best.digest if best.kind == ARCHIVED else f"{best.title}: {best.digest}" if best.digest else best.title,
        count=count,
        weight=best.weight,
        severity=_worse(before.severity, after.severity),
    )


def _worse(one: str, other: str) -> str:
    return max(one, other, key=lambda name: _SEVERITIES.index(name) if name in _SEVERITIES else 0)


def _rounded(score: float) -> float:
    """Eight digits tell apart what a superlative asks for, and deflate well."""
    return float(f"{score:.8g}")
