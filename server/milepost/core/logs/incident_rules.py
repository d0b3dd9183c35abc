"""What a line that a trigger pointed at means: an incident for certain, one if it stays rare, or nothing.

Rules are of kinds of messages, each with a weight (how much a person wants to see it, 0 to 1). A *strong* message is an
incident however often it comes: errors by their level or word, crashes, exceptions, what makes a build fail. A *weak* one
(a failed login, a retry, a start, a warning, a value such as NaN, a line unlike all before) is one only where it stands
out: because it is rare in the file, or comes in a burst; `ledger` decides that once the counts are known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from milepost.core.logs.severity import Severity


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a message is: `category` names it, `severity` is a `Severity` or 0, `strong` as in the module's docstring."""

    category: str
    severity: int
    weight: float
    strong: bool


# Strong whatever the level says. The order matters: the first that fits names the category.
_STRONG: tuple[tuple[str, float, bytes], ...] = (
    (
        "crash",
        1.0,
        rb"(?i)\bsegfault\b|segmentation fault|\bcore dumped\b|\bout of memory\b|\boom-?kill|\bkernel panic|\bdouble free\b"
        rb"|stack smashing|Fatal signal|FATAL EXCEPTION|terminate called|terminated by signal|was terminated by"
        rb"|AddressSanitizer|ThreadSanitizer|LeakSanitizer|BUG: unable|general protection fault|(?<!Compressed )\bOops:|panicked at"
        rb"|^panic:|\bpanic: |goroutine \d+ \[|Aborted \(core|assertion (?:`|'|\")?.* ?failed|Assertion .*failed",
    ),
    (
        "trace",
        0.9,
        rb"Traceback \(most recent call last\)|Exception in thread |^Caused by: |(?:^|[\s:\[(\"])(?:[a-z][\w$]*\.)+[A-Z]\w*"
        rb"(?:Exception|Error|Throwable|Failure)\b|(?:^|[\s:])[A-Z]\w*(?:Exception|Error)(?::|$| in |\()|Call Trace:"
        rb"|[Uu]ncaught |[Uu]nhandled (?:exception|rejection|error|promise)|PHP Fatal|stack ?trace:",
    ),
    (
        "link",
        0.95,
        rb"undefined reference to|undefined symbol|unresolved external|multiple definition of|cannot find -l|ld returned"
        rb"|duplicate symbol|Undefined symbols for|relocation .* against|symbol lookup error",
    ),
    (
        "dependency",
        0.95,
        rb"No match(?:ing package)? (?:for argument|to install)|No package .* (?:available|found)|nothing provides"
        rb"|Unable to (?:find a match|locate package)|Could not (?:find|resolve) (?:a version|artifact|dependenc|the)"
        rb"|No matching (?:distribution|package)|Problem: (?:conflicting|nothing|package|cannot)|conflicting requests"
        rb"|Unsatisfied dependenc|unmet dependenc|Failed (?:to resolve|build dependencies)|Dependency .* not found"
        rb"|ERESOLVE|unresolvable|No such package|is needed by",
    ),
    (
        "compile",
        0.95,
        rb"\S[:(]\d+(?:[:,]\d+)?\)?: ?(?:fatal |internal compiler )?error\b|\berror(?:\[E\d+\]|:? (?:CS|C|TS|MSB|LNK|AC)\d+)"
        rb"|^\s*(?:fatal |internal compiler )?error(?: TS\d+)?: |: fatal error: |SyntaxError|IndentationError"
        rb"|\[-Werror[=\]]|\[ERROR\] .*\.java:|^e: |^\s*> error: ",
    ),
    (
        "test",
        0.9,
        rb"^(?:FAILED|FAIL:|FAIL |ERROR: test|ERROR at )|--- FAIL|<<< (?:FAILURE|ERROR)!|^not ok \d|^E   +\w|\(Failed\)$"
        rb"|Tests run:.*(?:Failures: [1-9]|Errors: [1-9])|[1-9]\d* (?:failed|failing|failures?)\b(?!: 0)|\*\*\*Failed"
        rb"|^\s*(?:\xe2\x9c\x97|\xe2\x9c\x96|\xc3\x97) |^test .* \.\.\. FAILED|AssertionError",
    ),
    (
        "build",
        0.85,
        rb"(?:make|gmake|mingw32-make)(?:\[\d+\])?: \*\*\*|ninja: (?:build stopped|error)|BUILD FAIL|\bFAILED: "
        rb"|error: command .* failed|[Bb]ad exit status|[Ee]xit(?:ed)?(?: with)?(?: (?:status|code|value))?:? ?[1-9]\d*\b"
        rb"|non-zero exit|returned a non-zero|return code (?:was|is|=)?:? ?[1-9]|return(?:ed|s) (?:exit (?:status|code) )?[1-9]"
        rb"|npm ERR!|npm error|ELIFECYCLE|Command failed|Execution failed for|##\[error\]|::error|[Bb]uild step .* failed"
        rb"|Hunk #\d+ FAILED|patch (?:failed|does not apply)|Missing (?:build )?dep|[Cc]onfigure: error|CMake Error"
        rb"|Bad (?:source|file): |RPM build errors|mock.exception|gyp ERR!|Job failed|Pipeline failed|FATAL:",
    ),
)

