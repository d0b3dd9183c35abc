"""Thread dumps: each dump, its threads with their state, where they are and what they wait for; deadlocks.

Dumps of Java virtual machines (jstack, SIGQUIT, VisualVM), of Go programs (goroutines) and of gdb (`thread apply all bt`),
also several in a file, and in a log of something else.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from milepost.core.dumps.threads import (
    DEADLOCK,
    DUMP,
    SIGNAL,
    STAMP,
    THREAD,
    TRAILERS,
    Contention,
    ThreadFacts,
    thread_of,
)
from milepost.core.formats.base import Format, Sample
from milepost.core.outline import Node
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.structure.line_view import LineView
from milepost.core.structure.section_tree import SectionTree

_DUMP_LEVEL, _THREAD_LEVEL = 0, 1
_LINE_BYTES = 600
_FRAME_LINE = re.compile(rb"#(\d+) +(?:0x[0-9a-f]+ in |<signal handler|\S+ \()")
_HISTOGRAM = re.compile(rb"\d+: +\d+ +\d+ ")


class ThreadDumpScanner:
    """Outlines a file of thread dumps, or a range of one."""

    def __init__(self, context: Context) -> None:
        self._tree = SectionTree(context, part_kind="lines")
        self._tree.on_close = self._close
        self._inside = bool((context.resume or {}).get("dump"))
        self._tree.part_resume = {"dump": self._inside}
        self._thread: ThreadFacts | None = None
        self._dump: Node | None = None
        self._states: dict[str, int] = {}
        self._contention = Contention()
        self._threads = self._deadlocks = self._blocked = 0
        self._totals = {"dumps": 0, "threads": 0, "deadlocks": 0}
        self._stamp: tuple[int, int, bytes] | None = None
        self._is_short = True

    def feed(self, block: Block) -> None:
        """Take the next block."""
        view = LineView(block)
        position = 0
        for index in range(view.size):
            head = int(view.heads[index])
            if head in b"\r\n":
                continue
            if head in b" \t":
                text = view.text(index, _LINE_BYTES)
                if self._thread is not None:
                    self._thread.take(text)
                if head != 32 or b"#instances" not in text:
                    continue
            position = self._line(view, position, index)
        self._tree.advance(view, position, view.size)

    def _line(self, view: LineView, position: int, index: int) -> int:
        """A line that is not indented, or may begin a histogram. Lines up to the one returned are done with."""
        text = view.text(index, _LINE_BYTES)
        byte, line = view.offset(index), view.number(index)
        match = THREAD.match(text)
        if match is not None and match["trace"] and self._thread is not None and not self._thread.frames:
            match = None  # the first frame of the thread that is open
        if match is not None:
            self._tree.advance(view, position, index)
            self._begin_dump_unless_open(byte, line)
            facts = thread_of(match, self._tree.decoded)
            node = Node("thread", facts.name, byte, line, label=facts.name, resume={"dump": True})
            self._tree.begin(_THREAD_LEVEL, node)
            self._thread = facts
            self._threads += 1
            self._totals["threads"] += 1
            return index
        if DUMP.match(text):
            self._tree.advance(view, position, index)
            self._begin_dump(byte, line, text)
            return index
        if DEADLOCK.match(text):
            if (
                self._thread is None
                and self._tree.level >= _THREAD_LEVEL
                and self._tree.builder.current.kind == "incident"
            ):
                return position  # "Found 1 deadlock." at the end of one
            self._tree.advance(view, position, index)
            self._begin_dump_unless_open(byte, line)
            node = Node("incident", "deadlock", byte, line, weight=0.95, resume={"dump": True})
            node.facts = {"category": "deadlock"}
            self._tree.begin(_THREAD_LEVEL, node)
            self._deadlocks += 1
            self._totals["deadlocks"] += 1
            return index
        signal = SIGNAL.match(text)
        if signal is not None:
            self._tree.advance(view, position, index)
            self._begin_dump_unless_open(byte, line)
            said = self._tree.decoded(text.strip()).rstrip(".")
            node = Node("incident", said, byte, line, weight=0.95, resume={"dump": True})
            node.facts = {"category": "crash", "signal": signal["signal"].decode()}
            self._tree.begin(_THREAD_LEVEL, node)
            return index
        for kind, pattern in TRAILERS:
            if self._dump is not None and pattern.match(text):
                self._tree.advance(view, position, index)
                title = self._tree.decoded(text.strip())
                self._tree.begin(_THREAD_LEVEL, Node(kind, title, byte, line, weight=0.4, resume={"dump": True}))
                return index
        if STAMP.match(text):
            self._stamp = (byte, line, text.strip())
        elif self._thread is not None:
            self._thread.take(text)
        elif self._tree.level >= _THREAD_LEVEL and self._tree.builder.current.kind == "incident":
            current = self._tree.builder.current
            if text.startswith(b'"') and len(current.facts) < 6:
                names = current.facts.setdefault("threads", [])
                name = self._tree.decoded(text.split(b'"')[1])[:80]
                if name not in names and len(names) < 10:
                    names.append(name)
        return position

    def _begin_dump_unless_open(self, byte: int, line: int) -> None:
        if self._dump is None and not self._inside:
            self._begin_dump(byte, line, b"thread dump")

    def _begin_dump(self, byte: int, line: int, text: bytes) -> None:
        stamp = b""
        if self._stamp is not None and self._stamp[1] == line - 1:
            byte, line, stamp = self._stamp
        title = self._tree.decoded(text.strip()).rstrip(":")
        self._tree.begin(_DUMP_LEVEL, Node("dump", title, byte, line, weight=0.6, resume={"dump": False}, label=title))
        self._dump = self._tree.builder.current
        if stamp:
            self._dump.facts["time"] = stamp.decode("ascii", "replace")
        self._states = {}
        self._contention = Contention()
        self._threads = self._deadlocks = self._blocked = 0
        self._totals["dumps"] += 1

    def _close(self, node: Node) -> None:
        """A section ends: say what is known of it."""
        if node.kind == "thread" and self._thread is not None:
            facts = self._thread
            node.digest, node.facts = facts.digest(), facts.facts()
            node.weight = 0.6 if facts.is_blocked else 0.3
            state = facts.state or "no state"
            self._states[state] = self._states.get(state, 0) + 1
            self._contention.take(facts)
            self._thread = None
        elif node.kind == "incident" and node.facts["category"] == "deadlock":
            names = node.facts.get("threads", [])
            node.title = "deadlock" + (f": {', '.join(names[:4])}" if names else "")
        elif node.kind == "dump":
            states = sorted(self._states.items(), key=lambda item: (-item[1], item[0]))
            said = [f"{self._deadlocks} deadlock{'s' if self._deadlocks > 1 else ''}"] if self._deadlocks else []
            said.append(f"{self._threads:,} thread{'' if self._threads == 1 else 's'}")
            locks = self._contention.locks()
            if locks and locks[0]["waiting"] > 1:
                holder = f", held by {locks[0]['holder'][:80]}" if "holder" in locks[0] else ""
                said.append(f"{locks[0]['waiting']:,} blocked on {locks[0]['lock']}{holder}")
            said += [f"{count:,} {state}" for state, count in states[:6] if state != "no state"]
            if "time" in node.facts:
                said.insert(0, str(node.facts["time"]))
            node.digest = ", ".join(said)
            node.count = max(1, self._threads)
            node.facts = {**node.facts, "threads": self._threads, "states": dict(states[:20])}
            if locks:
                node.facts["locks"] = locks
            if self._deadlocks:
                node.facts["deadlocks"] = self._deadlocks
                node.weight = 0.9
            self._dump = None

    def finish(self, end: End) -> Findings:
        """Say what was found."""
        sections = self._tree.finish(end)
        facts: dict[str, Any] = {key: count for key, count in self._totals.items() if count}
        return Findings(sections, facts=facts)


def _is_backtrace(sample: Sample) -> bool:
    """Whether most lines are frames of gdb, numbered one after the other (or the values that `bt full` shows)."""
    frames = [match for line in sample.lines if line[:1] == b"#" and (match := _FRAME_LINE.match(line))]
    shown = sum(1 for line in sample.lines if line[:1].isspace())
    lines = [line for line in sample.lines if line.strip()]
    if len(frames) < 3 or len(frames) + shown < 0.6 * len(lines):
        return False
    follows = sum(int(after[1]) == int(before[1]) + 1 for before, after in pairwise(frames))
    return 2 * follows >= len(frames)


def _sniff(sample: Sample) -> float:
    if b"#0 " in sample.head and _is_backtrace(sample):
        return 0.95
    if b'"' not in sample.head and b"goroutine " not in sample.head and b"\nThread " not in sample.head:
        return 0.0
    heads = sum(1 for line in sample.lines if line[:1] in (b'"', b"g", b"T") and THREAD.match(line))
    has_title = any(DUMP.match(line) for line in sample.lines[:400] if b"hread " in line)
    if not heads or (heads < 3 and not has_title):
        return 0.0
    indented = sum(1 for line in sample.lines if not line.strip() or line[:1] in b" \t#" or line.startswith(b'"'))
    indented += sum(1 for line in sample.lines if _HISTOGRAM.match(line))
    is_bulk = heads * 60 >= len(sample.lines) or indented > 0.85 * len(sample.lines)
    return 0.95 if is_bulk else 0.0


FORMAT = Format("thread_dump", "thread dump", _sniff, ThreadDumpScanner)
