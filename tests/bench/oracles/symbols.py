"""Source code against universal-ctags: every class, function and method it finds, on big real sources."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline, walk
from milepost.core.source import open_source
from oracles.base import Check

# What fetches big files is a module of the corpus tests.
sys.path.append(str(Path(__file__).resolve().parent.parent.parent / "corpus"))
from big_files import BigFile, Fetcher, Unavailable, cache_folder, listed

SOURCES = Path(__file__).with_name("sources.toml")
#: What is compared. Variables, constants, fields, and macros are no sections, prototypes are by the header they are in.
KINDS = frozenset(
    (
        *("class", "function", "method", "struct", "interface", "getter", "setter", "generator", "func"),
        *("singletonMethod", "trait", "module", "member"),
    )
)
BLANKS = re.compile(r"\s+")
_ARGUMENTS = re.compile(r"(?<=\w)<.*>$")
_MEMBER = re.compile(rb"[\w$.]+\.prototype\.[\w$]+\s*=(?!.*(?:function|=>))")


def checks(_corpus: Path) -> Iterator[Check]:
    """One comparison for each source; those that do not come say so."""
    files = listed(SOURCES)
    fetcher = _fetcher(files)
    for file in files:
        what = f"classes, functions and methods of {file.name}"
        if shutil.which("ctags") is None:
            missing = "Debian's package universal-ctags is not installed"
            yield Check("code", "universal-ctags", what, missing=missing)
            continue
        try:
            path = fetcher.get(file)
        except Unavailable as problem:
            yield Check("code", "universal-ctags", what, missing=str(problem))
            continue
        _, tags, missed = compare_symbols(path)
        yield Check("code", "universal-ctags", what, len(tags), missed)


def sources() -> list[Path]:
    """The sources that are there, fetched if need be."""
    files = listed(SOURCES)
    fetcher = _fetcher(files)
    found = []
    for file in files:
        with suppress(Unavailable):
            found.append(fetcher.get(file))
    return found


def _fetcher(files: tuple[BigFile, ...]) -> Fetcher:
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return Fetcher(folder, os.environ, files)


def compare_symbols(path: Path) -> tuple[Outline, list[dict[str, Any]], dict[str, str]]:
    """Our outline, what ctags finds, and of that what is not at its line with us (name and line, to the reason)."""
    outline, lines = symbols_of(path)
    tags = tags_of(path)
    source = path.read_bytes().splitlines()
    missed = {
        f"{tag['name']}:{tag['line']}": reason(tag, lines, source)
        for tag in tags
        if tag["line"] not in lines.get(plain_name(tag), ())
    }
    return outline, tags, missed


def symbols_of(path: Path) -> tuple[Outline, dict[str, set[int]]]:
    """Our outline with nothing merged, and the lines of each name in it."""
    with open_source(path) as source:
        outline = Analysis(source, Options(format="code", max_nodes=1_000_000)).outline()
    lines: dict[str, set[int]] = defaultdict(set)
    for section in walk(outline.sections):
        for name in (section.facts.get("name"), *section.facts.get("also", ())):
            if name:
                plain = BLANKS.sub("", str(name))
                short = re.split(r"::(?!.*\boperator)|\\.", _ARGUMENTS.sub("", plain))[-1]
                operator = plain[max(0, plain.find("operator")) :]
                for one in (plain, short, operator):
                    lines[one].add(int(section.facts.get("line", section.start_line)))
    return outline, lines


def tags_of(path: Path) -> list[dict[str, Any]]:
    """What ctags finds that is to be found."""
    command = ["ctags", "--output-format=json", "--fields=+nzKl", "-o", "-", "--sort=no", str(path)]
    tags = [json.loads(line) for line in subprocess.run(command, capture_output=True, check=True).stdout.splitlines()]
    return [
        tag for tag in tags if tag.get("kind") in KINDS and (tag["kind"] != "member" or tag.get("language") == "Python")
    ]


def plain_name(tag: dict[str, Any]) -> str:
    """The name of a tag as it is looked up: without blanks, and in Lua without the table that it is put into."""
    name = BLANKS.sub("", tag["name"])
    return re.split(r"[.:]", name)[-1] if tag.get("language") == "Lua" else name


def reason(tag: dict[str, Any], lines: dict[str, set[int]], source: list[bytes]) -> str:
    """Why a tag is none of our sections; empty where no one knows."""
    name, kind, number = tag["name"], tag["kind"], tag["line"]
    text = source[number - 1].strip() if number <= len(source) else b""
    if re.match(r"__anon|Anonymous(?:Function|Class)", name):
        return "has no name (ctags makes one up)"
    if tag.get("language") in ("JavaScript", "TypeScript"):
        if kind == "class" and not re.search(rb"\bclass\b(?![-:\"'])", text):
            return "an object literal, no class"
        if kind == "method" and _MEMBER.match(text):
            return "a member that is no function"
        if kind == "method" and b"=" not in text and b".prototype." in text:
            return "a call, no definition"
        if name == "new":
            return "the signature of a constructor, which has no name"
    if tag.get("language") == "Python" and b"lambda" in text:
        return "a lambda that is assigned"
    if tag.get("language") == "C++" and len(text) > 120 and f"{name}<".encode() in text:
        return "a specialization whose name is cut at 120 characters"
    if plain_name(tag) in lines and min(abs(line - number) for line in lines[plain_name(tag)]) <= 3:
        return "found a few lines off"
    return ""
