"""Offline summaries of the corpus: sound on every larger file, and of the six builds that failed, the cause comes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from scanning import report
from test_builds import CAUSES

from summaries import faults_of, summarize, ungrounded

LEAST_BYTES = 98_304
SHARDS = 4


@pytest.mark.corpus
@pytest.mark.parametrize(("build", "log", "causes"), CAUSES, ids=[build[:8] for build, _, _ in CAUSES])
def test_the_cause_of_a_build_comes_first(corpus: Path, build: str, log: str, causes: tuple[str, ...]) -> None:
    text = summarize(corpus / "logdetective-sample" / build / log).text
    told = "\n".join(text.splitlines()[:10])
    assert any(cause in told for cause in causes), told


@pytest.mark.corpus
@pytest.mark.parametrize("shard", range(SHARDS))
def test_summaries(corpus: Path, shard: int) -> None:
    paths = sorted(path for path in corpus.rglob("*") if path.is_file() and path.stat().st_size >= LEAST_BYTES)
    faults = {}
    for path in paths[shard::SHARDS]:
        summary = summarize(path)
        found = [*faults_of(summary), *ungrounded(summary, path.read_bytes())]
        resumed = summarize(path, interrupted=True)
        if (resumed.text, resumed.questions) != (summary.text, summary.questions):
            found.append("an interrupted walk ends in other words")
        found += faults_of(summarize(path, most_chunks=1))
        if found:
            faults[path.relative_to(corpus)] = found
    assert not faults, report(faults)
