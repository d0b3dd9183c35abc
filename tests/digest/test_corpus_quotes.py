"""Over real files of all kinds: quotes from a view are found in the file, others are not, and every range is exact."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from model_fakes import FakeModel, chunks_of, honest, liar, lines_in

from corpus_path import CHECKOUT
from milepost.core.source import never
from milepost.digest.labelling import ModelDigester
from milepost.digest.models.protocol import Prompt
from milepost.digest.state import absorbed
from milepost.digest.values import Brief, FileFacts, Note, Place, State
from milepost.errors import MilepostError

DATA = CHECKOUT / "tests" / "data"
FIXTURES = sorted(path for folder in ("captures", "mini") for path in (DATA / folder).iterdir())
SHARDS = 4
EVERY = 24
LINE_END = re.compile(rb"\r\n|\r|\n")


def faults_in(path: Path) -> tuple[list[str], int, int]:
    """What is wrong with what comes of a file; how many true quotes a model gave, and how many were found."""
    faults: list[str] = []
    given = kept = 0
    data = path.read_bytes()
    draw = random.Random(path.name)
    lies = liar(draw.randrange(10**6))
    for honest_turn in (True, False):
        model = FakeModel(8192, honest if honest_turn else lies)
        with chunks_of(path, 30_000) as (reader, outline):
            if outline.format == "binary" or not len(reader):
                return [], 0, 0
            digester = ModelDigester(model)
            state = State()
            notes: list[Note | Place] = []
            for index in range(min(2, len(reader))):
                chunk = reader.read(index)
                before = len(model.prompts)
                found = digester.digest(chunk, state, Brief(), should_stop=never)
                state = absorbed(state, chunk.pieces, found)
                notes += found.notes
                if honest_turn:
                    quotes = [quote for prompt in model.prompts[before:] for quote in quoted(prompt)]
                    given += len(set(quotes))
                    kept += len(set(quotes)) - found.usage.dropped
            places = tuple(reader.place(note) for note in state.notes)
            conclusion = digester.conclude(state, FileFacts(outline, (0, 1), places), Brief("why?"), should_stop=never)
            notes += conclusion.quotes
            for note in notes:
                faults += wrong_with(note, data, reader.read(0).encoding.name)
    return faults, given, kept


def quoted(prompt: Prompt) -> list[str]:
    """The quotes that an honest model gives for a prompt and that are long enough to prove anything."""
    return [line for line in lines_in(prompt.user)[:2] if len(line.strip()) >= 6]


def wrong_with(note: Note | Place, data: bytes, encoding: str) -> list[str]:
    """What is wrong with a range: its text or its lines, counted plainly from the beginning of the file."""
    said = f"{note.start_line}-{note.end_line} [{note.start_byte}, {note.end_byte})"
    raw = data[note.start_byte : note.end_byte]
    if not raw or not 0 <= note.start_byte < note.end_byte <= len(data):
        return [f"{said}: no such bytes"]
    text = raw.decode(encoding, "replace")
    if not text.startswith(note.text.rstrip("�")):
        return [f"{said}: {note.text[:60]!r} is not {text[:60]!r}"]
    before = data[: note.start_byte]
    if "16" in encoding or "32" in encoding:
        ends = len(re.findall("\r\n|\r|\n", before.decode(encoding, "replace")))
        within = len(re.findall("\r\n|\r|\n", text))
    else:
        ends, within = len(LINE_END.findall(before)), len(LINE_END.findall(raw))
    if (ends + 1, ends + 1 + within) != (note.start_line, note.end_line):
        return [f"{said}: lines are {ends + 1}-{ends + 1 + within}"]
    return []


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_fixture(path: Path) -> None:
    try:
        faults, given, kept = faults_in(path)
    except MilepostError:
        pytest.skip("no text")
    assert not faults
    assert kept >= 0.9 * given


@pytest.mark.corpus
@pytest.mark.parametrize("shard", range(SHARDS))
def test_corpus(corpus: Path, shard: int) -> None:
    paths = [path for path in sorted(corpus.rglob("*")) if path.is_file() and path.stat().st_size > 1000]
    report: dict[str, Any] = {}
    given = kept = 0
    for path in paths[::EVERY][shard::SHARDS]:
        try:
            faults, more_given, more_kept = faults_in(path)
        except MilepostError:  # a binary file
            continue
        given, kept = given + more_given, kept + more_kept
        if faults:
            report[str(path.relative_to(corpus))] = faults
    print(f"{kept} of {given} true quotes found")
    assert not report
    assert kept >= 0.95 * given > 0
