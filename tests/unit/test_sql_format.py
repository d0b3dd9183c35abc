"""SQL: what hides text, where statements end, tables with their rows, routines whole, and the rows of a section listed."""

from __future__ import annotations

import re
import sqlite3
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import lines_of

from milepost.core.analysis import Analysis, Options
from milepost.core.formats.base import Sample
from milepost.core.formats.sql import FORMAT, SqlScanner
from milepost.core.outline import Outline, Section, walk
from milepost.core.scan import Block, Context, End, Findings
from milepost.core.source import BytesSource
from milepost.core.sqltext.lexer import Lexer, Rules
from milepost.core.sqltext.statements import classify, column_names
from milepost.core.tables.bits import places


def analysis_of(text: str | bytes) -> Analysis:
    data = text.encode() if isinstance(text, str) else text
    return Analysis(BytesSource("dump.sql", data), Options(format="sql"))


def outline_of(text: str | bytes) -> Outline:
    return analysis_of(text).outline()


def titles(text: str) -> list[str]:
    return [section.title for section in outline_of(text).sections]


def rows_by_table(outline: Outline) -> dict[str, int]:
    return dict(outline.stats["rows_by_table"])


# --- what hides text ------------------------------------------------------------------------------------------------

MYSQL, POSTGRESQL, OTHER = Rules(True, True, False), Rules(False, False, True), Rules(False, False, False)


@pytest.mark.parametrize(
    ("rules", "text", "visible"),
    [
        (OTHER, "a;'b;c';d", "a;;d"),
        (OTHER, "'it''s;';", ";"),
        (OTHER, "-- it's;\nx;", "\nx;"),
        (OTHER, "/* it's; */x;", "x;"),
        (OTHER, "'C:\\';x", ";x"),
        (MYSQL, "'it\\'s;';x", ";x"),
        (MYSQL, "'a\\\\';x", ";x"),
        (MYSQL, '"it\'s;", "that\'s;";x', ", ;x"),
        (MYSQL, "# it's;\nx;", "\nx;"),
        (MYSQL, "`a;b`;`c`", ";"),
        (MYSQL, "x # y;", "x # y;"),
        (POSTGRESQL, "$$it's;$$;x", ";x"),
        (POSTGRESQL, "$a$ $$;$$ ; $b$ $a$;x", ";x"),
        (POSTGRESQL, "E'it\\'s;';x", "E;x"),
        (POSTGRESQL, "price $5;'$$';x", "price $5;;x"),
        (POSTGRESQL, '"a;b" "c";x', " ;x"),
        (OTHER, "'--' ; '/*' ; x", " ;  ; x"),
        (OTHER, "'open; ", ""),
    ],
)
def test_what_is_hidden(rules: Rules, text: str, visible: str) -> None:
    data = text.encode()
    hidden = set(places(Lexer(rules).hidden(data, np.frombuffer(data, np.uint8)), len(data)).tolist())
    shown = bytes(code for place, code in enumerate(data) if place not in hidden)
    # Whether the mark that closes is hidden does not matter: it structures nothing.
    assert re.sub(rb"['\"`]", b"", shown).decode() == visible


