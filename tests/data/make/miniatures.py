"""Writes the miniatures: one small file of every class that an outline must survive. Usage: python miniatures.py FOLDER

Everything is computed, nothing is random beyond a fixed seed: the same script writes the same bytes.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import struct
import sys
import textwrap
import zlib
from pathlib import Path

SERVICE = [
    "2024-02-28 23:59:5{n} INFO  [worker-{n}] shop.Order - order 10{n} accepted für Zoë 🌍",
    "2024-02-28 23:59:5{n} WARN  [worker-{n}] shop.Stock - only {n} ਊ left of article Ċ-0{n}",
    "2024-02-28 23:59:5{n} ERROR [worker-{n}] shop.Order - order 10{n} failed",
    "java.lang.IllegalStateException: no stock for 10{n}",
    "\tat shop.Order.book(Order.java:1{n})",
    "Caused by: java.net.ConnectException: refused",
    "\t... {n} more",
]
SERVICE_LINES = [line.format(n=number) for number in range(9) for line in SERVICE]
SERVICE_TEXT = "".join(line + "\n" for line in SERVICE_LINES)

PROSE = """\
On keeping a log

A log is a promise to a reader who is not there yet. Whoever writes it does not know which line will matter, and whoever
reads it does not know which lines did. Between the two lies everything that a machine can do to help.

The first help is order. Lines that belong together should stand together, or at least point at each other; a trace that
has lost its beginning is a riddle, not a record.

    An indented block is a paragraph too,
    and its lines belong together.

The second help is brevity. Ten thousand lines that say the same say it no better than one that says it with a number.

* first, find what changed
* then, find what changed before it
* last, write down what it was


