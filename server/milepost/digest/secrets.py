"""Takes secrets out of a text before it is sent anywhere or written to a log.

What a secret looks like stands in `secret_rules.py`. All of a text is looked at once, by one automaton that finds the
literals that secrets begin with or are assigned to; the rules are tried at those places alone. Lines stay lines: a mask
never spans a line end, so line numbers are those of the text as it was.

A name that is assigned something ("password=…", "token: …") is no proof: what follows may be a word of a sentence or a
piece of code. A password's value is masked unless it is such, a token's only if it looks like one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import hyperscan

from milepost.core.shared_patterns import SharedPatterns
from milepost.digest.secret_rules import (
    KEY_NAMES,
    PASSWORD_NAMES,
    PLACEHOLDER,
    SCHEME_RULES,
    TOKEN_RULES,
    SecretRule,
)

_RULES = (*TOKEN_RULES, *SCHEME_RULES, PASSWORD_NAMES, KEY_NAMES)

_KEY_BEGIN, _KEY_END = b"-----BEGIN", b"-----END"
_PRIVATE_BEGIN = re.compile(rb"-----BEGIN[ A-Z0-9_-]{0,60}?PRIVATE KEY(?: BLOCK)?-----")
_PRIVATE_END = re.compile(rb"-----END[ A-Z0-9_-]{0,60}?PRIVATE KEY(?: BLOCK)?-----")
# Base64, or one of the headers that an old key begins with ("Proc-Type: 4,ENCRYPTED"), or the blank line after those.
_KEY_LINE = re.compile(rb"[ \t]*(?:[A-Za-z0-9+/=]{1,120}|(?:Proc-Type|DEK-Info|Version|Comment): .{0,100})?[ \t]*\r?\n")
_MAX_KEY_BYTES = 64 << 10
_LINE_ENDS = re.compile(rb"(\r\n|\r|\n)")

_DOTTED_NAME = re.compile(rb"[a-z]+\.[a-z]+\.[A-Za-z]")
_DIGIT, _LETTER = re.compile(rb"[0-9]"), re.compile(rb"[A-Za-z]")
_COLON = ord(":")

_SHORT, _MEDIUM = 16, 64
_MOST_ROUNDS = 8

Span = tuple[int, int, str]


def mask_secrets(text: str) -> str:
    """`text` with each secret replaced by a mask like `[masked: AWS key]` or `[masked: password, short]`.

    The length ("short" below 16 bytes, "medium" below 64, else "long") is told where the kind does not settle it. The
    number of lines stays. Give it all the text there is: a private key is told by its first or last line. Thread-safe.
    """
    # A secret that overlaps another may only show once that one is masked.
    for _ in range(_MOST_ROUNDS):
        masked = _masked_once(text)
        if masked == text:
            break
        text = masked
    return text


def _masked_once(text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    hits = _finder().find(data)
    if not hits:
        return text
    spans = sorted(_spans(data, hits), key=lambda span: (span[0], -span[1]))
    if not spans:
        return text
    parts: list[bytes] = []
    done = 0
    for start, end, mask in spans:
        if start < done:  # within a longer one
            continue
        parts += [data[done:start], mask.encode()]
        done = end
    parts.append(data[done:])
    return b"".join(parts).decode("utf-8", "surrogatepass")


class _Finder:
    """The automaton of all literals."""

    def __init__(self) -> None:
        self.literals: list[tuple[bytes, SecretRule | None]] = [(_KEY_BEGIN, None), (_KEY_END, None)]
        self.literals += [(literal, rule) for rule in _RULES for literal in rule.literals]
        self._patterns = SharedPatterns(
            [b"".join(b"\\x%02x" % byte for byte in literal) for literal, _ in self.literals],
            [hyperscan.HS_FLAG_CASELESS if rule and rule.ignores_case else 0 for _, rule in self.literals],
        )

    def find(self, data: bytes) -> list[tuple[int, int]]:
        """Which literal (by number) begins where, by where it ends."""
        found: list[tuple[int, int]] = []
        add = found.append
        sizes = [len(literal) for literal, _ in self.literals]

        def on_match(number: int, start: int, end: int, flags: int, context: object) -> None:
            add((number, end - sizes[number]))

        self._patterns.scan(data, on_match)
        return found


@lru_cache(maxsize=1)
def _finder() -> _Finder:
    return _Finder()


def _spans(data: bytes, hits: list[tuple[int, int]]) -> Iterator[Span]:
    literals = _finder().literals
    key_end = 0
    for number, start in hits:
        rule = literals[number][1]
        if rule is None:
            spans = list(_private_key(data, start, key_end) if number == 0 else _rest_of_key(data, start, key_end))
            key_end = max([key_end, *(end for _, end, _ in spans)])
            yield from spans
            continue
        if rule.at_word_start and start and _is_word(data[start - 1]):
            continue
        match = rule.pattern.match(data, start)
        if match is None:
            continue
        if rule is PASSWORD_NAMES or rule is KEY_NAMES:
            yield from _assigned(data, match, rule)
        else:
            begin, end = match.span("secret" if match["secret"] is not None else "rest")
            if not PLACEHOLDER.match(data, begin, end):
                yield begin, end, _mask(rule.kind, end - begin, is_sized=rule.is_sized)


def _mask(kind: str, size: int, *, is_sized: bool = False) -> str:
    if is_sized:
        return f"[masked: {kind}]"
    return f"[masked: {kind}, {'short' if size < _SHORT else 'medium' if size < _MEDIUM else 'long'}]"


def _is_word(byte: int) -> bool:
    return byte < 0x80 and chr(byte).isalnum()


def _assigned(data: bytes, match: re.Match[bytes], rule: SecretRule) -> Iterator[Span]:
    is_quoted = match["quoted"] is not None
    begin, end = match.span("quoted" if is_quoted else "bare")
    if not is_quoted:
        while end > begin and data[end - 1] in b".:":
            end -= 1
    value = data[begin:end]
    if PLACEHOLDER.match(value) or b"[masked" in value or _is_path(value):
        return
    if not is_quoted and match["sign"] == b":" and data[begin - 1] == _COLON:
        # No blank after the colon: "base-passwd:amd64", "Password::check", "session_t:s0", but "password:hunter2".
        before = data[match.start() - 1 : match.start()]
        if rule is KEY_NAMES or value[:1] == b":" or before in (b"-", b":", b"/"):
            return
    if rule is PASSWORD_NAMES:
        is_secret = _is_password(value, match, is_quoted=is_quoted)
    else:
        is_secret = _is_key(value, is_quoted=is_quoted)
    if is_secret:
        yield begin, end, _mask(rule.kind, end - begin)


def _is_path(value: bytes) -> bool:
    """A file's path, or the name of a class as Java and Apple write it."""
    return value[:1] in (b"/", b"~") or (value.count(b"/") > 1 and b"." in value) or bool(_DOTTED_NAME.match(value))


