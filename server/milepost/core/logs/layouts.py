"""Which layout a log has: one of the named ones, one learnt from its own lines, or that of a console.

`detect_layout` looks at a sample of lines and answers None where they are no log. The `Layout` then tells for each line
whether it begins a record, where its message begins, and where its level field is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from milepost.core.logs.ansi import strip_ansi
from milepost.core.logs.consoles import console_share
from milepost.core.logs.heads import Head
from milepost.core.logs.layout_table import PREFIXES, RULES, LayoutRule
from milepost.core.logs.learnt_layouts import JsonFields, is_table, learn_head, learn_json

__all__ = ["Layout", "detect_layout", "strip_ansi"]

_SAMPLE_LINES = 600
_LINE_BYTES = 8_192
_BLANKS = (b" ", b"\t")


@dataclass(frozen=True, slots=True)
class Layout:
    """What a log's lines look like.

    name: of the named layout, or `generic`, `json-lines`, `console`.
    title: for people.
    confidence: the share of sampled lines (those that could begin a record) it explains, 0 to 1.
    heads: patterns of a record's head, the most frequent first (more than one in mixed logs).
    """

    name: str
    title: str
    confidence: float
    heads: tuple[Head, ...] = ()
    within: re.Pattern[bytes] | None = None
    prefix: re.Pattern[bytes] | None = None
    json: JsonFields | None = None

    def is_head(self, line: bytes) -> bool:
        """Whether the line (without ANSI escapes) begins a record; else it continues the one before."""
        start = 0
        if self.prefix is not None:
            match = self.prefix.match(line)
            if match is None:
                return False
            start = match.end()
            return line[start : start + 1] not in (b" ", b"\t", b"", b"\r", b"\n")
        if self.json is not None and line[:1] == b"{":
            return True
        if not self.heads:
            return self.json is None and bool(line.strip()) and line[:1] not in _BLANKS
        for head in self.heads:
            if head.pattern.match(line):
                return self.within is None or not self.within.match(line)
        return False

    def message_start(self, line: bytes) -> int:
        """The offset in bytes of the message, after stamp, host, process and level; 0 where the line is no head."""
        return self.split(line)[0]

    def split(self, line: bytes) -> tuple[int, bytes, str]:
        """Where the message begins, the level field's text (empty if none), and the field's kind for `severity_of`."""
        start = 0
        if self.prefix is not None:
            match = self.prefix.match(line)
            if match is not None:
                start = match.end()
        if self.json is not None:
            brace = line.find(b"{", start, start + 1)
            if brace >= 0:
                return self.json.split(line, brace)
        for head in self.heads:
            match = head.pattern.match(line, start)
            if match is not None:
                return head.split(match)
        return start, b"", ""


def detect_layout(lines: Sequence[bytes], name: str = "") -> Layout | None:
    """The layout of a log, from a sample of its lines and perhaps the file's name; None if they are no log."""
    sample = _cleaned(lines)
    if not sample:
        return None
    for prefix in PREFIXES:
        rests = [line[match.end() :] for line in sample if (match := prefix.head.match(line)) is not None]
        if len(rests) >= prefix.least_share * len(sample) and _is_prefix(prefix, sample):
            inner = _detect([rest for rest in rests if rest.strip()], "")
            layout = Layout(prefix.name, prefix.title, len(rests) / len(sample), prefix=prefix.head)
            if inner is not None and inner.prefix is None:
                layout = replace(layout, heads=inner.heads, json=inner.json)
            return layout
    return _detect(sample, name)


def _detect(sample: Sequence[bytes], name: str) -> Layout | None:
    own = [line for line in sample if not _CONTINUES.match(line)]
    found = _detect_framed(own, sample) if own else None
    if found is None and not is_table(own) and not _PATCH.match(sample[0]):
        share = console_share(sample)
        if share >= (_CONSOLE_SHARE_IF_NAMED if name.lower().endswith(_CONSOLE_SUFFIXES) else _CONSOLE_SHARE):
            found = Layout("console", "console output", share)
    return found


