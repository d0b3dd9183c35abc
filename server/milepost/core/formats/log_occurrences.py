"""Every occurrence of every incident of a log, not only the first of each kind in its segment.

An outline counts repeats; here the file is scanned once more and each is told with its range, for who wants them all.
"""

from __future__ import annotations

from dataclasses import dataclass

from milepost.core.analysis import Analysis
from milepost.core.formats.log import LogScanner
from milepost.core.formats.log_sections import stand_out
from milepost.core.logs.ledger import Kind
from milepost.core.scan import Scan
from milepost.core.source import Progress, StopFlag, never, no_progress


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One incident: lines 1-based and inclusive, bytes half-open. A burst is one, with the lines between its messages."""

    category: str
    severity: int
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int


def find_occurrences(
    analysis: Analysis, *, should_stop: StopFlag = never, progress: Progress = no_progress
) -> tuple[Occurrence, ...]:
    """The occurrences of what the outline shows, in file order. Empty for a file that is no log. Raises `Cancelled`.

    Memory grows with the number of occurrences. One that lies across the edge of two blocks comes in two parts.
    """
    analysis.prepare(should_stop=should_stop)
    if analysis.format is None or analysis.format.name != "log":
        return ()
    noted: list[tuple[Kind, int, int, int, int]] = []
    scanner = LogScanner(analysis.context(), lambda *occurrence: noted.append(occurrence))
    scan = Scan(analysis.view, scanner, skip_until=analysis.context().start_byte)
    scan.run(should_stop=should_stop, progress=progress)
    result = scan.result(should_stop=should_stop)
    kinds = list({kind.id: kind for kind, *_ in noted}.values())
    shown, bursts = stand_out(kinds, result.index.total_lines)
    found = [
        Occurrence(kind.category, kind.severity, *place)
        for kind, *place in noted
        if kind.id in shown and len(place) == 4
    ]
    found += [
        Occurrence("burst", kind.severity, run.start_line, run.end_line, run.start_byte, run.end_byte)
        for kind in kinds
        for run in bursts.get(kind.id, ())
    ]
    return tuple(sorted(found, key=lambda one: (one.start_byte, -one.end_byte)))
