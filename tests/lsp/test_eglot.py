"""Another client that is not ours: Emacs' eglot, headless, on a real server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sample_log import ERROR_LINE, sample_text

SCRIPT = Path(__file__).with_name("eglot.el")


def why_not() -> str:
    """Why eglot cannot be run here; empty where it can."""
    emacs = shutil.which("emacs")
    if emacs is None:
        return "Emacs is not installed (Debian: apt-get install emacs-nox elpa-eglot)"
    find = (
        '(let ((default-directory "/usr/share/emacs/site-lisp/elpa-src"))'
        "  (when (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)))"
    )
    command = [emacs, "-Q", "--batch", "--eval", find, "--eval", "(require 'eglot)"]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        return "this Emacs has no eglot (Debian: apt-get install elpa-eglot)"
    return ""


WHY_NOT = why_not()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What eglot got from the server."""
    folder = tmp_path_factory.mktemp("eglot")
    log = folder / "a server.log"
    log.write_text(sample_text(200), encoding="utf-8")
    out = folder / "found.json"
    environment = {
        **os.environ,
        "HOME": str(folder),
        "LC_ALL": "C.UTF-8",
        "MILEPOST_TEST_SERVER": json.dumps([sys.executable, "-m", "milepost", "serve"]),
        "MILEPOST_TEST_FILE": str(log),
        "MILEPOST_TEST_OUT": str(out),
    }
    command = ["emacs", "-Q", "--batch", "-l", str(SCRIPT)]
    done = subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True, check=False)
    assert out.exists(), done.stderr
    result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in result, result["problem"]
    return result


def test_imenu_lists_the_sections_and_jumps_to_the_error(found: dict[str, Any]) -> None:
    assert found["name"] == "milepost"
    assert ERROR_LINE in found["marks"]
    assert found["line"] == ERROR_LINE


def test_eglot_gets_lenses(found: dict[str, Any]) -> None:
    (lens,) = [one for one in found["lenses"] if one["range"]["start"]["line"] == ERROR_LINE - 1]
    assert lens["command"]["title"]


def test_commands_run_from_emacs(found: dict[str, Any]) -> None:
    assert found["outline"]["format"] == "log"
    assert [hit["startLine"] for hit in found["hit"]["hits"]] == [ERROR_LINE + 4]


def test_the_text_follows_the_edits_of_emacs(found: dict[str, Any]) -> None:
    assert len(found["texts"]) == 6
    for texts in found["texts"]:
        assert texts["server"] == texts["buffer"]
    ends = [symbol["range"]["end"]["line"] + 1 for symbol in found["symbols_after"]]
    assert max(ends) == found["lines_after"]
    assert found["stopped"]
