"""INI, TOML, units, git's configuration and properties: sections, keys, and what only looks like a header."""

from __future__ import annotations

import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.detect import sample_of
from milepost.core.formats.ini import FORMAT
from milepost.core.source import BytesSource
from outlines import shown

INI = b"""\
; a comment
[server]
host = localhost
port: 80

[paths]
# comment
root=/srv ; more
"""
TOML = b'''\
title = "Example"

[tool]
name = "x"

[tool.lint]
select = [
  "E",
  "F",
]
text = """
[no header]
key = "no key"
"""

[[product]]
name = "a"

[[product]]
name = "b"
'''
UNIT = b"[Unit]\nDescription=A service\n\n[Service]\nExecStart=/bin/true \\\n  --flag=1\n"
GIT = b'[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.org:x\n\tfetch = +refs/heads/*:refs/x/*\n'
PROPERTIES = b"""\
# Connection settings
db.host=localhost
db.port=5432

# Pool
db.pool.size=10
db.pool.timeout.seconds=30
"""

CASES = {
    "ini": (INI, ["; a comment 1-1", "[server] 2-5", " host 3-3", " port 4-5", "[paths] 6-8", " root 8-8"]),
    "toml": (
        TOML,
        [
            "title 1-2",
            "[tool] 3-15",
            " name 4-5",
            " [tool.lint] 6-15",
            "  select 7-10",
            "  text 11-15",
            "[[product]] 16-18",
            " name 17-18",
            "[[product]] 19-20",
            " name 20-20",
        ],
    ),
    "unit": (UNIT, ["[Unit] 1-3", " Description 2-3", "[Service] 4-6", " ExecStart 5-6"]),
    "git": (GIT, ["[core] 1-2", " bare 2-2", '[remote "origin"] 3-5', " url 4-4", " fetch 5-5"]),
    "properties": (
        PROPERTIES,
        [
            "Connection settings 1-4",
            " db.host 2-2",
            " db.port 3-4",
            "Pool 5-7",
            " db.pool.size 6-6",
            " db.pool.timeout.seconds 7-7",
        ],
    ),
}


@pytest.mark.parametrize("kind", CASES)
def test_sections_and_keys(kind: str) -> None:
    data, expected = CASES[kind]
    source = BytesSource("x", data)
    found = Analysis(source, Options(format="ini")).outline()
    assert shown(found.sections) == expected
    assert FORMAT.sniff(sample_of(source, "x")) >= 0.7
    assert found.sections[-1].end_byte == len(data)


def test_keys_are_counted_and_shown() -> None:
    server, paths = Analysis(BytesSource("x", INI), Options(format="ini")).outline().sections[1:]
    assert (server.digest, server.facts, paths.digest) == ("2 keys", {"keys": 2}, "1 key")
    assert [one.digest for one in server.children] == ["localhost", "80"]


def test_keys_of_a_big_file_are_listed_when_their_section_is_expanded() -> None:
    data = b"".join(b"[section %d]\n" % n + b"".join(b"key%d = value\n" % k for k in range(20)) for n in range(2000))
    assert len(data) > 256 << 10
    analysis = Analysis(BytesSource("x.ini", data), Options(format="ini"))
    found = analysis.outline()
    assert (found.stats["sections"], found.stats["keys"]) == (2000, 40000)
    group = found.sections[0]
    assert group.kind == "group"
    section = next(one for one in found.sections if one.kind == "section")
    assert section.digest == "20 keys"
    assert [one.title for one in analysis.expand(section)] == [f"key{k}" for k in range(20)]


@pytest.mark.parametrize(
    "text",
    [
        b"[2024-01-01 10:00:00] started\n[2024-01-01 10:00:01] x = 1\n",
        b"[info] starting\n[warn] x=1\n",
        b"[Times: user=0.01 sys=0.00]\n2.5: [GC x=1]\n[Times: user=0.02 sys=0.00]\n",
        b"[1, 2, 3]\n",
        b"x = 1\ny = 2\nz = 3\n",
        b"int main() {\n  x = 1;\n}\n",
        b"a: 1\nb: 2\nc: 3\n",
        b"",
    ],
)
def test_other_texts_are_no_ini(text: bytes) -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", text), "x")) < 0.35
