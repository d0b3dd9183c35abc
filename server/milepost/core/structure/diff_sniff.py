"""Whether a text is a diff, a log of commits, or a series of patches."""

from __future__ import annotations

import re

from milepost.core.formats.base import Sample

_UNIFIED = re.compile(rb"(?m)^--- .*\r?\n\+\+\+ .*\r?\n@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_GIT = re.compile(rb"(?m)^diff --git .+\r?\n(?:index |new file |deleted |old mode |similarity |rename |copy |---)")
_CONTEXT = re.compile(rb"(?m)^\*\*\* .*\r?\n--- .*\r?\n\*{15}.*\r?\n\*\*\* \d+(?:,\d+)? \*{4}")
_LOG = re.compile(rb"(?m)^commit [0-9a-f]{40}.*\r?\n(?:Merge: .*\r?\n)?Author: ")
#: A file in the list of `git log --name-status` or `--numstat`.
_LISTED = re.compile(rb"[ACDMRTUXB]\d{0,3}\t|(?:\d+|-)\t(?:\d+|-)\t")
_NORMAL = re.compile(rb"(?m)^\d+(?:,\d+)?[acd]\d+(?:,\d+)?\r?\n[<>][ \r\n]")
_NORMAL_LINE = re.compile(rb"[<>\\]|---$|\d+(?:,\d+)?[acd]\d|(?:diff|Only in|Binary files|Common subdirectories:) ")
_HEADERS = (
    b"commit ", b"Author", b"Date:", b"Merge:", b"Commit", b"diff ", b"index ", b"new file", b"deleted", b"similarity",
    b"old mode", b"new mode", b"rename ", b"copy ", b"Index: ", b"=====", b"Binary files", b"\\",
)  # fmt: skip
_MAIL = re.compile(rb"From [0-9a-f]{40}(?:[0-9a-f]{24})? \w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}")
_BODY = frozenset(b" +-@!*")
_DIGITS = frozenset(b"0123456789")
_SCORE = 0.95
#: A covering letter or the head of a Debian patch is not longer.
_MOST_LINES_BEFORE = 400


def sniff_diff(sample: Sample) -> float:
    """How sure it is that this is a diff: something that only diffs have, and hardly a line that is none of theirs."""
    head = sample.head
    patterns = [_LOG] if b"\ncommit " in head or head.startswith(b"commit ") else []
    patterns += [_UNIFIED] if b"\n@@ -" in head else []
    patterns += [_GIT] if b"diff --git " in head else []
    patterns += [_CONTEXT] if b"\n***************" in head else []
    if is_normal_diff(head):
        first = next((number for number, line in enumerate(sample.lines) if line and line[0] in _DIGITS), 0)
        lines = sample.lines[min(first, _MOST_LINES_BEFORE) :]
        return _SCORE if sum(1 for line in lines if _NORMAL_LINE.match(line)) >= 0.95 * len(lines) else 0.0
    starts = [match.start() for match in (pattern.search(head) for pattern in patterns) if match is not None]
    if not starts:
        return 0.0
    before = head.count(b"\n", 0, min(starts))
    lines = sample.lines[before:]
    if not lines or before > min(_MOST_LINES_BEFORE, 20 + len(lines)):
        return 0.0
    # From there on nearly all lines must belong to it: a page that shows a diff is none. In a series of patches there
    # are letters between the diffs.
    is_mail = head.startswith(b"From ")
    if is_mail and _MAIL.match(head) and before < _MOST_LINES_BEFORE:
        return _SCORE
    belonging = sum(
        1 for line in lines if not line or line[0] in _BODY or line.startswith(_HEADERS) or _LISTED.match(line)
    )
    return _SCORE if belonging >= (0.6 if is_mail else 0.8) * len(lines) else 0.0


def is_normal_diff(head: bytes) -> bool:
    """Whether a diff has hunks such as `1,3c1,4`, with `< ` and `> `."""
    return b"\n@@ -" not in head and (b"\n< " in head or b"\n> " in head) and _NORMAL.search(head) is not None
