"""Source code: classes, functions, methods, and what lies between them.

The scanner is loaded when there is source code to scan: a detection must not wait for it.
"""

from __future__ import annotations

from milepost.core.code.sniffing import language_of
from milepost.core.formats.base import Format, Sample
from milepost.core.scan import Context, Scanner


def _sniff(sample: Sample) -> float:
    return language_of(sample.name, sample.head)[1]


def _scanner(context: Context) -> Scanner:
    from milepost.core.code.scanner import CodeScanner

    return CodeScanner(context)


FORMAT = Format("code", "source code", _sniff, _scanner)
