"""Kinds of records: where one begins, and what it is called."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass

from milepost.core.formats.base import Sample
from milepost.core.structure.line_view import LineView

FIELD = re.compile(rb"([A-Za-z0-9$][\w.$;-]{0,60})::?(?:[ \t]+(.*)|$)")
_SPACED_FIELD = re.compile(rb"([A-Za-z][\w ()/.-]{0,50}?)[ \t]*\t:[ \t]?(.*)")
_BEGIN = re.compile(rb"BEGIN:(V[A-Z]+)", re.IGNORECASE)
_BIBTEX = re.compile(rb"[ \t]*@(\w+)\s*[{(]\s*([^,\s}]*)")
_BIBTEX_FIELD = re.compile(rb"\s*(\w+)\s*=\s*[{\"]*(.*?)[}\",]*\s*$")
_CHANGE = re.compile(rb"([A-Za-z0-9][\w+.-]*) \((\S+)\) [\w. -]+; +urgency=")
_LETTER = re.compile(rb"[A-Z]:[ \t]+\S")
_NAMING = (
    b"package", b"source", b"dn", b"fn", b"name", b"subject", b"title", b"summary", b"model name", b"start-date", b"origin",
)  # fmt: skip
_TELLING = (
    b"description",
    b"version",
    b"summary",
    b"title",
    b"author",
    b"mail",
    b"email",
    b"objectclass",
    b"status",
    b"org",
)
_LOOK_AHEAD = 40


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record. Records of stanzas begin after an empty line; others at a line that says so.

    `heads` are the first bytes of such lines, `begins` decides. `describe` gives a title and a digest.
    """

    name: str
    is_stanza: bool
    describe: Callable[[LineView, int], tuple[bytes, bytes]]
    heads: bytes = b""
    begins: Callable[[bytes], bool] | None = None


def _fields(view: LineView, index: int) -> list[tuple[bytes, bytes]]:
    """The fields from a line on, up to an empty line."""
    found: list[tuple[bytes, bytes]] = []
    for position in range(index, min(view.size, index + _LOOK_AHEAD)):
        text = view.text(position, 400)
        if not text.strip():
            break
        match = FIELD.match(text) or _SPACED_FIELD.match(text)
        if match is not None:
            found.append((match[1].strip().lower(), (match[2] or b"").strip()))
    return found


def _describe_fields(view: LineView, index: int) -> tuple[bytes, bytes]:
    fields = _fields(view, index)
    if not fields:
        return view.text(index, 300).strip(), b""
    values = {name: value for name, value in reversed(fields) if value}
    title = next((values[name] for name in _NAMING if name in values), b"")
    if not title:
        name, value = fields[0]
        title = name + b": " + value if value else name
    digest = next((values[name] for name in _TELLING if name in values and values[name] != title), b"")
    return title, digest


def _describe_maintainers(view: LineView, index: int) -> tuple[bytes, bytes]:
    following = view.text(index + 1, 200) if index + 1 < view.size else b""
    return view.text(index, 300).strip(), following.strip() if _LETTER.match(following) else b""


def _describe_card(view: LineView, index: int) -> tuple[bytes, bytes]:
    kind = view.text(index)[6:].strip().lower()
    for position in range(index + 1, min(view.size, index + _LOOK_AHEAD)):
        name, _, value = view.text(position, 400).partition(b":")
        if name.split(b";")[0].upper() in (b"FN", b"SUMMARY", b"X-WR-CALNAME", b"TZID") and value.strip():
            return value.strip(), kind
        if name.upper() == b"BEGIN":
            break
    return kind, b""


def _describe_bibtex(view: LineView, index: int) -> tuple[bytes, bytes]:
    match = _BIBTEX.match(view.text(index))
    title = match[1].lower() + b" " + match[2] if match is not None else view.text(index, 100)
    for position in range(index + 1, min(view.size, index + _LOOK_AHEAD)):
        field = _BIBTEX_FIELD.match(view.text(position, 400))
        if field is not None and field[1].lower() == b"title":
            return title, field[2].replace(b"{", b"").replace(b"}", b"")
    return title, b""


