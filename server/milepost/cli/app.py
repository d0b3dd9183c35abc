"""From arguments to an exit code: the one place that catches errors on the command line.

Exit codes: 0 done; 1 failed, with one line `milepost: ...` on standard error; 2 wrong usage; 130 stopped by Ctrl-C. Nobody
reading on (`| head`) is no failure.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from milepost.cli.arguments import UsageError, build_parser
from milepost.cli.terminal import OutputFailed, Terminal
from milepost.errors import Cancelled, MilepostError

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

Run = Callable[[argparse.Namespace, Terminal], int]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (`sys.argv` by default) and return the exit code."""
    terminal = Terminal.of_process()
    try:
        try:
            code = _dispatch(arguments, terminal)
        except SystemExit as request:  # argparse has printed help, the version, or what is wrong
            code = request.code if isinstance(request.code, int) else EXIT_FAILED
            terminal.flush_text()
        terminal.flush()
        return code
    except BrokenPipeError:
        terminal.abandon()
        return EXIT_DONE
    except (KeyboardInterrupt, Cancelled):
        terminal.abandon()
        return EXIT_INTERRUPTED
    except OutputFailed as error:
        terminal.abandon()
        return _failed(terminal, str(error))


def _dispatch(arguments: Sequence[str] | None, terminal: Terminal) -> int:
    options = build_parser().parse_args(arguments)
    try:
        command = import_module(f"milepost.cli.commands.{options.command}")
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] == "milepost":
            raise
        return _failed(terminal, f"The library {error.name} cannot be loaded ({error}): install Milepost again.")
    try:
        return cast(Run, command.run)(options, terminal)
    except UsageError as error:
        terminal.notice(f"milepost {options.command}: error: {error}")
        return EXIT_USAGE
    except Cancelled:
        raise
    except MilepostError as error:
        if getattr(options, "json", False):
            _write_json_error(error, terminal)
        terminal.flush()
        return _failed(terminal, str(error))


def _write_json_error(error: MilepostError, terminal: Terminal) -> None:
    """What a program reads in place of the reply."""
    from milepost.wire import ErrorInfo, ErrorReply, to_json

    reply = ErrorReply(error=ErrorInfo(kind=error.kind, message=str(error)))
    terminal.write_bytes(to_json(reply, camel=False) + b"\n")


def _failed(terminal: Terminal, sentence: str) -> int:
    terminal.notice(f"milepost: {sentence}")
    return EXIT_FAILED
