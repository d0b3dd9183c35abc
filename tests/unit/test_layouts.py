"""Layouts of logs: which one, where records begin, where messages begin, and what is no log."""

from __future__ import annotations

import copy

import pytest

from milepost.core.logs.layouts import detect_layout, strip_ansi

# Name of the layout, a line of it, what its message is.
NAMED = [
    ("syslog", b"Jun  9 06:06:20 combo sshd(pam_unix)[19939]: check pass", b"check pass"),
    ("syslog", b"Jun 21 16:47:50 machine kernel: [  970.699396] eth0 up", b"eth0 up"),
    ("syslog-5424", b"<34>1 2003-10-11T22:14:15.003Z host su 17 ID47 - gone", b"gone"),
    ("syslog-iso", b"2024-05-06T07:08:09.250000+02:00 host app[17]: gone", b"gone"),
    ("kernel", b"[    1.234567] pci 0000:00: gone", b"pci 0000:00: gone"),
    ("haproxy", b"Feb 26 10:00:47 10.0.0.2 haproxy[7]: Proxy a stopped", b"Proxy a stopped"),
    ("auditd", b"type=LOGIN msg=audit(1364481363.243:24287): pid=1", b"pid=1"),
    ("dpkg", b"2012-02-14 10:44:30 status unpacked a 1", b"status unpacked a 1"),
    ("exim", b"2013-01-04 17:03:46 1TrBnC-0001Gm-5y <= a@b", b"1TrBnC-0001Gm-5y <= a@b"),
    ("cups", b"E [04/Nov/2010:17:37:40 -0400] gone", b"gone"),
    ("access", b'10.0.0.1 - - [11/Feb/2013:06:43:36 +0000] "GET / HTTP/1.1" 200 5', b'"GET / HTTP/1.1" 200 5'),
    ("apache-error", b"[Sun Dec 04 04:47:44 2005] [error] [client 10.0.0.1] gone", b"gone"),
    ("nginx-error", b"2013/02/11 06:43:36 [error] 17#0: *3 gone", b"gone"),
    ("squid", b"1386543323.000      4 10.0.0.1 TCP_MISS/200 4 GET http://a - NONE/- text", b"TCP_MISS/200 4 GET"),
    ("uwsgi", b"[pid: 1|app: 0|req: 1/1] 10.0.0.1 () {3 vars in 6 bytes} [Sun Mar 13 22:49:12 2016] GET /", b"GET /"),
    ("gunicorn", b"[2024-05-06 07:08:09 +0000] [17] [INFO] gone", b"gone"),
    ("postgresql", b"2024-05-06 07:08:09.250 UTC [17] LOG:  gone", b"gone"),
    ("mysql-error", b"2024-05-06T07:08:09.250000Z 0 [Note] [MY-1] [Server] gone", b"gone"),
    ("mongodb-json", b'{"t":{"$date":"2024-05-06T07:08:09.250+00:00"},"s":"I","c":"A","msg":"gone"}', b'gone"}'),
    ("redis", b"1:M 29 Aug 2023 13:47:38.984 * gone", b"gone"),
    ("logcat", b"03-17 16:13:38.811  1702  2395 D Tag: gone", b"gone"),
    ("glog", b"I0102 15:04:05.678901      17 f.go:1] gone", b"gone"),
    ("zap", b"2024-05-06T07:08:09.250Z\tinfo\ta/b.go:17\tgone", b"gone"),
    ("rust-env-logger", b"[2024-05-06T07:08:09Z ERROR main] gone", b"gone"),
    ("rust-tracing", b"2024-05-06T07:08:09.250000Z  INFO a::b: gone", b"gone"),
    ("jvm-gc", b"[0.021s][info][gc,init] gone", b"gone"),
    ("jvm-gc-old", b"2024-05-06T07:08:09.250+0000: 0.199: [GC pause", b"[GC pause"),
    ("spring", b"2024-05-06T07:08:09.250Z  INFO 17 --- [app] [main] o.s.App      : gone", b"gone"),
    ("elasticsearch", b"[2024-05-06T07:08:09,250][INFO ][o.e.n.Node] [node-1] gone", b"gone"),
    ("java-logging", b"Jan 02, 2006 3:04:05 PM com.example.Main run", b"com.example.Main run"),
    ("log4j", b"2024-05-06 07:08:09,250 INFO  [main] com.example.Main - gone", b"gone"),
    ("zookeeper", b"2015-07-29 17:41:44,747 - INFO  [Peer[myid=1]/0:0:Election@774] - gone", b"gone"),
    ("spark", b"17/06/09 20:10:40 INFO executor.Backend: gone", b"gone"),
    ("hdfs", b"081109 203615 148 INFO dfs.Node$A: gone", b"gone"),
    ("nextflow", b"Mar-18 21:41:15.684 [main] DEBUG nextflow.cli.Launcher - gone", b"gone"),
    ("openstack", b"api.log 2017-05-16 00:00:00.008 25746 INFO nova.api [req-1] gone", b"gone"),
    ("celery", b"[2024-05-06 07:08:09,250: INFO/MainProcess] gone", b"gone"),
    ("python-logging", b"2024-05-06 07:08:09,250 - app.db - WARNING - gone", b"gone"),
    ("ruby-logger", b"I, [2024-05-06T07:08:09.250 #17]  INFO -- app: gone", b"gone"),
    ("monolog", b"[2024-05-06 07:08:09] local.ERROR: gone", b"gone"),
    ("cbs", b"2016-09-28 04:30:30, Info                  CBS    gone", b"gone"),
    ("sccm", b'<![LOG[gone]LOG]!><time="19:33:19.766-330" date="11-28-2014" component="a" type="1">', b"gone]LOG"),
    ("dotnet", b"info: App.Startup[0]", b""),
    ("bgl", b"- 1117838570 2005.06.03 R02 2005-06-03-15.42.50.675872 R02 RAS KERNEL INFO gone", b"gone"),
    ("hpc", b"134681 node-246 unix.hw state.down 1077804742 1 gone", b"gone"),
    ("proxifier", b"[10.30 16:49:06] chrome.exe - gone", b"gone"),
    ("sssd", b"(Tue Mar 31 06:03:46 2015) [sssd] [x] (0x0400): gone", b"gone"),
    ("strace", b"17 12:21:46.284771 brk(NULL) = 0x5", b"brk(NULL) = 0x5"),
    ("logfmt", b'time="2024-05-06T07:08:09Z" level=info msg="gone"', b'gone"'),
    ("bunyan", b'{"name":"a","level":30,"msg":"gone","time":"2024-05-06T07:08:09Z","v":0}', b'gone",'),
    ("json-lines", b'{"time":"2024-05-06T07:08:09Z","level":"info","msg":"gone"}', b'gone"}'),
    ("cri", b"2024-05-06T07:08:09.250000000Z stdout F gone", b"gone"),
    ("iso-level", b"2024-05-06 07:08:09 warning gone", b"gone"),
    ("generic", b"2024-05-06 07:08:09 gone", b"gone"),
    ("generic", b"@400000004c91b044077a9e94 gone", b"gone"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "line", "message"), NAMED, ids=[f"{row[0]}-{i}" for i, row in enumerate(NAMED)])
