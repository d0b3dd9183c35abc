"""XML, YAML, Markdown and diffs against expat, PyYAML, markdown-it and unidiff."""

from __future__ import annotations

import importlib.util
import io
import re
import xml.parsers.expat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from milepost.core.detect import load_format
from milepost.core.outline import walk
from milepost.core.scan import Context, Scan
from milepost.core.source import BytesSource
from oracles.base import Check, compare, files_below, outline_of_bytes

_STRUCTURAL = ("mismatched tag", "no element found", "unclosed", "junk after document element")
_KNOWN_XML = {
    "extra-content.xml": "text after the document's element is let pass",
    "truncated-utf16.xml": "four characters of UTF-16, cut inside a character: no text",
}
_KNOWN_MARKDOWN = {
    "example 217": "the definition of a link right above a heading is taken for its first line",
}


def checks(corpus: Path) -> Iterator[Check]:
    """Every comparison of these formats."""
    folders = ("libxml2-tests", "analysis-model-reports", "plaso-logs", "elastic-examples", "defusedxml")
    yield compare("xml", "expat", "elements of well-formed files, and no problem", _elements(corpus, folders))
    yield compare("xml", "expat", "files that do not nest are flagged", _broken(corpus), _KNOWN_XML)
    yield compare("yaml", "PyYAML", "documents, where it can parse", _documents(corpus))
    yield from _markdown(corpus)
    yield from _diffs(corpus)


def _elements(corpus: Path, folders: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    for name, path in files_below(corpus, folders, "*.xml"):
        data = path.read_bytes()
        if b"<!ENTITY" in data:
            continue  # expat counts the elements of entities too
        parser = xml.parsers.expat.ParserCreate()
        started: list[str] = []
        parser.StartElementHandler = lambda name, _, started=started: started.append(name)
        try:
            parser.Parse(data, True)
        except (xml.parsers.expat.ExpatError, LookupError):
            continue
        found = outline_of_bytes(data, "xml")
        if "elements" in found.stats:
            yield name, found.stats["elements"] == len(started) and not found.problems


def _broken(corpus: Path) -> Iterator[tuple[str, bool]]:
    for _, path in files_below(corpus, ("libxml2-tests/test/errors",), "*.xml"):
        data = path.read_bytes()
        try:
            xml.parsers.expat.ParserCreate().Parse(data, True)
        except xml.parsers.expat.ExpatError as error:
            if any(words in str(error) for words in _STRUCTURAL):
                yield path.name, bool(outline_of_bytes(data, "xml").problems)
        except LookupError:
            continue


def _documents(corpus: Path) -> Iterator[tuple[str, bool]]:
    for name, path in files_below(corpus, ("yaml-test-suite", "kubernetes-examples", "argo-cd-manifests"), "*.yaml"):
        texts = [path.read_bytes()]
        if name.startswith("yaml-test-suite"):
            with suppress(yaml.YAMLError):
                texts += [plain_case(case["yaml"]) for case in yaml.safe_load(texts[0]) if "yaml" in case]
        for text in texts:
            loader = yaml.SafeLoader if len(text) < 100_000 else yaml.CSafeLoader
            try:
                count = sum(isinstance(one, yaml.DocumentStartEvent) for one in yaml.parse(text, Loader=loader))
            except yaml.YAMLError:
                continue
            yield name, outline_of_bytes(text, "yaml").stats["documents"] == count


def plain_case(text: str) -> bytes:
    """The suite shows invisible characters as visible ones."""
    text = text.replace("∎\n", "")
    for shown_as, meant in (("␣", " "), ("»", "\t"), ("—", ""), ("←", "\r"), ("⇔", "\ufeff"), ("↵", ""), ("∎", "")):
        text = text.replace(shown_as, meant)
    return text.encode()


def _markdown(corpus: Path) -> Iterator[Check]:
    """Headings at the top level: of the examples of the specification, and of whole files."""
    titles = ("headings of the specification's examples", "headings of whole files")
    if importlib.util.find_spec("markdown_it") is None:
        for what in titles:
            yield Check("markup", "markdown-it", what, missing="pip install markdown-it-py")
        return
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark")

    def agrees(text: str) -> bool:
        tokens = [token for token in parser.parse(text) if token.type == "heading_open" and token.level == 0]
        return [(int(token.tag[1]), token.map[0] + 1) for token in tokens if token.map] == _headings(text.encode())

    specification = (corpus / "commonmark-spec" / "spec.txt").read_text(encoding="utf-8")
    examples = re.findall(r"`{32} example\n(.*?)\n?\.\n.*?`{32}", specification, re.DOTALL)
    texts = [(f"example {number}", text.replace("→", "\t") + "\n") for number, text in enumerate(examples, 1)]
    files = [(str(path.relative_to(corpus)), path.read_text("utf-8")) for path in sorted(corpus.rglob("*.md"))]
    files.append(("spec.txt", specification))
    for what, some in zip(titles, (texts, files), strict=True):
        cases = ((name, agrees(text)) for name, text in some if text.strip())
        yield compare("markup", "markdown-it", what, cases, _KNOWN_MARKDOWN)


def _headings(data: bytes) -> list[tuple[int, int]]:
    """Level and line of each heading that is found in a text of Markdown."""
    context = Context(name="x.md", head=data, total_bytes=len(data), resume={"dialect": "markdown"})
    scan = Scan(BytesSource("x.md", data), load_format("markup").scanner(context))
    scan.run()
    found = [one for one in walk(scan.result().findings.sections) if one.kind == "heading"]
    return [(one.facts["level"], one.start_line) for one in found]


def _diffs(corpus: Path) -> Iterator[Check]:
    """Files, hunks, added and removed lines; what unidiff refuses must be flagged."""
    titles = ("files, hunks, added and removed lines", "what it refuses is flagged")
    if importlib.util.find_spec("unidiff") is None:
        for what in titles:
            yield Check("diff", "unidiff", what, missing="pip install unidiff")
        return
    from unidiff import PatchSet, UnidiffParseError  # type: ignore[attr-defined]

    counted: list[tuple[str, bool]] = []
    refused: list[tuple[str, bool]] = []
    for path in [*sorted((corpus / "unidiff-samples").glob("*.diff")), *(corpus / "git-output-lnav").glob("*.diff")]:
        data = path.read_bytes()
        found = outline_of_bytes(data, "diff")
        try:
            patches = PatchSet(io.StringIO(data.decode("utf-8", "replace"), newline="\n"))
        except UnidiffParseError:
            refused.append((path.name, bool(found.problems)))
            continue
        theirs = (
            len(patches),
            sum(len(one) for one in patches),
            sum(one.added for one in patches),
            sum(one.removed for one in patches),
        )
        ours = tuple(found.stats[name] for name in ("files", "hunks", "added", "removed"))
        counted.append((path.name, ours == theirs))
    for what, cases in zip(titles, (counted, refused), strict=True):
        yield compare("diff", "unidiff", what, cases)
