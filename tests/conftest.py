"""What every test is given: folders of its own for configuration and cache, and the way to fixtures and corpus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from corpus_path import CHECKOUT, corpus_folder

DATA = CHECKOUT / "tests" / "data"


@pytest.fixture(autouse=True)
def isolated_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own for each test: no settings, keys or caches of the person who runs the tests reach Milepost."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith("MILEPOST_") and name != "MILEPOST_CORPUS":
            monkeypatch.delenv(name)
    for name in ("OPENAI_API_KEY", "NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home / name.split("_")[1].lower()))
    return home


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of the fixtures, `tests/data`."""
    return DATA


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of the corpus. A test that asks for it is skipped where there is none."""
    folder = corpus_folder()
    if folder is None:
        pytest.skip("no corpus: MILEPOST_CORPUS is not set and ../shared/corpus is not there")
    return folder
