"""`milepost cache clear`: forget what models have said of files."""

from __future__ import annotations

import argparse

from milepost.cli.numbers import count_text, size_text
from milepost.cli.terminal import Terminal
from milepost.digest.cache import cache_folder, clear_cache


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Delete the kept digests, and say how many there were."""
    count, size = clear_cache(cache_folder())
    terminal.write(f"{count_text(count, 'digest')} deleted, {size_text(size)}\n")
    return 0
