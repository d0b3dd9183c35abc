"""What is wrong with a stretch of JSON that the fast check refused, and where: slow, exact, in the words of a person.

A *soft* fault leaves no doubt about the structure (a NaN, a trailing comma, a control character in a string): it is
named and reading goes on. A *hard* one (a missing comma, a bracket that closes nothing) ends what can be known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from milepost.core.structure.json_check import MAX_DEPTH, Expect, Place
from milepost.core.text import clip_text

_TOKEN = re.compile(
    rb"""
    (?P<space>[ \t\n\r]+)
  | (?P<string>"(?:[^"\\]|\\.)*")
  | (?P<bracket>[{}\[\],:])
  | (?P<comment>//|/\*)
  | (?P<open_string>")
  | (?P<word>[^ \t\n\r{}\[\],:"]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_STRING_REST = re.compile(rb'(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(rb"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)\Z")
_BAD_IN_STRING = re.compile(rb"[\x00-\x1f]|\\(?:u[0-9a-fA-F]{0,3}(?![0-9a-fA-F])|[^\"\\/bfnrtu])", re.DOTALL)
_NOT_FINITE = (b"NaN", b"Infinity", b"-Infinity")

_AFTER_COMMA = {Expect.NEXT_KEY: Expect.KEY, Expect.NEXT_ELEMENT: Expect.ELEMENT}
_VALUES = (Expect.ROOT, Expect.VALUE, Expect.FIRST_ELEMENT, Expect.ELEMENT)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong at `offset` of the stretch. `variant` names the lenient reading that lets all of its kind pass, if one
    does: then only the first is told.
    """

    message: str
    offset: int
    variant: str = ""


@dataclass(slots=True)
class Diagnosis:
    """All faults of a stretch; `hard` ends the structure, `comment` says where the first comment begins (-1: none).

    `variant` is the one at whose first fault reading ended, `is_complete` says that the document is over at the end.
    """

    soft: list[Fault] = field(default_factory=list)
    hard: Fault | None = None
    comment: int = -1
    variant: str = ""
    is_complete: bool = False


def diagnose(place: Place, text: bytes, allowed: frozenset[str]) -> Diagnosis:
    """Read `text`, which begins at `place`, token by token, up to a hard fault, a comment, or the first fault of a variant
    that is not `allowed`. Faults of variants that are, are passed over.

    `text` may end wherever no number, word or escape is split: what is unfinished otherwise is no fault here.
    """
    reader = _Reader(place, text, allowed)
    reader.read()
    found = reader.found
    found.is_complete = reader.expect is Expect.NOTHING and not reader.in_string
    return found


class _Reader:
    """One reading: the stack and what may come next, as `Place` has them."""

    def __init__(self, place: Place, text: bytes, allowed: frozenset[str]) -> None:
        self.text = text
        self.allowed = allowed
        self.stack = bytearray(place.stack)
        self.expect = place.expect
        self.in_string = place.in_string
        self.found = Diagnosis()

    def read(self) -> None:
        at, text = 0, self.text
        if self.in_string:
            rest = _STRING_REST.match(text)
            self._string_content(0, rest.end() - 1 if rest else len(text))
            self.expect = self.expect.after_value()
            at = rest.end() if rest else len(text)
            self.in_string = rest is None
        while at < len(text) and self.found.hard is None and not self.found.variant:
            match = _TOKEN.match(text, at)
            if match is None:
                break
            kind = match.lastgroup
            if kind == "comment":
                self.found.comment = at
                return
            if kind == "open_string":
                self._value_or_key(at, b'"')
                if self.found.hard is None:
                    self._string_content(at + 1, len(text))
                self.in_string = True
                return
            if kind == "string":
                self._value_or_key(at, match[0])
                if self.found.hard is None:
                    self._string_content(at + 1, match.end() - 1)
            elif kind == "word":
                self._word(at, match[0])
            elif kind == "bracket":
                self._bracket(at, match[0])
            at = match.end()

    def _hard(self, message: str, at: int) -> None:
        self.found.hard = Fault(message, at)

    def _value_or_key(self, at: int, token: bytes) -> None:
        if self.expect.is_key or self.expect in _VALUES:
            self.expect = self.expect.after_value()
            return
        shown = "a string" if token.startswith(b'"') else clip_text(token.decode("utf-8", "replace"), 40)
        if self.expect is Expect.NOTHING:
            self._hard(f"after the end of the document: {shown}", at)
        else:
            self._hard(f"expected {self.expect.value}, found {shown}", at)

    def _string_content(self, start: int, end: int) -> None:
        at = start
        while at < end:
            bad = _BAD_IN_STRING.search(self.text, at, end)
            if bad is None:
                return
            # A backslash may itself be escaped: step over the whole escapes before it.
            slash = bad.start()
            run = slash - len(self.text[start:slash].rstrip(b"\\")) - start
            if self.text[slash] == 0x5C and run % 2:
                at = slash + 1
                continue
            if self.text[slash] != 0x5C:
                self._soft(f"control character 0x{self.text[slash]:02X} in a string", slash)
            else:
                self._soft(f"invalid escape {clip_text(bad[0].decode('utf-8', 'replace'), 12)} in a string", slash)
            at = max(bad.end(), slash + 1)

    def _soft(self, message: str, at: int, variant: str = "") -> None:
        if not variant or variant not in self.allowed:
            self.found.soft.append(Fault(message, at, variant))
            self.found.variant = variant

    def _word(self, at: int, word: bytes) -> None:
        shown = clip_text(word[:60].decode("utf-8", "replace"), 40)
        if self.expect.is_key:
            self._soft(f"key without quotes: {shown}", at)
            self.expect = self.expect.after_value()
            return
        expected = self.expect
        self._value_or_key(at, word[:60])
        if self.found.hard or _SCALAR.match(word):
            return
        if word in _NOT_FINITE:
            self._soft(f"{shown} is not a JSON value", at, "NaN")
        elif word[:1].isdigit() or word[:1] in (b"-", b"+", b"."):
            self._soft(f"invalid number {shown}", at)
        elif expected is Expect.ROOT:
            self._hard(f"not a JSON value: {shown}", at)
        else:
            self._soft(f"not a JSON value: {shown}", at)

    def _bracket(self, at: int, token: bytes) -> None:
        expect = self.expect
        if token in b"{[":
            if expect not in _VALUES:
                if expect.is_key:
                    self._hard(f"expected a key, found '{token.decode()}'", at)
                else:
                    self._value_or_key(at, token)
            elif len(self.stack) >= MAX_DEPTH:
                self._hard(f"nested deeper than {MAX_DEPTH} levels", at)
            else:
                self.stack += token
                self.expect = Expect.FIRST_KEY if token == b"{" else Expect.FIRST_ELEMENT
        elif token in b"}]":
            self._close(at, token)
        elif token == b",":
            if expect in _AFTER_COMMA:
                self.expect = _AFTER_COMMA[expect]
            else:
                self._hard(f"expected {expect.value}, found ','", at)
        elif expect is Expect.COLON:
            self.expect = Expect.VALUE
        else:
            self._hard(f"expected {expect.value}, found ':'", at)

    def _close(self, at: int, token: bytes) -> None:
        opener = b"{" if token == b"}" else b"["
        if not self.stack or self.stack[-1:] != opener:
            open_now = f"'{chr(self.stack[-1])}' is open" if self.stack else "nothing is open"
            self._hard(f"'{token.decode()}' closes nothing: {open_now}", at)
            return
        if self.expect in (Expect.KEY, Expect.ELEMENT):
            self._soft(f"trailing comma before '{token.decode()}'", at, "trailing comma")
        elif self.expect in (Expect.COLON, Expect.VALUE):
            self._hard(f"expected {self.expect.value}, found '{token.decode()}'", at)
            return
        self.stack.pop()
        self.expect = (
            Expect.NOTHING if not self.stack else Expect.NEXT_KEY if self.stack[-1:] == b"{" else Expect.NEXT_ELEMENT
        )


class CommentBlanker:
    """Overwrites comments with blanks, line ends kept, so that everything keeps its place. Fed consecutive bytes."""

    def __init__(self, in_string: bool) -> None:
        self.state = "string" if in_string else ""
        self.held = b""

    def feed(self, data: bytes) -> bytes:
        """What is certain of `data`, after what was held back before; the rest comes with the next call."""
        data = self.held + data
        out: list[bytes] = []
        at = 0
        self.held = b""
        while at < len(data):
            if self.state == "string":
                rest = _STRING_REST.match(data, at)
                if rest is None:
                    slashes = len(data) - len(data.rstrip(b"\\"))
                    self.held = data[len(data) - slashes % 2 :] if slashes % 2 else b""
                    out.append(data[at : len(data) - len(self.held)])
                    return b"".join(out)
                out.append(rest[0])
                at, self.state = rest.end(), ""
            elif self.state == "line":
                end = min((found for found in (data.find(b"\n", at), data.find(b"\r", at)) if found >= 0), default=-1)
                stop = len(data) if end < 0 else end
                out.append(b" " * (stop - at))
                at, self.state = stop, "line" if end < 0 else ""
            elif self.state == "block":
                end = data.find(b"*/", at)
                stop = end + 2 if end >= 0 else max(at, len(data) - 1)
                out.append(re.sub(rb"[^\n\r]", b" ", data[at:stop]))
                if end < 0:
                    self.held = data[stop:]
                    return b"".join(out)
                at, self.state = stop, ""
            else:
                at = self._plain(data, at, out)
        return b"".join(out)

    def _plain(self, data: bytes, at: int, out: list[bytes]) -> int:
        """Copy up to the next string or comment and enter it."""
        quote = data.find(b'"', at)
        slash = data.find(b"/", at, quote if quote >= 0 else len(data))
        if slash < 0:
            stop = len(data) if quote < 0 else quote + 1
            out.append(data[at:stop])
            self.state = "" if quote < 0 else "string"
            return stop
        out.append(data[at:slash])
        following = data[slash + 1 : slash + 2]
        if not following:
            self.held = data[slash:]
            return len(data)
        if following == b"/":
            out.append(b"  ")
            self.state = "line"
            return slash + 2
        if following == b"*":
            out.append(b"  ")
            self.state = "block"
            return slash + 2
        out.append(b"/")
        return slash + 1

    def rest(self) -> bytes:
        """What was held back, at the end of the file."""
        held, self.held = self.held, b""
        return b" " * len(held) if self.state == "block" else held
