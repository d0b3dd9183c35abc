"""The records of a block of whole lines: where they lie, which are no JSON, which begin alike."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from milepost.core.outline import Problem
from milepost.core.scan import Block
from milepost.core.structure.json_check import Place, first_bad_utf8
from milepost.core.structure.json_faults import diagnose
from milepost.core.structure.record_runs import HEAD_BYTES, Record

Offsets = npt.NDArray[np.int64]

_BOM = b"\xef\xbb\xbf"
_SORT_BYTES = 12
_CHECKED_ONE_BY_ONE = 32
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_RAW = msgspec.json.Decoder(msgspec.Raw)


def _right_ends() -> npt.NDArray[np.bool_]:
    """Which last byte suits which first byte of a value on one line."""
    pairs = np.zeros((256, 256), bool)
    for first, last in ((b"{", b"}"), (b"[", b"]"), (b'"', b'"'), (b"t", b"e"), (b"f", b"e"), (b"n", b"l")):
        pairs[first[0], last[0]] = True
    digits = list(b"0123456789")
    for first_digit in (0x2D, *digits):
        pairs[first_digit, digits] = True
    pairs.flags.writeable = False
    return pairs


_RIGHT_ENDS = _right_ends()


@dataclass(frozen=True, slots=True)
class Records:
    """The records of `block`: where each one's line starts, its first and last byte (relative to the block), its line."""

    block: Block
    starts: Offsets
    firsts: Offsets
    lasts: Offsets
    lines: Offsets

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, position: int) -> Record:
        """One record as it is kept."""
        first, last = int(self.firsts[position]), int(self.lasts[position])
        head = self.block.data[first : min(last + 1, first + HEAD_BYTES)]
        start = self.block.start + int(self.starts[position])
        return Record(start, int(self.lines[position]), last + 1 - first, head)

    def text(self, position: int) -> bytes:
        """The whole of one record."""
        return self.block.data[int(self.firsts[position]) : int(self.lasts[position]) + 1]


def records_of(block: Block, starts: Offsets, ends: Offsets) -> Records:
    """The records in the lines that begin at `starts`; blank lines hold none."""
    data, array = block.data, block.array
    lasts = ends - 1
    for _ in range(2 if b"\r" in data else 1):  # LF, or CRLF
        held = array[np.maximum(lasts, starts)]
        lasts = lasts - (((held == 0x0A) | (held == 0x0D)) & (lasts >= starts))
    firsts = starts
    if block.start == 0 and data.startswith(_BOM) and len(starts):
        firsts = starts.copy()
        firsts[0] = min(3, int(ends[0]) - 1)
    filled = lasts >= firsts
    padded = filled & ((array[firsts] <= 0x20) | (array[np.maximum(lasts, 0)] <= 0x20))
    if padded.any():
        firsts = firsts.copy()
        for at in np.flatnonzero(padded).tolist():
            text = data[int(firsts[at]) : int(lasts[at]) + 1]
            firsts[at] += len(text) - len(text.lstrip())
            lasts[at] = int(firsts[at]) + len(text.strip()) - 1
        filled = lasts >= firsts
    numbers = np.flatnonzero(filled)
    first_line = block.line_at(int(starts[0])) if len(starts) else block.first_line
    return Records(block, starts[numbers], firsts[numbers], lasts[numbers], numbers + first_line)


def bad_records(records: Records, explained: int) -> dict[int, Problem]:
    """Which of the records are no JSON values, by their position; what is wrong with the first `explained` of them.

    Many are checked at one go, and halved where that fails. It counts values with white space between them, not lines; but
    where each line begins and ends as a value does, and there are as many values as lines, no value can lie on two.
    """
    found: dict[int, Problem] = {}
    parts = [(0, len(records))] if len(records) else []
    while parts:
        low, high = parts.pop()
        if _are_values(records, low, high):
            continue
        if high - low > _CHECKED_ONE_BY_ONE:
            middle = (low + high) // 2
            parts += [(middle, high), (low, middle)]
            continue
        for at in range(low, high):
            text = records.text(at)
            fault = fault_of(text) if len(found) < explained else None if is_record(text) else ("no JSON", 0)
            if fault is not None:
                message, offset = fault
                place = records.block.start + int(records.firsts[at]) + offset
                found[at] = Problem(message, int(records.lines[at]), place)
    return found


