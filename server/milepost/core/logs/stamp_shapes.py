"""The table of timestamp shapes that occur in logs, and how each one is read.

A shape is a pattern whose named groups say which field stands where; one reader serves all civil dates. The list was
drawn from the layouts that lnav, fail2ban, plaso and the loghub corpus document; where the order of day and month is a
guess, the shape names its rivals and the learner decides by evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

DAY_SECONDS = 86_400
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_LAST_EPOCH_SECOND = 2_208_988_800  # 2040-01-01: a greater number of ten digits is an identifier, not a time

_MONTHS: dict[bytes, int] = {
    spelling.encode(): number
    for number, spellings in enumerate(
        (
            "jan january januar janvier janv ene enero gen gennaio januari jän jänner",
            "feb february februar février févr fév febrero febbraio februari",
            "mar march mär märz mars marzo maart mrt mrz",
            "apr april avril avr abr abril aprile",
            "may mai mayo maggio mag mei maj",
            "jun june juni juin junio giu giugno",
            "jul july juli juillet juil julio lug luglio",
            "aug august août aoû agosto ago augustus augusti",
            "sep sept september septembre septiembre set settembre",
            "oct october oktober octobre octubre okt ott ottobre out",
            "nov november novembre noviembre",
            "dec december dezember dez décembre déc diciembre dic dicembre",
        ),
        start=1,
    )
    for spelling in spellings.split()
}

# RFC 5322 section 4.3 gives the North American names; the rest are those with one common meaning in logs.
_ZONE_HOURS: dict[bytes, float] = {
    name.encode(): hours
    for hours, names in (
        (-8, "PST"),
        (-7, "MST PDT"),
        (-6, "CST MDT"),
        (-5, "EST CDT"),
        (-4, "EDT"),
        (0, "Z UTC GMT WET"),
        (1, "CET WEST"),
        (2, "CEST EET"),
        (3, "EEST MSK"),
        (9, "JST KST"),
        (10, "AEST"),
    )
    for name in names.split()
}

Reading = tuple[float, bool]
"""Seconds since 1970-01-01, and whether a zone was given."""


@lru_cache(maxsize=64)
def month_number(spelling: bytes) -> int:
    """The month that digits or a name in one of several languages mean; 0 if none."""
    if spelling.isdigit():
        number = int(spelling)
        return number if number <= 12 else 0
    return _MONTHS.get(spelling.rstrip(b".").decode("utf-8", "replace").lower().encode(), 0)


@lru_cache(maxsize=1024)
def midnight_of(year: bytes, month: bytes, day: bytes, year_hint: int) -> int | None:
    """Seconds at the beginning of a day, or None where there is no such day. 29 February becomes 1 March if it must.

    An empty year means `year_hint`; two digits mean 1970 to 2069, as POSIX reads them (one year apart).
    """
    month_value, day_value = month_number(month), int(day)
    if year:
        year_value = int(year)
        if len(year) <= 2:
            year_value += 2000 if year_value < 70 else 1900
        if not 1970 <= year_value <= 2099:
            return None
    else:
        year_value = year_hint
        if month_value == 2 and day_value == 29 and not is_leap(year_value):
            month_value, day_value = 3, 1
    try:
        return (date(year_value, month_value, day_value).toordinal() - _EPOCH_ORDINAL) * DAY_SECONDS
    except ValueError:
        return None


def is_leap(year: int) -> bool:
    """Whether the year has a 29 February (Gregorian)."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


@lru_cache(maxsize=64)
def zone_seconds(zone: bytes) -> int | None:
    """Seconds east of UTC that a zone name or offset means; None where it is no zone (so no part of a stamp)."""
    zone = zone.strip()
    if zone[:1] in (b"+", b"-"):
        digits = zone[1:].replace(b":", b"")
        hours, minutes = int(digits[:2]), int(digits[2:] or b"0")
        if hours > 14 or minutes > 59:
            return None
        return (hours * 3600 + minutes * 60) * (-1 if zone[:1] == b"-" else 1)
    known = _ZONE_HOURS.get(zone.upper())
    return None if known is None else int(known * 3600)


