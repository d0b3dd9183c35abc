"""How large things are once serialized, and how text is cut to a size."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from milepost.core.text import cut_text
from milepost.wire import to_json

_LINE_END = re.compile(r"\r\n|\r|\n")


def no_cursor(section: str, from_byte: int) -> str:
    """For replies whose lists cannot be gone on with."""
    return ""


def no_item_cursor(index: int) -> str:
    """For replies whose lists cannot be gone on with."""
    return ""


@dataclass(frozen=True, slots=True)
class Listing:
    """How a reply's lists are to be cut, and how a caller goes on where they were.

    `cursor_at_byte` makes the cursor that lists the children of a section ("" is the file) from a byte on, `cursor_at`
    the one that goes on with the hit or chunk of this index. `depth` and `max_nodes` bound an outline besides the
    bytes; `in_order` says that it is a page which was asked for by a cursor.
    """

    cursor_at_byte: Callable[[str, int], str] = no_cursor
    cursor_at: Callable[[int], str] = no_item_cursor
    depth: int | None = None
    max_nodes: int | None = None
    in_order: bool = False


def size_of(model: BaseModel) -> int:
    """Length of the model as JSON in UTF-8, in bytes.

    In the longer of the two spellings, snake_case: so the same request is cut in the same places on every front door.
    """
    return len(to_json(model, camel=False))


def fitting(items: Iterable[BaseModel], room: int) -> int:
    """How many of the items, from the first on, fit into a JSON array that may add `room` bytes to a reply."""
    count = 0
    for item in items:
        room -= size_of(item) + 1
        if room < -1:  # the last one needs no comma
            break
        count += 1
    return count


def notice(dropped_bytes: int) -> str:
    """What stands at the end of a text that was cut."""
    return f"[truncated: {dropped_bytes} bytes dropped, refine your query]"


def fit_text(text: str, max_bytes: int) -> str:
    """`text`, or its beginning and a notice of how much is missing, in at most `max_bytes` bytes of UTF-8.

    Where even the notice does not fit, the text is just cut.
    """
    return _fit(text, max_bytes, _plain_costs)


def fit_json_text(text: str, max_bytes: int) -> str:
    """As `fit_text`, for text inside a JSON string, of which the quotes are not counted: escapes are."""
    return _fit(text, max_bytes, _json_costs)


def _fit(text: str, max_bytes: int, costs_of: Callable[[bytes], npt.NDArray[np.int64]]) -> str:
    data = text.encode("utf-8", "replace")
    costs = np.cumsum(costs_of(data))
    if not len(data) or costs[-1] <= max_bytes:
        return text
    # The notice's length depends on the number in it, which only grows as more is dropped for it.
    dropped = 0
    while True:
        ending = notice(dropped)
        kept = _character_boundary(data, int(np.searchsorted(costs, max_bytes - len(ending), side="right")))
        if max_bytes < len(ending):
            return data[: _character_boundary(data, int(np.searchsorted(costs, max_bytes, side="right")))].decode()
        if len(notice(len(data) - kept)) <= len(ending):
            return data[:kept].decode() + notice(len(data) - kept)
        dropped = len(data) - kept


def _plain_costs(data: bytes) -> npt.NDArray[np.int64]:
    return np.ones(len(data), np.int64)


def _json_costs(data: bytes) -> npt.NDArray[np.int64]:
    """What each byte of a text takes inside a JSON string as pydantic writes it."""
    costs = np.ones(256, np.int64)
    costs[:32] = len("\\u001b")
    costs[list(b'\b\t\n\f\r"\\')] = len("\\n")
    return costs[np.frombuffer(data, np.uint8)]


def _character_boundary(data: bytes, position: int) -> int:
    """The last place at or before `position` that does not split a character of UTF-8."""
    position = max(0, position)
    while 0 < position < len(data) and data[position] & 0xC0 == 0x80:
        position -= 1
    return position


@dataclass(frozen=True, slots=True)
class CutContent:
    """The beginning of a text that was read from a file.

    `byte_count` is its length in the file; `line_ends` are counted in it, and `tail` is what follows the last of them.
    """

    text: str
    byte_count: int
    line_ends: int
    tail: str


def cut_content(content: str, encoding: str, max_json_bytes: int) -> CutContent:
    """The longest beginning of `content` that takes at most `max_json_bytes` inside a JSON string.

    It ends with a whole line; or, where not even one fits, it splits no character and no CRLF. `encoding` is the one
    that `content` was decoded from, without loss.
    """
    data = content.encode("utf-8", "replace")
    costs = np.cumsum(_json_costs(data))
    kept = _character_boundary(data, int(np.searchsorted(costs, max_json_bytes, side="right")))
    if 0 < kept < len(data) and data[kept - 1 : kept + 1] == b"\r\n":
        kept -= 1
    if kept < len(data):
        kept = max(data.rfind(b"\n", 0, kept), data.rfind(b"\r", 0, kept)) + 1 or kept
    text = data[:kept].decode()
    return _measured(text, kept if encoding in ("utf-8", "binary") else _encoded_length(text, encoding))


def cut_lossy_content(raw: bytes, encoding: str, max_json_bytes: int) -> CutContent:
    """As `cut_content`, from the bytes, where the reply has to hold both the text and the bytes in base64.

    It is cut at a character boundary, inside a line too: damaged text has no reliable lines.
    """
    codec = "utf-8" if encoding == "binary" else encoding

    def decoded(length: int) -> tuple[str, int]:
        # What the decoder still holds back is the beginning of a character that was split.
        decoder = codecs.getincrementaldecoder(codec)("replace")
        text = decoder.decode(raw[:length], final=length == len(raw))
        return text, length - (0 if length == len(raw) else len(decoder.getstate()[0]))

    def takes(length: int) -> int:
        text, length = decoded(length)
        return int(_json_costs(text.encode("utf-8", "replace")).sum()) + 4 * ((length + 2) // 3)

    low, high = 0, len(raw)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if takes(middle) <= max_json_bytes else (low, middle - 1)
    text, length = decoded(low)
    return _measured(text, length)


def _measured(text: str, byte_count: int) -> CutContent:
    ends = [match.end() for match in _LINE_END.finditer(text)]
    return CutContent(text, byte_count, len(ends), text[ends[-1] :] if ends else text)


def _encoded_length(text: str, encoding: str) -> int:
    # Not final: an encoding with shift states must not count the shift back at the end.
    return len(codecs.getincrementalencoder(encoding)("replace").encode(text))


def utf16_units(text: str) -> int:
    """How many UTF-16 code units a text has: LSP's columns."""
    return len(text) + sum(character > "\uffff" for character in text)


def shorter_path(path: str, room: int) -> str:
    """A path for a reply that has `room` bytes too little: its beginning, or nothing."""
    return cut_text(path, max(0, len(path.encode("utf-8", "replace")) + room))
