"""Which legacy encoding a text is in, once it is known to be neither UTF-8 nor UTF-16.

`charset-normalizer` proposes: it rules out encodings that do not decode, and measures disorder. What it leaves open
between the encodings of Latin letters (a byte is "ø" in windows-1252 and "ř" in windows-1250) is decided by alphabets:
the encoding in which the letters beyond ASCII are those of one language.

A guess remains a guess: encodings in which the text at hand reads the same are not told apart, nor need they be.
"""

from __future__ import annotations

import re

SAMPLE_BYTES = 16384
"""How much text beyond ASCII is looked at."""

# What files are really in. The many others of the library (EBCDIC, DOS code pages of single countries) only add
# wrong answers on short texts. Supersets stand for their subsets: cp932 for Shift_JIS, gb18030 for GB 2312 and GBK.
_CANDIDATES = [
    "cp1252", "cp1250", "iso8859_2", "cp1251", "koi8_r", "iso8859_5", "cp866", "cp855", "mac_cyrillic", "cp1253",
    "iso8859_7", "cp1254", "cp1255", "cp1256", "iso8859_6", "cp874", "cp932", "euc_jp", "cp949", "johab", "big5",
    "cp950", "gb18030", "cp850",
]  # fmt: skip

# In the order of preference where the text reads equally well.
_LATIN = ("cp1252", "cp1254", "cp1250", "iso8859_2")
_ALPHABETS: dict[str, tuple[str, ...]] = {
    "cp1252": (
        "äöüß", "àâæçèéêëîïôœùûüÿ", "áéíñóúüªº", "áàâãçéêíóôõúü", "àèéìíîòóùú", "åäöæøé", "áðéíóúýþæö", "áéëïóöü",
        "äöõüšž", "àçèéíïóòúü",
    ),
    "cp1254": ("çğıöşüâîû",),
    "cp1250": ("áčďéěíňóřšťúůýž", "ąćęłńóśźż", "áéíóöőúüű", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž"),
    "iso8859_2": ("áčďéěíňóřšťúůýž", "ąćęłńóśźż", "áéíóöőúüű", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž"),
}  # fmt: skip

_NAMES = {
    "cp1250": "windows-1250", "cp1251": "windows-1251", "cp1252": "windows-1252", "cp1253": "windows-1253",
    "cp1254": "windows-1254", "cp1255": "windows-1255", "cp1256": "windows-1256", "cp1258": "windows-1258",
    "iso8859_2": "iso-8859-2", "iso8859_5": "iso-8859-5", "iso8859_6": "iso-8859-6", "iso8859_7": "iso-8859-7",
}  # fmt: skip

# In the order of preference; they share many places of letters.
_CYRILLIC = ("cp1251", "koi8_r", "iso8859_5", "cp866", "cp855", "mac_cyrillic")
_CYRILLIC_IN_CASE = re.compile(r"[а-яѐ-џґ]|(?<![а-яѐ-џґ])[А-ЯЀ-ЏҐ]")

# Everyday characters: of each standard the rows of punctuation, kana, Hangul and the first level of ideographs; and in
# which rows the kana are. In the order of preference.
_PAIR = re.compile(rb"[\x81-\xfe][\x40-\xfe]")
_DOUBLE_BYTE: dict[str, tuple[re.Pattern[bytes], bytes | None]] = {
    "cp932": (re.compile(rb"[\x81-\x83\x88-\x97][\x40-\xfc]"), b"\x82\x83"),
    "euc_jp": (re.compile(rb"[\xa1-\xa5\xb0-\xcf][\xa1-\xfe]"), b"\xa4\xa5"),
    "cp949": (re.compile(rb"[\xa1-\xa3\xb0-\xc8][\xa1-\xfe]"), None),
    "gb18030": (re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]"), None),
    "big5": (re.compile(rb"[\xa1-\xa3\xa4-\xc6][\x40-\x7e\xa1-\xfe]"), None),
    "johab": (re.compile(rb"[\x88-\xd3\xd9][\x41-\xfe]"), None),
}

_BEYOND_ASCII_IN_WORD = re.compile(r"(?<=[^\W\d_])[^\x00-\x7f]|[^\x00-\x7f](?=[^\W\d_])")

_FALLBACK = "windows-1252"
_ENOUGH_BYTES = 6

_ISO_2022 = (
    (re.compile(rb"\x1b\$[@B]|\x1b\$\(D|\x1b\([IJ]"), "iso2022_jp_ext", "iso2022-jp-ext"),
    (re.compile(rb"\x1b\$\)C"), "iso2022_kr", "iso2022-kr"),
)


def escape_encoding(sample: bytes) -> str:
    """The name of the 7-bit encoding whose escape sequences the sample holds (ISO-2022-JP, ISO-2022-KR), or "".

    ANSI colour codes, also begun by ESC, are none of these.
    """
    if b"\x1b" not in sample:
        return ""
    for pattern, codec, name in _ISO_2022:
        if pattern.search(sample):
            # The sample may end within a character, so only what precedes its last line end must decode.
            whole_lines = sample[: sample.rfind(b"\n") + 1] or sample
            try:
                whole_lines.decode(codec)
            except UnicodeDecodeError:
                continue
            return name
    return ""


def guess_legacy_encoding(sample: bytes) -> str:
    """The likeliest legacy encoding's name in Python, or "" where the bytes beyond ASCII are rather damage.

    `sample` holds bytes beyond ASCII.
    """
    beyond = re.findall(rb"[\x80-\xff]+", sample)
    if sum(map(len, beyond)) < _ENOUGH_BYTES:
        # Too little to measure. Accented letters and signs standing alone are Western, all else is damage.
        is_western = all(len(run) == 1 and _is_western(run.decode("cp1252", "replace")) for run in beyond)
        return _FALLBACK if is_western else ""
    from charset_normalizer import from_bytes  # 40 ms to import, and most files are UTF-8

    sample = _telling_lines(sample)
    matches = list(from_bytes(sample, cp_isolation=_CANDIDATES, threshold=0.3))
    if not matches:
        return _NAMES[_best_latin(sample)] if _decodes(sample, "iso8859_2") else _FALLBACK
    best = matches[0].encoding
    near = {
        encoding
        for match in matches
        if match.chaos <= matches[0].chaos + 0.05
        for encoding in (match.encoding, *match.could_be_from_charset)
    }
    if best in _CYRILLIC:
        best = max((encoding for encoding in _CYRILLIC if encoding in near), key=lambda codec: _russian(sample, codec))
    elif best in _DOUBLE_BYTE:
        fitting = [codec for codec in _DOUBLE_BYTE if codec in near or _decodes(sample, codec)]
        best = max(fitting, key=lambda codec: _everyday(sample, codec), default=best)
    elif (best in _LATIN or best == "cp850" or matches[0].chaos > 0.2) and near & set(_LATIN):
        best = _best_latin(sample)
    return _NAMES.get(best, best.replace("_", "-"))


def _everyday(sample: bytes, codec: str) -> float:
    """The share of two-byte characters that are everyday ones; halved for Japanese without a single kana."""
    everyday, kana = _DOUBLE_BYTE[codec]
    pairs = _PAIR.findall(sample)
    share = sum(everyday.fullmatch(pair) is not None for pair in pairs) / max(1, len(pairs))
    has_kana = kana is None or any(pair[0] in kana for pair in pairs)
    # Hangul's rows are also ideographs in GB 2312, but Chinese text has near half of its own in others.
    return round((share if has_kana else share / 2) + (0.15 if codec == "cp949" else 0), 2)


def _russian(sample: bytes, codec: str) -> float:
    """The share of characters beyond ASCII that are Cyrillic letters in a fitting case: no capital within a word."""
    text = sample.decode(codec, "replace")
    beyond = sum(character > "\x7f" for character in text)
    return round(len(_CYRILLIC_IN_CASE.findall(text)) / max(1, beyond), 3)


def _is_western(character: str) -> bool:
    return character.isalpha() or character in "£€§°±©®·…–—‘’“”„«»¿¡×²³¼½"


def _telling_lines(sample: bytes) -> bytes:
    """The lines with bytes beyond ASCII, as far as they fit: plain ones tell nothing. Declarations stay in front."""
    declaration = sample[:256] if re.search(rb"(?:encoding|charset)\s*=", sample[:1024], re.IGNORECASE) else b""
    lines = [line for line in sample.splitlines(keepends=True) if not line.isascii()]
    return (declaration + b"".join(lines))[:SAMPLE_BYTES] if declaration else b"".join(lines)[:SAMPLE_BYTES]


def _decodes(sample: bytes, codec: str) -> bool:
    try:
        sample.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _best_latin(sample: bytes) -> str:
    """Of the encodings of Latin letters, the one in which most letters beyond ASCII are of one language."""

    def fit(encoding: str) -> float:
        # Only what touches a letter counts: "£5" tells nothing, though "£" is a letter of Polish in windows-1250.
        beyond = _BEYOND_ASCII_IN_WORD.findall(sample.decode(encoding, "replace").lower())
        alphabets = map(frozenset, _ALPHABETS[encoding])
        return max(sum(character in alphabet for character in beyond) for alphabet in alphabets) / max(1, len(beyond))

    return max(_LATIN, key=lambda encoding: round(fit(encoding), 3))
