"""Web pages: their headings, scripts and styles, tables and forms; long stretches without any in parts.

Pages are seldom well-formed, so elements are not matched: a heading's section lasts until the next of its level or a
higher one, as in a text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Any

import numpy as np

from milepost.core.outline import Node
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import table_of
from milepost.core.structure.xml_place import Mark, Places
from milepost.core.structure.xml_titles import attributes_of, plain

_LANDMARK = re.compile(
    rb"<(?:(!--|(?:h[1-6]|title|script|style|textarea|head|body|table|form)(?=[\s>/]))"
    rb"|((?:nav|main|section|article|p|div|tr|li|pre|dt|ul|ol)(?=[\s>/])))",
    re.IGNORECASE,
)
_SECOND = table_of(b"!htsbfnmapdluoHTSBFNMAPDLUO")
_LEVELS = {b"head": 1, b"body": 1, b"table": 9, b"form": 9, b"nav": 9, b"main": 9, b"section": 9, b"article": 9}
_RAW = frozenset((b"script", b"style", b"textarea"))
_TAG = re.compile(rb"<[^>]*>")
_SPACES = re.compile(rb"\s+")
#: So much without a section becomes a part.
_PART_BYTES = 32 << 10
#: A script of more bytes is listed.
_LEAST_RAW_BYTES = 512
_MOST_KEPT_BYTES = 256 << 10
_HTML = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!doctype\s+html|<html[\s>])",
    re.I | re.S,
)
_TAGS = re.compile(rb"</?(head|body|table|div|p|a|br|span|td|tr|ul|li|font|h[1-6]|script|img)\b", re.I)


def is_html(head: bytes) -> bool:
    """Whether a text is a web page rather than XML."""
    return bool(_HTML.match(head[:4096])) or (b"<?xml" not in head[:200] and _has_tags(head[:16384]))


def _has_tags(head: bytes) -> bool:
    found = [name.lower() for name in _TAGS.findall(head)]
    return len(found) >= 5 and len(set(found)) >= 3


class HtmlScanner:
    """Outlines a web page, or a range inside one (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        resume = context.resume
        column = (resume or {}).get("column") or None
        self._builder = OutlineBuilder(context.max_nodes)
        self._encoding = context.encoding
        self._places = Places(context.start_byte, context.start_line, column or 0, context.encoding)
        self._levels: list[int] = []
        #: The level of the section that is only counted and lasts still, if there is one.
        self._hidden_level: int | None = None
        self._begun = context.start_byte
        self._until = b""
        self._raw: tuple[Mark, bytes, int, bytes] | None = None
        self._counts = {"headings": 0, "scripts": 0}
        self._page: Node | None = None
        if resume is None:
            self._page = Node("page", "page", context.start_byte, context.start_line, weight=0.6)
            self._page.resume = {"html": True, "column": 0}
            self._begin(0, self._page)

    def feed(self, block: Block) -> None:
        """Take the next block."""
        self._places.extend(block)
        self._read(final=False)

    def _read(self, *, final: bool) -> None:
        data, position = self._places.data, 0
        size = len(data)
        array = np.frombuffer(data, np.uint8)
        places = np.flatnonzero(array == 60)
        places = places[_SECOND[array[np.minimum(places + 1, max(size - 1, 0))]]] if size else places
        for place in places.tolist():
            if self._until:
                end = _find_any_case(data, self._until, position)
                if end < 0:
                    break
                position = self._end_raw(end)
            if place < position:
                continue
            match = _LANDMARK.match(data, place)
            if match is not None and (match[2] is None or self._places.base + place - self._begun > _PART_BYTES):
                stop = self._take(match, final=final)
                if stop < 0:
                    self._places.drop(place)
                    return
                position = stop
        if self._until:
            end = _find_any_case(data, self._until, position)
            if end >= 0:
                position = self._end_raw(end)
        # The last bytes may be the beginning of a tag.
        self._places.drop(size if final else max(position, size - 16))

    def _take(self, match: re.Match[bytes], *, final: bool) -> int:
        """Look at a tag; returns where to go on, or -1 where more is needed to understand it."""
        data, start = self._places.data, match.start()
        name = (match[1] or match[2]).lower()
        if name == b"!--":
            self._until = b"-->"
            return match.end()
        tag_end = data.find(b">", match.end())
        if tag_end < 0:
            return match.end() if final or len(data) - start > _MOST_KEPT_BYTES else -1
        if name in _RAW:
            self._until = b"</" + name
            self._raw = (self._places.before(self._places.base + start), name, self._places.base + tag_end + 1, b"")
            head = data[start : tag_end + 1], data[tag_end + 1 : tag_end + 400]
            self._raw = (*self._raw[:3], self._raw_title(name, *head))
            return tag_end + 1
        if name == b"title" or (len(name) == 2 and name[:1] == b"h" and name[1:].isdigit()):
            end = _find_any_case(data, b"</" + name, tag_end)
            if end < 0:
                if not final and len(data) - start < _MOST_KEPT_BYTES:
                    return -1
                end = min(tag_end + 300, len(data))
            text = self._text(data[tag_end + 1 : min(end, tag_end + 4000)])
            if name == b"title":
                if self._page is not None and text:
                    self._page.title = text
            else:
                self._counts["headings"] += 1
                level = int(name[1:])
                self._add(start, level + 1, "heading", text or "(heading without text)", {"level": level})
            return end
        level = _LEVELS.get(name, 10)
        far = self._places.base + start - self._begun > _PART_BYTES
        if name in (b"head", b"body"):
            self._add(start, level, "part", name.decode(), {})
        elif level == 9:
            attributes = attributes_of(data[start : tag_end + 1])
            label = next(
                (attributes[key] for key in (b"id", b"aria-label", b"name", b"class") if attributes.get(key)), b""
            )
            text = self._text(data[tag_end + 1 : tag_end + 1500])
            title = name.decode() + (" " + self._decoded(plain(label)) if label else "")
            self._add(start, level, "table" if name == b"table" else "part", title, {}, text)
        elif far:
            text = self._text(data[tag_end + 1 : tag_end + 1500])
            self._add(start, level, "part", text or name.decode(), {})
        return tag_end + 1

    def _add(self, start: int, level: int, kind: str, title: str, facts: dict[str, Any], digest: str = "") -> None:
        mark = self._places.before(self._places.base + start)
        node = Node(kind, title, mark.byte, mark.line, start_column=mark.column, digest=digest[:300], facts=facts)
        depth = bisect_left(self._levels, level)
        if depth > 1 and self._builder.is_crowded(depth):
            # There is no room for it: what it is in counts it, and lists it when it is expanded.
            self._close(level, mark)
            if self._hidden_level is None or level <= self._hidden_level:
                self._hidden_level = level
                self._builder.current.hidden += 1
            self._begun = mark.byte
            return
        self._hidden_level = None
        node.weight = max(0.25, 0.6 - 0.05 * level)
        node.resume = {"html": True, "column": mark.column or 0}
        self._close(level, mark)
        self._begin(level, node)

    def _begin(self, level: int, node: Node) -> None:
        self._builder.open(node)
        self._levels.append(level)
        self._begun = node.start_byte

    def _close(self, level: int, mark: Mark) -> None:
        while self._levels and self._levels[-1] >= level:
            self._levels.pop()
            self._builder.current.end_column = mark.column
            self._builder.close(mark.byte, mark.line if mark.column is not None else mark.line - 1)

    def _raw_title(self, name: bytes, tag: bytes, inside: bytes) -> bytes:
        source = attributes_of(tag).get(b"src") or attributes_of(tag).get(b"id") or b""
        first = next((line.strip() for line in inside.split(b"\n") if line.strip()), b"")
        return name + b" " + (source or first[:120])

    def _end_raw(self, end: int) -> int:
        """A script, style or comment ends at `end`."""
        data = self._places.data
        until, self._until = self._until, b""
        if until == b"-->" or self._raw is None:
            return end + len(until)
        mark, name, inside_from, title = self._raw
        self._raw = None
        stop = data.find(b">", end) + 1 or len(data)
        size = self._places.base + end - inside_from
        if size >= _LEAST_RAW_BYTES:
            self._counts["scripts"] += 1
            last = self._places.after(self._places.base + stop)
            node = Node("script" if name != b"style" else "style", self._decoded(title), mark.byte, mark.line)
            node.end_byte, node.end_column = last.byte, last.column
            node.end_line = last.line if last.column is not None else last.line - 1
            node.start_column = mark.column
            node.digest = f"{size:,} bytes"
            self._builder.leaf(node)
            self._begun = last.byte
        return stop

    def _text(self, data: bytes) -> str:
        return self._decoded(plain(_SPACES.sub(b" ", _TAG.sub(b" ", data)).strip()))[:300]

    def _decoded(self, text: bytes) -> str:
        return text.decode(self._encoding, "replace")

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        self._read(final=True)
        mark = self._places.end(end.byte, end.line, is_range=self._page is None)
        self._close(-1, mark)
        return Findings(self._builder.finish(end.byte, end.line), facts={"kind": "html", **self._counts})


def _find_any_case(data: bytes, text: bytes, start: int) -> int:
    """Where `text` stands, as it is or in capitals."""
    place = data.find(text, start)
    other = data.find(text.upper(), start, place if place >= 0 else len(data))
    return other if other >= 0 else place
