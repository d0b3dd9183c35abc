"""Wrong usage, help and version: what a person meets before any file is opened."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import milepost as package

COMMANDS = ["outline", "read", "find", "plan", "summarize", "ask", "check", "cache", "serve", "doctor"]


def test_version_is_one_line(milepost):
    done = milepost("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"milepost {package.__version__}\n".encode(), b"")


@pytest.mark.parametrize("arguments", [["--help"], *([name, "--help"] for name in COMMANDS)], ids=" ".join)
def test_help_goes_to_standard_output(milepost, arguments):
    done = milepost(*arguments)
    assert done.returncode == 0
    assert done.stdout.startswith(b"usage: milepost")
    assert done.stderr == b""


def test_help_names_every_command_and_none_that_is_not_there(milepost):
    text = milepost("--help").stdout.decode()
    assert re.findall(r"^    (\w+)(?: |$)", text, re.MULTILINE) == COMMANDS


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ([], "COMMAND"),
        (["frobnicate"], "invalid choice"),
        (["outline"], "FILE"),
        (["outline", "f", "--frobnicate"], "unrecognized arguments: --frobnicate"),
        (["outline", "f", "--dep", "2"], "unrecognized arguments: --dep"),
        (["outline", "f", "--depth", "0"], "argument --depth: 0 is less than 1"),
        (["outline", "f", "--depth", "two"], "argument --depth: 'two' is not a whole number"),
        (["outline", "f", "--max-bytes", "-5"], "--max-bytes"),
        (["outline", "f", "--max-bytes", "9" * 30], "is not a whole number"),
        (["outline", "f", "--set", "limits"], "'limits' is not KEY=VALUE"),
        (["outline", "f", "--set", "no.such.setting=1"], "no.such.setting"),
        (["outline", "f", "--set", "limits.default_max_bytes=many"], "limits.default_max_bytes"),
        (["outline", "f", "--section", "a", "--cursor", "b"], "not allowed with"),
        (["read", "f", "--bytes", "12"], "'12' is not OFFSET:LENGTH"),
        (["read", "f", "--bytes", "0:10", "--offset", "3"], "--bytes"),
        (["find", "f"], "PATTERN"),
        (["find", "f", ""], "argument PATTERN: it is empty"),
        (["serve", "--tcp", "here"], "'here' is not HOST:PORT"),
        (["serve", "--tcp", "h:99999"], "'h:99999' is not HOST:PORT"),
        (["serve", "--tcp", "h:1", "--stdio"], "not allowed with"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_wrong_usage_is_exit_2_and_says_what(milepost, arguments, complaint):
    done = milepost(*arguments)
    assert done.returncode == 2
    assert done.stdout == b""
    message = done.stderr.decode()
    assert complaint in message.splitlines()[-1]
    assert "Traceback" not in message


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["outline", "--help"]], ids=" ".join)
def test_nothing_heavy_is_imported_before_there_is_work(environment, arguments):
    script = (
        "import sys\n"
        "from milepost.cli.app import main\n"
        f"code = main({arguments!r})\n"
        "heavy = {'numpy', 'hyperscan', 'pygls', 'lsprotocol', 'rich', 'pydantic', 'xxhash', 'platformdirs', 'asyncio'}\n"
        "sys.exit(f'imported: {heavy & set(sys.modules)}' if heavy & set(sys.modules) else code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, timeout=60, check=False)
    assert done.stderr == b""
    assert done.returncode == 0
