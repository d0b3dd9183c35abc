"""Strings, templates, regular expressions and comments of a script or style sheet, wherever a block cuts them.

What they are is decided by one expression per token, except for templates, whose `${…}` hold code that may hold templates
again.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

_STRINGS = rb"\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*(?:\"|(?P<double>\\?\Z))|'[^'\\\n]*(?:\\.[^'\\\n]*)*(?:'|(?P<single>\\?\Z))"
_COMMENT = rb"|/\*.*?(?:\*/|(?P<comment>\Z))"
# A slash begins a regular expression where no operand can have ended.
_REGEX = (
    rb"|//[^\n]*(?:\n|(?P<line>\Z))"
    rb"|(?:(?<=[=(,:;!&|?{}\[+*%~^<>\n-])|(?<=return)|(?<=return )|(?<=typeof)|(?<=case)|(?<=case ))"
    rb"/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"
)
_CODE = re.compile(_STRINGS + _COMMENT + _REGEX + rb"|(?P<template>`)", re.DOTALL)
_INSIDE = re.compile(_STRINGS + _COMMENT + _REGEX + rb"|(?P<template>`)|(?P<brace>[{}])", re.DOTALL)
_TEMPLATE = re.compile(rb"`|\$\{|\\.", re.DOTALL)
_STYLE = re.compile(_STRINGS + _COMMENT + rb"|\burl\(\s*[^'\")\s][^)\n]*\)", re.DOTALL)
_REST = {
    "double": re.compile(rb"[^\"\\\n]*(?:\\.[^\"\\\n]*)*(?:[\"\n]|(?P<double>\\?\Z))", re.DOTALL),
    "single": re.compile(rb"[^'\\\n]*(?:\\.[^'\\\n]*)*(?:['\n]|(?P<single>\\?\Z))", re.DOTALL),
    "comment": re.compile(rb".*?(?:\*/|(?P<comment>\Z))", re.DOTALL),
    "line": re.compile(rb"[^\n]*(?:\n|(?P<line>\Z))", re.DOTALL),
}
_OPEN = frozenset(_REST)
#: Deeper than this, templates in templates are taken for text.
_MOST_TEMPLATES = 32
#: What stands before a slash says whether it divides.
_LOOK_BEHIND_BYTES = 8


class TextSpans:
    """Finds what is no code in consecutive stretches of a file. Copied with `copy.deepcopy`."""

    def __init__(self, *, style_sheet: bool) -> None:
        self._style_sheet = style_sheet
        self._open = ""
        self._is_escaped = False
        self._templates: list[int] = []
        self._before = b""

    def mask(self, data: bytes) -> npt.NDArray[np.bool_]:
        """Which bytes of the next stretch lie in a string, template, regular expression or comment."""
        before = b"" if self._open else self._before
        spans = self._spans(before + data if before else data, len(before))
        changes = np.zeros(len(data) + 1, np.int8)
        if spans:
            table = np.asarray(spans, np.int64) - len(before)
            np.add.at(changes, table[:, 0], 1)
            np.add.at(changes, table[:, 1], -1)
        self._before = data[-_LOOK_BEHIND_BYTES:]
        masked: npt.NDArray[np.bool_] = np.cumsum(changes[:-1], dtype=np.int8) > 0
        return masked

    def _spans(self, data: bytes, position: int) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        if self._open:
            position = self._go_on(data, spans)
        if self._style_sheet:
            for match in _STYLE.finditer(data, position):
                spans.append(match.span())
                self._note(match, data)
            return spans
        while position < len(data):
            pattern = _INSIDE if self._templates else _CODE
            restart = -1
            for match in pattern.finditer(data, position):
                name = match.lastgroup
                if name == "template":
                    restart = self._template(data, match.end())
                    spans.append((match.start(), restart))
                    break
                if name == "brace":
                    if match[0] == b"{":
                        self._templates[-1] += 1
                    elif self._templates[-1]:
                        self._templates[-1] -= 1
                    else:
                        self._templates.pop()
                        restart = self._template(data, match.end())
                        spans.append((match.start(), restart))
                        break
                    continue
                spans.append(match.span())
                self._note(match, data)
            if restart < 0:
                break
            position = restart
        return spans

    def _go_on(self, data: bytes, spans: list[tuple[int, int]]) -> int:
        """The rest of what was open at the end of the last stretch."""
        if self._open == "template":
            self._open = ""
            end = self._template(data, 1 if self._is_escaped else 0)
            spans.append((0, end))
            return end
        start = 1 if self._is_escaped else 0
        match = _REST[self._open].match(data, start)
        self._open = ""
        if match is None:
            return 0
        spans.append((0, match.end()))
        self._note(match, data)
        return match.end()

    def _note(self, match: re.Match[bytes], data: bytes) -> None:
        if match.end() == len(data) and match.lastgroup in _OPEN:
            self._open = match.lastgroup or ""
            self._is_escaped = match.lastgroup in ("double", "single") and match[match.lastgroup] == b"\\"

    def _template(self, data: bytes, position: int) -> int:
        """The end of the text of a template that goes on at `position`: after its last quote, or after `${`."""
        for match in _TEMPLATE.finditer(data, position):
            if match[0] == b"`":
                return match.end()
            if match[0] == b"${" and len(self._templates) < _MOST_TEMPLATES:
                self._templates.append(0)
                return match.end()
        self._open = "template"
        self._is_escaped = data.endswith(b"\\") and not data.endswith(b"\\\\")
        return len(data)
