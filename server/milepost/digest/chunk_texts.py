"""The chunks of a file, or of a part of it, one after the other as they are examined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from milepost.core.chunks import Chunk, ChunkPlan
from milepost.core.encoding import Encoding
from milepost.core.outline import Outline
from milepost.core.source import ByteSource
from milepost.core.transcode import TranscodedSource
from milepost.digest.pieces import pieces_of
from milepost.digest.values import ChunkText, Note, Place

#: So much of a place is read again for a final answer.
PLACE_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Scope:
    """The part of a file that is read: whole where a walk is of the file. Lines inclusive, bytes half-open."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


class ChunkReader:
    """Reads the chunks of a plan that lie in `scope`, those at its ends clipped to it.

    `view` is the file's text as `core.encoding.text_view` gives it; all offsets given out are the file's.
    """

    def __init__(
        self, view: ByteSource, encoding: Encoding, plan: ChunkPlan, outline: Outline, scope: Scope, context_bytes: int
    ) -> None:
        self.scope = scope
        self.chunks = clipped(plan.chunks, scope)
        self.first = plan.chunk_at(scope.start_byte) if self.chunks else 0
        self._view = view
        self._encoding = encoding
        self._outline = outline
        self._context_bytes = context_bytes

    def __len__(self) -> int:
        return len(self.chunks)

    def read(self, index: int) -> ChunkText:
        """One chunk with its text, what stands before it, and its pieces."""
        chunk = self.chunks[index]
        view, byte_map = self._view, None
        start, end = chunk.start_byte, chunk.end_byte
        if isinstance(view, TranscodedSource):
            start, end = view.from_original(start), view.from_original(end)
            transcoded, base = view, start

            def byte_map(offset: int) -> int:
                return transcoded.to_original(base + offset)

        context_start = max(0, start - self._context_bytes)
        data = view.read_at(context_start, end - context_start)
        before, text = data[: start - context_start], data[start - context_start :]
        return ChunkText(
            index=index,
            total=len(self.chunks),
            chunk=chunk,
            data=text,
            before=before,
            encoding=self._encoding,
            format=self._outline.format,
            pieces=pieces_of(chunk, self._outline.sections),
            starts_line=_starts_line(view, start, text),
            byte_map=byte_map,
        )

    def place(self, note: Note) -> Place:
        """A note's range, its text read from the file; of a long one its beginning."""
        view = self._view
        start, end = note.start_byte, note.end_byte
        if isinstance(view, TranscodedSource):
            start, end = view.from_original(start), view.from_original(end)
        data = view.read_at(start, min(end - start, PLACE_MAX_BYTES))
        name = self._encoding.name if self._encoding.is_ascii_superset else "utf-8"
        end_byte, end_line = note.end_byte, note.end_line
        if len(data) < end - start:
            text = data.decode(name, "ignore")
            data = text.encode(name, "ignore") if name == "utf-8" else data
            end_byte = start + len(data)
            if isinstance(view, TranscodedSource):
                end_byte = view.to_original(end_byte)
            end_line = note.start_line + _line_ends(data)
        return Place(note.start_line, end_line, note.start_byte, end_byte, data.decode(name, "replace"))


def clipped(chunks: Sequence[Chunk], scope: Scope) -> tuple[Chunk, ...]:
    """The chunks that overlap a scope, those at its ends cut to it."""
    found = []
    for chunk in chunks:
        if chunk.end_byte <= scope.start_byte or chunk.start_byte >= scope.end_byte:
            continue
        begins, ends = chunk.start_byte < scope.start_byte, chunk.end_byte > scope.end_byte
        found.append(
            Chunk(
                scope.start_line if begins else chunk.start_line,
                scope.end_line if ends else chunk.end_line,
                scope.start_byte if begins else chunk.start_byte,
                scope.end_byte if ends else chunk.end_byte,
            )
        )
    return tuple(found)


def _starts_line(view: ByteSource, start: int, text: bytes) -> bool:
    if start == 0:
        return True
    before = view.read_at(start - 1, 1)
    return before == b"\n" or (before == b"\r" and not text.startswith(b"\n"))


def _line_ends(data: bytes) -> int:
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
