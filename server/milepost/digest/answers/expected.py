"""What a line must hold to answer a kind of question: a time, a name, a number with its unit, a reason."""

from __future__ import annotations

import re

from milepost.digest.answers.magnitude import measure_of
from milepost.digest.answers.question import Question

_NUMBER = r"\d[\d,.]*"
_TIME = re.compile(
    r"\d{1,2}:\d{2}(?::\d{2})?|\b(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}"
    r"|\b\d{1,2}[-/. ](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r"|\b1[0-9]{9}(?:\d{3})?\b|\b(?:19|20)\d{12}\b"
)
_SPAN = re.compile(
    rf"{_NUMBER} ?(?:ns|us|µs|ms|msecs?|micros|millis\w*|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|weeks?)\b"
    rf"|\d+:\d\d:\d\d[.,]\d|(?i:time|elapsed|took|duration|_ms|_in|window|secs?)\W{{0,4}}{_NUMBER}"
)
_SPEED = re.compile(rf"{_NUMBER} ?(?:[kMGT]?i?[bB]?(?:ytes?)?/s(?:ec)?|[kMG]?bps|[kMG]?Hz|fps|rpm)", re.I)
_BYTES = re.compile(rf"{_NUMBER} ?(?:[kKMGT]i?[bB]?|bytes?)\b")
_ANY_NUMBER = re.compile(r"\d")
_WHO = re.compile(
    r"(?i:\b(?:user(?:name)?|account|acct|login|uid|client|name|principal\w*|email|rhost|host|actor)\b\W{0,4}\w)"
    r"|(?i:\b(?:author|owner|editor|committer|maintainer|requested-by)\b[\"']?\s?[:=>])"
    r"|[\w.+-]+@[\w-]+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\[[a-z]\w+\]|\b(?:[Bb]y|[Ff]rom) [A-Z]\w+"
)
_WHO_KEY = re.compile(
    r"(?i:\b(?:user(?:name)?|account|acct)\b\W{1,4}\w|\b(?:author|owner|editor|committer|requested-by|client|principal\w*|login)\b[\"']?\s?[:=>])"
    r"|\b(?:[Bb]y|[Ff]or user) [A-Z]\w+ [A-Z]|\bfor (?:invalid user )?\w+ from\b"
)
_WHERE = re.compile(
    r"[/\\]\w[\w.-]*[/\\]?\w|\w:\\|[a-z]+://|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?i:host|dir|path|location|venue|country|city)"
)
_REASON = re.compile(
    r"(?i)\berr(?:or|no)?\b|\bfail|\bfatal|exception|denied|refused|\bcannot\b|can't|could ?n[o']t|\bnot\b|\bno\b"
    r"|missing|invalid|unable|timed? ?out|because|due to|reason|wrong|reject|forbidden|abort|only|requires?"
    r"|insufficient|unknown|halt"
)
_ASKS_VALUE = re.compile(r"^\W*what(?:'s| is| was| are| were) (?:the|its|my|our)\b")
#: What a line without a value counts where one is asked for.
_NO_VALUE = 0.2
_VALUE = re.compile(r"\w[\"'\])]?\s*[:=]\s*[\"'\w/<-]|\bis\b|\d|\w,\S")
_TRUTH = re.compile(
    r"(?i)\b(?:true|false|yes|no|on|off|enabled?|disabled?|not|none|always|never|allow\w*|required|un\w+|0|1)\b"
)

