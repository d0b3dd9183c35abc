"""`milepost plan FILE`: the chunks in which a file would be examined."""

from __future__ import annotations

import argparse

from milepost.cli.numbers import count_text
from milepost.cli.session import Session, file_fields
from milepost.cli.terminal import Terminal
from milepost.wire import PlanReply, PlanRequest

HEADINGS = ("chunk", "lines", "bytes", "size")


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write a table of chunks to standard output, and on standard error how many there are."""
    session = Session(options, terminal)
    request = session.request(
        PlanRequest, **file_fields(options.file), chunk_bytes=options.chunk_bytes, cursor=options.cursor
    )
    with session.work("planning") as how:
        reply = session.service.plan(request, **how)
    if options.json:
        session.write_json(request, reply)
        return 0
    fitted = session.fitted(request, reply, PlanReply)
    if fitted is None:
        terminal.notice(f"nothing fits in {session.max_bytes('plan'):,} bytes; see it with --max-bytes N")
        return 0
    if fitted.chunks:
        terminal.write(table(fitted))
    said = (
        f"{count_text(fitted.chunk_count, 'chunk')} of {count_text(fitted.line_count, 'line')}, "
        f"{count_text(fitted.byte_count, 'byte')}; plan {fitted.plan_hash}"
    )
    if fitted.next is not None:
        said += f"; {fitted.omitted_chunks:,} not listed, go on with: --cursor {fitted.next}"
    terminal.notice(said)
    return 0


def table(reply: PlanReply) -> str:
    """One row a chunk, right-aligned under headings. Chunks are numbered from 1 over the whole plan."""
    first = reply.chunk_count - reply.omitted_chunks - len(reply.chunks) + 1
    rows = [HEADINGS] + [
        (
            str(number),
            f"{chunk.start_line}-{chunk.end_line}",
            f"{chunk.start_byte}-{chunk.end_byte}",
            str(chunk.end_byte - chunk.start_byte),
        )
        for number, chunk in enumerate(reply.chunks, first)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    return "".join(
        "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in rows
    )
