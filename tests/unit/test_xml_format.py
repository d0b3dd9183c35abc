"""XML and HTML: elements with exact ranges, failed tests first, broken files up to their fault, no entity expanded."""

from __future__ import annotations

import time
import xml.parsers.expat
from pathlib import Path

import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.detect import sample_of
from milepost.core.formats.xml import FORMAT
from milepost.core.outline import Outline, walk
from milepost.core.source import BytesSource
from outlines import shown

CATALOG = b"""\
<?xml version="1.0"?>
<!DOCTYPE catalog [
  <!ENTITY bomb "boom > ]">
  <!ELEMENT catalog (book*)> <!-- it's a comment with ]> inside -->
]>
<catalog>
  <book id="b1" note="5 > 3"><title>One &amp; only</title><!-- <book> --></book>
  <book id='b2'>
    <title>Two</title>
    <text><![CDATA[ <not> </a> tag ]]></text>
    <empty/>
  </book>
</catalog>
"""


def outline(data: bytes, name: str = "x.xml") -> Outline:
    return Analysis(BytesSource(name, data), Options(format="xml")).outline()


def test_elements_nest() -> None:
    found = outline(CATALOG)
    assert shown(found.sections, indent="  ") == [
        "DOCTYPE catalog 1-5",
        "catalog 6-13",
        "  book b1 7-7",
        "    title 7-7",
        "  book b2 8-12",
        "    title 9-9",
        "    text 10-10",
        "    empty 11-11",
    ]
    assert found.stats["elements"] == 7
    assert found.problems == ()
    assert found.sections[0].digest == "1 entities declared, none expanded"


def test_an_element_inside_a_line_has_columns_and_its_bytes() -> None:
    title = outline(CATALOG).sections[1].children[0].children[0]
    assert CATALOG[title.start_byte : title.end_byte] == b"<title>One &amp; only</title>"
    assert (title.start_column, title.end_column) == (29, 58)
    assert title.digest == "One &amp; only"


@pytest.mark.parametrize(
    "data, line, message",
    [
        (b"<a>\n<b>\n</c>\n</a>", 3, "</c> does not close <b>"),
        (b"<a>\n</a>\n</a>", 3, "</a> closes nothing"),
        (b"<a>\n<b>\n", 2, "the file ends inside <b>, opened here"),
        (b"<a>\n<b\n</a>", 2, "a tag without its >, or with a < inside"),
        (b"<a>\n1 < 2</a>", 2, "a < that begins no tag"),
        (b"<a/>\n<b/>", 2, "more than one root element"),
        (b"<a/>\n<!-- so -->\n and on", 3, "text after the root element"),
        (b"<?xml version='1.0'?>\n", 1, "there is no element"),
    ],
)
def test_a_fault_is_named_where_it_is(data: bytes, line: int, message: str) -> None:
    found = outline(data)
    assert [problem.line for problem in found.problems] == [line]
    assert found.problems[0].message.endswith(message)
    assert found.sections[0].start_byte == 0
    assert found.sections[-1].end_byte == len(data)


def test_what_follows_a_fault_is_one_section() -> None:
    data = b"<a>\n<b>x</b>\n<c>\n</b>\n" + b"<d/>\n" * 100
    *_, root, rest = outline(data).sections
    assert shown((root,), indent="  ") == ["a 1-3", "  b 2-2", "  c 3-3"]
    assert (rest.kind, rest.start_line) == ("unread", 4)


def test_failed_tests_come_first() -> None:
    cases = [f'<testcase classname="org.S" name="t{number}" time="0.1"/>\n' for number in range(9000)]
    cases[4000] = (
        '<testcase classname="org.S" name="bad">\n'
        '<failure message="expected &lt;1&gt; but was 2" type="AssertionError">at org.S</failure>\n</testcase>\n'
    )
    data = ("<testsuite name='S'>\n" + "".join(cases) + "</testsuite>\n").encode()
    assert len(data) > 256 << 10
    found = outline(data)
    failed = [one for one in walk(found.sections) if one.kind == "failure"]
    assert [(one.title, one.digest, one.start_line, one.end_line) for one in failed] == [
        ("testcase org.S.bad", "AssertionError: expected <1> but was 2", 4002, 4004)
    ]
    assert failed[0].weight >= 0.85
    assert found.stats["failures"] == 1
    assert found.stats["elements"] == 9002


def test_small_siblings_are_grouped_and_listed_when_expanded() -> None:
    data = b"<list>\n" + b"".join(b'  <item id="i%d">text</item>\n' % number for number in range(30000)) + b"</list>\n"
    analysis = Analysis(BytesSource("x.xml", data), Options(format="xml"))
    found = analysis.outline()
    assert found.stats["elements"] == 30001
    assert len(found.sections[-1].children) < 300
    group = next(one for one in walk(found.sections) if one.kind == "group")
    members = analysis.expand(group)
    assert sum(one.count if one.kind == "group" else 1 for one in members) == group.count
    assert members[0].title.startswith(group.title.split(" … ")[0])
    assert members[0].start_byte == group.start_byte


