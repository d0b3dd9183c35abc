"""A piece of source code to its symbols, by tree-sitter. Runs in the worker process only.

A piece is a stretch of a file between two cuts, put between the headers of what it lies in and what closes them, so that
its tree is whole. The offsets of symbols are relative to the piece; what lies in the headers is negative, what in the
closing text beyond the end.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import tree_sitter

from milepost.core.code.cuts import Cut, Header, best_cut, closing
from milepost.core.code.languages import Language, language_named
from milepost.core.code.macros import without_macros
from milepost.core.code.queries import C_WHOLES, KINDS, LEFT_OUT, OWN_AND_MORE, WHOLE, WRAPPERS
from milepost.core.code.recovery import with_lost_functions
from milepost.core.code.texts import long_texts, without_long_strings

#: A symbol as it is sent: start, end, where its name is, end of its head, kind, name, title, doc.
Symbol = tuple[int, int, int, int, str, str, str, str]

_SPACES = re.compile(rb"\s+")
_ANNOTATIONS = re.compile(r"^(?:@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?\s+|\[[^\]]*\]\s*|export\s+|default\s+)+")
_DOC_MARKS = re.compile(r"^[\s/*#;!\-\"'=]+|[\s/*\-\"'=]+$")
_REMARKS = re.compile(r" ?/\*.*?\*/|: *# .*$")
_CAST = re.compile(rb"[\w:]*\boperator[ \t]+\Z")
_HEAD_BYTES = 300
#: Where nothing begins in the second half of a piece, it is cut from this part on.
_EARLIER = 8
_DOC_BYTES = 600
_TITLE_CHARACTERS = 90
_BEFORE = ("comment", "attribute_item", "decorator", "marker_annotation", "annotation", "attribute")
_MOST_BEFORE = 200


@lru_cache(maxsize=4)
def _tools(name: str) -> tuple[Any, Any]:
    """The parser of a language, and a cursor over its definitions."""
    language = language_named(name)
    assert language is not None
    module = import_module(language.grammar)
    grammar = tree_sitter.Language(getattr(module, language.function)())
    text = WHOLE.get(name)
    if text is None:
        own = getattr(module, "TAGS_QUERY", None)
        if own is None:
            own = files(language.grammar).joinpath("queries/tags.scm").read_text()
        text = own + OWN_AND_MORE.get(name, "")
    query = tree_sitter.Query(grammar, text)
    _keep_definitions(query, text)
    return tree_sitter.Parser(grammar), tree_sitter.QueryCursor(query)


def _keep_definitions(query: Any, text: str) -> None:
    """Turn off the patterns that define nothing: references are most of the matches, and most of the time."""
    data = text.encode()
    for index in range(query.pattern_count):
        body = data[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)]
        if b"@definition." not in body:
            query.disable_pattern(index)
    for number in range(query.capture_count):
        if query.capture_name(number) == "doc":
            query.disable_capture("doc")


def parse_piece(
    language: Language, body: bytes, headers: tuple[Header, ...], low: int, final: bool, must_cut: bool
) -> tuple[int, tuple[Header, ...], list[Symbol]] | None:
    """Cut a piece off `body`, after `low`, and find its symbols. None where no cut is safe and more text may help.

    Returns how many bytes the piece has, what is open at its end, and its symbols.
    """
    parser, cursor = _tools(language.name)
    prefix = b"".join(header.text for header in headers)
    cut = Cut(len(body), ()) if final else best_cut(body, headers, low, language.style)
    if cut is None and low:
        low //= _EARLIER
        cut = best_cut(body, headers, low, language.style)
    tree = _tree(parser, language, prefix, body, cut) if cut is not None else None
    if not final and (tree is None or tree.root_node.has_error):
        # Perhaps it was cut inside a string, or put between lines that are none of code.
        hidden = [(start - len(prefix), end - len(prefix)) for start, end in long_texts(prefix + body, language.name)]
        better = best_cut(body, headers, low, language.style, hidden)
        if better is None and must_cut:
            better = Cut(body.rfind(b"\n") + 1 or len(body), headers)
        if better != cut:
            cut, tree = better, None  # one tree at a time: they are large
            tree = _tree(parser, language, prefix, body, cut) if cut is not None else None
    if cut is None or tree is None:
        return None
    text = prefix + body[: cut.offset]
    symbols = _symbols(language, cursor, tree.root_node, text, len(prefix))
    if tree.root_node.has_error and language.name in ("c", "cpp"):
        symbols = with_lost_functions(symbols, tree.root_node, language, body[: cut.offset], len(prefix))
    return cut.offset, cut.headers, symbols


def _tree(parser: Any, language: Language, prefix: bytes, body: bytes, cut: Cut) -> Any:
    whole = prefix + body[: cut.offset] + b"\n" + closing(cut, language.style) + b"\n"
    whole = without_long_strings(whole)
    return parser.parse(without_macros(whole) if language.name in ("c", "cpp") else whole)


def _symbols(language: Language, cursor: Any, root: Any, text: bytes, shift: int) -> list[Symbol]:
    found: dict[tuple[int, int, int], Symbol] = {}
    is_c = language.name in ("c", "cpp")
    for _, captures in cursor.matches(root):
        names = captures.get("name")
        for capture, nodes in captures.items():
            if not capture.startswith("definition.") or not names:
                continue
            kind = capture[11:]
            if kind in LEFT_OUT:
                continue
            node = nodes[0]
            whole = _lifted(node)
            if is_c:
                if whole.type not in C_WHOLES:
                    continue
                if node.type.endswith("_specifier") and node.child_by_field_name("body") is None:
                    continue  # `enum mode f(void)` names a type that is defined elsewhere
                if kind == "function":
                    kind = _kind_of_declarator(whole)
                    if not kind:
                        continue
            if whole.type == "pair" and whole.start_point.row == whole.end_point.row:
                continue  # `name: () => name`, as bundlers list exports
            key = (whole.start_byte, whole.end_byte, names[0].start_byte)
            if key not in found or found[key][4] == "function":
                found[key] = _symbol(kind, node, whole, names[0], text, shift)
    return sorted(found.values(), key=lambda one: (one[0], -one[1], one[2]))


def _lifted(node: Any) -> Any:
    parent = node.parent
    while parent is not None and parent.type in WRAPPERS:
        if (
            parent.type in ("function_definition", "function_item", "assignment_expression")
            and parent.child_by_field_name("body") == node
        ):
            break
        node, parent = parent, parent.parent
    return node


def _kind_of_declarator(whole: Any) -> str:
    """What a C declarator with parameters declares: a function, its prototype, a type, or nothing worth a section."""
    node = whole
    if node.type in ("template_declaration", "friend_declaration"):
        node = next((one for one in node.children if one.type.endswith(("definition", "declaration"))), node)
    if node.type in ("function_definition", "operator_cast", "inline_method_definition"):
        return "function"
    if node.type == "type_definition":
        return "type"
    if node.type in ("declaration", "field_declaration"):
        parent = whole.parent
        if parent is not None and parent.type == "compound_statement":
            return ""
        declarator = node.child_by_field_name("declarator")
        while declarator is not None and declarator.type in ("pointer_declarator", "reference_declarator"):
            declarator = declarator.child_by_field_name("declarator") or (
                declarator.named_children[-1] if declarator.named_children else None
            )
        return "prototype" if declarator is not None and declarator.type == "function_declarator" else ""
    return ""


def _symbol(kind: str, node: Any, whole: Any, name: Any, text: bytes, shift: int) -> Symbol:
    kind = KINDS.get(node.type, KINDS.get(whole.type, kind))
    head, body = node, node.child_by_field_name("body")
    if body is None:
        value = (
            node.child_by_field_name("value") or node.child_by_field_name("right") or node.child_by_field_name("type")
        )
        body = value.child_by_field_name("body") if value is not None else None
    if body is None and whole is not node:
        inner = whole
        while inner is not None and body is None:
            body = inner.child_by_field_name("body")
            head = inner
            inner = next(
                (one for one in inner.named_children if one.start_byte <= node.start_byte < one.end_byte), None
            )
            if inner == node:
                break
        if body is None:
            head = whole
    head_end = body.start_byte if body is not None and body.start_byte > name.start_byte else head.end_byte
    first = min(head.start_byte, name.start_byte)
    title = _text(text[first : min(head_end, first + _HEAD_BYTES)])
    title = _signature(title)
    label = _text(text[name.start_byte : min(name.end_byte, name.start_byte + 200)])
    if node.type in ("struct_specifier", "class_specifier"):
        label = label.split("<")[0]
    if name == node:
        label = re.split(r"[({]", label)[0].strip() or kind
    elif node.type == "function_declarator" and (cast := _CAST.search(text, first, name.start_byte)):
        label = f"{_text(cast[0])} {label}"  # `T::operator bool()`, read as a function `bool` of type `T::operator`
    start, doc = _with_what_precedes(whole, text, shift)
    if not doc and body is not None:
        doc = _docstring(body, text)
    end = whole.end_byte
    if text[end : end + 1] == b";":
        end += 1
    return (
        start - shift,
        end - shift,
        name.start_byte - shift,
        head_end - shift,
        kind,
        label[:120],
        title or label,
        doc,
    )


def _signature(title: str) -> str:
    """The head of a definition as a title: without annotations, blanks inside brackets, and all too many parameters."""
    title = _ANNOTATIONS.sub("", title).rstrip(" {:=").removesuffix(" =>").rstrip(";")
    title = _REMARKS.sub("", title).rstrip(" {:=")
    title = title.replace("( ", "(").replace(" )", ")").replace(",)", ")")
    if len(title) <= _TITLE_CHARACTERS:
        return title
    comma = title.rfind(", ", title.find("(") + 1, _TITLE_CHARACTERS)
    if "(" not in title[:_TITLE_CHARACTERS]:
        return title
    return title[:comma] + ", …)" if comma > 0 else title[: title.index("(")] + "(…)"


def _with_what_precedes(whole: Any, text: bytes, shift: int) -> tuple[int, str]:
    """Where a symbol begins with its comments and attributes, and what the nearest comment says."""
    start, doc = whole.start_byte, ""
    node, row = whole, whole.start_point.row
    for _ in range(_MOST_BEFORE):
        before = node.prev_sibling
        if before is None or before.start_byte < shift or not any(word in before.type for word in _BEFORE):
            break
        end_row = before.end_point.row - (
            1 if before.end_point.column == 0 and before.end_byte > before.start_byte else 0
        )
        line_start = text.rfind(b"\n", 0, before.start_byte) + 1
        if row - end_row > 1 or text[line_start : before.start_byte].strip():
            break
        if "comment" in before.type:
            doc = _text(text[before.start_byte : min(before.end_byte, before.start_byte + _DOC_BYTES)]) + "\n" + doc
        node, row, start = before, before.start_point.row, before.start_byte
    return start, _said(doc)


def _docstring(body: Any, text: bytes) -> str:
    first = body.named_children[0] if body.named_child_count else None
    if first is not None and first.type == "expression_statement" and first.named_child_count:
        first = first.named_children[0]
    if first is not None and first.type == "string":
        return _said(_text(text[first.start_byte : min(first.end_byte, first.start_byte + _DOC_BYTES)]))
    return ""


def _text(data: bytes) -> str:
    return _SPACES.sub(b" ", data).decode("utf-8", "replace").strip()


def _said(comment: str) -> str:
    """The first sentence of a comment, without its marks."""
    words = " ".join(_DOC_MARKS.sub("", line) for line in comment.replace(" * ", "\n").split("\n"))
    words = words.strip()
    match = re.match(r".{20,}?[.!?](?=\s|$)", words)
    return (match[0] if match else words)[:200]
