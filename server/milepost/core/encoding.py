"""Which encoding a file's text is in, or that it holds no text.

In this order: byte order mark; signatures of binary formats; UTF-16 and UTF-32 without a mark, by where their zero
bytes are; ISO-2022 by its escape sequences; many control bytes make it binary; UTF-8 by validity; else a legacy
encoding is guessed.

The answer is a function of the first 256 KiB alone, so that a file longer than that keeps it as it grows. One
exception: where those are all NULs (a sparse log, a file that was preallocated), the first bytes beyond the run of NULs
are looked for, by probes at doubling offsets and at the end and then by bisection; while a file holds NULs only it
counts as binary, and is decided once its text has come.

NUL runs inside a text do not make it binary.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from milepost.core.legacy import escape_encoding, guess_legacy_encoding
from milepost.core.magic import binary_type, certain_binary_type
from milepost.core.source import ByteSource, Progress, StopFlag, never, no_progress
from milepost.core.transcode import TranscodedSource

__all__ = [
    "BINARY", "PREFIX_BYTES", "UTF8", "Encoding", "TranscodedSource", "binary_type", "decode", "detect_encoding",
    "text_view",
]  # fmt: skip

PREFIX_BYTES = 262_144
"""How much of a file decides its encoding."""

EncodingKind = Literal["utf8", "utf16", "utf32", "legacy", "binary"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a file's bytes are to be read. `name` is one that Python's codecs know, or "binary"."""

    name: str
    kind: EncodingKind
    bom_bytes: int = 0
    """The length of the byte order mark."""
    exact: bool = True
    """False for a guess: a legacy encoding, or UTF-8 with some invalid bytes in it."""

    @property
    def is_ascii_superset(self) -> bool:
        """Whether LF, CR and the letters of ASCII are single bytes, so that it can be scanned as it is."""
        return self.kind in ("utf8", "legacy")

    @property
    def unit_bytes(self) -> int:
        """The size of a code unit: 2 in UTF-16, 4 in UTF-32, else 1."""
        return {"utf16": 2, "utf32": 4}.get(self.kind, 1)


UTF8 = Encoding("utf-8", "utf8")
BINARY = Encoding("binary", "binary")

