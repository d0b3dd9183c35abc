"""A text or a regular expression, made ready to be looked for in lines of UTF-8.

Hyperscan matches in time linear in the text whatever the pattern, and lets other threads run meanwhile, so a user's
pattern cannot hang the server. What it cannot do in linear time (look-around, back-references) it refuses, and so does
this, with the reason.

It tells only where matches end. Where the first one in a line begins is found on that line alone, by trying the
pattern anchored at each character up to the end that was reported; such a try stops at once where nothing begins. (Its
own tracking of starts refuses too many patterns.)

Matching is line by line, as grep's: `^` and `$` are the ends of a line, no match crosses one. `\\w`, `\\d` and `\\b` are
of ASCII; letters beyond it are themselves, in both cases where case does not matter.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import hyperscan

from milepost.errors import InvalidParams

MAX_PATTERN_CHARACTERS = 2000

# Matches looked at in one line to find the longest: `.*` has one at every byte.
_MAX_ENDS = 100_000

# How far before the shortest match that ends first its leftmost beginning is looked for.
_MAX_BYTES_BACK = 4096

# Anchored, such repeats take seconds to compile.
_REPEAT = re.compile(r"\{\d*,?(\d+)\}")
_MAX_ANCHORED_REPEAT = 300

# Anchors to the ends of the text and the switch of what `^` means would make an answer depend on how a file is read.
_TEXT_ANCHOR = re.compile(r"(?<!\\)(?:\\\\)*\\([AZzG])")
_MULTILINE_SWITCH = re.compile(r"\(\?[a-zA-Z]*-[a-zA-Z]*m")
_INVALID_BYTE = re.compile("[\udc80-\udcff]")


class Matcher:
    """Looks for one pattern. Not to be shared between threads."""

    def __init__(self, pattern: str, *, regex: bool = False, case_sensitive: bool = True) -> None:
        """Raises `InvalidParams` for a pattern that cannot be looked for, saying why and what to do."""
        if not pattern:
            raise InvalidParams("The pattern is empty; give a text to look for.")
        if len(pattern) > MAX_PATTERN_CHARACTERS:
            raise InvalidParams(
                f"The pattern has {len(pattern):,} characters, the most is {MAX_PATTERN_CHARACTERS:,}; shorten it."
            )
        flags = hyperscan.HS_FLAG_MULTILINE
        if not case_sensitive:
            flags |= hyperscan.HS_FLAG_CASELESS
        # A text in its own case is looked for as bytes, also where those are no UTF-8.
        self.needs_utf8 = regex or not case_sensitive
        if self.needs_utf8:
            flags |= hyperscan.HS_FLAG_UTF8
        if regex:
            _refuse_text_anchors(pattern)
            flags |= hyperscan.HS_FLAG_ALLOWEMPTY
            expression = _encoded(pattern)
        else:
            if "\n" in pattern or "\r" in pattern:
                raise InvalidParams("The pattern holds a line end, but lines are searched one by one; leave it out.")
            expression = _literal(pattern, as_characters=self.needs_utf8)
        self.is_regex = regex
        self._literal_bytes = 0 if self.needs_utf8 else len(pattern.encode("utf-8", "surrogateescape"))
        self._database = _compile(expression, flags, pattern)
        self._anchored = _AnchoredPattern(expression, flags & ~hyperscan.HS_FLAG_MULTILINE, pattern)

    def prepared(self, data: bytes) -> bytes:
        """`data` as it must be for the methods below, of the same length: valid UTF-8, lines ended by LF only."""
        if self.needs_utf8 and not data.isascii():
            data = _with_invalid_bytes_replaced(data)
        return data.replace(b"\r", b"\n") if self.is_regex and b"\r" in data else data

    def first_end(self, lines: memoryview) -> int | None:
        """Where the match that ends first ends, or None. It may cross a line end: `first_span` decides."""
        return _first_end(self._database, lines)

    def first_span(self, line: memoryview) -> tuple[int, int] | None:
        """The leftmost longest match in one line, given without its line end, or None."""
        end = _first_end(self._database, line)
        if end is None:
            return None
        if self._literal_bytes:
            return end - self._literal_bytes, end
        # The shortest match that ends there begins at the last place from which anything matches up to there.
        low, high = 0, end
        while low < high:
            middle = (low + high + 1) // 2
            while middle > low and line[middle : middle + 1] and line[middle] & 0xC0 == 0x80:
                middle -= 1
            if middle == low or _first_end(self._database, line[middle:end]) is None:
                high = max(low, middle - 1)
            else:
                low = middle
        return self._anchored.first_span(line, low) or (low, end)


class _AnchoredPattern:
    """A pattern tried at one place after the other. Compiled when first needed."""

    def __init__(self, expression: bytes, flags: int, pattern: str) -> None:
        self._expression = expression
        self._flags = flags
        self._pattern = pattern
        self._at_start: Any = None
        self._after_character: Any = None
        self._is_compiled = False

    def first_span(self, line: memoryview, last_start: int) -> tuple[int, int] | None:
        """The longest match of the leftmost that begin at most at `last_start`; None where that is beyond us."""
        if not self._is_compiled:
            self._compile()
        first_start = max(0, last_start - _MAX_BYTES_BACK)
        while first_start and line[first_start] & 0xC0 == 0x80:
            first_start -= 1
        previous = first_start
        for start in range(first_start, last_start + 1):
            if start < len(line) and line[start] & 0xC0 == 0x80:
                continue  # inside a character
            # The character before is given along, so that `^` and `\b` see that there is one.
            database, base = (self._at_start, 0) if start == 0 else (self._after_character, previous)
            end = None if database is None or (start and start == previous) else _last_end(database, line[base:])
            if end is not None:
                return start, base + end
            previous = start
        return None

    def _compile(self) -> None:
        self._is_compiled = True
        if any(int(most) > _MAX_ANCHORED_REPEAT for most in _REPEAT.findall(self._pattern)):
            return
        group = b"(?:" + self._expression + b")"
        self._at_start = self._compiled(rb"\A" + group)
        self._after_character = self._compiled(rb"\A(?s:.)" + group)

    def _compiled(self, expression: bytes) -> Any:
        try:
            return _compile(expression, self._flags, self._pattern)
        except InvalidParams:  # as one that begins with `^` is, after a character
            return None


def _first_end(database: Any, data: memoryview) -> int | None:
    found: list[int] = []

    def on_match(identifier: int, start: int, end: int, flags: int, context: object) -> bool:
        found.append(end)
        return True  # stop

    with suppress(hyperscan.ScanTerminated):
        database.scan(data, match_event_handler=on_match)
    return found[0] if found else None


def _last_end(database: Any, data: memoryview) -> int | None:
    found: list[int] = []

    def on_match(identifier: int, start: int, end: int, flags: int, context: object) -> bool:
        found.append(end)
        return len(found) >= _MAX_ENDS

    with suppress(hyperscan.ScanTerminated):
        database.scan(data, match_event_handler=on_match)
    return max(found, default=None)


def _encoded(pattern: str) -> bytes:
    try:
        return pattern.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidParams("The pattern holds bytes that are no text; look for them without regex.") from error


def _literal(pattern: str, *, as_characters: bool) -> bytes:
    if as_characters:
        return "".join(f"\\x{{{ord(character):x}}}" for character in _encoded(pattern).decode("utf-8")).encode("ascii")
    return b"".join(b"\\x%02x" % byte for byte in pattern.encode("utf-8", "surrogateescape"))


def _refuse_text_anchors(pattern: str) -> None:
    anchor = _TEXT_ANCHOR.search(pattern)
    if anchor:
        raise InvalidParams(f"\\{anchor[1]} is not supported, since lines are searched one by one; use ^ and $.")
    if _MULTILINE_SWITCH.search(pattern):
        raise InvalidParams("(?-m) is not supported, since lines are searched one by one; leave it out.")


def _compile(expression: bytes, flags: int, pattern: str) -> Any:
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    try:
        database.compile(expressions=[expression], ids=[0], elements=1, flags=[flags])
    except hyperscan.error as error:
        reason = str(error).rstrip(".")
        advice = (
            "rewrite it without look-around and back-references"
            if "assertion" in reason or "reference" in reason
            else "correct or shorten it, or look for a plain text"
        )
        shown = pattern if len(pattern) <= 80 else f"{pattern[:77]}..."
        raise InvalidParams(f"The pattern {shown!r} cannot be used: {reason}; {advice}.") from error
    return database


def _with_invalid_bytes_replaced(data: bytes) -> bytes:
    """The same with each byte that is no UTF-8 replaced by SUB, since hyperscan's UTF-8 mode needs valid input."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _INVALID_BYTE.sub("\x1a", data.decode("utf-8", "surrogateescape")).encode("utf-8")
    return data
