"""Layouts learnt from a log's own lines: where stamp and level stand in an unknown one, which fields a JSON log has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from milepost.core.logs.heads import Head
from milepost.core.logs.stamp_shapes import BY_NAME
from milepost.core.logs.timestamps import StampReader

_NAMED_GROUP = re.compile(rb"\(\?P<\w+>")
_LEVEL = (
    rb"(?P<level>(?i:trace|debug\d?|verbose|info(?:rmation|rmational)?|notice|note|warn(?:ing)?"
    rb"|err(?:or)?|eror|severe|crit(?:ical)?|alert|emerg(?:ency)?|fatal|panic|failure)|FINE(?:R|ST)?|CONFIG|VRB|DBG"
    rb"|INF|WRN|NRM"
    rb"|(?<=[\s\[(<|])[VDIWEFNC](?=[\s\])>|/:]))(?![\w.-])"
)
_AFTER_STAMP = rb"[\])>\"'}]{0,3}[\s:,|;-]{0,4}"
_BETWEEN = rb"(?:\[[^\]]{0,80}\]|\([^)]{0,80}\)|[^\s\[(]{1,60})[\s:,|;]{1,4}(?:- )?"
_AFTER_LEVEL = rb"[\d>\])(|:\s-]{0,8}(?:\[[^\]]{0,80}\][\s:-]{0,3}|\([^)]{0,80}\)[\s:-]{0,3})*"


@dataclass(frozen=True, slots=True)
class LearntHead:
    """A head learnt from lines: `share` of them match."""

    name: str
    title: str
    share: float
    head: Head


def learn_head(lines: Sequence[bytes]) -> LearntHead | None:
    """A layout for lines that have a stamp in common; None where too few do, or where they rather are a table."""
    reader = StampReader.learn(lines)
    if reader is None:
        return None
    shape = BY_NAME[reader.shapes[0]]
    hits = [(line, stamp) for line in lines if (stamp := reader.read(line)) is not None and stamp.shape == shape.name]
    # Where the stamp stands: most lines agree to within some bytes, and what is before it is no text.
    starts = sorted(stamp.start for _, stamp in hits)
    low, high = starts[len(starts) // 20], starts[-1 - len(starts) // 20]
    if high > 120 or (high - low > 40 and high > 60):
        return None
    hits = [
        (line, stamp)
        for line, stamp in hits
        if low <= stamp.start <= high and not _NO_PREFIX.search(line[: stamp.start])
    ]
    share = len(hits) / len(lines)
    worded = sum(1 for line, stamp in hits if _WORDS.search(line, stamp.end))
    if worded * 2 < len(hits):
        return None
    certain = shape.has_date and not shape.name.startswith("epoch")
    if share < 0.2 or (not certain and (share < 0.6 or high > 24 or len(lines) < 2)):
        return None
    if _is_numbers([line for line, _ in hits]) or _is_other_format(lines):
        return None
    stamp_pattern = _NAMED_GROUP.sub(b"(?:", shape.pattern)
    before = rb"[^'{]{%d,%d}?" % (max(0, low - 8), high + 8) if high else b""
    plain = before + rb"(?<![\w.])" + stamp_pattern + _AFTER_STAMP
    if low >= 4:
        leading = re.compile(
            rb"\W{0,3}" + _LEVEL.replace(rb"(?<=[\s\[(<|])", b"") + before + stamp_pattern + _AFTER_STAMP
        )
        if sum(1 for line, _ in hits if leading.match(line)) * 2 >= len(hits):
            return LearntHead("generic", "log with levels and times", share, Head.of(leading))
    for between in range(4):
        pattern = re.compile(
            plain + (b"(?:" + _BETWEEN + b"){0,%d}?" % between if between else b"") + _LEVEL + _AFTER_LEVEL
        )
        if sum(1 for line, _ in hits if pattern.match(line)) * 2 >= len(hits):
            whole = re.compile(plain + (b"(?:(?:" + _BETWEEN + b"){0,%d}?" % between) + _LEVEL + _AFTER_LEVEL + b")?")
            return LearntHead("generic", "log with times and levels", share, Head.of(whole))
    if share < 0.5 and not certain:
        return None
    if share < 0.5 and len(hits) < 5:
        return None
    return LearntHead("generic", "log with times", share, Head.of(re.compile(plain)))


# Values, not log heads: SQL literals, JSON and YAML fields, attributes, e-mail headers.
_NO_PREFIX = re.compile(
    rb"['{]|\":\s?|\t.*\t|\bINSERT\b|\bVALUES\b|<\w+ \w+=|^\w[\w-]*: {1,8}$|,.*,.*,|^(?:\+\+\+|---|\*\*\*) "
)
_HEADER = re.compile(rb"\"?[A-Za-z_][\w .()/#-]{0,40}\"?(?:[,;\t|] ?\"?[A-Za-z_][\w .()/#-]{0,40}\"?){1,}\s*$")
_OTHER_FORMAT = re.compile(
    rb"(?:INSERT INTO|CREATE (?:TABLE|INDEX)|COPY \w+|ALTER TABLE|VALUES)\b|\(\d+,|<\w+[\s>]|apiVersion:"
    rb"|commit [0-9a-f]{40}"
    rb"|diff --git|@@ -|[+-]{3} \S|=== \w+ |Index: "
)


def is_table(lines: Sequence[bytes]) -> bool:
    """Whether the lines are a table with a header: a line of names, and as many separators in the others."""
    if len(lines) < 2 or not _HEADER.match(lines[0]):
        return False
    separator = max((b",", b";", b"\t", b"|"), key=lines[0].count)
    columns = lines[0].count(separator)
    return sum(1 for line in lines if line.count(separator) >= columns) >= 0.8 * len(lines)


def _is_numbers(hits: Sequence[bytes]) -> bool:
    """Whether the lines are rows of a table without a header: always as many separators, and mostly numbers."""
    for separator in (b",", b";", b"\t", b"|"):
        number, frequency = Counter(line.count(separator) for line in hits).most_common(1)[0]
        if number and frequency >= 0.95 * len(hits):
            values = [value for line in hits[:50] for value in line.split(separator)[1:]]
            if sum(1 for value in values if _NUMBER.match(value)) >= 0.6 * len(values):
                return True
    return False


_WORDS = re.compile(rb"[A-Za-z\x80-\xff]{2}")
_NUMBER = re.compile(rb"\s*\"?[-+]?[\d.]*(?:[eE][-+]?\d+)?%?\"?\s*$")


def _is_other_format(lines: Sequence[bytes]) -> bool:
    return sum(1 for line in lines if _OTHER_FORMAT.match(line)) * 5 > len(lines)


_TIME_KEYS = (
    rb'"(?:@?timestamp(?:_ns)?|@?time|ts|t|@t|date_?time|event_?time|started_at|asctime|instant|__REALTIME_TIMESTAMP'
    rb'|\w*_?timestamp|creation_?time|epoch\w*|(?:observed)?timeunixnano)"\s*:'
)
_LEVEL_KEYS = (
    rb'"(?:log\.level|level|lvl|severity|severitytext|levelname|level_?name|loglevel|log_level|@l|PRIORITY|s)"\s*:\s*"?'
)
_MESSAGE_KEYS = (
    rb'"(?:msg|message|short_message|log|body|@m|@mt|MESSAGE|event|textpayload)"\s*:\s*(?:\{"stringValue":)?"'
)
# Access and audit logs have neither level nor message, but what was done, and how it ended.
_HAS_ACTION = re.compile(
    rb'"(?:event_?name|event_?id|operation(?:_?name)?|\w*(?:request_?)?(?:method|uri|url))"\s*:\s*"', re.IGNORECASE
)
_HAS_STATUS = re.compile(rb'"\w*status(?:_?code)?"\s*:\s*"?([1-5]\d\d)\b', re.IGNORECASE)
_HAS_TIME = re.compile(_TIME_KEYS, re.IGNORECASE)
_HAS_LEVEL = re.compile(_LEVEL_KEYS + rb"(\w+)", re.IGNORECASE)
_HAS_MESSAGE = re.compile(_MESSAGE_KEYS, re.IGNORECASE)
_JSON_BYTES = 8_192


@dataclass(frozen=True, slots=True)
class JsonFields:
    """How the records of a JSON log are read: which key holds the level (and whether it is a syslog priority)."""

    name: str
    title: str
    level_kind: str

    def split(self, line: bytes, start: int) -> tuple[int, bytes, str]:
        """As `Layout.split`: the message's text begins after its key; `start` if it has none."""
        kind = self.level_kind
        level = (_HAS_STATUS if kind == "status" else _HAS_LEVEL).search(line, start, _JSON_BYTES)
        message = _HAS_MESSAGE.search(line, start, _JSON_BYTES)
        return (
            message.end() if message is not None else start,
            level[1] if level is not None else b"",
            kind,
        )