TOKENS = {
    "all": ["'a'", "'it''s;'", "'say \"hi;'", "'x` ;'", "--it's;\n", "/* don't ; */", "\n", ";", ";", "a", "(",
            '"x"', '"x y"',
            "`y`", "'--'", "'/*'", "- 1"],
    "mysql": ["'it\\'s;'", "'a\\\\'", '"it\'s;"', '"a\\";"', "\n#it's\n"],
    "postgresql": ["$$it's;$$", "$t$ ; $$ it's $t$", "E'it\\';s'", "'C:\\'"],
}  # fmt: skip
PATTERNS = {
    "mysql": rb"--[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"|`[^`]*`|(?<![^\n])#[^\n]*|'(?:\\.|[^'\\])*'",
    "postgresql": rb"--[^\n]*|/\*.*?\*/|\"[^\"]*\"|`[^`]*`|(\$[a-z]*\$).*?\1|\bE'(?:\\.|[^'\\])*'|'[^']*'",
}


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["mysql", "postgresql"]), st.data(), st.lists(st.integers(0, 99), max_size=3))
def test_ends_of_statements_are_those_of_a_plain_tokenizer(name: str, drawn: st.DataObject, cuts: list[int]) -> None:
    tokens = drawn.draw(st.lists(st.sampled_from(TOKENS["all"] + TOKENS[name]), max_size=40))
    data = " ".join(tokens).encode()
    plain = re.sub(PATTERNS[name], lambda match: b"." * len(match.group()), data, flags=re.DOTALL)
    lexer = Lexer(MYSQL if name == "mysql" else POSTGRESQL)
    lines = lines_of(data)
    bounds = sorted({cut % (len(lines) + 1) for cut in cuts} | {0, len(lines)})
    shown = b""
    for low, high in pairwise(bounds):
        piece = b"".join(lines[low:high])
        hidden = set(places(lexer.hidden(piece, np.frombuffer(piece, np.uint8)), len(piece)).tolist())
        shown += bytes(0 if place in hidden else code for place, code in enumerate(piece))
    assert [i for i, code in enumerate(shown) if code == 0x3B] == [i for i, code in enumerate(plain) if code == 0x3B]


# --- what statements are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "group", "subject", "table"),
    [
        ('CREATE TABLE public."Foo bar" (a int);', "table", "public.Foo bar", "public.Foo bar"),
        ("CREATE TABLE IF NOT EXISTS `a`.`b` (c int)", "table", "a.b", "a.b"),
        ("CREATE TEMPORARY TABLE x AS SELECT 1", "table", "x", "x"),
        ("INSERT INTO `a` (`b`,`c`) VALUES (1,2)", "data", "a", "a"),
        ("INSERT [dbo].[T] ([a]) VALUES (1)", "data", "dbo.T", "dbo.T"),
        ("INSERT OR IGNORE INTO t SELECT 1", "data", "t", "t"),
        ("COPY public.t (a, b) FROM stdin;", "data", "public.t", "public.t"),
        ("/*!40000 ALTER TABLE `a` DISABLE KEYS */", "data", "a", "a"),
        ("LOCK TABLES `a` WRITE", "data", "a", "a"),
        ("SET IDENTITY_INSERT [dbo].[T] ON", "data", "dbo.T", "dbo.T"),
        ("CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(IN a INT)\nBEGIN", "procedure", "p(IN a INT)", ""),
        (
            "/*!50003 CREATE*/ /*!50017 DEFINER=`r`@`l`*/ /*!50003 TRIGGER `x` BEFORE INSERT ON `f` ",
            "trigger",
            "x",
            "f",
        ),
        ("CREATE OR REPLACE FUNCTION f(a int) RETURNS int", "function", "f(a int)", ""),
        ("CREATE OR REPLACE FORCE VIEW v AS SELECT 1", "view", "v", ""),
        ("CREATE UNIQUE INDEX i ON ONLY public.a USING btree (x)", "indexes", "", "public.a"),
        ("ALTER TABLE ONLY public.a ADD CONSTRAINT x PRIMARY KEY (b)", "constraints", "", "public.a"),
        ("COMMENT ON COLUMN public.a.b IS 'x'", "table", "public.a", "public.a"),
        ("SELECT pg_catalog.setval('a', 1)", "sequence values", "", ""),
        ("SET x = 1", "settings", "", ""),
    ],
)
def test_first_words(text: str, group: str, subject: str, table: str) -> None:
    head = classify(text.encode())
    assert (head.group, head.subject, head.table) == (group, subject, table)


def test_columns_of_a_definition() -> None:
    text = b"CREATE TABLE t (a int, -- it's, b\n  `b c` numeric(3,2) DEFAULT 'x,y', PRIMARY KEY (a), \"d\" int);"
    assert column_names(text) == ["a", "b c", "d"]


# --- dumps ----------------------------------------------------------------------------------------------------------

