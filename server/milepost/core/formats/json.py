"""JSON: key paths and runs of members with their exact ranges, at any size, whole or broken.

The scanner is `structure.json_scanner`; this module tells JSON from what only looks like it.
"""

from __future__ import annotations

import re

from milepost.core.formats.base import SUFFIXES, Format, Sample
from milepost.core.scan import Block, Context, End
from milepost.core.structure.json_check import is_valid_document
from milepost.core.structure.json_scanner import MAX_SCALAR_BYTES, SIZE_CLASSES, JsonScanner

_LOOKS_LIKE_JSON = re.compile(rb'[ \t\n\r]*(?:\{[ \t\n\r]*(?:["}/]|\Z)|\[[ \t\n\r]*(?:[\[{"\]\-0-9tfn/]|\Z))')
#: As the head of a file of this size a text is scanned quickest: nothing small is listed.
_NO_SMALL_CONTAINERS = SIZE_CLASSES[-1] + 1
_STARTS_LIKE_A_VALUE = re.compile(rb'[ \t\n\r]*(?:["\]}\-0-9]|(?:true|false|null)\b)')
#: Suffixes of files that hold JSON or nothing.
_DATA_SUFFIXES = (".json", ".geojson")
_SUFFIXES = SUFFIXES["json"]


def sniff(sample: Sample) -> float:
    """How sure the head of a file is one JSON document, whole or broken; hardly, where only its name says so."""
    head = sample.head
    name = sample.name.lower()
    is_named = name.endswith(_SUFFIXES)
    if not _LOOKS_LIKE_JSON.match(head):
        if not is_named:
            return 0.0
        is_scalar = sample.whole and len(head) < MAX_SCALAR_BYTES and is_valid_document(head)
        if is_scalar or head.lstrip()[:1] in (b"{", b"["):
            return 0.4
        # Broken, but what else should it be? Prose of many lines is left alone, and so is an empty file.
        is_line = sample.whole and head.strip().count(b"\n") == 0
        is_broken = name.endswith(_DATA_SUFFIXES) and head.strip() and (is_line or _STARTS_LIKE_A_VALUE.match(head))
        return 0.3 if is_broken else 0.0
    scanner = JsonScanner(Context(total_bytes=_NO_SMALL_CONTAINERS))
    scanner.feed(Block(0, 1, head, True, False))
    scanner.settle()
    found = scanner.problems_at(End(len(head), 1)) if sample.whole else scanner.problems
    faults = [problem for problem in found if not problem.message.startswith("truncated")]
    if not faults:
        return 0.8 if found else 0.97
    first = faults[0]
    if first.message.startswith("after the end"):
        return 0.3
    return 0.6 if first.byte > 64 or is_named or head.lstrip()[:1] == b"{" else 0.1


FORMAT = Format("json", "JSON", sniff, JsonScanner, size_classes=SIZE_CLASSES)

__all__ = ["FORMAT", "JsonScanner", "sniff"]
