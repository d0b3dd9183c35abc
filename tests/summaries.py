"""An offline summary of a file, chunk by chunk, and what must be true of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from milepost.core.analysis import Analysis
from milepost.core.chunks import plan_chunks
from milepost.core.logs.ansi import strip_ansi
from milepost.core.outline import Outline
from milepost.core.source import open_source
from milepost.digest.chunk_texts import ChunkReader, Scope
from milepost.digest.extractive import conclude_summary, summarize_chunk
from milepost.digest.state import absorbed, packed, unpacked
from milepost.digest.values import FileFacts, Place, State

MAX_BYTES = 4096
LINES = re.compile(r"\(lines? (\d+)(?:–(\d+))?\)")


@dataclass(frozen=True, slots=True)
class Summary:
    """A final text with the questions after it, and what it was made from."""

    text: str
    questions: tuple[str, ...]
    state: State
    facts: FileFacts

    @property
    def outline(self) -> Outline:
        """The file's outline."""
        return self.facts.outline


def summarize(path: Path, *, most_chunks: int = 0, chunk_bytes: int = 180_000, interrupted: bool = False) -> Summary:
    """Walk over a file, or over its first chunks only; `interrupted` goes through a cursor's form after each."""
    with open_source(path) as source:
        analysis = Analysis(source)
        outline = analysis.outline()
        state = State()
        end = outline.total_bytes
        places: tuple[Place, ...] = ()
        if analysis.scan is not None:
            plan = plan_chunks(analysis.view, index=analysis.index, target_bytes=chunk_bytes)
            scope = Scope(1, plan.line_count, 0, plan.byte_count)
            reader = ChunkReader(analysis.view, analysis.encoding, plan, outline, scope, 800)
            for index in range(min(len(reader), most_chunks or len(reader))):
                chunk = reader.read(index)
                state = absorbed(state, chunk.pieces, summarize_chunk(chunk, state))
                end = chunk.chunk.end_byte
                if interrupted:
                    state = unpacked(packed(state))
            places = tuple(reader.place(note) for note in state.notes)
        facts = FileFacts(outline, (0, end), places)
        return Summary(*conclude_summary(state, facts), state, facts)


def faults_of(summary: Summary) -> list[str]:
    """What is wrong with a summary whatever it says: its size, its characters, lines that the file does not have."""
    text, total = summary.text, summary.outline.total_lines
    faults = []
    if not text:
        faults.append("says nothing")
    if len(text.encode()) > MAX_BYTES:
        faults.append(f"{len(text.encode())} bytes")
    if any(ord(one) < 32 and one != "\n" for one in text):
        faults.append("control characters")
    last = total
    if summary.facts.examined[1] < summary.outline.total_bytes and summary.state.entries:
        last = summary.state.entries[-1].end_line
    for first, second in LINES.findall(text):
        if last is not None and not 1 <= int(first) <= int(second or first) <= last:
            faults.append(f"lines {first}–{second} of {last}")
    if len(summary.questions) > 3 or len(set(summary.questions)) < len(summary.questions):
        faults.append(f"questions: {summary.questions}")
    return faults


_INCIDENT = re.compile(
    r"^- (?:[\w ]+: )?(.+?)(?:; (?:×|a burst|[\d,]+ times).*?)? \((?:line|lines) (\d+)(?:–(\d+))?\)", re.MULTILINE
)
_WORD = re.compile(r"[^\W\d_]{4,}")


def ungrounded(summary: Summary, data: bytes) -> list[str]:
    """Incidents of a log that are not where they are said to be: half of a title's words must stand in the lines named."""
    if summary.outline.format != "log":
        return []
    encoding = summary.outline.encoding
    if encoding.startswith(("utf-16", "utf-32")):
        data, encoding = data.decode(encoding, "replace").encode(), "utf-8"
    lines = re.split(rb"\r\n|\r|\n", data)
    told = summary.text.partition("stand")[2].partition("What happened when:")[0]
    faults = []
    for title, first, last in _INCIDENT.findall(told):
        there = b"\n".join(lines[int(first) - 1 : int(last or first)])
        text = strip_ansi(there).decode(encoding, "replace")
        words = _WORD.findall(title)
        if sum(word in text for word in words) * 2 < len(words):
            faults.append(f"{title!r} is not in lines {first}–{last or first}")
    return faults
