"""What a line must hold to answer a kind of question: a time, a name, a number with its unit, a reason."""

from __future__ import annotations

import re

from milepost.digest.answers.question import Question

_NUMBER = r"\d[\d,.]*"
_TIME = re.compile(
    r"\d{1,2}:\d{2}(?::\d{2})?|\b(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}|\b\d{1,2}[-/. ](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
    r"|\b1[0-9]{9}(?:\d{3})?\b|\b(?:19|20)\d{12}\b"
)
_SPAN = re.compile(
    rf"{_NUMBER} ?(?:ns|us|µs|ms|msecs?|micros|millis\w*|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?|weeks?)\b"
    rf"|\d+:\d\d:\d\d[.,]\d|(?i:time|elapsed|took|duration|_ms|_in|window|secs?)\W{{0,4}}{_NUMBER}"
)
_SPEED = re.compile(rf"{_NUMBER} ?(?:[kMGT]?i?[bB]?(?:ytes?)?/s(?:ec)?|[kMG]?bps|[kMG]?Hz|fps|rpm)", re.I)
_BYTES = re.compile(rf"{_NUMBER} ?(?:[kKMGT]i?[bB]?|bytes?|pages)\b")
_ANY_NUMBER = re.compile(r"\d")
_WHO = re.compile(
    r"(?i)\b(?:user(?:name)?|account|acct|login|uid|author|owner|by|requested-by|from|for|client|name|principal\w*|email|rhost|host|actor"
    r"|editor|who|committer)\b\W{0,4}\w|[\w.+-]+@[\w-]+\.\w|\b\d{1,3}(?:\.\d{1,3}){3}\b|\[\w+\]"
)
_WHERE = re.compile(
    r"[/\\]\w[\w.-]*[/\\]?\w|\w:\\|[a-z]+://|\b\d{1,3}(?:\.\d{1,3}){3}\b|(?i:host|dir|path|location|venue|country|city)"
)
_REASON = re.compile(
    r"(?i)\berr(?:or|no)?\b|\bfail|\bfatal|exception|denied|refused|\bcannot\b|can't|could ?n[o']t|\bnot\b|\bno\b|missing|invalid"
    r"|unable|timed? ?out|because|due to|reason|wrong|reject|forbidden|abort|only|requires?|insufficient|unknown|halt"
)
_TRUTH = re.compile(
    r"(?i)\b(?:true|false|yes|no|on|off|enabled?|disabled?|not|none|always|never|allow\w*|required|un\w+|0|1)\b"
)

#: What the thing asked for looks like, by the word that names it.
_FOCUS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (r"\bport\b", re.compile(r"(?i)port\w*\W{0,4}\d{2,5}|:\d{2,5}\b")),
    (r"\b(?:version|release|edition|build)\b", re.compile(r"\bv?\d+\.\d+")),
    (r"\b(?:ip|address)\b", re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){3,}")),
    (r"\b(?:memory|ram|heap|size|disk|space|swap)\b", _BYTES),
    (r"\b(?:image)\b", re.compile(r"[\w./-]+:[\w.-]+")),
    (r"\b(?:e-?mail)\b", re.compile(r"[\w.+-]+@[\w-]+\.\w")),
    (r"\b(?:url|link)\b", re.compile(r"[a-z]+://")),
)


def fit(question: Question, text: str) -> float:
    """How far a line holds what would answer: 0 to 1."""
    lowered = question.text.lower()
    for word, shape in _FOCUS:
        if re.search(word, lowered) and question.kind not in ("why", "whether"):
            return 1.0 if shape.search(text) else 0.0
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
        return 1.0 if _WHO.search(text) else 0.2
    if kind == "where":
        return 1.0 if _WHERE.search(text) else 0.2
    if kind == "why":
        return 1.0 if _REASON.search(text) else 0.0
    if kind == "whether":
        return 1.0 if _TRUTH.search(text) else 0.3
    return 0.5
