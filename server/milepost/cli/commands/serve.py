"""`milepost serve`: the language server, on standard input and output or for clients on TCP or websockets."""

from __future__ import annotations

import argparse
import sys

from milepost.cli.terminal import Terminal
from milepost.lsp.app import run_stdio, run_tcp, run_websockets


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Serve until the client, or Ctrl-C, ends it."""
    address = options.tcp or options.websocket
    if address is None:
        if sys.stdin is not None and sys.stdin.isatty():
            terminal.notice("milepost: waiting for an editor on standard input; Ctrl-C ends this")
        run_stdio()
        return 0
    host, port = address
    try:
        (run_tcp if options.tcp else run_websockets)(host, port)
    except ImportError:
        terminal.notice("milepost: --websocket needs the library websockets: install milepost[websocket].")
        return 1
    except OSError as error:
        terminal.notice(f"milepost: {host}:{port} cannot be listened on: {error.strerror or error}.")
        return 1
    return 0
