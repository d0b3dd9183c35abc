"""`milepost ask FILE QUESTION`: the answer, and the lines that prove it."""

from __future__ import annotations

import argparse

from milepost.cli.commands.summarize import wrapped
from milepost.cli.numbers import count_text
from milepost.cli.reading import EXIT_FAILED, account, estimate_text, walk_fields, walked
from milepost.cli.session import Session
from milepost.cli.terminal import Terminal
from milepost.wire import AskReply, AskRequest


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write the answer and its quotes to standard output; how far was read, and how to go on, on standard error."""
    session = Session(options, terminal)
    request = session.request(AskRequest, **walk_fields(options), question=options.question, all=options.all or None)
    reply = walked(session, terminal, options, session.service.ask, request)
    if reply is None:
        return EXIT_FAILED
    if options.json:
        session.write_json(request, reply)
    elif reply.estimate is not None:
        terminal.write(estimate_text(reply.estimate) + "\n")
    elif options.estimate:
        terminal.write(f"nothing would be sent: no model is set; {count_text(reply.stats.chunks_total, 'chunk')}\n")
        return 0
    else:
        fitted = session.fitted(request, reply, AskReply)
        if fitted is None:
            terminal.notice(f"nothing fits in {session.max_bytes('ask'):,} bytes; see it with --max-bytes N")
        else:
            _write_answer(fitted, options.file, terminal)
    return account(reply, terminal)


def _write_answer(reply: AskReply, file: str, terminal: Terminal) -> None:
    answer = reply.answer
    if answer is None:
        return
    terminal.write(wrapped(terminal.plain(answer.text), terminal.width) + "\n")
    for quote in answer.quotes:
        place = f"{quote.start_line}-{quote.end_line}" if quote.end_line > quote.start_line else f"{quote.start_line}"
        terminal.write("\n" + terminal.paint(f"{terminal.plain(file)}:{place}", "range") + "\n")
        for line in quote.text.splitlines():
            terminal.write(f"  {terminal.plain(line)}\n")
