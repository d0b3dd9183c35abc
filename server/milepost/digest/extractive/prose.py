"""The most telling sentences of a text: those that share most of their words with the rest, as LexRank measures it.

A chunk is divided into paragraphs and these into sentences. The centrality of a sentence is how alike it is, by the cosine
of its weighted words, to all others (degree centrality, the simplest form of LexRank: Erkan and Radev, 2004); a sentence
early in its section, or one that defines its subject, counts a little more. One much like a better one is left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_MOST_SENTENCES = 240
_LEAST_WORDS = 6
_MOST_WORDS = 80
#: From here on scripts are written without blanks between words.
_FIRST_SIGN = "\N{CJK RADICAL REPEAT}"
_NO_PROSE = re.compile(rb"[#=*+|>`~\-_\d<{\[(.\\/%$@]|\w{1,64}:\s|\S{1,200}$")
_END = re.compile(rb"(?<=[.!?])[\"')\]\xe2\x80\x9d]*\s+(?=[\"'(\[A-Z0-9\xc3-\xe2])|(?<=\xe3\x80\x82)")
_ABBREVIATED = re.compile(rb"(?:\b(?:e\.g|i\.e|etc|vs|cf|Mr|Mrs|Dr|St|No|Fig|al|[A-Z])\.)$")
_WORD = re.compile(r"[^\W\d_]{2,}")
_DEFINES = re.compile(
    r"\b(?:is|are|means|defines?|describes?|provides?|allows?|must|should|important|therefore|in short)\b"
)
#: A sentence that leans on the one before it, or on an example.
_LEANS = re.compile(
    r"(?:This|These|That|Those|It|They|And|But|So|Or|Here|Thus|Hence|However|Note|For example|Similarly|In this|Also|Then)\b"
    r"|[^\w\"'(“]|[a-zß-ÿ]"
)
_HEADING = re.compile(rb"\s*(?:#{1,6}\s|={3,}|-{3,}|\d+(?:\.\d+)*\.?\s+[A-Z])")
_STOP_WORDS = (
    "the a an and or of to in on for with by is are was were be been it its this that these those at from not but if then"
    " than so such can may will would has have had do does did which who whom what when where how there their they he she"
    " his her you your we our i me my all any each no more most other some into over under out up down about after before"
)
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence at a byte range of the chunk; `score` is between 0 and about 1."""

    start: int
    end: int
    text: str
    score: float


def telling_sentences(data: bytes, encoding: str, most: int, *, is_start: bool) -> list[Sentence]:
    """The best sentences of a text, the best first; none where it is no prose.

    `is_start` says that the text begins here: what it begins with says what it is about.
    """
    found = _sentences(data, encoding)
    if len(found) > _MOST_SENTENCES:
        step = len(found) / _MOST_SENTENCES
        found = [found[int(place * step)] for place in range(_MOST_SENTENCES)]
    if not found:
        return []
    similarity = _similarity([words for *_, words in found])
    centrality = similarity.sum(axis=1) - 1.0
    highest = float(centrality.max()) or 1.0
    scored = []
    for place, (start, end, text, early, _) in enumerate(found):
        score = 0.6 * float(centrality[place]) / highest + early
        if _DEFINES.search(text):
            score += 0.05
        if _LEANS.match(text) or text.endswith("?"):
            score -= 0.3
        if text.count("`") > 1:
            score -= 0.15
        scored.append(Sentence(start, end, text, round(score, 4)))
    opening = next((place for place, one in enumerate(scored) if not _LEANS.match(one.text)), None)
    if opening is not None and is_start:
        first = scored[opening]
        scored[opening] = Sentence(first.start, first.end, first.text, round(first.score + 0.5, 4))
    chosen: list[int] = []
    for place in sorted(range(len(scored)), key=lambda place: (-scored[place].score, scored[place].start)):
        if all(similarity[place, other] < 0.5 for other in chosen):
            chosen.append(place)
            if len(chosen) == most:
                break
    return [scored[place] for place in chosen]


def _sentences(data: bytes, encoding: str) -> list[tuple[int, int, str, float, Counter[str]]]:
    found: list[tuple[int, int, str, float, Counter[str]]] = []
    for begin, end in _blocks(data):
        text = data[begin:end]
        lines = text.split(b"\n")
        odd = sum(1 for line in lines if line.strip() and _is_odd(line.strip()))
        if 2 * odd > len(lines) or len(text) < 40:
            continue
        place = 0
        # The first sentence of a paragraph counts more, most of all under a heading or at the head of the text.
        early = 0.15
        above = data[max(0, begin - 200) : begin].rstrip().rpartition(b"\n")[2]
        if _HEADING.match(above) or _HEADING.match(text) or begin < 400:
            early = 0.35
        for cut in [*_cuts(text), len(text)]:
            raw = text[place:cut]
            start = begin + place + len(raw) - len(raw.lstrip())
            stripped = raw.strip()
            place = cut
            if not stripped or len(stripped) > 600:
                continue
            decoded = " ".join(stripped.decode(encoding, "replace").split())
            words = [part for word in _WORD.findall(decoded) for part in _parts(word)]
            if not _LEAST_WORDS <= len(words) <= _MOST_WORDS:
                continue
            counts = Counter(word[:7] for word in words if word not in _STOP)
            if len(counts) >= 3:
                found.append((start, start + len(stripped), decoded, early, counts))
                early = 0.0
    return found


def _blocks(data: bytes) -> Iterator[tuple[int, int]]:
    """The byte ranges of paragraphs: lines between blank ones."""
    begin = at = 0
    for line in data.splitlines(keepends=True):
        if not line.strip():
            if begin < at:
                yield begin, at
            begin = at + len(line)
        at += len(line)
    if begin < at:
        yield begin, at


def _is_odd(line: bytes) -> bool:
    """Whether a line, without blanks around it, is no prose: markup, code, a row of a table, a single word."""
    return line[-1:] in b"{};" or (line[-1:] == b"|" and line.count(b"|") > 1) or _NO_PROSE.match(line) is not None


def _parts(word: str) -> list[str]:
    """A word in lower case; a run of signs that are written without blanks as pairs of them."""
    if word[0] < _FIRST_SIGN:
        return [word.lower()]
    return [word[place : place + 2] for place in range(len(word) - 1)]


def _cuts(text: bytes) -> list[int]:
    return [
        match.end()
        for match in _END.finditer(text)
        if not _ABBREVIATED.search(text[max(0, match.start() - 6) : match.start()])
    ]


def _similarity(bags: list[Counter[str]]) -> npt.NDArray[np.float64]:
    """The cosine of each two sentences, words weighted by how few sentences they are in."""
    document = Counter(word for bag in bags for word in bag)
    numbers = {word: place for place, word in enumerate(word for word, count in document.items() if count > 1)}
    matrix = np.zeros((len(bags), max(1, len(numbers))))
    for row, bag in enumerate(bags):
        for word, count in bag.items():
            column = numbers.get(word)
            if column is not None:
                matrix[row, column] = count * math.log(1 + len(bags) / document[word])
    lengths = np.sqrt((matrix**2).sum(axis=1, keepdims=True))
    matrix /= np.where(lengths == 0, 1, lengths)
    similarity: npt.NDArray[np.float64] = matrix @ matrix.T
    np.fill_diagonal(similarity, 1.0)
    return similarity
