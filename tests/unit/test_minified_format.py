"""Minified code: where statements and modules begin inside a line, and that no cut lies in a string."""

from __future__ import annotations

import copy
import random
import time

import numpy as np
import pytest

from milepost.core.analysis import Analysis, Options
from milepost.core.detect import detect_format, sample_of
from milepost.core.formats.minified import FORMAT
from milepost.core.minified.spans import TextSpans
from milepost.core.outline import Outline, walk
from milepost.core.source import BytesSource

#: Code in which every bracket outside the marked texts is balanced; a text is between two `§` (removed before use).
TRICKY = (
    'var a=§"(\\"["§,b=§\'{\\\'(\'§;c=a/b/2;d=x.replace(§/[/"\\]]+\\(/§g,§`(${§a(§`[${§f({k:§")"§})§}(`§)§}(`§);'
    "e=1;§/* ( ' */§f=(§//x ( '\n§2);return§/\\)/§;if(a)§`\\`(`§;"
)


def parts_of(text: str) -> tuple[bytes, list[bool]]:
    """The text without its marks, and for each byte whether it lies between two of them."""
    data, masked = bytearray(), []
    for number, part in enumerate(text.split("§")):
        data += part.encode()
        masked += [number % 2 == 1] * len(part.encode())
    return bytes(data), masked


def outline_of(data: bytes, name: str = "a.min.js", **options: int) -> Outline:
    """The outline of a file of this content, as minified code."""
    return Analysis(BytesSource(name, data), Options(format="minified", **options)).outline()


def test_texts_are_told_wherever_a_block_ends() -> None:
    """Strings, templates in templates, regular expressions and comments; cut in two at any byte but those of a regex."""
    data, masked = parts_of(TRICKY)
    assert TextSpans(style_sheet=False).mask(data).tolist() == masked
    regexes = [data.index(b"/[/"), data.index(b"/\\)/")]
    for cut in range(1, len(data)):
        if any(start < cut < start + 12 for start in regexes) or data[cut - 1 : cut + 1] in (
            b"/*",
            b"*/",
            b"//",
            b"${",
        ):
            continue
        spans = TextSpans(style_sheet=False)
        first = spans.mask(data[:cut])
        second = copy.deepcopy(spans).mask(data[cut:])
        assert np.concatenate((first, second)).tolist() == masked, data[:cut]


def _module(number: int) -> str:
    return f'function m{number}(e,t){{var s="}}{{)(";return e.replace(/[)}}]/g,`${{t}})`)}}' * 8


BUNDLES = {
    "webpack": (
        "!function(e){var t={};function n(r){return t[r]}n(0)}(["
        + "0]);(self.webpackChunk=self.webpackChunk||[]).push([[1],{",
        lambda number: f"{number + 100}:function(e,t,n){{{_module(number)}}},",
        "}]);",
        [str(number + 100) for number in range(30)],
    ),
    "webpack paths": (
        "(()=>{var e={",
        lambda number: f'"./src/file{number}.js":(e,t,n)=>{{{_module(number)}}},',
        "};console.log(e)})();",
        [f"./src/file{number}.js" for number in range(30)],
    ),
    "browserify": (
        "!function(){function e(t,n,r){return t}return e}()({",
        lambda number: f'{number + 1}:[function(e,t,n){{{_module(number)}}},{{"./x":{number}}}],',
        "},{},[1]);",
        [str(number + 1) for number in range(30)],
    ),
}


@pytest.mark.parametrize("name", BUNDLES)
def test_modules_of_bundles(name: str) -> None:
    """Each module is a section with its number or path as title, and holds exactly its text."""
    head, module, tail, titles = BUNDLES[name]
    data = (head + "".join(module(number) for number in range(30)) + tail).encode()
    modules = [one for one in walk(outline_of(data).sections) if one.kind == "module"]
    assert [one.title for one in modules] == titles
    for number, one in enumerate(modules[:-1]):
        assert data[one.start_byte : one.end_byte].decode() == module(number)
        assert (one.start_column, one.end_column) == (one.start_byte, one.end_byte)


