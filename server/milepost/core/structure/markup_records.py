"""Dialects in which every section names itself: nodes of GNU info files, messages of mailboxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from milepost.core.structure.line_view import LineView
from milepost.core.structure.markup_base import Heading, LookBack, squeezed

_SEPARATOR = 0x1F
_NODE = re.compile(rb"File: [^,\t]*[,\t]\s*Node: ([^,\t]*)(?:[,\t]|$)")
_UP = re.compile(rb"[,\t]\s*Up: ([^,\t]*)")
_TABLES = (b"Tag Table", b"Indirect", b"End Tag Table", b"Local Variables")
_MOST_OPEN = 32


class Info:
    """Finds the nodes of an info file; each says which one it lies in. State: the titles of the nodes that are open."""

    name = "info"

    def __init__(self, state: dict[str, Any]) -> None:
        self._open: list[bytes] = [str(one).encode("utf-8", "surrogateescape") for one in state.get("up", ())]
        self._pending: tuple[int, int, int] | None = None

    def resume(self) -> dict[str, Any]:
        """The nodes around the one that begins."""
        return {"dialect": self.name, "up": [one.decode("utf-8", "surrogateescape") for one in self._open[:-1]]}

    def title(self, raw: bytes) -> bytes:
        """The name of a node on one line."""
        return squeezed(raw) or b"node"

    def read(self, view: LineView) -> Iterator[Heading]:
        """The nodes of the next view. One begins with the separator before its line."""
        if self._pending is not None and view.size:
            byte, line, _ = self._pending
            self._pending = None
            yield self._node(view.text(0), -1, byte, line)
        for index in np.flatnonzero(view.heads == _SEPARATOR).tolist():
            if index + 1 < view.size:
                yield self._node(view.text(index + 1), index, view.offset(index), view.number(index))
            else:
                self._pending = (view.offset(index), view.number(index), index)

    def _node(self, text: bytes, index: int, byte: int, line: int) -> Heading:
        match = _NODE.match(text)
        if match is None:
            title = text.rstrip(b": \t") if text.startswith(_TABLES) else b"node without a head"
            self._open = [b""]
            return Heading(index, byte, line, 1, squeezed(title) or b"node", kind="table")
        up = _UP.search(text, match.end() - 1)
        parent = up[1].strip() if up is not None else b""
        opened = self._open
        while opened and opened[-1] != parent:
            opened.pop()
        del opened[_MOST_OPEN:]
        opened.append(match[1].strip())
        return Heading(index, byte, line, len(opened), raw=match[1], kind="node")


_FROM = re.compile(rb"From \S.* (?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d(?::\d\d)?(?: \S+)? \d{4}|From - ")
_HEADER = re.compile(rb"([A-Za-z][\w-]*):[ \t]*(.*)")
_MOST_HEADER_LINES = 120
_WANTED = {b"subject", b"from", b"date", b"message-id"}


class Mailbox:
    """Finds the messages of an mbox file. Nothing but the message itself is needed to read it."""

    name = "mbox"

    def __init__(self, state: dict[str, Any]) -> None:
        self._look_back = LookBack()

    def title(self, raw: bytes) -> bytes:
        """Titles are clean."""
        return raw

    def resume(self) -> dict[str, Any]:
        """Nothing is carried on."""
        return {"dialect": self.name}

    def read(self, view: LineView) -> Iterator[Heading]:
        """The messages of the next view. Of one whose header is cut by the view's end, what is there."""
        array, last = view.block.array, len(view.data) - 1
        candidates = np.flatnonzero(view.heads == ord("F"))
        fifth = array[np.minimum(view.starts[candidates] + 4, last)]
        for index in candidates[fifth == 32].tolist():
            text = view.text(index)
            before = self._look_back.before(view, index, 1)
            if _FROM.match(text) and (before is None or not before.text.strip()):
                yield self._message(view, index, text)
        self._look_back.keep(view, 1)

    def _message(self, view: LineView, index: int, text: bytes) -> Heading:
        found: dict[bytes, bytes] = {}
        name = b""
        for position in range(index + 1, min(view.size, index + _MOST_HEADER_LINES)):
            line = view.text(position)
            if not line.strip():
                break
            match = _HEADER.match(line)
            if match is not None:
                name = match[1].lower()
                if name in _WANTED:
                    found.setdefault(name, match[2])
            elif line[:1] in b" \t" and name in found:
                found[name] += b" " + line.strip()
        subject = squeezed(found.get(b"subject", b"")) or squeezed(text)
        digest = b", ".join(found[key] for key in (b"from", b"date") if found.get(key))
        facts = {
            key.decode(): value.decode("utf-8", "replace")[:200] for key, value in found.items() if key != b"subject"
        }
        return Heading(index, level=1, title=subject, kind="message", digest=digest, facts=facts)
