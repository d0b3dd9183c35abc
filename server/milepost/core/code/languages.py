"""The languages that are told apart, and what each needs: its grammar, how blocks end, what its lines begin with.

`heads` finds the lines that begin something with a name, and names it; `trigger` is what hyperscan looks for first, so
that only few lines are looked at with `heads`. `telling` are lines that only this language (or its family) has; they decide
which language a text is in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec


@dataclass(frozen=True, slots=True)
class Language:
    """A programming language. `style` says what ends a block: a brace, a smaller indentation, or the word `end`."""

    name: str
    title: str
    grammar: str
    style: str
    suffixes: tuple[str, ...]
    trigger: bytes
    heads: bytes
    telling: bytes
    comment: tuple[bytes, ...] = (b"//", b"/*", b"*")
    imports: bytes = rb"\s*(?:import|package|using)\b"
    interpreters: tuple[str, ...] = ()
    function: str = "language"

    @property
    def has_grammar(self) -> bool:
        """Whether the parser and this language's grammar are installed."""
        return bool(self.grammar) and all(find_spec(name) is not None for name in ("tree_sitter", self.grammar))


@lru_cache(maxsize=128)
def expression(pattern: bytes) -> re.Pattern[bytes]:
    """A language's expression, compiled when it is first needed: detection needs few of them."""
    return re.compile(pattern)


def _heads(pattern: str) -> bytes:
    return re.sub(r"\n\s*", "", pattern).encode()


_SCRIPT_HEADS = r"""\s*(?:export\s+)?(?:default\s+)?(?:(?:declare|abstract|async)\s+)*
(?:(?P<kind>class|function\s*\*?|interface|enum|namespace)\s+(?P<name>[\w$]+)
|(?:const|let|var)\s+(?P<variable>[\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)
|(?:(?:static|async|get|set|public|private|protected|readonly|override)\s+|\*)*(?P<method>[\w$#]+)\s*\([^;]*\)[^;()=]*\{\s*$
|(?P<property>[\w$.]+)\s*[=:]\s*(?:async\s*)?function\b)"""
_SCRIPT_TRIGGER = rb"^[ \t]*(?:class|function|interface|enum|namespace|export|declare|abstract|async|const|let|var)\b|\) ?\{$|[=:] ?function\b"
_SCRIPT_TELLING = (
    rb"^\s*(?:(?:const|let|var)\s+[\w$\{\[][^=;]*=\s*\S|function\s*\*?\s*[\w$]*\s*\(|\"use strict\"|'use strict'"
    rb"|import\s+(?:[\w$*{][^;]*from\s+)?['\"]|export\s+(?:default|const|function|class|\{|\*)"
    rb"|module\.exports\b|exports\.\w+\s*=|\}\)\(|.*=>\s*\{\s*$|return\s+[^;]*;\s*$|class\s+\w+\s+extends\s+[\w.]+\s*\{)"
)
_TYPED_TELLING = (
    rb"^\s*(?:export\s+)?(?:declare\s+|abstract\s+)?(?:interface\s+\w+[^;]*\{|type\s+\w+(?:<[^>]*>)?\s*=|enum\s+\w+\s*\{|namespace\s+\w+"
    rb"|(?:public|private|protected|readonly)\s+\w+.*[:(]|(?:const|let|function)\s+\w+[^=]*:\s*\w+.*[={;])|^import\s+type\b|^\s*[\w?]+\??:\s*(?:string|number|boolean|\w+\[\]);"
)

