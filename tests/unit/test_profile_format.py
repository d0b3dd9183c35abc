"""What profilers print: which one it was, its sections and entries at their lines, and the hottest first."""

from __future__ import annotations

import cProfile
import io
import pstats

import pytest

from milepost.core.analysis import Analysis
from milepost.core.outline import Outline, walk
from milepost.core.source import BytesSource

PERF_REPORT = """# To display the perf.data header info, please use --header/--header-only options.
#
# Total Lost Samples: 0
#
# Samples: 818  of event 'cpu-clock:ppp'
# Event count (approx.): 818818818
#
# Children      Self  Command  Shared Object      Symbol
# ........  ........  .......  .................  ..........................
#
    39.61%    39.00%  w        libc.so.6          [.] msort_with_tmp.part.0
            |
            ---msort_with_tmp.part.0

    36.06%    35.57%  w        w                  [.] fib
            |
            ---fib

     0.86%     0.86%  w        [kernel.kallsyms]  [k] do fault
"""
GPROF = """Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  Ts/call  Ts/call  name
 80.00      0.08     0.08      200     0.00     0.00  compare(int, int)
 20.00      0.10     0.02                             work

\t\t     Call graph (explanation follows)

index % time    self  children    called     name
                0.08    0.00     200/200         work [2]
[1]     80.0    0.08    0.00     200         compare(int, int) [1]
-----------------------------------------------
                                                 <spontaneous>
[2]    100.0    0.02    0.08                 work [2]
                0.08    0.00     200/200         compare(int, int) [1]
-----------------------------------------------

 This table describes the call tree of the program.

Index by function name

   [1] compare(int, int)       [2] work
"""
PPROF = """File: server
Type: cpu
Duration: 30.13s, Total samples = 2.36s ( 7.83%)
Showing nodes accounting for 1990ms, 84.32% of 2360ms total
Dropped 81 nodes (cum <= 11.80ms)
      flat  flat%   sum%        cum   cum%
     510ms 21.61% 21.61%      510ms 21.61%  runtime.futex
     320ms 13.56% 35.17%     1240ms 52.54%  main.(*Server).handle
"""
CALLGRIND = """# callgrind format
version: 1
creator: callgrind-3.19.0
cmd:  ./w 2
events: Ir
summary: 1000

ob=(5) /usr/bin/w
fl=(146) w.c
fn=(536) main
9 7
cfn=(544) work
calls=1 +17
* 900
* 3

fn=(544)
12 600
+1 290

fn=(550) idle
20 100
"""
MASSIF = "desc: --massif-out-file=x\ncmd: ./w 3\ntime_unit: i\n" + "".join(
    f"#-----------\nsnapshot={number}\n#-----------\ntime={number}\nmem_heap_B={heap}\nmem_heap_extra_B=8\n"
    f"mem_stacks_B=0\nheap_tree={tree}\n"
    for number, (heap, tree) in enumerate([(0, "empty"), (80_000, "empty"), (160_000, "peak"), (10, "empty")])
)
SCRIPT = "".join(
    f"w 14133  {3241 + number / 1000:.6f}:    1001001 cpu-clock:ppp: \n"
    f"\t            119d {'fib' if number % 4 else 'compare'}+0x4 (/usr/bin/w)\n"
    "\t            12f4 main+0x10 (/usr/bin/w)\n\n"
    for number in range(2_000)
)
FOLDED = "main;work;sort 30\nmain;work;sort;compare 50\nmain;fib 20\nmain 1\n"


def outline_of(text: str) -> Outline:
    """The outline of a file of this text, whose name says nothing."""
    return Analysis(BytesSource("x", text.encode())).outline()


def hottest(outline: Outline) -> list[str]:
    """The names of the hottest entries."""
    return [one["name"] for one in outline.stats["hottest"]]


