"""Diffs, markup, XML, YAML, records and INI: oracles over the corpus, speed and memory against peers in the same run.

python tests/bench/bench_texts.py [--megabytes 250] [--corpus DIR] [--folder DIR]

The oracles are expat and PyYAML, and where they are installed unidiff and markdown-it-py (no dependencies: without them
their rows are left out). The big inputs are the corpus' own files, repeated, written once to a folder of temporary files.
A peer that is slower by far runs on a slice: what is compared is megabytes per CPU second, start of the process included.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import re
import sys
import tempfile
import xml.parsers.expat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from measure import Run, run, table

from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline, walk
from milepost.core.scan import Context, Scan
from milepost.core.source import BytesSource

MEGABYTE = 1_000_000
REQUIRED_MEMORY = 150 * 1024 * 1024
REQUIRED = {"diff": 300, "markup": 200, "xml": 150, "yaml": 200, "records": 200, "ini": 100}
_OURS = """
import sys
from milepost.core.analysis import Analysis, Options
from milepost.core.source import open_source
Analysis(open_source(sys.argv[1]), Options(format=sys.argv[2])).outline()
"""
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
_MODULES = {"unidiff": "unidiff", "markdown-it": "markdown_it"}


# --- oracles --------------------------------------------------------------------------------------------------------


def outline(data: bytes, format_name: str, name: str = "x") -> Outline:
    """The outline of a file of these bytes."""
    return Analysis(BytesSource(name, data), Options(format=format_name)).outline()


def xml_row(corpus: Path) -> tuple[object, ...]:
    """Elements of well-formed files: as many as expat counts. Where entities hold elements it counts those too."""
    compared = right = 0
    for folder in ("libxml2-tests", "analysis-model-reports", "plaso-logs", "elastic-examples", "defusedxml"):
        for path in sorted((corpus / folder).rglob("*.xml")):
            data = path.read_bytes()
            if b"<!ENTITY" in data:
                continue
            parser = xml.parsers.expat.ParserCreate()
            started: list[str] = []
            parser.StartElementHandler = lambda name, _, started=started: started.append(name)
            try:
                parser.Parse(data, True)
            except (xml.parsers.expat.ExpatError, LookupError):
                continue
            found = outline(data, "xml")
            if "elements" in found.stats:
                compared += 1
                right += found.stats["elements"] == len(started) and not found.problems
    return ("XML: elements as many as expat's, no problem", compared, right)


def broken_xml_row(corpus: Path) -> tuple[object, ...]:
    """Files that do not nest, of libxml2's errors: expat's complaints that are about structure."""
    compared = right = 0
    structural = ("mismatched tag", "no element found", "unclosed", "junk after document element")
    for path in sorted((corpus / "libxml2-tests" / "test" / "errors").rglob("*.xml")):
        data = path.read_bytes()
        try:
            xml.parsers.expat.ParserCreate().Parse(data, True)
        except xml.parsers.expat.ExpatError as error:
            if any(words in str(error) for words in structural):
                compared += 1
                right += bool(outline(data, "xml").problems)
        except LookupError:
            continue
    return ("XML: files with a structural fault, flagged", compared, right)


def yaml_row(corpus: Path) -> tuple[object, ...]:
    """Documents: as many as PyYAML finds, where it can parse."""
    compared = right = 0
    for folder in ("yaml-test-suite", "kubernetes-examples", "argo-cd-manifests"):
        for path in sorted((corpus / folder).rglob("*.yaml")):
            texts = [path.read_bytes()]
            if folder == "yaml-test-suite":
                with suppress(yaml.YAMLError):
                    texts += [plain_case(case["yaml"]) for case in yaml.safe_load(texts[0]) if "yaml" in case]
            for text in texts:
                loader = yaml.SafeLoader if len(text) < 100_000 else yaml.CSafeLoader
                try:
                    count = sum(isinstance(one, yaml.DocumentStartEvent) for one in yaml.parse(text, Loader=loader))
                except yaml.YAMLError:
                    continue
                compared += 1
                right += outline(text, "yaml").stats["documents"] == count
    return ("YAML: documents as many as PyYAML's", compared, right)


def plain_case(text: str) -> bytes:
    """The suite shows invisible characters as visible ones."""
    text = text.replace("∎\n", "")
    for shown_as, meant in (("␣", " "), ("»", "\t"), ("—", ""), ("←", "\r"), ("⇔", "\ufeff"), ("↵", ""), ("∎", "")):
        text = text.replace(shown_as, meant)
    return text.encode()


def diff_rows(corpus: Path) -> list[tuple[object, ...]]:
    """Files, hunks, added and removed lines as unidiff counts them; what it refuses must be flagged."""
    if importlib.util.find_spec("unidiff") is None:
        return []
    import unidiff

    compared = right = refused = flagged = 0
    for path in [*sorted((corpus / "unidiff-samples").glob("*.diff")), *(corpus / "git-output-lnav").glob("*.diff")]:
        data = path.read_bytes()
        found = outline(data, "diff")
        ours = tuple(found.stats[name] for name in ("files", "hunks", "added", "removed"))
        try:
            patches = unidiff.PatchSet(io.StringIO(data.decode("utf-8", "replace"), newline="\n"))
        except unidiff.UnidiffParseError:
            refused += 1
            flagged += bool(found.problems)
            continue
        theirs = (
            len(patches),
            sum(len(one) for one in patches),
            sum(one.added for one in patches),
            sum(one.removed for one in patches),
        )
        compared += 1
        right += ours == theirs
    return [
        ("Diff: files, hunks, + and − as unidiff counts", compared, right),
        ("Diff: refused by unidiff, flagged", refused, flagged),
    ]


def markdown_rows(corpus: Path) -> list[tuple[object, ...]]:
    """Headings at the top level as markdown-it finds them: in the examples of the specification, and in whole files."""
    if importlib.util.find_spec("markdown_it") is None:
        return []
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")

    def theirs(text: str) -> list[tuple[int, int]]:
        tokens = [token for token in parser.parse(text) if token.type == "heading_open" and token.level == 0]
        return [(int(token.tag[1]), token.map[0] + 1) for token in tokens if token.map]

    def ours(data: bytes) -> list[tuple[int, int]]:
        context = Context(name="x.md", head=data, total_bytes=len(data), resume={"dialect": "markdown"})
        scan = Scan(BytesSource("x.md", data), load("markup").scanner(context))
        scan.run()
        found = [one for one in walk(scan.result().findings.sections) if one.kind == "heading"]
        return [(one.facts["level"], one.start_line) for one in found]

    specification = (corpus / "commonmark-spec" / "spec.txt").read_text(encoding="utf-8")
    examples = re.findall(r"`{32} example\n(.*?)\n?\.\n.*?`{32}", specification, re.DOTALL)
    texts = [text.replace("→", "\t") + "\n" for text in examples if text.strip()]
    files = [path.read_text(encoding="utf-8") for path in sorted(corpus.rglob("*.md"))] + [specification]
    return [
        (
            f"Markdown: headings of {what} as markdown-it's",
            len(some),
            sum(theirs(one) == ours(one.encode()) for one in some),
        )
        for what, some in (("the specification's examples", texts), ("whole files", files))
    ]


def load(format_name: str) -> Any:
    """A format by its name."""
    from milepost.core.detect import load_format

    return load_format(format_name)


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


def speed_rows(corpus: Path, folder: Path, megabytes: int) -> list[tuple[object, ...]]:
    """Each input: our speed, that of a scan which understands nothing, the peer's, our memory."""
    rows: list[tuple[object, ...]] = []
    for number, what in enumerate(inputs(corpus)):
        path = write(folder / f"texts-{number}-{megabytes}", what, megabytes * MEGABYTE)
        ours = checked(run([sys.executable, "-c", _OURS, str(path), what.format], memory=True))
        nothing = checked(run([sys.executable, "-c", _NOTHING, str(path)]))
        peer, script, slice_megabytes = _PEERS.get(what.format, ("", "", 0))
        theirs = ""
        if peer and (peer not in _MODULES or importlib.util.find_spec(_MODULES[peer]) is not None):
            part = write(folder / f"texts-{number}-{slice_megabytes}", what, slice_megabytes * MEGABYTE)
            theirs = f"{rate(part, checked(run([sys.executable, '-c', script, str(part)]))):.1f} ({peer})"
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


def run_oracles(corpus: Path) -> list[tuple[object, ...]]:
    """Each oracle: what was compared, how many, how many agree."""
    return [xml_row(corpus), broken_xml_row(corpus), yaml_row(corpus), *diff_rows(corpus), *markdown_rows(corpus)]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=250)
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("MILEPOST_CORPUS", "../shared/corpus")))
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "milepost-bench")
    options = parser.parse_args()
    if not options.corpus.is_dir():
        raise SystemExit(f"no corpus at {options.corpus}: name it, or set MILEPOST_CORPUS")
    print(table("Oracles", ["what", "compared", "agree"], run_oracles(options.corpus)), flush=True)
    options.folder.mkdir(parents=True, exist_ok=True)
    head = ["input", "MB", "MB per CPU s", "at least", "counting lines only", "peer", "MiB, peak", "good"]
    print(table("Speed and memory", head, speed_rows(options.corpus, options.folder, options.megabytes)))


if __name__ == "__main__":
    main()