def test_statements_and_functions_inside_a_line() -> None:
    """A wrapped script is taken apart as far as it is large; columns count UTF-16 units."""
    body = "".join(f"function f{number}(a){{{'a=a+1;' * 300}}}" for number in range(20))
    data = ("/*! Tool v1 */(function(){var s='😀é';" + body + "})();\n//# sourceMappingURL=a.js.map\n").encode()
    outline = outline_of(data)
    functions = [one for one in walk(outline.sections) if one.facts.get("name", "").startswith("f")]
    assert [one.facts["name"] for one in functions] == [f"f{number}" for number in range(20)]
    for one in functions:
        assert data[one.start_byte :].startswith(b"function " + one.facts["name"].encode())
        units = data[: one.start_byte].decode().encode("utf-16-le")
        assert one.start_column == len(units) // 2
    assert outline.stats["source_map"] == "a.js.map"


def test_style_sheets() -> None:
    """Rules in runs, large at-rules opened, the selector as title."""
    rules = "".join(
        f'.c{number}>a[title="}}"]{{color:red;background:url(a;b{{c)}}.d{number}{{margin:0}}.e{number}{{padding:1px}}'
        for number in range(200)
    )
    data = f'@charset "UTF-8";{rules}@media (min-width:1px){{{rules}}}'.encode()
    sections = outline_of(data, "a.min.css").sections
    assert sections[-1].title.startswith("@media") or sections[-1].children
    for section in walk(sections):
        assert data[section.start_byte - 1 : section.start_byte] in (b"", b"}", b";", b"{")


def test_cuts_are_the_same_whatever_ends_the_file() -> None:
    """Ranges join over the pieces that a giant line comes in."""
    chance = random.Random(3)
    parts = [f'x{chance.randrange(9)}("{"ab" * chance.randrange(30)}",[{chance.random()}]);' for _ in range(130_000)]
    data = "".join(parts).encode()
    assert len(data) > 5 << 20
    at = 0
    for section in outline_of(data).sections:
        assert section.start_byte == at
        at = section.end_byte
        assert data[at - 1 : at] == b";"
    assert at == len(data)


def test_doubling_a_line_at_most_doubles_the_time() -> None:
    """One line of 3 and of 6 MB; the bound leaves room for a busy machine."""
    unit = 'function g(a){return{k:"v",l:[1,2,3],m:a/2}}' * 100

    def seconds(times: int) -> float:
        data = (unit * times).encode()
        began = time.process_time()
        outline_of(data)
        return time.process_time() - began

    seconds(50)
    assert min(seconds(1400) for _ in range(2)) < 3.0 * min(seconds(700) for _ in range(2))


def test_brackets_left_open_and_nested_without_end() -> None:
    """A script that breaks off is named; a hundred thousand brackets are no harm."""
    assert "not closed" in outline_of(b"var a=[1,{b:(" + b"2," * 3000).problems[0].message
    outline = outline_of(b"[" * 100_000 + b"]" * 100_000)
    assert outline.sections


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.js", b"!function(e,t){" + b'e.x=function(n){return n?t:this.y["z"]};' * 200 + b"}();", "minified"),
        ("a.css", b".a,.b>c{color:red;margin:0}" * 300, "minified"),
        ("a.json", b'{"a":[' + b'{"b":1},' * 900 + b"0]}", "json"),
        ("a.txt", b"word and more, then again; and so on. " * 200, "text"),
        ("a.csv", b"1,2,3;4,5,6;" * 400, "text"),
    ],
)
def test_detection(name: str, data: bytes, expected: str) -> None:
    """What is minified code, and what only has long lines."""
    sample = sample_of(BytesSource(name, data), name)
    assert (FORMAT.sniff(sample) > 0.35) == (expected == "minified")
    if expected == "minified":
        assert detect_format(sample).name == expected
