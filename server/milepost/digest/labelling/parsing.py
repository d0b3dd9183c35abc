"""A model's reply, read as generously as can be: fenced, with talk around it, with trailing commas, or cut off in the middle.

What is complete is kept; what is not is left out, never guessed at.
"""

from __future__ import annotations

import json
import re
from typing import Any

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
# A reply is looked at for this many beginnings of an object.
_MAX_BEGINNINGS = 20
_DECODER = json.JSONDecoder(strict=False)  # line ends within strings are let pass


def parse_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in a reply that has members, or what is complete of it; None where there is none."""
    text = _THOUGHTS.sub("", text)
    position = -1
    for _ in range(_MAX_BEGINNINGS):
        position = text.find("{", position + 1)
        if position < 0:
            return None
        value = _decoded(text, position)
        if value is None:
            value = _salvaged(text[position:])
        if value:
            return value
    return None


def _decoded(text: str, position: int) -> dict[str, Any] | None:
    try:
        value, _ = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _salvaged(text: str) -> dict[str, Any] | None:
    """What is complete of an object that is cut off, or has commas too many."""
    kept: list[str] = []
    open_: list[str] = []
    # How much of `kept` is sound, and what was open there.
    sound: list[tuple[int, str]] = []
    in_string = is_escaped = False
    for character in text:
        if in_string:
            kept.append(character)
            if is_escaped:
                is_escaped = False
            elif character == "\\":
                is_escaped = True
            elif character == '"':
                in_string = False
            continue
        if character == '"':
            in_string = True
        elif character in "{[":
            open_.append("}" if character == "{" else "]")
            if len(open_) > 64:
                break
        elif character == ",":
            sound.append((len(kept), "".join(reversed(open_))))
        elif character in "}]":
            if not open_ or open_[-1] != character:
                break
            while kept and (kept[-1].isspace() or kept[-1] == ","):
                kept.pop()
            open_.pop()
            kept.append(character)
            sound.append((len(kept), "".join(reversed(open_))))
            if not open_:
                break
            continue
        kept.append(character)
    for size, closing in reversed(sound[-8:]):
        value = _decoded("".join(kept[:size]) + closing, 0)
        if value:
            return value
    return None
