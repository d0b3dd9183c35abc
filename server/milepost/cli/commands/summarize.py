"""`milepost summarize FILE`: what a file holds, as text with its outline, or as JSON."""

from __future__ import annotations

import argparse
import textwrap

from milepost.cli.numbers import count_text, size_text
from milepost.cli.reading import EXIT_FAILED, account, estimate_text, walk_fields, walked
from milepost.cli.session import Session
from milepost.cli.terminal import Terminal
from milepost.cli.tree import Tree, Wanted
from milepost.limits import fit_text
from milepost.wire import SummarizeReply, SummarizeRequest


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write the summary and below it the outline of what was read; a small file's text as it is."""
    session = Session(options, terminal)
    request = session.request(
        SummarizeRequest,
        **walk_fields(options),
        question=options.question,
        mode=options.mode,
        compact=options.compact or None,
    )
    reply = walked(session, terminal, options, session.service.summarize, request)
    if reply is None:
        return EXIT_FAILED
    if options.json:
        session.write_json(request, reply)
        return account(reply, terminal)
    if reply.estimate is not None:
        terminal.write(estimate_text(reply.estimate) + "\n")
    elif options.estimate:
        terminal.write(f"nothing would be sent: no model is set; {count_text(reply.stats.chunks_total, 'chunk')}\n")
        return 0
    elif reply.content is not None:
        return _write_content(session, request, reply, terminal)
    else:
        _write_summary(session, reply, terminal)
    return account(reply, terminal)


def _write_content(session: Session, request: SummarizeRequest, reply: SummarizeReply, terminal: Terminal) -> int:
    fitted = session.fitted(request, reply, SummarizeReply)
    text = "" if fitted is None else fitted.content or ""
    terminal.write(terminal.plain(text) if terminal.is_terminal else text)
    said = f"a small file, {size_text(reply.stats.total_bytes)}: its own text"
    following = None if fitted is None else fitted.next
    if following is not None:
        said += f"; it goes on at line {following.line:,} (byte {following.start_byte:,})"
    terminal.notice(said)
    return 0


def _write_summary(session: Session, reply: SummarizeReply, terminal: Terminal) -> None:
    max_bytes = session.max_bytes("summarize")
    text = "\n".join(terminal.plain(line) for line in reply.summary.split("\n"))
    if reply.answer is not None:
        quoted = "".join(f"\n  line {quote.start_line}: {terminal.plain(quote.text)}" for quote in reply.answer.quotes)
        text = f"{terminal.plain(reply.answer.text)}{quoted}\n\n{text}"
    if reply.followups:
        text += "\n\nAsk next: " + " · ".join(terminal.plain(one) for one in reply.followups)
    head = _fitted(wrapped(text, terminal.width), max_bytes)
    if reply.compact is not None:
        compact = "\n".join(terminal.plain(line) for line in reply.compact.split("\n"))
        terminal.write(_fitted(f"{head}\n{compact}", max_bytes))
        return
    rendered = Tree(reply.outline, terminal).render(head + ("\n" if reply.outline else ""), Wanted(max_bytes))
    terminal.write_bytes(rendered.data)
    if rendered.omitted:
        terminal.notice(
            f"{count_text(rendered.omitted, 'part')} not shown in {max_bytes:,} bytes; see more with --max-bytes N"
        )


def _fitted(text: str, max_bytes: int) -> str:
    """The text and a line end, also where it is cut: what comes next begins a line."""
    cut = fit_text(text, max(0, max_bytes - 1))
    return f"{cut}\n" if cut else ""


def wrapped(text: str, width: int) -> str:
    """The text broken into lines of the terminal's width; what is indented or a list keeps its lines."""
    return "\n".join(
        line if len(line) <= width else "\n".join(textwrap.wrap(line, width, subsequent_indent="  "))
        for line in text.split("\n")
    )
