"""Where the command line's settings come from. Apart from `session`, so that `doctor` needs no library that may be broken."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from milepost.cli.arguments import UsageError
from milepost.settings import LoadedSettings, command_line_layer, load_settings, user_layer, workspace_layer


def read_settings(assignments: Sequence[str]) -> LoadedSettings:
    """The settings of the user's file, of the folder we are in, and of `--set`, the strongest last.

    Raises `UsageError` for a `--set` that cannot be used. A file's bad values are problems of the result.
    """
    given = command_line_layer(assignments)
    for problem in load_settings([given]).problems:
        if not problem.startswith("unknown command "):  # those are named, not refused, wherever they stand
            raise UsageError(problem)
    return load_settings([user_layer(), workspace_layer(Path.cwd()), given])
