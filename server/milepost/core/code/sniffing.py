"""Whether a text is source code, and in which language: by its lines first, by its name where they leave a doubt."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import PurePath

from milepost.core.code.languages import LANGUAGES, Language, expression

_MOST_LINES = 600
#: How sure it is that a text is code which is named as that of a language that is not told apart.
_OTHER_LANGUAGE = 0.5
_LEAST_SHAPED = 0.1
_MOST_FOREIGN_LETTERS = 0.2
_OPENING_LINES = 3
_SHEBANG = re.compile(rb"#!\s*(?:\S*/env\s+(?:-S\s+)?(?:\w+=\S*\s+)*)?(?:\S*/)?([\w+-]+?)[\d.]*(?:\s|$)")
#: Lines of other kinds of text: stamps of logs, diffs, prose, prompts, markup.
_FOREIGN = re.compile(
    rb"^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[ T]|\w{3} [ \d]\d \d\d:\d\d:\d\d |\[?\d\d:\d\d:\d\d|\d+[.,]\d+ |(?:@@|\+\+\+|---) |diff --git|[+>] ?\w.*[;{}]$|[$%>]{1,3} \w|<\w+[ >/]|</"
    rb"|(?:SELECT|INSERT|CREATE|UPDATE|DELETE|DROP|ALTER|BEGIN|COMMIT|GRANT)\b|(?:INFO|WARN(?:ING)?|ERROR|DEBUG|TRACE|FATAL)\b|(?:In file included|make(?:\[\d+\])?:|\S+:\d+:(?:\d+:)?) |[A-Z][a-z]+(?: [a-z,']+){5,}[.,]?$"
    rb"|(?:- )*[\w.-]+:(?:\s+[^\s{(\[][^;{(]*[^\s,;{(]\s*)?$)"
)
#: Of data: a script may be full of it, but then it is named as one.
_DATA = re.compile(rb"\s*(?:\{\"|\"[\w ]+\":\s)")
#: The comments of C and its kin, and Perl's manuals inside a script.
_BLOCK_COMMENT = re.compile(rb"/\*.*?\*/|(?m:^)=[a-z]\w+\b.*?\n=cut\b", re.DOTALL)
_STRICT = re.compile(rb"[\"']use strict[\"'];")
_LINE_COMMENT = re.compile(rb"\s*(?://|#(?!\s*(?:include|ifndef|define|pragma|if)\b)|--|/\*\*/|\*)")
#: How a file begins behind its comments, where that alone tells its language.
_OPENINGS: tuple[tuple[re.Pattern[bytes], str], ...] = (
    (re.compile(rb"<\?php\b"), "php"),
    (re.compile(rb"#\s*(?:include\s*[<\"]|ifndef\s+\w+\s*$|pragma\s+once)"), "c"),
    (re.compile(rb"package\s+\w+\s*$"), "go"),
    (re.compile(rb"(?:use\s+(?:strict|warnings|v?5[.\d]*)\b|package\s+\w+(?:::\w+)*;\s*$)"), "perl"),
)
_ONLY_CPP = re.compile(
    rb"\s*(?:template\s*<|namespace\s+\w|using\s+namespace\s|class\s+\w+[^;]*$|(?:public|private|protected):|.*\bstd::\w)"
)
_ONLY_TYPED = re.compile(
    rb"\s*(?:export\s+)?(?:declare\s|abstract\s+class\s|interface\s+\w+.*\{|type\s+\w+.*=|enum\s+\w+\s*\{|(?:public|private|protected|readonly)\s+\w+.*[:(]"
    rb"|(?:const|let)\s+\w+:\s*\w|function\s+\w+\(\w+\??:\s|import\s+type\b|[\w?]+\??:\s*(?:string|number|boolean)\b)"
)
#: Suffixes of languages that are not told apart: their text is code all the same, and goes by its indentation.
_OTHER_SUFFIXES = (
    ".adb", ".ads", ".asm", ".awk", ".clj", ".cljs", ".cmake", ".coffee", ".cr", ".dart", ".el", ".erl", ".f", ".f90", ".for",
    ".fs", ".gd", ".gradle", ".groovy", ".hrl", ".hs", ".lisp", ".m4", ".mli", ".nim", ".nix", ".pas", ".proto", ".ps1", ".psm1",
    ".purs", ".r", ".rkt", ".s", ".scm", ".sol", ".svh", ".tcl", ".tf", ".thrift", ".vb", ".vhd", ".vhdl", ".vim", ".wgsl",
)  # fmt: skip
_CODE_END = re.compile(rb"[;{}(,:)\[\]=>]\s*(?://.*|/\*.*\*/\s*|#.*)?$|^\s*(?:#|//|/\*|\*|--|\"\"\")")


def language_of(name: str, head: bytes) -> tuple[Language | None, float]:
    """The language of a text and how sure it is, 0 to 1, that the text is source code in it."""
    return _judge(PurePath(name).suffix.lower(), head[: 64 << 10])


@lru_cache(maxsize=4)
def _judge(suffix: str, head: bytes) -> tuple[Language | None, float]:
    named = next((one for one in LANGUAGES if suffix in one.suffixes), None)
    whole = head
    head = _BLOCK_COMMENT.sub(b"/**/", head)
    lines = [line for line in head.splitlines()[: 4 * _MOST_LINES] if line.strip()]
    if len(whole) == 64 << 10 and lines:
        lines.pop()
    if not lines or max(len(line) for line in lines[:_MOST_LINES]) > 20_000:
        return named, 0.0
    match = _SHEBANG.match(head)
    if match is not None:
        word = match[1].decode()
        spoken = next((one for one in LANGUAGES if word in one.interpreters), None)
        return spoken, 0.9 if spoken is not None and len(lines) > 1 else 0.3 if named else 0.0
    lines = lines[:_MOST_LINES]
    is_other = named is None and suffix in _OTHER_SUFFIXES
    foreign = sum(1 for line in lines if _FOREIGN.match(line) or (named is None and _DATA.match(line))) / len(lines)
    shaped = sum(1 for line in lines if _CODE_END.search(line)) / len(lines)
    if foreign > 0.15 and not (named and foreign < 0.4):
        return named, 0.0
    if is_other:
        # The suffix of a language may be that of a country: prose in other letters is none.
        is_foreign = sum(byte > 0x7F for byte in head) > _MOST_FOREIGN_LETTERS * len(head)
        return None, 0.0 if is_foreign or shaped < _LEAST_SHAPED else _OTHER_LANGUAGE
    shares = {
        one.name: sum(1 for line in lines if expression(one.telling).match(line)) / len(lines) for one in LANGUAGES
    }
    best = max(LANGUAGES, key=lambda one: shares[one.name] * (1.6 if one is named else 1.0))
    best = _dialect(named, best, lines)
    best_share = shares[best.name]
    if named is not None:
        if _family(named) != _family(best) and (shares[named.name] > 0.02 or best_share < 0.15):
            best, best_share = named, shares[named.name]
        if shaped > 0.35 and (best_share > 0.02 or shaped > 0.6):
            return best, 0.75
        return best, 0.45 if best_share > 0.05 else 0.0
    opening = list(islice((line.lstrip() for line in lines if not _LINE_COMMENT.match(line)), _OPENING_LINES))
    opened = next((name for pattern, name in _OPENINGS if opening and pattern.match(opening[0])), "")
    if not opened and any(_STRICT.match(line) for line in opening):
        opened = "javascript"
    if opened and len(lines) > 1 and (shaped > 0.35 or opened == "php"):
        # Java begins with a package too.
        is_java = opened == "perl" and best.name == "java"
        return best if is_java else _dialect(None, _named(opened), lines), 0.8 if opened == "php" else 0.6
    distinct = len({line.split(None, 1)[0][:6] for line in lines if expression(best.telling).match(line)})
    if len(lines) < 5 or shaped < 0.5 or best_share < 0.12 or distinct < 3:
        return best, 0.0
    return best, min(0.85, 0.4 + best_share)


def _dialect(named: Language | None, best: Language, lines: list[bytes]) -> Language:
    """Which of a family of languages: the one that the name says, unless lines say that it is more than that."""
    family = _family(best)
    if family == "c":
        is_more = sum(1 for line in lines if _ONLY_CPP.match(line)) >= max(2, len(lines) // 200)
        return _named("cpp") if is_more or (named is not None and named.name == "cpp") else _named("c")
    if family == "javascript":
        if named is not None and _family(named) == family:
            return named
        is_more = sum(1 for line in lines if _ONLY_TYPED.match(line)) >= max(2, len(lines) // 30)
        return _named("typescript" if is_more else "javascript")
    return best


def _named(name: str) -> Language:
    return next(one for one in LANGUAGES if one.name == name)


def _family(language: Language | None) -> str:
    if language is None:
        return ""
    return {"cpp": "c", "tsx": "javascript", "typescript": "javascript"}.get(language.name, language.name)
