"""Text as a terminal would show it: without escape sequences, and of a progress bar only the last state."""

from __future__ import annotations

import re

# ECMA-48 control sequences; operating system commands (titles, hyperlinks), ended by BEL or ST; the other string
# sequences (DCS, PM, APC, SOS: Buildkite puts times into APC); two-byte escapes such as character set switches.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]+[0-~]|[0-~])"
)
_LEFTOVER_CONTROLS = re.compile(rb"[^\x08]\x08|\x08|\x07")


def strip_ansi(line: bytes) -> bytes:
    """The line without ANSI escapes; of several drawings over each other (CR within the line) the last non-empty one.

    A line end is left as it is, CR included. The offsets of the result are not those of the line.
    """
    if b"\x1b" in line:
        line = _ESCAPES.sub(b"", line)
    if b"\x08" in line or b"\x07" in line:
        line = _LEFTOVER_CONTROLS.sub(b"", line)
    if b"\r" in line:
        body = line.rstrip(b"\r\n")
        if b"\r" in body:
            drawn = [part for part in body.split(b"\r") if part.strip()]
            return (drawn[-1] if drawn else b"") + line[len(body) :]
    return line
