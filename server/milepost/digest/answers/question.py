"""What a question asks: its terms with all that may stand for them, what kind of thing would answer it, and how it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from milepost.digest.answers.thesaurus import Phrase, Thesaurus, load_thesaurus
from milepost.digest.answers.words import words_of

Kind = Literal["why", "when", "who", "where", "how_many", "how_much", "how_long", "how", "which", "whether"]
Superlative = Literal["", "most", "least", "first", "last"]

MAX_QUESTION_CHARACTERS = 1000
MAX_TERMS = 16
MAX_NEEDLES = 160

_MEASURED = frozenset(("long", "much", "many", "fast", "often", "big", "larg", "far", "old", "slow", "quick"))

#: What a word of a phrase is worth beside the phrase.
_PART_WORTH = 0.85

_TOKEN = re.compile(r"\"[^\"]{1,120}\"|`[^`]{1,120}`|[^\s?!,;\"`]+")
_NAME = re.compile(r"[./_:@\\#=]\w|[A-Za-z]\d|\d[A-Za-z]|\w-\d|\d-\w|^\.")
_HUMPS = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")

_STOP_TEXT = """a about after again all also am among an and any are as at be been being both but by can cannot could did do does doing
 each ever few for from get gets given had has have having he her here his how i if in into is it its itself just let many may
 me might more much must my no not of on onto or other our ourselves own please s same shall she should so some still such t
 tell than that the their them then there these they this those to too under until up us was we were what when where which
 while who whom whose why will with within would you your yours ve ll re d m now only once over out off before during
 happen happened happens got gotten exactly actually really ever show find say says said come came go goes went gone made make makes take
 takes took use used uses using want one two far often long
 around since even like put seem seems know known whether"""
_STOP = frozenset(_STOP_TEXT.split())

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
_SUPERLATIVE_WORDS = re.compile(
    r"^(?:slow|long|large|bigg|high|great|fast|heavi|busi|wor|deep|wid|old|hott|short|small|low|few|cheap|light|cold|quick"
    r"|new|late|earli|cost)\w*est$|^(?:most|least|worst|first|last|final|finally|recent|recently|latest)$"
)

_KINDS: tuple[tuple[Kind, str], ...] = (
    (
        "why",
        r"\bwhy\b|\bhow come\b|\bwhat (?:made|caused|causes|led|triggered|went wrong)|\breason\b|\bcause of\b|\broot cause\b",
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


@dataclass(frozen=True, slots=True)
class Needle:
    """Something to be looked for: a phrase of bases, or a name as it stands. `worth` is up to 1, of the word itself."""

    phrase: Phrase
    worth: float
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A part of the question with all that may stand for it. `weight` is how much of the question it is."""

    text: str
    weight: float
    needles: tuple[Needle, ...]
    is_predicate: bool = False
    """Whether it says what was done: without it nothing is answered."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart. `is_cause` where it asks why all of it failed; `counted` is what "how many" is followed by."""

    text: str
    kind: Kind
    terms: tuple[Term, ...] = ()
    superlative: Superlative = ""
    is_cause: bool = False
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
        terms = _weighed(_terms(text, thesaurus, superlative), kind, lowered)
        terms = _predicated(terms, kind, lowered, thesaurus)
        needles = dict.fromkeys(needle for term in terms for needle in term.needles)
        return cls(
            text=text,
            kind=kind,
            terms=terms,
            superlative=superlative,
            is_cause=_asks_for_cause(kind, lowered, thesaurus),
            counted=_counted(lowered, thesaurus) if kind == "how_many" else (),
            needles=tuple(needles)[:MAX_NEEDLES],
        )


def _kind_of(lowered: str) -> Kind:
    """The kind by what is asked first: "who could not connect, and why?" is asked of a person."""
    found = [(match.start(), number) for number, (_, pattern) in enumerate(_KINDS) if (match := re.search(pattern, lowered))]
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
    return tuple(replace(term, is_predicate=number == verbs[-1] and term.weight >= 1) for number, term in enumerate(terms))


def _weighed(terms: tuple[Term, ...], kind: Kind, lowered: str) -> tuple[Term, ...]:
    """Of "how many bottles of …" the bottles are only the unit, which files leave out."""
    if kind == "how_many" and len(terms) > 1 and re.search(r"\bhow many \w+ of\b", lowered):
        return (replace(terms[0], weight=terms[0].weight * 0.5), *terms[1:])
    return terms


def _terms(text: str, thesaurus: Thesaurus, superlative: str) -> tuple[Term, ...]:
    """The terms: names as they stand; phrases that the thesaurus knows; the other words that are not stop words."""
    pieces = _pieces(text)
    found: dict[Phrase, Term] = {}
    index = 0
    while index < len(pieces) and len(found) < MAX_TERMS:
        name, words = pieces[index]
        if name:
            found.setdefault((name.lower(),), _name_term(name, words, thesaurus))
            index += 1
            continue
        length = _known_length(pieces, index, thesaurus)
        phrase = tuple(thesaurus.base(pieces[index + offset][1][0]) for offset in range(length))
        shown = " ".join(pieces[index + offset][1][0] for offset in range(length))
        index += length
        if length == 1 and (shown in _STOP or (superlative and _SUPERLATIVE_WORDS.match(shown)) or not shown):
            continue
        if phrase not in found:
            weight = _weight(phrase, thesaurus)
            if _is_purpose(pieces, index - length):
                weight *= 0.4
            needles = _needles(phrase, thesaurus)
            if _is_negated(pieces, index - length):
                needles = _negated(needles)
            found[phrase] = Term(shown, weight, needles)
    terms = list(found.values())
    if terms and all(term.weight < 1 for term in terms):
        # Nothing but generic words: then these are what is asked for.
        terms = [replace(term, weight=1.0 if number == 0 else 0.3) for number, term in enumerate(terms)]
    return tuple(terms)


