"""Detection: what its shortcut leaves aside could not have won."""

from __future__ import annotations

from pathlib import Path

import pytest

from milepost.core.detect import CEILINGS, detect_format, load_format, sample_of, suffixes_of
from milepost.core.formats.base import Sample
from milepost.core.source import BytesSource

_DATA = Path(__file__).resolve().parent.parent / "data"
_FIXTURES = sorted(path for folder in ("captures", "mini") for path in (_DATA / folder).iterdir() if path.is_file())


def sample(path: Path, name: str) -> Sample:
    return sample_of(BytesSource(name, path.read_bytes()), name)


@pytest.mark.parametrize("path", _FIXTURES, ids=lambda path: path.name)
def test_no_sniffer_is_surer_than_its_ceiling(path: Path) -> None:
    for name, ceiling in CEILINGS.items():
        assert load_format(name).sniff(sample(path, path.name)) <= ceiling


@pytest.mark.parametrize("path", _FIXTURES, ids=lambda path: path.name)
def test_the_surest_format_wins_as_if_all_had_been_asked(path: Path) -> None:
    for name in (path.name, path.stem.replace(".", "-")):
        one = sample(path, name)
        scores = {}
        for format_name in CEILINGS:
            candidate = load_format(format_name)
            score = candidate.sniff(one)
            scores[format_name] = score + (
                0.08 if score > 0 and name.lower().endswith(suffixes_of(format_name)) else 0.0
            )
        best = max(scores, key=lambda each: scores[each])
        assert detect_format(one).name == (best if scores[best] > 0.35 else "text")
