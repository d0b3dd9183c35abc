"""XML and HTML: elements to a bounded depth, small siblings grouped, failed tests first; headings and scripts of pages.

No entity is expanded: those that a document type declares are counted and that is all, so that none can do harm.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node, Problem
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.html_outline import HtmlScanner, is_html
from milepost.core.structure.xml_place import Mark, Places
from milepost.core.structure.xml_tags import Counts, read_tags
from milepost.core.structure.xml_tree import XmlTree

#: In a file of a larger class, elements smaller than a 2,048th of it are listed only in groups.
SIZE_CLASSES = (256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30, 4 << 30)
_SHARE = 2048
#: What is not complete (a tag, a declaration) is kept up to this size.
_MOST_KEPT_BYTES = 24 << 20


class XmlScanner:
    """Outlines XML, or the elements of a range inside it (`context.resume`)."""

    def __init__(self, context: Context) -> None:
        resume = context.resume
        self._is_fragment = resume is not None
        self._start = Mark(context.start_byte, context.start_line, (resume or {}).get("column") or None)
        self._builder = OutlineBuilder(context.max_nodes)
        classes = [size for size in SIZE_CLASSES if size < context.total_bytes]
        least_bytes = classes[-1] // _SHARE if classes else 0
        self._tree = XmlTree(self._builder, context.encoding, least_bytes, is_fragment=self._is_fragment)
        self._places = Places(context.start_byte, context.start_line, self._start.column or 0, context.encoding)
        self._counts = Counts()
        self._until = b""
        self._first: Mark | None = None
        self._sound_end: Mark | None = None

    def feed(self, block: Block) -> None:
        """Take the next block."""
        self._places.extend(block)
        self._read(final=False)

    def _read(self, *, final: bool) -> None:
        places = self._places
        if self._tree.fault is not None or not places.data:
            places.drop(len(places.data))
            return
        tags = read_tags(places.data, self._until, self._counts, final=final)
        if self._first is None and len(tags.begins):
            self._first = places.before(places.base + int(tags.begins[0]))
        self._tree.take(tags, places)
        self._until = tags.until
        if final and tags.used < len(places.data) and self._tree.fault is None:
            byte = places.base + tags.used
            self._tree.fault = Problem("not well-formed: the file ends inside a tag", places.line_of(byte), byte)
        if tags.used == 0 and len(places.data) > _MOST_KEPT_BYTES and self._tree.fault is None:
            self._tree.fault = Problem(
                "not well-formed: a tag that does not end", places.line_of(places.base), places.base
            )
        if self._tree.fault is not None:
            self._sound_end = places.before(self._tree.fault.byte)
        places.drop(tags.used)

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        if self._places.data:
            self._read(final=True)
        last = self._places.end(end.byte, end.line, is_range=self._is_fragment)
        fault = self._tree.fault
        self._tree.finish(self._sound_end or last)
        if self._is_fragment:
            return Findings(self._builder.finish(end.byte, end.line))
        roots = self._builder.root.children
        first = roots[0].start_byte if roots else last.byte
        nodes = [self._prolog(self._first or last)] if first > self._start.byte else []
        nodes += roots
        if self._sound_end is not None and end.byte > self._sound_end.byte:
            mark = self._sound_end
            size = end.byte - mark.byte
            node = Node("unread", f"{size:,} bytes after the fault", mark.byte, mark.line, start_column=mark.column)
            nodes.append(node)
        for node, following in itertools.pairwise(nodes):
            node.end_byte, node.end_column = following.start_byte, following.start_column
            node.end_line = following.start_line - (following.start_column is None)
        if nodes:
            nodes[-1].end_byte, nodes[-1].end_line, nodes[-1].end_column = end.byte, end.line, None
        self._builder.root.children = [node for node in nodes if node.end_byte > node.start_byte]
        if not roots and fault is None:
            fault = Problem("not well-formed: there is no element", self._start.line, self._start.byte)
        problems = [*([fault] if fault is not None else []), *self._tree.problems]
        counts = {"comments": self._counts.comments, "cdata": self._counts.cdata, "entities": self._counts.entities}
        facts: dict[str, Any] = {**self._tree.facts(), **{name: count for name, count in counts.items() if count}}
        return Findings(self._builder.finish(end.byte, end.line), tuple(problems), facts=facts)

    def _prolog(self, end: Mark) -> Node:
        """What stands before the first element."""
        kind = self._counts.doctype.decode("utf-8", "replace")
        node = Node("prolog", f"DOCTYPE {kind}" if kind else "prolog", self._start.byte, self._start.line, weight=0.2)
        if self._counts.entities:
            node.digest = f"{self._counts.entities:,} entities declared, none expanded"
            node.facts = {"entities": self._counts.entities}
        return node


_PROLOG = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[\s?]|<!DOCTYPE\s|<!--|<\?[\w-]+\s)", re.IGNORECASE)
_ELEMENT = re.compile(rb"(?:\xef\xbb\xbf)?\s*<([A-Za-z_][\w:.-]*)(?:\s[^<>]*)?/?>")
_TAG = re.compile(rb"</?[A-Za-z_][\w:.-]*(?:\s[^<>]*)?/?>")


def _sniff(sample: Sample) -> float:
    head = sample.head
    start = head[:256].lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"<") or start.startswith(b"<?php"):
        return 0.0
    tags = len(_TAG.findall(head, 0, 65536))
    if is_html(head):
        return 0.9 if tags >= 2 else 0.6
    if _PROLOG.match(head):
        return 0.95 if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:5].lower() == b"<?xml" or tags >= 2 else 0.5
    # Logs and messages may begin with a tag, too: `<6>kernel: …`, `<script> said`.
    match = _ELEMENT.match(head)
    if match is None or tags < 2:
        return 0.0
    return 0.9 if b"</" + match[1] in head or (b"</" in head and not sample.whole) else 0.0


def _scanner(context: Context) -> XmlScanner | HtmlScanner:
    resume = context.resume
    html = bool(resume.get("html")) if resume is not None else is_html(context.head)
    return HtmlScanner(context) if html else XmlScanner(context)


FORMAT = Format("xml", "XML or HTML", _sniff, _scanner, size_classes=SIZE_CLASSES)
