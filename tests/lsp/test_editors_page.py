"""What `docs/editors.md` tells users of Neovim and Emacs to write is run as it stands there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from editors_page import snippet
from sample_log import ERROR_LINE, sample_text
from test_eglot import WHY_NOT

HERE = Path(__file__).parent
ANSWERED = f"line {ERROR_LINE}: "


def run(folder: Path, section: str, language: str, command: list[str]) -> Any:
    """Run an editor with the page's snippet as its plugin; what its user saw."""
    log, plugin, out = folder / "a server.log", folder / f"plugin.{language}", folder / "found.json"
    log.write_text(sample_text(4000), encoding="utf-8")
    plugin.write_text(snippet(section, language), encoding="utf-8")
    environment = {
        **os.environ,
        "HOME": str(folder),
        **{f"XDG_{kind}_HOME": str(folder) for kind in ("STATE", "DATA", "CACHE")},
        "LC_ALL": "C.UTF-8",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "MILEPOST_TEST_PLUGIN": str(plugin),
        "MILEPOST_TEST_FILE": str(log),
        "MILEPOST_TEST_OUT": str(out),
    }
    done = subprocess.run(
        command, env=environment, cwd=folder, timeout=150, capture_output=True, text=True, check=False
    )
    assert out.exists(), done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in found, found["problem"]
    return found


@pytest.mark.skipif(shutil.which("nvim") is None, reason="Neovim is not installed (Debian: apt-get install neovim)")
def test_the_lua_of_the_page(tmp_path: Path) -> None:
    start = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(HERE / "editors_page.lua")]
    found = run(tmp_path, "Neovim", "lua", start)
    error = {"lnum": ERROR_LINE, "file": str(tmp_path / "a server.log")}
    for list_of in (found["unopened"], found["outline"]):
        assert any(error.items() <= place.items() and "request failed" in place["text"] for place in list_of)
    assert found["clients"] == 1
    assert found["cursor"] == ERROR_LINE
    lines = sample_text(4000).split("\n")
    assert found["unopened_lines"] == lines[ERROR_LINE - 1 : ERROR_LINE + 1]
    assert found["lines"] == lines[ERROR_LINE - 1 : ERROR_LINE]
    assert [(hit["lnum"], hit["text"]) for hit in found["hits"]] == [(ERROR_LINE + 4, lines[ERROR_LINE + 3])]
    assert len("\n".join(found["summary"])) > 40
    assert any(line.startswith(ANSWERED) for line in found["answer"])
    assert ERROR_LINE in [symbol["lnum"] for symbol in found["symbols"]]
    assert found["told"] == [found["refusal"]]
    assert "no-such-file.log" in found["refusal"]


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_the_elisp_of_the_page(tmp_path: Path) -> None:
    found = run(tmp_path, "Emacs (eglot)", "elisp", ["emacs", "-Q", "--batch", "-l", str(HERE / "editors_page.el")])
    assert found["mode"] == "milepost-log-mode"
    assert f"a server.log:{ERROR_LINE}:" in found["outline"]
    assert found["line"] == ERROR_LINE
    lines = sample_text(4000).split("\n")
    assert found["lines"] == "".join(f"{line}\n" for line in lines[ERROR_LINE - 1 : ERROR_LINE + 1])
    assert found["hits"].endswith(f"a server.log:{ERROR_LINE + 4}:{lines[ERROR_LINE + 3]}\n")
    assert len(found["summary"]) > 40
    assert ANSWERED in found["answer"]
    assert "no-such-file.log" in found["refusal"]
