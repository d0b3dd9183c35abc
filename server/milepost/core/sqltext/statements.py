"""What a statement is, by its first words: what it makes, fills or changes, and which table it is about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_NAME = rb'(?:[A-Za-z_#@\x80-\xff][\w$#@\x80-\xff]*|"(?:[^"]|"")+"|`(?:[^`]|``)+`|\[[^\]]+\])'
_PATH = _NAME + rb"(?:\s*\.\s*" + _NAME + rb")*"
_FLAGS = re.IGNORECASE | re.DOTALL

#: White space, remarks, and lines that are commands of a shell (`\connect`, `.mode`, `SET` of SQL*Plus have their own).
_LEADING = re.compile(rb"(?:\s+|--[^\r\n]*|/\*(?!!).*?\*/|\\[^\r\n]*|/\*!\d*\s*\*/)+", re.DOTALL)
_LEADING_HASH = re.compile(rb"(?:\s+|--[^\r\n]*|#[^\r\n]*|\\[^\r\n]*|/\*(?!!).*?\*/|/\*!\d*\s*\*/)+", re.DOTALL)
_OPEN_REMARK = re.compile(rb"\A(?:/\*(?!!)(?:(?!\*/).)*|--[^\r\n]*)\Z", re.DOTALL)
_CONDITIONAL = re.compile(rb"/\*M?!\d*\s*|\*/\s*")

_INSERT = re.compile(
    rb"(?:INSERT|REPLACE)(?:\s+(?:LOW_PRIORITY|DELAYED|HIGH_PRIORITY|IGNORE|OVERWRITE|OR\s+\w+|ALL))*(?:\s+INTO|\s+TABLE)?\s+"
    rb"(?P<name>" + _PATH + rb")\s*(?P<columns>\((?:[^()'\"]|\"[^\"]*\")*\))?\s*"
    rb"(?:OVERRIDING\s+\w+\s+VALUE\s*)?(?P<values>VALUES?)?",
    _FLAGS,
)
_COPY = re.compile(rb"COPY\s+(?P<name>" + _PATH + rb")\s*(?:\((?P<columns>[^)]*)\))?\s*FROM\s+stdin", _FLAGS)
_CREATE = re.compile(
    rb"CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:EDITIONABLE\s+|NONEDITIONABLE\s+|FORCE\s+)*"
    rb"(?:(?:ALGORITHM|DEFINER|SQL\s+SECURITY)\s*=?\s*(?:\S+\s*@\s*\S+|\S+)\s+)*"
    rb"(?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|VIRTUAL|EXTERNAL|FOREIGN|COLUMN|MATERIALIZED|RECURSIVE|UNIQUE|CLUSTERED|"
    rb"NONCLUSTERED|FULLTEXT|SPATIAL|BITMAP|CONSTRAINT|TRUSTED|PROCEDURAL|PUBLIC|PRIVATE|AGGREGATE)\s+)*"
    rb"(?P<what>TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|PROC|TRIGGER|EVENT|PACKAGE\s+BODY|PACKAGE|TYPE\s+BODY|TYPE|DOMAIN|"
    rb"SEQUENCE|SCHEMA|DATABASE|EXTENSION|OPERATOR\s+CLASS|OPERATOR\s+FAMILY|OPERATOR|CAST|ROLE|USER|LANGUAGE|RULE|POLICY|"
    rb"SYNONYM|COLLATION|CONVERSION|SERVER|PUBLICATION|SUBSCRIPTION|STATISTICS|LOGIN|TEXT\s+SEARCH\s+\w+|\w+)\b\s*"
    rb"(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>" + _PATH + rb")?",
    _FLAGS,
)
_ALTER = re.compile(
    rb"ALTER\s+(?P<what>TABLE|VIEW|MATERIALIZED\s+VIEW|INDEX|FUNCTION|PROCEDURE|AGGREGATE|TRIGGER|TYPE|DOMAIN|SEQUENCE|"
    rb"SCHEMA|DATABASE|\w+)\s+(?:IF\s+EXISTS\s+)?(?:ONLY\s+)?(?P<name>" + _PATH + rb")\s*(?P<rest>.{0,200})",
    _FLAGS,
)
_DROP = re.compile(
    rb"DROP\s+(?:TEMPORARY\s+|MATERIALIZED\s+)?(?P<what>\w+)\s+(?:IF\s+EXISTS\s+)?(?P<name>" + _PATH + rb")?", _FLAGS
)
_COMMENT_ON = re.compile(rb"COMMENT\s+ON\s+(?P<what>\w+)\s+(?P<name>" + _PATH + rb")", _FLAGS)
_LOCK = re.compile(rb"LOCK\s+TABLES\s+(?P<name>" + _PATH + rb")\s+WRITE", _FLAGS)
_IDENTITY = re.compile(rb"SET\s+IDENTITY_INSERT\s+(?P<name>" + _PATH + rb")", _FLAGS)
_ON = re.compile(rb"\sON\s+(?:ONLY\s+)?(?P<name>" + _PATH + rb")", _FLAGS)
_KEYS = re.compile(rb"(?:DISABLE|ENABLE)\s+KEYS", _FLAGS)
_CONSTRAINT = re.compile(rb"(?:WITH\s+(?:NO)?CHECK\s+)?(?:ADD|CHECK|MODIFY)\b", _FLAGS)
_ATTACH = re.compile(rb"ATTACH\s+PARTITION", _FLAGS)
_WORD = re.compile(rb"\w+")
_ROUTINES = {"function", "procedure", "trigger", "event", "package", "package body", "type body"}
_GROUPED = {
    "index": "indexes", "sequence": "sequences", "extension": "extensions", "schema": "schemas", "database": "databases",
    "role": "roles", "user": "users", "login": "users", "operator": "operators", "cast": "casts", "rule": "rules",
    "policy": "policies", "synonym": "synonyms", "domain": "types", "type": "types", "language": "extensions",
    "operator class": "operators", "operator family": "operators", "statistics": "statistics", "server": "servers",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Head:
    """What a statement is.

    `group` is what it is listed under: "table", "data", "function", "view", "indexes" …; `subject` the name that goes with
    it where that has a section of its own; `table` the table it is about. `weak` statements (settings, locks) stay with
    what is around them. For an INSERT, `prefix` is its length up to the first row, `has_columns` whether columns are named.
    """

    group: str
    subject: str = ""
    table: str = ""
    weak: bool = False
    defines: bool = False
    is_copy: bool = False
    is_insert: bool = False
    has_columns: bool = False
    prefix: int = 0
    compound: bool = False
    label: str = ""


def strip_leading(text: bytes, hashes: bool) -> bytes:
    """The statement without white space and remarks before it."""
    match = (_LEADING_HASH if hashes else _LEADING).match(text)
    text = text[match.end() :] if match else text
    return b"" if _OPEN_REMARK.match(text) else text


def plain_name(raw: bytes, encoding: str = "utf-8") -> str:
    """A name as people say it: `public.actor`, without quotes and brackets."""
    text = re.sub(rb'["`\[\]]', b"", raw)
    return re.sub(r"\s*\.\s*", ".", text.decode(encoding, "replace")).strip()


def classify(text: bytes, encoding: str = "utf-8") -> Head:
    """What the statement is that begins with `text` (at most a few kilobytes, remarks before it taken off)."""
    head = _of(text, encoding)
    if head.group == "statements" and text.startswith(b"/*"):
        inner = _CONDITIONAL.sub(b" ", text).strip()
        head = _of(inner, encoding) if inner else Head("settings", weak=True)
    return head


@lru_cache(maxsize=256)
def _of(text: bytes, encoding: str) -> Head:
    word_match = _WORD.match(text)
    word = word_match.group().upper() if word_match else b""
    if word in (b"INSERT", b"REPLACE"):
        match = _INSERT.match(text)
        if match:
            name = plain_name(match["name"], encoding)
            has_values = match["values"] is not None
            prefix = match.end() if has_values else 0
            return Head(
                "data", name, name, is_insert=has_values, has_columns=match["columns"] is not None, prefix=prefix
            )
    if word == b"COPY" and (match := _COPY.match(text)):
        name = plain_name(match["name"], encoding)
        return Head("data", name, name, is_copy=True)
    if word == b"CREATE" and (match := _CREATE.match(text)):
        return _created(text, match, encoding)
    if word == b"ALTER" and (match := _ALTER.match(text)):
        return _altered(match, encoding)
    if word == b"DROP" and (match := _DROP.match(text)):
        what = match["what"].decode().lower()
        name = plain_name(match["name"] or b"", encoding)
        return Head("drops", label=name)
    if word == b"COMMENT" and (match := _COMMENT_ON.match(text)):
        what, name = match["what"].decode().lower(), plain_name(match["name"], encoding)
        if what in ("table", "column"):
            table = name.rpartition(".")[0] if what == "column" else name
            return Head("table", table, table, label=name)
        return Head("comments", weak=True, label=name)
    if word == b"LOCK" and (match := _LOCK.match(text)):
        name = plain_name(match["name"], encoding)
        return Head("data", name, name)
    if word == b"SET" and (match := _IDENTITY.match(text)):
        name = plain_name(match["name"], encoding)
        return Head("data", name, name)
    if word in (b"SET", b"USE", b"UNLOCK", b"BEGIN", b"START", b"COMMIT", b"PRAGMA", b"GO", b"PRINT", b"END", b"LOCK"):
        return Head("settings", weak=True, compound=word == b"BEGIN")
    if word in (b"GRANT", b"REVOKE", b"DENY"):
        return Head("grants", label=text[:80].decode(encoding, "replace"))
    if word == b"SELECT" and re.match(rb"SELECT\s+(?:pg_catalog\.)?set(?:val|_config)", text, _FLAGS):
        is_value = b"setval" in text[:40].lower()
        return Head("sequence values" if is_value else "settings", weak=not is_value)
    return Head("statements", label=text[:100].decode(encoding, "replace"), compound=word == b"DECLARE")


def _created(text: bytes, match: re.Match[bytes], encoding: str) -> Head:
    what = re.sub(r"\s+", " ", match["what"].decode("latin-1").lower())
    what = "procedure" if what == "proc" else what
    name = plain_name(match["name"] or b"", encoding)
    if what == "table":
        return Head("table", name, name, defines=True, label=name)
    if what == "view":
        return Head("view", name, defines=True, compound=False, label=name)
    if what in _ROUTINES:
        group = "function" if what == "function" else what.replace(" body", "")
        table = ""
        if what == "trigger" and (on := _ON.search(text[match.end() : match.end() + 2000])):
            table = plain_name(on["name"], encoding)
        arguments = _arguments(text[match.end() :], encoding) if what in ("function", "procedure") else ""
        shown = name + arguments
        return Head(group, shown, table, defines=True, compound=True, label=shown)
    if what == "index":
        on = _ON.search(text[match.start() : match.start() + 2000])
        return Head("indexes", "", plain_name(on["name"], encoding) if on else "", defines=True, label=name)
    return Head(_GROUPED.get(what, "statements"), defines=True, label=name)


def _arguments(text: bytes, encoding: str) -> str:
    """The list of arguments behind a routine's name, if it is short."""
    text = text.lstrip()
    if not text.startswith(b"("):
        return ""
    depth = 0
    for index, code in enumerate(text[:400]):
        depth += (code == 0x28) - (code == 0x29)
        if not depth:
            shown = re.sub(r"\s+", " ", text[: index + 1].decode(encoding, "replace"))
            return "(" + shown[1:-1].strip() + ")"
    return "(…)"


