"""Logs of garbage collectors: stretches with their pauses, full collections, and pauses over the usual."""

from __future__ import annotations

import pytest

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline, Section, walk
from milepost.core.source import BytesSource


def old(number: int, milliseconds: float, kind: str = "GC (Allocation Failure)") -> str:
    """A line of HotSpot's older logs."""
    inner = "3.287: [ParNew: 9K->1K(9K), 0.0001 secs]"
    return f"{number * 0.5:.3f}: [{kind} {inner} 250K->39K(791K), {milliseconds / 1000:.7f} secs]\n"


def unified(number: int, milliseconds: float, kind: str = "Pause Young (Normal) (G1 Evacuation Pause)") -> str:
    """Lines of HotSpot's unified logs."""
    return (
        f"[{number * 0.5:.3f}s][info][gc,start] GC({number}) {kind}\n"
        f"[{number * 0.5:.3f}s][info][gc      ] GC({number}) {kind} 14M->11M(256M) {milliseconds:.3f}ms\n"
    )


def go(number: int, milliseconds: float, kind: str = "") -> str:
    """A line that GODEBUG=gctrace=1 gives."""
    clock = f"{milliseconds:.3f}+20+0 ms clock, 0+4/20/0+0 ms cpu"
    return f"gc {number} @{number * 0.5:.3f}s 0%: {clock}, 13->14->7 MB, 14 MB goal, 4 P\n"


def outline_of(text: str) -> Outline:
    """The outline of a file of this text, its format detected."""
    return Analysis(BytesSource("gc.txt", text.encode())).outline()


def incidents_of(outline: Outline) -> list[Section]:
    """The incidents, in order."""
    return [one for one in walk(outline.sections) if one.kind == "incident"]


@pytest.mark.parametrize("line", [old, unified, go])
def test_a_long_pause_stands_out(line) -> None:  # type: ignore[no-untyped-def]
    """One pause of 200 ms among 2,000 of some 10 ms, at its line; the sums are right."""
    lines = [line(number, 200.0 if number == 1234 else 9.0 + number % 3) for number in range(2000)]
    outline = outline_of("".join(lines))
    assert outline.format == "gc_log"
    (incident,) = incidents_of(outline)
    assert incident.title.startswith("pause of 200 ms")
    text = "".join(lines).encode()[incident.start_byte : incident.end_byte].decode()
    assert text == lines[1234].splitlines(keepends=True)[-1]
    assert outline.stats["pauses"] == 2000
    assert outline.stats["stopped_seconds"] == pytest.approx((1999 * 10 + 200) / 1000, rel=0.001)
    assert sum(one.facts["pauses"] for one in outline.sections) == 2000


def test_full_collections_and_failures() -> None:
    """Each full collection is listed, and what a log names as a failure; the same line only once."""
    lines = [old(number, 10.0) for number in range(300)]
    lines[100] = old(100, 700.0, "Full GC (Ergonomics)")
    lines[200] = old(200, 12.0, "GC (promotion failed)")
    outline = outline_of("".join(lines))
    first, second = incidents_of(outline)
    assert (first.start_line, first.title) == (101, "Full GC of 700 ms: Full GC (Ergonomics)")
    assert (second.start_line, second.title) == (201, "promotion failed")
    assert outline.stats["full"] == 1


def test_a_large_log_stays_small() -> None:
    """Many pauses: a bounded number of segments that join to the whole file."""
    text = "".join(old(number, 10.0 + (number * 7919) % 50) for number in range(60_000))
    outline = outline_of(text)
    assert len(outline.sections) <= 64
    assert [one.start_byte for one in outline.sections[1:]] == [one.end_byte for one in outline.sections[:-1]]
    assert outline.sections[-1].end_byte == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "2024-01-01 10:00:00 INFO GC pause noted\n2024-01-01 10:00:01 INFO other\n" * 50,
        "[0.1s][info][class,load] java.lang.Object source: jrt:/java.base\n" * 50,
    ],
)
def test_what_is_no_such_log(text: str) -> None:
    """Logs that mention collections."""
    assert outline_of(text).format == "log"
