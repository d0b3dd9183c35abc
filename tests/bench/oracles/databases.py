"""SQL dumps against databases that were loaded with them, SQLite's and PostgreSQL's, and against their own text."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from milepost.core.outline import Outline
from oracles.base import Check, compare, outline_of, outline_of_bytes

_POSTGRES_FOLDERS = "/usr/lib/postgresql/*/bin"
_PORT = "54377"
#: pgbench's scale: so many times 100,000 accounts.
_SCALE = 1
_OBJECTS = {
    "tables": "SELECT count(*) FROM pg_class c {} AND relkind IN ('r', 'p')",
    "views": "SELECT count(*) FROM pg_class c {} AND relkind IN ('v', 'm')",
    "functions": "SELECT count(*) FROM (SELECT pronamespace AS relnamespace FROM pg_proc WHERE prokind <> 'a') c {}",
    "triggers": "SELECT count(*) FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid {} AND NOT tgisinternal"
    " AND tgparentid = 0",
}
#: What Debian's PostgreSQL does not know yet, and what it says instead.
_NEWER = (
    (rb"uuidv7\(\)", b"gen_random_uuid()"),
    (rb"\bVIRTUAL\b", b"STORED"),
    (rb"public\.vector(?:\(20\))?", b"text"),
    (rb"(?m)^(?:CREATE|COMMENT ON) EXTENSION [^;]*vector[^;]*;", b""),
    (rb"(?m)^CREATE INDEX \w+ ON [\w.]+ USING hnsw [^;]*;", b""),
)
_IN_PUBLIC = "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'public'"


def checks(corpus: Path) -> Iterator[Check]:
    """Every comparison of dumps."""
    yield _counted_by_sqlite(corpus)
    yield _dumped_by_sqlite(corpus)
    yield _create_table_lines(corpus)
    yield from _postgres(corpus)


# --- SQLite ---------------------------------------------------------------------------------------------------------


def loaded_rows(text: str) -> dict[str, int]:
    """Rows by table of the INSERT statements of a script, counted by SQLite; what its dialect lacks is taken out."""
    text = re.sub(r"/\*!\d+(.*?)\*/", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"\b0x[0-9A-Fa-f]+", "NULL", text).replace("N'", "'").replace("\\'", "''").replace("\\\\", "")
    database = sqlite3.connect(":memory:")
    rows: dict[str, int] = {}
    pending: list[str] = []
    for line in text.splitlines(keepends=True):
        pending.append(line)
        statement = "".join(pending) if line.rstrip().endswith(";") else ""
        if not statement or statement.count("'") % 2:
            continue
        pending.clear()
        match = re.search(r"^INSERT INTO\s+([`\w.\[\]]+).*?(VALUES.*)", statement, re.DOTALL | re.MULTILINE)
        if match:
            name = re.sub(r"[`\[\]]", "", match[1])
            (count,) = database.execute(f"SELECT count(*) FROM ({match[2].rstrip().rstrip(';')})").fetchone()
            rows[name] = rows.get(name, 0) + count
    database.close()
    return rows


def _counted_by_sqlite(corpus: Path) -> Check:
    cases: list[tuple[str, bool]] = []
    files = 0
    for name in (
        "sakila/sakila-mv-data.sql",
        "chinook/Chinook_MySql.sql",
        "chinook/Chinook_SqlServer.sql",
        "employees-test_db/load_departments.dump",
        "employees-test_db/load_dept_manager.dump",
    ):
        files += 1
        path = corpus / name
        expected = loaded_rows(path.read_text("utf-8", "replace"))
        cases += _by_table(path.name, expected, outline_of(path, "sql"))
    return compare("sql", "SQLite", f"rows of each table of {files} MySQL and SQL Server dumps", cases)


def _by_table(name: str, expected: dict[str, int], outline: Outline) -> Iterator[tuple[str, bool]]:
    """Each table that is in the database or in the outline, with whether both count as many rows."""
    found = {table.split(".")[-1].strip('"'): rows for table, rows in outline.stats["rows_by_table"].items()}
    expected = {table.split(".")[-1]: rows for table, rows in expected.items()}
    for table in sorted(expected | found):
        yield f"{name} {table}", found.get(table, 0) == expected.get(table, 0)


def _dumped_by_sqlite(corpus: Path) -> Check:
    """A database of SQLite made of the tables of airports and airlines, dumped by SQLite."""
    database = sqlite3.connect(":memory:")
    for name in ("airports", "airlines", "planes", "countries"):
        lines = (corpus / "openflights" / f"{name}.dat").read_text("utf-8").splitlines()
        database.execute(f"CREATE TABLE {name} (number INTEGER PRIMARY KEY, line TEXT)")
        database.executemany(f"INSERT INTO {name} VALUES (?, ?)", enumerate(lines))
    database.execute("CREATE VIEW big AS SELECT * FROM airports WHERE line LIKE '%;%'")
    dump = "\n".join(database.iterdump()).encode()
    outline = outline_of_bytes(dump, "sql")
    counted = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    expected = {name: database.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for (name,) in counted}
    database.close()
    cases = [("tables", outline.stats["tables"] == len(expected)), *_by_table("rows of", expected, outline)]
    return compare("sql", "SQLite", "tables and their rows of a dump that SQLite wrote", cases)


def _create_table_lines(corpus: Path) -> Check:
    cases = []
    for name in (
        "pagila-schema/pagila-schema.sql",
        "sakila/sakila-mv-schema.sql",
        "employees-test_db/employees.sql",
        "chinook/Chinook_SqlServer.sql",
    ):
        path = corpus / name
        expected = len(re.findall(rb"(?m)^CREATE TABLE ", path.read_bytes()))
        cases.append((path.name, outline_of(path, "sql").stats["tables"] == expected))
    return compare("sql", "its own lines", "tables of four schemas", cases)


# --- PostgreSQL -----------------------------------------------------------------------------------------------------


class _Server:
    """A PostgreSQL server that runs while it is needed, in a folder of its own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder

    def run(self, program: str, *arguments: str, given: bytes | None = None) -> bytes:
        """What a program of PostgreSQL prints. It runs as `postgres` where this process is root, which it refuses."""
        command = [str(self._programs / program), *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        environment = {**os.environ, "PGHOST": str(self._folder), "PGPORT": _PORT, "LC_ALL": "C.UTF-8"}
        done = subprocess.run(command, cwd=self._folder, env=environment, input=given, capture_output=True, check=False)
        if done.returncode:
            raise SystemExit(f"{program}: {done.stderr.decode('utf-8', 'replace')}")
        return done.stdout

    def number(self, database: str, query: str) -> int:
        """The one number a query gives."""
        return int(self.run("psql", "-X", "-A", "-t", "-d", database, "-c", query))


@contextmanager
def _server(programs: Path) -> Iterator[_Server]:
    with tempfile.TemporaryDirectory(prefix="milepost-oracle-") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        server = _Server(programs, folder)
        data = str(folder / "data")
        server.run("initdb", "-D", data, "-A", "trust", "--no-sync")
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -p {_PORT} -c fsync=off"
        server.run("pg_ctl", "-D", data, "-l", str(folder / "log"), "-w", "-o", options, "start")
        try:
            yield server
        finally:
            server.run("pg_ctl", "-D", data, "-m", "immediate", "stop")


def _postgres(corpus: Path) -> Iterator[Check]:
    found = sorted(Path("/").glob(_POSTGRES_FOLDERS.lstrip("/")))
    programs = [folder for folder in found if all((folder / name).exists() for name in ("initdb", "pgbench", "psql"))]
    schema = corpus / "pagila-schema" / "pagila-schema.sql"
    titles = {
        "pagila": "tables, views, functions and triggers of Pagila's schema",
        "copy": "tables and their rows of pg_dump of a database of pgbench",
        "inserts": "tables and their rows of pg_dump --inserts of it",
    }
    if not programs:
        for what in titles.values():
            yield Check("sql", "PostgreSQL", what, missing="Debian's package postgresql is not installed")
        return
    with _server(programs[-1]) as server:
        server.run("createdb", "pagila")
        text = schema.read_bytes()
        for newer, older in _NEWER:
            text = re.sub(newer, older, text)
        server.run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", "pagila", given=text)
        stats = outline_of(schema, "sql").stats
        cases = [
            (name, stats.get(name, 0) == server.number("pagila", query.format(_IN_PUBLIC)))
            for name, query in _OBJECTS.items()
        ]
        yield compare("sql", "PostgreSQL", titles["pagila"], cases)
        server.run("createdb", "bench")
        server.run("pgbench", "-i", "-q", "-s", str(_SCALE), "bench")
        server.run("pgbench", "-t", "500", "bench")
        names = server.run(
            "psql", "-X", "-A", "-t", "-d", "bench", "-c", "SELECT relname FROM pg_stat_user_tables"
        ).split()
        expected = {name.decode(): server.number("bench", f"SELECT count(*) FROM {name.decode()}") for name in names}
        for kind, options in (("copy", ()), ("inserts", ("--inserts",))):
            outline = outline_of_bytes(server.run("pg_dump", *options, "bench"), "sql")
            tables = ("tables", outline.stats["tables"] == len(expected))
            yield compare("sql", "PostgreSQL", titles[kind], [tables, *_by_table("rows of", expected, outline)])
