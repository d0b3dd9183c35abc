"""A client that is not ours: Neovim's built-in LSP, headless, on a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sample_log import ERROR_LINE, TRACE_END_LINE, sample_text

NEOVIM = shutil.which("nvim")
SCRIPT = Path(__file__).with_name("neovim.lua")

pytestmark = pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed (Debian: apt-get install neovim)")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Neovim got from the server."""
    assert NEOVIM is not None
    folder = tmp_path_factory.mktemp("neovim")
    log = folder / "a server.log"
    log.write_text(sample_text(200), encoding="utf-8")
    out = folder / "found.json"
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder),
        "XDG_DATA_HOME": str(folder),
        "XDG_CACHE_HOME": str(folder),
        "MILEPOST_TEST_SERVER": json.dumps([sys.executable, "-m", "milepost", "serve"]),
        "MILEPOST_TEST_FILE": str(log),
        "MILEPOST_TEST_OUT": str(out),
    }
    command = [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(SCRIPT)]
    done = subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True, check=False)
    assert out.exists(), done.stderr
    result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in result, result["problem"]
    return result


def test_neovim_lists_the_symbols(found: dict[str, Any]) -> None:
    lines = [item["lnum"] for item in found["items"]]
    assert ERROR_LINE in lines
    assert all(item["text"] for item in found["items"])
    assert found["cursor"] == [ERROR_LINE, 0]


def test_neovim_gets_lenses_and_folds(found: dict[str, Any]) -> None:
    (lens,) = [one for one in found["lenses"] if one["range"]["start"]["line"] == ERROR_LINE - 1]
    assert lens["command"]["title"]
    assert {"startLine": ERROR_LINE - 1, "endLine": TRACE_END_LINE - 1, "kind": "region"} in found["folds"]


def test_commands_run_from_neovim(found: dict[str, Any]) -> None:
    assert found["outline"]["format"] == "log"
    assert [hit["startLine"] for hit in found["hit"]["hits"]] == [ERROR_LINE + 4]


def test_the_text_follows_neovims_edits(found: dict[str, Any]) -> None:
    assert len(found["texts"]) == 6
    for texts in found["texts"]:
        assert texts["server"] == texts["buffer"]
    ends = [symbol["range"]["end"]["line"] + 1 for symbol in found["symbols_after"]]
    assert max(ends) == found["lines_after"]
    assert found["stopped"]