#: What the thing asked for looks like, by the word that names it.
_FOCUS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        r"ports?\b",
        re.compile(
            r"(?i)ports?\W{0,4}\d{2,5}|(?:\b0\.0\.0\.0|::\]?|localhost|127\.0\.0\.1|[\*\s\"]):\d{2,5}\b|http://[\w.]+:\d+"
        ),
    ),
    (r"(?:versions?|releases?|editions?|builds?)\b", re.compile(r"(?<!\d[:.,])(?<![\d.])v?\d+\.\d+(?!\d*:)")),
    (r"(?:ip|address)\b", re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,}")),
    (r"(?:how (?:much|big|large)|what size).*\b(?:memory|ram|heap|size|disk|space|swap|room)\b", _BYTES),
    (
        r"columns?\b",
        re.compile(
            r"^\s*[`\"\[]?\w+[`\"\]]?\s+(?i:int|varchar|text|date|char|decimal|numeric|float|bool|timestamp|enum|bigint|uuid)"
        ),
    ),
    (
        r"(?:machine|computer|host|box)\b",
        re.compile(r"(?i)\bhost(?:[._-]?name)?[\"']?\s*[:=]\s*[\"']?\w|\bhost(?:name)? \w"),
    ),
    (r"codes?\b", re.compile(r"\b[A-Z]{2,5}\b|\b0x[0-9a-fA-F]+\b|\b\d{2,5}\b")),
    (r"image\b", re.compile(r"[\w./-]+:[\w.-]+")),
    (r"e-?mail\b", re.compile(r"[\w.+-]+@[\w-]+\.\w")),
    (r"(?:url|link)\b", re.compile(r"[a-z]+://")),
    (r"header\b", re.compile(r"\w\.h(?:pp|xx)?\b|\w+: ")),
    (r"pages?\b", re.compile(r"[\"' ]/[\w%/.-]*|https?://")),
    (r"requests?\b", re.compile(r"\b(?:GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS)\b|[\"' ]/\w")),
    (r"(?:method|function|call)\b", re.compile(r"\w\(\)|\b(?:def|function|func|sub) \w|(?i:method|procedure) \w")),
    (r"class\b", re.compile(r"(?i:\bclass\b)\W{1,3}\w|[A-Z]\w+[.\\][A-Z]\w+")),
    (r"(?:file|folder|directory|path)s?\b", re.compile(r"[/\\]\w|\b[\w-]+\.\w{1,4}\b")),
    (r"clients?\b", re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?i:\bclient\b)\W{1,3}\w")),
)


#: The thing asked for stands soon after the word that asks.
_ASKED_FOR = (
    r"\b(?:(?:which|what)(?: (?:is|are|was|were) (?:the|its|my))?(?: [\w-]+)?"
    r"|how (?:much|big|large)(?: [\w-]+){0,3}?) \b"
)


def focus(question: Question) -> tuple[str, re.Pattern[str]] | None:
    """The word of the question that says what the answer looks like, as a pattern, and what it looks like."""
    lowered = question.text.lower()
    return next(
        (
            (word, shape)
            for word, shape in _FOCUS
            if re.search(word if word.startswith("(?:how") else _ASKED_FOR + word, lowered)
        ),
        None,
    )


def has_shape(question: Question) -> bool:
    """Whether what would answer is known by its looks, so that it may be told on the line beside."""
    return question.kind != "which" or focus(question) is not None


def fit(question: Question, text: str) -> float:
    """How far a line holds what would answer: 0 to 1."""
    lowered = question.text.lower()
    measure = measure_of(question)
    if measure is not None and measure.is_sure:
        return 1.0 if measure.of(text) is not None else 0.0
    looks_like = focus(question)
    if looks_like is not None:
        return 1.0 if looks_like[1].search(text) else 0.0
    kind = question.kind
    if kind == "when":
        return 1.0 if _TIME.search(text) else 0.0
    if kind == "how_long":
        speed = re.search(r"how (?:fast|quick|slow)", lowered) is not None
        return 1.0 if (_SPEED if speed else _SPAN).search(text) else 0.3 if _ANY_NUMBER.search(text) else 0.0
    if kind in ("how_many", "how_much"):
        if kind == "how_much" and _BYTES.search(text):
            return 1.0
        return 0.8 if _ANY_NUMBER.search(text) else 0.0
    if kind == "who":
        return 1.0 if _WHO_KEY.search(text) else 0.8 if _WHO.search(text) else 0.2
    if kind == "where":
        return 1.0 if _WHERE.search(text) else 0.2
    if kind == "why":
        return 1.0 if _REASON.search(text) else 0.0
    if kind == "whether":
        return 1.0 if _TRUTH.search(text) else 0.3
    if _ASKS_VALUE.search(lowered):
        return 1.0 if _VALUE.search(text) else _NO_VALUE
    return 0.7
