"""The final text of a walk: what a person who has not read the file wants to know first, and where it stands.

It is a function of what was carried along and of the file's outline, so that a walk that was interrupted ends in the same
words. It keeps to what was read: of a part of a file it tells what lies in that part alone.
"""

from __future__ import annotations

from milepost.digest.extractive.data_text import tell_ndjson, tell_sections, tell_sql, tell_table, tell_tree
from milepost.digest.extractive.log_text import tell_log
from milepost.digest.extractive.text_text import tell_code, tell_diff, tell_prose
from milepost.digest.extractive.texts import Read, Text, opening
from milepost.digest.values import FileFacts, State

_MOST_QUESTIONS = 3

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
    return str(text), tuple(questions[:_MOST_QUESTIONS])
