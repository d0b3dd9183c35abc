"""What a member of a JSON document is, told from the few hundred bytes that are kept of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import msgspec

from milepost.core.structure.json_tree import Member
from milepost.core.text import clip_text

#: Fields that name the thing they are in, the best first. Compared in lower case.
NAME_FIELDS = (
    "name", "title", "displayname", "display_name", "full_name", "fullname", "label", "operationid", "login", "username",
    "id", "_id", "key", "path", "file", "filename", "uri", "url", "href", "slug", "symbol", "code", "summary",
    "description", "message", "msg", "text", "event", "kind", "type", "method", "command", "email",
)  # fmt: skip
#: Fields whose own fields name the thing: GeoJSON's properties, a Kubernetes object's metadata, OpenAPI's info.
_NAMING_PARTS = ("properties", "metadata", "info", "attributes", "fields", "_source", "node")
_RANK = {name: rank for rank, name in enumerate(NAME_FIELDS)}
_SHAPE_FIELDS = 24

_KEY = re.compile(rb'"((?:[^"\\]|\\.)*)"[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|"|[{}\[\],:]|[^ \t\n\r{}\[\],:"]+', re.DOTALL)
_BRACKETS = (b"{", b"}", b"[", b"]")
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{200,}=*\Z")
_DATA_URI = re.compile(rb'"data:([a-zA-Z0-9.+/-]+);base64,')
_TAIL_NAME = re.compile(rb'"([A-Za-z_]{1,20})"[ \t\n\r]*:[ \t\n\r]*("(?:[^"\\]|\\.){1,120}")')

_STRING, _NUMBER, _OBJECT, _ARRAY = "string", "number", "object", "array"


class Nested:
    """Stands for a container whose content is not looked at."""

    __slots__ = ("type",)

    def __init__(self, name: str) -> None:
        self.type = name


class NumberText(str):
    """A number as it is written."""

    __slots__ = ()


@dataclass(slots=True)
class Value:
    """A value. `text` is a scalar as it is written, clipped; `fields` what is known of an object's members; `whole` says
    that nothing is missing there; `members` is how many there are, None where that is not known; `items` are the
    elements of a short array.
    """

    key: str | None
    type: str
    text: str = ""
    size: int = 0
    fields: dict[str, Any] = field(default_factory=dict)
    whole: bool = True
    members: int | None = None
    elements: tuple[str, ...] = ()
    items: list[Any] = field(default_factory=list)
    label: str = ""


def read_member(member: Member, keyed: bool) -> Value:
    """What `member` is; `keyed` says that it is of an object, and so begins with its key."""
    head, key, skipped = member.head, None, 0
    if keyed:
        match = _KEY.match(head)
        if match is None:
            key = string_of(head.lstrip(b'"')[:200])
            return Value(key, "key", size=member.size, whole=False)
        key, skipped = string_of(match[1]), match.end()
        head = head[skipped:]
    size = member.size - skipped
    first = head[:1]
    if first == b'"':
        return Value(key, _STRING, _text_of_string(head, size), size)
    if first == b"{":
        return _object(key, head, member.tail, size)
    if first == b"[":
        return _array(key, head, size)
    text = head[:60].split(b",")[0].strip().decode("utf-8", "replace")
    return Value(key, _scalar_type(first), text, size)


def _object(key: str | None, head: bytes, tail: bytes, size: int) -> Value:
    value = Value(key, _OBJECT, size=size)
    if size <= len(head):
        try:
            decoded = msgspec.json.decode(head)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            decoded = None
        if isinstance(decoded, dict):
            value.fields, value.members = decoded, len(decoded)
            value.label = label_of(decoded)
            return value
    value.whole = False
    value.fields = _fields_of_head(head)
    value.label = "" if value.fields.get("type") == "Feature" else label_of(value.fields)
    value.label = value.label or _label_in_tail(tail)
    return value


def _array(key: str | None, head: bytes, size: int) -> Value:
    value = Value(key, _ARRAY, size=size)
    if size <= len(head):
        try:
            decoded = msgspec.json.decode(head)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            decoded = None
        if isinstance(decoded, list):
            value.members = len(decoded)
            value.items = decoded
            value.elements = tuple(sorted({type_of(one) for one in decoded}))
            if decoded and all(not isinstance(one, (dict, list)) for one in decoded):
                value.text = clip_text(head.decode("utf-8", "replace"), 80)
            return value
    value.whole = False
    match = re.match(rb"\[[ \t\n\r]*(.)", head, re.DOTALL)
    value.elements = (_first_type(match[1]),) if match else ()
    return value


def _first_type(first: bytes) -> str:
    return {b'"': _STRING, b"{": _OBJECT, b"[": _ARRAY}.get(first) or _scalar_type(first)


def _scalar_type(first: bytes) -> str:
    if first in (b"t", b"f"):
        return "boolean"
    return "null" if first in (b"n", b"") else _NUMBER


def type_of(value: Any) -> str:
    """The JSON type of a decoded value."""
    if isinstance(value, Nested):
        return value.type
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, str):
        return _NUMBER if isinstance(value, NumberText) else _STRING
    if isinstance(value, dict):
        return _OBJECT
    return _ARRAY if isinstance(value, list) else _NUMBER


def string_of(raw: bytes) -> str:
    """The string whose escaped text between the quotes is `raw`."""
    if b"\\" in raw:
        try:
            return str(msgspec.json.decode(b'"' + raw + b'"', type=str))
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
    return raw.decode("utf-8", "replace")


def _text_of_string(head: bytes, size: int) -> str:
    """A string as it is written; a long one by what it is and its size."""
    if size <= 120 and size <= len(head):
        return head[:size].decode("utf-8", "replace")
    embedded = _DATA_URI.match(head)
    if embedded:
        return f"{embedded[1].decode()} in base64, {size_text(size)}"
    if _BASE64.match(head[1:300].split(b'"')[0]):
        return f"base64 string, {size_text(size)}"
    return f"string, {size_text(size)}: {clip_text(string_of(head[1:140].rsplit(bytes([92]), 1)[0]), 100)}"


def size_text(size: int) -> str:
    """A number of bytes as a person reads it."""
    if size < 1000:
        return f"{size} bytes"
    amount = float(size)
    for unit in ("KB", "MB", "GB"):
        amount /= 1000
        if amount < 1000 or unit == "GB":
            return f"{amount:.1f} {unit}"
    raise AssertionError


def _fields_of_head(head: bytes) -> dict[str, Any]:
    """The fields of an object of which only the head is there; two levels deep, what is deeper as `Nested`."""
    fields: dict[str, Any] = {}
    scopes: list[dict[str, Any] | None] = []
    scope: dict[str, Any] | None = None
    key: str | None = None
    tokens: list[bytes] = _TOKEN.findall(head)
    if tokens and tokens[-1] not in _BRACKETS and head.endswith(tokens[-1]):
        tokens.pop()  # it may go on beyond the head
    for position, token in enumerate(tokens):
        if token == b":":
            continue
        if token == b",":
            key = None
        elif token == b"{" or token == b"[":
            inner: dict[str, Any] | None = None
            if not scopes:
                inner = fields
            elif scope is not None and key is not None:
                inner = {} if token == b"{" and len(scopes) == 1 else None
                scope[key] = inner if inner is not None else Nested(_OBJECT if token == b"{" else _ARRAY)
            scopes.append(inner)
            scope, key = inner, None
        elif token == b"}" or token == b"]":
            if scopes:
                scopes.pop()
            scope, key = scopes[-1] if scopes else None, None
        elif token == b'"':
            break  # a string that goes on beyond the head
        elif scope is not None:
            if key is not None:
                scope[key] = _scalar(token)
            elif tokens[position + 1 : position + 2] == [b":"]:
                key = string_of(token[1:-1])
    return fields


def _scalar(token: bytes) -> Any:
    try:
        return msgspec.json.decode(token)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return token.decode("utf-8", "replace")


def _label_in_tail(tail: bytes) -> str:
    """A name found near the end of a large object: GeoJSON puts `properties` after the geometry."""
    at = tail.rfind(b'"properties"')
    if at < 0:
        return ""
    found = {match[1].decode().lower(): string_of(match[2][1:-1]) for match in _TAIL_NAME.finditer(tail, at)}
    ranked = sorted((_RANK.get(name, len(_RANK)), name) for name in found)
    return clip_text(found[ranked[0][1]], 60) if ranked else ""


def label_of(fields: dict[str, Any]) -> str:
    """The name of an object: its best name-like field, with its version where it has one; else that of a part."""
    best = ""
    best_rank = len(_RANK)
    for key, value in fields.items():
        rank = _RANK.get(key.lower(), best_rank)
        if rank < best_rank and isinstance(value, (str, int)) and not isinstance(value, bool) and value != "":
            best, best_rank = str(value), rank
    if best_rank > _RANK["id"]:
        for part in _NAMING_PARTS:
            inner = fields.get(part)
            if isinstance(inner, dict) and inner:
                name = label_of(inner) or _first_string(inner)
                if name:
                    return name
    version = fields.get("version")
    if best_rank == 0 and isinstance(version, str) and version:
        best = f"{best} {version}"
    return clip_text(best, 60)


def _first_string(fields: dict[str, Any]) -> str:
    for value in fields.values():
        if isinstance(value, str) and 0 < len(value) <= 60:
            return clip_text(value, 60)
    return ""


def shape_of(values: list[Value]) -> dict[str, str]:
    """The fields of some objects and their types: `count?` when not all of them have it, `string|null` when they differ."""
    seen: dict[str, set[str]] = {}
    times: dict[str, int] = {}
    whole = [value for value in values if value.type == _OBJECT]
    for value in whole:
        for key, one in value.fields.items():
            if key not in seen and len(seen) >= 4 * _SHAPE_FIELDS:
                continue
            seen.setdefault(key, set()).add(type_of(one))
            times[key] = times.get(key, 0) + 1
    complete = sum(1 for value in whole if value.whole)
    shape: dict[str, str] = {}
    for key in list(seen)[:_SHAPE_FIELDS]:
        optional = complete > 0 and times[key] < complete
        shape[clip_text(key, 40) + ("?" if optional else "")] = "|".join(sorted(seen[key]))
    return shape
