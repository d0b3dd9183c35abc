"""`milepost find FILE PATTERN`: where a text occurs, as `LINE: text` with the section each hit lies in."""

from __future__ import annotations

import argparse

from rich.cells import cell_len

from milepost.cli.numbers import count_text
from milepost.cli.session import Session, file_fields
from milepost.cli.terminal import Terminal
from milepost.cli.tree import cut_cells
from milepost.wire import FindReply, FindRequest, Quote


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write the hits to standard output, and on standard error how many there are and how to go on."""
    session = Session(options, terminal)
    request = session.request(
        FindRequest,
        **file_fields(options.file),
        pattern=options.pattern,
        regex=options.regex,
        case_sensitive=not options.ignore_case,
        max_hits=options.max_hits,
        cursor=options.cursor,
    )
    with session.work("searching") as how:
        reply = session.service.find(request, **how)
    if options.json:
        session.write_json(request, reply)
        return 0
    fitted = session.fitted(request, reply, FindReply)
    if fitted is None:
        terminal.notice(f"nothing fits in {session.max_bytes('find'):,} bytes; see it with --max-bytes N")
        return 0
    for hit in fitted.hits:
        terminal.write(hit_line(hit, terminal))
    terminal.notice(account(fitted))
    return 0


def hit_line(hit: Quote, terminal: Terminal) -> str:
    """`LINE: text` and the section; on a terminal cut to its width, in a pipe with the text as it is."""
    text = hit.text.rstrip("\r\n")
    line = f"{hit.start_line}: "
    section = f"  [{terminal.plain(hit.section)}]" if hit.section else ""
    if terminal.is_terminal:
        text = cut_cells(text, max(20, terminal.width - cell_len(line + section)), terminal)
    return f"{terminal.paint(line, 'range')}{text}{terminal.paint(section, 'digest')}\n"


def account(reply: FindReply) -> str:
    """How many hits there are, how many of them are shown, and how to go on."""
    shown = count_text(len(reply.hits), "hit")
    if reply.total_hits is not None and reply.total_hits > len(reply.hits):
        shown = f"{len(reply.hits):,} of {count_text(reply.total_hits, 'hit')}"
    if reply.next is None:
        return shown
    return f"{shown}; go on with: --cursor {reply.next}"
