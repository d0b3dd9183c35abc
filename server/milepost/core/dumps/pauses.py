"""The pauses that a garbage collector's log tells of: HotSpot's logs, old and unified, and Go's."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SIZE = rb"\d+(?:\.\d+)?[BKMG]"
#: A line that tells how long everything stood still. One alternative for each family of logs.
PAUSE = re.compile(
    rb"^(?:"
    rb"\[(?P<unified>[^\]\r\n]{1,40})\][^\r\n]{0,160}?\bGC\(\d+\) (?P<what>Pause [^\r\n]*?) (?:(?P<ms>\d+[.,]\d+)ms)\s*$"
    rb"|(?P<stamp>(?:\d{4}-\d\d-\d\dT[\d:.,]+[+-]\d{4}: )?\d+[.,]\d+): (?:#\d+: )?"
    rb"\[(?P<old>(?:GC|Full GC)(?! ?concurrent)[^\r\n]*?), (?P<secs>\d+[.,]\d+) secs\][^\r\n]*?$"
    rb"|gc \d+ @(?P<go>[\d.]+)s \d+%: (?P<first>[\d.]+)\+[\d./]+\+(?P<last>[\d.]+) ms clock[^\r\n]*$"
    rb")",
    re.MULTILINE,
)
_LAST_SECONDS = re.compile(rb", (\d+[.,]\d+) secs\]")
_HEAP = re.compile(
    rb"(" + _SIZE + rb")(?:\([^()]*\))?->(" + _SIZE + rb")(?:\((" + _SIZE + rb")\))?|(\d+)->(\d+)->(\d+) MB"
)
_KIND = re.compile(rb"[A-Za-z][\w ]*(?: ?\([^()\r\n]*(?:\(\))?[^()\r\n]*\))*")
#: What went wrong, besides being slow.
FAILURE = re.compile(
    rb"to-space (?:exhausted|overflow)|Evacuation Failure|promotion failed|concurrent mode (?:failure|interrupted)"
    rb"|Degenerated|(?<!On)OutOfMemoryError|allocation failed|Allocation Stall|humongous allocation.*Full",
    re.IGNORECASE,
)
GC_LINE = re.compile(
    rb"[^\[\r\n]{0,80}\[(?:GC|Full GC|CMS|G1|ParNew|PSYoungGen|Times|Parallel|Rescan|weak refs|Eden|Ext Root)"
    rb"|\[[^\]]*\](?:\[[^\]]*\])*\[(?:gc|safepoint)|.*\bGC\(\d+\) |gc \d+ @[\d.]+s|\s+\[|\s*\[Times"
    rb"|.*application threads were stopped|\s*\d+\.\d+: \[|, \d+\.\d+ secs\]|(?:Desired survivor|- age )"
)


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause: its line, when it was, how long, what kind."""

    byte: int
    end_byte: int
    line: int
    seconds: float
    when: str
    kind: str
    heap: str
    text: bytes
    is_full: bool


def pause_of(match: re.Match[bytes], base: int, line: int) -> Pause:
    """What a match of `PAUSE` says. `base` is where the matched text begins in the file."""
    text = match[0]
    if match["unified"] is not None:
        when, said, seconds = match["unified"], match["what"], _number(match["ms"]) / 1000
    elif match["stamp"] is not None:
        when, said = match["stamp"], match["old"]
        seconds = _number(_LAST_SECONDS.findall(text)[-1])
    else:
        when, said = match["go"], b"gc"
        seconds = (_number(match["first"]) + _number(match["last"])) / 1000
    kind = _KIND.match(said)
    heaps = _HEAP.findall(text)
    heap = ""
    if heaps:
        before, after, total, first, _, last = heaps[-1]
        heap = f"{before.decode()}->{after.decode()}" + (f"({total.decode()})" if total else "")
        if first:
            heap = f"{first.decode()}->{last.decode()} MB"
    name = " ".join((kind[0] if kind else said[:60]).decode("ascii", "replace").split())
    name = re.sub(r" \d+[BKMG]?$", "", name)
    is_full = name.startswith("Full GC") or "Pause Full" in name
    return Pause(
        base + match.start(), base + match.end(), line, seconds, when.decode("ascii", "replace").split(": ")[0], name, heap,
        text[:400], is_full,
    )  # fmt: skip


def _number(text: bytes) -> float:
    return float(text.replace(b",", b"."))


def duration(seconds: float) -> str:
    """`12.3 ms`, `1.23 s`."""
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"