def test_named_layouts(name: str, line: bytes, message: bytes) -> None:
    layout = detect_layout([line] * 3)
    assert layout is not None
    assert (layout.name, layout.confidence) == (name, 1.0)
    assert layout.is_head(line)
    assert not layout.is_head(b"   at com.example.Main.run(Main.java:17)")
    assert line[layout.message_start(line) :].startswith(message)


def test_a_learnt_layout_knows_stamp_and_level() -> None:
    lines = [b"app<7> 12.06.2024 10:00:%02d {main} ERROR: gone %d" % (i, i) for i in range(20)]
    layout = detect_layout(lines)
    assert layout is not None
    assert layout.name == "generic"
    start, level, kind = layout.split(lines[3])
    assert (lines[3][start:], level, kind) == (b"gone 3", b"ERROR", "level")
    assert not layout.is_head(b"and a line of text")


def test_odd_lines_at_the_head_do_not_hide_a_log() -> None:
    banner = [b"Welcome to line %d of the banner of a program that says much" % i for i in range(100)]
    lines = [b"Jun  9 06:06:%02d host app[1]: x" % (i % 60) for i in range(200)]
    layout = detect_layout(banner + lines)
    assert layout is not None
    assert layout.name == "syslog"
    assert 0.6 < layout.confidence < 0.7


def test_traces_and_texts_go_on_with_the_record_before() -> None:
    lines = [
        b"2024-05-06 07:08:09,250 ERROR [main] a.B - gone",
        b"java.lang.IllegalStateException: closed",
        b"\tat a.B.c(B.java:1)",
        b"Caused by: java.io.IOException: x",
        b"2024-05-06 07:08:09,251 INFO [main] a.B - back",
    ]
    layout = detect_layout(lines)
    assert layout is not None
    assert [layout.is_head(line) for line in lines] == [True, False, False, False, True]


def test_details_of_postgresql_belong_to_the_error() -> None:
    stamp = b"2024-05-06 07:08:09.250 UTC [17] "
    lines = [stamp + b"ERROR:  syntax error", stamp + b"STATEMENT:  SELECT", b"\tFROM x", stamp + b"LOG:  on"]
    layout = detect_layout(lines)
    assert layout is not None
    assert [layout.is_head(line) for line in lines] == [True, False, False, True]


def test_mixed_layouts_have_the_heads_of_both() -> None:
    access = b'10.0.0.1 - - [11/Feb/2013:06:43:36 +0000] "GET / HTTP/1.1" 200 5'
    error = b"2013/02/11 06:43:36 [error] 17#0: *3 gone"
    layout = detect_layout([access] * 30 + [error] * 10)
    assert layout is not None
    assert layout.is_head(access)
    assert layout.is_head(error)


