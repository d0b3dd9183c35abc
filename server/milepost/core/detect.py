"""Which format a file is: its content decides, its name breaks ties, nothing certain makes it plain text."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from importlib import import_module
from importlib.util import find_spec

from milepost.core.code.languages import LANGUAGES
from milepost.core.formats.base import SUFFIXES, Format, Sample, sample_lines
from milepost.core.source import ByteSource
from milepost.errors import InvalidParams

HEAD_BYTES = 256 << 10
#: Less sure than this is not sure enough.
_CERTAIN_ENOUGH = 0.35
_SUFFIX_BONUS = 0.08

#: The formats that detection chooses from, in the order in which ties are decided, and how sure each one's sniffer ever is:
#: where another one is surer already, it need not even be loaded. A format is named here once its scanner keeps every
#: invariant over the whole corpus.
CEILINGS = {
    "json": 0.97,
    "ndjson": 0.98,
    "diff": 0.95,
    "sql": 0.95,
    "xml": 0.95,
    "csv": 0.92,
    "yaml": 0.9,
    "markup": 0.92,
    "minified": 0.85,
    "opaque": 0.93,
    "thread_dump": 0.95,
    "gc_log": 0.93,
    "strace": 0.97,
    "profile": 0.96,
    "records": 0.95,
    "ini": 0.88,
    "code": 0.9,
    "log": 0.9,
    "text": 0.1,
}
DETECTED_FORMATS = tuple(CEILINGS)


def load_format(name: str) -> Format:
    """A format by its name. Raises InvalidParams for one that does not exist."""
    if name not in format_names() and find_spec(f"milepost.core.formats.{name}") is None:
        raise InvalidParams(f"There is no format {name!r}: use one of {', '.join(format_names())}.")
    loaded: Format = import_module(f"milepost.core.formats.{name}").FORMAT
    return loaded


def format_names() -> tuple[str, ...]:
    """The formats there are."""
    return DETECTED_FORMATS


def suffixes_of(name: str) -> tuple[str, ...]:
    """How the names of files of a format end."""
    if name != "code":
        return SUFFIXES[name]
    return tuple(suffix for language in LANGUAGES for suffix in language.suffixes)


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
    best: Format | None = None
    best_score, best_rank = _CERTAIN_ENOUGH, len(CEILINGS)
    named = [sample.name.lower().endswith(suffixes_of(name)) for name in CEILINGS]
    # Those that the name speaks for come first: as a rule one of them is so sure that few others have to be loaded.
    for rank, name in sorted(enumerate(CEILINGS), key=lambda one: not named[one[0]]):
        bonus = _SUFFIX_BONUS if named[rank] else 0.0
        if CEILINGS[name] + bonus < best_score:
            continue
        candidate = load_format(name)
        score = candidate.sniff(sample)
        score += bonus if score > 0 else 0.0
        if score > best_score or (best is not None and score == best_score and rank < best_rank):
            best, best_score, best_rank = candidate, score, rank
    return best if best is not None else load_format("text")
