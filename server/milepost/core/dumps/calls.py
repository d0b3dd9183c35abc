"""The lines of strace: which process called what, when, how it ended, and how long it took."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEAD = re.compile(
    rb"(?:\[pid +(?P<bracketed>\d+)\] +|(?P<pid>\d{1,8}) +)?(?:(?P<when>\d\d:\d\d:\d\d(?:\.\d+)?|\d{1,10}\.\d{3,9}) +)?"
    rb"(?:(?P<call>[a-z_]\w{1,30})\(|<\.\.\. (?P<resumed>\w+) resumed>|--- (?P<signal>SIG\w+|stopped)"
    rb"|\+\+\+ (?P<end>[^+\r\n]+?) \+\+\+)"
)
_TAIL = re.compile(
    rb"\) += (?:-?\d+|\?|0x[0-9a-f]+)(?: (?P<errno>E[A-Z0-9]+)(?: \((?P<said>[^)]*)\))?)?"
    rb"[^=]*?(?:<(?P<seconds>\d+\.\d+)>)?\s*$"
)
_TAIL_BYTES = 240
#: Calls whose purpose is to wait.
WAITING = frozenset(
    b"wait4 waitid wait futex poll ppoll select pselect6 epoll_wait epoll_pwait nanosleep clock_nanosleep pause rt_sigsuspend"
    b" rt_sigtimedwait accept accept4 recvfrom recvmsg read restart_syscall io_getevents".split()
)
#: Errors that every program meets.
USUAL = frozenset(
    b"ENOENT EAGAIN ENOTTY EINVAL ECHILD EINTR ETIMEDOUT EINPROGRESS ERESTARTSYS ENOTDIR ENOSYS ENODATA ESRCH".split()
)
FATAL = frozenset(b"SIGSEGV SIGABRT SIGBUS SIGILL SIGFPE SIGKILL SIGSYS SIGTRAP".split())


@dataclass(frozen=True, slots=True)
class Call:
    """One line: `call` is empty for signals and ends of processes, `end` says how a process ended."""

    pid: bytes
    when: bytes
    call: bytes
    signal: bytes
    end: bytes
    errno: bytes
    said: bytes
    seconds: float


def call_of(line: bytes) -> Call | None:
    """What a line says; None for one that is none of strace's."""
    head = _HEAD.match(line)
    if head is None:
        return None
    call = head["call"] or head["resumed"] or b""
    tail = _TAIL.search(line, max(0, len(line) - _TAIL_BYTES)) if call else None
    if call and tail is None and b"<unfinished" not in line[-40:] and b" resumed>" not in line:
        return None
    errno, said, seconds = (tail["errno"], tail["said"], tail["seconds"]) if tail is not None else (None, None, None)
    return Call(
        head["bracketed"] or head["pid"] or b"",
        head["when"] or b"",
        call,
        head["signal"] or b"",
        head["end"] or b"",
        errno or b"",
        said or b"",
        float(seconds) if seconds else 0.0,
    )
