"""An outline as a tree for people: one line a section, within a terminal's width and a number of bytes.

    app.log · log · 1.2 GB · 8,123,456 lines
         1-4000 ▸ 2024-01-01 00:00 – 01:00   12 lines/s, 3 errors
        120-160   ✖ Connection refused ×37   java.net.ConnectException at Client.connect
       161-4000   … 36 more  --section segment-1-0

Line ranges are written as `read FILE:A-B` takes them, byte ranges (`@OFF:LEN`, where a section begins or ends inside a line)
as `read FILE --bytes OFF:LEN` does. What does not fit is left out by weight, not by where it lies, and counted in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size

from milepost.cli.terminal import Terminal
from milepost.core.selection import Costs, Kept, Selection, select_sections
from milepost.limits import fit_text
from milepost.wire import Section

INDENT = 2
GAP = "  "
MIN_TITLE_CELLS = 16
MIN_DIGEST_CELLS = 12

#: How often a selection is made again with less room, because what it left out had to be counted in many places.
_ATTEMPTS = 12

#: One sign a kind, where the severity gives none. `Terminal.plain` has stand-ins for streams without these characters.
KIND_SIGNS: Mapping[str, str] = {
    "incident": "•",
    "segment": "▸",
    "group": "≡",
    "gap": "~",
    "heading": "#",
    "nul_run": "0",
    "binary": "0",
    "opaque": "0",
}
SEVERE = frozenset({"error", "critical", "fatal", "alert", "emergency", "panic", "severe"})
WARNING = frozenset({"warning", "warn"})


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tree. `tail` (counts) is never cut; title and digest are, and `hint` gives way in a narrow window."""

    range: str
    depth: int
    sign: str
    title: str
    digest: str = ""
    tail: str = ""
    hint: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """How much of an outline a person asked for; None is as much as fits. `in_order` is a page asked for by a cursor."""

    max_bytes: int
    depth: int | None = None
    max_nodes: int | None = None
    in_order: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """The bytes to write; how many known sections are not shown by themselves; the first of the top level that is not."""

    data: bytes
    omitted: int
    first_omitted: Section | None


class Tree:
    """Renders an outline's sections for one terminal."""

    def __init__(self, sections: Sequence[Section], terminal: Terminal) -> None:
        self._sections = sections
        self._terminal = terminal
        self._range_cells = max((len(_range(section, section)) for section in _walk(sections)), default=1)

    def render(self, header: str, wanted: Wanted) -> Rendered:
        """The header and below it the tree, in at most `wanted.max_bytes` bytes whatever these are."""
        head = self._terminal.encode(header)
        room = wanted.max_bytes - len(head)
        if room < 0:
            cut = fit_text(header.rstrip("\n"), wanted.max_bytes)
            return self._nothing(self._terminal.encode(cut)[: wanted.max_bytes])
        budget = room
        for attempt in range(_ATTEMPTS):
            if budget <= 0:
                break
            selection = self._select(budget, wanted)
            body = self._body(selection.roots, in_place=attempt < _ATTEMPTS - 1)
            if len(body) <= room:
                merged = next((entry.section for entry in selection.roots if entry.members > 1), None)
                return Rendered(head + body, selection.omitted, selection.rest or merged)
            budget -= len(body) - room
        return self._nothing(head)

    def _nothing(self, head: bytes) -> Rendered:
        return Rendered(head, sum(1 for _ in _walk(self._sections)), self._sections[0] if self._sections else None)

    def _select(self, budget: int, wanted: Wanted) -> Selection[Section]:
        costs: Costs[Section] = Costs(
            section=lambda section, depth: len(self._line(_section_row(section, depth, 0))),
            more=lambda section: len(self._line(_more_row(section, section.children, 1, _inside(section)))),
            group=lambda first, last, members: len(self._line(_group_row(first, last, members))),
        )
        return select_sections(
            self._sections,
            budget,
            costs,
            depth=wanted.depth,
            max_nodes=wanted.max_nodes,
            in_order=wanted.in_order,
        )

    def _body(self, roots: Sequence[Kept[Section]], *, in_place: bool) -> bytes:
        return b"".join(self._line(row) for row in _rows(roots, 0, in_place=in_place))

    def _line(self, row: Row) -> bytes:
        """A row laid out for the terminal: the range right-aligned, the rest cut to the width."""
        terminal = self._terminal
        lead = f"{row.range:>{self._range_cells}} "
        sign = f"{' ' * min(INDENT * row.depth, terminal.width // 3)}{terminal.plain(row.sign)} "
        tail = terminal.plain(f" {row.tail}" if row.tail else "")
        hint = terminal.plain(f" {row.hint}" if row.hint else "")
        room = terminal.width - cell_len(lead + sign + tail)
        if room >= cell_len(hint) + MIN_TITLE_CELLS:
            tail, room = tail + hint, room - cell_len(hint)
        title = cut_cells(row.title, max(MIN_TITLE_CELLS, room), terminal)
        room -= cell_len(title) + len(GAP)
        digest = cut_cells(row.digest, room, terminal) if room >= MIN_DIGEST_CELLS else ""
        line = terminal.paint(lead, "range") + terminal.paint(sign + title, row.style) + terminal.paint(tail, "range")
        if digest:
            line += GAP + terminal.paint(digest, "digest")
        return terminal.encode(line.rstrip(" ") + "\n")


