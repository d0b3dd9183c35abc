"""Runs the real program in a process of its own, with no settings but those a test gives."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "server"

#: Variables that would change what the program shows.
_UNSET = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL", "LANG", "TERM")

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


def command(*arguments: str | bytes | Path) -> Sequence[str | bytes]:
    """The command line that runs Milepost with these arguments."""
    return [sys.executable, "-m", "milepost", *(os.fspath(argument) for argument in arguments)]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment of the user's own settings, cache and locale: none of them this machine's."""
    kept = {
        name: value for name, value in os.environ.items() if name not in _UNSET and not name.startswith("MILEPOST_")
    }
    home = tmp_path / "home"
    home.mkdir()
    return {
        **kept,
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(SERVER),
        "PYTHONWARNINGS": "error",
    }


@pytest.fixture
def milepost(tmp_path: Path, environment: dict[str, str]) -> Run:
    """`milepost("outline", path, env={...})`: the finished process, its output as bytes."""

    def run(
        *arguments: str | bytes | Path, env: dict[str, str] | None = None, **options: object
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command(*arguments),
            env={**environment, **(env or {})},
            cwd=options.pop("cwd", tmp_path),
            capture_output=True,
            timeout=60,
            check=False,
            **options,
        )

    return run