After two blank lines a new part begins. It has one long sentence, which runs on over the end of what a narrow window shows, and then a little more, to see that a title is clipped and not wrapped.
"""  # noqa: E501


def utf16_and_32() -> dict[str, bytes]:
    """The same log in each wide encoding, with and without a byte order mark; U+0A0A holds two bytes 0x0A."""
    files = {}
    for name, codec, mark in (("le", "utf-16-le", b"\xff\xfe"), ("be", "utf-16-be", b"\xfe\xff")):
        files[f"utf16{name}-bom.log"] = mark + SERVICE_TEXT.encode(codec)
        files[f"utf16{name}-no-bom.log"] = SERVICE_TEXT.encode(codec)
        files[f"utf16{name}-bom-crlf.log"] = mark + SERVICE_TEXT.replace("\n", "\r\n").encode(codec)
    files["utf16le-bom-odd-byte.log"] = files["utf16le-bom.log"] + b"\x41"
    files["utf32le-bom.log"] = b"\xff\xfe\x00\x00" + SERVICE_TEXT.encode("utf-32-le")
    files["utf8-bom.log"] = b"\xef\xbb\xbf" + SERVICE_TEXT.encode()
    return files


def line_ends() -> dict[str, bytes]:
    """Every way a line may or may not end."""
    prose = PROSE.encode()
    return {
        "empty.log": b"",
        "one-byte.txt": b"x",
        "one-line-no-end.txt": b"a single line without an end",
        "only-line-ends.txt": b"\n" * 50 + b"\r\n" * 50 + b"\r" * 50,
        "cr-only.txt": prose.replace(b"\n", b"\r"),
        "crlf.log": SERVICE_TEXT.replace("\n", "\r\n").encode(),
        "mixed-ends.txt": b"one\rtwo\r\nthree\nfour\r\rsix\n\reight\r\n\r\nten\r",
        "no-final-line-end.log": SERVICE_TEXT.encode()[:-1],
        "ends-that-are-none.txt": "page one\fpage two\vtab\x85next\u2028line\u2029paragraph\x1cfile\n".encode() * 20,
    }


def odd_bytes() -> dict[str, bytes]:
    """Terminals, NULs, giant lines, other encodings, broken ones, binaries."""
    chance = random.Random(4)
    progress = b"".join(
        b"\r\x1b[2K\x1b[32mDownloading\x1b[0m [%-20s] %3d%%" % (b"#" * (share // 5), share) for share in range(101)
    )
    ansi = b"\x1b[1m\x1b[34m==>\x1b[0m Fetching packages\n" + progress + b"\n"
    ansi += b"\x1b[31;1merror\x1b[0m: \x1b]8;;http://packages.example/\x1b\\package\x1b]8;;\x1b\\ not found\n\x1b[?25h"
    pixels = zlib.compress(bytes(chance.randrange(256) for _ in range(3000)))
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", 40, 25, 8, 2, 0, 0, 0)), (b"IDAT", pixels), (b"IEND", b"")]
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    words = [b"lorem", b"ipsum", b"dolor", b"sit", b"amet"]
    return {
        "ansi-progress.log": ansi * 6,
        "ansi-before-time.log": b"".join(
            b"\x1b[90m2024-05-01T10:00:%02dZ\x1b[0m \x1b[3%dm%s\x1b[0m step %d of 40\n"
            % (second, 1 if second % 13 == 12 else 2, b"ERROR" if second % 13 == 12 else b"INFO", second)
            for second in range(40)
        ),
        "nul-run.log": SERVICE_TEXT.encode() + b"\0" * 120_000 + SERVICE_TEXT.encode(),
        "nul-single.txt": b"a\0b\nplain line\nanother \0 line\n" * 30,
        "long-line.txt": b"head\n" + b" ".join(chance.choice(words) for _ in range(54_000)) + b"\ntail\n",
        "long-line-no-spaces.txt": base64.b64encode(bytes(chance.randrange(256) for _ in range(90_000))),
        "latin-1.log": SERVICE_TEXT.replace("🌍", "ß").replace("ਊ", "½").replace("Ċ", "Å").encode("latin-1"),
        "shift-jis.txt": "これは記録です。機械が書き、人が読む。\n".encode("shift-jis") * 40,
        "invalid-utf8.txt": b"good line\nbad \xff\xfe\xc3 line\n\xe2\x82\nlast \xf0\x9f\x8c" * 20,
        "cut-character.txt": "ends inside a character: 🌍".encode()[:-2],
        "control-characters.txt": bytes(range(1, 32)) * 40 + b"\n" + b"\x7f\x80\x9b31m\n" * 10,
        "right-to-left.txt": "name \u202egpj.exe\u202c and \u2066isolated\u2069\n".encode() * 20,
        "picture.png": png,
        "machine-code.bin": b"\x7fELF\x02\x01\x01" + bytes(chance.randrange(256) for _ in range(6000)),
        "log.gz": gzip.compress(SERVICE_TEXT.encode() * 5, mtime=0),
        "only-nuls.bin": b"\0" * 5000,
    }


def logs() -> dict[str, bytes]:
    """Logs whose trouble is in what they say."""
    lines = [
        *(f"Dec 31 23:{minute:02d}:07 db1 cron[41{minute:02d}]: (root) CMD (sync)" for minute in range(50, 60)),
        *(f"Jan  1 00:{minute:02d}:07 db1 cron[42{minute:02d}]: (root) CMD (sync)" for minute in range(4)),
        "Dec 31 23:59:58 db1 ntpd[77]: late line of the old year",
        "Jan  1 00:04:00 db1 kernel: [88123.4] EXT4-fs error (device sda1): ext4_find_entry: reading directory",
        "Jan  1 00:05:07 db1 cron[4205]: (root) CMD (sync)",
    ]
    rotated = []
    for day in (3, 1, 2):
        rotated += [f"==> app.log.{day} <=="]
        rotated += [f"2024-03-0{day}T0{hour}:00:00Z level=info msg=tick n={hour}" for hour in range(9)]
        rotated += [f'10.0.0.{day} - - [0{day}/Mar/2024:09:00:00 +0000] "GET / HTTP/1.1" 500 12', ""]
    traces = {
        "go": "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 7 [running]:\nmain.pick(...)\n"
        "\t/srv/app/main.go:12\nmain.main()\n\t/srv/app/main.go:20 +0x1d\nexit status 2\n",
        "dotnet": "Unhandled exception. System.InvalidOperationException: Order 7 is closed\n"
        " ---> System.TimeoutException: The operation has timed out.\n"
        "   at Shop.Db.Query(String sql) in /src/Db.cs:line 41\n   --- End of inner exception stack trace ---\n"
        "   at Shop.Orders.Close(Int32 id) in /src/Orders.cs:line 88\n   at Shop.Program.Main()\n",
        "ruby": "app.rb:14:in `fetch': key not found: :price (KeyError)\n"
        "\tfrom app.rb:14:in `total'\n\tfrom app.rb:30:in `<main>'\n",
    }
    filler = "".join(f"2024-04-02T12:00:{second:02d}.250Z INFO request {second} served\n" for second in range(60))
    ndjson = [
        {
            "time": f"2024-02-28T10:00:{second:02d}Z",
            "level": "error" if second == 17 else "info",
            "msg": f"tick {second}",
        }
        for second in range(60)
    ]
    return {
        "new-year.syslog": "\n".join(lines).encode() + b"\n",
        "rotated-mixed.log": "\n".join(rotated).encode(),
        "odd-head.log": b"".join(b"### banner line %d ###\n" % n for n in range(110)) + SERVICE_TEXT.encode(),
        "traces.log": "".join(filler + trace for trace in traces.values()).encode(),
        "records.ndjson": "".join(json.dumps(record) + "\n" for record in ndjson).encode(),
        "broken.ndjson": b'{"a": 1}\n{"a": 2}\n{"a": \n[1, 2]\n{"a": 3}\n"text"\nnull\n',
        "logcat.txt": b"".join(
            b"04-02 12:00:%02d.123  1234  5678 %s ActivityManager: Start proc %d\n" % (s, b"E" if s == 33 else b"I", s)
            for s in range(50)
        ),
        "klog.txt": b"".join(
            b"%s0402 12:00:%02d.000001   12345 controller.go:%d] synced node-%d\n"
            % (b"E" if s == 33 else b"I", s, s, s)
            for s in range(50)
        ),
        "unknown-layout.log": b"".join(
            b"<%d> unit=%d {%s} valve %d moved\n" % (1000 + s, s % 3, b"ok" if s % 17 else b"failed", s)
            for s in range(80)
        ),
    }


def structures() -> dict[str, bytes]:
    """What is no log: each structured kind once, and broken ones."""
    rows = [{"id": n, "name": f"article {n}", "tags": ["a", "b"], "size": {"w": n, "h": 2}} for n in range(120)]
    sql = "CREATE TABLE t (\n  id int,\n  note text\n);\nINSERT INTO t VALUES (1, 'it''s; CREATE TABLE x');\n"
    sql += "COPY t (id, note) FROM stdin;\n" + "".join(f"{n}\tnote {n}\n" for n in range(40)) + "\\.\n"
    code = "/* Holds things. */\nstruct shelf {\n    int size;\n};\n\n"
    code += "static int put(struct shelf *shelf, int thing)\n{\n    return shelf->size += thing;\n}\n\n"
    documents = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c{n}\ndata:\n  k: |\n    a\n    b\n"
        for n in range(9)
    )
    diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n+two\n three\n"
    return {
        "array.json": json.dumps(rows, indent=1).encode(),
        "one-line.json": json.dumps(rows).encode(),
        "cut-off.json": json.dumps(rows, indent=1).encode()[:3000],
        "deep.json": b"[" * 20_000,
        "quoted-lines.csv": b"id,name,note\n" + b'1,"two\nlines","say ""hi"""\n2,plain,\n3,short\n' * 30,
        "semicolons.csv": "Größe;Preis\n".encode("cp1252") + "4,5;12,00 €\n".encode("cp1252") * 60,
        "dump.sql": sql.encode(),
        "items.xml": b"<?xml version='1.0'?>\n<list>\n" + b"  <item id='1'><name>n</name></item>\n" * 60 + b"</list>\n",
        "broken.xml": b"<list>\n  <item>\n    <name>n</item>\n",
        "page.html": b"<!doctype html>\n<html><head></head>\n<body>\n<h1>One</h1>\n<p>x\n<h2>Two</h2>\n</body>",
        "documents.yaml": documents.encode(),
        "changes.diff": diff.encode() * 8,
        "settings.ini": b"[server]\nport = 80\n; comment\n[client]\nname = x\n" * 6,
        "control": b"Package: a\nVersion: 1\nDescription: one\n more\n\nPackage: b\nVersion: 2\n\n" * 10,
        "shelf.c": code.encode() * 12,
        "minified.js": b"!function(){" + b"var a=1;function b(){return a};" * 900 + b"}();",
        "page.md": b"# One\n\ntext\n\n## Two\n\n```sh\n# no heading\n```\n\nThree\n=====\n\ntext\n",
        "prose.txt": PROSE.encode(),
        "wrapped-table.txt": textwrap.dedent("""\
            name        size   date
            ----------  -----  ----------
            alpha          12  2024-01-01
            beta          345  2024-01-02
            """).encode()
        * 25,
    }


def main(folder: Path) -> None:
    """Write all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for files in (utf16_and_32(), line_ends(), odd_bytes(), logs(), structures()):
        for name, data in files.items():
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
