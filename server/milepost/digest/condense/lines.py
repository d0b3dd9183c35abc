"""A chunk by its lines, with what of them may be shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from milepost.core.lines import line_starts
from milepost.core.logs.ansi import strip_ansi
from milepost.core.text import cut_text, plain_text
from milepost.digest.condense.view import ByteRange, ViewKind, ViewLine, clipped
from milepost.digest.values import ChunkText

Mask = Callable[[str], str]
"""Takes secrets out of a text; lines stay lines."""

#: A line is decoded and looked at as far as this.
LINE_BYTES = 4096

#: Base64, hexadecimal and the like, longer than any name.
_BLOB = re.compile(r"[A-Za-z0-9+/_=-]{97,}|(?:[0-9a-fA-F]{2}[ :]){40,}")
_BLOB_SHOWN = 24
#: UUIDs, hashes, request ids.
_ID = re.compile(r"\b(?=[0-9a-f-]*\d)[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12,}\b")
_ID_SHOWN = 8
_PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----")
_PRIVATE_KEY_END = b"-----END "
_HIDDEN_LINE = b"[private key]"
_PRIVATE_KEY_LINES = 400


class ChunkLines:
    """The lines of a chunk by index: their bytes for the code that compares them, their text for the reader.

    Where `mask` takes something out, both are without it. Lines come without their ends; a chunk that begins or ends
    inside a line begins or ends with a part of one.
    """

    def __init__(self, chunk: ChunkText, mask: Mask) -> None:
        self.chunk = chunk
        self.first_line = chunk.chunk.start_line
        self.starts: list[int] = [*line_starts(chunk.data).tolist(), len(chunk.data)]
        self.count = len(self.starts) - 1
        self._mask = mask
        self._masked: dict[int, bytes] = {}
        self._encoding = chunk.encoding.name if chunk.encoding.is_ascii_superset else "utf-8"
        text = chunk.decoded(chunk.data)
        masked = mask(text)
        if masked != text:
            self._take_out(text, masked)

    def _take_out(self, text: str, masked: str) -> None:
        """Note which lines are shown otherwise than they are."""
        key_ends = 0
        for index in range(self.count):
            line = self._raw(index)
            if index < key_ends:
                key_ends = 0 if line.lstrip().startswith(_PRIVATE_KEY_END) else key_ends
                self._masked[index] = _HIDDEN_LINE
                continue
            shown_line = self._mask(self.decode(line))
            if shown_line != self.decode(line):
                self._masked[index] = shown_line.encode(self._encoding, "replace").replace(b"\n", b" ")
            if _PRIVATE_KEY.search(line):
                key_ends = index + _PRIVATE_KEY_LINES
        if not self._masked:
            # A secret that no line shows by itself: hide all lines from where the texts part to where they meet again.
            whole, hidden = text.encode(self._encoding, "replace"), masked.encode(self._encoding, "replace")
            start = len(common_beginning((whole, hidden)))
            end = len(whole) - len(common_beginning((whole[start:][::-1], hidden[start:][::-1])))
            for index in range(self.count):
                if self.starts[index] < end and self.starts[index + 1] > start:
                    self._masked[index] = b"[secret]"

    def _raw(self, index: int) -> bytes:
        return self.chunk.data[self.starts[index] : self.starts[index + 1]].rstrip(b"\r\n")

    def is_masked(self, index: int) -> bool:
        """Whether a secret was taken out of a line."""
        return index in self._masked

    def line(self, index: int) -> bytes:
        """A line's head as it is compared: masked, without escape sequences and line end, in the chunk's encoding."""
        masked = self._masked.get(index) if self._masked else None
        if masked is None:
            start, end = self.starts[index], self.starts[index + 1]
            masked = self.chunk.data[start : min(end, start + LINE_BYTES)].rstrip(b"\r\n")
        return strip_ansi(masked) if b"\x1b" in masked or b"\r" in masked or b"\x08" in masked else masked

    def lines(self) -> list[bytes]:
        """All lines, as `line` gives them."""
        return [self.line(index) for index in range(self.count)]

    def size(self, index: int) -> int:
        """How many bytes a line has in the file, its end included."""
        return self.starts[index + 1] - self.starts[index]

    def number(self, index: int) -> int:
        """The 1-based number of a line in the file."""
        return self.first_line + index

    def decode(self, data: bytes) -> str:
        """A part of a line as text."""
        return data.decode(self._encoding, "replace")

    def text(self, index: int, max_bytes: int) -> str:
        """A line as it is shown: long strings without blanks clipped, and the whole to `max_bytes`."""
        masked = self._masked.get(index) if self._masked else None
        data = self._raw(index) if masked is None else masked
        if b"\x1b" in data or b"\r" in data or b"\x08" in data:
            data = strip_ansi(data)
        looked_at = max(LINE_BYTES, max_bytes)
        return shown(self.decode(data[:looked_at]), max_bytes, unseen=max(0, len(data) - looked_at))

    def ranges(self, indexes: list[int]) -> tuple[ByteRange, ...]:
        """The byte ranges of lines (in order), neighbours joined."""
        found: list[ByteRange] = []
        begin = end = -1
        for index in indexes:
            start = self.starts[index]
            if start != end:
                if end >= 0:
                    found.append((begin, end))
                begin = start
            end = self.starts[index + 1]
        if end >= 0:
            found.append((begin, end))
        return tuple(found)

    def verbatim(self, index: int, max_bytes: int) -> ViewLine:
        """The view line of one line as it is."""
        number = self.number(index)
        return ViewLine(self.text(index, max_bytes), number, number, 1, self.ranges([index]))

    def folded(
        self, indexes: list[int], text: str, count: int = 0, kind: Literal["repeat", "body"] = "repeat"
    ) -> ViewLine:
        """One view line for several lines; `count` where these are counted otherwise than by lines."""
        shown_kind: ViewKind = kind if len(indexes) > 1 else "text"
        return ViewLine(
            text,
            self.number(indexes[0]),
            self.number(indexes[-1]),
            count or len(indexes),
            self.ranges(indexes),
            shown_kind,
        )


def shown(text: str, max_bytes: int, *, brief: bool = False, unseen: int = 0) -> str:
    """A text as it is shown: on one line, its indent kept, strings without blanks clipped, and the whole to `max_bytes`.

    `brief` clips ids too, which are dear and tell little. `unseen` is how many bytes follow that are not in `text`.
    """
    # The whole first: so each number of bytes that is told is one of the text itself.
    text = clipped(plain_text(text.rstrip().expandtabs(2)), max_bytes, unseen)
    if len(text) > 97:
        text = _BLOB.sub(_clip_blob, text)
    return _ID.sub(_clip_id, text) if brief else text


def _clip_id(match: re.Match[str]) -> str:
    name = match.group()
    return f"{name[:_ID_SHOWN]}[+{len(name) - _ID_SHOWN} bytes]"


def _clip_blob(match: re.Match[str]) -> str:
    blob = match.group()
    if blob.count("/") > len(blob) // 24 or blob.count("-") + blob.count("_") > len(blob) // 12:
        return blob  # a path, a rule, a long name
    return f"{cut_text(blob, _BLOB_SHOWN)}[+{len(blob) - _BLOB_SHOWN:,} bytes]"


def common_beginning(values: Sequence[bytes]) -> bytes:
    """What all values begin with."""
    low, high = min(values), max(values)
    for place, (one, other) in enumerate(zip(low, high, strict=False)):
        if one != other:
            return low[:place]
    return low if len(low) <= len(high) else high
