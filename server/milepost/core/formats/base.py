"""What a format is to the rest of the core: a name, a way to recognise it, and a scanner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from milepost.core.scan import Context, Scanner

#: How many lines detection looks at.
SAMPLE_LINES = 2000


def sample_lines(head: bytes, whole: bool) -> tuple[bytes, ...]:
    """The whole lines of a file's head, without their ends; the last one only where the file (`whole`) ends with it."""
    lines = head.splitlines()
    if not whole and lines and not head.endswith((b"\n", b"\r")):
        lines.pop()
    return tuple(lines[:SAMPLE_LINES])


@dataclass(frozen=True, slots=True)
class Sample:
    """The head of a file, as detection sees it.

    `head` is at most 256 KiB, `lines` its whole lines without their ends (at most 2,000), `whole` says that the file ends
    with `head`. `name` is the file's name, for ties only.
    """

    name: str
    head: bytes
    lines: tuple[bytes, ...]
    whole: bool


#: How the names of files of each format end, as a rule: they break ties, and say what to try first. For source code, the
#: languages tell.
SUFFIXES: dict[str, tuple[str, ...]] = {
    "json": (".json", ".geojson", ".ipynb", ".har", ".map", ".webmanifest"),
    "ndjson": (".ndjson", ".jsonl", ".jsonlines"),
    "diff": (".diff", ".patch"),
    "sql": (".sql", ".ddl", ".dump"),
    "xml": (".xml", ".html", ".htm", ".xhtml", ".svg", ".xsd", ".xsl"),
    "csv": (".csv", ".tsv", ".tab", ".psv"),
    "yaml": (".yaml", ".yml"),
    "markup": (".md", ".markdown", ".mkd", ".mdx", ".rst", ".rest", ".adoc", ".asciidoc", ".tex", ".ltx", ".org",
        ".info", ".mbox"),
    "minified": (".js", ".css", ".mjs", ".cjs"),
    "opaque": (".b64", ".base64", ".hex", ".xxd", ".uu", ".uue", ".pem", ".crt", ".cer", ".key", ".asc", ".p7b"),
    "thread_dump": (".tdump", ".jstack", ".log", ".out", ".txt"),
    "gc_log": (".log", ".out", ".txt"),
    "strace": (".strace", ".log", ".out", ".txt"),
    "profile": (".prof", ".folded", ".collapsed", ".perf", ".stacks", ".out", ".txt"),
    "records": (".ldif", ".vcf", ".ics", ".bib", ".dsc"),
    "ini": (".ini", ".toml", ".cfg", ".conf", ".properties", ".env", ".service", ".socket", ".timer", ".mount",
        ".target", ".desktop", ".gitconfig", ".editorconfig", ".reg", ".inf"),
    "log": (".log", ".out", ".err"),
    "text": (".txt",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file. `sniff` says how sure it is, 0 to 1, from the content."""

    name: str
    title: str
    sniff: Callable[[Sample], float]
    scanner: Callable[[Context], Scanner]
    size_classes: tuple[int, ...] = ()
    """Sizes of a file, in bytes, past which the scanner works otherwise: growth over one of them means a new scan."""
