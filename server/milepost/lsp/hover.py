"""What a hover on a section's first line says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from milepost.core.outline import Outline, Section
from milepost.core.text import clip_text

# What Markdown acts on anywhere, at the start of a line (lists, headings), and in what it takes for an address.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&$!]|^\s*[-+=]|^\s*\d+(?=[.)])|:(?=//)|(?<=www)\.)", re.IGNORECASE)

#: Sections that start on one line are nested; this many of them are shown, the innermost first.
_SHOWN_SECTIONS = 3
_FACT_BYTES = 200
_SHOWN_FACTS = 12


def escape_markdown(text: str) -> str:
    """`text` so that Markdown shows it as it stands: no link, image, command or HTML comes to life."""
    return _MARKDOWN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    text = match[1].lstrip()
    # A number that begins a list is made harmless at its full stop, which follows.
    return f"{text}\\" if text.isdigit() else f"\\{text}"


def hover_text(outline: Outline, sections: Sequence[Section], *, markdown: bool) -> str:
    """The text for a line on which these sections start, outer ones first."""
    shown = sections[::-1][:_SHOWN_SECTIONS]
    separator = "\n\n---\n\n" if markdown else "\n\n"
    text = separator.join("\n".join(_lines(section, markdown)) for section in shown)
    if outline.state == "provisional":
        text += "\n\nThe file is still being scanned."
    return text


def sections_starting_at(outline: Outline, line: int) -> Iterator[Section]:
    """The sections whose first line this is, outer ones first."""
    sections = outline.sections
    while sections:
        inside = None
        for section in sections:
            if section.start_line <= line <= section.end_line:
                if section.start_line == line:
                    yield section
                    inside = section
                    break
                inside = section
        sections = inside.children if inside is not None else ()


def _lines(section: Section, markdown: bool) -> Iterator[str]:
    def shown(text: str) -> str:
        return escape_markdown(text) if markdown else text

    # Two blanks at the end of a line break it in Markdown.
    end = "  " if markdown else ""
    title = shown(section.title)
    yield (f"**{title}**" if markdown and title else title) + end
    lines = section.end_line - section.start_line + 1
    size = section.end_byte - section.start_byte
    kind = shown(section.kind.replace("_", " "))
    yield (
        f"{kind}, lines {section.start_line:,} to {section.end_line:,} "
        f"({lines:,} {'line' if lines == 1 else 'lines'}, {size:,} bytes)" + end
    )
    if section.digest:
        yield shown(section.digest) + end
    facts = [(name, value) for name, value in section.facts.items() if value not in (None, "", [], {})]
    if facts:
        yield ""
    for name, value in facts[:_SHOWN_FACTS]:
        yield f"- {shown(name.replace('_', ' '))}: {shown(_fact(value))}"


def _fact(value: Any) -> str:
    return clip_text(_worded(value), _FACT_BYTES)


def _worded(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "unknown"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_worded(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return "; ".join(_worded(inner) for inner in value)
    return str(value)
