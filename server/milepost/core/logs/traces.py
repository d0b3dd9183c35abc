"""Which lines go on with a stack trace: Java, Python, .NET, Go, Node, C++, Rust, Ruby, PHP and the kernel.

A record in a log ends where the next one begins, which a layout knows for stamped lines. Consoles, and loggers that stamp
every line of a trace, need to know what the lines of a trace look like; that is here.
"""

from __future__ import annotations

import re

#: A line that can only be the continuation of a trace.
CONTINUATION = re.compile(
    rb"""\s*(?:
        at\s+(?:[\w$.<>/\[\]`@-]+\s*\(|async\s|[\w$.<>]+\s+in\s|\S+:\d+:\d+|[\w.$<>`\[\]]+\()   # Java, Node, .NET
      | \.{3}\s+\d+\s+(?:more|common\ frames|frames|lines?)\b
      | Caused\ by:\s | Suppressed:\s | Wrapped\ by:\s | Root\ cause:
      | File\ ".+",\ line\ \d+                                # Python
      | During\ handling\ of\ the\ above | The\ above\ exception\ was\ the\ direct
      | Traceback\ \(most\ recent\ call
      | --->\ | ---\ End\ of\ | ---\ End\ of\ stack
      | goroutine\ \d+\ \[ | created\ by\ [\w./]+ | \S+\.go:\d+(?:\ \+0x)? | \[signal\ \w+
      | \#\d+:?\s+(?:0x[0-9a-f]+|[\w/.<{~]|\{main\})          # gdb, sanitizers, PHP
      | \d+:\s+(?:0x[0-9a-f]+\ -\ )?[\w<_][\w<>:.]+(?:$|\s)   # Rust
      | stack\ backtrace: | note:\ run\ with
      | from\ \S+:\d+:in\ | \S+\.rb:\d+:in\                    # Ruby
      | (?:PHP\s+)?\d+\.\s+\S+\(.*\)\ \S+:\d+ | Stack\ trace: | thrown\ in\s
      | \[?<[0-9a-f]{8,16}>\]? | Call\ Trace: | \?\s\S+\+0x[0-9a-f]+/0x | \S+\+0x[0-9a-f]+/0x[0-9a-f]+
      | \S+\(\+?[\w+]*0x[0-9a-f]+\)\s*(?:\[0x[0-9a-f]+\])?$   # glibc backtrace
    )""",
    re.VERBOSE,
)

#: After one of these, lines that begin with blanks belong to it, and for Python one more line that names the exception.
PYTHON_HEAD = b"Traceback (most recent call last):"
_PYTHON_FINAL = re.compile(rb"[\w.]+(?:Error|Exception|Warning|Interrupt|Exit|Failure|Timeout|[A-Z]\w+)?(?::|$)")
_GO_FRAME = re.compile(rb"(?:[\w./*()\[\]{}-]+\.[\w.*()\[\]{}-]+|main\.\w+)\(.*\)$|panic\(")

#: Excerpts and hints that compilers, linkers and test runners print under a message.
EXCERPT = re.compile(
    rb"\s+\S|\s*\d*\s*\||\s*[~^]+|\s*$|(?:In file included from|note:|help:)|\S+:\d+(?::\d+)?: note:|E  "
)


class TraceState:
    """Follows one trace line by line. `continues(message)` says whether the line still belongs to it."""

    __slots__ = ("_blank", "_final", "_python", "go")

    def __init__(self, head: bytes) -> None:
        self._python = PYTHON_HEAD in head
        self._final = False
        self._blank = 0
        self.go = b"panic:" in head or b"fatal error:" in head or b"goroutine " in head

    def continues(self, message: bytes) -> bool:
        """Whether a line (its message, without stamp) is part of the trace. Blank lines are, if what follows is."""
        stripped = message.strip()
        if not stripped:
            self._blank += 1
            return self._blank <= 2
        if PYTHON_HEAD in message:
            self._python, self._final, self._blank = True, False, 0
            return True
        if CONTINUATION.match(message):
            self._blank = 0
            return True
        if self.go and _GO_FRAME.match(stripped):
            self._blank = 0
            return True
        if self._python and not self._final:
            if message[:1] in b" \t":
                self._blank = 0
                return True
            if self._blank == 0 and _PYTHON_FINAL.match(stripped):
                self._final = True
                return True
        return False
