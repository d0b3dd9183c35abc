"""Outlines as the tests of formats compare them."""

from __future__ import annotations

from milepost.core.outline import Section


def shown(sections: tuple[Section, ...], depth: int = 0, indent: str = " ") -> list[str]:
    """Titles and the lines they span, indented for each level."""
    lines = []
    for one in sections:
        lines.append(f"{indent * depth}{one.title} {one.start_line}-{one.end_line}")
        lines += shown(one.children, depth + 1, indent)
    return lines