POSTGRESQL_DUMP = """--
-- PostgreSQL database dump
--

SET client_encoding = 'UTF8';

--
-- Name: t; Type: TABLE; Schema: public
--

CREATE TABLE public.t (
    id integer NOT NULL,
    note text
);

ALTER TABLE public.t OWNER TO me;

CREATE FUNCTION public.f(a integer) RETURNS text LANGUAGE plpgsql AS $_$
BEGIN -- it's;
  RETURN 'CREATE TABLE nothing (a int);';
END; $_$;

--
-- Data for Name: t; Type: TABLE DATA
--

COPY public.t (id, note) FROM stdin;
1\tit's; CREATE TABLE x (a int);
2\t$$
3\tback\\\\slash
\\.

ALTER TABLE ONLY public.t
    ADD CONSTRAINT t_pkey PRIMARY KEY (id);
"""


def test_a_dump_of_postgresql() -> None:
    outline = outline_of(POSTGRESQL_DUMP)
    assert [(section.title, section.start_line, section.end_line) for section in outline.sections] == [
        ("settings", 1, 5),
        ("table public.t", 6, 16),
        ("function public.f(a integer)", 17, 21),
        ("data public.t: 3 rows", 22, 31),
        ("constraints", 32, 34),
    ]
    table, data = outline.sections[1], outline.sections[3]
    assert table.facts == {
        "statements": 2, "table": "public.t", "columns": ["id", "note"], "ddl_line": 6, "data_line": 22, "rows": 3,
    }  # fmt: skip
    assert (data.facts["ddl_line"], data.facts["rows"], data.count) == (6, 3, 3)
    assert (outline.stats["dialect"], outline.stats["tables"]) == ("postgresql", 1)
    assert not outline.problems


MYSQL_DUMP = """-- MySQL dump 10.13
/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS `a`;
/*!40101 SET x = 1 */;
CREATE TABLE `a` (
  `id` int NOT NULL, -- it's
  `v` varchar(9) DEFAULT 'x;y',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
LOCK TABLES `a` WRITE;
/*!40000 ALTER TABLE `a` DISABLE KEYS */;
INSERT INTO `a` VALUES (1,'it\\'s; ),('),(2,'CREATE TABLE `b` (x int);'),(3,concat('a','b'));
/*!40000 ALTER TABLE `a` ENABLE KEYS */;
UNLOCK TABLES;
DELIMITER ;;
CREATE TRIGGER `t1` BEFORE INSERT ON `a` FOR EACH ROW BEGIN
  SET NEW.v = 'x;';
  INSERT INTO b VALUES (1);
END ;;
DELIMITER ;
CREATE VIEW v AS SELECT 1;
"""


def test_a_dump_of_mysql() -> None:
    outline = outline_of(MYSQL_DUMP)
    assert [(section.title, section.start_line, section.end_line) for section in outline.sections] == [
        ("settings", 1, 2),
        ("table a", 3, 9),
        ("data a: 3 rows", 10, 14),
        ("trigger t1", 15, 19),
        ("view v", 20, 21),
    ]
    assert outline.sections[3].facts["table"] == "a"


def test_batches_of_sql_server() -> None:
    text = (
        "USE [x]\nGO\nCREATE TABLE [dbo].[a] (\n[id] int IDENTITY(1,1)\n)\nGO\nSET IDENTITY_INSERT [dbo].[a] ON\n"
        "INSERT [dbo].[a] ([id]) VALUES (1)\nINSERT [dbo].[a] ([id]) VALUES (2)\nGO\nINSERT [dbo].[a] ([id]) VALUES (3)\n"
        "SET IDENTITY_INSERT [dbo].[a] OFF\nGO\nCREATE PROCEDURE [dbo].[p] AS\nBEGIN\nINSERT [dbo].[a] ([id]) VALUES (4);\n"
        "SELECT 1;\nEND\nGO\n"
    )
    assert titles(text) == ["settings", "table dbo.a", "data dbo.a: 3 rows", "procedure dbo.p"]


def test_blocks_of_oracle() -> None:
    text = (
        "CREATE TABLE a (x VARCHAR2(9), n NUMBER(3));\nCREATE OR REPLACE PACKAGE BODY p AS\n  PROCEDURE q IS BEGIN NULL; "
        "END;\n"
        "END p;\n/\nBEGIN\n  p.q;\nEND;\n/\nINSERT INTO a VALUES ('it''s', 1);\n"
    )
    assert titles(text)[:2] == ["table a", "package p"]
    assert rows_by_table(outline_of(text)) == {"a": 1}
    assert outline_of(text).sections[1].end_line == 9


