"""The invariants hold on every fixture, and on every file of the corpus.

The corpus is gone through in shards, so that `pytest -n 2` runs them side by side. Every fault of every file is
collected before a shard fails. A file may be refused, but only by one of Milepost's own errors, in one line.
"""

from __future__ import annotations

import os
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from invariants import check_outline, walk
from scanning import MAX_NODES, faults_of, outline_of, report

from milepost.core.analysis import Analysis
from milepost.core.identity import Change
from milepost.core.source import open_source

DATA = Path(__file__).resolve().parent.parent / "data"
FIXTURES = sorted(path for folder in ("captures", "mini") for path in (DATA / folder).iterdir())
SHARDS = 12
#: No file may take longer, in CPU seconds.
TIME_LIMIT_S = 10.0


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_fixture(path: Path) -> None:
    """Every fixture, by itself."""
    assert not (faults := faults_of(path, TIME_LIMIT_S)), report({path: faults})


@pytest.mark.corpus
@pytest.mark.parametrize("shard", range(SHARDS))
def test_corpus_file(corpus: Path, shard: int) -> None:
    """Every file of the corpus, one shard of them."""
    paths = sorted(path for path in corpus.rglob("*") if path.is_file())[shard::SHARDS]
    assert paths
    faults = {path.relative_to(corpus): found for path in paths if (found := faults_of(path, TIME_LIMIT_S))}
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
