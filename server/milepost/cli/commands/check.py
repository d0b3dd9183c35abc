"""`milepost check FILE`: whether Milepost keeps its promises on this file."""

from __future__ import annotations

import argparse

from milepost.cli.session import Session, file_fields
from milepost.cli.terminal import Terminal
from milepost.wire import CheckReply, CheckRequest


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write each invariant with `ok` or `failed`; 1 where one does not hold."""
    session = Session(options, terminal)
    request = session.request(CheckRequest, **file_fields(options.file))
    with session.work("checking") as how:
        reply = session.service.check(request, **how)
    if options.json:
        session.write_json(request, reply)
    else:
        fitted = session.fitted(request, reply, CheckReply)
        shown = fitted.checks if fitted is not None else ()
        for result in shown:
            word = terminal.paint("ok    ", "good") if result.ok else terminal.paint("failed", "error")
            terminal.write(f"{word}  {terminal.plain(result.name)}: {terminal.plain(result.message)}\n")
        if len(shown) < len(reply.checks):
            terminal.notice(f"{len(shown)} of {len(reply.checks)} results shown; see all with --max-bytes N")
    return _verdict(reply, terminal)


def _verdict(reply: CheckReply, terminal: Terminal) -> int:
    failed = [result.name for result in reply.checks if not result.ok]
    if reply.ok:
        return 0
    terminal.notice(f"milepost: {', '.join(failed) or 'an invariant'} does not hold on {reply.path}.")
    return 1