_NEGATIONS = frozenset(("not", "never", "n't", "cannot", "couldn", "didn", "isn", "wasn", "doesn"))
_MODALS = frozenset(("could", "can", "did", "does", "do", "would", "may", "should"))
_NEEDED = frozenset(("needed", "required", "necessary", "used", "allowed", "permitted", "possible"))


def _is_negated(pieces: list[tuple[str, list[str]]], index: int) -> bool:
    """"not trusted" says something of its own; "could not boot" is about booting."""
    asked = {words[0] for _, words in pieces}
    return index > 0 and pieces[index - 1][1][-1] in _NEGATIONS and not asked & _MODALS


def _is_purpose(pieces: list[tuple[str, list[str]]], index: int) -> bool:
    """Whether it only says what for, as "connect" in "is a password needed to connect?"."""
    return index > 1 and pieces[index - 1][1] == ["to"] and pieces[index - 2][1][-1] in _NEEDED


def _negated(needles: tuple[Needle, ...]) -> tuple[Needle, ...]:
    """What says that it is not so; the word alone counts half."""
    found: list[Needle] = []
    for needle in needles:
        if len(needle.phrase) == 1 and not needle.is_name:
            word = needle.phrase[0]
            found += [Needle(("not", word), needle.worth), Needle(("un" + word,), needle.worth), Needle(("no", word), needle.worth)]
            found.append(Needle((word,), needle.worth * 0.4))
        else:
            found.append(needle)
    return tuple(found)


def _pieces(text: str) -> list[tuple[str, list[str]]]:
    """The tokens of a question: (the name, if it is one, else "", its words)."""
    pieces: list[tuple[str, list[str]]] = []
    for token in _TOKEN.findall(text):
        quoted = token[0] in '"`' and len(token) > 2
        plain = token.strip('"`') if quoted else token.strip("'()[]{}<>?!,;").rstrip(".:")
        plain = re.sub(r"['’]s$|['’]$", "", plain)
        words = words_of(plain)
        if not words:
            continue
        if quoted or _NAME.search(plain) or _HUMPS.search(plain) or ("-" in plain and len(words) > 1):
            pieces.append((plain, words))
        else:
            pieces.extend(("", [word]) for word in words)
    return pieces


def _known_length(pieces: list[tuple[str, list[str]]], index: int, thesaurus: Thesaurus) -> int:
    """How many words from here on are a phrase that the thesaurus knows; at least 1."""
    phrase: list[str] = []
    best = 1
    for name, words in pieces[index : index + thesaurus.longest]:
        if name:
            break
        phrase.append(thesaurus.base(words[0]))
        if len(phrase) > 1 and tuple(phrase) in thesaurus.relatives:
            best = len(phrase)
    return best


def _weight(phrase: Phrase, thesaurus: Thesaurus) -> float:
    if len(phrase) == 2 and phrase[0] == "how" and phrase[1] in _MEASURED:
        return 0.3  # the kind of the question says it already
    return 0.12 if len(phrase) == 1 and phrase[0] in thesaurus.generic else 1.0


def _needles(phrase: Phrase, thesaurus: Thesaurus) -> tuple[Needle, ...]:
    """The phrase itself and what stands for it. One that is only hinted at is looked for by its words too."""
    best: dict[Phrase, float] = {phrase: 1.0, **thesaurus.relatives.get(phrase, {})}
    if len(phrase) > 1 and phrase in thesaurus.hinted:
        for word in phrase:
            if word not in _STOP and word not in thesaurus.generic:
                for other, worth in {(word,): 1.0, **thesaurus.relatives.get((word,), {})}.items():
                    best[other] = max(best.get(other, 0.0), worth * _PART_WORTH)
    return tuple(Needle(other, worth) for other, worth in best.items() if any(other))


def _name_term(name: str, words: list[str], thesaurus: Thesaurus) -> Term:
    """A name is looked for as it stands, and its words as a phrase."""
    phrase = tuple(thesaurus.base(word) for word in words)
    needles = [Needle((name.lower(),), 1.0, is_name=True), Needle(phrase, 0.9)]
    if "-" in name and phrase in thesaurus.relatives:
        needles += [Needle(other, worth) for other, worth in thesaurus.relatives[phrase].items()]
    return Term(name, 1.2, tuple(needles))


def _asks_for_cause(kind: Kind, lowered: str, thesaurus: Thesaurus) -> bool:
    """Whether a question is "why did it fail" with nothing said of what, but that it is the build, the job, the run."""
    words = [thesaurus.base(word) for word in words_of(lowered) if word not in _STOP]
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


def _counted(lowered: str, thesaurus: Thesaurus) -> Phrase:
    match = re.search(r"\b(?:how many|number of|count of)\s+(.*)", lowered)
    if not match:
        return ()
    words = [word for word in words_of(match[1])[:3] if word not in _STOP]
    return tuple(thesaurus.base(word) for word in words[:1])
