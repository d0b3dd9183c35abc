"""Functions of C and C++ that the grammar cannot parse, found by the heads of lines instead.

A directive inside a statement (`#if` in the middle of a condition or an initializer) is legal and leaves a broken tree: the
definition around it is lost. Runs in the worker process only.
"""

from __future__ import annotations

from typing import Any

from milepost.core.code.client import Symbols
from milepost.core.code.languages import Language

#: Broken places of one tree that are looked at.
_MOST_ERRORS = 2_000
_FUNCTIONS = ("function", "method")


def with_lost_functions(symbols: Symbols, root: Any, language: Language, body: bytes, shift: int) -> Symbols:
    """`symbols` of a piece, and those that line heads find around broken places of its tree and nothing else lies across.

    `shift` is how much longer the parsed text was at its beginning than the piece.
    """
    errors = _errors(root, shift)
    if not errors:
        return symbols
    from milepost.core.code.line_heads import symbols_by_lines  # and the engine that it needs: only here

    known = sorted((one[0], one[1], one[4]) for one in symbols)
    found = [
        one
        for one in symbols_by_lines(body, language, [])
        if 0 <= one[0] < one[1] <= len(body)
        and one[4] in _FUNCTIONS
        and any(one[0] <= end and start < one[1] for start, end in errors)
        and not any(_is_across(one[0], one[1], *other) for other in known)
    ]
    return sorted([*symbols, *found], key=lambda one: (one[0], -one[1], one[2])) if found else symbols


def _is_across(start: int, end: int, other_start: int, other_end: int, kind: str) -> bool:
    """Whether another symbol overlaps a part, is the same, or is a function around it."""
    if other_end <= start or end <= other_start:
        return False
    is_around = other_start <= start and end <= other_end
    is_inside = start < other_start and other_end <= end
    return not is_inside and not (is_around and kind not in _FUNCTIONS)


def _errors(root: Any, shift: int) -> list[tuple[int, int]]:
    """Where the tree is broken, in offsets of the piece."""
    found: list[tuple[int, int]] = []
    stack = [root] if root.has_error else []
    while stack and len(found) < _MOST_ERRORS:
        node = stack.pop()
        if node.is_error or node.is_missing:
            found.append((node.start_byte - shift, node.end_byte - shift))
        else:
            stack.extend(child for child in node.children if child.has_error or child.is_missing)
    return found
