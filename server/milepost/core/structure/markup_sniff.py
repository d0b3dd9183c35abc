"""Which dialect of markup a text is in, and how sure that is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from milepost.core.formats.base import Sample
from milepost.core.structure.markup_lines import overstrike_removed
from milepost.core.structure.markup_rst import is_adornment

_SURE = 0.92
_FAIRLY_SURE = 0.8
#: Enough only together with a fitting suffix.
_BY_NAME = 0.36
_JUST_SURE = 0.4
_MANY_HEADINGS = 4
_STRETCH_BYTES = 16 << 10

MARKDOWN_SUFFIXES = (".md", ".markdown", ".mkd", ".mdx", ".qmd", ".rmd")
_SUFFIXES = {
    ".rst": "rst", ".rest": "rst", ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".asc": "asciidoc", ".tex": "latex",
    ".ltx": "latex", ".org": "org", ".info": "info", ".mbox": "mbox",
    **dict.fromkeys(MARKDOWN_SUFFIXES, "markdown"),
}  # fmt: skip
_MBOX = re.compile(rb"From \S.*\d\d:\d\d(?::\d\d)?.* \d{4}\s*$|From - ")
_HEADER = re.compile(rb"[A-Za-z][\w-]*:(?:\s|$)")
_ROFF = re.compile(rb"(?m)^\.(?:S[HhSs]|T[HP]|Dd|Nm|Os) ?")
_MAN_TITLE = re.compile(rb"(\S+\([0-9n]\w*\))\s.*\1\s*$")
_LATEX_WORDS = (b"\\documentclass", b"\\begin{document}", b"section", b"\\chapter")
_LATEX = re.compile(rb"(?m)^[ \t]*\\(?:documentclass|begin\{document\}|(?:sub)*section\*?\{|chapter\*?\{)")
_ORG_DIRECTIVE = re.compile(rb"(?mi)^#\+(?:title|author|options|begin_|startup|date|property)|^[ \t]*:PROPERTIES:")
_ORG_HEADING = re.compile(rb"(?m)^\*+ \S")
_ASCIIDOC_TITLE = re.compile(rb"= \S")
_ASCIIDOC = re.compile(rb"(?m)^(?:={2,5} \S|\[(?:source|NOTE|TIP|WARNING|\[)|:[\w-]+:(?: |$)|(?:-{4}|\.{4}|={4})\r?$)")
_RST = re.compile(rb"(?m)^(?:\.\. (?:[\w-]+::|_[^:]+:|\|)|\s*:\w+:`)|:\w+:`[^`]+`|``[^`]+``|`[^`<]+ <[^>]+>`_")
_RST_SURE = re.compile(rb"(?m)^\.\. [\w-]+::|:\w+:`|`_\b|``")
_RFC = re.compile(rb"(?m)^(?:Request for Comments:? +\d|RFC +\d+ |Internet-Draft\b|Network Working Group\b)")
_DISASSEMBLY = re.compile(rb"(?m)^(?:Disassembly of section \S+|Dump of assembler code for function .+):\r?$")
_INSTRUCTION = re.compile(rb"(?m)^(?: +[0-9a-f]+:\t(?:[0-9a-f]{2,8} )+| +0x[0-9a-f]+ <\+\d+>:\t)")
_PAGE = re.compile(rb"\[Page \d+\]")
_ATX = re.compile(rb"#{1,6} +\S")
_EXTRAS = re.compile(
    rb"\[[^\[\]\n]{1,300}\]\([^)\n]{1,500}\)|(?m:^[ ]{0,3}(?:```|~~~))|(?<![\w*])\*\*\w[^*\n]*\*\*(?!\w)|(?m:^[ ]{0,3}>[ ]\w)|`[^`\n]+`"
    rb"|(?m:^[ ]{0,3}(?:[-*+]|\d+\.) +\w)|!\[|<https?:"
)
_LINK = re.compile(rb"\[[^\[\]\n]{1,300}\]\([^)\n\s]{1,500}\)|(?m:^ {0,3}```[\w-]*\s*$)|\*\*\w[^*\n]*\*\*")
_CODE_LINE = re.compile(
    rb"[;{}]\s*$|^\s*(?:import|def|if|for|while|return|export|set|echo|class|fi|done|esac)\b|^\w+\s*="
)


def dialect_of(sample: Sample) -> tuple[str, float]:
    """The dialect and how sure it is, 0 for none. The name helps only where the text could be of its kind."""
    head, lines = sample.head, sample.lines
    by_suffix = next((one for suffix, one in _SUFFIXES.items() if sample.name.lower().endswith(suffix)), "")
    if head.startswith(b"\x1f\nFile: ") or re.search(rb"\n\x1f\r?\nFile: ", head):
        return "info", _SURE
    first = next((line for line in lines if line.strip()), b"")
    if _MBOX.match(first) and sum(1 for line in lines[1:12] if _HEADER.match(line)) >= 3:
        return "mbox", _SURE
    if first.startswith((b'.\\"', b"'\\\"", b".TH ", b".Dd ")) and len(_ROFF.findall(head)) >= 2:
        return "roff", _SURE
    if _DISASSEMBLY.search(head) and _INSTRUCTION.search(head):
        return "disassembly", _SURE
    title = overstrike_removed(first)
    if _MAN_TITLE.match(title) and any(overstrike_removed(line).rstrip() == b"NAME" for line in lines[:20]):
        return "man", _SURE
    found = _LATEX.findall(head) if any(word in head for word in _LATEX_WORDS) else []
    if found and (b"\\begin{" in head or len(found) > 1):
        commands = sum(1 for line in lines if line.lstrip().startswith((b"\\", b"%")))
        if commands > 0.05 * len(lines):
            return "latex", _SURE
    if _PAGE.search(head) and any(_RFC.match(line) for line in lines[:80]):
        return "rfc", _SURE
    headings = len(_ORG_HEADING.findall(head)) if head.startswith(b"*") or b"\n*" in head else 0
    if headings and (by_suffix == "org" or _ORG_DIRECTIVE.search(head)) and not _is_code(lines):
        return "org", _SURE if headings > 1 or by_suffix == "org" else _FAIRLY_SURE
    if _ASCIIDOC_TITLE.match(first) or by_suffix == "asciidoc":
        signs = len(_ASCIIDOC.findall(head))
        if signs >= 2 or (signs and by_suffix == "asciidoc"):
            return "asciidoc", _SURE if by_suffix else _FAIRLY_SURE
    best = max(_rst(sample, by_suffix), _markdown(sample, by_suffix), key=lambda one: one[1])
    if best[1]:
        return best
    return (by_suffix, _BY_NAME) if by_suffix not in ("", "info", "mbox") and not _is_code(lines) else ("", 0.0)


def _found(pattern: re.Pattern[bytes], head: bytes) -> Iterator[bytes]:
    """What a pattern finds, some lines at a time: looking through all of a head at once would hold up every other thread."""
    start = 0
    while start < len(head):
        end = head.find(b"\n", start + _STRETCH_BYTES) + 1 or len(head)
        yield from pattern.findall(head[start:end])
        start = end


def _holds(pattern: re.Pattern[bytes], head: bytes) -> bool:
    return next(_found(pattern, head), None) is not None


def _count(pattern: re.Pattern[bytes], head: bytes) -> int:
    return sum(1 for _ in _found(pattern, head))


def _is_code(lines: tuple[bytes, ...]) -> bool:
    """Whether too many lines look like code."""
    filled = [line for line in lines[:400] if line.strip()]
    code = sum(1 for line in filled if _CODE_LINE.search(line))
    return code > 0.4 * len(filled)


def _rst(sample: Sample, by_suffix: str) -> tuple[str, float]:
    lines = sample.lines
    titles = 0
    for index in range(1, len(lines)):
        line = lines[index].rstrip()
        if len(line) < 3 or line[0] in b"|" or not is_adornment(line):
            continue
        title = lines[index - 1].rstrip()
        if not title or title[:1] in b" \t|#" or is_adornment(title) or abs(len(line) - len(title)) > 3:
            continue
        above = lines[index - 2].rstrip() if index > 1 else b""
        if not above or is_adornment(above):
            titles += 1
    if by_suffix == "rst" and (titles or _holds(_RST, sample.head)):
        return "rst", _SURE
    if by_suffix or not titles:
        return "", 0.0
    if _count(_RST, sample.head) >= 2 and _holds(_RST_SURE, sample.head):
        return "rst", 0.75
    return "", 0.0


def _markdown(sample: Sample, by_suffix: str) -> tuple[str, float]:
    """Markdown, unless its `#` are comments: headings stand alone between empty lines, comments stand over code."""
    lines = sample.lines
    headings = alone = levels = 0
    seen: set[int] = set()
    fenced = False
    for index, line in enumerate(lines):
        if line.startswith((b"```", b"~~~")):
            fenced = not fenced
        if fenced or line[:1] != b"#":
            continue
        headings += 1
        if not _ATX.match(line):
            continue
        before = lines[index - 1].strip() if index else b""
        after = lines[index + 1].strip() if index + 1 < len(lines) else b""
        seen.add(len(line) - len(line.lstrip(b"#")))
        alone += (not before) + (not after)
    levels = len(seen)
    # The signs are looked for last: that takes longest, and most files are told without.
    if by_suffix == "markdown":
        return "markdown", _SURE if headings or _holds(_EXTRAS, sample.head) else _BY_NAME + 0.1
    if by_suffix:
        return "", 0.0
    if not headings or _is_code(lines):
        is_markdown = _setext_titles(lines) and not _is_code(lines) and _count(_LINK, sample.head) >= 3
        return ("markdown", 0.6) if is_markdown else ("", 0.0)
    if alone >= 1.3 * headings and len(set(_found(_EXTRAS, sample.head))) >= 2:
        strong = _count(_LINK, sample.head)
        if strong >= 2 or levels > 1:
            return "markdown", _FAIRLY_SURE if strong else 0.5
    # Nothing but headings, each alone between empty lines, with text between them.
    return ("markdown", _JUST_SURE) if headings >= _MANY_HEADINGS and alone >= 1.9 * headings else ("", 0.0)


def _setext_titles(lines: tuple[bytes, ...]) -> int:
    return sum(
        1
        for title, line in itertools.pairwise(lines)
        if line[:3] in (b"===", b"---")
        and not line.strip(line[:1] + b" ")
        and title.strip()
        and title[:1] not in b"|-=#"
    )