def learn_json(lines: Sequence[bytes]) -> JsonFields | None:
    """The fields of a log of one JSON object a line; None for other JSON lines (without a time, or without a level or
    message), and where less than 60 % of the lines are objects."""
    records = [line for line in lines if line[:1] == b"{" and len(line) > 12]
    if len(records) < 0.6 * len(lines):
        return None
    timed = sum(1 for line in records if _HAS_TIME.search(line, 0, _JSON_BYTES))
    graded = sum(1 for line in records if _HAS_LEVEL.search(line, 0, _JSON_BYTES))
    spoken = sum(1 for line in records if _HAS_MESSAGE.search(line, 0, _JSON_BYTES))
    if timed < 0.7 * len(records):
        return None
    if max(graded, spoken) < 0.5 * len(records):
        acting = sum(1 for line in records if _HAS_ACTION.search(line, 0, _JSON_BYTES))
        ending = sum(1 for line in records if _HAS_STATUS.search(line, 0, _JSON_BYTES))
        if len(records) < 2 or max(acting, ending) < 0.8 * len(records):
            return None
        return JsonFields("json-access", "access or audit log (JSON)", "status")
    text = b"\n".join(records[:50])
    name, title = next((row[1:] for row in _JSON_KINDS if re.search(row[0], text)), ("json-lines", "JSON log"))
    return JsonFields(name, title, "priority" if name in ("journal-json", "gelf") else "level")


_JSON_KINDS: tuple[tuple[bytes, str, str], ...] = (
    (rb'"t":\s?\{"\$date"', "mongodb-json", "MongoDB log (JSON)"),
    (rb'"__REALTIME_TIMESTAMP"', "journal-json", "systemd journal (JSON)"),
    (rb'"short_message"', "gelf", "GELF log"),
    (rb'"ecs\.version"|"ecs":\{"version"', "ecs", "Elastic Common Schema log"),
    (rb'"log":"(?:[^"\\]|\\.)*","stream":"std', "docker-json", "Docker container log"),
    (rb'"v":0\b', "bunyan", "bunyan log"),
    (rb'"pid":\d+,"hostname":|"hostname":"[^"]*","pid":\d+', "pino", "pino or bunyan log"),
    (rb'"fields":\{"message"', "rust-tracing-json", "Rust tracing log (JSON)"),
    (rb'"resourceLogs"|"severity_number"', "otel", "OpenTelemetry log"),
    (rb'"level":"[a-z]+","ts":', "zap-json", "Go zap log (JSON)"),
)
