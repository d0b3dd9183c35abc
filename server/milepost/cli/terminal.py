"""The process's streams as a command sees them: width, colours, characters, and what may be written where.

Results go to standard output as bytes, so that their size is what was counted and no line end is translated; everything else
goes to standard error. A stream that cannot take UTF-8 gets ASCII stand-ins for our own signs and escapes for the rest.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO

PIPE_WIDTH = 120
MIN_WIDTH = 40

# What would act on a terminal rather than show: C0 (but tab and line feed), DEL, C1, direction marks, line separators, and
# the halves of surrogate pairs by which Python carries bytes that are no UTF-8.
_ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SIGNS = str.maketrans({"…": "...", "–": "-", "·": "-", "×": "x", "✖": "E", "▲": "W", "•": "*", "→": "->"})

#: Styles by what they mean, in rich's words.
STYLES: Mapping[str, str] = {
    "": "",
    "path": "bold",
    "range": "cyan",
    "error": "bold red",
    "warning": "yellow",
    "title": "bold",
    "digest": "dim",
    "match": "bold magenta",
    "good": "green",
}


class OutputFailed(Exception):
    """Standard output cannot be written to (a full disk, say). `str(error)` is the sentence."""


def escape_controls(text: str) -> str:
    """`text` with every character that would act on a terminal as a visible escape (`\\x1b`); tabs and line ends stay."""
    return _ACTING.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


@dataclass
class Terminal:
    """Where a command writes. `is_terminal` and `color` are of standard output, `shows_progress` of standard error."""

    out: BinaryIO | None
    err: TextIO | None
    is_terminal: bool = False
    shows_progress: bool = False
    color: bool = False
    width: int = PIPE_WIDTH
    encoding: str = "utf-8"
    _unicode: bool = field(init=False)

    def __post_init__(self) -> None:
        try:
            "…–×✖▲".encode(self.encoding)
            self._unicode = True
        except (UnicodeEncodeError, LookupError):
            self._unicode = False

    @classmethod
    def of_process(cls, environment: Mapping[str, str] = os.environ) -> Terminal:
        """The terminal of this process, by its streams and NO_COLOR, FORCE_COLOR, TERM and COLUMNS."""
        stdout, stderr = sys.stdout, sys.stderr  # None where the caller closed them
        is_terminal = stdout is not None and stdout.isatty()
        dumb = environment.get("TERM", "") in ("dumb", "unknown")
        color = is_terminal and not dumb and _takes_escapes()
        if environment.get("FORCE_COLOR"):
            color = True
        if environment.get("NO_COLOR"):
            color = False
        return cls(
            out=getattr(stdout, "buffer", None),
            err=stderr,
            is_terminal=is_terminal,
            shows_progress=stderr is not None and stderr.isatty() and not dumb and _takes_escapes(),
            color=color,
            width=max(MIN_WIDTH, shutil.get_terminal_size((PIPE_WIDTH, 24)).columns),
            encoding=(stdout.encoding if stdout is not None else "") or "utf-8",
        )

    # --- results ----------------------------------------------------------------------------------------------------------

    def plain(self, text: str) -> str:
        """`text` as it can be shown here on one line: nothing that acts on a terminal, no character the stream lacks."""
        text = escape_controls(text).replace("\t", " ").replace("\n", " ")
        if self._unicode:
            return text
        encoded = text.translate(_SIGNS).encode(self.encoding, "backslashreplace")
        return encoded.decode(self.encoding)

    def paint(self, text: str, style: str) -> str:
        """`text` in a style of `STYLES`, or as it is without colours."""
        if not self.color or not text or not STYLES[style]:
            return text
        from rich.color import ColorSystem
        from rich.style import Style

        return Style.parse(STYLES[style]).render(text, color_system=ColorSystem.STANDARD)

    def encode(self, text: str) -> bytes:
        """The bytes that `write` would write for `text`."""
        if not self._unicode:
            text = text.translate(_SIGNS)
        return text.encode(self.encoding, "backslashreplace")

    def write(self, text: str) -> None:
        """Write a result, as it is."""
        self.write_bytes(self.encode(text))

    def write_bytes(self, data: bytes) -> None:
        """Write bytes of a result. Raises `OutputFailed`, or `BrokenPipeError` where nobody reads on."""
        if self.out is None:
            raise OutputFailed("Standard output is closed, so there is nowhere to write the result.")
        try:
            self.out.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(_cannot_write(error)) from error

    def flush(self) -> None:
        """Hand everything to the system. Raises as `write_bytes`."""
        self._flush(self.out)

    def flush_text(self) -> None:
        """Hand over what argparse printed by itself (help, version). Raises as `write_bytes`."""
        self._flush(sys.stdout)

    @staticmethod
    def _flush(stream: BinaryIO | TextIO | None) -> None:
        if stream is None:
            return
        try:
            stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(_cannot_write(error)) from error

    def abandon(self) -> None:
        """Let go of standard output after a failure: what is still buffered goes nowhere, without another complaint."""
        if sys.stdout is None:
            return
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            pass

    # --- everything else --------------------------------------------------------------------------------------------------

    def notice(self, text: str) -> None:
        """One line on standard error. Buffered results come first, so that a terminal shows the right order."""
        if self.is_terminal:
            self.flush()
        if self.err is None:
            return
        try:
            self.err.write(escape_controls(text).replace("\n", " ") + "\n")
            self.err.flush()
        except (OSError, ValueError):
            self.err = None  # nobody listens; the result and the exit code say what matters


def _cannot_write(error: OSError) -> str:
    return f"The output cannot be written: {error.strerror or error}."


def _takes_escapes() -> bool:
    """Whether a terminal here acts on escape sequences: all do but old Windows consoles."""
    if sys.platform != "win32":
        return True
    from rich._windows import get_windows_console_features

    return get_windows_console_features().vt
