"""`milepost serve`: the language server, on standard input and output or for one client over TCP."""

from __future__ import annotations

import argparse

from milepost.cli.terminal import Terminal
from milepost.lsp import app


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Serve until the client says that it is done."""
    if options.tcp is not None:
        host, port = options.tcp
        app.run_tcp(host, port)
    else:
        app.run_stdio()
    return 0
