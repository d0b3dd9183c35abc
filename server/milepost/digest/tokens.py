"""How many tokens a text will cost, before anything is sent and whatever tokenizer the model has.

Tokenizers differ; what they share is how they fall on text: a common word is one token, a long or rare one several, a digit
up to one each, a run of blanks one. The estimate counts such runs, in a handful of passes over the classes of the bytes, and
is meant to be rather over than under: a prompt that does not fit costs a call, one a little short of full costs little.

The weights were fitted to a byte-pair tokenizer that takes digits one by one (as Llama's and Qwen's do; OpenAI's take three
at a time, and so stay below the estimate) over the corpus; `make bench-model` measures it again.
"""

from __future__ import annotations

import re
from collections import Counter

# A letter for the class of each byte.
_PUNCTUATION, _LOWER, _UPPER, _DIGIT, _BLANK, _TAB, _LINE_END, _CONTROL_BYTE = b"PLUDBTEC"
_LEAD_OF_2, _LEAD_OF_3, _LEAD_OF_4, _SIGN_LEAD, _INNER = b"234s_"


def _classes() -> bytes:
    table = bytearray([_PUNCTUATION]) * 256
    table[:0x20] = bytearray([_CONTROL_BYTE]) * 0x20
    for characters, kind in (
        (range(ord("a"), ord("z") + 1), _LOWER),
        (range(ord("A"), ord("Z") + 1), _UPPER),
        (range(ord("0"), ord("9") + 1), _DIGIT),
        (b" ", _BLANK),
        (b"\t", _TAB),
        (b"\r\n", _LINE_END),
        (range(0x80, 0xC2), _INNER),
        (range(0xC2, 0xE0), _LEAD_OF_2),
        (range(0xE0, 0xF0), _LEAD_OF_3),
        (b"\xe2", _SIGN_LEAD),
        (range(0xF0, 0x100), _LEAD_OF_4),
    ):
        for character in characters:
            table[character] = kind
    return bytes(table)


_CLASS_OF = _classes()
_WORDS = re.compile(rb"[LU]+")
_CAPITALS = re.compile(rb"U+")
_PUNCTUATIONS = re.compile(rb"[PC]+")
_MANY_BLANKS = re.compile(rb"[BT]{2,}")
_LINE_ENDS_RUN = re.compile(rb"(P?)E+")
# Runs of one of these draw rules ("-----", "====="), which tokenizers know in long pieces.
_RULES = re.compile(rb"([-=_*.#~+])\1+")

# Tokens for each thing that is counted.
_SHORT_WORD = 1.1  # up to three letters
_WORD = 1.25  # four to six
_LONG_WORD = 1.6
_LETTER_PAST_8 = 0.3
_LETTER_PAST_20 = 0.35  # on top: no word, but base64 and the like
_CAPITAL_AFTER_SMALL = 1.5
_CAPITAL_AFTER_CAPITAL = 0.12
_DIGIT_EACH = 1.1
_BLANK_BEFORE_DIGIT = 0.8
_TAB_IN_TEXT = 0.7
_PUNCTUATION_RUN = 0.8
_PUNCTUATION_MORE = 0.5
_SAME_AGAIN = 0.12
_BLANKS = 1.3
_BLANK_MORE = 0.03
_LINE_ENDS = 0.9
_LINE_ENDS_AFTER_PUNCTUATION = 0.2  # most of them are one token with it
_CONTROL = 0.6
_LETTER_AFTER_DIGIT = 0.35
_CHARACTER_OF_2 = 1.0  # Latin with accents, Greek, Cyrillic, Hebrew, Arabic
_CHARACTER_OF_3 = 1.3  # Chinese, Japanese, Korean, the scripts of India, signs
_SIGN = 0.7  # on top: what is not a letter of any script, from U+2000 on
_CHARACTER_OF_4 = 4.0


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is. Over the corpus 1.2 times what a tokenizer says, and seldom less than that."""
    return max(1, round(_cost(text.encode("utf-8", "replace")))) if text else 0


def _cost(data: bytes) -> float:
    kinds = data.translate(_CLASS_OF)
    count = kinds.count
    cost = _cost_of_words(kinds)
    capitals = count(b"U")
    if capitals:
        cost += _CAPITAL_AFTER_SMALL * count(b"LU")
        cost += _CAPITAL_AFTER_CAPITAL * (capitals - len(_CAPITALS.findall(kinds)))
    digits = count(b"D")
    if digits:
        cost += _DIGIT_EACH * digits + _LETTER_AFTER_DIGIT * (count(b"DL") + count(b"DU"))
        cost += _BLANK_BEFORE_DIGIT * (count(b"BD") + count(b"TD"))

    controls = count(b"C")
    runs = len(_PUNCTUATIONS.findall(kinds))
    more = count(b"P") + controls - runs
    same = sum(len(rule[0]) - 1 for rule in _RULES.finditer(data)) if more else 0
    cost += _PUNCTUATION_RUN * runs + _PUNCTUATION_MORE * (more - same) + _SAME_AGAIN * same + _CONTROL * controls

    # A single blank belongs to the word after it.
    blanks = [len(run) for run in _MANY_BLANKS.findall(kinds)]
    cost += _BLANKS * len(blanks) + _BLANK_MORE * (sum(blanks) - len(blanks)) + _TAB_IN_TEXT * count(b"T")
    after_punctuation = Counter(_LINE_ENDS_RUN.findall(kinds))
    cost += _LINE_ENDS * after_punctuation[b""] + _LINE_ENDS_AFTER_PUNCTUATION * after_punctuation[b"P"]

    if not data.isascii():
        cost += _CHARACTER_OF_2 * count(b"2") + _CHARACTER_OF_3 * count(b"3")
        cost += (_CHARACTER_OF_3 + _SIGN) * count(b"s") + _CHARACTER_OF_4 * count(b"4")
    return cost


def _cost_of_words(kinds: bytes) -> float:
    cost = 0.0
    for length, times in Counter(map(len, _WORDS.findall(kinds))).items():
        if length <= 3:
            each = _SHORT_WORD
        elif length <= 6:
            each = _WORD
        else:
            each = _LONG_WORD
            if length > 9:
                each += _LETTER_PAST_8 * (length - 8) + _LETTER_PAST_20 * max(0, length - 20)
        cost += each * times
    return cost
