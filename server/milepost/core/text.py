"""Text as it may be shown: cut at a character boundary, and free of what would act on a terminal or an editor.

Everything a person reads that came out of a file (titles, digests, labels) passes `clip_text`, so that escape
sequences, progress bars and hidden direction marks of a log never reach a label.
"""

from __future__ import annotations

import re

ELLIPSIS = "…"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# ECMA-48: control sequences (CSI), strings (OSC, DCS, SOS, PM, APC) up to their terminator, and short escapes. A string
# without a terminator runs to the end of the text.
_ESCAPES = re.compile(
    r"""
      (?:\x1b\[|\x9b) [0-?]* [\ -/]* [@-~]?
    | (?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]) .*? (?:\x07|\x1b\\|\x9c|\Z)
    | \x1b [\ -/]* [0-~]?
    """,
    re.VERBOSE | re.DOTALL,
)
# White space that would break or shift a one-line label.
_SPACES = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Marks that show nothing: byte order mark, zero width space, direction overrides and isolates (which can make a label
# read other than it is).
_HIDDEN = re.compile(r"[\ufeff\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
# What is left of C0, DEL, C1, and halves of surrogate pairs (which cannot be encoded).
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SUSPECT = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def plain_text(text: str) -> str:
    """`text` on one line, without escape sequences, control characters and hidden direction marks.

    White space other than blanks becomes a blank, an escape sequence or hidden mark nothing, any other control
    character U+FFFD, so that a reader sees that something was there.
    """
    if not _SUSPECT.search(text):
        return text
    text = _ESCAPES.sub("", text)
    text = _SPACES.sub(" ", text)
    text = _HIDDEN.sub("", text)
    return _CONTROLS.sub(REPLACEMENT, text)


def cut_text(text: str, max_bytes: int) -> str:
    """The longest beginning of `text` that is at most `max_bytes` long in UTF-8; no character is split."""
    if max_bytes <= 0:
        return ""
    if len(text) * 4 <= max_bytes or (len(text) <= max_bytes and text.isascii()):
        return text
    return text[:max_bytes].encode("utf-8", "replace")[:max_bytes].decode("utf-8", "ignore")


def clip_text(text: str, max_bytes: int) -> str:
    """`text` as a label of at most `max_bytes` bytes in UTF-8: plain, stripped, and ending in "…" where it was cut."""
    # Escape sequences and spaces shrink a label, so a little more than fits is looked at, and no more: the text may be
    # a line of ten megabytes.
    looked_at = text[: 8 * max_bytes + 64] if len(text) > 8 * max_bytes + 64 else text
    label = plain_text(looked_at).strip()
    if looked_at is text and (len(label) <= max_bytes if label.isascii() else len(label.encode()) <= max_bytes):
        return label
    room = max_bytes - len(ELLIPSIS.encode())
    if room < 0:
        return cut_text(label, max_bytes)
    return cut_text(label, room).rstrip() + ELLIPSIS
