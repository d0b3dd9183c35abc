"""JSON, YAML, XML, settings and record stanzas condensed: the structure stays, repeated records fold by their shape.

Siblings of one shape (the same fields, nested alike) fold into one view line that gives of each field the range of its
numbers or its first values. Where records have too many shapes, all that begin alike fold together, and fields that only
some have say in how many. The first record stays; so do records with a value unlike all others', and what has no like.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from milepost.digest.condense.lines import ChunkLines, shown
from milepost.digest.condense.trees import TreeNode, build_tree, indent_in_yaml, indent_of
from milepost.digest.condense.variations import describe_values, odd_rows
from milepost.digest.condense.view import View, ViewLine, ordered

_LINE_BYTES = 240
#: Of the text of all folded records together this share of the chunk's bytes is shown, of each between these.
_FOLD_SHARE = 0.06
_LEAST_FOLD_BYTES = 300
_MOST_FOLD_BYTES = 4000
#: A view larger than this share of the chunk, and than so many bytes, is made again with what lies deepest left out.
_VIEW_SHARE = 0.12
_VIEW_BYTES = 6000
_DEPTHS = (40, 10, 7, 5, 4, 3, 2, 1)
_FEWEST = 3
#: More shapes than this among siblings that begin alike: they are one shape with optional fields.
_MOST_SHAPES = 4
_FIRST_LINES = 24

_JSON = re.compile(rb'\s*("(?:[^"\\]|\\.)*"\s*:\s*)?(.*?)(,?)$', re.DOTALL)
_PAIR = re.compile(rb"\s*((?:-\s+)*)([^\s:=#\"'{\[][^:=]{0,120}?\s*[:=](?=\s|$)\s*|[\w.\-]{1,80}=)?(.*)$", re.DOTALL)
_TAGS = re.compile(rb'(</?[^\s<>"=]+|\s*/?>|\s+[\w:.-]+="|")')
#: A name that is a value: an id, a date, a hash.
_ID_NAME = re.compile(rb"\s*\"?(?:[-\d.:T/]+|[0-9a-fA-F-]{16,}|[\w-]*\d{4,}[\w-]*)\"?\s*[:=]\s*")
_MANY_NAMES = 24
_COMMENT = re.compile(rb"\s*(?:#|//|;|<!--)")
_PROSE = (b"prose",)


class StructureCondenser:
    """Condenses one chunk; used once."""

    def __init__(self, lines: ChunkLines, kind: str) -> None:
        self._lines = lines
        self._kind = kind
        self._texts = lines.lines()
        self._heads: list[tuple[bytes, ...] | None] = [None] * lines.count
        self._out: list[ViewLine] = []
        self._folds: list[list[TreeNode]] = []
        self._numbers: dict[tuple[object, ...], int] = {}

    def view(self) -> View:
        """The view."""
        if self._kind == "records":
            roots = self._stanzas()
        else:
            roots = build_tree(self._texts, indent_in_yaml if self._kind == "yaml" else self._indent)
        for node in roots:
            self._shape(node)
        limit = max(_VIEW_BYTES, int(_VIEW_SHARE * len(self._lines.chunk.data)))
        deepest = max(map(_depth, roots), default=0)
        for depth in (_DEPTHS[0], *(one for one in _DEPTHS[1:] if one < deepest)):
            self._out, self._folds = [], []
            self._show(roots, depth)
            self._show_folds()
            if sum(len(line.text) + 8 for line in self._out) <= limit:
                break
        return ordered(self._out)

    def _show_folds(self) -> None:
        room = int(_FOLD_SHARE * len(self._lines.chunk.data)) // max(1, len(self._folds))
        size = min(_MOST_FOLD_BYTES, max(_LEAST_FOLD_BYTES, room))
        for nodes in self._folds:
            indexes = [line for node in nodes for line in node.lines()]
            text = shown(self._describe(nodes), size)
            self._out.append(self._lines.folded(indexes, text, len(nodes)))

    def _indent(self, line: bytes) -> int:
        if self._kind != "ini":
            return indent_of(line)
        return 0 if line.lstrip()[:1] == b"[" else 2 + indent_of(line)

    def _stanzas(self) -> list[TreeNode]:
        """Paragraphs of fields as nodes; continued lines are nested in their field."""
        roots: list[TreeNode] = []
        for index, line in enumerate(self._texts):
            if not line.strip():
                if roots:
                    roots[-1].tail.append(index)
                else:
                    roots.append(TreeNode(index))
            elif not roots or roots[-1].tail:
                roots.append(TreeNode(index))
            elif line[:1] in b" \t" and roots[-1].children:
                roots[-1].children[-1].children.append(TreeNode(index))
            else:
                roots[-1].children.append(TreeNode(index))
        return roots

    # --- shapes -----------------------------------------------------------------------------------------------------

    def _shape(self, root: TreeNode) -> None:
        """Number every node of a tree by what it is and what is nested in it."""
        order = [root]
        for node in order:
            order.extend(node.children)
        for node in reversed(order):
            inside = tuple(dict.fromkeys(child.shape for child in node.children))
            key = (self._head(node.line), inside)
            node.shape = self._numbers.setdefault(key, len(self._numbers) + 1)

    def _head(self, index: int) -> tuple[bytes, ...]:
        """What a line is: its key and the sort of its value, or its tag and the names of its attributes."""
        head = self._heads[index]
        if head is None:
            head = self._heads[index] = self._head_of(self._texts[index])
        return head

    def _head_of(self, line: bytes) -> tuple[bytes, ...]:
        line = _compact(line)
        if _COMMENT.match(line):
            return _PROSE
        if self._kind == "xml":
            return tuple(token.strip() for token in _TAGS.findall(line) if token.strip() not in (b'"', b">")) or _PROSE
        if self._kind == "json":
            match = _JSON.match(line)
            assert match is not None
            value = match[2]
            name = match[1] or b""
            if _ID_NAME.fullmatch(name):
                name = b"#"
            return (name, value if value[:1] in b"{[]}" and len(value) <= 2 else b"value")
        match = _PAIR.match(line)
        assert match is not None
        if not match[1] and match[2] is None:
            return _PROSE
        name = (match[2] or b"").rstrip()
        return (match[1].strip(), b"#" if _ID_NAME.fullmatch(name) else name, b"value" if match[3] else b"")

    def _tokens(self, index: int) -> list[bytes]:
        line = _compact(self._texts[index])
        if self._kind == "xml":
            return [token for token in _TAGS.split(line.strip()) if token]
        match = (_JSON if self._kind == "json" else _PAIR).match(line)
        assert match is not None
        return [part for part in match.groups() if part]

    # --- showing ----------------------------------------------------------------------------------------------------

    def _show(self, siblings: Sequence[TreeNode], depth: int) -> None:
        """Siblings, those of one shape folded; of what is nested, `depth` levels."""
        by_head: defaultdict[tuple[bytes, ...], list[TreeNode]] = defaultdict(list)
        prose: list[TreeNode] = []
        for node in siblings:
            head = self._head(node.line)
            if head is _PROSE:
                prose.append(node)
                continue
            self._show_prose(prose)
            prose = []
            by_head[head].append(node)
        self._show_prose(prose)
        for nodes in self._regrouped(list(by_head.values())):
            shapes: defaultdict[int, list[TreeNode]] = defaultdict(list)
            for node in nodes:
                shapes[node.shape].append(node)
            groups = list(shapes.values())
            if len(groups) > _MOST_SHAPES and len(nodes) >= 2 * _MOST_SHAPES:
                groups = [nodes]
            for group in groups:
                if len(group) >= _FEWEST:
                    self._fold(group, depth)
                else:
                    for node in group:
                        self._one(node, depth)

    def _regrouped(self, groups: list[list[TreeNode]]) -> list[list[TreeNode]]:
        """Siblings by what they begin with; where nearly each has a name of its own, those nested alike together."""
        if len(groups) < 2 * _MOST_SHAPES or 5 * len(groups) < 4 * sum(map(len, groups)):
            return groups
        alike: defaultdict[tuple[object, ...], list[TreeNode]] = defaultdict(list)
        for node in (node for group in groups for node in group):
            inside = tuple(dict.fromkeys(child.shape for child in node.children))
            leaf = not inside and len(groups) < _MANY_NAMES
            alike[node.line if leaf else -1, inside].append(node)
        return list(alike.values())

    def _show_prose(self, nodes: Sequence[TreeNode]) -> None:
        """A passage of comments or text: its first line, and how many more there are."""
        indexes = [line for node in nodes for line in node.lines()]
        if len(indexes) <= _FEWEST:
            for index in indexes:
                self._text(index)
            return
        telling = next((at for at, index in enumerate(indexes) if len(self._texts[index].strip()) > 8), 0)
        shown_text = self._lines.text(indexes[telling], _LINE_BYTES)
        self._out.append(
            self._lines.folded(indexes, f"{shown_text} (and {len(indexes) - 1:,} lines more)", kind="body")
        )

    def _one(self, node: TreeNode, depth: int) -> None:
        """A node that has no like: its line, with those that close it, and then what is nested."""
        if not node.children:
            self._leaf(node)
            return
        if depth <= 1 and len(node.children) > 1:
            self._left_out(node)
            return
        number = self._lines.number(node.line)
        if node.tail:
            closing = next((one for one in reversed(node.tail) if self._texts[one].strip()), None)
            ending = f" … {shown(self._lines.decode(self._texts[closing].strip()), 40)}" if closing is not None else ""
            text = self._lines.text(node.line, _LINE_BYTES) + ending
            ranges = self._lines.ranges([node.line, *node.tail])
            self._out.append(ViewLine(text, number, self._lines.number(node.tail[-1]), 1, ranges))
        else:
            self._text(node.line)
        self._show(node.children, depth - 1)

    def _leaf(self, node: TreeNode) -> None:
        """A line, with the blank ones after it."""
        blank = []
        for index in node.tail:
            if self._texts[index].strip():
                self._text(index)
            else:
                blank.append(index)
        number = self._lines.number(node.line)
        last = blank[-1] if blank else node.line
        text = self._lines.text(node.line, _LINE_BYTES)
        ranges = self._lines.ranges([node.line, *blank])
        self._out.append(ViewLine(text, number, self._lines.number(last), 1, ranges))

    def _left_out(self, node: TreeNode) -> None:
        """A node with all that is nested in it in one line: what its children begin with."""
        self._text(node.line)
        indexes = list(node.lines())[1:]
        told = [child for child in node.children if self._texts[child.line].strip(b" \t-{[")]
        if not told:
            told = [inner for child in node.children for inner in child.children]
        names = dict.fromkeys(
            shown(self._lines.decode(self._texts[child.line].strip(b" \t-{[,")), 40) for child in told
        )
        listed = list(names)[:12]
        more = f" … {len(names):,} in all" if len(names) > len(listed) else ""
        text = f"{len(indexes):,} lines: {'; '.join(listed)}{more}"
        self._out.append(self._lines.folded(indexes, f"({text})", kind="body"))

    def _text(self, index: int) -> None:
        self._out.append(self._lines.verbatim(index, _LINE_BYTES))

    def _fold(self, group: list[TreeNode], depth: int) -> None:
        """Nodes of one shape: the first and the odd ones by themselves, the others in one view line."""
        rest = group
        if group[0].children and group[0].size() <= _FIRST_LINES:
            self._whole(group[0], depth)
            rest = group[1:]
        odd = set(odd_rows([self._row(node) for node in rest]))
        for place in sorted(odd):
            self._whole(rest[place], depth)
        rest = [node for place, node in enumerate(rest) if place not in odd]
        if len(rest) == 1:
            self._one(rest[0], depth)
        elif rest:
            self._folds.append(rest)

    def _whole(self, node: TreeNode, depth: int) -> None:
        """A record as it is; of a long one what is in it is condensed."""
        if node.size() > _FIRST_LINES:
            self._one(node, depth)
            return
        for index in node.lines():
            self._text(index)

    def _row(self, node: TreeNode) -> list[bytes]:
        """The values of a record in one row, as far as its first lines go."""
        row: list[bytes] = []
        for index in node.lines():
            row.extend(self._tokens(index))
            if len(row) > 80:
                break
        return row

    def _describe(self, nodes: Sequence[TreeNode]) -> str:
        """What nodes that begin alike are: their own line, and in braces what is nested in them, each field once."""
        rows = [self._tokens(node.line) for node in nodes]
        fewest = min(map(len, rows))
        decode = self._lines.decode
        if all(len(row) == fewest for row in rows):
            parts = [describe_values(column, decode) for column in zip(*rows, strict=True)]
            own = "".join(parts)
        else:
            own = describe_values([b" ".join(row) for row in rows], decode)
        fields: defaultdict[tuple[bytes, ...], list[TreeNode]] = defaultdict(list)
        owners: defaultdict[tuple[bytes, ...], int] = defaultdict(int)
        for node in nodes:
            seen: set[tuple[bytes, ...]] = set()
            for child in node.children:
                head = self._head(child.line)
                fields[head].append(child)
                if head not in seen:
                    seen.add(head)
                    owners[head] += 1
        if not fields:
            return own
        inside = []
        for head, children in fields.items():
            text = self._describe(children)
            if len(children) != owners[head]:
                text = f"×{len(children):,} {text}"
            if owners[head] != len(nodes):
                text = f"(in {owners[head]:,}) {text}"
            inside.append(text)
        closing = {b"{": " }", b"[": " ]"}.get(rows[0][-1][-1:], "") if rows[0] else ""
        return f"{own} {'; '.join(inside) if self._kind != 'json' else ' '.join(inside)}{closing}"


def _compact(line: bytes) -> bytes:
    """A line without blanks at its end, and with one for many inside: so no expression here takes longer than linear."""
    start = len(line) - len(line.lstrip())
    return line[:start] + b" ".join(line.split()) if b"  " in line[start:] or b"\t" in line[start:] else line.rstrip()


def _depth(root: TreeNode) -> int:
    """How many levels a tree has."""
    level = [root]
    depth = 0
    while level:
        depth += 1
        level = [child for node in level for child in node.children]
    return depth
