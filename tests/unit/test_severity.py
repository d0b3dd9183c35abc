"""Severities: what level fields mean, what words in a message say, and what looks like trouble but is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.core.logs.layouts import detect_layout
from milepost.core.logs.severity import Severity, severity_of, severity_of_field

T, D, I, N, W, E, C, F = Severity  # noqa: E741


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        (b"2024-05-06 07:08:09,250 WARN  [main] a.B - x", W),
        (b"2024-05-06 07:08:09 debug2 x", D),
        (b"05-06 07:08:09.250  17  18 E Tag: x", E),
        (b"05-06 07:08:09.250 V/Tag( 17): x", T),
        (b"E0102 15:04:05.678901 1 f.go:1] x", E),
        (b"<11>Oct 11 22:14:15 host su: x", E),
        (b"<30>1 2024-05-06T07:08:09Z host app 1 - - x", I),
        (b"May  6 07:08:09 host daemon.err app: x", E),
        (b"[Sun Dec 04 04:47:44 2005] [crit] x", C),
        (b"2013/02/11 06:43:36 [emerg] 1#0: x", F),
        (b'10.0.0.1 - - [11/Feb/2013:06:43:36 +0100] "GET /error HTTP/1.1" 200 5', I),
        (b'10.0.0.1 - - [11/Feb/2013:06:43:36 +0100] "GET / HTTP/1.1" 404 5', E),
        (b'10.0.0.1 - - [11/Feb/2013:06:43:36 +0100] "GET / HTTP/1.1" 503 5', E),
        (b"2024-05-06 07:08:09.250 UTC [17] PANIC:  x", F),
        (b"2024-05-06 07:08:09.250 UTC [17] LOG:  an error was logged", I),
        (b"2024-05-06T07:08:09.250000Z 0 [Note] [MY-1] [Server] x", N),
        (b"1:M 29 Aug 2023 13:47:38.984 # x", W),
        (b'{"name":"a","level":50,"time":"2024-05-06T07:08:09Z","msg":"x","v":0}', E),
        (b'{"time":"2024-05-06T07:08:09Z","severity":"ERROR","message":"x"}', E),
        (b'time="2024-05-06T07:08:09Z" level=warning msg="no error"', W),
        (b"fail: App.Startup[0]", E),
        (b"I, [2024-05-06T07:08:09.250 #1]  INFO -- app: x", I),
        (b"(Tue Mar 31 06:03:46 2015) [sssd] [x] (0x0020): x", C),
        (b"2024-05-06T07:08:09.250Z Wa(14) proc[1]: x", W),
        (b"2024-05-06 07:08:09, Error                 CBS    x", E),
    ],
)
def test_level_fields(line: bytes, severity: Severity) -> None:
    layout = detect_layout([line])
    assert layout is not None
    assert severity_of(line, layout) is severity


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        (b"error: no such file", E),
        (b"fatal error: x.h: No such file", F),
        (b"panic: runtime error: index out of range", F),
        (b"thread 'main' panicked at src/main.rs:2:5:", F),
        (b"Traceback (most recent call last):", E),
        (b"java.lang.IllegalStateException: closed", E),
        (b"KeyError: 'name'", E),
        (b"Unhandled exception in worker", E),
        (b"connection to 10.0.0.1 failed", E),
        (b"app[17]: segfault at 0 ip 0000", E),
        (b"src/a.c:12:3: warning: unused variable 'x' [-Wunused-variable]", W),
        (b"src/a.c:12:3: error: expected ';'", E),
        (b"Main.cs(5,2): error CS0103: The name 'x' does not exist", E),
        (b"LINK : fatal error LNK1104: cannot open file 'x.lib'", F),
        (b"npm ERR! code ELIFECYCLE", E),
        (b"npm WARN deprecated x@1.0.0", W),
        (b"[ERROR] Failed to execute goal", E),
        (b"##[error]Process completed with exit code 1.", E),
        (b"WARNING: Retrying", W),
        (b"sshd[1]: error: PAM: no", E),
        (b"Tests run: 5, Failures: 1, Errors: 0, Skipped: 0", E),
        (b"worker said level=error and left", E),
        (b"Process exited with error code 5", E),
    ],
)
def test_words_of_a_message(line: bytes, severity: Severity) -> None:
    assert severity_of(line) is severity


@pytest.mark.parametrize(
    "line",
    [
        b"0 errors, 0 warnings",
        b"no error found",
        b"finished without any errors",
        b"error_count=0",
        b"errors: 0",
        b"failed=0",
        b"Tests run: 5, Failures: 0, Errors: 0, Skipped: 0",
        b"gcc -Wall -Werror -o x x.c",
        b"writing to error.log",
        b"loaded /usr/lib/liberror.so",
        b"ErrorHandler initialised",
        b"registered error handler",
        b"with the exception of one",
        b"exited with error code 0",
        b"GET /error/page",
        b"plain text",
        b"",
    ],
)
def test_what_is_no_trouble(line: bytes) -> None:
    assert severity_of(line) is None


def test_fields_by_kind() -> None:
    assert severity_of_field(b"34", "priority") is C
    assert severity_of_field(b"500", "status") is E
    assert severity_of_field(b"2", "sccm") is W
    assert severity_of_field(b"[WARN ]") is W
    assert severity_of_field(b"7") is None
    assert severity_of_field(b"hello") is None


def test_the_order_is_that_of_gravity() -> None:
    assert sorted(Severity) == [T, D, I, N, W, E, C, F]


@given(st.binary(max_size=120))
def test_any_bytes_are_judged_without_an_error(line: bytes) -> None:
    severity_of(line, detect_layout([line]))