def test_a_trigger_of_sqlite_is_whole() -> None:
    text = (
        "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE a(x);\n"
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n UPDATE a SET x = CASE WHEN x THEN 1 ELSE 2 END;\n DELETE FROM a;\nEND;\n"
        "INSERT INTO a VALUES(1);\nCOMMIT;\n"
    )
    sections = outline_of(text).sections
    assert [(section.title, section.start_line, section.end_line) for section in sections] == [
        ("settings (2)", 1, 2),
        ("table a", 3, 3),
        ("trigger t", 4, 7),
        ("data a: 1 row", 8, 9),
    ]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("INSERT INTO t VALUES (1),(2),(3);\n", 3),
        ("INSERT INTO t (a, b) VALUES\n(1, f(2)),\n(2, (3));\n", 2),
        ("INSERT INTO t (a)\nVALUES (1) ON CONFLICT (a) DO UPDATE SET b = (2);\n", 1),
        ("INSERT INTO t (a) VALUES (1),(2) ON DUPLICATE KEY UPDATE a=VALUES(a);\n", 2),
        ("INSERT INTO t VALUES ('),(');\n", 1),
        ("REPLACE INTO t VALUES (1) , (2)\n,\n(3);\n", 3),
        ("INSERT INTO t VALUES (1);\n" * 3000, 3000),
        ("INSERT INTO t (a) VALUES (1);\nINSERT INTO t (a) VALUES (2),(3);\n" * 40, 120),
        ("INSERT INTO t SELECT (1);\n", 0),
    ],
)
def test_rows_of_inserts(text: str, rows: int) -> None:
    outline = outline_of("CREATE TABLE t (a int);\n" + text)
    assert outline.stats["rows"] == rows
    assert outline.stats["tables"] == 1


def test_an_insert_of_a_million_characters() -> None:
    """On one line, in pieces: rows are exact, and what stands in strings is no table."""
    row = "({i},'it''s; CREATE TABLE x (a int);'),"
    text = (
        "INSERT INTO big VALUES "
        + "".join(row.format(i=i) for i in range(150_000))[:-1]
        + ";\nCREATE TABLE y (a int);\n"
    )
    assert len(text) > 5 << 20
    outline = outline_of(text)
    assert [section.title for section in outline.sections] == ["data big: 150,000 rows", "table y"]
    assert (outline.sections[0].start_line, outline.sections[0].end_line) == (1, 1)


def test_rows_on_one_line_are_told_apart_by_columns() -> None:
    """Also in a line that comes in pieces; columns count UTF-16 units."""
    rows = [f"({i},'é🌍 {i} {'x' * 40}')" for i in range(80_000)]
    text = "INSERT INTO t VALUES " + ",".join(rows) + ";\n"
    analysis = analysis_of(text)
    section = analysis.outline().sections[0]
    groups = analysis.expand(section)
    inside = analysis.expand(groups[-1])
    assert (inside[0].start_byte, inside[-1].end_byte) == (groups[-1].start_byte, section.end_byte)
    single = analysis.expand(inside[3])[2]
    number = int(single.facts["first"])
    assert single.digest.startswith(rows[number - 1][:20])
    before = text.encode()[: single.start_byte].decode()
    assert single.start_column == len(before.encode("utf-16-le")) // 2


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("CREATE TABLE a (x int);\nINSERT INTO a VALUES ('open;\nmore;\n", "it ends inside a string", 2),
        ("CREATE TABLE a (x int);\nCREATE FUNCTION f() AS $$ BEGIN\n", "it ends inside a dollar-quoted body", 2),
        ("CREATE TABLE a (x int);\nCREATE TABLE b (y int,\n", "cut off inside brackets", 2),
        ("CREATE TABLE a (x int);\nCOPY a FROM stdin;\n1\n2\n", "not ended by \\.", 4),
    ],
)
def test_a_broken_end_is_named(text: str, message: str, line: int) -> None:
    outline = outline_of(text)
    (problem,) = outline.problems
    assert message in problem.message
    assert problem.line == line
    assert outline.sections[-1].end_line == text.count("\n")


