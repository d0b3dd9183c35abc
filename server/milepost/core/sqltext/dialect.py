"""Whose SQL a text is, as far as that decides where its statements end; and whether a text is SQL at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from milepost.core.formats.base import Sample
from milepost.core.sqltext.lexer import Rules

_FLAGS = re.IGNORECASE | re.MULTILINE
_SIGNS: dict[str, tuple[re.Pattern[bytes], ...]] = {
    "mysql": tuple(
        re.compile(sign, _FLAGS)
        for sign in (
            rb"^\s*(?:INSERT INTO|CREATE TABLE(?: IF NOT EXISTS)?|DROP TABLE IF EXISTS|LOCK TABLES) `",
            rb"\bENGINE\s*=", rb"/\*!\d{5}", rb"\b(?:MySQL|MariaDB) dump", rb"\bAUTO_INCREMENT\b",
            rb"^\s*delimiter\s+\S+\s*$",
        )
    ),
    "postgresql": tuple(
        re.compile(sign, _FLAGS)
        for sign in (
            rb"PostgreSQL database dump", rb"^COPY .* FROM stdin;", rb"\bOWNER TO\b", rb"\bpg_catalog\b",
            rb"\$[a-z_]*\$", rb"::[a-z]", rb"\bLANGUAGE '?(?:plpgsql|sql|c)\b",
        )
    ),
    "sqlserver": tuple(
        re.compile(sign, _FLAGS)
        for sign in (
            rb"^GO\s*$", rb"\[dbo\]\.", rb"\bIDENTITY\s*\(", rb"\bIDENTITY_INSERT\b", rb"\bNVARCHAR\b", rb"[(,=\s]N'",
        )
    ),
    "oracle": tuple(
        re.compile(sign, _FLAGS)
        for sign in (rb"^/[ \t]*\r?$", rb"\bVARCHAR2\b", rb"\bNUMBER\s*\(", rb"^\s*(?:REM|PROMPT)\b", rb"\bto_date\s*\(")
    ),
    "sqlite": tuple(
        re.compile(sign, _FLAGS)
        for sign in (
            rb"^PRAGMA ", rb"\bsqlite_sequence\b", rb"\bAUTOINCREMENT\b", rb"^BEGIN TRANSACTION;", rb"\bWITHOUT ROWID\b",
        )
    ),
}  # fmt: skip
_SIGN_BYTES = 48 << 10
_GO = re.compile(rb"^[ \t]*GO[ \t]*\r?$", _FLAGS)
_SLASH = re.compile(rb"^/[ \t]*\r?$", re.MULTILINE)
_STATEMENT = re.compile(
    rb"^\s*(?:/\*!\d+\s+)?(?:(?:INSERT|REPLACE)\s+(?:IGNORE\s+|OR\s+\w+\s+)?(?:INTO\s+)?[`\"\[\w.]+|"
    rb"CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+|UNIQUE\s+|UNLOGGED\s+|MATERIALIZED\s+|VIRTUAL\s+|DEFINER\s*=\s*\S+\s+)*"
    rb"(?:TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|TYPE|SCHEMA|DATABASE|SEQUENCE|EXTENSION|DOMAIN|AGGREGATE|OPERATOR|CAST)\b|"
    rb"ALTER\s+(?:TABLE|SEQUENCE|DATABASE|FUNCTION|VIEW|TYPE)\s+[`\"\[\w.]+|"
    rb"DROP\s+(?:TABLE|VIEW|DATABASE|SCHEMA|INDEX|FUNCTION|PROCEDURE|TRIGGER)\b|COPY\s+[\w.\"]+\s*(?:\(.*\)\s*)?FROM\s+stdin|"
    rb"SET\s+[@\w. ]+(?:=|\bTO\b|\bON\b|\bOFF\b)|PRAGMA\s+\w+|LOCK\s+TABLES\s|BEGIN(?:\s+TRANSACTION)?;|"
    rb"COMMENT\s+ON\s+(?:TABLE|COLUMN|FUNCTION)\s|GRANT\s+\w+.*\sON\s|"
    rb"UPDATE\s+\S+\s+SET\s|DELETE\s+FROM\s+\S+|SELECT\s+.*(?:\bFROM\b|;\s*$)|USE\s+[`\"\[\w]+\s*;)",
    _FLAGS,
)
_STRONG = re.compile(
    rb"^\s*(?:CREATE\s+(?:TEMP(?:ORARY)?\s+|UNLOGGED\s+)?TABLE\b|INSERT\s+INTO\b|COPY\s+[\w.\"]+.*FROM\s+stdin;|"
    rb"CREATE\s+(?:OR\s+REPLACE\s+)?(?:FUNCTION|PROCEDURE|VIEW)\b|-- (?:PostgreSQL|MySQL|MariaDB) (?:database )?dump|"
    rb"INSERT\s+\[|DROP\s+(?:TABLE|DATABASE|VIEW)\b)",
    _FLAGS,
)
_REMARK = re.compile(rb"^\s*(?:--|/\*|\*|#|$)")
_FOREIGN = re.compile(rb"^\s*(?:[{<\[]|#include|import |package |def |class |<\?php|diff |@@ |function\b.*\{)")


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """A dialect's name, what may hide text in it, and which lines end a statement: `GO` (SQL Server), `/` (Oracle)."""

    name: str
    rules: Rules
    go_lines: bool = False
    slash_lines: bool = False


def dialect_of(head: bytes) -> SqlDialect:
    """The dialect of a text, from its head."""
    head = head[:_SIGN_BYTES]
    # The first sign of each is one that hardly any other uses.
    scores = {
        name: sum(min(3, len(sign.findall(head))) * (3 if index == 0 else 1) for index, sign in enumerate(signs))
        for name, signs in _SIGNS.items()
    }
    best = max(scores, key=lambda name: scores[name])
    name = best if scores[best] else "sql"
    is_mysql = name == "mysql"
    return SqlDialect(
        name,
        Rules(backslashes=is_mysql, hashes=is_mysql, dollars=name in ("postgresql", "sql")),
        go_lines=name == "sqlserver" or bool(_GO.search(head)),
        slash_lines=name == "oracle" and bool(_SLASH.search(head)),
    )


def sql_score(sample: Sample) -> float:
    """How sure it is that a text is SQL, 0 to 1: statements begin lines, and not just a word of prose or of a program."""
    head = sample.head[:_SIGN_BYTES]
    lines = [line for line in sample.lines[:400] if not _REMARK.match(line)]
    if not lines or _FOREIGN.match(lines[0]):
        return 0.0
    starts = len(_STATEMENT.findall(head))
    if not starts or not _STRONG.search(head):
        return 0.0
    first = next((index for index, line in enumerate(lines) if _STATEMENT.match(line)), -1)
    if first < 0 or first > 12:
        return 0.0
    ended = (
        head.count(b";\n")
        + head.count(b";\r")
        + len(_GO.findall(head))
        + (sample.whole and head.rstrip().endswith(b";"))
    )
    # A dump may be one statement of a million characters; a log that quotes a statement has words before it.
    if first == 0 and (ended or len(sample.lines) < 3 or starts >= 3):
        return 0.95
    return 0.85 if ended >= 2 and starts >= 2 else 0.5 if ended or starts >= 3 else 0.0
