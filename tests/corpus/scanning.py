"""One file after another through the core and the checks of `invariants.py`, each with a limit of CPU time."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from invariants import check_outline

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline
from milepost.core.source import open_source
from milepost.errors import MilepostError

MAX_NODES = 5000


class TooSlow(Exception):
    """The time limit was reached."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TooSlow in what runs inside once it has used its CPU time.

    Other tests run beside this one, so the clock on the wall is no measure. What child processes use does not count.
    """

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"not done after {seconds:.0f} s of CPU")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def outline_of(path: Path) -> Outline:
    """The exact outline of a file, by nothing but the core."""
    with open_source(path) as source:
        return Analysis(source).outline()


def faults_of(path: Path, seconds: float, expected_format: str = "") -> list[str]:
    """All that is wrong with what Milepost says of one file; `seconds` of CPU are granted to one scan of it."""
    try:
        with time_limit(seconds):
            outline = outline_of(path)
        again = outline_of(path)
    except MilepostError as refusal:
        sentence = str(refusal)
        if expected_format:
            return [f"refused: {sentence}"]
        return [] if sentence.strip() and "\n" not in sentence else [f"refused without one clear line: {sentence!r}"]
    except Exception as problem:
        return [f"{type(problem).__name__}: {problem}"]
    faults = check_outline(outline, path.read_bytes(), max_nodes=MAX_NODES)
    if again != outline:
        faults.append("two scans of the same bytes differ")
    if expected_format and outline.format != expected_format:
        faults.append(f"taken for {outline.format}, it is {expected_format}")
    return faults


def report(faults: Mapping[Path, list[str]]) -> str:
    """Every file with its first faults."""
    lines = [f"{len(faults)} files break an invariant:"]
    for path, sentences in faults.items():
        lines.append(f"  {path}: {len(sentences)} faults")
        lines += [f"      {sentence[:300]}" for sentence in sentences[:4]]
    return "\n".join(lines)
