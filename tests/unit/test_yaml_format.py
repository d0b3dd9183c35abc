"""YAML: documents and their names, keys and items by indentation, text that only looks like keys or markers."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from milepost.core.analysis import Analysis, Options
from milepost.core.detect import detect_format, sample_of
from milepost.core.formats.yaml import FORMAT
from milepost.core.outline import Outline, Section, walk
from milepost.core.source import BytesSource

MANIFESTS = b"""\
# A comment first
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: web
data:
  script: |
    key: no key
    ---
    # no comment
  other: "x: y"
--- # the second
kind: Deployment
metadata: {name: inline}
spec:
  containers:
  - name: app
    image: app:1
  - image: side
    name: side
...
%YAML 1.2
---
- one
- name: two
  value: 2
"""


def outline(data: bytes, name: str = "x.yaml") -> Outline:
    return Analysis(BytesSource(name, data), Options(format="yaml")).outline()


def shown(sections: tuple[Section, ...], depth: int = 0) -> list[str]:
    """The outline as lines: indented titles, digests, and the lines they span."""
    lines = []
    for one in sections:
        lines.append(f"{'  ' * depth}{one.title} [{one.digest}] {one.start_line}-{one.end_line}")
        lines += shown(one.children, depth + 1)
    return lines


def test_documents_keys_and_items() -> None:
    found = outline(MANIFESTS)
    assert shown(found.sections) == [
        "# A comment first [] 1-1",
        "ConfigMap web/settings [4 keys] 2-12",
        "  apiVersion [v1] 2-2",
        "  kind [ConfigMap] 3-3",
        "  metadata [2 keys] 4-6",
        "    name [settings] 5-5",
        "    namespace [web] 6-6",
        "  data [2 keys] 7-12",
        "    script [text] 8-11",
        "    other [x: y] 12-12",
        "Deployment [3 keys] 13-22",
        "  kind [Deployment] 14-14",
        "  metadata [{name: inline}] 15-15",
        "  spec [1 key] 16-22",
        "    containers [2 items] 17-22",
        "      app [1 key] 18-19",
        "        image [app:1] 19-19",
        "      side [1 key] 20-22",
        "        name [side] 21-22",
        "document 3 [2 items] 23-27",
        "  one [] 25-25",
        "  two [1 key] 26-27",
        "    value [2] 27-27",
    ]
    assert found.stats["documents"] == 3


@pytest.mark.parametrize(
    "text, count",
    [
        ("", 0),
        ("# only a comment\n", 0),
        ("a: 1\n", 1),
        ("---\n---\n", 2),
        ("--- |\n text\n  ---\n---\na: 1\n", 2),
        ("a: 1\n...\nb: 2\n", 2),
        ("...\n", 0),
        ("%YAML 1.2\n---\na\n...\n# x\n", 1),
        ('"quoted\n text": 1\n', 1),
        ("a: 'x\n  --- y'\n", 1),
        ("---text\n", 1),
        ("--- # comment\na: 1\n--- # comment\nb: 1\n", 2),
    ],
)
def test_documents_are_counted(text: str, count: int) -> None:
    assert outline(text.encode()).stats["documents"] == count


def test_a_long_sequence_is_grouped_and_listed_when_expanded() -> None:
    data = b"items:\n" + b"".join(b"- name: item%d\n  value: %d\n" % (number, number) for number in range(5000))
    analysis = Analysis(BytesSource("x.yaml", data), Options(format="yaml"))
    found = analysis.outline()
    items = found.sections[0].children[0]
    assert items.digest == "5,000 items"
    group = next(one for one in items.children if one.kind == "group")
    members = analysis.expand(group)
    assert sum(one.count if one.kind == "group" else 1 for one in members) == group.count
    assert members[0].title == "item0"


def test_a_big_document_is_outlined_to_fewer_levels_and_the_rest_on_demand() -> None:
    path = "  /path/%d:\n    get:\n      summary: text of it\n      parameters:\n      - name: x\n        in: query\n"
    data = (
        "openapi: 3.0.0\ninfo:\n  title: An API\npaths:\n" + "".join(path % number for number in range(60000))
    ).encode()
    assert len(data) > 4 << 20
    analysis = Analysis(BytesSource("x.yaml", data), Options(format="yaml"))
    found = analysis.outline()
    assert found.sections[0].title == "An API"
    paths = next(one for one in walk(found.sections) if one.title == "paths")
    assert paths.digest == "60,000 keys"
    group = next(one for one in walk(found.sections) if one.kind == "group")
    listed = [one for one in walk(analysis.expand(group)) if one.title.startswith("/path/")]
    assert listed
    assert all(data[one.start_byte :].startswith(b"  /path/") for one in listed if one.kind == "key")


@pytest.mark.parametrize(
    "text",
    [
        b"Package: a\nVersion: 1\n\nPackage: b\nVersion: 2\n",
        b"2024-01-01 10:00:00 INFO: started\n2024-01-01 10:00:01 INFO: done\n",
        b"def f():\n    return 1\n\nclass A:\n    x: int = 1\n",
        b"Just: a line\n",
        b"src/a.py:1 at module level:\n        D100: Missing docstring\nsrc/b.py:1 at module level:\n        D100: Missing\n",
        b"[section]\nkey: value\n",
        b"Disassembly of section .init:\n\n00000000000f5000 <_init>:\n   f5000:\tendbr64\n   f5004:\tret\n   f5008:\tnop\n"
        * 9,
        b"Reading package lists:\n  done: yes\nThe following is kept back:\n  linux-image: 6.1\n  linux-libc: 6.1\n",
        b'{\n  "a": 1\n}\n',
        b"",
    ],
)
def test_other_texts_are_no_yaml(text: bytes) -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", text), "x")) < 0.35


def test_yaml_is_known_without_its_suffix() -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", MANIFESTS), "x")) > 0.8


OPENAPI = b"""\
openapi: 3.0.3
info:
  title: An API
  description: |
    # Overview

    INFO: read this first.
