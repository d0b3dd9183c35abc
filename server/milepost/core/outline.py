"""What an outline is made of.

`Section` and `Outline` are the values that every front door shows. A `Node` is a section while a format's scanner builds it
(`core.outline_builder`); `freeze` makes sections of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from milepost.core.text import clip_text

TITLE_MAX_BYTES = 120
DIGEST_MAX_BYTES = 240

#: From this weight on a section (an error, a broken record) stays visible when its neighbours are folded.
NOTABLE_WEIGHT = 0.7

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class More:
    """Children that exist but are not listed. `cursor` is filled in by the service, which knows the file's identity."""

    count: int
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the file's content, where it was noticed. `line` is 1-based, `byte` an offset in the file."""

    message: str
    line: int
    byte: int


@dataclass(frozen=True, slots=True)
class Section:
    """A node of an outline: lines are 1-based and inclusive, bytes half-open offsets in the original file.

    `count` is of what the section stands for (lines, records, repeats). `weight`, 0 to 1, is how much a person wants to see
    it when not everything fits; it is not sent. `resume` is what a scanner needs to scan this range alone; not sent either.
    """

    id: str
    title: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    digest: str = ""
    count: int = 1
    facts: Facts = field(default_factory=dict)
    children: tuple[Section, ...] = ()
    weight: float = 0.3
    more: More | None = None
    start_column: int | None = None
    end_column: int | None = None
    resume: Facts | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """The outline of one file, with what is known about the file as a whole.

    `state` is "provisional" (part of the file only), "exact" or "growing"; `degraded` is empty or the reason why a lesser
    method had to do. `total_lines` is None where only part of the file was looked at.
    """

    path: str
    format: str
    encoding: str
    line_ending: str
    lone_cr: int
    total_lines: int | None
    total_bytes: int
    state: str = "exact"
    degraded: str = ""
    truncated: bool = False
    sections: tuple[Section, ...] = ()
    problems: tuple[Problem, ...] = ()
    stats: Facts = field(default_factory=dict)


def walk(sections: Iterable[Section]) -> Iterator[Section]:
    """All sections, parents before their children, in file order."""
    stack = list(sections)
    stack.reverse()
    while stack:
        section = stack.pop()
        yield section
        stack.extend(reversed(section.children))


def count_nodes(sections: Iterable[Section]) -> int:
    """How many sections there are, at any depth."""
    return sum(1 for _ in walk(sections))


@dataclass(slots=True)
class Node:
    """A section while it is being built. `label` is the short name a group uses for its first and last member."""

    kind: str
    title: str
    start_byte: int
    start_line: int
    end_byte: int = -1
    end_line: int = -1
    digest: str = ""
    count: int = 1
    facts: dict[str, Any] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    weight: float = 0.3
    hidden: int = 0
    label: str = ""
    level: int = 0
    start_column: int | None = None
    end_column: int | None = None
    resume: dict[str, Any] | None = None

    def size(self) -> int:
        """How many nodes this one and everything below it are."""
        total, stack = 0, [self]
        while stack:
            node = stack.pop()
            total += 1
            stack.extend(node.children)
        return total


def section_id(kind: str, level: int, start_byte: int) -> str:
    """A name that stays the same while the file grows: what it is, how deep it lies, where it begins."""
    return f"{kind}-{level}-{start_byte:x}"


def freeze(nodes: list[Node]) -> tuple[Section, ...]:
    """Nodes as sections: titles and digests clipped, ids unique among all."""
    seen: dict[str, int] = {}
    return tuple([_frozen(node, seen) for node in nodes])


def _frozen(node: Node, seen: dict[str, int]) -> Section:
    """A node as a section; `seen` counts how often each id was given."""
    name = section_id(node.kind, node.level, node.start_byte)
    times = seen.get(name, 0)
    seen[name] = times + 1
    if times:
        name = f"{name}-{times}"
    return Section(
        id=name,
        title=clip_text(node.title, TITLE_MAX_BYTES) or f"({node.kind})",
        kind=node.kind,
        start_line=node.start_line,
        end_line=node.end_line,
        start_byte=node.start_byte,
        end_byte=node.end_byte,
        digest=clip_text(node.digest, DIGEST_MAX_BYTES),
        count=node.count,
        facts=node.facts,
        children=tuple([_frozen(child, seen) for child in node.children]),
        weight=node.weight,
        more=More(node.hidden) if node.hidden else None,
        start_column=node.start_column,
        end_column=node.end_column,
        resume=node.resume,
    )


def with_prefix(sections: tuple[Section, ...], prefix: str) -> tuple[Section, ...]:
    """The sections of an expanded node, named below it: `prefix/id`, at every depth."""
    return tuple(
        replace(section, id=f"{prefix}/{section.id}", children=with_prefix(section.children, prefix))
        for section in sections
    )
