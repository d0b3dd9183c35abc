"""`milepost outline FILE`: the sections of a file, as a tree or as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rich.cells import cell_len

from milepost.cli.numbers import count_text, size_text
from milepost.cli.session import Session, file_fields
from milepost.cli.terminal import Terminal
from milepost.cli.tree import Tree, Wanted, cut_cells
from milepost.wire import OutlineReply, OutlineRequest

SHOWN_PROBLEMS = 3
MIN_NAME_CELLS = 16


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Show the outline; say on standard error what was left out and how to see it."""
    session = Session(options, terminal)
    request = session.request(
        OutlineRequest,
        **file_fields(options.file),
        depth=options.depth,
        max_nodes=options.max_nodes,
        format=options.format,
        section=options.section,
        cursor=options.cursor,
    )
    with session.work("scanning") as how:
        reply = session.service.outline(request, **how)
    if options.json:
        session.write_json(request, reply)
        return 0
    max_bytes = session.max_bytes("outline")
    lines = [
        terminal.paint(cut_cells(line, terminal.width, terminal), style)
        for line, style in header(reply, terminal.plain(options.file), terminal.width)
    ]
    wanted = Wanted(max_bytes, options.depth, options.max_nodes, in_order=options.cursor is not None)
    rendered = Tree(reply.sections, terminal).render("".join(f"{line}\n" for line in lines), wanted)
    terminal.write_bytes(rendered.data)
    cursor = session.cursor_at(reply, rendered.first_omitted) or reply.next
    if rendered.omitted:
        terminal.notice(
            f"{count_text(rendered.omitted, 'section')} not shown in {max_bytes:,} bytes; "
            "see more with --max-bytes N, or --section ID"
        )
    if cursor:
        terminal.notice(f"go on with: --cursor {cursor}")
    return 0


def header(reply: OutlineReply, name: str, width: int) -> Iterator[tuple[str, str]]:
    """What is known of the file as a whole, as lines with their styles: one, and one more for each thing to be aware of.

    Of a long name the end stays, so that the facts behind it fit as well.
    """
    parts = [reply.format, size_text(reply.total_bytes)]
    if reply.total_lines is not None:
        parts.append(count_text(reply.total_lines, "line"))
    if reply.encoding not in ("utf-8", "ascii", "binary"):
        parts.append(reply.encoding)
    if reply.line_ending not in ("lf", "none"):
        parts.append(f"{reply.line_ending} line ends")
    if reply.lone_cr and reply.line_ending != "cr":
        parts.append(count_text(reply.lone_cr, "lone CR"))
    if reply.state != "exact":
        parts.append(reply.state)
    if reply.section:
        parts.append(f"inside {reply.section}")
    facts = "".join(f" · {part}" for part in parts)
    room = max(MIN_NAME_CELLS, width - cell_len(facts))
    yield (name if cell_len(name) <= room else f"…{name[1 - room :]}") + facts, "path"
    if reply.degraded:
        yield f"degraded: {reply.degraded}", "warning"
    for problem in reply.problems[:SHOWN_PROBLEMS]:
        yield f"problem: line {problem.line}: {problem.message}", "warning"
    if len(reply.problems) > SHOWN_PROBLEMS:
        yield f"and {count_text(len(reply.problems) - SHOWN_PROBLEMS, 'further problem')}", "warning"