@pytest.mark.parametrize(
    "text, profiler, names, lines",
    [
        (PERF_REPORT, "perf report", ["msort_with_tmp.part.0", "fib", "do fault"], [11, 15, 19]),
        (GPROF, "gprof", ["compare(int, int)", "work"], [6, 7, 12, 15]),
        (PPROF, "Go profile", ["runtime.futex", "main.(*Server).handle"], [7, 8]),
        (CALLGRIND, "callgrind", ["work", "idle", "main"], [10, 17, 21]),
        (MASSIF, "massif", ["snapshot 2", "snapshot 1", "snapshot 3", "snapshot 0"], [5, 13, 21, 29]),
    ],
    ids=["perf report", "gprof", "pprof", "callgrind", "massif"],
)
def test_tables(text: str, profiler: str, names: list[str], lines: list[int]) -> None:
    """Entries are found at their lines, and ordered by what they cost themselves."""
    outline = outline_of(text)
    assert (outline.format, outline.stats["profiler"]) == ("profile", profiler)
    assert hottest(outline) == names
    assert [one.start_line for one in walk(outline.sections) if one.kind == "entry"] == lines


def test_costs_are_exact() -> None:
    """Calls do not count for the one that makes them; a name is known by its number once it was given."""
    stats = outline_of(CALLGRIND).stats
    assert stats["total"] == 1000
    assert [(one["name"], one["cost"]) for one in stats["hottest"]] == [("work", 890), ("idle", 100), ("main", 10)]
    peak = next(one for one in outline_of(MASSIF).sections if "peak" in one.digest)
    assert (peak.title, peak.facts["cost"]) == ("snapshot 2", 160_008)


def test_a_profile_of_python() -> None:
    """What `pstats` prints: as many entries as it has functions, with the slowest named first; callers in a table."""
    profile = cProfile.Profile()
    profile.runcall(lambda: [sorted(str(number) for number in range(300)) for _ in range(30)])
    stream = io.StringIO()
    stats = pstats.Stats(profile, stream=stream).sort_stats("tottime")
    stats.print_stats()
    stats.print_callers()
    outline = outline_of(stream.getvalue())
    assert outline.stats["profiler"] == "Python profile"
    table, callers = (one for one in outline.sections if one.kind == "table")
    functions = stats.stats  # type: ignore[attr-defined]
    assert table.facts["entries"] == callers.facts["entries"] == len(functions)
    slowest = max(functions.values(), key=lambda values: values[2])
    assert table.facts["hottest"][0]["cost"] == pytest.approx(slowest[2], abs=0.001)


def test_samples() -> None:
    """`perf script`: stretches in time with the functions that samples fell into; folded stacks by their counts."""
    outline = outline_of(SCRIPT)
    assert (outline.format, outline.stats["samples"], hottest(outline)) == ("profile", 2_000, ["fib", "compare"])
    assert [one["percent"] for one in outline.stats["hottest"]] == [75.0, 25.0]
    assert len(outline.sections) > 4
    assert sum(one.facts["samples"] for one in outline.sections) == 2_000
    folded = outline_of(FOLDED)
    assert (folded.format, folded.stats["samples"]) == ("profile", 101)
    assert hottest(folded) == ["compare", "sort", "fib", "main"]


def test_source_code_that_shows_a_profile() -> None:
    """What begins otherwise is another kind of file, by its own signs."""
    code = f'"""A module."""\n\nimport os\n\nREPORT = """{PERF_REPORT}"""\n\n\ndef run():\n    return REPORT\n'
    outline = Analysis(BytesSource("x.py", code.encode())).outline()
    assert outline.format == "code"


@pytest.mark.parametrize("text", ["a; b 1\nc; d 2\ne; f 3\ng; h 4\n", "int a; 1\n" * 9, "x 1\ny 2\nz 3\nw 4\n"])
def test_what_is_no_profile(text: str) -> None:
    """Lines with semicolons and numbers alone do not make stacks."""
    assert outline_of(text).format != "profile"