def test_the_log_within_a_collectors_prefix() -> None:
    lines = [b"db-1   | 2024-05-06 07:08:09.250 UTC [17] LOG:  gone", b"web-1  | plain", b"web-1  |   more"]
    layout = detect_layout(lines * 5)
    assert layout is not None
    assert layout.name == "docker-compose"
    assert [layout.is_head(line) for line in lines] == [True, True, False]
    assert lines[0][layout.message_start(lines[0]) :] == b"gone"


@pytest.mark.parametrize(
    "lines",
    [
        [b"/usr/bin/gcc -c a.c", b"a.c:1:2: warning: unused variable", b"make: *** [all] Error 1"],
        [b"[INFO] Scanning for projects...", b"[INFO] BUILD SUCCESS", b"[INFO] Total time: 2 s"],
        [b"   Compiling a v0.1.0", b"error[E0425]: cannot find value", b"  --> src/main.rs:2:5"],
        [b"npm WARN deprecated a@1", b"npm ERR! code 1", b"added 3 packages"],
        [b"+ ./configure", b"checking for gcc... gcc", b"checking whether make works... yes"],
        [b"===== test session starts =====", b"collected 2 items", b"test_a.py .F  [100%]"],
        [b"Collecting a", b"Downloading a-1.whl (5 kB)", b"Successfully installed a-1"],
    ],
)
def test_consoles(lines: list[bytes]) -> None:
    layout = detect_layout(lines)
    assert layout is not None
    assert layout.name == "console"
    assert layout.is_head(b"In function f:")
    assert not layout.is_head(b"    12 | x = 1")


@pytest.mark.parametrize(
    "text",
    [
        "It was a bright cold day in April, and the clocks were striking thirteen.\nWinston Smith slipped in.\n",
        "# Title\n\nSome text of 2024-05-06 07:08:09, then more.\n\n- a\n- b\n\n```\ncode\n```\n",
        "import os\n\n\ndef main():\n    print('error: x')\n\n\nif __name__ == '__main__':\n    main()\n",
        "time,host,load\n2024-05-06 07:08:09,a,0.5\n2024-05-06 07:08:10,b,0.7\n",
        "2024-05-06 07:08:09,17,0.5\n2024-05-06 07:08:10,18,0.7\n2024-05-06 07:08:11,19,0.8\n",
        '{\n  "time": "2024-05-06T07:08:09Z",\n  "level": "info"\n}\n',
        '{"id": 1, "question": "why?"}\n{"id": 2, "question": "who?"}\n',
        "CREATE TABLE a (b int);\nINSERT INTO a VALUES (1,'2006-02-15 04:34:33');\nINSERT INTO a VALUES (2,'2006-02-15');\n",
        '<?xml version="1.0"?>\n<a>\n  <b at="2024-05-06T07:08:09">x</b>\n</a>\n',
        "Package: a\nVersion: 1.2.3\nDate: 2024-05-06 07:08:09\n\nPackage: b\nVersion: 2\nDate: 2024-05-06 07:08:10\n",
        "apiVersion: v1\nkind: Pod\nmetadata:\n  creationTimestamp: 2024-05-06T07:08:09Z\n  name: a\n",
        "--- a/x\t2013-01-01 10:00:00\n+++ b/x\t2013-01-01 10:00:01\n@@ -1 +1 @@\n-a\n+b\n",
        "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: A <a@b>\nDate:   Mon May 6 07:08:09 2024\n\n    x\n",
        "",
    ],
)  # fmt: skip
def test_what_is_no_log(text: str) -> None:
    assert detect_layout(text.encode().split(b"\n")) is None


@pytest.mark.parametrize(
    ("drawn", "seen"),
    [
        (b"\x1b[0m\x1b[32mSep 19 \x1b[1;33m09:24:04\x1b[0m host", b"Sep 19 09:24:04 host"),
        (b"see \x1b]8;;https://example.org/\x07the page\x1b]8;;\x07.", b"see the page."),
        (b"see \x1b]8;;https://example.org/\x1b\\the page\x1b]8;;\x1b\\.", b"see the page."),
        (b"\x1b_bk;t=1729032357206\x07~~~ Preparing", b"~~~ Preparing"),
        (b"\x1b(B\x1b[m\x1b[2K\x1b[1Aok", b"ok"),
        (b" 10%\r 50%\r100%\n", b"100%\n"),
        (b"done\r\r\n", b"done\r\r\n"),
        (b"text\r\n", b"text\r\n"),
        (b"b\x08bo\x08old", b"bold"),
        (b"plain", b"plain"),
    ],
)
def test_strip_ansi(drawn: bytes, seen: bytes) -> None:
    assert strip_ansi(drawn) == seen


def test_escapes_and_line_ends_do_not_matter() -> None:
    layout = detect_layout([b"\x1b[32mJun  9 06:06:20\x1b[0m host app[1]: x\r\n"] * 3)
    assert layout is not None
    assert layout.name == "syslog"


def test_a_layout_is_a_value() -> None:
    layout = detect_layout([b"2024-05-06 07:08:09 gone"] * 3)
    assert layout is not None
    assert copy.deepcopy(layout) == layout
    assert detect_layout([b"2024-05-06 07:08:09 gone"] * 3) == layout
