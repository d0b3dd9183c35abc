"""`milepost serve`: the language server, on standard input and output or for clients over TCP."""

from __future__ import annotations

import argparse
import sys

from milepost.cli.terminal import Terminal
from milepost.lsp.app import run_stdio, run_tcp


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Serve until the client, or Ctrl-C, ends it."""
    if options.tcp is None:
        if sys.stdin is not None and sys.stdin.isatty():
            terminal.notice("milepost: waiting for an editor on standard input; Ctrl-C ends this")
        run_stdio()
        return 0
    host, port = options.tcp
    try:
        run_tcp(host, port)
    except OSError as error:
        terminal.notice(f"milepost: {host}:{port} cannot be listened on: {error.strerror or error}.")
        return 1
    return 0
