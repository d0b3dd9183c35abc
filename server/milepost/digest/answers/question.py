"""What a question asks: its terms with all that may stand for them, and what kind of thing would answer it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from milepost.digest.answers.terms import STOP_WORDS, Needle, Term, terms_of
from milepost.digest.answers.thesaurus import Phrase, Thesaurus, load_thesaurus
from milepost.digest.answers.words import words_of

Kind = Literal["why", "when", "who", "where", "how_many", "how_much", "how_long", "how", "which", "whether"]
Superlative = Literal["", "most", "least", "first", "last"]

MAX_QUESTION_CHARACTERS = 1000
MAX_NEEDLES = 160


_SUPERLATIVES: tuple[tuple[Superlative, str], ...] = (
    (
        "most",
        r"\b(?:slowest|longest|largest|biggest|highest|greatest|most|maximum|max|fastest|heaviest|busiest|worst|deepest|widest"
        r"|oldest|hottest|costliest)\b",
    ),
    ("least", r"\b(?:shortest|smallest|lowest|fewest|least|minimum|min|cheapest|lightest|coldest|quickest)\b"),
    ("first", r"\b(?:first|earliest|begin(?:s|ning)?)\b"),
    ("last", r"\b(?:last|latest|final|finally|newest|most recent(?:ly)?)\b"),
)
#: "at most", "at least": limits, not superlatives.
_LIMITS = re.compile(r"\bat (?:most|least)\b|\b(?:most|max(?:imum)?|min(?:imum)?) (?:number|size|length|depth|width)\b")

_KINDS: tuple[tuple[Kind, str], ...] = (
    (
        "why",
        r"\bwhy\b|\bhow come\b|\bwhat (?:made|caused|causes|led|triggered|went wrong)"
        r"|\bwhat (?:brought|knocked|took|crashed|killed|stopped|restarted) (?:the|our|my)\b|\breason\b"
        r"|\bcause of\b|\broot cause\b",
    ),
    ("how_many", r"\bhow many\b|\bnumber of\b|\bcount of\b"),
    (
        "how_long",
        r"\bhow long (?:did|does|do|was|were|has|had|will|until|may|must|are|is)\b|\bhow (?:fast|quick|slow)\b|\bhow often\b"
        r"|\bduration\b",
    ),
    ("how_much", r"\bhow (?:much|big|large|high|deep|wide|full|old|long|far|heavy|hot|small)\b|\bwhat size\b"),
    ("when", r"\bwhen\b|\bwhat time\b|\bsince when\b|\bat what time\b|\b(?:what|which) (?:date|day|hour)\b"),
    ("who", r"\bwho\b|\bwhom\b|\bwhose\b|\b(?:which|what) (?:user|account|client|person|login|customer|address|ip)\b"),
    (
        "where",
        r"\bwhere\b|\b(?:in|on|at|from) which\b|\b(?:which|what) (?:file|folder|directory|path|host|machine|line)\b",
    ),
    ("how", r"^\W*how\b"),
    ("which", r"\bwhich\b|\bwhat\b"),
    ("whether", r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will)\b"),
)


#: That something stopped or began anew, and what is said with it.
_STOPS = re.compile(
    r"\b(?:re-?start\w*|re-?boot\w*|crash\w*|die[ds]?|dying|stop(?:s|ped|ping)?|quit|exit(?:s|ed)?|halt(?:s|ed)?|killed"
    r"|terminat\w+|shut ?downs?|shut(?:ting)? down"
    r"|(?:go|goes|going|went|brought|took|taken|knocked|bring|is|was) (?:(?:the|our|my) )?(?:\w+ )?down)\b"
)
_STOPS_BESIDE = frozenset(("caus", "made", "make", "again", "suddenl", "unexpect", "led"))


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart. `is_cause` where it asks why all of it failed, `is_stop` too where it
    asks why it stopped or was started again; `counted` is what "how many" is followed by."""

    text: str
    kind: Kind
    terms: tuple[Term, ...] = ()
    superlative: Superlative = ""
    is_cause: bool = False
    is_stop: bool = False
    counted: Phrase = ()
    needles: tuple[Needle, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, text: str) -> Question:
        """Take a question apart. Never fails: what is not understood is looked for as it stands."""
        thesaurus = load_thesaurus()
        text = " ".join(text[:MAX_QUESTION_CHARACTERS].split())
        lowered = text.lower()
        kind = _kind_of(lowered)
        limits = _LIMITS.search(lowered) is not None
        superlative: Superlative = next((name for name, pattern in _SUPERLATIVES if re.search(pattern, lowered)), "")
        if limits and superlative in ("most", "least"):
            superlative = ""
        terms = _weighed(terms_of(text, thesaurus, superlative), kind, lowered)
        terms = _predicated(terms, kind, lowered, thesaurus)
        is_stop = _asks_for_stop(kind, lowered, thesaurus)
        needles = dict.fromkeys(needle for term in terms for needle in term.needles)
        return cls(
            text=text,
            kind=kind,
            terms=terms,
            superlative=superlative,
            is_cause=is_stop or _asks_for_cause(kind, lowered, thesaurus),
            is_stop=is_stop,
            counted=_counted(lowered, thesaurus) if kind == "how_many" else (),
            needles=tuple(needles)[:MAX_NEEDLES],
        )


