"""What is compiled once is searched with from many threads at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from milepost.core.code.languages import LANGUAGES
from milepost.core.code.line_heads import symbols_by_lines
from milepost.core.lines import line_starts
from milepost.core.logs.triggers import TriggerPatterns
from milepost.digest.secrets import mask_secrets

LOG = b"2026-03-01 10:00:00 ERROR failed: connection refused\n2026-03-01 10:00:01 INFO fine\n" * 20_000
CODE = b"def one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        pass\n\n\n" * 5_000
TRIGGERS = TriggerPatterns(())


def of_log() -> object:
    return np.asarray(TRIGGERS.hit_lines(LOG, line_starts(LOG)).lines).tolist()


def of_code() -> object:
    python = next(language for language in LANGUAGES if language.name == "python")
    return len(symbols_by_lines(CODE, python, []))


def of_secrets() -> object:
    return mask_secrets("password=" + "hunter2" * 3 + "\n" + "nothing here\n" * 20_000)


@pytest.mark.parametrize("search", [of_log, of_code, of_secrets])
def test_threads_do_not_meet(search: Callable[[], object]) -> None:
    expected = search()
    with ThreadPoolExecutor(8) as pool:
        assert all(found == expected for found in pool.map(lambda _: search(), range(32)))
