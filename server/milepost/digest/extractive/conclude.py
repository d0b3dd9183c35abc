"""The final text of a walk: what a person who has not read the file wants to know first, and where it stands.

It is a function of what was carried along and of the file's outline, so that a walk that was interrupted ends in the same
words. It keeps to what was read: of a part of a file it tells what lies in that part alone.
"""

from __future__ import annotations

import re

from milepost.core.outline import DIGEST_MAX_BYTES
from milepost.core.text import clip_text
from milepost.digest.extractive.data_text import tell_ndjson, tell_sections, tell_sql, tell_table, tell_tree
from milepost.digest.extractive.log_text import tell_log
from milepost.digest.extractive.text_text import tell_code, tell_diff, tell_prose
from milepost.digest.extractive.texts import Read, Text, at_lines, opening, sentence
from milepost.digest.values import FileFacts, State

_MOST_QUESTIONS = 3
_SENTENCE = re.compile(r"(?<=\.) (?=[A-Z0-9])")

_TELL = {
    "log": tell_log,
    "csv": tell_table,
    "ndjson": tell_ndjson,
    "json": tell_tree,
    "yaml": tell_tree,
    "xml": tell_tree,
    "ini": tell_tree,
    "records": tell_tree,
    "sql": tell_sql,
    "markup": tell_prose,
    "text": tell_prose,
    "code": tell_code,
    "diff": tell_diff,
}


def conclude_summary(state: State, facts: FileFacts) -> tuple[str, tuple[str, ...]]:
    """The final text, at most 4,096 bytes of plain UTF-8, and questions worth asking next."""
    read = Read.of(state, facts)
    text = Text()
    if not facts.outline.sections:
        text.paragraph(opening(read, "An empty file" if not facts.outline.total_bytes else facts.outline.format))
        return str(text), ()
    questions = _TELL.get(facts.outline.format, tell_sections)(read, text)
    if not read.sections():
        # A part of one section: what that is, and where.
        parts = [
            f"{sentence(one.title, 100)} {at_lines(one.start_line, one.end_line)}" for one in state.entries if one.title
        ]
        text.listing("It is a part of:", parts)
        text.listing(
            "What stands out:",
            [f"{sentence(place.text)} {at_lines(place.start_line, place.end_line)}" for _, place in read.noted()[:6]],
        )
    return str(text), tuple(questions[:_MOST_QUESTIONS])


def one_line(state: State, facts: FileFacts) -> str:
    """What a part of a file holds, in one line of at most 240 bytes: for where there is no room for more."""
    paragraphs = conclude_summary(state, facts)[0].split("\n\n")
    said = _SENTENCE.split(paragraphs[0])[1:]
    said = [one for one in said if not one.startswith("What follows is about")]
    for paragraph in paragraphs[1:2]:
        lines = paragraph.splitlines()
        said.append(lines[1].removeprefix("- ") if len(lines) > 1 else lines[0])
    return clip_text(" ".join(said) or paragraphs[0], DIGEST_MAX_BYTES)
