"""Runs the real program in a process of its own, with no settings but those a test gives."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "server"

#: Variables that would change what the program shows.
_UNSET = (
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "LINES",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "LC_ALL",
    "LANG",
    "TERM",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
)

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]
Finished = subprocess.CompletedProcess


def command_line(*arguments: str | bytes | Path) -> Sequence[str | bytes]:
    """The command line that runs Milepost with these arguments."""
    return [sys.executable, "-m", "milepost", *(os.fspath(argument) for argument in arguments)]


@pytest.fixture
def command() -> Callable[..., Sequence[str | bytes]]:
    """`command("outline", path)`: the command line, for a test that runs the process itself."""
    return command_line


@pytest.fixture(scope="session")
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the processes of a session keep compiled modules: an installed Milepost has them compiled, too."""
    return tmp_path_factory.mktemp("bytecode")


@pytest.fixture
def environment(tmp_path: Path, bytecode: Path) -> dict[str, str]:
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
        "PYTHONPYCACHEPREFIX": str(bytecode),
        "PYTHONWARNINGS": "error",
    }


@pytest.fixture
def milepost(tmp_path: Path, environment: dict[str, str]) -> Run:
    """`milepost("outline", path, env={...})`: the finished process, its output as bytes."""

    def run(
        *arguments: str | bytes | Path, env: dict[str, str] | None = None, **options: object
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            command_line(*arguments),
            env={**environment, **(env or {})},
            cwd=options.pop("cwd", tmp_path),
            capture_output=True,
            timeout=60,
            check=False,
            **options,
        )

    return run


#: Runs many command lines, one after the other, in one process: starting it takes longer than most of them.
_MANY = """
import base64, io, json, sys
from milepost.cli.app import main
results = []
for arguments in json.load(sys.stdin):
    sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    try:
        code = main(arguments)
    except BaseException:
        sys.stderr = sys.__stderr__
        raise
    results.append([code, *(base64.b64encode(stream.buffer.getvalue()).decode() for stream in (sys.stdout, sys.stderr))])
sys.__stdout__.write(json.dumps(results))
"""


@pytest.fixture
def milepost_many(tmp_path: Path, environment: dict[str, str]) -> Callable[[list[list[str]]], list[Finished]]:
    """`milepost_many([["outline", path], ...])`: what each gave, as `milepost` does."""

    def run(command_lines: list[list[str]]) -> list[Finished]:
        done = subprocess.run(
            [sys.executable, "-c", _MANY],
            env=environment,
            cwd=tmp_path,
            input=json.dumps(command_lines).encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        results = json.loads(done.stdout)
        return [
            Finished(arguments, code, base64.b64decode(stdout), base64.b64decode(stderr))
            for arguments, (code, stdout, stderr) in zip(command_lines, results, strict=True)
        ]

    return run
