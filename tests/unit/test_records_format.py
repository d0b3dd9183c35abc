"""Records of fields: each kind's records with their names, exact ranges, and groups that can be expanded."""

from __future__ import annotations

import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.detect import sample_of
from milepost.core.formats.records import FORMAT
from milepost.core.source import BytesSource

DEB = b"""\
Package: bash
Version: 5.2
Description: GNU shell
 Long text: with a colon
 .
 more

Package: zlib1g
Version: 1.2
Description: compression
"""
LDIF = b"""\
version: 1
dn: cn=Ada,dc=example,dc=org
objectClass: person
cn: Ada

dn:: Y249Qm9i
changetype: delete
"""
MAINTAINERS = b"""\
List of maintainers
===================

""" + b"".join(b"DRIVER %d\nM:\tAda <ada@example.org>\nS:\tMaintained\nF:\tdrivers/%d/\n\n" % (n, n) for n in range(6))
VCARD = b"""\
BEGIN:VCARD
VERSION:4.0
FN:Ada Lovelace
END:VCARD
BEGIN:VCARD
VERSION:4.0
FN;CHARSET=UTF-8:Bob
END:VCARD
"""
BIBTEX = b"""\
@book{ada1843,
  author = {Ada Lovelace},
  title = {Notes on the {Engine}},
}

@article{bob,
  title = "Second",
}
"""
CHANGELOG = b"""\
hello (2.10-3) unstable; urgency=medium

  * Fix the greeting.

 -- Ada <ada@example.org>  Mon, 01 Jan 2024 10:00:00 +0000

hello (2.10-2) unstable; urgency=low

  * First.

 -- Ada <ada@example.org>  Mon, 01 Jan 2023 10:00:00 +0000
"""
CPUINFO = b"".join(b"processor\t: %d\nvendor_id\t: X\nmodel name\t: CPU 3000\nflags\t\t: a b\n\n" % n for n in range(2))

CASES = {
    "fields": (DEB, [("bash", 1, 7), ("zlib1g", 8, 10)]),
    "ldif": (LDIF, [("cn=Ada,dc=example,dc=org", 1, 5), ("Y249Qm9i", 6, 7)]),
    "maintainers": (
        MAINTAINERS,
        [("List of maintainers", 1, 3)] + [(f"DRIVER {n}", 4 + 5 * n, 8 + 5 * n) for n in range(6)],
    ),
    "card": (VCARD, [("Ada Lovelace", 1, 4), ("Bob", 5, 8)]),
    "bibtex": (BIBTEX, [("book ada1843", 1, 5), ("article bob", 6, 8)]),
    "changelog": (CHANGELOG, [("hello 2.10-3", 1, 6), ("hello 2.10-2", 7, 11)]),
}


@pytest.mark.parametrize("kind", CASES)
def test_records(kind: str) -> None:
    data, expected = CASES[kind]
    source = BytesSource("x", data)
    assert FORMAT.sniff(sample_of(source, "x")) > 0.85
    found = Analysis(source, Options(format="records")).outline()
    assert found.stats["kind"] == kind
    assert [(one.title, one.start_line, one.end_line) for one in found.sections] == expected
    assert found.stats["records"] == len(expected)


def test_fields_are_counted() -> None:
    found = Analysis(BytesSource("x", DEB), Options(format="records")).outline()
    assert [one.facts["fields"] for one in found.sections] == [3, 3]
    assert [one.digest for one in found.sections] == ["GNU shell", "compression"]
    assert found.stats["fields"] == 6


def test_names_of_fields_may_hold_blanks_before_a_tab() -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", CPUINFO), "x")) > 0.85
    assert [one.title for one in Analysis(BytesSource("x", CPUINFO), Options(format="records")).outline().sections] == [
        "CPU 3000",
        "CPU 3000",
    ]


def test_many_records_are_listed_in_groups_that_expand() -> None:
    data = b"".join(b"Package: package%d\nVersion: %d\nFiller: %s\n\n" % (n, n, b"x" * 100) for n in range(12000))
    assert len(data) > 1 << 20
    analysis = Analysis(BytesSource("x", data), Options(format="records"))
    found = analysis.outline()
    assert found.stats["records"] == 12000
    assert sum(one.count for one in found.sections) == 12000
    group = found.sections[1]
    members = analysis.expand(group)
    assert sum(one.count if one.kind == "group" else 1 for one in members) == group.count
    assert members[0].start_byte == group.start_byte
    assert members[-1].end_byte == group.end_byte


@pytest.mark.parametrize(
    "text",
    [
        b"a: 1\nb:\n  - x\n\nc: 2\n",
        b"Some prose.\n\nAnd more: of it.\n",
        b"2024-01-01 10:00:00 x: y\n\n2024-01-01 10:00:01 x: y\n",
        b"Key: value\nOther: value\n",
        b"@decorator\ndef f(x={}):\n    pass\n",
        b"",
    ],
)
def test_other_texts_are_no_records(text: bytes) -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", text), "x")) < 0.35