def test_a_text_of_megabytes_and_an_entity_bomb_do_no_harm() -> None:
    bomb = b"<!DOCTYPE a [" + b"".join(b'<!ENTITY e%d "&e%d;&e%d;">' % (n + 1, n, n) for n in range(40)) + b"]>\n"
    data = bomb + b"<a>\n<big>" + b"x" * (12 << 20) + b"</big>\n<z>&e40;</z></a>\n"
    started = time.process_time()
    found = outline(data)
    assert time.process_time() - started < 3
    assert found.problems == ()
    root = found.sections[1]
    assert root.children[0].digest == "12.6 MB of text"
    assert found.stats["elements"] == 3


def test_a_hundred_thousand_levels_end_soon() -> None:
    started = time.process_time()
    found = outline(b"<a>" * 100_000)
    assert time.process_time() - started < 3
    assert found.stats["elements"] == 100_000
    assert found.problems[0].message.startswith("not well-formed: the file ends inside <a>")


def test_a_page_is_outlined_by_its_headings() -> None:
    data = (
        b"""\
<!DOCTYPE html>
<html><head><title>A page</title>
<script>if (a < b) { "<h1>no heading</h1>" } """
        + b"// padding\n" * 60
        + b"""</script>
</head>
<body>
<h1>One</h1>
<p>text<br>more
<h2 id=x>Two <em>words</em></h2>
<!-- <h2>hidden</h2> -->
<table id="t"><tr><td>x</table>
<h1>Three</h1>
</body></html>
"""
    )
    (page,) = outline(data, "x.html").sections
    assert page.title == "A page"
    titles = [(one.kind, one.title) for one in walk((page,))]
    assert ("script", 'script if (a < b) { "<h1>no heading</h1>" } // padding') in titles
    assert [title for kind, title in titles if kind == "heading"] == ["One", "Two words", "Three"]
    assert FORMAT.sniff(sample_of(BytesSource("x", data), "x")) > 0.85


@pytest.mark.parametrize(
    "text", [b"", b"text", b"<6>kernel: x\n" * 9, b"<script> said hello\n", b"<?php echo 1; ?>\n", b"a <b>c</b>\n"]
)
def test_other_texts_are_no_xml(text: bytes) -> None:
    assert FORMAT.sniff(sample_of(BytesSource("x", text), "x")) < 0.35 or text.startswith(b"<?php")


def declares_elements(data: bytes) -> bool:
    """Whether entities may hold elements: then expat, which expands them, counts more."""
    return b"<!ENTITY" in data


@pytest.mark.corpus
def test_counts_are_those_of_expat(corpus: Path) -> None:
    """On well-formed files as many elements as expat counts, and no fault."""
    compared = 0
    for path in sorted((corpus / "libxml2-tests").rglob("*.xml")) + sorted(
        (corpus / "analysis-model-reports").rglob("*.xml")
    ):
        data = path.read_bytes()
        if declares_elements(data):
            continue
        parser = xml.parsers.expat.ParserCreate()
        starts = []
        parser.StartElementHandler = lambda *_, starts=starts: starts.append(1)
        try:
            parser.Parse(data, True)
        except (xml.parsers.expat.ExpatError, LookupError):
            continue
        found = outline(data, path.name)
        if "elements" not in found.stats:
            continue  # a page of the web, or an encoding that is binary here
        compared += 1
        assert (found.stats["elements"], found.problems) == (len(starts), ()), path
    assert compared > 50


def test_children_are_counted_by_their_whole_names() -> None:
    rule = (
        b"<suite:Rule>" + b"<suite:title>a</suite:title>" * 7 + b"<suite:titles>b</suite:titles>" * 9 + b"</suite:Rule>"
    )
    # In a file of this size small elements are not looked at one by one.
    found = outline(b"<suite:all>" + rule + b"<other>" + b"x" * 300_000 + b"</other></suite:all>")
    assert found.sections[0].children[0].digest == "7 suite:title, 9 suite:titles"


@pytest.mark.parametrize(
    "element, title",
    [
        (b'<component type="library"><group>org.example</group><name>core</name></component>', "component core"),
        (b'<component type="library" name="core"><name>other</name></component>', "component core"),
        (b'<bug type="NP_NULL"><place file="x.c"/></bug>', "bug NP_NULL"),
        (b"<dependency><groupId>org.example</groupId><artifactId>core</artifactId></dependency>", "dependency core"),
    ],
)
def test_a_name_says_more_than_a_type(element: bytes, title: str) -> None:
    (root,) = outline(b"<all>" + element + b"</all>").sections
    assert [one.title for one in root.children] == [title]
