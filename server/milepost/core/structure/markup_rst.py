"""reStructuredText: titles are underlined, or over- and underlined, with one character; levels by order of first use.

See https://docutils.sourceforge.io/docs/ref/rst/restructuredtext.html#sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost.core.structure.line_view import LineView, table_of
from milepost.core.structure.markup_base import Heading, LookBack, squeezed

ADORNMENTS = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TABLE = table_of(ADORNMENTS)
_ADORNMENT = re.compile(rb"([!-/:-@\[-`{-~])\1+[ \t]*$")
_LEAST = 3


def is_adornment(text: bytes) -> bool:
    """Whether a line is one punctuation character, repeated."""
    return bool(_ADORNMENT.match(text))


class Rst:
    """Finds titles. State: the styles in the order in which they were first seen, such as `=` or `==` with an overline."""

    name = "rst"

    def __init__(self, state: dict[str, Any]) -> None:
        self._styles: list[str] = list(state.get("styles", ()))
        self._look_back = LookBack()
        self._floor = 0

    def title(self, raw: bytes) -> bytes:
        """Titles are clean."""
        return raw

    def resume(self) -> dict[str, Any]:
        """The styles so far."""
        return {"dialect": self.name, "styles": list(self._styles)}

    def read(self, view: LineView) -> Iterator[Heading]:
        """The titles of the next view."""
        array, starts, last = view.block.array, view.starts, len(view.data) - 1
        heads = view.heads
        candidates = np.flatnonzero(_TABLE[heads])
        second = array[np.minimum(starts[candidates] + 1, last)]
        third = array[np.minimum(starts[candidates] + 2, last)]
        same = (second == heads[candidates]) & ((third == heads[candidates]) | (third == 10) | (third == 13))
        for index in candidates[same].tolist():
            text = view.text(index).rstrip()
            if is_adornment(text):
                heading = self._title(view, index, text)
                if heading is not None:
                    yield heading
        self._look_back.keep(view, 4)

    def _title(self, view: LineView, index: int, underline: bytes) -> Heading | None:
        title = self._look_back.before(view, index, 1)
        if title is None or title.line < self._floor:
            return None
        text = title.text.rstrip()
        shown = text.strip()
        if not shown or is_adornment(shown):
            return None
        width = len(shown.decode("utf-8", "replace"))
        above = self._look_back.before(view, index, 2)
        over = above.text.rstrip() if above is not None and above.line >= self._floor else b""
        overlined = over[:1] == underline[:1] and is_adornment(over)
        if overlined:
            if len(underline) < width or len(over) < width:
                return None
        elif over or text[:1] in b" \t" or (len(underline) < width and len(underline) < 4) or len(underline) < _LEAST:
            # A title without an overline stands after an empty line. A short underline is forgiven from four on.
            if not (len(underline) >= 2 and len(underline) == width and not over and text[:1] not in b" \t"):
                return None
        elif len(underline) < width - 4:
            return None
        style = chr(underline[0]) * (2 if overlined else 1)
        if style not in self._styles:
            self._styles.append(style)
        self._floor = view.number(index) + 1
        first = above if overlined and above is not None else title
        back = 2 if overlined else 1
        return Heading(index - back, first.byte, first.line, self._styles.index(style) + 1, squeezed(shown))
