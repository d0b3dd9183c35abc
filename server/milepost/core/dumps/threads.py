"""The lines of thread dumps: of Java virtual machines, of Go programs, of gdb."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

#: The head of a thread: Java's quoted name, Go's goroutine, gdb's number, or the first frame of a backtrace without one.
THREAD = re.compile(
    rb"\"(?P<java>[^\"\r\n]{1,400})\"(?=.*(?:\bprio=|\btid=|\bnid=|\b[iI]d=\d|\bos_prio=| - Thread t@|\[0x))(?P<rest>.*)"
    rb"|goroutine (?P<go>\d+)(?: [^\[\r\n]*)? \[(?P<go_state>[^\],\r\n]+)(?:, (?P<go_wait>[^\]\r\n]+))?\]:"
    rb"|Thread (?P<gdb>\d+(?:\.\d+)?) (?P<gdb_rest>\((?:Thread 0x|LWP|process).*)"
    rb"|(?P<trace>#0 +(?:0x[0-9a-f]+ in |<signal handler|\S+ \().*)"
)
#: gdb says why a program stopped.
SIGNAL = re.compile(
    rb"(?P<who>Program|Thread .{1,100}?) (?:received|terminated with) signal (?P<signal>SIG\w+), (?P<said>.*)"
)
DUMP = re.compile(rb"(?:.{0,60}\b)?[Ff]ull [Tt]hread [Dd]ump\b.*|={0,3}\s*Thread [Dd]ump\b.*")
STAMP = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S*\s*$")
DEADLOCK = re.compile(
    rb"Found (?:one|a total of|\d+) .*deadlock|fatal error: all goroutines are asleep - deadlock!", re.I
)
#: What comes after the threads of a dump.
TRAILERS: tuple[tuple[str, re.Pattern[bytes]], ...] = (
    ("references", re.compile(rb"JNI global ref")),
    ("heap", re.compile(rb"Heap(?: at |\s*$)|Heap before|\[heap\]")),
    ("histogram", re.compile(rb"\s*num\s+#instances\s+#bytes")),
    ("threads", re.compile(rb"Threads class SMR info")),
)
#: A stack as deep as this is worth saying so.
_MANY_FRAMES = 200
_STATE = re.compile(rb"\s+(?:java\.lang\.Thread\.State|State): (\w+)(?: \(([^)]*)\))?")
_STATE_IN_HEAD = re.compile(rb"\bin (RUNNABLE|WAITING|TIMED_WAITING|BLOCKED|NEW|TERMINATED)\b")
_LOCK = re.compile(
    rb"\s+- (waiting to lock|waiting on|parking to wait for|waiting to re-lock in wait\(\)|locked|eliminated)\s+"
    rb"(<[^>]*>|\S+)(?: \(an? ([^)]*)\)| held by .*)?"
)
_FRAME = re.compile(rb"\s+at (\S.*)")
_GO_FRAME = re.compile(rb"([\w./*()\[\]{}$-]+)\(.*\)\s*$")
_GDB_FRAME = re.compile(rb"#\d+\s+(?:0x[0-9a-f]+ in )?(\S+)")
_PLUMBING = re.compile(
    rb"java\.lang\.Object\.wait|jdk\.internal\.misc\.Unsafe\.park|sun\.misc\.Unsafe\.park|java\.util\.concurrent\.locks\.LockSupport|java\.lang\.Thread\.sleep"
)


_MOST_HELD = 64
_MOST_LOCKS = 5000
_LISTED_LOCKS = 5


@dataclass(slots=True)
class ThreadFacts:
    """What is known of one thread."""

    name: str
    state: str = ""
    frame: bytes = b""
    frames: int = 0
    waits_for: str = ""
    waits_at: bytes = b""
    """The address of what it waits for; `held` has those of the locks that it holds (some, where they are very many)."""
    held: list[bytes] = field(default_factory=list)
    locks: int = 0
    daemon: bool = False
    extra: dict[str, Any] = field(default_factory=dict)

    def take(self, line: bytes) -> None:
        """A line below the head of the thread."""
        match = _FRAME.match(line) or _GDB_FRAME.match(line)
        if match is None and not line[:1].isspace():
            match = _GO_FRAME.match(line)
        if match is not None:
            self.frames += 1
            if not self.frame or (self.frames < 8 and _PLUMBING.match(self.frame)):
                self.frame = match[1][:160]
            return
        match = _STATE.match(line)
        if match is not None:
            self.state = match[1].decode("ascii", "replace")
            return
        match = _LOCK.match(line)
        if match is None:
            return
        what = (match[3] or match[2]).decode("ascii", "replace")
        if match[1] in (b"locked", b"eliminated"):
            self.locks += 1
            if len(self.held) < _MOST_HELD:
                self.held.append(match[2])
        elif not self.waits_for:
            self.waits_at = match[2]
            self.waits_for = f"{match[2].decode('ascii', 'replace')} ({what})" if match[3] else what

    @property
    def is_blocked(self) -> bool:
        """Whether it waits for a lock that another thread holds."""
        return self.state == "BLOCKED"

    def digest(self) -> str:
        """State, where it is, what it waits for, how many locks it holds."""
        parts = [self.state or "", "in " + self.frame.decode("utf-8", "replace") if self.frame else ""]
        if self.frames > _MANY_FRAMES:
            parts.append(f"{self.frames:,} frames")
        if self.waits_for:
            parts.append(("blocked on " if self.is_blocked else "waits for ") + self.waits_for)
        if self.locks:
            parts.append(f"holds {self.locks:,} lock{'s' if self.locks > 1 else ''}")
        return ", ".join(part for part in parts if part)

    def facts(self) -> dict[str, Any]:
        """The same as values."""
        found: dict[str, Any] = {"thread": self.name[:200]}
        if self.state:
            found["state"] = self.state
        if self.frames:
            found["frames"] = self.frames
        if self.waits_for:
            found["waits_for"] = self.waits_for[:200]
        if self.locks:
            found["locks"] = self.locks
        if self.daemon:
            found["daemon"] = True
        return {**found, **self.extra}


class Contention:
    """Which locks the threads of one dump wait for, and who holds them."""

    def __init__(self) -> None:
        self._waiting: dict[bytes, int] = {}
        self._names: dict[bytes, str] = {}
        self._holders: dict[bytes, str] = {}

    def take(self, thread: ThreadFacts) -> None:
        """Take note of a thread."""
        if (
            thread.is_blocked
            and thread.waits_at
            and (len(self._waiting) < _MOST_LOCKS or thread.waits_at in self._waiting)
        ):
            self._waiting[thread.waits_at] = self._waiting.get(thread.waits_at, 0) + 1
            self._names.setdefault(thread.waits_at, thread.waits_for)
        for address in thread.held:
            # Who waits to be notified has let go of it.
            if address != thread.waits_at and len(self._holders) < _MOST_LOCKS:
                self._holders.setdefault(address, thread.name)

    def locks(self) -> list[dict[str, Any]]:
        """The locks that most threads wait for: `lock`, how many are `waiting`, and the `holder`, where it is known."""
        most = sorted(self._waiting.items(), key=lambda item: -item[1])[:_LISTED_LOCKS]
        found: list[dict[str, Any]] = []
        for address, waiting in most:
            lock: dict[str, Any] = {"lock": self._names[address][:200], "waiting": waiting}
            if address in self._holders:
                lock["holder"] = self._holders[address][:200]
            found.append(lock)
        return found


def thread_of(match: re.Match[bytes], decoded: Any) -> ThreadFacts:
    """What the head of a thread says."""
    if match["java"] is not None:
        facts = ThreadFacts(decoded(match["java"]))
        rest = match["rest"]
        facts.daemon = b" daemon" in rest
        state = _STATE_IN_HEAD.search(rest)
        if state is not None:
            facts.state = state[1].decode()
        elif b"waiting for monitor entry" in rest:
            facts.state = "BLOCKED"
        elif b"in Object.wait()" in rest:
            facts.state = "WAITING"
        elif b"runnable" in rest:
            facts.state = "RUNNABLE"
        return facts
    if match["go"] is not None:
        facts = ThreadFacts(f"goroutine {match['go'].decode()}", decoded(match["go_state"]))
        if match["go_wait"]:
            facts.extra["for"] = decoded(match["go_wait"])[:60]
        return facts
    if match["trace"] is not None:
        facts = ThreadFacts("backtrace")
        facts.take(match["trace"])
        return facts
    return ThreadFacts(f"Thread {match['gdb'].decode()} {decoded(match['gdb_rest'])[:80]}".rstrip(": "))