def cut_cells(text: str, cells: int, terminal: Terminal) -> str:
    """`text` as a terminal shows it, cut to a number of cells (a wide character is two)."""
    text = terminal.plain(text)
    if cell_len(text) <= cells:
        return text
    ellipsis = terminal.plain("…")
    return set_cell_size(text, max(0, cells - len(ellipsis))).rstrip(" ") + ellipsis


# --- rows ---------------------------------------------------------------------------------------------------------------


def _rows(kept: Sequence[Kept[Section]], depth: int, *, in_place: bool) -> Iterator[Row]:
    for entry in kept:
        section = entry.section
        if entry.members > 1:
            yield _group_row(section, entry.last, entry.members)
            continue
        yield _section_row(section, depth, 0 if entry.children else entry.left_out)
        if not entry.children:
            continue
        if in_place:
            yield from _children(entry, depth + 1)
        else:
            yield from _rows(entry.children, depth + 1, in_place=False)
            if entry.left_out:
                yield _more_row(section, (), depth + 1, entry.left_out)


def _children(entry: Kept[Section], depth: int) -> Iterator[Row]:
    """The children that are shown, with a row wherever some are not; the first such row says how to see them."""
    parent, hint = entry.section, True
    shown = iter(entry.children)
    following = next(shown, None)
    missing: list[Section] = []

    def flush() -> Iterator[Row]:
        nonlocal hint
        if missing:
            yield _more_row(parent, missing, depth, len(missing), hint=hint)
            hint = False
            missing.clear()

    for child in parent.children:
        if following is None or following.section is not child:
            missing.append(child)
            continue
        yield from flush()
        yield from _rows([following], depth, in_place=True)
        following = next(shown, None)
    yield from flush()
    if parent.more is not None and parent.more.count:
        yield _more_row(parent, (), depth, parent.more.count, hint=hint)


def _section_row(section: Section, depth: int, left_out: int) -> Row:
    severity = str(section.facts.get("severity", "")).lower()
    sign, style = KIND_SIGNS.get(section.kind, "·"), "title" if _inside(section) else ""
    if severity in SEVERE:
        sign, style = "✖", "error"
    elif severity in WARNING:
        sign, style = "▲", "warning"
    title = section.title or section.kind
    if section.kind == "group":
        title = f"{section.count:,} × {section.facts.get('of', 'sections')}: {title}"
    tail = f"×{section.count:,}" if section.kind == "incident" and section.count > 1 else ""
    hint = ""
    if left_out:
        tail, hint = f"{tail} +{left_out:,}".lstrip(), f"--section {section.id}"
    return Row(_range(section, section), depth, sign, title, section.digest, tail, hint, style)


def _group_row(first: Section, last: Section, members: int) -> Row:
    kind = first.kind if first.kind == last.kind else "section"
    return Row(_range(first, last), 0, "…", f"{members:,} × {kind}: {first.title} … {last.title}", style="digest")


def _more_row(parent: Section, missing: Sequence[Section], depth: int, count: int, *, hint: bool = True) -> Row:
    where = _range(missing[0], missing[-1]) if missing else ""
    return Row(where, depth, "…", f"{count:,} more", hint=f" --section {parent.id}" if hint else "", style="digest")


def _inside(section: Section) -> int:
    return len(section.children) + (section.more.count if section.more is not None else 0)


def _range(first: Section, last: Section) -> str:
    """From the begin of one section to the end of another (the same one, mostly)."""
    if first.start_column is not None or last.end_column is not None:
        return f"@{first.start_byte}:{last.end_byte - first.start_byte}"
    if last.end_line <= first.start_line:
        return str(first.start_line)
    return f"{first.start_line}-{last.end_line}"


def _walk(sections: Sequence[Section]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _walk(section.children)