def _detect_framed(own: Sequence[bytes], sample: Sequence[bytes]) -> Layout | None:
    """The layout of a log whose records have a head."""
    fields = learn_json(own)
    if fields is not None:
        share = sum(1 for line in own if line[:1] == b"{") / len(own)
        return Layout(fields.name, fields.title, share, json=fields)
    named = _named(own, sample)
    if is_table(own) and (named is None or named.name not in _TABLE_LIKE):
        return None
    learnt = learn_head(own)
    if learnt is not None and (named is None or learnt.share * 0.7 > named.confidence):
        extra = named.heads if named is not None else ()
        return Layout(learnt.name, learnt.title, learnt.share, (learnt.head, *extra))
    return named


_PATCH = re.compile(rb"diff -|Index: \S|From [0-9a-f]{40} |--- \S+\t|=== modified ")
_CONSOLE_SHARE = 0.25
_CONSOLE_SHARE_IF_NAMED = 0.12
_CONSOLE_SUFFIXES = (".log", ".out", ".console")
_TABLE_LIKE = frozenset({"w3c", "zeek", "mysql-general"})
# What goes on with the record before, in whatever layout, and so is not counted.
_CONTINUES = re.compile(
    rb"\s|[})\]]+[;,]?\s*$|at \S+\(|Caused by: |\.\.\. \d+ |#\d+ |\[(?:stacktrace|previous exception)\]|\"\}|--> "
    rb"|Traceback \(most|File \"|goroutine \d+|</?\w[^>]*>\s*$|\*\*\*+$|===+$|---+$|[\w.$]+(?:Exception|Error)\b[:\s]"
)


def _cleaned(lines: Sequence[bytes]) -> list[bytes]:
    """Lines as they look, without line ends and empty ones, evenly thinned to a bounded number."""
    full = [text for line in lines if (text := strip_ansi(line[:_LINE_BYTES]).rstrip(b"\r\n")).strip()]
    if len(full) > _SAMPLE_LINES:
        full = [full[index * len(full) // _SAMPLE_LINES] for index in range(_SAMPLE_LINES)]
    if full and full[0].startswith(b"\xef\xbb\xbf"):
        full[0] = full[0][3:]
    return full


def _is_prefix(rule: LayoutRule, sample: Sequence[bytes]) -> bool:
    return rule.requires is None or any(rule.requires.search(line) for line in sample)


@dataclass(frozen=True, slots=True)
class _Score:
    rule: LayoutRule
    heads: frozenset[int]
    explained: int


def _score(rule: LayoutRule, own: Sequence[bytes], sample: Sequence[bytes]) -> _Score | None:
    heads = frozenset(index for index, line in enumerate(own) if rule.head.match(line))
    if not heads or (rule.requires is not None and not any(rule.requires.search(line) for line in sample)):
        return None
    explained = len(heads)
    if rule.within is not None:
        more = {index for index, line in enumerate(own) if index not in heads and rule.within.match(line)}
        heads = frozenset(index for index in heads if not rule.within.match(own[index]))
        explained += len(more)
    least = rule.least_share
    if rule.stamped and len(heads) >= 5:
        # A stamp in a known frame is no accident; the rest may be an odd head of the file, or the text of records.
        least = min(least, 0.05 if len(heads) >= 20 else 0.12)
    return _Score(rule, heads, explained) if explained >= least * len(own) else None


def _named(own: Sequence[bytes], sample: Sequence[bytes]) -> Layout | None:
    scores = [score for rule in RULES if (score := _score(rule, own, sample)) is not None]
    if not scores:
        return None
    most = max(score.explained for score in scores)
    best = next(score for score in scores if score.explained >= 0.9 * most)
    heads = [_head(best.rule, sample)]
    covered = set(best.heads)
    for score in sorted(scores, key=lambda score: -score.explained):
        fresh = score.heads - covered
        if score.rule.stamped and len(fresh) >= max(2, len(own) // 30) and len(heads) < 4:
            heads.append(_head(score.rule, sample))
            covered |= fresh
    share = max(best.explained, len(covered)) / len(own)
    return Layout(best.rule.name, best.rule.title, min(1.0, share), tuple(heads), best.rule.within)


def _head(rule: LayoutRule, sample: Iterable[bytes]) -> Head:
    if rule.name == "w3c":
        for line in sample:
            fields = line.split()[1:] if line.startswith(b"#Fields:") else []
            if b"sc-status" in fields:
                status = rb"(?:\S+[ \t]+){%d}(?P<status>\d{3})(?!\S)" % fields.index(b"sc-status")
                return Head.of(re.compile(rb"#[A-Z][\w-]+:|(?=%s)%s" % (status, rule.head.pattern)))
    return Head.of(rule.head)
