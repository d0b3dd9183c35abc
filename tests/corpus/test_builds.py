"""Six real builds that failed: the outline, capped at 8 KB of text, shows the line that a person named as the cause."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CAP_BYTES = 8192

#: Build, its log, and what the person's words in sample_metadata.yaml (`issue`) point at, as it stands in the line.
CAUSES = (
    ("0bcfc3d6-3b97-4dde-a2b4-1ae8dd378180", "builder-live.log", ("nothing provides clang = 13.0.0",)),
    ("21ad14e5-f01f-4f88-ae60-eea095478e45", "build.log", ("`gf_estimate_kernel'", "`estimate_kernel'")),
    ("3b668dda-5516-498f-a0c4-fa13903e7ca7", "root.log", ("nothing provides requested (python3dist(botocore)",)),
    ("449ca0a3-a264-4f86-a3ec-b0a7b0af9b4d", "build.log", ("MsgHandler.h:45:30: error:", "MsgHandler.h:49:25: error:")),
    ("b638a5ca-9315-41ad-9db9-0484ce29743a", "build.log", ("undefined reference to `TIFFErrorExtR'",)),
    ("f91ba960-67ea-4eb1-97b1-a897111dd030", "builder-live.log", ("gnome-shell-notify-gnome-session.patch",)),
)


@pytest.mark.corpus
@pytest.mark.parametrize(("build", "log", "causes"), CAUSES, ids=[build[:8] for build, _, _ in CAUSES])
def test_the_cause_is_in_the_outline(corpus: Path, build: str, log: str, causes: tuple[str, ...]) -> None:
    path = corpus / "logdetective-sample" / build / log
    command = [sys.executable, "-m", "milepost", "outline", str(path), "--max-bytes", str(CAP_BYTES)]
    # readline sets COLUMNS behind Python's back: what is piped has no window, so it must not be passed on.
    done = subprocess.run(command, capture_output=True, check=True, env=dict(os.environ))
    assert len(done.stdout) <= CAP_BYTES
    shown = done.stdout.decode()
    for cause in causes:
        assert cause in shown
