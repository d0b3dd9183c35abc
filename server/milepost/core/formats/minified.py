"""Minified and bundled JavaScript and CSS: statements, members and modules inside lines that no one can read.

Strings, templates, regular expressions and comments are told first, so that no cut lies within one; then all brackets of
a block are matched at once, and only those around much are looked at one by one.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from milepost.core.formats.base import Format, Sample
from milepost.core.minified.brackets import depths_at, events_of
from milepost.core.minified.labels import MODULE, module_name, source_map
from milepost.core.minified.spans import TextSpans
from milepost.core.minified.tree import CodeTree
from milepost.core.outline import Node, Problem
from milepost.core.outline_builder import OutlineBuilder
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.json_place import Lines, Mark

#: A file of a larger class is outlined less finely.
SIZE_CLASSES = (256 << 10, 2 << 20, 16 << 20, 128 << 20)
_LEAST_BYTES = (1 << 10, 2 << 10, 8 << 10, 32 << 10, 256 << 10)
_MAP_TAIL_BYTES = 4096
_BUNDLERS = (
    ("webpack", (b"webpackChunk", b"webpackJsonp", b"__webpack_require__", b'"Automatic publicPath')),
    ("browserify", (b"Cannot find module '\"+", b"[function(require,module,exports)")),
    ("esbuild", (b"__commonJS", b"__toESM", b'Dynamic require of "')),
)


class MinifiedScanner:
    """Outlines a minified script or style sheet, or a range of one."""

    def __init__(self, context: Context) -> None:
        resume = context.resume or {}
        self._context = context
        kind = "" if resume else _kind_of(context.head)
        is_css = kind == "css" or (kind != "js" and context.name.lower().endswith(".css"))
        self._style_sheet = bool(resume.get("style_sheet", is_css))
        least = _LEAST_BYTES[sum(1 for size in SIZE_CLASSES if size < context.total_bytes)]
        column = int(resume.get("column", 0))
        start = Mark(context.start_byte, context.start_line, column or None)
        self._spans = TextSpans(style_sheet=self._style_sheet)
        self._tree = CodeTree(start, least, context.encoding, style_sheet=self._style_sheet)
        self._builder = OutlineBuilder(context.max_nodes, max(128, context.max_nodes // 4))
        self._units, self._line_start = column, context.start_byte
        self._end = start
        self._tail = b""
        self._bundlers: set[str] = set()

    def feed(self, block: Block) -> None:
        """Take the next block."""
        data, array = block.data, block.array
        starts = block.starts + block.start
        if block.starts_line and len(starts):
            starts, line_start = starts[1:], block.start
            units = 0
        else:
            line_start, units = self._line_start, self._units
        lines = Lines(data, block.start, block.first_line, units, starts, line_start, self._context.encoding)
        masked = self._spans.mask(data)
        depth = self._tree.depth
        events = events_of(array, masked, depth, self._tree.least_bytes, style_sheet=self._style_sheet)
        modules: list[tuple[int, int, bytes]] = []
        if not self._style_sheet:
            found = [match for match in MODULE.finditer(data) if not (match.start() and masked[match.start() - 1])]
            places = np.asarray([match.start() for match in found], np.int64)
            depths = depths_at(array, masked, depth, places).tolist() if found else []
            modules = [(match.start(), at, module_name(match)) for match, at in zip(found, depths, strict=True)]
            for name, signs in _BUNDLERS:
                if name not in self._bundlers and any(sign in data for sign in signs):
                    self._bundlers.add(name)
        self._tree.take(data, lines, events, modules)
        self._take_nodes()
        start = lines.line_and_start(block.end)[1]
        is_next = data.endswith((b"\n", b"\r"))
        self._line_start = block.end if is_next else start
        self._units = 0 if is_next else lines.column(block.end, start)
        last_line = block.first_line + len(starts)
        self._end = Mark(block.end, last_line + 1 if is_next else last_line, None if is_next else self._units)
        self._tail = (self._tail + data[-_MAP_TAIL_BYTES:])[-_MAP_TAIL_BYTES:]

    def _take_nodes(self) -> None:
        """Enter the nodes of the outermost level that are complete."""
        for node in self._tree.top:
            self._enter(node)
        self._tree.top.clear()

    def _enter(self, node: Node) -> None:
        children, node.children = node.children, []
        if not children:
            self._builder.leaf(node)
            return
        self._builder.open(node)
        for child in children:
            self._enter(child)
        self._builder.close(node.end_byte, node.end_line)

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        left = self._tree.finish(self._end)
        self._take_nodes()
        sections = self._builder.finish(end.byte, max(end.line, 1))
        facts: dict[str, Any] = {"language": "CSS" if self._style_sheet else "JavaScript"}
        if self._tree.modules:
            facts["modules"] = self._tree.modules
        if self._bundlers:
            facts["bundler"] = sorted(self._bundlers)[0] if len(self._bundlers) == 1 else sorted(self._bundlers)
        named = source_map(self._tail)
        if named is not None:
            is_data = named.startswith(b"data:")
            facts["source_map"] = "inline" if is_data else named[:200].decode("utf-8", "replace")
        problems: tuple[Problem, ...] = ()
        is_whole = self._context.resume is None and end.byte >= self._context.total_bytes
        if left and is_whole:
            problems = (Problem(f"{left:,} brackets are not closed", max(end.line, 1), end.byte),)
        return Findings(sections, problems, facts=facts)


_LONG_LINE = 400
_SCRIPT_WORDS = re.compile(
    rb"\b(?:function|return|var(?!\()|const|let|this|typeof|void 0|null|new|else|if)\b|=>|!0|!1|&&|==="
)
_STYLES = re.compile(rb"\{[\w-]+:[^{}]*\}")
_NO_SELECTOR = re.compile(rb"[{}\"';]")
_SELECTOR_BYTES = 300
_SCRIPT_START = re.compile(
    rb"(?:[!;+]?\(?(?:async )?function\b|[!;]?\(\(?[\w$, ]*\)?=>|[\"']use strict[\"']|(?:var|let|const) [\w${\[]"
    rb"|import[ {*\"]|export[ {*]|(?:self|window|globalThis|module|exports)[.\[])"
)
_DATA = re.compile(rb"(?:[\w$.]+\(|(?:var |let |const )?[\w$.]+\s*=\s*|export default)[\[{\"]")
_PUNCTUATION = np.zeros(256, np.bool_)
_PUNCTUATION[list(b"(){}[];=,.:?!&|")] = True
_COMMENTS = re.compile(rb"/\*.*?\*/|^//[^\n]*$", re.DOTALL | re.MULTILINE)


def long_line_share(head: bytes) -> float:
    """Which share of a text lies in lines that are too long for a person."""
    lines = head.splitlines()
    return sum(len(line) for line in lines if len(line) > _LONG_LINE) / max(1, len(head))


def _kind_of(head: bytes) -> str:
    """`js`, `css`, `data` (a script that is one literal), or nothing."""
    text = _COMMENTS.sub(b"", head[: 64 << 10]).strip()
    is_literal = text[:1] in (b"[", b"{", b'"', b"<")
    if not text or (is_literal and not text.startswith((b'"use strict"', b"[...", b"[data-", b"{const", b"{let"))):
        return ""
    rules = _rule_bytes(text[: 32 << 10])
    words = len(_SCRIPT_WORDS.findall(text))
    if rules > 0.4 * min(len(text), 32 << 10) and words * 400 < len(text):
        return "css"
    shape = float(_PUNCTUATION[np.frombuffer(text, np.uint8)].mean())
    if shape > 0.1 and (words * 200 > len(text) or _SCRIPT_START.match(text)):
        return "js"
    return "data" if _DATA.match(text) and shape > 0.02 else ""


def _rule_bytes(text: bytes) -> int:
    """How much of a text is rules of a style sheet: a selector, then styles in braces."""
    total = 0
    for styles in _STYLES.finditer(text):
        selector = _NO_SELECTOR.split(text[max(0, styles.start() - _SELECTOR_BYTES) : styles.start()])[-1]
        if selector:
            total += len(selector) + len(styles[0])
    return total


def _sniff(sample: Sample) -> float:
    if len(sample.head) < 2000 or long_line_share(sample.head) < 0.5:
        return 0.0
    kind = _kind_of(sample.head)
    if kind == "data":
        return 0.6 if sample.name.lower().endswith((".js", ".mjs", ".cjs")) else 0.0
    return 0.85 if kind else 0.0


FORMAT = Format("minified", "minified code", _sniff, MinifiedScanner, size_classes=SIZE_CLASSES)
