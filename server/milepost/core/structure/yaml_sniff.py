"""Whether a text is YAML."""

from __future__ import annotations

import re

from milepost.core.formats.base import Sample
from milepost.core.structure.yaml_lines import is_marker, read_line

_CODE_HEAD = re.compile(
    rb"(?:def|class|if|for|while|else|elif|try|with|switch|case|return|import|public|private)\b|.*[;{(]\s*$"
)
_PLACE = re.compile(rb":\d")
_LOG_LIKE = re.compile(rb"\d{4}-\d\d-\d\d|\d\d:\d\d|\[")
#: What a log says of a line, before the text of that line. As a key, in a document of OpenAPI say, it holds what is below.
_LEVEL = re.compile(rb"(?:INFO|WARN|ERROR|DEBUG|WARNING|FATAL|TRACE)\b", re.IGNORECASE)

_MANY_NESTED = 20


def sniff_yaml(sample: Sample) -> float:
    """How sure it is that this is YAML: keys that come once, with others nested in them, and hardly a line that is none."""
    named = sample.name.lower().endswith((".yaml", ".yml"))
    keys: set[bytes] = set()
    structure = other = nested = inside = markers = items = 0
    indents: set[int] = set()
    top_holds, has_keys = True, False
    lines = sample.lines[:1000]
    for text in lines:
        if other > 0.02 * len(lines) and not named:
            return 0.0  # too much for whatever is still to come
        stripped = text.lstrip(b" ")
        if not stripped or stripped[:1] == b"#":
            continue
        if stripped[:1] == b"\t" and not named:
            return 0.0
        if stripped is not text and len(stripped) != len(text):
            inside += 1
            if top_holds and read_line(stripped) is not None:
                nested += 1
                indents.add(len(text) - len(stripped))
            continue
        if is_marker(text):
            markers += 1
            keys.clear()
            continue
        if text[:1] == b"%" and text.startswith((b"%YAML", b"%TAG")):
            structure += 1
            continue
        said = read_line(text)
        if said is None or (not named and (_CODE_HEAD.match(text) or _PLACE.search(said.name))):
            other += text[:1] not in b"}]\"'"
            top_holds = False
            continue
        if not said.is_item:
            is_log = _LOG_LIKE.match(said.name) or (not named and b" " in said.value and _LEVEL.match(said.name))
            if said.name in keys or is_log or len(said.name) > 80:
                # A key may come only once: records of several lines, and logs, repeat theirs.
                return 0.0
            keys.add(said.name)
            has_keys = True
        items += said.is_item
        structure += 1
        top_holds = said.holds_more
    if structure < 1 or other > (0.1 if named else 0.02) * structure:
        return 0.5 if named and (structure or markers) else 0.0
    if named:
        return 0.9
    if 2 * sum(b" " in key or b"<" in key for key in keys) > len(keys):
        return 0.0  # phrases that end in a colon head the parts of reports and listings (a disassembly, `apt` answers)
    strong = nested >= 3 or (markers and sample.lines[0].startswith((b"---", b"%YAML", b"#")))
    # All that is seen may lie in one key, some of it text.
    is_deep = nested >= _MANY_NESTED and nested > 0.3 * inside and len(indents) > 1
    return 0.85 if strong and has_keys and (structure >= 2 or is_deep) else 0.0
