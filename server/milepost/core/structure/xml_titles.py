"""What an element is called: its name with what identifies it, from its attributes or its first children."""

from __future__ import annotations

import re

_NAME = re.compile(rb"</?([^\s/>]+)")
_ATTRIBUTE = re.compile(rb"([\w:.-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
#: Attributes that identify an element, the best first.
_IDENTIFYING = (
    b"name", b"id", b"key", b"title", b"label", b"path", b"file", b"filename", b"sourcefilename", b"testName",
)  # fmt: skip
#: Attributes that say something of an element that has neither one of those nor a child with its name.
_TELLING = (
    b"type", b"ref", b"rule", b"category", b"class", b"source", b"href", b"src", b"line", b"value", b"lang",
)  # fmt: skip
_CHILD = re.compile(
    rb"\s*(?:<[\w:.-]+>[^<]{0,80}</[\w:.-]+>\s*){0,2}"
    rb"<(?:\w+:)?(?:name|title|id|key|artifactId|label|path|fileName|file|Id|Name|Title|Key|code)\b[^>]*>\s*([^<]{1,120})"
)
_ENTITIES = {b"&lt;": b"<", b"&gt;": b">", b"&amp;": b"&", b"&quot;": b'"', b"&apos;": b"'", b"&#10;": b" "}
_ENTITY = re.compile(b"|".join(re.escape(entity) for entity in _ENTITIES))
_LOOKED_AT_BYTES = 2048
#: Elements that say that a test went wrong, and the attributes that do, of the reports of JUnit, NUnit, xUnit and TRX.
FAILED_ELEMENTS = (b"failure", b"error", b"rerunFailure", b"flakyFailure")
FAILED_ATTRIBUTE = re.compile(
    rb"\b(?:result|outcome|status|success|executed)\s*=\s*[\"'](?:Fail(?:ed|ure)?|fail(?:ed|ure)?|FAIL(?:ED)?|Error|error)[\"']"
)
TEST_ELEMENTS = frozenset((b"testcase", b"test-case", b"test", b"UnitTestResult", b"test-suite"))


def name_of(tag: bytes) -> bytes:
    """The name in a tag, with its prefix."""
    match = _NAME.match(tag)
    return match[1] if match is not None else b"?"


def name_at(data: bytes, begin: int) -> bytes:
    """The name in the tag that begins there."""
    match = _NAME.match(data, begin)
    return match[1] if match is not None else b"?"


def attributes_of(tag: bytes) -> dict[bytes, bytes]:
    """The attributes of a tag, those in its first 2 KiB."""
    return {match[1]: match[2] or match[3] or b"" for match in _ATTRIBUTE.finditer(tag, 0, _LOOKED_AT_BYTES)}


def plain(text: bytes) -> bytes:
    """Text with the five entities of XML itself as what they stand for; no other is expanded."""
    return _ENTITY.sub(lambda match: _ENTITIES[match[0]], text) if b"&" in text else text


def title_of(tag: bytes, inside: bytes) -> bytes:
    """`name "identity"`, from the tag and the first bytes inside the element."""
    name = name_of(tag)
    attributes = attributes_of(tag) if b"=" in tag else {}
    lowered = {key.split(b":")[-1]: value for key, value in attributes.items() if value}
    if name.endswith((b"testcase", b"test-case")) and lowered.get(b"classname"):
        return name + b" " + plain(lowered[b"classname"] + b"." + lowered.get(b"name", b""))
    found = _first_of(_IDENTIFYING, lowered)
    if not found:
        match = _CHILD.match(inside) if inside else None
        found = (match[1].strip() if match is not None else b"") or _first_of(_TELLING, lowered)
    return name + b" " + plain(found) if found else name


def _first_of(keys: tuple[bytes, ...], attributes: dict[bytes, bytes]) -> bytes:
    return next((attributes[key] for key in keys if key in attributes), b"")


def failure_message(tag: bytes, inside: bytes) -> bytes:
    """What a failed test says, in one line: the message and type of its failure."""
    for source in (inside, tag):
        match = re.search(
            rb"<(?:\w+:)?(?:failure|error|rerunFailure|flakyFailure)\b[^>]*", source[: _LOOKED_AT_BYTES * 4]
        )
        if match is not None:
            attributes = attributes_of(match[0])
            text = attributes.get(b"message") or b""
            kind = attributes.get(b"type") or b""
            if not text:
                text = source[match.end() + 1 : match.end() + 300].removeprefix(b"<![CDATA[").lstrip()
            return plain(b": ".join(one for one in (kind, text) if one and not (one is kind and text.startswith(kind))))
    match = re.search(
        rb"<(?:\w+:)?(?:message|Message)>(?:<!\[CDATA\[)?\s*([^<\]]{1,300})", inside[: _LOOKED_AT_BYTES * 4]
    )
    return plain(match[1]) if match is not None else b""