LANGUAGES: tuple[Language, ...] = (
    Language(
        "python",
        "Python",
        "tree_sitter_python",
        "indent",
        (".py", ".pyi", ".pyw"),
        rb"^[ \t]*(?:async[ \t]+)?(?:class|def)[ \t]",
        _heads(r"\s*(?:async\s+)?(?P<kind>class|def)\s+(?P<name>\w+)"),
        (
            rb"^\s*(?:(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*(?:\([^)]*\))?:\s*$|from\s+[\w.]+\s+import\s|import\s+\w[\w.]*(?:\s+as\s+\w+)?\s*(?:,|$|#)"
            rb"|elif\s.*:\s*$|except\b.*:\s*$|@\w[\w.]*(?:\(|\s*$)|if\s+__name__\s*==|self\.\w+\s*=|with\s.*:\s*$|for\s+\w.*\sin\s.*:\s*$|return\s+self\b|raise\s+\w+)"
        ),
        (b"#",),
        (rb"\s*(?:import|from)\s"),
        ("python", "python2", "python3", "pypy3"),
    ),
    Language(
        "typescript",
        "TypeScript",
        "tree_sitter_typescript",
        "brace",
        (".ts", ".mts", ".cts"),
        _SCRIPT_TRIGGER,
        _heads(_SCRIPT_HEADS),
        (_TYPED_TELLING + b"|" + _SCRIPT_TELLING),
        imports=(rb"\s*(?:import\b|export\s.*\bfrom\b|(?:const|let|var)\s.*=\s*require\()"),
        interpreters=("deno", "ts-node", "bun"),
        function="language_typescript",
    ),
    Language(
        "tsx",
        "TypeScript (TSX)",
        "tree_sitter_typescript",
        "brace",
        (".tsx",),
        _SCRIPT_TRIGGER,
        _heads(_SCRIPT_HEADS),
        (_TYPED_TELLING + b"|" + _SCRIPT_TELLING),
        imports=(rb"\s*(?:import\b|export\s.*\bfrom\b)"),
        function="language_tsx",
    ),
    Language(
        "javascript",
        "JavaScript",
        "tree_sitter_javascript",
        "brace",
        (".js", ".mjs", ".cjs", ".jsx"),
        _SCRIPT_TRIGGER,
        _heads(_SCRIPT_HEADS),
        (_SCRIPT_TELLING),
        imports=(rb"\s*(?:import\b|export\s.*\bfrom\b|(?:const|let|var)\s.*=\s*require\()"),
        interpreters=("node", "nodejs"),
    ),
    Language(
        "cpp",
        "C++",
        "tree_sitter_cpp",
        "brace",
        (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".ipp", ".tcc", ".cu"),
        rb"^[A-Za-z_~][\w \t*&:<>,~]*\(|^[ \t]*(?:template|typedef|struct|union|enum|class|namespace)\b",
        _heads(
            r"""(?:template\s*<[^>]*>\s*)?(?:\s*(?:typedef\s+)?(?P<kind>struct|union|enum(?:\s+class)?|class|namespace)\s+(?:\w+\s+)??(?P<name>\w+)[^;()]*$
            |[A-Za-z_][\w\s*&:<>,~]*?(?P<method>[\w:~]+)\s*\([^;]*$)"""
        ),
        (
            rb"^\s*(?:template\s*<|namespace\s+\w+(?:::\w+)*\s*\{?\s*$|using\s+namespace\s|class\s+\w+\s*(?:final\s*)?(?::\s*(?:public|private)|\{|$)|(?:public|private|protected):\s*$"
            rb"|#\s*include\s*<[a-z_]+>|.*\bstd::\w|\w[\w:<>*& ]*::~?\w+\(|#\s*(?:ifndef|ifdef|define|endif|pragma)\b|extern\s+\"C\")"
        ),
        imports=(rb"\s*#\s*include\b"),
    ),
    Language(
        "c",
        "C",
        "tree_sitter_c",
        "brace",
        (".c", ".h"),
        rb"^[A-Za-z_][\w \t*]*\(|^(?:typedef|struct|union|enum|static)\b",
        _heads(
            r"""(?:(?:typedef|static|const|extern)\s+)*(?:(?P<kind>struct|union|enum)\s+(?P<name>\w+)\s*(?:\{.*)?$
            |[A-Za-z_][\w\s*]*?(?P<method>\w+)\s*\([^;]*$)"""
        ),
        (
            rb"^\s*(?:#\s*(?:include\s*[<\"]|ifndef\s+\w+|ifdef\s+\w+|define\s+\w+|endif\b|undef\s+\w+|if\s+defined)|typedef\s+(?:struct|union|enum|unsigned|int|char|void)\b"
            rb"|(?:static|extern|const|unsigned|struct\s+\w+|int|char|void|long|size_t|u?int\d+_t)\s+[\w\s*]+[(;=\[{]|\w+->\w+\s*=|.*(?:[=!]= ?NULL\b|= NULL;|\(NULL[,)]))"
        ),
        imports=(rb"\s*#\s*include\b"),
    ),
    Language(
        "csharp",
        "C#",
        "tree_sitter_c_sharp",
        "brace",
        (".cs",),
        rb"^[ \t]*(?:public|private|protected|internal|static|namespace|class|interface|struct|enum|abstract|sealed|partial|record)\b",
        _heads(
            r"""\s*(?:(?:public|private|protected|internal|static|abstract|sealed|partial|virtual|override|async|readonly|unsafe|extern|new)\s+)*
            (?:(?P<kind>namespace|class|interface|struct|enum|record)\s+(?P<name>[\w.]+)|[\w<>\[\],.?\s]*?\b(?P<method>\w+)\s*(?:<[^>]*>)?\([^;]*$)"""
        ),
        (
            rb"^\s*(?:using\s+[\w.]+;|using\s+(?:static|\w+\s*=)|namespace\s+[\w.]+\s*[;{]?\s*$|(?:public|private|protected|internal)\s+(?:\w+\s+)*(?:class|interface|struct|enum|static|void|async|override|virtual|readonly)\b"
            rb"|\[\w+(?:\(.*\))?\]\s*$|.*\{\s*get;|#region\b|#endregion\b)"
        ),
        imports=(rb"\s*using\b"),
    ),
    Language(
        "java",
        "Java",
        "tree_sitter_java",
        "brace",
        (".java",),
        rb"^[ \t]*(?:public|private|protected|static|class|interface|enum|abstract|final|record|@interface|synchronized)\b",
        _heads(
            r"""\s*(?:(?:public|private|protected|static|abstract|final|synchronized|native|default|strictfp|sealed)\s+)*
            (?:(?P<kind>class|interface|@interface|enum|record)\s+(?P<name>\w+)|(?:<[^>]*>\s*)?[\w<>\[\],.?\s]*?\b(?P<method>\w+)\s*\([^;]*$)"""
        ),
        (
            rb"^\s*(?:package\s+[\w.]+;|import\s+(?:static\s+)?[\w.]+(?:\.\*)?;|(?:public|private|protected)\s+(?:\w+\s+)*(?:class|interface|enum|static|void|final|abstract|@interface)\b|@Override\b|throw\s+new\s)"
        ),
    ),
    Language(
        "kotlin",
        "Kotlin",
        "tree_sitter_kotlin",
        "brace",
        (".kt", ".kts"),
        rb"^[ \t]*(?:\w+[ \t]+)*(?:fun|class|interface|object)\b",
        _heads(
            r"\s*(?:\w+\s+)*?(?:(?P<kind>class|interface|object)\s+(?P<name>\w+)|fun\s+(?:<[^>]*>\s*)?(?:[\w<>?.]+\.)?(?P<method>\w+)\s*\()"
        ),
        (
            rb"^\s*(?:(?:override|private|internal|suspend|inline|open|public|protected)\s+fun\s|fun\s+[\w<.]+.*[({=]|val\s+\w+\s*(?::\s*\w|=|by)|var\s+\w+\s*:\s*\w|(?:data|sealed|open|enum)\s+class\s|import\s+[\w.]+$|package\s+[\w.]+$|companion\s+object)"
        ),
    ),
    Language(
        "go",
        "Go",
        "tree_sitter_go",
        "brace",
        (".go",),
        rb"^(?:func|type)[ \t(]",
        _heads(r"(?:func\s+(?:\([^)]*\)\s*)?(?P<method>\w+)|(?P<kind>type)\s+(?P<name>\w+))"),
        (
            rb"^\s*(?:package\s+\w+\s*$|func\s+(?:\([^)]*\)\s*)?\w+\(.*\{|type\s+\w+\s+(?:struct|interface|func)\b|import\s+(?:\(|\")|if\s+err\s*!=\s*nil|defer\s+\w|.*\s:=\s|return\s+nil\b|//go:)"
        ),
    ),
    Language(
        "rust",
        "Rust",
        "tree_sitter_rust",
        "brace",
        (".rs",),
        rb"^[ \t]*(?:pub\b.*|unsafe |async |const |default |extern .*)*(?:fn|struct|enum|union|trait|impl|mod|macro_rules!)\b",
        _heads(
            r"""\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:unsafe|async|const|default|extern(?:\s+"[^"]*")?)\s+)*
            (?:(?P<kind>struct|enum|union|trait|mod|macro_rules!)\s+(?P<name>\w+)|fn\s+(?P<method>\w+)|(?P<impl>impl\b[^{;]*))"""
        ),
        (
            rb"^\s*(?:(?:pub(?:\([^)]*\))?\s+)?(?:fn\s+\w+.*[({]|struct\s+\w+|enum\s+\w+\s*(?:<.*>)?\s*\{|trait\s+\w+|mod\s+\w+|use\s+[\w:]+(?:::|;)|const\s+\w+\s*:|static\s+\w+\s*:)|impl\b.*\{|let\s+(?:mut\s+)?\w+|#!?\[\w|match\s.*\{|macro_rules!)"
        ),
        imports=(rb"\s*(?:pub\s+)?(?:use|extern\s+crate|mod\s+\w+;)"),
    ),
    Language(
        "ruby",
        "Ruby",
        "tree_sitter_ruby",
        "end",
        (".rb", ".rake", ".gemspec"),
        rb"^[ \t]*(?:class|module|def)[ \t]",
        _heads(
            r"\s*(?:(?P<kind>class|module)\s+(?P<name>[\w:]+|<<\s*\w+)|def\s+(?P<method>(?:self\.)?[\w?!=<>\[\]+*/-]+))"
        ),
        (
            rb"^\s*(?:require(?:_relative)?\s+['\"]|class\s+[A-Z]\w*(?:::\w+)*(?:\s*<\s*[A-Z][\w:]*)?\s*$|module\s+[A-Z]\w*|def\s+(?:self\.)?[\w?!]+\s*(?:\(.*\))?\s*$|end\s*$|attr_(?:reader|writer|accessor)\s|.*\bdo\s*(?:\|.*\|)?\s*$|elsif\s|unless\s)"
        ),
        (b"#",),
        (rb"\s*(?:require|require_relative|load|gem)\b"),
        ("ruby",),
    ),
    Language(
        "php",
        "PHP",
        "tree_sitter_php",
        "brace",
        (".php", ".phtml", ".inc"),
        rb"^[ \t]*(?:abstract |final |public |private |protected |static |readonly )*(?:class|interface|trait|enum|function|namespace)\b",
        _heads(
            r"\s*(?:(?:abstract|final|public|private|protected|static|readonly)\s+)*(?:(?P<kind>class|interface|trait|enum|namespace)\s+(?P<name>[\w\\]+)|function\s+&?(?P<method>\w+))"
        ),
        (
            rb"^\s*(?:<\?php|\$\w+\s*(?:=|->|\[)|\$this->|(?:public|private|protected)\s+(?:static\s+)?function\s|use\s+[A-Z][\w\\]+;|echo\s|namespace\s+[A-Z][\w\\]*;)"
        ),
        (b"//", b"/*", b"*", b"#"),
        (rb"\s*(?:use|require|require_once|include|include_once|namespace)\b"),
        ("php",),
        "language_php",
    ),
    Language(
        "swift",
        "Swift",
        "tree_sitter_swift",
        "brace",
        (".swift",),
        rb"^[ \t]*(?:@?\w+(?:\([^)]*\))? )*(?:class|struct|enum|protocol|extension|actor|func|init|deinit)\b",
        _heads(
            r"\s*(?:@?\w+(?:\([^)]*\))?\s+)*?(?:(?P<kind>class|struct|enum|protocol|extension|actor)\s+(?P<name>[\w.]+)|func\s+(?P<method>[^\s(<]+)|(?P<init>init|deinit)\b)"
        ),
        (
            rb"^\s*(?:import\s+(?:Foundation|UIKit|SwiftUI|XCTest|Swift|Combine)\b|(?:(?:public|private|internal|fileprivate|open|override|static|mutating|final|@\w+)\s+)*func\s+\w+.*[{(]|guard\s+.*else|let\s+\w+\s*[:=]|var\s+\w+\s*:\s*\w|extension\s+\w|protocol\s+\w|if\s+let\s|@objc\b|\}\s*else\s*\{)"
        ),
    ),
    Language(
        "scala",
        "Scala",
        "tree_sitter_scala",
        "brace",
        (".scala", ".sc", ".sbt"),
        rb"^[ \t]*(?:\w+(?:\[[^\]]*\])? )*(?:class|object|trait|enum|def|given)\b",
        _heads(
            r"\s*(?:\w+(?:\[[^\]]*\])?\s+)*?(?:(?P<kind>class|object|trait|enum|given)\s+(?P<name>\w+)|def\s+(?P<method>[^\s(\[:=]+))"
        ),
        (
            rb"^\s*(?:(?:override|private|protected|implicit|final|lazy|inline)?\s*(?:def\s+\w+.*[=({:]|val\s+\w+\s*[:=]|object\s+\w+|trait\s+\w+)|(?:case|sealed|abstract)\s+(?:class|object|trait)\s|import\s+[\w.]+(?:\.[_*{]|$)|package\s+[\w.]+$|case\s+.*=>)"
        ),
    ),
    Language(
        "bash",
        "shell script",
        "tree_sitter_bash",
        "end",
        (".sh", ".bash", ".zsh", ".ksh"),
        rb"^[ \t]*(?:function[ \t]+[\w:.-]+|[\w:.-]+[ \t]*\(\))",
        _heads(r"\s*(?:function\s+)?(?P<method>[\w:.-]+)\s*(?:\(\)|\{)?"),
        (
            rb"^\s*(?:fi\s*(?:;|$)|done\b|esac\b|if\s+(?:\[|!|test\b|\w).*;?\s*then\s*$|if\s+\[\[?\s|then\s*$|elif\s+.*then|for\s+\w+\s+in\s.*(?:do)?\s*$|while\s.*do\s*$|case\s.*\sin\s*$|[\w-]+\s*\(\)\s*\{?\s*$|function\s+\w+\s*\{?|export\s+\w+=|set\s+-[a-z]+|local\s+\w+|\w+=\$[({\w]|echo\s+[\"$'-]|\S+\)\s*$|;;\s*$)"
        ),
        (b"#",),
        (rb"\s*(?:source|\.)\s"),
        ("sh", "bash", "zsh", "ksh", "dash", "ash"),
    ),
    Language(
        "lua",
        "Lua",
        "tree_sitter_lua",
        "end",
        (".lua",),
        rb"^[ \t]*(?:local[ \t]+)?(?:function\b|[\w.]+[ \t]*=[ \t]*function\b)",
        _heads(r"\s*(?:local\s+)?(?:function\s+(?P<method>[\w.:]+)|(?P<property>[\w.]+)\s*=\s*function\b)"),
        (
            rb"^\s*(?:local\s+(?:function\s+)?\w+|function\s+[\w.:]+\s*\(|end[,)]?\s*$|elseif\s.*then|if\s.*\sthen\s*$|for\s.*\sdo\s*$|--)"
        ),
        (b"--",),
        (rb".*\brequire\b"),
        ("lua", "luajit"),
    ),
    Language(
        "perl",
        "Perl",
        "tree_sitter_perl",
        "brace",
        (".pl", ".pm", ".t", ".cgi"),
        rb"^[ \t]*(?:sub|package)[ \t]",
        _heads(r"\s*(?:(?P<kind>package)\s+(?P<name>[\w:]+)|sub\s+(?P<method>[\w:]+))"),
        (
            rb"^\s*(?:use\s+(?:strict|warnings|utf8|v?5)\b|(?:my|our|local)\s+[$@%(]|sub\s+\w+\s*(?:\([^)]*\)\s*)?\{|package\s+[\w:]+;|=(?:head\d|cut|pod|item|over|back)\b|foreach\s+my\s|(?:die|unless|elsif)\b.*[\"'({;]|[$@%]\w+.*=~)"
        ),
        (b"#", b"="),
        (rb"\s*(?:use|require|no)\b"),
        ("perl",),
    ),
    Language(
        "elixir",
        "Elixir",
        "tree_sitter_elixir",
        "end",
        (".ex", ".exs"),
        rb"^[ \t]*def(?:module|protocol|impl|p|macro|macrop|delegate|guard|struct)?[ \t]",
        _heads(
            r"\s*(?:(?P<kind>defmodule|defprotocol|defimpl)\s+(?P<name>[\w.]+)|def(?:p|macro|macrop|delegate|guard)?\s+(?P<method>\w+[?!]?))"
        ),
        (
            rb"^\s*(?:defmodule\s+[A-Z][\w.]*\s+do|defp?\s+\w+[?!]?.*(?:\bdo\s*$|,\s*do:)|@(?:moduledoc|doc|spec|impl|type)\b|alias\s+[A-Z]|\|>\s)"
        ),
        (b"#", b"@"),
        (rb"\s*(?:import|alias|use|require)\b"),
        ("elixir",),
    ),
    Language(
        "ocaml",
        "OCaml",
        "tree_sitter_ocaml",
        "indent",
        (".ml",),
        rb"^[ \t]*(?:let|and|module|type|class|external|exception)[ \t]",
        _heads(
            r"\s*(?:(?P<kind>module|type|class)\s+(?:type\s+|rec\s+)?(?P<name>\w+)|(?:let|and|external)\s+(?:rec\s+)?(?P<method>[\w']+)\s+[^=:\s])"
        ),
        (
            rb"^\s*(?:let\s+(?:rec\s+)?\w+.*=\s*(?:$|function\b|fun\b|match\b)|open\s+[A-Z][\w.]*\s*$|module\s+[A-Z]\w*\s*[:=]|\|\s*[A-Z]\w*.*->|match\s.*\bwith\s*$|type\s+(?:'\w+\s+)?\w+\s*=|\(\*\*?\s)"
        ),
        (b"(*",),
        (rb"\s*(?:open|include)\b"),
        ("ocaml",),
        "language_ocaml",
    ),
    Language(
        "julia",
        "Julia",
        "tree_sitter_julia",
        "end",
        (".jl",),
        rb"^[ \t]*(?:function|struct|mutable|module|baremodule|macro|abstract)[ \t]|^[\w.!]+\([^=]*\)[^=\n]*=[^=]",
        _heads(
            r"\s*(?:(?P<kind>(?:mutable\s+)?struct|(?:bare)?module|macro|abstract\s+type)\s+(?P<name>\w+)|function\s+(?P<method>[\w.!]+)|(?P<property>[\w.!]+)\([^=]*\)[^=\n]*=[^=])"
        ),
        (
            rb"^\s*(?:using\s+[A-Z]\w*|import\s+[A-Z]\w*(?:[:.]|$)|(?:mutable\s+)?struct\s+[A-Z]\w*|module\s+[A-Z]\w*\s*$|function\s+[\w.!]+\(.*\)(?:::\w+)?(?:\s+where\s.*)?\s*$|@\w+\s|end\s*$|export\s+\w+,)"
        ),
        (b"#",),
        (rb"\s*(?:using|import|include)\b"),
        ("julia",),
    ),
    Language(
        "zig",
        "Zig",
        "tree_sitter_zig",
        "brace",
        (".zig",),
        rb"^[ \t]*(?:pub|export|extern|inline|fn|test|const)\b",
        _heads(
            r"\s*(?:(?:pub|export|extern|inline)\s+)*(?:fn\s+(?P<method>\w+)|const\s+(?P<variable>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|enum|union|opaque)\b)"
        ),
        (
            rb"^\s*(?:const\s+\w+\s*=\s*@import\(|(?:pub\s+)?fn\s+\w+\(.*\)\s*!?[\w.\[\]*?]+\s*\{|(?:pub\s+)?const\s+\w+\s*=\s*(?:packed\s+)?(?:struct|enum|union)\b|test\s+\"|defer\s|try\s|@\w+\()"
        ),
        imports=(rb".*@import\("),
    ),
)


def language_named(name: str) -> Language | None:
    """The language of a name, if there is one."""
    return next((one for one in LANGUAGES if one.name == name), None)
