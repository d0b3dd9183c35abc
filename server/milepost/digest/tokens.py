"""How many tokens a text will cost, before anything is sent and whatever tokenizer the model has.

Tokenizers differ; what they share is how they fall on text: a common word is one token, a long or rare one several, a digit
up to one each, a run of blanks one. The estimate counts such runs over the bytes, in a handful of vectorised passes, and is
meant to be rather over than under: a prompt that does not fit costs a call, one that is a little short of full costs little.

The weights were fitted to a byte-pair tokenizer that takes digits one by one (as Llama's and Qwen's do; OpenAI's take three
at a time, and so stay below the estimate) over the corpus; `make bench-model` measures it again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_PUNCTUATION, _LOWER, _UPPER, _DIGIT, _BLANK, _LINE_END, _OTHER = range(7)


def _classes() -> npt.NDArray[np.uint8]:
    table = np.full(256, _PUNCTUATION, np.uint8)
    table[ord("a") : ord("z") + 1] = _LOWER
    table[ord("A") : ord("Z") + 1] = _UPPER
    table[ord("0") : ord("9") + 1] = _DIGIT
    table[list(b" \t")] = _BLANK
    table[list(b"\r\n")] = _LINE_END
    table[0x80:] = _OTHER
    return table


_CLASS_OF = _classes()
# Runs of one of these draw rules ("-----", "====="), which tokenizers know in long pieces.
_DRAWS_RULES = np.zeros(256, np.bool_)
_DRAWS_RULES[list(b"-=_*.#~+")] = True

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

_TAB, _SPACE, _LEAD_OF_SIGNS = 0x09, 0x20, 0xE2

_BLOCK = 1 << 20


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` is. Over the corpus 1.2 times what a tokenizer says, and seldom less than that."""
    if not text:
        return 0
    if len(text) <= _BLOCK:
        return max(1, round(_cost(text)))
    return round(sum(_cost(text[start : start + _BLOCK]) for start in range(0, len(text), _BLOCK)))


def _cost(text: str) -> float:
    data = np.frombuffer(text.encode("utf-8", "replace"), np.uint8)
    kinds = _CLASS_OF[data]
    kind, before = kinds[1:], kinds[:-1]
    repeats = data[1:] == data[:-1]
    letter = (kinds == _LOWER) | (kinds == _UPPER)
    cost = _cost_of_words(letter)

    capital = kind == _UPPER
    cost += _CAPITAL_AFTER_SMALL * np.count_nonzero(capital & (before == _LOWER))
    cost += _CAPITAL_AFTER_CAPITAL * np.count_nonzero(capital & (before == _UPPER) & ~repeats)
    cost += _DIGIT_EACH * np.count_nonzero(kinds == _DIGIT)
    cost += _LETTER_AFTER_DIGIT * np.count_nonzero(letter[1:] & (before == _DIGIT))

    punctuation = kinds == _PUNCTUATION
    goes_on = punctuation[1:] & punctuation[:-1]
    same = np.count_nonzero(goes_on & repeats & _DRAWS_RULES[data[1:]])
    more = np.count_nonzero(goes_on)
    cost += _PUNCTUATION_RUN * (np.count_nonzero(punctuation) - more)
    cost += _PUNCTUATION_MORE * (more - same) + _SAME_AGAIN * same

    # A single blank belongs to the word after it.
    blank = kinds == _BLANK
    more = np.count_nonzero(blank[1:] & blank[:-1])
    second = np.count_nonzero(blank[2:] & blank[1:-1] & ~blank[:-2]) + int(blank[:2].sum() == 2)
    cost += _BLANKS * second + _BLANK_MORE * more
    cost += _BLANK_BEFORE_DIGIT * np.count_nonzero((kind == _DIGIT) & (before == _BLANK))
    cost += _TAB_IN_TEXT * np.count_nonzero(data == _TAB)
    line_end = kinds == _LINE_END
    runs = np.count_nonzero(line_end) - np.count_nonzero(line_end[1:] & line_end[:-1])
    merged = np.count_nonzero(line_end[1:] & punctuation[:-1])
    cost += _LINE_ENDS * (runs - merged) + _LINE_ENDS_AFTER_PUNCTUATION * merged

    cost += _CONTROL * np.count_nonzero(punctuation & (data < _SPACE))
    if (kinds == _OTHER).any():
        cost += _CHARACTER_OF_2 * np.count_nonzero((data >= 0xC2) & (data < 0xE0))
        cost += _CHARACTER_OF_3 * np.count_nonzero((data >= 0xE0) & (data < 0xF0))
        cost += _SIGN * np.count_nonzero(data == _LEAD_OF_SIGNS)
        cost += _CHARACTER_OF_4 * np.count_nonzero(data >= 0xF0)
    return float(cost)


def _cost_of_words(letter: npt.NDArray[np.bool_]) -> float:
    edges = np.flatnonzero(np.diff(letter.view(np.int8), prepend=np.int8(0), append=np.int8(0)))
    lengths = edges[1::2] - edges[::2]
    counts = np.bincount(np.minimum(lengths, 10), minlength=11)
    cost = _SHORT_WORD * counts[:4].sum() + _WORD * counts[4:7].sum() + _LONG_WORD * counts[7:].sum()
    if counts[10]:
        long_words = lengths[lengths > 9]
        cost += _LETTER_PAST_8 * (long_words - 8).sum() + _LETTER_PAST_20 * np.maximum(long_words - 20, 0).sum()
    return float(cost)