def _is_password(value: bytes, match: re.Match[bytes], *, is_quoted: bool) -> bool:
    """Whether what a password's name is assigned is one, rather than a sentence or a piece of code."""
    if is_quoted:
        return len(value) >= 3 and b" " not in value.strip()
    after = match["after"].strip()
    if after[:1] in (b"(", b"["):  # a call, an index
        return False
    if not value.replace(b"_", b"").replace(b".", b"").isalpha():
        return len(value) >= 4
    # A plain word: a value if nothing follows it, else part of a sentence.
    is_variable = b"_" in value or b"." in value
    return len(value) >= 4 and not is_variable and (after[:1] in (b"", b",", b";", b"&", b"}", b'"', b"'"))


def _is_key(value: bytes, *, is_quoted: bool) -> bool:
    """Whether a value looks like a key: long, in one piece, of letters and digits (or letters in both cases)."""
    if b" " in value or len(value) < (8 if is_quoted else 12):
        return False
    has_digit, has_letter = _DIGIT.search(value), _LETTER.search(value)
    if value[:2] in (b"0x", b"0X") and len(value) <= 18:  # an address
        return False
    mixed = value != value.lower() and value != value.upper()
    return bool(has_letter and (has_digit or (mixed and len(value) >= 20)))


def _private_key(data: bytes, start: int, done: int) -> Iterator[Span]:
    """Masks, one a line, from after the first line of a private key to before its last, or to the end of its lines."""
    begin = _PRIVATE_BEGIN.match(data, start)
    if begin is None or start < done:
        return
    end = _PRIVATE_END.search(data, begin.end(), begin.end() + _MAX_KEY_BYTES)
    if end is not None:
        yield from _by_lines(data, begin.end(), end.start())
        yield end.start(), end.end(), end[0].decode()  # not to be taken for the value of a password
        return
    position = begin.end()
    if data[position : position + 1] not in (b"\r", b"\n"):  # in one line, with its line ends written out
        stop = _LINE_ENDS.search(data, position)
        yield from _by_lines(data, position, stop.start() if stop else len(data))
        return
    first = position
    stop = _LINE_ENDS.match(data, position)
    position = stop.end() if stop else len(data)
    while line := _KEY_LINE.match(data, position):
        position = line.end()
    # A last line without an end, where the text was cut.
    if data[position:].strip().isalnum() and len(data) - position <= 120:
        position = len(data)
    yield from _by_lines(data, first, position)


def _rest_of_key(data: bytes, start: int, done: int) -> Iterator[Span]:
    """The same for a key whose first line is not in the text: the lines above its last line that look like it."""
    end = _PRIVATE_END.match(data, start)
    if start < done or end is None:
        return
    first = start
    floor = max(done, start - _MAX_KEY_BYTES)
    while first > floor:
        previous = data.rfind(b"\n", floor, first - 1) + 1 or floor
        if not _KEY_LINE.fullmatch(data, previous, first):
            break
        first = previous
    yield from _by_lines(data, first, start)
    yield start, end.end(), end[0].decode()


def _by_lines(data: bytes, start: int, end: int) -> Iterator[Span]:
    position = start
    for part in _LINE_ENDS.split(data[start:end]):
        if part.strip() and part not in (b"\r\n", b"\r", b"\n"):
            indent = len(part) - len(part.lstrip(b" \t"))
            yield position + indent, position + len(part), "[masked: private key]"
        position += len(part)