def _altered(match: re.Match[bytes], encoding: str) -> Head:
    what = match["what"].decode("latin-1").lower()
    name, rest = plain_name(match["name"], encoding), match["rest"]
    if what == "table":
        if _KEYS.match(rest):
            return Head("data", name, name)
        if _CONSTRAINT.match(rest):
            return Head("constraints", "", name, label=name)
        if _ATTACH.match(rest):
            return Head("partitions", "", name, label=name)
        return Head("table", name, name, label=name)
    if what in ("function", "procedure", "aggregate"):
        return Head("function", name, label=name, weak=True)
    if what in ("view", "materialized view"):
        return Head("view", name, label=name)
    if what in ("schema", "database"):
        return Head("settings", weak=True)
    return Head(_GROUPED.get(what, "statements"), label=name, weak=what in ("type", "domain"))


_SKIP = re.compile(
    rb"'(?:[^']|'')*'|--[^\r\n]*|/\*.*?\*/|\"[^\"]*\"|`[^`]*`|\$\$.*?\$\$|(?P<word>\b(?:BEGIN|CASE|END|ATOMIC|LOOP|REPEAT|IF|WHILE|FOR)\b"
    rb"(?:\s+(?:IF|LOOP|CASE|WHILE|REPEAT|TRANSACTION|TRAN)\b)?)",
    _FLAGS,
)