@pytest.mark.parametrize(
    ("text", "is_sql"),
    [
        (POSTGRESQL_DUMP, True),
        (MYSQL_DUMP, True),
        ("INSERT INTO a VALUES (1),\n(2);\n", True),
        ("2024-05-06 07:08:09 INFO executed: INSERT INTO a VALUES (1);\n" * 20, False),
        ("We create table settings.\nInsert into the slot, then drop table leaves.\n" * 5, False),
        ("import x\nSQL = '''\nCREATE TABLE a (b int);\nINSERT INTO a VALUES (1);\n'''\n", False),
        ("", False),
    ],
)
def test_detection(text: str, is_sql: bool) -> None:
    data = text.encode()
    assert (FORMAT.sniff(Sample("x", data, tuple(data.splitlines()), True)) > 0.8) is is_sql


# --- rows listed ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "line", "foot", "noun"),
    [
        ("COPY t (a, b) FROM stdin;\n", "{i}\tname {i}\n", "\\.\n", "row"),
        ("", "INSERT INTO t VALUES ({i}, 'name {i}');\n", "", "statement"),
        ("INSERT INTO t VALUES\n", "({i}, 'name {i}'),\n", "(0, 'last');\n", "row"),
    ],
)
def test_rows_are_listed_when_a_section_is_expanded(head: str, line: str, foot: str, noun: str) -> None:
    count = 12_000 - (foot.startswith("("))
    text = "CREATE TABLE t (a int);\n" + head + "".join(line.format(i=i) for i in range(1, count + 1)) + foot
    analysis = analysis_of(text)
    section = analysis.outline().sections[1]
    assert section.facts["rows"] == 12_000
    groups = analysis.expand(section)
    assert sum(group.count for group in groups) == 12_000
    assert groups[1].title == f"{noun}s 501–1,000"
    lines = text.splitlines()
    inside = analysis.expand(groups[1])
    (single, *_rest) = analysis.expand(inside[2])
    assert "521" in lines[single.start_line - 1]
    assert single.title == f"{noun} 521"


# --- always ---------------------------------------------------------------------------------------------------------

ODD = [
    b"'a'", b"'it''s;'", b"--it's\n", b"/* ; */", b"\n", b";\n", b";", b"\\.\n", b"COPY t (a) FROM stdin;\n", b"1\t2\n",
    b"INSERT INTO t VALUES (1,'a');\n", b"INSERT INTO t VALUES (1,'a'),\n(2,(3));\n",
    b"INSERT INTO u (a,b) VALUES (1,')(');\n",
    b"CREATE TABLE t (a int,\n b text);\n", b"CREATE FUNCTION f() AS $$ ; begin; $$;\n",
    b"CREATE TRIGGER x BEFORE INSERT ON t BEGIN a; b; END;\n", b"DELIMITER //\n", b"a // \n", b"DELIMITER ;\n", b"GO\n",
    b"/\n",
    b'"', b"`", b"'", b"$$", b"\\'", b"\xff", b"DROP TABLE t;\n", b"SET a=1;\n", b"LOCK TABLES `t` WRITE;\n", b"\r\n", b"\r",
    b"CREATE TABLE `t` (a int) ENGINE=x;\n", b"INSERT [dbo].[x] VALUES (1)\n",
]  # fmt: skip


def scanned(data: bytes, cuts: list[int], resume: Section | None = None) -> Findings:
    """The findings of a text fed in blocks of whole lines."""
    start, first = (resume.start_byte, resume.start_line) if resume else (0, 1)
    parameters = dict(resume.resume or {}) if resume else None
    context = Context(total_bytes=len(data), head=data, start_byte=start, start_line=first, resume=parameters)
    scanner = SqlScanner(context)
    lines = lines_of(data)
    offset = start
    for low, high in pairwise(sorted({cut % (len(lines) + 1) for cut in cuts} | {0, len(lines)})):
        piece = b"".join(lines[low:high])
        scanner.feed(Block(offset, first + low, piece, True, piece.endswith((b"\n", b"\r"))))
        offset += len(piece)
    return scanner.finish(End(offset, first + len(lines) - 1))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(ODD), max_size=40), st.lists(st.integers(0, 99), max_size=3))
