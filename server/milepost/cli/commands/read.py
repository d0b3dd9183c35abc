"""`milepost read FILE[:A[-B]]`: a range of a file, byte for byte."""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from milepost.cli.arguments import UsageError
from milepost.cli.numbers import count_text
from milepost.cli.session import Session, file_fields
from milepost.cli.terminal import Terminal, escape_controls
from milepost.core.reads import parse_anchor
from milepost.core.source import open_source
from milepost.wire import ReadReply, ReadRequest


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write the range to standard output, and on standard error what it is and how to go on."""
    path, where = range_fields(options)
    session = Session(options, terminal)
    request = session.request(ReadRequest, **file_fields(path), **where)
    with session.work("reading") as how:
        reply = session.service.read(request, **how)
    if options.json:
        session.write_json(request, reply)
        return 0
    with open_source(path) as source:
        data = source.read_at(reply.start_byte, reply.end_byte - reply.start_byte)
    write_verbatim(data, reply, terminal)
    terminal.notice(account(reply, path))
    return 0


def range_fields(options: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """The path, and the fields of the request that name the range."""
    by_lines = options.offset is not None or options.limit is not None
    if options.bytes is not None and by_lines:
        raise UsageError("--bytes counts bytes and --offset and --limit count lines: give one or the other")
    anchor = parse_anchor(options.file, allow_suffix=not by_lines and options.bytes is None)
    if options.bytes is not None:
        return anchor.path, {"start_byte": options.bytes[0], "length": options.bytes[1]}
    if by_lines:
        return anchor.path, {"offset": options.offset or 1, "limit": options.limit}
    if anchor.start_line is not None and anchor.end_line is None:
        return anchor.path, {"offset": anchor.start_line}
    return anchor.path, {"start_line": anchor.start_line, "end_line": anchor.end_line}


def write_verbatim(data: bytes, reply: ReadReply, terminal: Terminal) -> None:
    """The bytes as they are; on a terminal as text in which nothing acts on it, so that a file cannot draw there."""
    if not terminal.is_terminal:
        terminal.write_bytes(data)
        return
    text = data.decode("utf-8" if reply.encoding == "binary" else reply.encoding, "backslashreplace")
    text = escape_controls(text.replace("\r\n", "\n").replace("\r", "\n"))
    terminal.write(text if not text or text.endswith("\n") else text + "\n")


def account(reply: ReadReply, path: str) -> str:
    """What was written, of how much, and the command that goes on."""
    total = "" if reply.total_lines is None else f" of {reply.total_lines:,}"
    if reply.end_byte == reply.start_byte:
        said = f"no lines{total}"
    elif reply.end_line == reply.start_line:
        said = f"line {reply.start_line:,}{total}"
    else:
        said = f"lines {reply.start_line:,}-{reply.end_line:,}{total}"
    if reply.start_column is not None or reply.end_column is not None:
        said += f" (bytes {reply.start_byte:,}-{reply.end_byte:,})"
    if reply.next is None:
        return said
    command = f"milepost read {shlex.quote(path)} --bytes {reply.next.start_byte}:{reply.omitted_bytes}"
    return f"{said}; {count_text(reply.omitted_bytes, 'byte')} left, go on with: {command}"
