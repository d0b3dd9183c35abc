"""Diffs, markup, XML, YAML, records and INI: oracles over the corpus, speed and memory against peers in the same run.

python tests/bench/bench_texts.py [--megabytes 250] [--corpus DIR] [--folder DIR] [--file FORMAT=PATH ...] [--only FORMAT]

The oracles are expat, PyYAML, markdown-it and unidiff. The big inputs are the corpus' own files, repeated so that they stay
valid, written once to a folder of temporary files; `--file` adds others, such as those of tests/corpus/big_files.toml. What
is measured is a whole `milepost outline`, from the start of the process to the text it prints, the best of three. A peer
that is slower by far runs on a slice: what is compared is megabytes per CPU second.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from measure import MILEPOST, Run, run, table
from oracles import texts
from oracles.base import HEAD

MEGABYTE = 1_000_000
REQUIRED_MEMORY = 150 * 1024 * 1024
REQUIRED = {"diff": 300, "markup": 200, "xml": 150, "yaml": 200, "records": 200, "ini": 100}
_NOTHING = """
import sys
from milepost.core.scan import Scan, Findings
from milepost.core.source import open_source
class Nothing:
    def feed(self, block): block.starts
    def finish(self, end): return Findings(())
scan = Scan(open_source(sys.argv[1]), Nothing())
scan.run()
scan.result()
"""
_PEERS = {
    "xml": ("expat", "import sys, xml.parsers.expat as e\ne.ParserCreate().ParseFile(open(sys.argv[1], 'rb'))", 20),
    "yaml": (
        "PyYAML, libyaml",
        "import sys, yaml\nfor _ in yaml.parse(open(sys.argv[1], 'rb'), yaml.CSafeLoader): pass",
        4,
    ),
    "diff": ("unidiff", "import sys, unidiff\nunidiff.PatchSet.from_filename(sys.argv[1], errors='replace')", 4),
    "markup": (
        "markdown-it",
        "import sys, markdown_it\nmarkdown_it.MarkdownIt('commonmark').parse(open(sys.argv[1], encoding='utf-8').read())",
        2,
    ),
}
_PROLOG = re.compile(rb"\s*(?:<\?xml.*?\?>\s*|<!DOCTYPE[^>\[]*>\s*)*", re.DOTALL)
_MODULES = {"unidiff": "unidiff", "markdown-it": "markdown_it"}


# --- speed ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """A big file: what it begins with, what is repeated (given its number), and how it ends."""

    format: str
    name: str
    head: bytes
    part: Callable[[int], bytes]
    tail: bytes = b""


def inputs(corpus: Path) -> list[Input]:
    """Each sort of file that is measured."""
    diff = (corpus / "git-output-lnav" / "docs-and-testlogs.diff").read_bytes()
    specification = (corpus / "commonmark-spec" / "spec.txt").read_bytes()
    prose = b"".join(
        b"Words of a paragraph that is as long as paragraphs are, and goes on, and on.\n" * 4 + b"\n" for _ in range(12)
    )
    report = (corpus / "analysis-model-reports" / "parser" / "findbugs" / "fbcontrib.xml").read_bytes()
    report = report[report.index(b"<BugCollection") :]
    manifests = (corpus / "argo-cd-manifests" / "manifests" / "install.yaml").read_bytes()
    package = b"Package: p%d\nVersion: 1.%d\nArchitecture: all\nDepends: a, b, c\nDescription: words\n And more.\n\n"
    record = b'  <record id="r%d"><name>Name</name><place zip="1"/>\n<note>Text</note></record>\n'
    return [
        Input("diff", "git diff of a real project, repeated", b"", lambda _: diff),
        Input("markup", "the CommonMark specification, repeated", b"", lambda _: specification),
        Input("markup", "Markdown, a heading every 4 KB", b"", lambda number: b"## Heading %d\n\n" % number + prose),
        Input("xml", "a report of FindBugs, repeated", b"<all>\n", lambda _: report, b"</all>\n"),
        Input(
            "xml",
            "small records",
            b"<all>\n",
            lambda number: record % number * 50,
            b"</all>\n",
        ),
        Input("yaml", "manifests of Argo CD, repeated", b"", lambda _: manifests + b"---\n"),
        Input("records", "packages as apt lists them", b"", lambda number: (package % (number, number)) * 50),
        Input(
            "ini", "sections of ten keys", b"", lambda number: (b"[s%d]\n" % number + b"key = some value\n" * 10) * 50
        ),
    ]


def real_input(argument: str) -> Input:
    """A file given as `FORMAT=PATH`, made to be repeated: XML inside one element, YAML as documents."""
    format_name, _, path = argument.partition("=")
    data = Path(path).read_bytes()
    if format_name == "xml":
        return Input("xml", Path(path).name, b"<all>\n", lambda _: _PROLOG.sub(b"", data, count=1), b"</all>\n")
    return Input(format_name, Path(path).name, b"", lambda _: data + (b"---\n" if format_name == "yaml" else b""))


def write(path: Path, what: Input, size: int) -> Path:
    """The file, of about `size` bytes; one that is there already is taken."""
    if not path.exists():
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb") as file:
            file.write(what.head)
            number = 0
            while file.tell() < size or not number:
                file.write(what.part(number))
                number += 1
            file.write(what.tail)
        unfinished.rename(path)
    return path


def outline_run(path: Path, format_name: str) -> Run:
    """The cheapest of three runs, with the memory of the first. Exits where the format is not known for what it is."""
    reply = json.loads(checked(run([*MILEPOST, "outline", str(path), "--json", "--max-bytes", "4096"])).output)
    if reply["format"] != format_name:
        raise SystemExit(f"{path} is taken for {reply['format']}, but is {format_name}")
    runs = [checked(run([*MILEPOST, "outline", str(path)], memory=not attempt)) for attempt in range(3)]
    return replace(min(runs, key=lambda one: one.cpu_s), peak_pss_bytes=runs[0].peak_pss_bytes)


def speed_rows(those: list[Input], folder: Path, megabytes: int) -> list[tuple[object, ...]]:
    """Each input: our speed, that of a scan which understands nothing, the peer's, our memory."""
    rows: list[tuple[object, ...]] = []
    for what in those:
        name = f"{what.format}-{re.sub('[^A-Za-z0-9]+', '-', what.name)}"
        path = write(folder / f"{name}-{megabytes}", what, megabytes * MEGABYTE)
        ours = outline_run(path, what.format)
        nothing = checked(run([sys.executable, "-c", _NOTHING, str(path)]))
        peer, script, slice_megabytes = _PEERS.get(what.format, ("", "", 0))
        theirs = ""
        if peer and (peer not in _MODULES or importlib.util.find_spec(_MODULES[peer]) is not None):
            part = write(folder / f"{name}-{slice_megabytes}", what, slice_megabytes * MEGABYTE)
            peers = run([sys.executable, "-c", script, str(part)])
            theirs = f"refuses it ({peer})" if peers.code else f"{rate(part, peers):.1f} ({peer})"
        speed = rate(path, ours)
        good = speed >= REQUIRED[what.format] and ours.peak_pss_bytes <= REQUIRED_MEMORY
        size, memory = f"{path.stat().st_size / MEGABYTE:.0f}", f"{ours.peak_pss_bytes / 2**20:.0f}"
        label = f"{what.format}: {what.name}"
        bar, least, verdict = f"{rate(path, nothing):.0f}", REQUIRED[what.format], "yes" if good else "NO"
        rows.append((label, size, f"{speed:.0f}", least, bar, theirs, memory, verdict))
    return rows


def checked(finished: Run) -> Run:
    """The run, unless it failed."""
    if finished.code:
        raise SystemExit(finished.errors.decode())
    return finished


def rate(path: Path, finished: Run) -> float:
    """Megabytes per CPU second."""
    return path.stat().st_size / MEGABYTE / finished.cpu_s


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=250)
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("MILEPOST_CORPUS", "../shared/corpus")))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "milepost-bench")
    parser.add_argument("--file", action="append", default=[], metavar="FORMAT=PATH", help="a real file to repeat, too")
    parser.add_argument("--only", help="measure one format only, without the oracles")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        raise SystemExit(f"no corpus at {options.corpus}: name it, or set MILEPOST_CORPUS")
    if not options.only:
        print(table("Oracles", HEAD, [check.row() for check in texts.checks(options.corpus)]), flush=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    head = ["input", "MB", "MB per CPU s", "at least", "counting lines only", "peer", "MiB, peak", "good"]
    those = [*inputs(options.corpus), *(real_input(one) for one in options.file)]
    those = [one for one in those if options.only in (None, one.format)]
    print(table("Speed and memory", head, speed_rows(those, options.folder, options.megabytes)))


if __name__ == "__main__":
    main()
