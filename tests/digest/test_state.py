"""What is carried on is bounded, exact, and the same for a cursor as for a run without a break."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from milepost.digest.state import ARCHIVED, MAX_ENTRIES, MAX_NOTES, absorbed, packed, squeezed, unpacked
from milepost.digest.values import ChunkDigest, Entry, Label, Note, Piece, State

texts = st.text(max_size=300)
severities = st.sampled_from(["", "info", "warning", "error", "fatal"])


@st.composite
def chunks_of_pieces(draw: st.DrawFn) -> list[tuple[list[Piece], ChunkDigest]]:
    """Chunks that follow each other, each with its pieces and what is said of them."""
    byte = line = 0
    chunks = []
    for _ in range(draw(st.integers(1, 12))):
        pieces, labels = [], {}
        for number in range(draw(st.integers(1, 8))):
            size, lines = draw(st.integers(1, 500_000)), draw(st.integers(1, 900))
            facts = {"severity": draw(severities)}
            pieces.append(
                Piece(
                    f"s{number}",
                    draw(st.none() | st.text(min_size=1, max_size=40)),
                    draw(texts),
                    "segment",
                    line + 1,
                    line + lines,
                    byte,
                    byte + size,
                    draw(texts),
                    1,
                    facts,
                    draw(st.floats(0, 1, allow_nan=False)),
                )
            )
            labels[f"s{number}"] = Label(draw(texts), "", draw(texts))
            byte, line = byte + size, line + lines
        end = draw(st.integers(0, byte))
        note = Note(draw(st.floats(0, 1e6)), 1, 1, min(end, byte), byte, draw(texts))
        chunks.append((pieces, ChunkDigest(labels, draw(texts), (note,))))
    return chunks


@settings(max_examples=60, deadline=None)
@given(chunks_of_pieces())
def test_entries_stay_few_and_cover_what_was_read(chunks: list[tuple[list[Piece], ChunkDigest]]) -> None:
    state = State()
    for pieces, digest in chunks:
        state = absorbed(state, pieces, digest)
        assert len(state.entries) <= MAX_ENTRIES
        assert len(state.notes) <= MAX_NOTES
        assert state.entries[0].start_byte == 0
        assert state.entries[-1].end_byte == pieces[-1].end_byte
        for before, after in itertools.pairwise(state.entries):
            assert before.end_byte == after.start_byte
            assert before.start_line <= before.end_line <= after.start_line
    read = [piece for pieces, _ in chunks for piece in pieces]
    if not any(one.section == other.section and one.section for one, other in itertools.pairwise(read)):
        counted = sum(entry.count if entry.kind == ARCHIVED else 1 for entry in state.entries)
        assert counted == len(read), "what is merged is counted"


@settings(max_examples=60, deadline=None)
@given(chunks_of_pieces())
def test_what_a_cursor_holds_is_all_that_is_carried_on(chunks: list[tuple[list[Piece], ChunkDigest]]) -> None:
    state = State()
    for pieces, digest in chunks:
        state = absorbed(state, pieces, digest)
        kept = unpacked(packed(state))
        assert kept.entries == state.entries
        assert kept.summary == state.summary
        assert [note.start_byte for note in kept.notes] == [note.start_byte for note in state.notes]
        assert squeezed(state) == state


def test_the_notable_is_merged_last() -> None:
    quiet = [Entry(f"quiet {at}", "segment", at + 1, at + 1, at * 10, at * 10 + 10) for at in range(200)]
    state = State()
    for at, entry in enumerate(quiet):
        weight = 0.9 if at in (3, 77, 140) else 0.2
        piece = Piece("s1", None, entry.title, "segment", at + 1, at + 1, at * 10, at * 10 + 10, weight=weight)
        state = absorbed(state, [piece], ChunkDigest())
    alive = {entry.title for entry in state.entries}
    assert {"quiet 3", "quiet 77", "quiet 140"} <= alive
    archived = [entry for entry in state.entries if entry.kind == ARCHIVED]
    assert sum(entry.count for entry in archived) + len(state.entries) - len(archived) == 200