def _describe_change(view: LineView, index: int) -> tuple[bytes, bytes]:
    match = _CHANGE.match(view.text(index))
    title = match[1] + b" " + match[2] if match is not None else view.text(index, 200)
    first = next(
        (text for at in range(index + 1, min(view.size, index + 6)) if (text := view.text(at, 300).strip())), b""
    )
    return title, first


KINDS = {
    kind.name: kind
    for kind in (
        RecordKind("fields", True, _describe_fields),
        RecordKind("ldif", True, _describe_fields),
        RecordKind("maintainers", True, _describe_maintainers),
        RecordKind("card", False, _describe_card, b"Bb", lambda text: bool(_BEGIN.match(text))),
        RecordKind("bibtex", False, _describe_bibtex, b"@", lambda text: bool(_BIBTEX.match(text))),
        RecordKind("changelog", False, _describe_change, bytes(range(48, 123)), lambda text: bool(_CHANGE.match(text))),
    )
}


def kind_of(sample: Sample) -> tuple[str, float]:
    """The kind of the records of a text, and how sure that is; 0 where it holds none."""
    lines = [line for line in sample.lines if not line.startswith(b"#")]
    first = next((line for line in lines if line.strip()), b"")
    if _BEGIN.match(first):
        return "card", 0.95
    if _CHANGE.match(first) and any(line.startswith(b" -- ") for line in lines):
        return "changelog", 0.92
    if b"@" in sample.head[:65536]:
        entries = sum(1 for line in lines if _BIBTEX.match(line) and b"{" in line and line.lstrip()[:1] == b"@")
        fields = sum(1 for line in lines if re.match(rb"\s+\w+\s*=\s*[{\"\d\w]", line))
        filled = sum(1 for line in lines if line.strip())
        if entries and fields >= entries and (entries + fields) * 2 > filled:
            return "bibtex", 0.9
    if re.match(rb"(?:dn::? |version: 1$)", first) and sum(line.startswith(b"dn:") for line in lines) >= 1:
        return "ldif", 0.95
    return _stanzas(lines, whole=sample.whole)


def _stanzas(lines: list[bytes], *, whole: bool) -> tuple[str, float]:
    stanzas: list[list[bytes]] = [[]]
    for line in lines:
        if line.strip():
            stanzas[-1].append(line)
        elif stanzas[-1]:
            stanzas.append([])
    stanzas = [stanza for stanza in stanzas if stanza]
    if not whole and len(stanzas) > 1:
        stanzas.pop()
    if len(stanzas) < 2:
        return "", 0.0
    lettered = sum(1 for stanza in stanzas if sum(1 for line in stanza if _LETTER.match(line)) >= 2)
    if lettered >= 5 and lettered * 2 > len(stanzas):
        return "maintainers", 0.9
    names: list[set[bytes]] = []
    other = fields = 0
    for stanza in stanzas:
        found: set[bytes] = set()
        for position, line in enumerate(stanza):
            if line[:1] in b" \t" and position:
                continue
            match = FIELD.match(line) or _SPACED_FIELD.match(line)
            if match is None:
                other += 1
            else:
                fields += 1
                found.add(match[1].strip())
        names.append(found)
    if other > 0.02 * (fields + other) or fields < 2 * len(stanzas):
        return "", 0.0
    # Records have fields in common: most of them begin with the same one, or share two.
    heads = [FIELD.match(stanza[0]) or _SPACED_FIELD.match(stanza[0]) for stanza in stanzas]
    first_names = [match[1].strip() for match in heads if match is not None]
    commonest = max(first_names.count(name) for name in set(first_names)) if first_names else 0
    shared = sum(1 for one, next_one in itertools.pairwise(names) if len(one & next_one) >= 2)
    if commonest * 2 > len(stanzas) or shared * 2 > len(stanzas) - 1:
        return "fields", 0.9
    return "", 0.0
