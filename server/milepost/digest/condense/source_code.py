"""Source code and diffs condensed: declarations and the first lines of comments stay, bodies are told in a line.

Indent is the guide, as to a reader who skims: what a line with less indent introduces is its body. Containers (classes,
modules, namespaces) are looked into, bodies of functions are not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from milepost.digest.condense.lines import ChunkLines, shown
from milepost.digest.condense.trees import TreeNode, build_tree
from milepost.digest.condense.view import View, ViewLine, ordered

_LINE_BYTES = 200
_CONTAINER = re.compile(
    rb"\s*(?:(?:export|default|public|private|protected|internal|abstract|final|sealed|static|partial|pub(?:\([^)]*\))?"
    rb"|unsafe|data|open|case|declare)\s+)*(?:class|interface|trait|impl|module|namespace|struct|enum|union|object|extension"
    rb"|protocol|mod|package|record|type|extern)\b|\s*#(?:if|ifdef|ifndef|else|region)"
)
_COMMENT = re.compile(
    rb"\s*(?:#(?!\[|!|include|define|if|else|endif|pragma)|//|/\*|\*(?:\s|$|/)|--|;|\"\"\"|'''|%|<!--)"
)
_CALL = re.compile(rb"\b([A-Za-z_][\w.]*)\s*\(")
_NOTE = re.compile(rb"\b(?:TODO|FIXME|XXX|HACK|BUG)\b")
_KEYWORDS = frozenset(
    b"if for while switch return catch elif match with and or not in assert sizeof print def func fn".split()
)
_KEPT_LEAVES = 2
_CALLS = 6


class CodeCondenser:
    """Condenses one chunk of source code; used once."""

    def __init__(self, lines: ChunkLines) -> None:
        self._lines = lines
        self._texts = lines.lines()
        self._out: list[ViewLine] = []

    def view(self) -> View:
        """The view."""
        self._show(build_tree(self._texts))
        return ordered(self._out)

    def _show(self, siblings: Sequence[TreeNode]) -> None:
        run: list[TreeNode] = []
        run_is_comment = False
        for node in siblings:
            is_comment = _COMMENT.match(self._texts[node.line]) is not None
            if node.children and not is_comment:
                self._flush(run, run_is_comment)
                run = []
                self._declaration(node)
                continue
            if run and is_comment != run_is_comment:
                self._flush(run, run_is_comment)
                run = []
            run.append(node)
            run_is_comment = is_comment
        self._flush(run, run_is_comment)

    def _flush(self, run: Sequence[TreeNode], is_comment: bool) -> None:
        """Lines with nothing nested in them: the first few as they are, of the others what they begin with."""
        indexes = [index for node in run for index in node.lines()]
        kept = 1 if is_comment else _KEPT_LEAVES
        if len(indexes) <= kept + 1:
            for index in indexes:
                self._text(index)
            return
        if is_comment:
            telling = next((at for at, index in enumerate(indexes) if len(self._texts[index].strip()) > 8), 0)
            text = f"{self._lines.text(indexes[telling], _LINE_BYTES)} (and {len(indexes) - 1:,} lines more)"
            self._out.append(self._lines.folded(indexes, text, kind="body"))
            return
        for index in indexes[:kept]:
            self._text(index)
        self._body(indexes[kept:], self._beginnings(indexes[kept:]))

    def _declaration(self, node: TreeNode) -> None:
        self._text(node.line)
        if _CONTAINER.match(self._texts[node.line]):
            self._show(node.children)
            if node.tail:
                for index in node.tail:
                    if self._texts[index].strip():
                        self._text(index)
                blank = [index for index in node.tail if not self._texts[index].strip()]
                if blank:
                    self._out.append(self._lines.folded(blank, "(blank)"))
            return
        body = [index for index in node.lines() if index != node.line]
        kept = [index for index in body if _NOTE.search(self._texts[index])][:3]
        first = body[0]
        if _COMMENT.match(self._texts[first]) and first not in kept:
            kept.insert(0, first)
        for index in kept:
            self._text(index)
        rest = [index for index in body if index not in kept]
        if len(rest) <= 2:
            for index in rest:
                self._text(index)
        else:
            self._body(rest, self._calls(rest))

    def _body(self, indexes: list[int], about: str) -> None:
        text = f"({len(indexes):,} lines{about})"
        self._out.append(self._lines.folded(indexes, text, kind="body"))

    def _calls(self, indexes: Sequence[int]) -> str:
        names = dict.fromkeys(
            name for index in indexes for name in _CALL.findall(self._texts[index]) if name not in _KEYWORDS
        )
        shown_names = [shown(self._lines.decode(name), 40) for name in list(names)[:_CALLS]]
        return f"; calls {', '.join(shown_names)}" if shown_names else ""

    def _beginnings(self, indexes: Sequence[int]) -> str:
        heads = dict.fromkeys(
            shown(self._lines.decode(self._texts[index].strip()[:60].split(b"(")[0].split(b"=")[0].strip()), 40)
            for index in indexes
            if self._texts[index].strip(b" \t})];,")
        )
        listed = list(heads)[:_CALLS]
        return f": {'; '.join(listed)}{' …' if len(heads) > len(listed) else ''}" if listed else ""

    def _text(self, index: int) -> None:
        self._out.append(self._lines.verbatim(index, _LINE_BYTES))


_DIFF_KEPT = 6


def condense_diff(lines: ChunkLines) -> View:
    """The view of a chunk of a diff: heads of files and hunks stay, of long runs of one sort of line the first few."""
    out: list[ViewLine] = []
    texts = lines.lines()
    at = 0
    while at < len(texts):
        sort = _sort(texts[at])
        end = at + 1
        while end < len(texts) and sort and _sort(texts[end]) == sort:
            end += 1
        kept = _DIFF_KEPT if sort in ("added", "removed") else 1
        if not sort or end - at <= kept + 2:
            out.extend(lines.verbatim(index, _LINE_BYTES) for index in range(at, end))
        else:
            out.extend(lines.verbatim(index, _LINE_BYTES) for index in range(at, at + kept))
            rest = list(range(at + kept, end))
            out.append(lines.folded(rest, f"({len(rest):,} lines more, {sort})", kind="body"))
        at = end
    return ordered(out)


def _sort(line: bytes) -> str:
    if line.startswith((b"+++", b"---", b"@@", b"diff ", b"Index:")):
        return ""
    return {b"+": "added", b">": "added", b"-": "removed", b"<": "removed", b" ": "unchanged", b"": "unchanged"}.get(
        line[:1], ""
    )
