"""The invariants hold on every fixture, and on every file of the corpus.

The corpus is gone through in shards, so that `pytest -n 2` runs them side by side. Every fault of every file is
collected before a shard fails. A file may be refused, but only by one of Milepost's own errors, in one line.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType

import pytest
from invariants import check_outline, walk

from milepost.core.analysis import Analysis
from milepost.core.identity import Change
from milepost.core.outline import Outline
from milepost.core.source import open_source
from milepost.errors import MilepostError

DATA = Path(__file__).resolve().parent.parent / "data"
FIXTURES = sorted(path for folder in ("captures", "mini") for path in (DATA / folder).iterdir())
SHARDS = 12
#: No file may take longer, in CPU seconds: other tests run beside this one, so the clock on the wall is no measure.
TIME_LIMIT_S = 10.0
MAX_NODES = 5000


class TooSlow(Exception):
    """The time limit was reached."""


@contextmanager
def time_limit() -> Iterator[None]:
    """Raises TooSlow in what runs inside once it has used its CPU time."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"not done after {TIME_LIMIT_S:.0f} s of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, TIME_LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outline_of(path: Path) -> Outline:
    """The exact outline of a file, by nothing but the core."""
    with open_source(path) as source:
        return Analysis(source).outline()


def faults_of(path: Path) -> list[str]:
    """All that is wrong with what Milepost says of one file."""
    try:
        with time_limit():
            outline = outline_of(path)
        again = outline_of(path)
    except MilepostError as refusal:
        sentence = str(refusal)
        return [] if sentence.strip() and "\n" not in sentence else [f"refused without one clear line: {sentence!r}"]
    except Exception as problem:
        return [f"{type(problem).__name__}: {problem}"]
    faults = check_outline(outline, path.read_bytes(), max_nodes=MAX_NODES)
    if again != outline:
        faults.append("two scans of the same bytes differ")
    return faults


def report(faults: dict[Path, list[str]]) -> str:
    """Every file with its first faults."""
    lines = [f"{len(faults)} files break an invariant:"]
    for path, sentences in faults.items():
        lines.append(f"  {path}: {len(sentences)} faults")
        lines += [f"      {sentence[:300]}" for sentence in sentences[:4]]
    return "\n".join(lines)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_fixture(path: Path) -> None:
    """Every fixture, by itself."""
    assert not (faults := faults_of(path)), report({path: faults})


@pytest.mark.corpus
@pytest.mark.parametrize("shard", range(SHARDS))
def test_corpus_file(corpus: Path, shard: int) -> None:
    """Every file of the corpus, one shard of them."""
    paths = sorted(path for path in corpus.rglob("*") if path.is_file())[shard::SHARDS]
    assert paths
    faults = {path.relative_to(corpus): found for path in paths if (found := faults_of(path))}
    assert not faults, report(faults)


@pytest.mark.parametrize(
    "path", [path for path in FIXTURES if path.parent.name == "captures"], ids=lambda path: path.name
)
def test_sed_prints_each_section(path: Path) -> None:
    """`sed -n 'A,Bp'` prints exactly the bytes of a section's range: the promise, kept by another program."""
    data = path.read_bytes()
    assert b"\r" not in data
    sections = [section for section, _ in walk(outline_of(path).sections)]
    for section in random.Random(1).sample(sections, min(12, len(sections))):
        lines = f"{section.start_line},{section.end_line}p"
        printed = subprocess.run(["sed", "-n", lines, str(path)], capture_output=True, check=True).stdout
        assert printed == data[section.start_byte : section.end_byte], section


@pytest.mark.parametrize("name", ["postgresql.log", "java-util-logging.log", "cpp-build.log", "nginx-access.log"])
def test_growth_equals_one_scan(name: str, tmp_path: Path) -> None:
    """A prefix scanned and then appended to is outlined like the whole, wherever it was cut."""
    whole = DATA.joinpath("captures", name).read_bytes()
    whole *= 1 + (5 << 20) // 2 // len(whole)
    path = tmp_path / name
    path.write_bytes(whole)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    expected = outline_of(path)
    chance = random.Random(name)
    for cut in (chance.randrange(1 << 20, len(whole)) for _ in range(4)):
        path.write_bytes(whole[:cut])
        os.utime(path, (1_700_000_000, 1_700_000_000))
        with open_source(path) as first:
            analysis = Analysis(first)
            analysis.outline()
        with path.open("ab") as file:
            file.write(whole[cut:])
        os.utime(path, (1_700_000_000, 1_700_000_000))
        with open_source(path) as second:
            assert analysis.refresh(second) is Change.GREW
            grown = analysis.outline()
        assert grown == expected, f"cut at {cut}"
        assert analysis.scan is not None


def test_a_false_outline_is_caught() -> None:
    """The checks themselves: each falsehood told about a true outline is named."""
    path = DATA / "captures" / "postgresql.log"
    data = path.read_bytes()
    true = outline_of(path)
    assert check_outline(true, data) == []
    first, *rest = true.sections
    assert rest, "the example needs two sections"
    changes = {
        "total_lines": replace(true, total_lines=7),
        "ends at byte": replace(true, sections=(first, *rest[:-1])),
        "starts at byte": replace(true, sections=tuple(rest)),
        "line 2": replace(true, sections=(replace(first, start_line=2), *rest)),
        "longer than": replace(true, sections=(replace(first, title="x" * 121), *rest)),
        "holds": replace(true, sections=(replace(first, digest="\x1b[31mred"), *rest)),
        "given twice": replace(true, sections=(replace(first, id=rest[0].id), *rest)),
        "outside": replace(true, sections=(replace(first, children=(rest[0],)), *rest)),
        "the cap is": true,
    }
    for sentence, false in changes.items():
        cap = 1 if false is true else MAX_NODES
        assert any(sentence in fault for fault in check_outline(false, data, max_nodes=cap)), sentence
