"""Thread dumps: threads with state, place and locks; deadlocks; several dumps in a file; Go and gdb."""

from __future__ import annotations

import pytest

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline, Section, walk
from milepost.core.source import BytesSource

JAVA = """2024-08-20 14:25:30
Full thread dump OpenJDK 64-Bit Server VM (21.0.2+13-LTS mixed mode, sharing):

"main" #1 prio=5 os_prio=0 tid=0x00007f8b nid=0x1abc waiting for monitor entry  [0x00007f8b34245000]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.example.A.one(A.java:5)
\t- waiting to lock <0x000000076ab62208> (a java.lang.Object)
\t- locked <0x000000076ab62209> (a java.lang.Object)

"worker-1" #2 daemon prio=5 tid=0x1 nid=0x2 in Object.wait() [0x1]
   java.lang.Thread.State: WAITING (on object monitor)
\tat java.lang.Object.wait(Native Method)
\tat com.example.B.two(B.java:7)

JNI global refs: 247, weak refs: 12

Found one Java-level deadlock:
=============================
"main":
  which is held by "worker-1"
"worker-1":
  which is held by "main"

Found 1 deadlock.

2024-08-20 14:26:30
Full thread dump OpenJDK 64-Bit Server VM (21.0.2+13-LTS mixed mode, sharing):

"main" #1 prio=5 os_prio=0 tid=0x1 nid=0x1abc runnable  [0x00007f8b34245000]
   java.lang.Thread.State: RUNNABLE

"""
GO = (
    "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/tmp/x.go:10 +0x1d\n\n"
    "goroutine 18 [chan receive, 5 minutes]:\nmain.worker(0xc000)\n\t/tmp/x.go:20 +0x2d\n\n"
    "goroutine 19 [select]:\nnet/http.(*conn).serve(0xc0001)\n\t/usr/lib/go/server.go:1 +0x2\n"
)
GDB = "".join(
    f"Thread {number} (Thread 0x7f{number} (LWP 12{number})):\n#0  0x00007ffff7 in wait_{number} () from /lib/x.so\n\n"
    for number in (3, 2, 1)
)


def outline_of(text: str) -> Outline:
    """The outline of a file of this text, its format detected."""
    return Analysis(BytesSource("dump.txt", text.encode())).outline()


def of_kind(outline: Outline, kind: str) -> list[Section]:
    """The sections of a kind."""
    return [one for one in walk(outline.sections) if one.kind == kind]


def test_java() -> None:
    """Two dumps; states, frames past the plumbing, locks; the deadlock stands out and names its threads."""
    outline = outline_of(JAVA)
    assert outline.format == "thread_dump"
    first, second = of_kind(outline, "dump")
    assert (first.start_line, first.end_line, second.start_line) == (1, 25, 26)
    assert first.digest == "2024-08-20 14:25:30, 1 deadlock, 2 threads, 1 BLOCKED, 1 WAITING"
    main, worker, again = of_kind(outline, "thread")
    assert main.digest == (
        "BLOCKED, in com.example.A.one(A.java:5), blocked on <0x000000076ab62208> (java.lang.Object), holds 1 lock"
    )
    assert worker.digest == "WAITING, in com.example.B.two(B.java:7)"
    assert worker.facts["daemon"] is True
    assert again.digest == "RUNNABLE"
    (deadlock,) = of_kind(outline, "incident")
    assert (deadlock.title, deadlock.start_line) == ("deadlock: main, worker-1", 17)
    assert deadlock.weight > max(main.weight, worker.weight)


def test_the_lock_that_most_wait_for() -> None:
    """Named with the thread that holds it; one that waits to be notified has let go of what it locked."""
    head = '"{}" #1 prio=5 tid=0x1 nid=0x1 {}\n'
    threads = [
        head.format("notified", "in Object.wait()")
        + "\tat java.lang.Object.wait(Native Method)\n\t- waiting on <0x01> (a Queue)\n\t- locked <0x01> (a Queue)\n",
        head.format("holder", "runnable") + "\tat A.b(A.java:1)\n\t- locked <0x01> (a Queue)\n",
        *(
            head.format(f"waiter-{number}", "waiting for monitor entry")
            + f"\tat A.c(A.java:2)\n\t- waiting to lock <0x0{1 if number else 2}> (a Queue)\n"
            for number in range(4)
        ),
    ]
    (dump,) = of_kind(outline_of("Full thread dump OpenJDK 64-Bit Server VM:\n\n" + "\n".join(threads)), "dump")
    assert dump.digest == "6 threads, 3 blocked on <0x01> (Queue), held by holder, 4 BLOCKED, 1 RUNNABLE, 1 WAITING"
    assert dump.facts["locks"] == [
        {"lock": "<0x01> (Queue)", "waiting": 3, "holder": "holder"},
        {"lock": "<0x02> (Queue)", "waiting": 1},
    ]


@pytest.mark.parametrize(
    ("text", "digests"),
    [
        (GO, ["running, in main.main", "chan receive, in main.worker", "select, in net/http.(*conn).serve"]),
        (GDB, ["in wait_3", "in wait_2", "in wait_1"]),
    ],
)
def test_other_dumps(text: str, digests: list[str]) -> None:
    """Goroutines and gdb's backtraces of all threads."""
    outline = outline_of(text)
    assert outline.format == "thread_dump"
    assert [one.digest for one in of_kind(outline, "thread")] == digests


def test_a_large_dump_names_every_blocked_thread() -> None:
    """Threads are merged in a large dump, the blocked ones are still counted by state."""
    head, rest = JAVA.split('"worker-1" #2', 1)
    worker = '"worker-1" #2' + rest.split("JNI")[0]
    outline = outline_of(head + worker * 20_000)
    assert outline.sections[0].facts["states"] == {"WAITING": 20_000, "BLOCKED": 1}
    assert outline.sections[-1].end_byte == len(head + worker * 20_000)


@pytest.mark.parametrize(
    "text",
    [
        '2024-01-01 10:00:00 ERROR failed\n\tat a.B.c(B.java:1)\n"x": 1\n' * 30,
        '"name","value"\n"a","1"\n' * 30,
        "Thread 1 started\nThread 2 started\n" * 30,
    ],
)
def test_what_is_no_dump(text: str) -> None:
    """Logs with traces, tables, and talk of threads."""
    assert outline_of(text).format != "thread_dump"


def test_a_backtrace_of_gdb_by_itself() -> None:
    """Why the program stopped, and the stack, however deep it is; the frames of a thread stay with it."""
    frames = "".join(f"#{number}  0x00005555 in down (n={number}) at rec.c:2\n" for number in range(5_000))
    text = "Program received signal SIGSEGV, Segmentation fault.\n0x00005555 in down (n=1) at rec.c:2\n" + frames
    outline = Analysis(BytesSource("x.txt", text.encode())).outline()
    assert outline.format == "thread_dump"
    (dump,) = outline.sections
    crash, trace = dump.children
    assert (crash.facts["signal"], crash.end_line) == ("SIGSEGV", 2)
    assert (trace.title, trace.facts["frames"], trace.start_line, trace.end_line) == ("backtrace", 5_000, 3, 5_002)
    threads = 'Thread 2 (Thread 0x7f (LWP 12) "w"):\n#0  f () at a.c:1\n#1  g () at a.c:2\n\n' * 3
    assert Analysis(BytesSource("x", threads.encode())).outline().stats["threads"] == 3
