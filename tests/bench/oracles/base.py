"""What a comparison with an oracle comes to, and how an outline is made for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from milepost.core.analysis import Analysis, Options
from milepost.core.outline import Outline
from milepost.core.source import BytesSource, open_source

HEAD = ("format", "oracle", "what is compared", "cases", "equal", "explained", "not explained", "which, and why")
#: So many cases that differ are named in a row.
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison: of `cases`, those in `differences` (name to reason) differ; an empty reason means no one knows why.

    `missing` says what has to be installed for it; then nothing was compared.
    """

    format: str
    oracle: str
    what: str
    cases: int = 0
    differences: Mapping[str, str] = field(default_factory=dict)
    missing: str = ""

    @property
    def equal(self) -> int:
        """How many agree."""
        return self.cases - len(self.differences)

    @property
    def unexplained(self) -> int:
        """How many differ, and no one knows why."""
        return sum(not reason for reason in self.differences.values())

    def row(self) -> tuple[object, ...]:
        """The check as a row of the table under `HEAD`."""
        if self.missing:
            return (self.format, self.oracle, self.what, "–", "–", "–", "–", f"not compared: {self.missing}")
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.differences.items():
            by_reason.setdefault(reason, []).append(name)
        said = []
        for reason, names in by_reason.items():
            named = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
            said.append(f"{len(names):,}: {reason or 'unknown'} ({named})")
        explained = len(self.differences) - self.unexplained
        numbers = (f"{number:,}" for number in (self.cases, self.equal, explained, self.unexplained))
        return (self.format, self.oracle, self.what, *numbers, "; ".join(said))


def compare(
    format_name: str,
    oracle: str,
    what: str,
    cases: Iterable[tuple[str, bool]],
    known: Mapping[str, str] | Callable[[str], str] = {},  # noqa: B006
) -> Check:
    """A check of cases by their names, each with whether both agree; `known` gives the reasons of those that need not."""
    differences: dict[str, str] = {}
    count = 0
    for name, agrees in cases:
        count += 1
        if not agrees:
            differences[name if name not in differences else f"{name} #{count}"] = (
                known(name) if callable(known) else known.get(name, "")
            )
    return Check(format_name, oracle, what, count, differences)


def outline_of(path: Path, format_name: str) -> Outline:
    """The outline of a file, read as a format."""
    with open_source(path) as source:
        return Analysis(source, Options(format=format_name)).outline()


def outline_of_bytes(data: bytes, format_name: str, name: str = "x") -> Outline:
    """The outline of a file of these bytes, read as a format."""
    return Analysis(BytesSource(name, data), Options(format=format_name)).outline()


def files_below(corpus: Path, folders: Iterable[str], pattern: str) -> Iterator[tuple[str, Path]]:
    """The files of some folders of the corpus, each with its name there."""
    for folder in folders:
        for path in sorted((corpus / folder).rglob(pattern)):
            yield str(path.relative_to(corpus)), path
