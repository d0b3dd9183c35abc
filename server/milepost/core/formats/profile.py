"""What profilers print: perf, gprof, Python's cProfile, Go's pprof, callgrind, massif, folded stacks; the hottest first."""

from __future__ import annotations

import re

from milepost.core.formats.base import Format, Sample
from milepost.core.profiles.dialects import Dialect, dialect_named, dialect_of
from milepost.core.profiles.samples import FOLDED, FRAME, SAMPLE, SampleScanner
from milepost.core.profiles.tables import TableScanner
from milepost.core.scan import Block, Context, End, Findings

_HEAD_BYTES = 64 << 10
_LEAST_LINES = 4
#: How profiles begin.
_FIRST = re.compile(
    rb"\s*(?:# (?:To display the perf|={4,}|Samples: |Total Lost |callgrind format)|Flat profile:|Call graph\b|File: |Type: "
    rb"|Showing nodes |version: 1|creator: callgrind|desc: |cmd: |-{60,}|\d+ function calls"
    rb"|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4} )"
)
_SAMPLE_LINES = 400


def _is_folded(lines: tuple[bytes, ...]) -> bool:
    """Stacks and their counts, one to a line: most with several frames, none with a blank around a semicolon."""
    some = [line for line in lines[:_SAMPLE_LINES] if line]
    if len(some) < _LEAST_LINES or sum(b";" in line for line in some) < 0.6 * len(some):
        return False
    stacks = [match["stack"] if (match := FOLDED.match(line)) else b"" for line in some]
    return all(stack and b"; " not in stack and not stack.endswith(b";") for stack in stacks)


def _is_script(lines: tuple[bytes, ...]) -> bool:
    """Samples of `perf script`: a line that says when, then frames, then an empty line."""
    some = [line for line in lines[:_SAMPLE_LINES] if line and not line.startswith(b"#")]
    if len(some) < _LEAST_LINES:
        return False
    heads = [line for line in some if line[:1] not in b" \t"]
    frames = [line for line in some if line[:1] in b" \t"]
    if not heads or any(SAMPLE.match(line) is None for line in heads):
        return False
    return not frames or sum(FRAME.match(line) is not None for line in frames) > 0.9 * len(frames)


class ProfileScanner:
    """Outlines a profile in the way of the profiler that wrote it."""

    def __init__(self, context: Context) -> None:
        named = str((context.resume or {}).get("dialect", ""))
        dialect: Dialect | None = dialect_named(named) or dialect_of(context.head[:_HEAD_BYTES])
        self._scanner: TableScanner | SampleScanner
        if dialect is not None:
            self._scanner = TableScanner(context, dialect)
        else:
            self._scanner = SampleScanner(context, folded=_is_folded(tuple(context.head.splitlines()[:_SAMPLE_LINES])))

    def feed(self, block: Block) -> None:
        """Take the next block."""
        self._scanner.feed(block)

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        return self._scanner.finish(end)


def _sniff(sample: Sample) -> float:
    if dialect_of(sample.head[:_HEAD_BYTES]) is not None:
        # Where something else comes first it may be source code or a manual that shows a profile.
        return 0.96 if _FIRST.match(sample.head) else 0.7
    return 0.94 if _is_folded(sample.lines) or _is_script(sample.lines) else 0.0


FORMAT = Format("profile", "profile", _sniff, ProfileScanner)
