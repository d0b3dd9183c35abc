"""Timestamps of log lines: each common shape once, what must not be taken for a time, and years by inference."""

from __future__ import annotations

import copy
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from milepost.core.logs.timestamps import PLACEHOLDER_YEAR, Stamp, StampReader, YearResolver, find_stamp


def seconds(text: str) -> float:
    """Seconds since 1970 of an ISO time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc).timestamp()


# line, expected time in UTC, shape; the year of year-less ones is 2011.
SHAPES = [
    (b"2024-05-06T07:08:09Z start", "2024-05-06T07:08:09", "iso"),
    (b"2024-05-06 07:08:09,250 INFO x", "2024-05-06T07:08:09.250", "iso"),
    (b"[2024-05-06 07:08:09.123456] x", "2024-05-06T07:08:09.123456", "iso"),
    (b"2024-05-06T07:08:09.123456789+02:00 x", "2024-05-06T05:08:09.123456", "iso"),
    (b"2024-05-06 07:08:09 -0330 x", "2024-05-06T10:38:09", "iso"),
    (b"2024-05-06 07:08:09.5 CEST [17] LOG:  x", "2024-05-06T05:08:09.500", "iso"),
    (b"2024-05-06T02:47:11 PM UTC [1] x", "2024-05-06T14:47:11", "iso"),
    (b"(2022-06-08  8:52:40): [be] x", "2022-06-08T08:52:40", "iso"),
    (b"2024-05-06\t07:08:09\t10.0.0.1\tGET", "2024-05-06T07:08:09", "iso"),
    (b"<34>1 2003-10-11T22:14:15.003Z host su - - - x", "2003-10-11T22:14:15.003", "iso"),
    (b"FATAL 1117838570 R02 2005-06-03-15.42.50.675872 x", "2005-06-03T15:42:50.675872", "iso-dotted"),
    (b"2012-025T10:22:40,672:DEBUG:x", "2012-01-25T10:22:40.672", "iso-ordinal"),
    (b"20240506T070809Z x", "2024-05-06T07:08:09", "iso-basic"),
    (b"20171224-0:7:20:444|Step|30002312|x", "2017-12-24T00:07:20.444", "health"),
    (b"20171223-22:15:29:606|Step|30002312|x", "2017-12-23T22:15:29.606", "iso-basic"),
    (b"2013/02/11 06:43:36 [error] 1#0: x", "2013-02-11T06:43:36", "slash-ymd"),
    (b"2011.11.21 14:29:16 LOG3[1]: x", "2011-11-21T14:29:16", "dot-ymd"),
    (b"2014:07:02-00:17:45: 'x'", "2014-07-02T00:17:45", "colon-ymd"),
    (b'10.0.0.1 - - [11/Feb/2013:06:43:36 +0100] "GET /"', "2013-02-11T05:43:36", "clf"),
    (b"[02/sept./2015:00:11:31 +0200] x", "2015-09-01T22:11:31", "clf"),
    (b"Tue, 03 Jan 2012 05:01:31 +0100 x", "2012-01-03T04:01:31", "day-name-year"),
    (b"1:M 29 Aug 2023 13:47:38.984 * x", "2023-08-29T13:47:38.984", "day-name-year"),
    (b"[3574] 13 Apr 12:52:30.731 # x", "2011-04-13T12:52:30.731", "day-name"),
    (b"Dec 10 2014 07:02:47 host x", "2014-12-10T07:02:47", "name-day-year"),
    (b"Jan 02, 2006 3:04:05 PM com.x run", "2006-01-02T15:04:05", "name-day-year"),
    (b"[Sun Dec 04 04:47:44 2005] [error] x", "2005-12-04T04:47:44", "ctime"),
    (b"[Tue Apr 04 06:18:29.712806 2017] [x:notice] x", "2017-04-04T06:18:29.712806", "ctime"),
    (b"Wed May 19 08:00:01 EST 2021 x", "2021-05-19T13:00:01", "ctime"),
    (b"Jun  9 06:06:20 combo sshd[1]: x", "2011-06-09T06:06:20", "syslog"),
    (b"<34>Oct 11 22:14:15 host su: x", "2011-10-11T22:14:15", "syslog"),
    ("août 19 11:08:37 nlaptop x".encode(), "2011-08-19T11:08:37", "syslog"),
    (b"Mar-18 21:41:15.684 [main] DEBUG x", "2011-03-18T21:41:15.684", "name-dash-day"),
    (b"6/14/2005 3:04:05 PM x", "2005-06-14T15:04:05", "slash-mdy"),
    (b"14/6/2005 13:04:05 x", "2005-06-14T13:04:05", "slash-dmy"),
    (b"05/06/2005-15:42:50 x", "2005-05-06T15:42:50", "slash-mdy"),
    (b"11-06-2013 02:09:40 +0300 x", "2013-06-10T23:09:40", "dash-dmy"),
    (b"10.06.2005 14:22:33 x", "2005-06-10T14:22:33", "dot-dmy"),
    (b"17/06/09 20:10:40 INFO x.Y: z", "2017-06-09T20:10:40", "short-ymd"),
    (b"081109 203615 148 INFO x", "2008-11-09T20:36:15", "compact"),
    (b"070823 21:00:32 InnoDB: x", "2007-08-23T21:00:32", "compact-clock"),
    (b"130324  0:04:00 [Warning] x", "2013-03-24T00:04:00", "compact-clock"),
    (b"03-17 16:13:38.811  1702  2395 D W: x", "2011-03-17T16:13:38.811", "logcat"),
    (b"[10.30 16:49:06] chrome.exe - x", "2011-10-30T16:49:06", "bracket-md"),
    (b"I0102 15:04:05.678901 1 f.go:1] x", "2011-01-02T15:04:05.678901", "klog"),
    (b"I20240102 15:04:05.1 1 f.cc:1] x", "2024-01-02T15:04:05.100", "glog"),
    (b"12/28-12:55:38.765402 [**] x", "2011-12-28T12:55:38.765402", "slash-md"),
    (b"@400000004c91b044077a9e94 x", "2010-09-16T05:50:50.125476", "tai64n"),
    (b'<![LOG[x]LOG]!><time="19:33:19.766-330" date="11-28-2014" component="a">', "2014-11-28T19:33:19.766", "sccm"),
    (b"1364481363 x", "2013-03-28T14:36:03", "epoch"),
    (b"type=LOGIN msg=audit(1364481363.243:24287): x", "2013-03-28T14:36:03.243", "epoch"),
    (b"1364481363243 x", "2013-03-28T14:36:03.243", "epoch-fine"),
    (b'{"level":"info","ts":1364481363.25,"msg":"x"}', "2013-03-28T14:36:03.250", "epoch"),
    (b'{"t":{"$date":"2026-03-10T20:58:09.401+00:00"},"s":"I"}', "2026-03-10T20:58:09.401", "iso"),
    (b'{"log":"at 2001-01-01 00:00:00","time":"2024-05-06T07:08:09Z"}', "2024-05-06T07:08:09", "iso"),
    (b'level=info time="2024-05-06T07:08:09Z" msg=x', "2024-05-06T07:08:09", "iso"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "expected", "shape"), SHAPES, ids=[row[0].decode()[:32] for row in SHAPES])
def test_shape(line: bytes, expected: str, shape: str) -> None:
    stamp = find_stamp(line, 2011)
    assert stamp is not None
    assert (stamp.seconds, stamp.shape) == (pytest.approx(seconds(expected), abs=2e-6), shape)


@pytest.mark.parametrize("line", [row[0] for row in SHAPES], ids=[row[0].decode()[:32] for row in SHAPES])
def test_a_reader_learnt_from_one_line_reads_it_alike(line: bytes) -> None:
    reader, found = StampReader.learn([line, line]), find_stamp(line, PLACEHOLDER_YEAR)
    assert reader is not None
    read = reader.read(line)
    assert read is not None
    assert found is not None
    assert (read.seconds, read.has_zone) == (found.seconds, found.has_zone)


@pytest.mark.parametrize(
    "line",
    [
        b"version 1.2.3 of 10.20.30.40",
        b"ratio 10:20, 3:4",
        b"Date 2024-13-45 25:61:61 is none",
        b"0000-12-30 00:00:00 nor is this",
        b"id 12345678901234567890",
        b"mac 00:11:22:33:44:55",
        b"2001:db8::1 joined",
        b"backup-2024.tar.gz 1234567 bytes",
        b"phone 1234567890-12",
    ],
)
def test_what_is_no_time(line: bytes) -> None:
    assert find_stamp(line, 2011) is None


def test_what_a_stamp_says_of_itself() -> None:
    stamp = find_stamp(b"host [ 2024-05-06 07:08:09 ] x", 2011)
    assert stamp == Stamp(seconds("2024-05-06T07:08:09"), 7, 26, True, False, True, "iso")
    uptime = find_stamp(b"[    1.234567] Linux", 2011)
    assert uptime == Stamp(1.234567, 1, 13, False, False, False, "uptime")
    clock = find_stamp(b"20:15:01.123 x", 2011)
    assert clock is not None
    assert (clock.seconds, clock.has_date, clock.shape) == (pytest.approx(72901.123), False, "time")


def test_a_name_with_a_date_is_not_the_stamp() -> None:
    stamp = find_stamp(b"api.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 25746 INFO x", 2011)
    assert stamp is not None
    assert stamp.start == 30


def test_day_and_month_are_told_by_the_whole_sample() -> None:
    lines = [b"%02d/06/2005 10:00:00 x" % day for day in range(1, 13)]
    reader = StampReader.learn(lines)
    assert reader is not None
    assert reader.shapes == ("slash-dmy",)
    assert StampReader.learn([b"06/%02d/2005 10:00:00 x" % day for day in range(1, 13)]).shapes == ("slash-mdy",)  # type: ignore[union-attr]


def test_a_mixed_log_is_read_by_all_its_shapes() -> None:
    lines = [b"2024-05-06 07:08:%02d x" % i for i in range(30)] + [b"May  6 07:09:%02d host x" % i for i in range(9)]
    reader = StampReader.learn(lines)
    assert reader is not None
    assert reader.shapes == ("iso", "syslog")
    assert all(reader.read(line) is not None for line in lines)
    assert reader.read(b"  at com.example.Main(Main.java:12)") is None


def test_no_reader_without_times() -> None:
    assert StampReader.learn([b"plain text", b"more of it"]) is None
    assert StampReader.learn([]) is None


def resolved(lines: list[bytes], reference: str) -> list[str]:
    """Times of year-less lines after a whole pass."""
    reader = StampReader.learn(lines, seconds(reference))
    assert reader is not None
    resolver = reader.years()
    provisional = [resolver.observe(stamp) for line in lines if (stamp := reader.read(line)) is not None]
    return [datetime.fromtimestamp(resolver.settle(time), timezone.utc).isoformat()[:10] for time in provisional]


def days(*texts: str) -> list[bytes]:
    return [b"%s 10:00:00 host x: y" % text.encode() for text in texts]


@pytest.mark.parametrize(
    ("lines", "reference", "expected"),
    [
        # The last line is at or before the file's mtime.
        (days("Mar  1", "Mar  2"), "2020-03-02T11:00:00", ["2020-03-01", "2020-03-02"]),
        (days("Dec 30", "Dec 31"), "2020-03-02T11:00:00", ["2019-12-30", "2019-12-31"]),
        # A day of slack, for zones.
        (days("Mar  3"), "2020-03-02T11:00:00", ["2020-03-03"]),
        (days("Mar  4"), "2020-03-02T11:00:00", ["2019-03-04"]),
        # December to January is a new year; so is a step back of months.
        (days("Dec 31", "Jan  1"), "2020-03-02T11:00:00", ["2019-12-31", "2020-01-01"]),
        (days("Nov  3", "Mar  1", "Nov  9", "Feb  1"), "2020-03-02T00:00:00",
         ["2018-11-03", "2019-03-01", "2019-11-09", "2020-02-01"]),
        # A late line is not: some days back, even over the turn of the year.
        (days("Mar  9", "Mar  1", "Mar 10"), "2020-05-01T00:00:00", ["2020-03-09", "2020-03-01", "2020-03-10"]),
        (days("Dec 31", "Jan  1", "Dec 31", "Jan  2"), "2020-03-02T00:00:00",
         ["2019-12-31", "2020-01-01", "2019-12-31", "2020-01-02"]),
        # 29 February needs a leap year, whatever the mtime.
        (days("Feb 28", "Feb 29", "Mar  2"), "2016-06-01T00:00:00", ["2016-02-28", "2016-02-29", "2016-03-02"]),
        (days("Feb 28", "Feb 29", "Mar  2"), "2015-06-01T00:00:00", ["2012-02-28", "2012-03-01", "2012-03-02"]),
    ],
)  # fmt: skip
def test_years(lines: list[bytes], reference: str, expected: list[str]) -> None:
    assert resolved(lines, reference) == expected


def test_a_resolver_can_be_copied_midway() -> None:
    resolver = YearResolver(seconds("2020-03-02T00:00:00"))
    reader = StampReader.learn(days("Dec 31"))
    assert reader is not None
    stamps = [reader.read(line) for line in days("Dec 31", "Jan  1", "Jan  2")]
    assert stamps[0] is not None
    resolver.observe(stamps[0])
    twin = copy.deepcopy(resolver)
    for stamp in stamps[1:]:
        assert stamp is not None
        assert twin.observe(stamp) == resolver.observe(stamp)
    assert twin.first_year == resolver.first_year == 2019


def test_clocks_count_midnights() -> None:
    lines = [b"23:59:58 x", b"23:59:59 x", b"00:00:01 x", b"23:59:59 late", b"00:00:02 x"]
    reader = StampReader.learn(lines)
    assert reader is not None
    resolver = reader.years()
    times = [resolver.observe(stamp) for line in lines if (stamp := reader.read(line)) is not None]
    assert times == [86398, 86399, 86401, 86399, 86402]


@given(st.binary(max_size=80))
def test_any_bytes_are_read_without_an_error(line: bytes) -> None:
    stamp = find_stamp(line, 2011)
    assert stamp is None or 0 <= stamp.start < stamp.end <= len(line)
    reader = StampReader.learn([line] * 3)
    if reader is not None:
        reader.read(line)
