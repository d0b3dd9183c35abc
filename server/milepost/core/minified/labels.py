"""What a stretch of minified code is called: the module, the function, the rule, or the beginning of its text."""

from __future__ import annotations

import re

HEAD_BYTES = 400

_FUNCTION = re.compile(rb"(?:async )?function\*?\s*([\w$]+)?\s*(\([^()]{0,200}\))")
_CLASS = re.compile(rb"class\s+([\w$]+)?")
_ASSIGNED = re.compile(
    rb"(?:var |let |const )?([\w$.]{1,80}|[\w$.]*\[\"[^\"]{1,60}\"\])\s*=\s*(?:async\s*)?(function\b|class\b|\(?[\w$,]*\)?=>)"
)
_KEYED = re.compile(rb"(?:get |set |async |static |\*)*(\"[^\"]{1,200}\"|'[^']{1,200}'|[\w$]{1,100})\s*:")
_METHOD = re.compile(rb"(?:get |set |async |static |\*)*([\w$]{1,100})\([^()]{0,200}\)\{")
_RULE = re.compile(rb"[^{};]{1,300}(?=\{)")
_BANNER = re.compile(rb"/\*[!*]?\s*(.*?)\*/", re.DOTALL)
_SOURCE_MAP = re.compile(rb"[/*][/*]# sourceMappingURL=([^\s*'\"]+)")
_SPACES = re.compile(rb"\s+")

#: The first lines of a module: webpack's numbers and paths, browserify's list of functions, esbuild's paths.
MODULE = re.compile(
    rb"(?<=[,{\[\n])(?:(?P<number>\d{1,7}|[0-9a-f]{6,40})|\"(?P<path>[^\"\n]{1,300})\"|'(?P<quoted>[^'\n]{1,300})'):"
    rb"(?:function\s*\([\w$, ]*\)\s*\{|\([\w$, ]*\)=>\{|[\w$]+=>\{|\[function\()"
    rb"|(?<=[,{\n])\"(?P<esbuild>[^\"\n]*/[^\"\n]*)\"\([\w$, ]*\)\{"
)


def module_name(match: re.Match[bytes]) -> bytes:
    """The number or path of a module that begins with a match of `MODULE`."""
    return match["path"] or match["quoted"] or match["number"] or match["esbuild"] or b""


def source_map(data: bytes) -> bytes | None:
    """The source map that a text names, if it does."""
    place = data.rfind(b"sourceMappingURL=")
    match = _SOURCE_MAP.search(data, max(0, place - 4)) if place >= 0 else None
    return match[1] if match is not None else None


def describe(head: bytes, *, style_sheet: bool) -> tuple[str, bytes, bytes]:
    """The kind, the title and the name (or nothing) of what begins with `head`."""
    text = head.lstrip(b" \t\r\n;,!(")
    if head.lstrip()[:2] == b"/*":
        match = _BANNER.match(head.lstrip())
        said = _SPACES.sub(b" ", (match[1] if match else head.lstrip()[2:]).replace(b"*", b" ")).strip()
        rest = head.lstrip()[match.end() :].lstrip(b" \t\r\n;,!(") if match else b""
        if not rest or (said and len(said) > 8):
            return "statements" if not style_sheet else "rules", said or b"comment", b""
        text = rest
    if style_sheet:
        match = _RULE.match(text)
        title = _SPACES.sub(b" ", match[0] if match else text[:160]).strip()
        return ("at-rule" if title.startswith(b"@") else "rules"), title, b""
    match = _FUNCTION.match(text)
    if match is not None:
        return "function", _SPACES.sub(b" ", match[0]), match[1] or b""
    match = _CLASS.match(text)
    if match is not None:
        return "class", match[0].strip(), match[1] or b""
    match = _ASSIGNED.match(text)
    if match is not None:
        return ("class" if match[2] == b"class" else "function"), _SPACES.sub(b" ", match[0]), match[1]
    match = _KEYED.match(text)
    if match is not None and not text.startswith((b"case ", b"default:")):
        return "statements", _SPACES.sub(b" ", text[:160]).strip(), b""
    match = _METHOD.match(text)
    if match is not None and match[1] not in (b"if", b"for", b"while", b"switch", b"catch", b"function", b"with"):
        return "function", match[0].rstrip(b"{"), match[1]
    return "statements", _SPACES.sub(b" ", (text or head)[:160]).strip(), b""
