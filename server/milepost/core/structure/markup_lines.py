"""Dialects whose headings are lines of their own: AsciiDoc, LaTeX, Org, roff, formatted manual pages, RFCs, disassemblies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.markup_base import Heading, LookBack, squeezed

#: A heading of a line: its level and title, or None. Given the line, the line before it, and the state.
Match = Callable[[bytes, bytes], "tuple[int, bytes] | None"]
_OVERSTRIKE = re.compile(rb".\x08")


@dataclass(frozen=True, slots=True)
class LineRules:
    """A dialect of this kind: first bytes (after up to `blanks` blanks) of lines that may be headings, and which are.

    `hides` gives, for a line, the text that ends the block it opens in which nothing is a heading.
    """

    name: str
    first_bytes: bytes
    match: Match
    blanks: int = 0
    hides: Callable[[bytes], bytes] | None = None
    second_bytes: bytes = b""
    kinds: Mapping[int, str] = field(default_factory=dict)
    """What the sections of a level are, where they are no headings."""


class LineDialect:
    """Finds headings by one rule. State: what ends the open block."""

    def __init__(self, rules: LineRules, state: dict[str, Any]) -> None:
        self.name = rules.name
        self._rules = rules
        self._until = str(state.get("until", "")).encode("latin-1")
        self._look_back = LookBack()

    def __deepcopy__(self, memo: dict[int, Any]) -> LineDialect:
        twin = LineDialect(self._rules, {})
        twin._until = self._until
        twin._look_back._past = list(self._look_back._past)
        return twin

    def title(self, raw: bytes) -> bytes:
        """Titles are clean."""
        return raw

    def resume(self) -> dict[str, Any]:
        """The open block."""
        return {"dialect": self.name, **({"until": self._until.decode("latin-1")} if self._until else {})}

    def read(self, view: LineView) -> Iterator[Heading]:
        """The headings of the next view."""
        rules = self._rules
        candidates = np.flatnonzero(table_of(rules.first_bytes)[view.first_bytes(rules.blanks)])
        if rules.second_bytes:
            second = view.block.array[np.minimum(view.starts[candidates] + 1, len(view.data) - 1)]
            candidates = candidates[table_of(rules.second_bytes)[second]]
        for index in candidates.tolist():
            text = view.text(index)
            if self._until:
                if text.strip() == self._until:
                    self._until = b""
                    yield Heading(index + 1)
                continue
            before = self._look_back.before(view, index, 1)
            found = rules.match(text, before.text if before is not None else b"")
            if found is not None:
                kind = rules.kinds.get(found[0], "heading")
                yield Heading(index, level=found[0], title=squeezed(found[1]) or text[:1], kind=kind)
            elif rules.hides is not None:
                self._until = rules.hides(text)
                if self._until:
                    yield Heading(index)
        self._look_back.keep(view, 1)


def overstrike_removed(text: bytes) -> bytes:
    """Bold and underlined text as a printer makes it (`N\\bNA\\bA`), plain."""
    return _OVERSTRIKE.sub(b"", text) if b"\x08" in text else text


_ASCIIDOC = re.compile(rb"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*$")
_ASCIIDOC_BLOCK = re.compile(rb"(?:-{4,}|\.{4,}|/{4,}|\+{4,}|`{3,}.*)$")


def _asciidoc(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    match = _ASCIIDOC.match(text)
    return (len(match[1]), match[2]) if match is not None else None


def _asciidoc_block(text: bytes) -> bytes:
    text = text.rstrip()
    if not _ASCIIDOC_BLOCK.match(text):
        return b""
    return text if text[:1] != b"`" else text[: len(text) - len(text.lstrip(b"`"))]


_LATEX_LEVELS = {
    b"part": 1, b"chapter": 2, b"section": 3, b"subsection": 4, b"subsubsection": 5, b"paragraph": 6, b"subparagraph": 7,
    b"frametitle": 6, b"addchap": 2, b"addsec": 3,
}  # fmt: skip
_LATEX = re.compile(
    rb"\s*\\(part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|addchap|addsec)\*?\s*(?:\[[^\]]*\])?\s*\{(.*)"
)
_LATEX_OTHER = re.compile(
    rb"\s*\\(?:begin\s*\{(abstract|document|thebibliography|appendices)\}|(appendix|frontmatter|mainmatter|backmatter)\b)"
)
_LATEX_VERBATIM = re.compile(rb"\s*\\begin\s*\{(verbatim\*?|lstlisting|Verbatim|minted|comment)\}")


def _latex(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    match = _LATEX.match(text)
    if match is not None:
        return _LATEX_LEVELS[match[1]], _braced(match[2])
    other = _LATEX_OTHER.match(text)
    if other is not None:
        return (1 if other[1] != b"abstract" else 3), other[1] or other[2]
    return None


def _latex_block(text: bytes) -> bytes:
    match = _LATEX_VERBATIM.match(text)
    return b"\\end{" + match[1] + b"}" if match is not None else b""


def _braced(text: bytes) -> bytes:
    """What stands before the brace that closes one opened before `text`."""
    depth = 1
    for position, byte in enumerate(text):
        if byte in b"{}" and text[position - 1 : position] != b"\\":
            depth += 1 if byte == 123 else -1
            if not depth:
                return text[:position]
    return text


_ORG = re.compile(rb"(\*+)[ \t]+(\S.*?)(?:[ \t]+:[\w@#%:]+:)?[ \t]*$")


def _org(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    match = _ORG.match(text)
    return (min(len(match[1]), 12), match[2]) if match is not None else None


_ROFF = re.compile(rb"\.(TH|Dt|SH|Sh|SS|Ss)\b[ \t]*(.*)")
_ROFF_LEVELS = {b"TH": 1, b"Dt": 1, b"SH": 2, b"Sh": 2, b"SS": 3, b"Ss": 3}
_ROFF_ESCAPE = re.compile(rb"\\(?:f[BIRP]|f\(..|f\[[^\]]*\]|s[-+]?\d|&|/|,)")


def _roff(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    match = _ROFF.match(text)
    if match is None:
        return None
    title = _ROFF_ESCAPE.sub(b"", match[2]).replace(b'"', b"").replace(b"\\-", b"-").replace(b"\\ ", b" ")
    if match[1] in (b"TH", b"Dt"):
        words = title.split()
        title = words[0] + b"(" + words[1] + b")" if len(words) > 1 else title
    return _ROFF_LEVELS[match[1]], title


_MAN_TITLE = re.compile(rb"(\S+\([0-9n]\w*\))\s.*?\s{2,}.*\1$")
_MAN_SECTION = re.compile(rb"[A-Z][A-Z0-9 ,/&()'-]{1,60}$")
_MAN_SUBSECTION = re.compile(rb"   [A-Z][\w ,/&():'-]{1,60}$")


def _man(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    text = overstrike_removed(text).rstrip()
    title = _MAN_TITLE.match(text)
    if title is not None:
        return 1, title[1]
    if _MAN_SECTION.match(text) and len(text) > 2:
        return 2, text
    if not before.strip() and _MAN_SUBSECTION.match(text):
        return 3, text
    return None


_RFC_NUMBERED = re.compile(rb"(?:Appendix )?((?:\d{1,2}|[A-Z])(?:\.\d{1,3})*)\.? {1,4}(?=[^\s.])")
_RFC_PLAIN = re.compile(
    rb"(?:Abstract|Status of [Tt]his Memo|Copyright Notice|Table of Contents|Introduction|Acknowledge?ments?|References|"
    rb"(?:Normative|Informative) References|Author'?s?'? Address(?:es)?|Appendix [A-Z]\b.{0,60}|Contributors|Index|"
    rb"IANA Considerations|Security Considerations|Full Copyright Statement|Intellectual Property)\.?$"
)
_RFC_PAGE = re.compile(rb"\[Page \d+\]|\.{4,}| \d{4}$")


def _rfc(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    text = text.rstrip()
    if before.strip(b" \t\x0c\r") or len(text) > 90 or _RFC_PAGE.search(text):
        return None
    match = _RFC_NUMBERED.match(text)
    if match is not None:
        return match[1].count(b".") + 1, text
    return (1, text) if _RFC_PLAIN.match(text) else None


_FILE_FORMAT = re.compile(rb"(\S.*):\s+file format (\S+)\s*$")
_DISASSEMBLED = re.compile(rb"Disassembly of section (\S+):\s*$")
_FUNCTION = re.compile(rb"[0-9a-f]{4,16} <(.+)>:\s*$")
_DUMPED = re.compile(rb"Dump of assembler code for function (.+):\s*$")


def _disassembly(text: bytes, before: bytes) -> tuple[int, bytes] | None:
    """What objdump and gdb print: files (of an archive), their sections, functions with their addresses."""
    function = _FUNCTION.match(text) or _DUMPED.match(text)
    if function is not None:
        return 3, function[1]
    section = _DISASSEMBLED.match(text)
    if section is not None:
        return 2, section[1]
    file = _FILE_FORMAT.match(text)
    return (1, file[1] + b" (" + file[2] + b")") if file is not None else None


_CAPITALS = bytes(range(65, 91))
RULES = {
    rules.name: rules
    for rules in (
        LineRules("asciidoc", b"=#-./+`", _asciidoc, hides=_asciidoc_block),
        LineRules("latex", b"\\", _latex, blanks=3, hides=_latex_block),
        LineRules("org", b"*", _org),
        LineRules("roff", b".", _roff, second_bytes=b"STD"),
        LineRules("man", _CAPITALS + bytes(range(97, 123)) + b"_", _man, blanks=3),
        LineRules("rfc", _CAPITALS + b"0123456789", _rfc),
        LineRules(
            "disassembly",
            bytes(code for code in range(0x21, 0x100)),
            _disassembly,
            kinds={1: "file", 2: "section", 3: "function"},
        ),
    )
}