def open_blocks(text: bytes) -> int:
    """How many more BEGIN … END and CASE … END blocks are opened than closed in a part of a routine's text."""
    depth = 0
    for match in _SKIP.finditer(text):
        word = re.sub(rb"\s+", b" ", (match["word"] or b"").upper())
        if word in (b"BEGIN", b"CASE"):
            depth += 1
        elif word in (b"END", b"END CASE"):
            depth -= 1
    return depth


_ITEM = re.compile(rb"\s*(?:--[^\r\n]*[\r\n]\s*|/\*.*?\*/\s*)*(?P<name>" + _NAME + rb")", re.DOTALL)
_PUNCTUATION = re.compile(rb"[(),]|'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|--[^\r\n]*|/\*.*?\*/", re.DOTALL)
_NO_COLUMNS = {
    "primary", "key", "unique", "constraint", "foreign", "check", "index", "fulltext", "spatial", "exclude", "like", "period",
}  # fmt: skip


def column_names(text: bytes, encoding: str = "utf-8") -> list[str]:
    """The columns that a CREATE TABLE names, in order."""
    opened = text.find(b"(")
    if opened < 0:
        return []
    names, depth, start = [], 0, opened
    for match in _PUNCTUATION.finditer(text, opened, 64 << 10):
        mark = match.group()
        if mark == b"(":
            depth += 1
            start = match.end() if depth == 1 else start
        elif (mark == b"," and depth == 1) or mark == b")":
            depth -= mark == b")"
            if depth == 0 or mark == b",":
                item = _ITEM.match(text, start, match.start())
                if item and plain_name(item["name"]).lower() not in _NO_COLUMNS:
                    names.append(plain_name(item["name"], encoding))
                start = match.end()
            if depth == 0:
                break
    return names
