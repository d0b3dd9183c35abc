"""One module a command, imported only when it is asked for: each has `run(options, terminal) -> exit code`."""

from __future__ import annotations
