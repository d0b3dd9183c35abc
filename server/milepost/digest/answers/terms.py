"""The terms of a question: names as they stand, phrases that the thesaurus knows, and words, each with all that may stand
for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from milepost.digest.answers.thesaurus import Phrase, Thesaurus
from milepost.digest.answers.words import words_of

MAX_TERMS = 16

GENERIC_WEIGHT = 0.12
"""What a word counts that only names what the whole file is about."""
_MEASURE_WEIGHT, _NAME_WEIGHT, _PURPOSE_WEIGHT = 0.3, 1.2, 0.4
#: What a word of a phrase is worth beside the phrase.
_PART_WORTH = 0.85
#: What a word counts that the file says without the "not" which the question has.
_WITHOUT_NOT = 0.4

_TOKEN = re.compile(r"\"[^\"]{1,120}\"|`[^`]{1,120}`|[^\s?!,;\"`]+")
_NAME = re.compile(r"[./_:@\\#=]\w|[A-Za-z]\d|\d[A-Za-z]|\w-\d|\d-\w|^\.")
_HUMPS = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")

_STOP_TEXT = """a about after again all also am among an and any are as at be been being both but by can cannot could did do
 does doing each ever few for from get gets given had has have having he her here his how i if in into is it
 its itself just let many may me might more much must my no not of on onto or other our ourselves own please s
 same shall she should so some still such t tell than that the their them then there these they this those to
 too under until up us was we were what when where which while who whom whose why will with within would you
 your yours ve ll re d m now only once over out off before during happen happened happens got gotten exactly
 actually really ever show find say says said come came go goes went gone made make makes take takes took use
 used uses using want one two far often long around since even like put seem seems know known whether"""
STOP_WORDS = frozenset(_STOP_TEXT.split())

_SUPERLATIVE_WORDS = re.compile(
    r"^(?:slow|long|large|bigg|high|great|fast|heavi|busi|wor|deep|wid|old|hott|short|small|low|few|cheap|light|cold|quick"
    r"|new|late|earli|cost)\w*est$|^(?:most|least|worst|first|last|final|finally|recent|recently|latest)$"
)
_MEASURED = frozenset(("long", "much", "many", "fast", "often", "big", "larg", "far", "old", "slow", "quick"))
_NEGATIONS = frozenset(("not", "never", "n't", "cannot", "couldn", "didn", "isn", "wasn", "doesn"))
_MODALS = frozenset(("could", "can", "did", "does", "do", "would", "may", "should"))
_NEEDED = frozenset(("needed", "required", "necessary", "used", "allowed", "permitted", "possible"))


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


def terms_of(text: str, thesaurus: Thesaurus, superlative: str) -> tuple[Term, ...]:
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
        if length == 1 and (shown in STOP_WORDS or (superlative and _SUPERLATIVE_WORDS.match(shown)) or not shown):
            continue
        if phrase not in found:
            weight = _weight(phrase, thesaurus)
            if _is_purpose(pieces, index - length):
                weight *= _PURPOSE_WEIGHT
            needles = _needles(phrase, thesaurus)
            if _is_negated(pieces, index - length):
                needles = _negated(needles)
            found[phrase] = Term(shown, weight, needles)
    terms = list(found.values())
    if terms and all(term.weight < 1 for term in terms):
        # Nothing but generic words: then these are what is asked for.
        terms = [replace(term, weight=1.0 if number == 0 else 0.3) for number, term in enumerate(terms)]
    return tuple(terms)


def _is_negated(pieces: list[tuple[str, list[str]]], index: int) -> bool:
    """ "not trusted" says something of its own; "could not boot" is about booting."""
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
            found += [
                Needle(("not", word), needle.worth),
                Needle(("un" + word,), needle.worth),
                Needle(("no", word), needle.worth),
            ]
            found.append(Needle((word,), needle.worth * _WITHOUT_NOT))
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
        return _MEASURE_WEIGHT  # the kind of the question says it already
    return GENERIC_WEIGHT if len(phrase) == 1 and phrase[0] in thesaurus.generic else 1.0


def _needles(phrase: Phrase, thesaurus: Thesaurus) -> tuple[Needle, ...]:
    """The phrase itself and what stands for it. One that is only hinted at is looked for by its words too."""
    best: dict[Phrase, float] = {phrase: 1.0, **thesaurus.relatives.get(phrase, {})}
    if len(phrase) > 1 and phrase in thesaurus.hinted:
        for word in phrase:
            if word not in STOP_WORDS and word not in thesaurus.generic:
                for other, worth in {(word,): 1.0, **thesaurus.relatives.get((word,), {})}.items():
                    best[other] = max(best.get(other, 0.0), worth * _PART_WORTH)
    return tuple(Needle(other, worth) for other, worth in best.items() if any(other))


def _name_term(name: str, words: list[str], thesaurus: Thesaurus) -> Term:
    """A name is looked for as it stands, and its words as a phrase."""
    phrase = tuple(thesaurus.base(word) for word in words)
    needles = [Needle((name.lower(),), 1.0, is_name=True), Needle(phrase, 0.9)]
    if "-" in name and phrase in thesaurus.relatives:
        needles += [Needle(other, worth) for other, worth in thesaurus.relatives[phrase].items()]
    return Term(name, _NAME_WEIGHT, tuple(needles))
