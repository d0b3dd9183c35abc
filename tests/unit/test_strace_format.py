"""strace: programs run, processes that failed, fatal signals, errors by kind, slow calls; the usual errors only counted."""

from __future__ import annotations

import pytest

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline, Section, walk
from milepost.core.source import BytesSource

NOISE = (
    '100 12:00:00.000001 openat(AT_FDCWD, "/etc/x", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000010>\n'
    '100 12:00:00.000002 read(3, "a = b", 5) = 5 <0.000020>\n'
    "100 12:00:00.000003 close(3) = 0 <0.000005>\n"
    "100 12:00:00.000004 wait4(101,  <unfinished ...>\n"
    "100 12:00:05.000005 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 101 <5.000000>\n"
    "100 12:00:05.000006 --- SIGCHLD {si_signo=SIGCHLD} ---\n"
)
TOLD = {
    "runs /bin/tool (process 101)": '101 12:00:06.1 execve("/bin/tool", ["tool"], 0x7ff /* 3 vars */) = 0 <0.001>\n',
    "connect: ECONNREFUSED Connection refused": (
        "101 12:00:06.2 connect(3, {sa_family=AF_INET}, 16) = -1 ECONNREFUSED (Connection refused) <0.1>\n"
    ),
    "fsync took 1.50 s": "101 12:00:06.3 fsync(4) = 0 <1.500000>\n",
    "SIGSEGV (process 101)": "101 12:00:06.4 --- SIGSEGV {si_signo=SIGSEGV, si_addr=NULL} ---\n",
    "killed by SIGSEGV (process 101)": "101 12:00:06.5 +++ killed by SIGSEGV +++\n",
    "exited with 3 (process 102)": "102 12:00:06.6 +++ exited with 3 +++\n",
}


def outline_of(text: str) -> Outline:
    """The outline of a file of this text, its format detected."""
    return Analysis(BytesSource("trace.txt", text.encode())).outline()


def incidents_of(outline: Outline) -> list[Section]:
    """The incidents, in order."""
    return [one for one in walk(outline.sections) if one.kind == "incident"]


def test_incidents_and_counts() -> None:
    """Each at its line among much noise; what repeats once, with its number."""
    parts = [NOISE * 50]
    for line in TOLD.values():
        parts += [line, NOISE * 50]
    parts.append(TOLD["connect: ECONNREFUSED Connection refused"])
    text = "".join(parts)
    outline = outline_of(text)
    assert outline.format == "strace"
    incidents = incidents_of(outline)
    assert [one.title for one in incidents] == list(TOLD)
    for one, line in zip(incidents, TOLD.values(), strict=True):
        assert text.encode()[one.start_byte : one.end_byte].decode() == line
    assert incidents[1].count == 2
    assert outline.stats["errors"] == {"openat ENOENT": 350, "connect ECONNREFUSED": 2}
    assert outline.stats["processes"] == 3
    assert sum(one.facts["calls"] for one in outline.sections) == outline.stats["calls"]


@pytest.mark.parametrize("prefix", ["", "[pid  4711] ", "4711  1697048351.000541 "])
def test_each_kind_of_prefix(prefix: str) -> None:
    """With and without process and time."""
    lines = ['open("/a", O_RDONLY) = 3\n', "close(3)                 = 0\n", "exit_group(0) = ?\n"] * 5
    assert outline_of("".join(prefix + line for line in lines)).format == "strace"


@pytest.mark.parametrize(
    "text", ["x = f(1) = 2\nprint(x)\n" * 20, "call(a) = b\n" * 20, "12:00:00 INFO done (1) = 2\n" * 20]
)
def test_what_is_no_trace(text: str) -> None:
    """Code and logs with such marks."""
    assert outline_of(text).format != "strace"