def _kind_of(lowered: str) -> Kind:
    """The kind by what is asked first: "who could not connect, and why?" is asked of a person."""
    found = [
        (match.start(), number) for number, (_, pattern) in enumerate(_KINDS) if (match := re.search(pattern, lowered))
    ]
    return _KINDS[min(found)[1]][0] if found else "which"


def _predicated(terms: tuple[Term, ...], kind: Kind, lowered: str, thesaurus: Thesaurus) -> tuple[Term, ...]:
    """Mark the term that says what was done or happened: after "who" the first, else the last participle or verb."""
    if len(terms) < 2:
        return terms
    verbs = [
        number
        for number, term in enumerate(terms)
        if (word := term.text.split()[0].lower()) in thesaurus.irregular or (word.endswith("ed") and len(word) > 4)
    ]
    if kind == "who" and lowered.startswith("who "):
        verbs = [0]
    elif kind == "how_many" and not re.search(r"\bhow many \w+ of\b", lowered):
        verbs = [0]  # what is counted must be there
    elif not verbs and re.search(r"\b(?:did|does|do|could|can) \w", lowered):
        verbs = [len(terms) - 1]
    if not verbs:
        return terms
    return tuple(
        replace(term, is_predicate=number == verbs[-1] and term.weight >= 1) for number, term in enumerate(terms)
    )


def _weighed(terms: tuple[Term, ...], kind: Kind, lowered: str) -> tuple[Term, ...]:
    """Of "how many bottles of …" the bottles are only the unit, which files leave out."""
    if kind == "how_many" and len(terms) > 1 and re.search(r"\bhow many \w+ of\b", lowered):
        return (replace(terms[0], weight=terms[0].weight * 0.5), *terms[1:])
    return terms


def _asks_for_cause(kind: Kind, lowered: str, thesaurus: Thesaurus) -> bool:
    """Whether a question is "why did it fail" with nothing said of what, but that it is the build, the job, the run."""
    words = [thesaurus.base(word) for word in words_of(lowered) if word not in STOP_WORDS]
    failing = {base for base, row in thesaurus.relatives.items() if ("fail",) in row or base == ("fail",)}
    fails = [word for word in words if (word,) in failing or word in ("stop", "end", "fail")]
    others = [
        word for word in words if word not in fails and word not in thesaurus.subjects and word not in ("wrong", "earl")
    ]
    generic = all(word in thesaurus.generic for word in others)
    return (
        bool(fails)
        and generic
        and (kind == "why" or re.search(r"\bwhat (?:went wrong|failed|broke)", lowered) is not None)
    )


def _asks_for_stop(kind: Kind, lowered: str, thesaurus: Thesaurus) -> bool:
    """Whether a question is "why did the server restart", with nothing said of what but that it is a server or the like."""
    if kind != "why" or not _STOPS.search(lowered):
        return False
    words = [thesaurus.base(word) for word in words_of(_STOPS.sub(" ", lowered)) if word not in STOP_WORDS]
    return all(word in thesaurus.generic or word in thesaurus.subjects or word in _STOPS_BESIDE for word in words)


def _counted(lowered: str, thesaurus: Thesaurus) -> Phrase:
    match = re.search(r"\b(?:how many|number of|count of)\s+(.*)", lowered)
    if not match:
        return ()
    words = [word for word in words_of(match[1])[:3] if word not in STOP_WORDS]
    return tuple(thesaurus.base(word) for word in words[:1])