paths:
  /pets:
    get:
      description: |-
        All of them; [one](other.md) at a time.
"""


@pytest.mark.parametrize("name", ["api.yaml", "api"])
@pytest.mark.parametrize(
    "text",
    [
        OPENAPI,
        OPENAPI.replace(b"info:", b"debug: true\ninfo:"),
        b"components:\n"
        + b"".join(b"  s%d:\n    type: object\n    text: |\n      Words.\n" % one for one in range(20)),
    ],
)
def test_an_api_is_yaml_whatever_its_keys_and_texts_are(name: str, text: bytes) -> None:
    assert detect_format(sample_of(BytesSource(name, text), name)).name == "yaml"


def test_lines_of_a_log_are_no_keys() -> None:
    log = b"WARNING: disk is nearly full\nINFO: 3 files removed\n"
    assert FORMAT.sniff(sample_of(BytesSource("x", log), "x")) == 0


def test_of_very_many_documents_groups_are_listed_that_list_them() -> None:
    one = b"---\nkind: Job\nmetadata:\n  name: job-%d\nspec:\n  a: 1\n"
    analysis = Analysis(BytesSource("x.yaml", b"".join(one % number for number in range(60_000))))
    found = analysis.outline()
    assert found.stats["documents"] == 60_000
    assert found.stats["nodes"] <= 5000
    assert sum(each.count if each.kind == "group" else 1 for each in found.sections) == 60_000
    last = found.sections[-1]
    assert last.kind == "group"
    assert last.title.endswith("Job job-59999")
    members = [each.title for each in walk(analysis.expand(last)) if each.kind == "document"]
    assert members == [f"Job job-{number}" for number in range(60_000 - last.count, 60_000)]


@pytest.mark.corpus
def test_documents_are_those_of_pyyaml(corpus: Path) -> None:
    compared = 0
    for folder in ("yaml-test-suite", "kubernetes-examples"):
        for path in sorted((corpus / folder).rglob("*.yaml")):
            texts = [path.read_bytes()]
            try:
                if folder == "yaml-test-suite":
                    cases = yaml.safe_load(texts[0])
                    texts += [plain_case(case["yaml"]) for case in cases if "yaml" in case]
            except yaml.YAMLError:
                continue
            for text in texts:
                try:
                    events = list(yaml.parse(text, Loader=yaml.SafeLoader))
                except yaml.YAMLError:
                    continue
                count = sum(isinstance(event, yaml.DocumentStartEvent) for event in events)
                assert outline(text).stats["documents"] == count, (path.name, text)
                compared += 1
    assert compared > 500


def plain_case(text: str) -> bytes:
    """The suite shows invisible characters as visible ones."""
    for shown_as, meant in (
        ("␣", " "),
        ("»", "\t"),
        ("—", ""),
        ("←", "\r"),
        ("⇔", "\ufeff"),
        ("↵", ""),
        ("∎\n", ""),
        ("∎", ""),
    ):
        text = text.replace(shown_as, meant)
    return text.encode()