def test_any_text_is_covered(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(pieces)
    for findings in (scanned(data, []), scanned(data, cuts)):
        offsets = [section.start_byte for section in findings.sections] + [len(data)]
        assert offsets[0] == 0
        assert [section.end_byte for section in findings.sections] == offsets[1:]
        for section in walk(findings.sections):
            if section.start_column is not None or section.end_column is not None:
                continue
            lines = lines_of(data)[section.start_line - 1 : section.end_line]
            assert data[section.start_byte : section.end_byte] == b"".join(lines)
            if section.resume is not None:
                inside = scanned(data[section.start_byte : section.end_byte], [], section).sections
                assert (inside[0].start_byte, inside[-1].end_byte) == (section.start_byte, section.end_byte)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(ODD), max_size=10), st.lists(st.integers(0, 99), max_size=3))
def test_blocks_make_no_difference(pieces: list[bytes], cuts: list[int]) -> None:
    data = b"".join(piece for piece in pieces if piece not in (b"\\'", b"'", b"`", b'"', b"$$"))
    assert scanned(data, cuts).sections == scanned(data, []).sections


# --- the corpus -----------------------------------------------------------------------------------------------------


def loaded(text: str) -> dict[str, int]:
    """Rows by table once SQLite has run the INSERT statements of a script, slightly changed where its dialect differs."""
    text = re.sub(r"/\*!\d+(.*?)\*/", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"\b0x[0-9A-Fa-f]+", "NULL", text).replace("N'", "'").replace("\\'", "''").replace("\\\\", "")
    database = sqlite3.connect(":memory:")
    rows: dict[str, int] = {}
    try:
        pending: list[str] = []
        for line in text.splitlines(keepends=True):
            pending.append(line)
            if not line.rstrip().endswith(";"):
                continue
            statement = "".join(pending)
            if statement.count("'") % 2:
                continue
            pending.clear()
            match = re.search(r"^INSERT INTO\s+([`\w.\[\]]+).*?(VALUES.*)", statement, re.DOTALL | re.MULTILINE)
            if match:
                name = re.sub(r"[`\[\]]", "", match[1]).removeprefix("dbo.")
                (count,) = database.execute(f"SELECT count(*) FROM ({match[2].rstrip().rstrip(';')})").fetchone()
                rows[name] = rows.get(name, 0) + count
    finally:
        database.close()
    return rows


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    ["sakila/sakila-mv-data.sql", "chinook/Chinook_MySql.sql", "chinook/Chinook_SqlServer.sql",
     "employees-test_db/load_departments.dump", "employees-test_db/load_dept_manager.dump"],
)  # fmt: skip
def test_rows_are_those_of_the_loaded_database(corpus: Path, name: str) -> None:
    data = (corpus / name).read_bytes()
    found = {table.removeprefix("dbo."): rows for table, rows in rows_by_table(outline_of(data)).items()}
    expected = loaded(data.decode("utf-8", "replace"))
    assert sum(expected.values()) > 5
    assert found == expected


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    ["pagila-schema/pagila-schema.sql", "pagila-schema/pagila-schema-jsonb.sql", "sakila/sakila-mv-schema.sql",
     "employees-test_db/employees.sql", "chinook/Chinook_MySql.sql"],
)  # fmt: skip
def test_every_table_and_routine_of_a_schema_is_found(corpus: Path, name: str) -> None:
    """As many as lines that begin with their CREATE: in these files all do, and none stands in a body."""
    data = (corpus / name).read_bytes()
    outline = outline_of(data)
    for kind, pattern in (
        ("table", rb"(?m)^CREATE TABLE [^\s(]+"),
        ("trigger", rb"(?m)^CREATE TRIGGER"),
        ("view", rb"(?m)^CREATE (?:OR REPLACE )?(?:\w+=\S+ |SQL SECURITY \w+ |MATERIALIZED )*VIEW"),
        ("function", rb"(?m)^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE)"),
    ):
        found = sum(section.kind == kind for section in outline.sections)
        assert found == len(re.findall(pattern, data)), kind
