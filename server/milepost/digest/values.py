"""The values that pass between the parts of a digest: what is read, what is said of it, what is carried on.

Lines are 1-based and inclusive, bytes half-open offsets in the file as it is on disk, unless a name says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from milepost.core.chunks import Chunk
from milepost.core.encoding import Encoding
from milepost.core.outline import Facts, Outline
from milepost.core.source import StopFlag

Detail = Literal["outline", "standard", "deep"]

#: From this weight on an entry or note is an incident or as good as one, and is kept when others are merged.
NOTABLE_WEIGHT = 0.7


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a chunk with a name of its own, as the file's outline has it: computed, exact.

    The pieces of a chunk are in order and disjoint, and together they are the chunk. `id` ("s1", "s2" …) is what a model
    names it by, `section` the id in the outline of the section it is, or is a part of (None where there is none).
    """

    id: str
    section: str | None
    title: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    digest: str = ""
    count: int = 1
    facts: Facts = field(default_factory=dict)
    weight: float = 0.3


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as it is examined.

    `data` is its text in an ASCII superset (`encoding` if that is one, else UTF-8), `before` what stands directly before
    it (context, not part of it). A chunk may begin or end inside a line (`starts_line` is false then).
    `byte_map` turns an offset in `data` into one in the file; None where that is `chunk.start_byte + offset`.
    """

    index: int
    total: int
    chunk: Chunk
    data: bytes
    before: bytes
    encoding: Encoding
    format: str
    pieces: tuple[Piece, ...]
    starts_line: bool = True
    byte_map: ByteMap | None = None

    def to_file(self, offset: int) -> int:
        """The file's offset for an offset in `data`."""
        return self.chunk.start_byte + offset if self.byte_map is None else self.byte_map(offset)

    def decoded(self, data: bytes) -> str:
        """A part of `data` as text."""
        name = self.encoding.name if self.encoding.is_ascii_superset else "utf-8"
        return data.decode(name, "replace")


class ByteMap(Protocol):
    """From an offset in a chunk's text to one in the file."""

    def __call__(self, offset: int, /) -> int: ...


@dataclass(frozen=True, slots=True)
class Brief:
    """What is asked of a walk. `question` is empty for a plain summary.

    `stops_early` is set for `ask` without `all`; `wants_summary` is not set where only an answer is asked for.
    """

    question: str = ""
    detail: Detail = "standard"
    stops_early: bool = False
    wants_summary: bool = True


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the digest's outline: an exact range with what is said of it. `count` is of merged entries if archived."""

    title: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    digest: str = ""
    count: int = 1
    weight: float = 0.3
    section: str | None = None
    severity: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A place worth quoting: the exact range of a line (or a few), with its text as far as it is carried along.

    `score` says how much it is worth, comparable within one walk only. `text` is at most `NOTE_MAX_BYTES` of the place.
    """

    score: float
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str


NOTE_MAX_BYTES = 200


@dataclass(frozen=True, slots=True)
class State:
    """All that is carried from chunk to chunk, and all that a cursor holds of what was found.

    `summary` is a model's running summary. `entries` are at most 32, in file order, disjoint, from the first byte examined
    to the last. `notes` are places worth telling (of a summary) or that may answer (of a question), the best few.
    """

    summary: str = ""
    entries: tuple[Entry, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of a piece; an empty field leaves what was computed."""

    title: str = ""
    kind: str = ""
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent on a model. `dropped` counts what it said and the file does not bear out."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dropped: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.dropped + other.dropped,
        )


@dataclass(frozen=True, slots=True)
class ChunkDigest:
    """What a digester says of one chunk. `summary` replaces the running summary; `notes` join those that are carried on.

    `answers` says that these notes answer the question, so that a walk that stops early may stop here.
    """

    labels: Mapping[str, Label] = field(default_factory=dict)
    summary: str = ""
    notes: tuple[Note, ...] = ()
    answers: bool = False
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Place:
    """A range of the file with its text, read from the file: what a final answer may quote."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    text: str


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of the file as a whole when a final text is written.

    `outline` is the exact outline of the whole file; `examined` the byte range that was read chunk by chunk, which what is
    said must keep to. `places` are the notes' ranges, read again from the file, in the order of the notes.
    """

    outline: Outline
    examined: tuple[int, int]
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The final text of a walk: a summary, and the answer to a question with the places that prove it."""

    summary: str
    answer: str = ""
    found: bool = False
    quotes: tuple[Place, ...] = ()
    followups: tuple[str, ...] = ()
    usage: Usage = Usage()


class Digester(Protocol):
    """What turns chunks into digests: by extraction, or with a model. Methods block, and may run side by side."""

    @property
    def name(self) -> str:
        """`extractive`, or the name of the model."""
        ...

    def digest(self, chunk: ChunkText, state: State, brief: Brief, *, should_stop: StopFlag) -> ChunkDigest:
        """What one chunk holds, given what came before. Raises `MilepostError`; a model's are `Model*`, `BudgetExceeded`."""
        ...

    def merge(self, summaries: Sequence[str], brief: Brief, *, should_stop: StopFlag) -> tuple[str, Usage]:
        """One running summary for several that follow each other (of a parallel walk)."""
        ...

    def conclude(self, state: State, facts: FileFacts, brief: Brief, *, should_stop: StopFlag) -> Conclusion:
        """The final text. What it quotes are places of `facts.places`, whole or a part, exactly as they stand there."""
        ...
