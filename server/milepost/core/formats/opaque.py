"""Files that are binary data written as text: base64, hex dumps, PEM, uuencode. Each run is one node."""

from __future__ import annotations

from itertools import pairwise

from milepost.core.formats.base import Format, Sample
from milepost.core.formats.text import TextScanner
from milepost.core.opaque.runs import GIANT_LINE, OpaqueRuns
from milepost.core.scan import Block
from milepost.core.structure.line_view import LineView

#: So much of a file's head must be data.
_LEAST_SHARE = 0.6
_FIRST_LINES = 400


def _sniff(sample: Sample) -> float:
    if not _may_be(sample):
        return 0.0
    data = sample.head
    if not sample.whole:
        data = data[: data.rfind(b"\n") + 1] or data
    view = LineView(Block(0, 1, data, starts_line=True, ends_line=data.endswith(b"\n")))
    covered = 0
    for stretch in OpaqueRuns().find(view):
        end = int(view.starts[stretch.high]) if stretch.high < view.size else len(data)
        covered += end - int(view.starts[stretch.low])
    return 0.93 if covered >= _LEAST_SHARE * len(data) else 0.0


def _may_be(sample: Sample) -> bool:
    """A quick look: equally long lines, a beginning that says so, or one giant line."""
    if b"-----BEGIN " in sample.head or sample.head.startswith(b"begin"):
        return True
    lengths = [len(line) for line in sample.lines[:_FIRST_LINES]]
    if not lengths or len(sample.head) > GIANT_LINE * max(1, len(sample.lines)):
        return len(sample.head) >= GIANT_LINE and b" " not in sample.head[:GIANT_LINE]
    return 2 * sum(one == other for one, other in pairwise(lengths)) > len(lengths)


FORMAT = Format("opaque", "encoded data", _sniff, TextScanner)