# Strong only where nothing stamps or levels the lines (consoles): there such a sentence is what a person looks for.
_STRONG_ON_CONSOLE = (
    rb"No such file or directory|command not found|Permission denied|[Cc]annot open|[Cc]annot find|No space left"
    rb"|[Cc]ould not (?:open|find|load|read|connect)|[Uu]nable to |[Cc]onnection refused|\bnot found\b|\b[Ff]ailed to "
    rb"|\b[Ff]ailed\b|\bFAILED\b|\b[Ff]ailure\b|\binvalid\b|[Dd]oes not exist"
)

# With a hyphen on both sides (`libgpg-error-dev`) the word is part of a name.
_STRONG_WORD = re.compile(
    rb"(?i)(?<!\w)(?!(?<=\w-)\w+-)(?:error|fatal|severe|panic|critical|emergency)(?!\w|\.(?:log|txt|[a-z]{1,4}\b))"
)
# Consoles list packages and files (`libgpg-error`, `show-error`): there the word must stand by itself.
_STRONG_WORD_OF_CONSOLE = re.compile(rb"(?i)(?<![\w.-])(?:error|fatal|severe|panic|critical)(?![\w-]|\.\w)")
_NO_ERROR = re.compile(
    rb"(?i)\b(?:0|no|without|zero)\s+(?:\w+\s+)?(?:errors?|fatal|failures?|warnings?)\b"
    rb"|\b(?:errors?|failed|failures?|warnings?|err|fail)\s*[=:]\s*[\"']?(?:0|none|null|nil|false|no)\b"
)

# Weak: (category, weight, expression).
_WEAK: tuple[tuple[str, float, bytes], ...] = (
    (
        "restart",
        0.6,
        rb"(?i)\b(?:start(?:ing|ed)|launch(?:ing|ed)) (?:up\b|the )?(?:server|service|daemon|process|system|application|app\b"
        rb"|version|worker|node|broker|database|engine|with pid)|\bstart-?up\b|^\W*(?:re)?start(?:ing|ed)\b(?! [Tt]ask)|\brestart"
        rb"|\bshut(?:ting)?[ _-]?down|\breboot|\bboot(?:ing|ed) |Linux version|\bterminat(?:ed|ing)\b|\bgoing down\b"
        rb"|\bready (?:to|for) (?:accept|serve|connections|start|handle)|\blistening on\b|\b(?:server|service|daemon|process|application"
        rb"|system|node|worker|broker|database|container|instance|pod) (?:is |was |has )?(?:start|stopp|restart|terminat|exit|crash)(?:ing|ed)\b",
    ),
    (
        "value",
        0.65,
        rb"(?:^|[\s=:,(\[\"])[+-]?(?:NaN|nan|[Ii]nf(?:inity)?|INF)(?![\w-])|[\w\])][=:] ?-\d|(?i:out of range|overflow|corrupt"
        rb"|mismatch|checksum|\bnegative\b|\binvalid\b)",
    ),
    (
        "failure",
        0.55,
        rb"(?i)\bfail(?:ed|ure|s|ing)?\b|refused|\bdenied|timed?[ -]?out|\babort|\bkill(?:ed|ing)\b|\bunable\b|\bcan(?:not|'t)\b"
        rb"|could ?n(?:o|')t|\bmissing\b|not found|no such|\blost\b|unreachable|deadlock|\bexceed|\breject|\bunexpected"
        rb"|disconnect|corrupt|conflict|non-?zero",
    ),
    ("retry", 0.55, rb"(?i)\bretr(?:y|ies|ying|ied)\b|\battempt \d|\breconnect|\bback(?:ing)?[ -]?off\b"),
)

