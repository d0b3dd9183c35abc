"""Source code against universal-ctags: every class, function and method it finds, and the speed of both.

Usage: bench_code.py FILE ... (any source files; `ctags` must be installed). Prints two tables in Markdown: the symbols that
are missed with the reason, and MB per CPU-second with the peak memory of the whole process tree.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from measure import MILEPOST, run

from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline, walk
from milepost.core.source import open_source

#: What is compared. Variables, constants, fields, and macros are no sections, prototypes are by the header they are in.
KINDS = frozenset(
    (
        *("class", "function", "method", "struct", "interface", "getter", "setter", "generator", "func"),
        *("singletonMethod", "trait", "module", "member"),
    )
)
BLANKS = re.compile(r"\s+")


def symbols_of(path: Path) -> tuple[Outline, dict[str, set[int]]]:
    """Our outline with nothing merged, and the lines of each name in it."""
    with open_source(path) as source:
        outline = Analysis(source, Options(format="code", max_nodes=1_000_000)).outline()
    lines: dict[str, set[int]] = defaultdict(set)
    for section in walk(outline.sections):
        for name in (section.facts.get("name"), *section.facts.get("also", ())):
            if name:
                plain = BLANKS.sub("", str(name))
                for one in (plain, re.split(r"::|\\.", plain)[-1]):
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
    """Why a tag is none of our sections."""
    name, kind, number = tag["name"], tag["kind"], tag["line"]
    text = source[number - 1].strip() if number <= len(source) else b""
    if re.match(r"__anon|AnonymousFunction", name):
        return "has no name (ctags makes one up)"
    if kind == "class" and tag.get("language") in ("JavaScript", "TypeScript") and b"class" not in text:
        return "an object literal, no class"
    if tag.get("language") == "Python" and b"lambda" in text:
        return "a lambda that is assigned"
    if plain_name(tag) in lines:
        near = min(abs(line - number) for line in lines[plain_name(tag)])
        return "found a few lines off" if near <= 3 else "another of this name is found, this one is not"
    return "not found"


def main(paths: list[Path]) -> None:
    """Print both tables."""
    rows, reasons_of = [], {}
    for path in paths:
        outline, lines = symbols_of(path)
        tags = tags_of(path)
        source = path.read_bytes().splitlines()
        missed = [tag for tag in tags if tag["line"] not in lines.get(plain_name(tag), ())]
        reasons_of[path.name] = Counter(reason(tag, lines, source) for tag in missed)
        size = path.stat().st_size / 1e6
        ours = run([*MILEPOST, "outline", str(path), "--format", "code", "--json"], memory=True)
        idle = run([*MILEPOST, "--version"])
        theirs = run(["ctags", "-o", "/dev/null", str(path)])
        speed = size / max(ours.cpu_s - idle.cpu_s, 0.001)
        rows.append(
            f"| {path.name} | {size:.1f} | {len(tags):,} | {len(tags) - len(missed):,} | {speed:.1f} "
            f"| {size / max(theirs.cpu_s, 0.001):.0f} | {ours.peak_pss_bytes / 1e6:.0f} | {outline.degraded or '–'} |"
        )
    print("| file | MB | ctags finds | of them found at their line | MB per CPU-s | ctags | peak PSS, MB | degraded |")
    print("|---|---|---|---|---|---|---|---|")
    print("\n".join(rows))
    print("\n| file | missed | reason |\n|---|---|---|")
    for name, reasons in reasons_of.items():
        for why, count in reasons.most_common():
            print(f"| {name} | {count:,} | {why} |")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
