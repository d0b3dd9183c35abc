"""The arguments of every command, in argparse's terms.

A command is a row of `COMMANDS` here and a module of the same name in `commands`; nothing else needs to know of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from milepost import __version__

DESCRIPTION = "Outlines, exact line ranges, searches, summaries and answers for files too big to read."
EPILOG = """\
Results go to standard output, everything else to standard error.
Exit status: 0, or 1 with one line that says what is wrong, or 2 for wrong usage, or 130 after Ctrl-C.
'milepost COMMAND --help' shows a command's options.
"""


class UsageError(Exception):
    """Arguments that cannot be meant, found only after they were parsed (a setting that does not exist)."""


@dataclass(frozen=True)
class Command:
    """A command: its name (also its module's), one line of help, what it adds to its parser, and whether it replies.

    Commands that reply take `--json`, `--max-bytes` and `--set` as well.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    replies: bool = True
    description: str = ""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line. `options.command` is then the name of one of `COMMANDS`."""
    parser = argparse.ArgumentParser(
        prog="milepost",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"milepost {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, title="commands")
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.description or f"{command.help[0].upper()}{command.help[1:]}.",
            allow_abbrev=False,
        )
        command.add_arguments(sub)
        if command.replies:
            _add_reply(sub)
            _add_settings(sub)
    return parser


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        dest="assignments",
        metavar="KEY=VALUE",
        type=assignment,
        action="append",
        default=[],
        help="override a setting for this run, as limits.default_max_bytes=65536 (may be repeated)",
    )


def _add_reply(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the reply as JSON, for programs")
    parser.add_argument(
        "--max-bytes", type=positive, metavar="N", help="print at most N bytes (default: the setting of this command)"
    )


def _outline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--depth", type=positive, metavar="N", help="show N levels of sections")
    parser.add_argument("--max-nodes", type=positive, metavar="N", help="show at most N sections")
    parser.add_argument("--format", metavar="NAME", help="take the file for this format, whatever it looks like")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--section", metavar="ID", help="show what lies in this section")
    where.add_argument("--cursor", metavar="C", help="go on where an earlier reply stopped")


def _read(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE[:A[-B]]", help="the file, with a line or a range of lines (1-based, inclusive)"
    )
    parser.add_argument("--offset", type=positive, metavar="N", help="begin at line N (FILE is then taken literally)")
    parser.add_argument("--limit", type=positive, metavar="N", help="at most N lines (FILE is then taken literally)")
    parser.add_argument(
        "--bytes", type=byte_range, metavar="OFF:LEN", help="LEN bytes from offset OFF (0-based), whatever the lines"
    )


def _find(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("pattern", metavar="PATTERN", type=not_empty, help="text to find, taken literally")
    parser.add_argument("--regex", action="store_true", help="PATTERN is a regular expression")
    parser.add_argument("-i", "--ignore-case", action="store_true", help="upper and lower case are the same")
    parser.add_argument("--max-hits", type=positive, metavar="N", help="at most so many hits")
    parser.add_argument("--cursor", metavar="C", help="go on where an earlier reply stopped")


def _plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--chunk-bytes", type=positive, metavar="N", help="aim at chunks of N bytes")
    parser.add_argument("--cursor", metavar="C", help="go on listing where an earlier reply stopped")


def _summarize(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--question", type=not_empty, metavar="Q", help="what the summary is written towards")
    parser.add_argument(
        "--mode",
        choices=("sequential", "parallel"),
        help="carry a running summary from chunk to chunk (default), or summarize chunks apart and merge",
    )
    parser.add_argument("--compact", action="store_true", help="the outline as a short text of 25 lines")
    _add_walk(parser)


def _ask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("question", metavar="QUESTION", type=not_empty, help="what to find out")
    parser.add_argument("--all", action="store_true", help="read on to the end, also after a chunk that answers")
    _add_walk(parser)


def _add_walk(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--section", metavar="ID", help="only this section, by its id in the outline")
    where.add_argument("--lines", type=line_range, metavar="A-B", help="only these lines (1-based, inclusive)")
    parser.add_argument(
        "--detail",
        choices=("outline", "standard", "deep"),
        help="how much of each chunk is looked at: skeleton, condensed view (default), full text",
    )
    parser.add_argument("--max-chunks", type=positive, metavar="N", help="stop after N chunks, with a cursor to go on")
    parser.add_argument("--cursor", metavar="C", help="go on where an earlier reply to the same request stopped")
    parser.add_argument(
        "--allow-host", metavar="HOST", action="append", default=[], help="agree that text is sent to this host"
    )
    parser.add_argument(
        "--estimate", action="store_true", help="send nothing; say what would be sent, how much, and to which host"
    )


def _cache(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=("clear",), help="clear: forget what models have said")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE")


def _serve(parser: argparse.ArgumentParser) -> None:
    transport = parser.add_mutually_exclusive_group()
    transport.add_argument("--stdio", action="store_true", help="speak over standard input and output (default)")
    transport.add_argument("--tcp", type=host_and_port, metavar="HOST:PORT", help="wait for clients on this address")
    transport.add_argument(
        "--websocket", type=host_and_port, metavar="HOST:PORT", help="the same, for clients on websockets"
    )


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the findings as JSON, for programs")
    _add_settings(parser)


COMMANDS = (
    Command("outline", "show the sections of a file, with exact line ranges", _outline),
    Command(
        "read",
        "print a range of lines or bytes as they are",
        _read,
        description="Print a range of lines or bytes exactly as they are in the file. "
        "What was left out is said on standard error, with the command that goes on.",
    ),
    Command("find", "find text or a regular expression, with the section each hit lies in", _find),
    Command("plan", "show the chunks in which a file would be examined", _plan),
    Command(
        "summarize",
        "say what a file holds, chunk by chunk, offline or with a model",
        _summarize,
        description="Say what a file holds, every byte of it examined. Without a model (setting model.base_url) this is done "
        "on this machine alone. Ctrl-C leaves what was found, and a cursor to go on with.",
    ),
    Command(
        "ask",
        "answer a question from a file, quoting the lines that prove it",
        _ask,
        description="Answer a question from a file, quoting the lines that prove it. Without a model (setting "
        "model.base_url) this is done on this machine alone.",
    ),
    Command("check", "verify Milepost's promises on this file: cover, exact lines, bounds", _check),
    Command("cache", "forget what models have said of files", _cache, replies=False),
    Command("serve", "run the language server for an editor", _serve, replies=False),
    Command("doctor", "say what Milepost finds on this machine: versions, settings, problems", _doctor, replies=False),
)


# --- values -------------------------------------------------------------------------------------------------------------


def positive(text: str) -> int:
    """A whole number of at least 1; digits may be grouped by commas, as Milepost prints them."""
    value = _whole_number(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def not_empty(text: str) -> str:
    """Any text but none."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def byte_range(text: str) -> tuple[int, int]:
    """`OFF:LEN` as (offset, length)."""
    offset, colon, length = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f"'{text}' is not OFFSET:LENGTH, as 4096:512")
    return _whole_number(offset), positive(length)


def line_range(text: str) -> tuple[int, int]:
    """`A-B` or `A` as the first and the last line."""
    first, dash, last = text.partition("-")
    start = positive(first)
    end = positive(last) if dash else start
    if end < start:
        raise argparse.ArgumentTypeError(f"'{text}' runs backwards")
    return start, end


def host_and_port(text: str) -> tuple[str, int]:
    """`HOST:PORT`; an IPv6 address stands in brackets, and an empty host is this machine only."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not HOST:PORT, as 127.0.0.1:2087")
    return host.removeprefix("[").removesuffix("]") or "127.0.0.1", int(port)


def assignment(text: str) -> str:
    """`KEY=VALUE`, as it is; whether there is such a key is for the settings to say."""
    key, equals, _ = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE, as limits.default_max_bytes=65536")
    return text


def _whole_number(text: str) -> int:
    digits = text.replace(",", "")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 18:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(digits)
