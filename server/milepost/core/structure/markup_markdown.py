"""Markdown: the headings that CommonMark sees at the top level of a document.

A line that starts in column 0 and is a heading ends every list and quotation, so only fences, HTML blocks and front matter
at the top level can hide it. For lines indented by one to three blanks the lines before decide whether they belong to a
list item. See https://spec.commonmark.org/0.31.2/ for the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.markup_base import LOOK_BACK_LINES, Heading, LookBack, squeezed
from milepost.core.structure.markup_fences import MOST_LINES, Fences

_CANDIDATES = table_of(b"#`~=-<")
_ALONE = table_of(b"#<")
_UNDERLINE = table_of(b"=-")
_FENCE_CHARS = b"`~"
_FENCES = table_of(_FENCE_CHARS)
_BLANK = table_of(b"\r\n")
_SPACE = 32
_ATX = re.compile(rb" {0,3}(#{1,6})(?:[ \t]+(.*))?$", re.DOTALL)
_CLOSING = re.compile(rb"(?:^|[ \t]+)#+[ \t]*$")
_SETEXT = re.compile(rb" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(rb" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_LIST_ITEM = re.compile(rb"( {0,3})(?:[-+*]|\d{1,9}[.)])( {1,4}(?=\S)|[ \t]|$)")
_INTERRUPTING_ITEM = re.compile(rb" {0,3}(?:[-+*]|1[.)])[ \t]+\S")
_BREAK = re.compile(rb" {0,3}(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_REFERENCE = re.compile(rb" {0,3}\[[^\]]+\]:\s*\S+(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^)]*\)))?\s*$")
_QUOTE = re.compile(rb" {0,3}>")
_HTML_RAW = re.compile(rb" {0,3}<(script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_HTML_BLOCK = re.compile(
    rb" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|"
    rb"div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|"
    rb"main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|"
    rb"title|tr|track|ul)(?=\s|/?>|$)",
    re.IGNORECASE,
)
_ATTRIBUTE = rb"(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'|\"[^\"]*\"))?)"
_HTML_TAG = re.compile(rb" {0,3}(?:<[A-Za-z][A-Za-z0-9-]*" + _ATTRIBUTE + rb"*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$")
_KEY = re.compile(rb"[\w\"'-][\w .\"'-]*:(?:\s|$)|#")


class Markdown:
    """Finds ATX and Setext headings. State: the fence or HTML block that is open, and how it ends."""

    name = "markdown"

    def __init__(self, state: dict[str, Any], *, at_start: bool) -> None:
        #: How the open block ends: "fence:````", "text:-->", "blank", "front", or "" where none is open.
        self._until = str(state.get("until", ""))
        self._look_back = LookBack()
        self._floor = 0
        self._at_start = at_start

    def resume(self) -> dict[str, Any]:
        """The open block."""
        return {"dialect": self.name, **({"until": self._until} if self._until else {})}

    def title(self, raw: bytes) -> bytes:
        """What follows the `#` of a heading, without those that close it."""
        return squeezed(_CLOSING.sub(b"", raw)) or b"#"

    def read(self, view: LineView) -> Iterator[Heading]:
        """The headings of the next view."""
        position = 0
        if self._at_start and view.size:
            self._at_start = False
            if view.text(0).removeprefix(b"\xef\xbb\xbf") == b"---" and view.size > 1 and _KEY.match(view.text(1)):
                self._until = "front"
                yield Heading(0, level=9, title=b"front matter", kind="front_matter")
                position = 1
        firsts = view.first_bytes()
        candidates = _candidates(view, firsts)
        fences = Fences(view, candidates, firsts)
        heads = view.heads
        if self._until:
            position = self._skip_fence(view, fences, position) if self._in_fence else self._skip(view, position)
            yield Heading(position)
        at = 0
        while True:
            # An array is searched where much is passed; as a rule the next one is that behind the last.
            if at < len(candidates) and candidates.item(at) < position:
                at += 1
                if at < len(candidates) and candidates.item(at) < position:
                    at = int(candidates.searchsorted(position))
            if at == len(candidates):
                break
            index = candidates.item(at)
            row = fences.row(index, heads.item(index)) if heads.item(index) in _FENCE_CHARS else None
            if row is not None:
                for line, floor in zip(row.lines, row.floors, strict=True):
                    self._floor = max(self._floor, view.number(floor) + 1)
                    heading = self._look(view, line)
                    if heading is not None:
                        yield heading
                self._floor = view.number(row.closing) + 1
                position = row.closing + 1
                continue
            position = index + 1
            heading = self._look(view, index)
            if heading is not None:
                yield heading
            opened = self._until
            if opened:
                position = self._skip_fence(view, fences, position) if self._in_fence else self._skip(view, index)
                left = self._until
                if left or position - index > MOST_LINES:
                    # Parts of the text may begin inside the block, and behind it.
                    self._until = opened
                    yield Heading(index)
                    self._until = left
                    yield Heading(position)
        self._look_back.keep(view)

    @property
    def _in_fence(self) -> bool:
        return self._until.startswith("fence:")

    def _skip_fence(self, view: LineView, fences: Fences, position: int) -> int:
        """The line after the fence that closes the open one."""
        fence = self._until[6:].encode()
        index = fences.closing(fence, position)
        if index < 0:
            return view.size
        self._until = ""
        self._floor = view.number(index) + 1
        return index + 1

    def _look(self, view: LineView, index: int) -> Heading | None:
        """What a line that is in no open block begins."""
        text = view.text(index)
        if text[:1] == b"#":
            match = _ATX.match(text)
            if match is None:
                return None
            self._floor = view.number(index) + 1
            return Heading(index, level=len(match[1]), raw=match[2] or b"#")
        stripped = text.lstrip(b" ")
        first = stripped[:1]
        indent = len(text) - len(stripped)
        if first == b"#":
            match = _ATX.match(text)
            if match is None or (indent and self._in_list(view, index, indent)):
                return None
            self._floor = view.number(index) + 1
            return Heading(index, level=len(match[1]), raw=match[2] or b"#")
        if first in b"=-":
            match = _SETEXT.match(text)
            return self._setext(view, index, match[1]) if match is not None else None
        if first in b"`~":
            match = _FENCE.match(text)
            if match is not None and not (indent and self._in_list(view, index, indent)):
                self._until = f"fence:{match[1].decode()}"
        elif not (indent and self._in_list(view, index, indent)):
            self._until = self._html(view, index, text)
        return None

    def _html(self, view: LineView, index: int, text: bytes) -> str:
        """How the HTML block ends that begins here; empty if none does."""
        stripped = text.lstrip(b" ")
        raw = _HTML_RAW.match(text)
        if raw is not None:
            return f"text:</{raw[1].decode().lower()}>"
        if stripped.startswith(b"<!--"):
            return "text:-->"
        if stripped.startswith(b"<![CDATA["):
            return "text:]]>"
        if stripped.startswith(b"<?"):
            return "text:?>"
        if stripped.startswith(b"<!") and stripped[2:3].isalpha():
            return "text:>"
        if _HTML_BLOCK.match(text):
            return "blank"
        if _HTML_TAG.match(text):
            before = self._look_back.before(view, index, 1)
            # This kind cannot interrupt a paragraph.
            if before is None or not before.text.strip() or before.line < self._floor:
                return "blank"
        return ""

    def _skip(self, view: LineView, index: int) -> int:
        """Find where the open block ends, from `index` on; returns the line after it."""
        until = self._until
        if until.startswith("text:"):
            end = until[5:].encode()
            data = view.data
            start = int(view.starts[index]) if index < view.size else len(data)
            if end in (b"-->", b"?>"):
                start += len(data[start : start + 8]) - len(data[start : start + 8].lstrip(b" <!?"))
            found = data.find(end, start) if end.startswith((b"-", b"]", b"?", b">")) else _find_tag(data, end, start)
            if found < 0:
                return view.size
            index = int(np.searchsorted(view.starts, found, side="right"))
        else:
            ended = False
            while index < view.size and not ended:
                text = view.text(index)
                ended = text.rstrip() in (b"---", b"...") if until == "front" else not text.strip()
                index += 1
            if not ended:
                return index
        self._until = ""
        self._floor = view.number(index)
        return index

    def _setext(self, view: LineView, index: int, underline: bytes) -> Heading | None:
        """The paragraph above an underline, if there is one."""
        lines = []
        for steps in range(1, LOOK_BACK_LINES):
            before = self._look_back.before(view, index, steps)
            if before is None or before.line < self._floor or not before.text.strip():
                break
            text = before.text
            if _QUOTE.match(text) or _BREAK.match(text) or _ATX.match(text):
                # The paragraph goes on lazily inside a quotation, or ends here.
                if _QUOTE.match(text):
                    return None
                break
            if _LIST_ITEM.match(text):
                above = self._look_back.before(view, index, steps + 1)
                continues = above is not None and above.text.strip() and above.line >= self._floor
                if not continues or _INTERRUPTING_ITEM.match(text):
                    return None
            lines.append(before)
        while lines and lines[-1].text.startswith((b"    ", b"\t")):
            lines.pop()  # indented code
        if not lines or all(_REFERENCE.match(line.text) for line in lines):
            return None
        indent = len(lines[-1].text) - len(lines[-1].text.lstrip(b" "))
        steps = len(lines)
        if indent and self._in_list(view, index - steps, indent):
            return None
        self._floor = view.number(index) + 1
        title = squeezed(b" ".join(line.text.strip() for line in reversed(lines)))
        first = lines[-1]
        return Heading(index - steps, first.byte, first.line, 1 if underline[:1] == b"=" else 2, title)

    def _in_list(self, view: LineView, index: int, indent: int) -> bool:
        """Whether a line that is indented by one to three blanks belongs to a list item."""
        for steps in range(1, LOOK_BACK_LINES):
            before = self._look_back.before(view, index, steps)
            if before is None:
                return False
            text = before.text
            if not text.strip():
                continue
            item = _LIST_ITEM.match(text)
            if item is not None and not _BREAK.match(text) and len(item[0]) <= indent:
                return True
            if item is None and not text.startswith(b" "):
                return False
        return False


def _find_tag(data: bytes, tag: bytes, start: int) -> int:
    """Where a closing tag stands, in lower or upper case."""
    places = [one for one in (data.find(tag, start), data.find(tag.upper(), start)) if one >= 0]
    return min(places) if places else -1


def _candidates(view: LineView, firsts: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """The lines that may begin something: by their first bytes, and for those in column 0 by the next ones too."""
    indexes = np.flatnonzero(_CANDIDATES[firsts])
    head = view.heads[indexes]
    array, last = view.block.array, len(view.data) - 1
    second = array[np.minimum(view.starts[indexes] + 1, last)]
    third = array[np.minimum(view.starts[indexes] + 2, last)]
    # A fence is three of its characters at least; an underline may be one, with blanks after it.
    same = (second == head) & (~_FENCES[head] | (third == head))
    plain = _ALONE[head] | same | (head != firsts[indexes])
    short = (
        _UNDERLINE[head] & (_BLANK[second] | (second == _SPACE)) & (_BLANK[second] | _BLANK[third] | (third == _SPACE))
    )
    found: npt.NDArray[np.int64] = indexes[plain | short]
    return found