def _are_values(records: Records, low: int, high: int) -> bool:
    """Whether it is certain that the records from `low` to before `high` are one value each."""
    firsts, lasts, array = records.firsts[low:high], records.lasts[low:high], records.block.array
    if not _RIGHT_ENDS[array[firsts], array[lasts]].all():
        return False
    data = records.block.data
    view = memoryview(data)[int(firsts[0]) : int(lasts[-1]) + 1]
    return (data.isascii() or first_bad_utf8(bytes(view)) < 0) and _count_values(view) == len(firsts)


def fault_of(record: bytes) -> tuple[str, int] | None:
    """What is wrong with a record, and at which of its bytes; None when nothing is."""
    if is_record(record):
        return None
    bad = first_bad_utf8(record)
    diagnosis = diagnose(Place(), record, frozenset())
    fault = diagnosis.soft[0] if diagnosis.soft else diagnosis.hard
    if fault is not None and not 0 <= bad < fault.offset:
        return fault.message, fault.offset
    if bad >= 0:
        return f"byte 0x{record[bad]:02X} is not UTF-8", bad
    if diagnosis.comment >= 0:
        return "comments are not part of JSON", diagnosis.comment
    return None if diagnosis.is_complete else ("the record breaks off", len(record))


def sorts_of(records: Records) -> Offsets:
    """A number for each record, the same for those that begin with the same twelve bytes."""
    array, firsts, lasts = records.block.array, records.firsts, records.lasts
    if len(array) < _SORT_BYTES:
        return _sorts_of_short(array, firsts, lasts)
    # Every eight bytes of the block as a number, without a copy.
    words = np.ndarray((len(array) - 7,), "<u8", records.block.data, strides=(1,))
    left = words[np.minimum(firsts, len(words) - 1)]
    right = words[np.minimum(firsts + 4, len(words) - 1)]
    sorts: Offsets = _mixed(left, right).astype(np.int64)
    short = np.flatnonzero(lasts - firsts < _SORT_BYTES - 1)
    if len(short):
        sorts[short] = _sorts_of_short(array, firsts[short], lasts[short])
    return sorts


def _sorts_of_short(array: npt.NDArray[np.uint8], firsts: Offsets, lasts: Offsets) -> Offsets:
    """The same for records with fewer bytes than are compared: zeros stand for those that are missing."""
    padded = np.zeros((len(firsts), _SORT_BYTES), np.uint8)
    for offset in range(_SORT_BYTES):
        places = firsts + offset
        padded[:, offset] = np.where(places <= lasts, array[np.minimum(places, lasts)], 0)
    left = np.ascontiguousarray(padded[:, :8]).view("<u8")[:, 0].astype(np.uint64)
    right = np.ascontiguousarray(padded[:, 4:]).view("<u8")[:, 0].astype(np.uint64)
    found: Offsets = _mixed(left, right).astype(np.int64)
    return found


def _mixed(left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    return (left * np.uint64(0x9E3779B97F4A7C15) ^ right) >> np.uint64(1)


def is_record(text: bytes) -> bool:
    """Whether `text` is one JSON value in UTF-8. Half of a surrogate pair, escaped, is let pass, as the grammar does."""
    if first_bad_utf8(text) >= 0:
        return False
    return is_value(text) or (b"\\u" in text and is_value(_SURROGATE.sub(rb"\\u0020", text)))


def is_value(text: bytes) -> bool:
    """Whether `text` is one JSON value."""
    try:
        _RAW.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def _count_values(text: memoryview) -> int:
    """How many JSON values there are in `text`, with white space between them; -1 when there is something else."""
    try:
        return len(_RAW.decode_lines(text))
    except (msgspec.DecodeError, RecursionError):
        return -1