_FIELDS = ("Y", "o", "d", "H", "M", "S", "f", "z", "p")


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to write a time. `regex` matches at the stamp's beginning and looks behind for a word's edge."""

    name: str
    pattern: bytes
    regex: re.Pattern[bytes]
    read: Callable[[re.Match[bytes], int], Reading | None]
    has_year: bool = True
    has_date: bool = True
    rivals: tuple[str, ...] = ()


def _civil_reader(regex: re.Pattern[bytes]) -> Callable[[re.Match[bytes], int], Reading | None]:
    # Every pattern ends in an empty group, which stands in for the fields that a shape does not have.
    slots = tuple(regex.groupindex.get(field, regex.groups) for field in _FIELDS)
    dated = "d" in regex.groupindex

    def read(match: re.Match[bytes], year_hint: int) -> Reading | None:
        year, month, day, hour, minute, second, fraction, zone, half = match.group(*slots)
        midnight = midnight_of(year or b"", month, day, year_hint) if dated else 0
        if midnight is None:
            return None
        hours, minutes, seconds = int(hour), int(minute), int(second or b"0")
        if half:
            if not 1 <= hours <= 12:
                return None
            hours = hours % 12 + (12 if half.lstrip()[:1] in b"pP" else 0)
        if hours > 23 or minutes > 59 or seconds > 60:
            return None
        total: float = midnight + hours * 3600 + minutes * 60 + seconds
        if fraction:
            total += int(fraction) / 10.0 ** len(fraction)
        if zone:
            offset = zone_seconds(zone)
            if offset is not None:
                return total - offset, True
        return total, False

    return read


def _read_epoch(match: re.Match[bytes], year_hint: int) -> Reading | None:
    whole, fraction = match["e"], match["f"]
    seconds = int(whole) / 10.0 ** (len(whole) - 10)
    if seconds >= _LAST_EPOCH_SECOND:
        return None
    if fraction:
        seconds += int(fraction) / 10.0 ** (len(fraction) + len(whole) - 10)
    return seconds, True


def _read_uptime(match: re.Match[bytes], year_hint: int) -> Reading | None:
    if match["ms"] is not None:
        return int(match["ms"]) / 1000, False
    return float((match["u"] or match["t"]).replace(b",", b".")), False


def _read_tai64n(match: re.Match[bytes], year_hint: int) -> Reading | None:
    # libtai's tai_now() writes 2^62 + 10 + the system's seconds: TAI's lead in 1970, no leap seconds since.
    seconds = int(match["e"], 16) - 2**62 - 10
    if not 0 < seconds < _LAST_EPOCH_SECOND:
        return None
    return seconds + int(match["f"] or b"0", 16) / 1e9, True


_EDGE = rb"(?<![\w.\\/\x80-\xff])(?<![\w.]-)"
# Longer names first, so that CEST is not read as CES and a T.
_ZONE_NAMES = b"|".join(name for length in (4, 3, 1) for name in _ZONE_HOURS if len(name) == length)
_PARTS: dict[bytes, bytes] = {
    b"FRACTION": rb"(?:(?:[.,]|:(?=\d{3}(?:\d{3})?(?!\d)))(?P<f>\d{1,9}))?",
    b"ZONE": rb"(?P<z> ?[+-]\d\d:?\d\d(?![\d:.])| ?(?:" + _ZONE_NAMES + rb")(?![A-Za-z])|[+-]\d\d(?![\d:.-]))?",
    b"HALF": rb"(?P<p> ?[AaPp]\.?[Mm]\.?(?![A-Za-z]))?",
    b"CLOCK": rb"(?P<H>\d{1,2}):(?P<M>\d\d):(?P<S>\d\d)(?!\d)",
    b"WEEKDAY": rb"(?:(?:[Mm]on|[Tt]ue|[Ww]ed|[Tt]hu|[Ff]ri|[Ss]at|[Ss]un)[a-z]{0,6},? +)?",
    b"NAME": rb"(?P<o>[A-Za-z\x80-\xff]{3,9}\.?)",
}
# A blank before one of the optional parts only sets it off for the reader.
_PART = re.compile(b" ?(FRACTION|ZONE|HALF)|(" + b"|".join(_PARTS) + b")")

# Earlier shapes win where two match at one place.
_CIVIL: tuple[tuple[str, bytes, tuple[str, ...]], ...] = (
    ("iso", rb"(?P<Y>\d{4})-(?P<o>\d\d)-(?P<d>\d\d)[Tt \t_:]{1,2}CLOCK FRACTION HALF ZONE", ()),
    ("iso-dotted", rb"(?P<Y>\d{4})-(?P<o>\d\d)-(?P<d>\d\d)-(?P<H>\d\d)\.(?P<M>\d\d)\.(?P<S>\d\d)FRACTION ZONE", ()),
    ("iso-minutes", rb"(?P<Y>\d{4})-(?P<o>\d\d)-(?P<d>\d\d)[T ](?P<H>\d\d):(?P<M>\d\d)(?![\d:])ZONE", ()),
    ("iso-basic", rb"(?P<Y>(?:19|20)\d\d)(?P<o>\d\d)(?P<d>\d\d)[-T ._:](?P<H>\d\d):?(?P<M>\d\d):?(?P<S>\d\d)(?!\d)"
     rb"FRACTION ZONE", ()),
    ("health", rb"(?P<Y>20\d\d)(?P<o>\d\d)(?P<d>\d\d)-(?P<H>\d{1,2}):(?P<M>\d{1,2}):(?P<S>\d{1,2}):(?P<f>\d{1,3})"
     rb"(?!\d)", ()),
    ("slash-ymd", rb"(?P<Y>\d{4})/(?P<o>\d{1,2})/(?P<d>\d{1,2})[ T:-]{1,3}CLOCK FRACTION ZONE", ()),
    ("dot-ymd", rb"(?P<Y>\d{4})\.(?P<o>\d\d)\.(?P<d>\d\d)[ T-]{1,2}CLOCK FRACTION ZONE", ()),
    ("colon-ymd", rb"(?P<Y>\d{4}):(?P<o>\d\d):(?P<d>\d\d)[ -]CLOCK FRACTION", ()),
    ("clf", rb"(?P<d>\d{1,2})/NAME/(?P<Y>\d{4})[: ]CLOCK FRACTION ZONE", ()),
    ("day-name-year", rb"WEEKDAY(?P<d>\d{1,2})[ -]NAME[ -](?P<Y>\d{4}|\d\d),?[ :T]CLOCK FRACTION HALF ZONE", ()),
    ("name-day-year", rb"WEEKDAY\bNAME +(?P<d>\d{1,2}),? (?P<Y>\d{4}),? +CLOCK FRACTION HALF ZONE", ()),
    ("name-dash-day-year", rb"NAME-(?P<d>\d\d)-(?P<Y>\d\d|\d{4}) CLOCK FRACTION", ()),
    ("ctime", rb"WEEKDAY\bNAME +(?P<d>\d{1,2}) +CLOCK FRACTION(?P<z> (?:[A-Z]{3,4}|[+-]\d{4}))? (?P<Y>(?:19|20)\d\d)"
     rb"(?![\d:.-])", ()),
    ("syslog", rb"WEEKDAY(?:\b(?P<z>" + _ZONE_NAMES + rb") )?\bNAME +(?P<d>\d{1,2}),? +CLOCK FRACTION", ()),
    ("name-dash-day", rb"NAME-(?P<d>\d\d) CLOCK FRACTION", ()),
    ("day-name", rb"(?P<d>\d{1,2}) NAME CLOCK FRACTION", ()),
    ("slash-mdy", rb"(?P<o>\d{1,2})/(?P<d>\d{1,2})/(?P<Y>\d{4})[ T,:\t-]{1,3}CLOCK FRACTION HALF ZONE", ("slash-dmy",)),
    ("slash-dmy", rb"(?P<d>\d{1,2})/(?P<o>\d{1,2})/(?P<Y>\d{4})[ T,:\t-]{1,3}CLOCK FRACTION HALF ZONE", ()),
    ("dash-dmy", rb"(?P<d>\d\d)-(?P<o>\d\d)-(?P<Y>\d{4})[ T,:-]{1,3}CLOCK FRACTION HALF ZONE", ("dash-mdy",)),
    ("dash-mdy", rb"(?P<o>\d\d)-(?P<d>\d\d)-(?P<Y>\d{4})[ T,:-]{1,3}CLOCK FRACTION HALF ZONE", ()),
    ("dot-dmy", rb"(?P<d>\d{1,2})\.(?P<o>\d{1,2})\.(?P<Y>\d{4}|\d\d)[ ,T-]{1,2}CLOCK FRACTION ZONE", ()),
    ("short-ymd", rb"(?P<Y>\d\d)/(?P<o>\d\d)/(?P<d>\d\d)[ ,-]CLOCK FRACTION HALF", ("short-mdy", "short-dmy")),
    ("short-mdy", rb"(?P<o>\d\d)/(?P<d>\d\d)/(?P<Y>\d\d)[ ,-]CLOCK FRACTION HALF", ()),
    ("short-dmy", rb"(?P<d>\d\d)/(?P<o>\d\d)/(?P<Y>\d\d)[ ,-]CLOCK FRACTION HALF", ()),
    ("short-dash-mdy", rb"(?P<o>\d\d)-(?P<d>\d\d)-(?P<Y>\d\d)[ ,]CLOCK FRACTION", ("short-dash-ymd", "short-dash-dmy")),
    ("short-dash-ymd", rb"(?P<Y>\d\d)-(?P<o>\d\d)-(?P<d>\d\d)[ ,]CLOCK FRACTION", ()),
    ("short-dash-dmy", rb"(?P<d>\d\d)-(?P<o>\d\d)-(?P<Y>\d\d)[ ,]CLOCK FRACTION", ()),
    ("slash-md", rb"(?P<o>\d\d)/(?P<d>\d\d)[ -]CLOCK FRACTION", ()),
    ("logcat", rb"(?P<o>\d\d)-(?P<d>\d\d) CLOCK FRACTION", ()),
    ("bracket-md", rb"(?<=\[)(?P<o>\d\d)\.(?P<d>\d\d) CLOCK(?=\])", ()),
    ("klog", rb"[IWEFDCV](?P<o>\d\d)(?P<d>\d\d) CLOCK\.(?P<f>\d{3,9})", ()),
    ("glog", rb"[IWEFDCV](?P<Y>20\d\d)(?P<o>\d\d)(?P<d>\d\d) CLOCK FRACTION", ()),
    ("compact", rb"(?P<Y>\d\d)(?P<o>\d\d)(?P<d>\d\d) (?P<H>\d\d)(?P<M>\d\d)(?P<S>\d\d)(?= )", ()),
    ("compact-clock", rb"(?P<Y>\d\d)(?P<o>\d\d)(?P<d>\d\d)  ?CLOCK", ()),
    ("sccm", rb"<time=\"CLOCK FRACTION(?:[+-]\d{1,4})?\" date=\"(?P<o>\d{1,2})-(?P<d>\d{1,2})-(?P<Y>\d{4})\"", ()),
)  # fmt: skip
_ORDINAL_DAY = rb"(?P<Y>\d{4})-(?P<d>\d{3})[T ]CLOCK FRACTION ZONE"
_EPOCH_END = rb"(?!\w)(?!\.\d)(?!-\d)"
# Not the clock of a date that there is not.
_TIME = rb"(?<![:-])(?<![-/]\d\d[ T])CLOCK FRACTION HALF(?!\d|:[0-9A-Fa-f]{2}(?!\w))"


def _compile(pattern: bytes) -> tuple[bytes, re.Pattern[bytes]]:
    spelled = _PART.sub(lambda part: _PARTS[part[1] or part[2]], pattern)
    return spelled, re.compile(_EDGE + spelled + b"()")


def _civil_shape(name: str, pattern: bytes, rivals: tuple[str, ...] = ()) -> Shape:
    spelled, regex = _compile(pattern)
    groups = regex.groupindex
    return Shape(name, spelled, regex, _civil_reader(regex), "Y" in groups, "d" in groups, rivals)


def _special_shape(
    name: str, pattern: bytes, read: Callable[[re.Match[bytes], int], Reading | None], dated: bool = True
) -> Shape:
    spelled, regex = _compile(pattern)
    return Shape(name, spelled, regex, read, dated, dated)


def _ordinal_shape() -> Shape:
    spelled, regex = _compile(_ORDINAL_DAY)
    civil = _civil_reader(re.compile(spelled.replace(b"(?P<d>", b"(?P<day>") + b"()"))

    def read(match: re.Match[bytes], year_hint: int) -> Reading | None:
        day, new_year = int(match["d"]), midnight_of(match["Y"], b"1", b"1", year_hint)
        if new_year is None or not 1 <= day <= 366:
            return None
        clock = civil(match, year_hint)
        return None if clock is None else (clock[0] + new_year + (day - 1) * DAY_SECONDS, clock[1])

    return Shape("iso-ordinal", spelled, regex, read)


STRONG: tuple[Shape, ...] = (
    *(_civil_shape(*row) for row in _CIVIL),
    _ordinal_shape(),
    _special_shape("tai64n", rb"@(?P<e>4[0-9a-f]{15})(?P<f>[0-9a-f]{8})?(?![0-9a-f])", _read_tai64n),
)
"""Shapes that are a time beyond doubt."""

EPOCH = _special_shape("epoch", rb"(?P<e>[12]\d{9})(?:[.,](?P<f>\d{1,9}))?" + _EPOCH_END, _read_epoch)
EPOCH_FINE = _special_shape(
    "epoch-fine", rb"(?P<e>1\d{12}(?:\d{3}){0,2})(?:\.(?P<f>\d{1,6}))?" + _EPOCH_END, _read_epoch
)
UPTIME = _special_shape(
    "uptime",
    rb"(?:(?<=\[) *(?P<u>\d{1,8}[.,]\d{3,9})s?(?=\])|(?<=\[)(?P<ms>\d{1,12})ms(?=\])|^ ?(?P<t>\d{1,8}[.,]\d{3})(?=: ))",
    _read_uptime,
    dated=False,
)
TIME = _civil_shape("time", _TIME)
WEAK: tuple[Shape, ...] = (EPOCH, EPOCH_FINE, UPTIME, TIME)
"""Shapes that are a time only if the place or other lines say so: numbers of seconds, a clock without a date."""

BY_NAME: dict[str, Shape] = {shape.name: shape for shape in (*STRONG, *WEAK)}


def _union(shapes: tuple[Shape, ...]) -> re.Pattern[bytes]:
    # Rivals share one pattern, so only the first of them is searched for.
    secondary = {rival for shape in shapes for rival in shape.rivals}
    branches = [
        b"(?P<s%d>%s)" % (index, re.sub(rb"\(\?P<\w+>", b"(?:", shape.pattern))
        for index, shape in enumerate(shapes)
        if shape.name not in secondary
    ]
    return re.compile(_EDGE + b"(?:" + b"|".join(branches) + b")")


ANY_STRONG = _union(STRONG)
"""Finds the first place where a strong shape may stand; `shape_of` names it."""


def shape_of(match: re.Match[bytes]) -> Shape:
    """The shape that a match of `ANY_STRONG` is of."""
    return STRONG[int((match.lastgroup or "s0")[1:])]
