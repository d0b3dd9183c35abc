"""Which format a file is: its content decides, its name breaks ties, nothing certain makes it plain text."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec

from milepost.core.formats.base import Format, Sample, sample_lines
from milepost.core.source import ByteSource
from milepost.errors import InvalidParams

HEAD_BYTES = 256 << 10
#: Less sure than this is not sure enough.
_CERTAIN_ENOUGH = 0.35
_SUFFIX_BONUS = 0.08

#: The formats that detection chooses from, in the order in which ties are decided. A format is named here once its
#: scanner keeps every invariant over the whole corpus.
DETECTED_FORMATS = (
    "json",
    "ndjson",
    "diff",
    "sql",
    "xml",
    "csv",
    "yaml",
    "markup",
    "minified",
    "thread_dump",
    "gc_log",
    "strace",
    "records",
    "ini",
    "code",
    "log",
    "text",
)


def load_format(name: str) -> Format:
    """A format by its name. Raises InvalidParams for one that does not exist."""
    if name not in format_names() and find_spec(f"milepost.core.formats.{name}") is None:
        raise InvalidParams(f"There is no format {name!r}: use one of {', '.join(format_names())}.")
    loaded: Format = import_module(f"milepost.core.formats.{name}").FORMAT
    return loaded


def format_names() -> tuple[str, ...]:
    """The formats there are."""
    return DETECTED_FORMATS


def sample_of(source: ByteSource, name: str, start: int = 0) -> Sample:
    """The head of a text as detection sees it, from `start` on."""
    head = source.read_at(start, HEAD_BYTES)
    if head.startswith(b"\xef\xbb\xbf"):
        head = head[3:]
    whole = start + HEAD_BYTES >= source.size
    return Sample(name, head, sample_lines(head, whole), whole)


def detect_format(sample: Sample, override: str | None = None, by_suffix: Mapping[str, str] | None = None) -> Format:
    """The format of a text. `override` names one; `by_suffix` maps patterns of file names (`*.evt`, `.evt`) to one."""
    if override:
        return load_format(override)
    for pattern, name in (by_suffix or {}).items():
        if fnmatch(sample.name, pattern) or sample.name.endswith(pattern):
            return load_format(name)
    best, best_score = load_format("text"), _CERTAIN_ENOUGH
    for name in format_names():
        candidate = load_format(name)
        score = candidate.sniff(sample)
        if score > 0 and sample.name.lower().endswith(candidate.suffixes):
            score += _SUFFIX_BONUS
        if score > best_score:
            best, best_score = candidate, score
    return best