_strong = tuple((name, weight, re.compile(pattern)) for name, weight, pattern in _STRONG)
_strong_on_console = re.compile(_STRONG_ON_CONSOLE)
_weak = tuple((name, weight, re.compile(pattern)) for name, weight, pattern in _WEAK)
# A command that a build echoes before running it holds options like -Werror and names like error.c; it says nothing itself.
_COMMAND = re.compile(
    rb"\s*(?:\[\d+/\d+\]|\[ *\d+%\]|\+{1,3}|\$|libtool: (?:compile|link|install):|ENTER \[)?\s*"
    rb"(?:\w+=['\"]?-|(?:\S*/)?(?:[\w+-]*-)?(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|rustc|javac|ccache|libtool|gfortran|nvcc"
    rb"|cmake|meson|ninja|patch|rpmbuild|sed|grep|find|install|export|test|cargo|docker)(?:-\d+)?\s+(?!:|error|fatal)\S"
    rb"|\w+ \['|export \w+=|[A-Z]\w*FLAGS=)"
)
_says_error = re.compile(rb"\berror\b ?:|-Werror|\bfatal\b ?:")
_QUOTED = re.compile(rb"\xe2\x80\x98.*?\xe2\x80\x99|'[^']*'|`[^'`]*['`]|\"[^\"]*\"")
_warning_line = re.compile(rb"(?i)\bwarn(?:ing)?\b")
_warning_head = re.compile(rb"(?i)^.{0,160}?\bwarn(?:ing)?s?\b\s*[:\])]|-W[a-z][\w-]+\]|^\s*note:")
# A gcc warning named after a thing that holds "error" stays a warning; a promoted one says -Werror=.
_INFORMATIONAL = frozenset({int(Severity.TRACE), int(Severity.DEBUG), int(Severity.INFO), int(Severity.NOTICE)})


def judge(line: bytes, message: bytes, stated: int, guessed: int, *, console: bool) -> Verdict | None:
    """What a line means.

    `message` is the line without its stamp and level; `stated` the severity that its level field states, `guessed` the
    one that its words suggest; 0 where there is none.
    """
    level = stated
    text = message if message.strip() else line
    if len(text) > 2000:
        text = text[:2000]
    harmless = _NO_ERROR.search(text) is not None
    if level >= Severity.CRITICAL:
        category = _strong_category(text) or "fatal"
        return Verdict(category, level, 1.0, True)
    if console and (_COMMAND.match(text) or b": note: " in text[:400]):
        return None
    if not level and guessed >= Severity.CRITICAL:
        level = guessed
    if console and level < Severity.ERROR and _warning_head.search(text) and not _says_error.search(text):
        return Verdict("warning", int(Severity.WARNING), 0.3, False)
    strong = None if harmless else _strong_match(text)
    mild = 0 < level < Severity.ERROR
    if strong is not None and mild and strong[0] == "trace" and not _STRONG_WORD.search(line):
        # A logger that mentions an exception but thinks little of it; with its stack trace below it is an incident.
        return Verdict("failure", level, 0.6, False)
    if strong is not None and not (level in _INFORMATIONAL and strong[0] in ("build", "test")):
        name, weight = strong
        if level in _INFORMATIONAL:
            weight = min(weight, 0.75)
        return Verdict(name, max(level, int(Severity.ERROR)), weight, True)
    if level >= Severity.ERROR:
        return Verdict("error", level, 0.85, True)
    if not harmless and (
        _STRONG_WORD_OF_CONSOLE.search(text)
        if console
        else _STRONG_WORD.search(text) or _STRONG_WORD.search(line[:400])
    ):
        # Worded as an error, but its own level (if any) says otherwise: an incident that yields to true ones.
        weight = 0.5 if level else 0.8
        return Verdict("error", level or int(Severity.ERROR), weight, True)
    if not level and guessed == Severity.ERROR and console:
        return Verdict("error", guessed, 0.8, True)
    if console and not harmless and _strong_on_console.search(text):
        return Verdict("failure", int(Severity.ERROR), 0.7, True)
    for name, weight, pattern in _weak:
        if pattern.search(text):
            return Verdict(name, level, weight, False)
    if Severity.WARNING in (level, guessed) or _warning_line.search(text):
        return Verdict("warning", int(Severity.WARNING), 0.4, False)
    return None


def essence(message: bytes) -> bytes:
    """A message without what it quotes: errors about different names at one place are of one kind."""
    return _QUOTED.sub(b"<*>", message[:2000])


def is_strong(text: bytes) -> bool:
    """Whether a line by itself would be a strong incident."""
    return _strong_match(text) is not None and _NO_ERROR.search(text) is None


def focus(text: bytes) -> int:
    """Where in a message the part begins that makes it an incident; 0 where no rule points at one."""
    starts = [match.start() for _, _, pattern in _strong if (match := pattern.search(text)) is not None]
    if not starts:
        match = _STRONG_WORD.search(text)
        return match.start() if match is not None else 0
    return min(starts)


def _strong_match(text: bytes) -> tuple[str, float] | None:
    for name, weight, pattern in _strong:
        if pattern.search(text):
            return name, weight
    return None


def _strong_category(text: bytes) -> str:
    match = _strong_match(text)
    return match[0] if match else ""