# UTF-32's first, since UTF-16's is its beginning.
_BYTE_ORDER_MARKS: tuple[tuple[bytes, str, EncodingKind], ...] = (
    (codecs.BOM_UTF8, "utf-8", "utf8"),
    (codecs.BOM_UTF32_LE, "utf-32-le", "utf32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "utf32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "utf16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "utf16"),
)

_PROBE_BYTES = 4096
_NUL_RUN = re.compile(rb"\x00{8,}")
# Control characters that texts do hold: separators of FIX and of ASCII (01, 1C to 1F), layout, ESC; NUL counts apart.
_ODD_CONTROLS = bytes(set(range(0x02, 0x20)) - set(b"\b\t\n\v\f\r\x1b\x1c\x1d\x1e\x1f")) + b"\x7f"
# Text that is valid UTF-8 may hold many (IRC colours, a terminal's typescript); compressed data is never valid.
_ODD_CONTROL_SHARE_UTF8 = 0.2
_ODD_CONTROL_SHARE = 0.03
# `find -print0` has a NUL for every path; with other odd bytes a few NULs are enough to call it binary.
_LONE_NUL_SHARE_PLAIN = 0.25
_LONE_NUL_SHARE = 0.01
_FEW_NULS = 2  # never enough to condemn a text


def detect_encoding(source: ByteSource) -> Encoding:
    """The encoding of the source's text; `Encoding.kind` is "binary" where it has none. An empty file is UTF-8."""
    head = source.read_at(0, PREFIX_BYTES)
    marked = _by_byte_order_mark(head)
    if marked is not None:
        return marked
    if certain_binary_type(head):
        return BINARY
    if head and not head.strip(b"\x00"):
        head = _beyond_nul_run(source)
    return _of_sample(head, is_whole=source.size <= len(head))


def text_view(
    source: ByteSource, encoding: Encoding, *, should_stop: StopFlag = never, progress: Progress = no_progress
) -> ByteSource:
    """The source as text in an ASCII superset: itself, or a `TranscodedSource` where it is UTF-16 or UTF-32.

    What reads, finds and plans takes such a view, and answers in offsets of the file. Raises `Cancelled`.
    """
    if encoding.kind in ("utf16", "utf32"):
        return TranscodedSource(source, encoding, should_stop=should_stop, progress=progress)
    return source


def decode(data: bytes, encoding: Encoding) -> tuple[str, bool]:
    """The text of `data`, and whether anything was lost: what does not decode becomes U+FFFD.

    A byte order mark stays, as U+FEFF. Of a binary file what is valid UTF-8 is shown.
    """
    codec = "utf-8" if encoding.kind == "binary" else encoding.name
    try:
        return data.decode(codec), False
    except UnicodeDecodeError:
        return data.decode(codec, "replace"), True


def _by_byte_order_mark(head: bytes) -> Encoding | None:
    for mark, name, kind in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            if kind == "utf32" and not _is_utf32(head, name):
                continue  # a UTF-16 mark and a NUL
            return Encoding(name, kind, len(mark))
    return None


def _beyond_nul_run(source: ByteSource) -> bytes:
    """A sample from where a leading run of NULs ends; empty where everything looked at is NUL."""

    def is_nul(offset: int) -> bool:
        return not source.read_at(offset, _PROBE_BYTES).strip(b"\x00")

    low = 0  # known to be NUL up to the end of its probe
    high = PREFIX_BYTES
    while high < source.size and is_nul(high):
        low, high = high, high * 2
    if high >= source.size:
        high = max(low, (source.size - 1) // _PROBE_BYTES * _PROBE_BYTES)
        if is_nul(high):
            return b""
    while high - low > _PROBE_BYTES:  # both are multiples of the probe
        middle = (low + high) // (2 * _PROBE_BYTES) * _PROBE_BYTES
        low, high = (middle, high) if is_nul(middle) else (low, middle)
    return source.read_at(high, PREFIX_BYTES)


def _of_sample(sample: bytes, *, is_whole: bool) -> Encoding:
    has_nul = b"\x00" in sample
    text = sample.replace(b"\x00", b"") if has_nul else sample
    if not text:
        return BINARY if sample or not is_whole else UTF8
    text = _without_cut_character(text, is_whole=is_whole)
    is_valid_utf8 = _is_utf8(text)
    odd_controls = len(text) - len(text.translate(None, _ODD_CONTROLS))
    is_plain = is_valid_utf8 and odd_controls <= _ODD_CONTROL_SHARE * len(text)
    control_share = _ODD_CONTROL_SHARE_UTF8 if is_valid_utf8 and not has_nul else _ODD_CONTROL_SHARE
    if has_nul:
        wide = _wide_without_mark(sample, looks_plain=is_plain)
        if wide is not None:
            return wide
        lone_nuls = _NUL_RUN.sub(b"", sample).count(b"\x00")
        share = _LONE_NUL_SHARE_PLAIN if is_plain and not odd_controls else _LONE_NUL_SHARE
        if lone_nuls > max(_FEW_NULS, share * len(text)):
            return BINARY
    escaped = escape_encoding(text)  # first, since ISO-2022-KR shifts with control characters
    if escaped:
        return Encoding(escaped, "legacy")
    if odd_controls > control_share * len(text):
        return BINARY
    if is_valid_utf8:
        return UTF8
    legacy = "" if _is_mostly_utf8(text) else guess_legacy_encoding(text)
    return Encoding(legacy, "legacy", exact=False) if legacy else Encoding("utf-8", "utf8", exact=False)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _without_cut_character(data: bytes, *, is_whole: bool) -> bytes:
    """`data` without a UTF-8 character that its end cuts.

    The whole of a file that is otherwise ASCII stays: its last byte is a Latin-1 letter, rather.
    """
    for back in range(1, min(4, len(data)) + 1):
        code = data[-back]
        if code >= 0xC0:
            needed = 2 if code < 0xE0 else 3 if code < 0xF0 else 4
            if back < needed and not (is_whole and data[:-back].isascii()):
                return data[:-back]
            break
        if code < 0x80:
            break
    return data


def _is_mostly_utf8(data: bytes) -> bool:
    """Whether characters beyond ASCII are far more often valid UTF-8 than not: a text with some broken bytes.

    Legacy text hardly ever forms valid sequences by chance.
    """
    text = data.decode("utf-8", "surrogateescape")
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    broken = int(np.count_nonzero((codes >= 0xDC80) & (codes <= 0xDCFF)))
    valid = int(np.count_nonzero(codes > 0x7F)) - broken
    return valid >= 2 * broken


def _is_utf32(sample: bytes, name: str) -> bool:
    """Whether the sample's units are all code points, printable ones for the most part."""
    units = np.frombuffer(sample[: len(sample) // 4 * 4], "<u4" if name.endswith("le") else ">u4")
    return bool(len(units)) and bool((units < 0x110000).all()) and _few_odd_characters(units[units != 0])


def _wide_without_mark(sample: bytes, *, looks_plain: bool) -> Encoding | None:
    """UTF-16 or UTF-32 without a byte order mark; `looks_plain` if the sample without its NULs is good UTF-8."""
    if len(sample) >= 8:
        for name in ("utf-32-le", "utf-32-be"):
            if _is_utf32(sample, name):
                return Encoding(name, "utf32", exact=False)
    halves = np.frombuffer(sample[: len(sample) // 2 * 2], np.uint8).reshape(-1, 2)
    halves = halves[halves.any(axis=1)]  # without the runs of NULs
    if not len(halves):
        return None
    # Letters of ASCII or Latin-1: every other byte is zero. In an 8-bit text with NULs here and there it is not.
    zero_first, zero_second = (int(count) for count in np.count_nonzero(halves == 0, axis=0))
    for zeros, others, name, upper in (
        (zero_second, zero_first, "utf-16-le", 1),
        (zero_first, zero_second, "utf-16-be", 0),
    ):
        if zeros > max(1, 0.5 * len(halves)) and others <= 0.02 * zeros and _few_odd_characters(_units(halves, upper)):
            return Encoding(name, "utf16", exact=False)
    if looks_plain:
        return None
    # Letters of other scripts: the order in which the units are characters, with spaces or line ends among them, and
    # which has fewer different upper bytes, since a text's letters come from few pages of Unicode.
    fitting: list[tuple[int, str]] = []
    for name, upper in (("utf-16-le", 1), ("utf-16-be", 0)):
        units = _units(halves, upper)
        if np.isin(units, (0x0A, 0x0D, 0x20)).any() and _pairs_surrogates(units) and _few_odd_characters(units):
            fitting.append((len(np.unique(halves[:, upper])), name))
    return Encoding(min(fitting)[1], "utf16", exact=False) if fitting else None


def _units(halves: npt.NDArray[np.uint8], upper: int) -> npt.NDArray[np.uint32]:
    return (halves[:, upper].astype(np.uint32) << 8 | halves[:, 1 - upper]).astype(np.uint32)


def _pairs_surrogates(units: npt.NDArray[np.uint32]) -> bool:
    is_high = (units & 0xFC00) == 0xD800
    is_low = (units & 0xFC00) == 0xDC00
    # The last unit may be half of a pair that the sample's end cuts.
    return bool((is_high[:-1] == is_low[1:]).all()) and not bool(is_low[:1].any())


def _few_odd_characters(units: npt.NDArray[np.uint32]) -> bool:
    """Whether at most 2 % of the code points are controls, unassigned, or private; surrogates count as good."""
    values, counts = np.unique(units, return_counts=True)
    odd = sum(
        int(count)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True)
        if chr(value) not in "\b\t\n\v\f\r\x1b" and unicodedata.category(chr(value)) in ("Cc", "Cn", "Co")
    )
    return odd <= 0.02 * len(units)
