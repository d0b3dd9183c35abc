"""What prose, source code and diffs say."""

from __future__ import annotations

from collections import Counter

from milepost.core.outline import Section, walk
from milepost.digest.extractive.texts import Read, Text, at_lines, counted, joined, opening, sentence

_DIALECTS = {
    "markdown": "Markdown", "rst": "reStructuredText", "asciidoc": "AsciiDoc", "latex": "LaTeX", "html": "HTML", "org": "Org",
}  # fmt: skip
_KINDS = (
    "class interface trait struct enum union function method module namespace impl type object protocol extension record"
    " constructor property constant macro package"
)
_DECLARATIONS = frozenset(_KINDS.split())


def tell_prose(read: Read, text: Text) -> list[str]:
    """Write the text of a document; what to ask next."""
    stats = read.outline.stats
    dialect = _DIALECTS.get(str(stats.get("dialect", "")), "")
    sections = read.sections()
    headings = [one for one in walk(sections) if one.kind == "heading"]
    first = opening(read, f"A document in {dialect}" if dialect else "Plain text" if not headings else "A document")
    if headings:
        first += f" {counted(len(headings), 'heading')}."
    text.paragraph(first)
    noted = read.noted()
    telling = sorted(noted[:7], key=lambda pair: pair[1].start_byte)
    text.listing(
        "What it says:" if telling else "",
        [f"{sentence(place.text, 330)} {at_lines(place.start_line, place.end_line)}" for _, place in telling],
        share=0.6,
    )
    if headings:
        levels = sorted({int(one.facts.get("level", 1)) for one in headings})
        shown = levels[:1] if sum(int(one.facts.get("level", 1)) == levels[0] for one in headings) >= 4 else levels[:2]
        listed = [one for one in headings if int(one.facts.get("level", 1)) in shown]
        text.listing("Its sections:", [_heading(one) for one in listed])
        return [f"What does the section “{sentence(_longest(headings).title, 60)}” say?"]
    parts = [one for one in sections if one.title and one.title != "(blank)"]
    if len(parts) > 1:
        text.listing(
            "Its parts begin:",
            [f"{sentence(one.title, 100)} {at_lines(one.start_line, one.end_line)}" for one in parts],
        )
    return [f"What is said in lines {parts[0].start_line}–{parts[0].end_line}?"] if parts else []


def _longest(headings: list[Section]) -> Section:
    return max(headings, key=lambda one: (one.end_byte - one.start_byte if not one.children else 0, -one.start_byte))


def _heading(section: Section) -> str:
    inside = [sentence(child.title, 40) for child in section.children if child.kind == "heading"]
    digest = f": {joined(inside, 5)}" if inside else f": {sentence(section.digest, 110)}" if section.digest else ""
    return f"{sentence(section.title, 90)} {at_lines(section.start_line, section.end_line)}{digest}"


def tell_code(read: Read, text: Text) -> list[str]:
    """Write the text of source code; what to ask next."""
    stats = read.outline.stats
    language = str(stats.get("language", "")) or "source code"
    sections = read.sections()
    declared = [one for one in walk(sections) if one.kind in _DECLARATIONS]
    counts = Counter(one.kind for one in declared)
    first = opening(read, f"Source code in {language}" if language != "source code" else "Source code")
    if counts:
        parts = [counted(count, kind, _plural(kind)) for kind, count in counts.most_common()]
        first += f" It defines {', '.join(parts)}."
    text.paragraph(first)
    top = [one for one in sections if one.kind not in ("lines", "blank")]
    ranked = sorted(top, key=lambda one: (-one.weight, one.start_byte - one.end_byte, one.start_byte))
    text.listing("Main parts, the largest first:", [_declaration(one) for one in ranked], share=0.8)
    text.listing(
        "Left to do, by its comments:",
        [f"{sentence(place.text, 140)} {at_lines(place.start_line, place.end_line)}" for _, place in read.noted()[:8]],
    )
    if not declared:
        return []
    biggest = max(declared, key=lambda one: (one.end_byte - one.start_byte, -one.start_byte))
    name = str(biggest.facts.get("name", "")) or sentence(biggest.title, 60)
    return [f"What does {name} do?", f"Where is {name} used?"]


def _plural(kind: str) -> str:
    return {"class": "classes", "property": "properties"}.get(kind, kind + "s")


def _declaration(section: Section) -> str:
    members = [
        str(child.facts.get("name", "")) or sentence(child.title, 40)
        for child in section.children
        if child.kind in _DECLARATIONS
    ]
    said = section.digest.partition(": ")[2]
    parts = [sentence(said, 110)] if said else []
    if members:
        parts.append(f"{counted(len(members), 'member')}: {joined(members, 6)}")
    return f"{sentence(section.title, 100)} {at_lines(section.start_line, section.end_line)}" + (
        f": {'; '.join(parts)}" if parts else ""
    )


def tell_diff(read: Read, text: Text) -> list[str]:
    """Write the text of a diff; what to ask next."""
    stats = read.outline.stats
    files = [one for one in walk(read.sections()) if one.kind == "file"]
    first = opening(read, "A diff")
    added = (
        int(stats["added"]) if read.whole and "added" in stats else sum(int(one.facts.get("added", 0)) for one in files)
    )
    removed = (
        int(stats["removed"])
        if read.whole and "removed" in stats
        else sum(int(one.facts.get("removed", 0)) for one in files)
    )
    count = int(stats.get("files", len(files))) if read.whole else len(files)
    first += f" It changes {counted(count, 'file')}: {counted(added, 'line')} added, {removed:,} removed."
    text.paragraph(first)
    statuses = Counter(str(one.facts["status"]) for one in files if "status" in one.facts)
    if statuses:
        text.paragraph(f"Of these {', '.join(f'{n:,} {status}' for status, n in statuses.most_common())}.")
    folders = Counter(one.title.rpartition("/")[0] or "." for one in files)
    if len(folders) > 1 and len(files) > 6:
        text.paragraph(f"Most are in {joined([f'{folder} ({n:,})' for folder, n in folders.most_common(6)], 6)}.")
    ranked = sorted(
        files, key=lambda one: (-int(one.facts.get("added", 0)) - int(one.facts.get("removed", 0)), one.start_byte)
    )
    text.listing("The largest changes first:", [_file(one) for one in ranked])
    return [f"What changes in {sentence(ranked[0].title, 80)}?"] if ranked else []


def _file(section: Section) -> str:
    status = str(section.facts.get("status", ""))
    note = f", {status}" if status and status not in section.digest else ""
    if "old_path" in section.facts:
        note += f" from {sentence(str(section.facts['old_path']), 60)}"
    where = at_lines(section.start_line, section.end_line)
    return f"{sentence(section.title, 100)} {where}: {sentence(section.digest, 80)}{note}"
