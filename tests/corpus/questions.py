"""The questions of questions.toml, with the lines that answer them and the rules they were written by.

Nothing here uses Milepost's own words, stems or line counting, so that a fault there cannot hide itself.
"""

from __future__ import annotations

import hashlib
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from big_files import cache_folder, listed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TABLE = Path(__file__).with_name("questions.toml")
BIG = "big:"

#: Found when this is loaded, since each test gets a home of its own.
CACHE = cache_folder()

#: Words that say how is asked, not what is asked for.
_ASKING_TEXT = """a about after again all also among an and any are as at be been before being big by came can come comes
 could did do does each else ever far fast for from get go goes going gone got had happen happened happens
 has have how i if in into is it its just least less long made make makes many may me might more most much
 must my no not now of off often on once one only or other others our out over own s same she he should
 since so some still such t take takes than that the their them then there these they this those to too took
 up us use used was we went were what when where which while who whose why will with without would you your
 until last"""
_ASKING = frozenset(_ASKING_TEXT.split())
_WORD = re.compile(r"[A-Za-z]+|\d+")
_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One of the table. `answers` are ranges of lines, any of which answers; an `absent` one has none.

    `says` is a number that the answer must state. `held_out` ones are measured and never looked at while tuning.
    """

    kind: Literal["question", "build", "absent"]
    file: str
    format: str
    ask: str
    answers: tuple[tuple[int, int], ...] = ()
    guard: str = ""
    says: str = ""
    held_out: bool = False

    def path(self, corpus: Path) -> Path | None:
        """Where the file is; None for a big file that nobody has fetched."""
        if not self.file.startswith(BIG):
            return corpus / self.file
        wanted = CACHE / self.file.removeprefix(BIG)
        return next((place for one in listed() if (place := one.place(CACHE)) == wanted and place.is_file()), None)

    def is_answered_by(self, start_line: int, end_line: int) -> bool:
        """Whether a quoted range holds a line that answers."""
        return any(start_line <= last and first <= end_line for first, last in self.answers)


def asked() -> tuple[AskedQuestion, ...]:
    """All of the table."""
    table: dict[str, list[dict[str, Any]]] = tomllib.loads(TABLE.read_text("utf-8"))
    return tuple(
        AskedQuestion(kind=kind, answers=tuple(map(_range, entry.pop("lines", ()))), **entry)
        for kind in ("question", "build", "absent")
        for entry in table[kind]
    )


def _range(value: int | str) -> tuple[int, int]:
    if isinstance(value, int):
        return value, value
    first, last = value.split("-")
    return int(first), int(last)


def lines_of(path: Path) -> list[bytes]:
    """The lines of a file, ended by LF, CRLF or a lone CR, in UTF-8."""
    data = path.read_bytes()
    if data[1:80:2].count(0) > 30:
        data = data.decode("utf-16" if data[:2] == b"\xff\xfe" else "utf-16-le", "replace").encode()
    return _LINE_END.split(data)


def guard_of(lines: list[bytes], answers: tuple[tuple[int, int], ...]) -> str:
    """The hash of the lines that answer."""
    targets = [line for first, last in answers for line in lines[first - 1 : last]]
    return hashlib.sha256(b"\n".join(targets)).hexdigest()[:16]


def belongs_to_held_out(question: AskedQuestion) -> bool:
    """The rule, fixed before anything was tuned: a third, by a hash."""
    return hashlib.sha256(f"{question.file}\n{question.ask}".encode()).digest()[0] % 3 == 0


def words_of(text: str) -> set[str]:
    """The words of a text in lower case, those inside identifiers too."""
    text = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text)
    text = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", text)
    return {word.lower() for word in _WORD.findall(text)}


def content_words(question: str) -> set[str]:
    """The words that say what is asked for."""
    return {word for word in words_of(question) if word not in _ASKING and (len(word) > 1 or word.isdigit())}


def is_same_word(one: str, other: str) -> bool:
    """Whether two words are forms of one. Generous, so that few pass for different: five letters at the start suffice."""
    if one == other:
        return True
    shorter = min(len(one), len(other))
    if shorter < 4 or one.isdigit() or other.isdigit():
        return False
    return one[: min(shorter, 5)] == other[: min(shorter, 5)]


def shared_words(question: str, lines: list[bytes]) -> set[str]:
    """The content words of a question that occur in any of the lines, in any form."""
    wanted = content_words(question)
    return {
        word
        for line in lines
        for found in words_of(line.decode("utf-8", "replace"))
        for word in wanted
        if is_same_word(word, found)
    }
