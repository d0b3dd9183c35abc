"""The documents that the client has open, kept as LSP defines text.

pygls' `TextDocument` splits lines with `str.splitlines`, so a form feed, NEL or U+2028 counts as a line end and every
edit behind one lands on the wrong line; it also rebuilds the whole text at every edit (0.5 to 1.5 s in 43 MB). Here a
line is ended by LF, CRLF or a lone CR, and the text is a list of pieces of some 64 Ki characters, so that an edit
touches one or two of them. Every piece but the last ends with a line end; no CRLF lies across two pieces.

Only the event loop changes a document; a `Snapshot` can be read by any thread.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from milepost.errors import InvalidParams
from milepost.lsp.position import Units, index_of_column
from milepost.uris import key_of_uri, path_of_uri

#: The length that pieces are cut to, in characters.
PIECE_CHARACTERS = 65_536

_LINE_END = re.compile(r"\r\n?|\n")


class Piece:
    """Whole lines of a text. The number of line ends is counted when first asked for."""

    __slots__ = ("_line_ends", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._line_ends = -1

    @property
    def line_ends(self) -> int:
        """How many line ends there are: LF, CRLF and lone CR."""
        if self._line_ends < 0:
            text = self.text
            count = text.count("\n")
            if "\r" in text:
                count += text.count("\r") - text.count("\r\n")
            self._line_ends = count
        return self._line_ends

    def line_span(self, line: int) -> tuple[int, int]:
        """Where the 0-based `line` of this piece starts, and where it ends without its line end."""
        text = self.text
        start = 0
        if "\r" not in text:
            for _ in range(line):
                start = text.index("\n", start) + 1
            end = text.find("\n", start)
            return start, len(text) if end < 0 else end
        for _ in range(line):
            match = _LINE_END.search(text, start)
            if match is None:
                return len(text), len(text)
            start = match.end()
        match = _LINE_END.search(text, start)
        return start, len(text) if match is None else match.start()


def cut_pieces(text: str) -> Iterator[Piece]:
    """`text` in pieces; every piece but the last ends with a line end."""
    start = 0
    while len(text) - start > 2 * PIECE_CHARACTERS:
        end = _cut(text, start + PIECE_CHARACTERS)
        if end >= len(text):
            break
        yield Piece(text[start:end])
        start = end
    yield Piece(text[start:] if start else text)


def _cut(text: str, wanted: int) -> int:
    """The end of the line that holds the character at `wanted`."""
    newline = text.find("\n", wanted)
    carriage_return = text.find("\r", wanted, newline if newline >= 0 else len(text))
    if carriage_return >= 0 and carriage_return + 1 != newline:
        return carriage_return + 1
    return newline + 1 if newline >= 0 else len(text)


#: Names one text of one document for good: how many documents were opened before it, and how many changes came since.
#: A client's version does not: it begins again when a document is closed and opened.
Revision = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The text of a document at one moment."""

    uri: str
    revision: Revision
    pieces: tuple[Piece, ...]

    @property
    def edited(self) -> bool:
        """Whether the client has sent a change since it opened the document."""
        return self.revision[1] > 0

    def texts(self) -> Iterator[str]:
        """The text in pieces: to put them together holds up every thread, which one at a time does not."""
        return (piece.text for piece in self.pieces)


class TextDocument:
    """One open document."""

    def __init__(self, uri: str, language_id: str, version: int, pieces: Iterable[Piece], units: Units) -> None:
        self.uri = uri
        self.path = _path_or_none(uri)
        self.language_id = language_id
        self.version = version
        self.opening = 0
        self._changes = 0
        self._units: Units = units
        self._pieces = list(pieces) or [Piece("")]

    def snapshot(self) -> Snapshot:
        """The text as it is now, for other threads."""
        return Snapshot(self.uri, (self.opening, self._changes), tuple(self._pieces))

    def change(self, version: int, changes: Sequence[Mapping[str, Any]]) -> None:
        """Take over the changes of one `didChange`, each as the client sent it, in order."""
        for change in changes:
            limits = change.get("range")
            if limits is None:
                self._pieces = list(cut_pieces(change["text"]))
            else:
                start = self._locate(limits["start"]["line"], limits["start"]["character"])
                end = self._locate(limits["end"]["line"], limits["end"]["character"])
                self._replace(min(start, end), max(start, end), change["text"])
        self.version = version
        self._changes += 1

    def _locate(self, line: int, column: int) -> tuple[int, int]:
        """The piece and the index in it that a position means; past the end it is the end of the document."""
        line = max(line, 0)
        last = len(self._pieces) - 1
        for number, piece in enumerate(self._pieces):
            # A line that starts at the end of a piece is the first of the next one.
            if line < piece.line_ends or (number == last and line == piece.line_ends):
                start, end = piece.line_span(line)
                return number, start + index_of_column(piece.text[start:end], max(column, 0), self._units)
            line -= piece.line_ends
        return last, len(self._pieces[last].text)

    def _replace(self, start: tuple[int, int], end: tuple[int, int], text: str) -> None:
        pieces = self._pieces
        first, last = start[0], end[0]
        text = pieces[first].text[: start[1]] + text + pieces[last].text[end[1] :]
        # Keep what every piece promises: it begins with a line, and ends with a whole line end.
        while last + 1 < len(pieces) and not (
            text.endswith("\n") or (text.endswith("\r") and not pieces[last + 1].text.startswith("\n"))
        ):
            last += 1
            text += pieces[last].text
        if first > 0 and text.startswith("\n") and pieces[first - 1].text.endswith("\r"):
            first -= 1
            text = pieces[first].text + text
        pieces[first : last + 1] = cut_pieces(text)


def _path_or_none(uri: str) -> str | None:
    try:
        return path_of_uri(uri)
    except InvalidParams:
        return None


class DocumentStore:
    """The open documents of one client, found by any spelling of their URI."""

    def __init__(self) -> None:
        self._documents: dict[str, TextDocument] = {}
        self._openings = 0

    def open(self, document: TextDocument) -> None:
        """Add a document, or take its new text where the client opens it twice."""
        self._openings += 1
        document.opening = self._openings
        self._documents[key_of_uri(document.uri)] = document

    def close(self, uri: str) -> None:
        """Forget a document."""
        self._documents.pop(key_of_uri(uri), None)

    def get(self, key: str) -> TextDocument | None:
        """The open document with this key (`key_of_uri`, `key_of_path`)."""
        return self._documents.get(key)

    def paths(self) -> dict[str, str]:
        """The paths of those that are files, by key."""
        return {key: document.path for key, document in self._documents.items() if document.path is not None}

    def __iter__(self) -> Iterator[TextDocument]:
        return iter(list(self._documents.values()))

    def __len__(self) -> int:
        return len(self._documents)
