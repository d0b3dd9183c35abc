"""Every view of every chunk of the corpus stands for all bytes once, and folds lines of one wording only.

In shards, as in `test_invariants`. Both are derived again: the cover by sorting ranges, line numbers by a slow count, the
folding by looking for the words that are shown in each line that they are shown for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from scanning import report, time_limit
from test_builds import CAUSES

from milepost.core.analysis import Analysis
from milepost.core.chunks import plan_chunks
from milepost.core.source import open_source
from milepost.digest.chunk_texts import ChunkReader, Scope
from milepost.digest.condense import condense
from milepost.digest.secrets import mask_secrets
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import ChunkText
from milepost.errors import MilepostError
from views import faults_of, strangers

#: Views of these hold the wording of lines of logs; of others they tell of records.
LOGS = ("log", "text", "markup", "gc_log", "strace", "thread_dump")
PART_TOKENS = 2000
SHARDS = 12
#: No chunk may take longer, in CPU seconds.
TIME_LIMIT_S = 3.0


def chunks_of(path: Path) -> Iterator[ChunkText]:
    """The chunks of a file as a walk examines them; none where it is binary."""
    with open_source(path) as source:
        analysis = Analysis(source)
        outline = analysis.outline()
        if analysis.scan is None:
            return
        plan = plan_chunks(analysis.view, index=analysis.index)
        scope = Scope(1, plan.line_count, 0, plan.byte_count)
        reader = ChunkReader(analysis.view, analysis.encoding, plan, outline, scope, 800)
        for index in range(len(reader)):
            yield reader.read(index)


def view_faults(path: Path) -> list[str]:
    """All that is wrong with the views of one file."""
    faults: list[str] = []
    try:
        for chunk in chunks_of(path):
            with time_limit(TIME_LIMIT_S):
                view = condense(chunk, mask=str)
            faults += faults_of(view, chunk)
            if chunk.format in LOGS:
                faults += strangers(view, chunk)
            if chunk.index == 0 and sum(map(len, view.parts(PART_TOKENS, estimate_tokens))) != len(view):
                faults.append("the parts are not the view")
    except MilepostError:
        return faults
    except Exception as problem:
        faults.append(f"{type(problem).__name__}: {problem}")
    return faults


@pytest.mark.corpus
@pytest.mark.parametrize("shard", range(SHARDS))
def test_views(corpus: Path, shard: int) -> None:
    """Every file of the corpus, one shard of them."""
    paths = sorted(path for path in corpus.rglob("*") if path.is_file())[shard::SHARDS]
    assert paths
    faults = {path.relative_to(corpus): found for path in paths if (found := view_faults(path))}
    assert not faults, report(faults)


@pytest.mark.corpus
@pytest.mark.parametrize(("build", "log", "causes"), CAUSES, ids=[build[:8] for build, _, _ in CAUSES])
def test_the_cause_of_a_build_is_in_the_view(corpus: Path, build: str, log: str, causes: tuple[str, ...]) -> None:
    """What a person named as the cause is shown, with secrets masked as they are before anything is sent."""
    path = corpus / "logdetective-sample" / build / log
    shown = "".join(condense(chunk, mask=mask_secrets).render() for chunk in chunks_of(path))
    assert all(cause in shown for cause in causes)
