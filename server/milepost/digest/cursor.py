"""The token that says where a summary or an answer goes on, and with what.

It is self-contained: the file it is of (as hashes), the request it belongs to, how far the walk has come, and the `State`.
It stays under 4 KB. One from another request is refused as invalid; one of a file that is no longer the same as changed,
unless the file has only grown.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field

import xxhash

from milepost.core.chunks import ChunkPlan
from milepost.core.cursor import decode_cursor, encode_cursor
from milepost.core.identity import END_BYTES
from milepost.core.source import ByteSource, FileSource, display_path
from milepost.digest.chunk_texts import Scope
from milepost.digest.state import packed, unpacked
from milepost.digest.values import Entry, Note, State, Usage
from milepost.errors import CursorInvalid, FileChanged

_FIELDS = {"r": str, "f": list, "h": str, "n": int, "u": list, "s": str}
_COUNTS = 6


@dataclass(frozen=True, slots=True)
class Request:
    """What a walk was asked, as far as going on with it must be asked the same. `scope` is None for the whole file."""

    kind: str
    path: str
    question: str
    detail: str
    mode: str
    summarizer: str
    target_bytes: int
    scope: Scope | None

    def fingerprint(self) -> str:
        """One short text that differs where the request does."""
        scope = (self.scope.start_byte, self.scope.end_byte) if self.scope else ()
        parts = (self.kind, self.path, self.question, self.detail, self.mode, self.summarizer, self.target_bytes, scope)
        return xxhash.xxh3_64_hexdigest(repr(parts).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Progressed:
    """How far a walk has come: the next chunk, and what was read and spent from its first request on."""

    next_chunk: int = 0
    state: State = field(default_factory=State)
    chunks_read: int = 0
    bytes_examined: int = 0
    usage: Usage = field(default_factory=Usage)


def make_cursor(request: Request, source: ByteSource, plan: ChunkPlan, done: Progressed, first_chunk: int) -> str:
    """The token to go on with. `first_chunk` is the plan's chunk that the walk's chunk 0 is (a part of)."""
    usage = done.usage
    return encode_cursor(
        "reading",
        {
            "r": request.fingerprint(),
            "f": _file_state(source, source.size),
            "h": plan.hash_of_first(first_chunk + done.next_chunk),
            "n": done.next_chunk,
            "u": [
                done.chunks_read,
                done.bytes_examined,
                usage.calls,
                usage.input_tokens,
                usage.output_tokens,
                usage.dropped,
            ],
            "s": base64.b85encode(packed(done.state)).decode("ascii"),
        },
    )


def read_cursor(
    token: str, request: Request, source: ByteSource, plan: ChunkPlan, first_chunk: int, chunk_count: int
) -> Progressed:
    """What a token says, for this request on this file. The texts of the notes are empty: they are in the file.

    Raises CursorInvalid, and FileChanged where the file is another than the token was made of.
    """
    payload = decode_cursor(token, "reading", _FIELDS)
    if payload["r"] != request.fingerprint():
        raise CursorInvalid(
            "the cursor belongs to another request: repeat the one it came from, "
            "with the same file, question, detail, mode, model and part of the file"
        )
    counts, next_chunk = payload["u"], payload["n"]
    if len(counts) != _COUNTS or any(type(count) is not int or count < 0 for count in counts) or next_chunk < 0:
        raise _damaged()
    _check_file(payload["f"], source)
    if next_chunk > chunk_count or payload["h"] != plan.hash_of_first(first_chunk + next_chunk):
        raise _changed(source)
    try:
        state = unpacked(base64.b85decode(payload["s"]))
    except ValueError:
        raise _damaged() from None
    ranges: list[Entry | Note] = [*state.entries, *state.notes]
    if any(not 0 <= one.start_byte <= one.end_byte <= source.size or one.start_line < 1 for one in ranges):
        raise _damaged()
    return Progressed(next_chunk, state, counts[0], counts[1], Usage(*counts[2:]))


def _file_state(source: ByteSource, size: int) -> list[object]:
    """Size, mtime, and hashes of the head and of the tail that the file had at this size."""
    mtime_ns = source.state.mtime_ns if isinstance(source, FileSource) else 0
    head = xxhash.xxh3_64_hexdigest(source.read_at(0, min(END_BYTES, size)))
    tail_start = max(0, size - END_BYTES)
    tail = xxhash.xxh3_64_hexdigest(source.read_at(tail_start, size - tail_start))
    return [size, mtime_ns, head, tail]


def _check_file(state: list[object], source: ByteSource) -> None:
    if not state or type(state[0]) is not int or state[0] < 0:
        raise _damaged()
    size = state[0]
    if source.size < size:
        raise _changed(source)
    now = _file_state(source, size)
    is_same_size = source.size == size
    # Where only the mtime is another, the bytes may be too: there is no hash of them all to ask.
    if now[2:] != state[2:] or (is_same_size and now[:2] != state[:2]):
        raise _changed(source)


def _changed(source: ByteSource) -> FileChanged:
    return FileChanged(f"{display_path(source.name)} has changed since the cursor was made: ask again without it.")


def _damaged() -> CursorInvalid:
    return CursorInvalid("the cursor is damaged: ask again without a cursor")
