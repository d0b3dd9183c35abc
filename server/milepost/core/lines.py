"""Lines: where they start, how many there are, which one holds a byte.

A line is ended by LF, CRLF or a lone CR, and by nothing else: form feed, NEL and U+2028 end none. That is how LSP and
VS Code count. A line end is placed at its last byte (the LF of a CRLF), so the next line starts one byte after it.

Counting compares every byte with one value in numpy, which vectorises and lets other threads run; `bytes.find` looks
for the first CR. Both work on 64 KiB at a time, which stays in the processor's cache.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np
import numpy.typing as npt

from milepost.core.source import ByteSource, display_path
from milepost.errors import FileChanged, OutOfRange

BUCKET_BYTES = 65536
"""One number is kept for each so many bytes: 8 bytes a bucket, 131 KB for a file of 1 GB."""

_LF = 10
_CR = 13
_FEW = 64

Offsets = npt.NDArray[np.int64]


def line_end_offsets(data: bytes | memoryview, following: int | None = None) -> Offsets:
    """Where line ends lie in `data` (offset of the last byte of each), ascending.

    `following` is the byte that comes after `data`, or None at the end of the file: a CR at the very end of `data` is a
    line end unless an LF follows.
    """
    if isinstance(data, bytes) and not _has_cr(data):
        # Few of them are found one by one in less time than the whole is looked at.
        found: list[int] = []
        place = data.find(b"\n")
        while place >= 0 and len(found) < _FEW:
            found.append(place)
            place = data.find(b"\n", place + 1)
        if place < 0:
            return np.array(found, np.int64)
    codes = np.frombuffer(data, np.uint8)
    is_end = codes == _LF
    ends = np.flatnonzero(is_end)
    if _has_cr(data):
        is_cr = codes == _CR
        pairs = crlf_count(codes, ends[1:] if len(ends) and not ends[0] else ends)
        if pairs < int(np.count_nonzero(is_cr)):  # some CR stands alone, or at the very end
            is_end[:-1] |= is_cr[:-1] & ~is_end[1:]
            if is_cr[-1] and following != _LF:
                is_end[-1] = True
            ends = np.flatnonzero(is_end)
    return ends


def crlf_count(codes: npt.NDArray[np.uint8], ends: Offsets) -> int:
    """How many of the line ends at `ends` (none at offset 0) are CRLF."""
    return int(np.count_nonzero((codes[ends - 1] == _CR) & (codes[ends] == _LF)))


def line_starts(data: bytes | memoryview) -> Offsets:
    """Where lines start in `data`, which itself starts a line: 0, then after each line end that is not at the very end.

    Empty for empty data. What follows `data` does not matter: a CR at its very end starts no line within it.
    """
    if not len(data):
        return np.empty(0, np.int64)
    ends = line_end_offsets(data)
    starts = np.empty(len(ends) + 1, np.int64)
    starts[0] = 0
    np.add(ends, 1, out=starts[1:])
    return starts[:-1] if starts[-1] == len(data) else starts


def count_line_ends(data: bytes | memoryview, following: int | None = None) -> int:
    """How many line ends lie in `data`; `following` as for `line_end_offsets`."""
    count = 0
    view = memoryview(data)
    for low in range(0, len(view), BUCKET_BYTES):
        piece = view[low : low + BUCKET_BYTES]
        high = low + len(piece)
        counts = _count(piece, view[high] if high < len(view) else following)
        count += counts[0] + counts[1] - counts[2]
    return count


def _has_cr(data: bytes | memoryview) -> bool:
    if isinstance(data, bytes):
        return b"\r" in data
    return bool((np.frombuffer(data, np.uint8) == _CR).any())


def _count(piece: memoryview, following: int | None) -> tuple[int, int, int]:
    """(LFs, CRs, CRs that an LF follows) in `piece`."""
    codes = np.frombuffer(piece, np.uint8)
    is_lf = codes == _LF
    lf_count = int(np.count_nonzero(is_lf))
    is_cr = codes == _CR
    cr_count = int(np.count_nonzero(is_cr))
    pairs = 0
    if cr_count:
        pairs = int(np.count_nonzero(is_cr[:-1] & is_lf[1:])) + int(bool(is_cr[-1]) and following == _LF)
    return lf_count, cr_count, pairs


class LineIndex:
    """Counts of line ends for each 64 KiB of a stream of bytes, and by them any line's offset with one read of 64 KiB.

    Fed consecutive bytes, cut anywhere: the counts belong to offsets of the stream, so they are the same however it was
    fed. At any time the properties tell of the bytes so far as if they were all; feeding may then go on, also where the
    cut lies between the CR and the LF of one line end.
    """

    __slots__ = ("_crlf_count", "_cumulative", "_ends", "_last_byte", "_lf_count", "_lone_cr_count", "_mask", "size")

    def __init__(self) -> None:
        self.size = 0
        """How many bytes have been fed."""
        # Line ends up to the end of each whole bucket. A CR at the end of what was fed is in none of the counts yet.
        self._cumulative = array("q")
        self._ends = 0
        self._lf_count = 0  # of all LFs, those of CRLFs too
        self._crlf_count = 0
        self._lone_cr_count = 0
        self._last_byte = -1
        self._mask = np.empty(BUCKET_BYTES, np.bool_)

    def copy(self) -> LineIndex:
        """An index that goes on by itself."""
        other = LineIndex()
        for name in self.__slots__:
            if name not in ("_cumulative", "_mask"):
                setattr(other, name, getattr(self, name))
        other._cumulative = self._cumulative[:]
        return other

    def __deepcopy__(self, memo: dict[int, object]) -> LineIndex:
        return self.copy()

    def feed(self, data: bytes) -> None:
        """Count the next bytes of the stream."""
        length = len(data)
        if not length:
            return
        first_cr = data.find(b"\r")
        if first_cr < 0 and self._last_byte != _CR and b"\n" not in data:
            self._cumulative.extend([self._ends] * ((self.size + length) // BUCKET_BYTES - self.size // BUCKET_BYTES))
            self._last_byte = data[-1]
            self.size += length
            return
        codes = np.frombuffer(data, np.uint8)
        low = 0
        while low < length:
            high = min(length, low + BUCKET_BYTES - self.size % BUCKET_BYTES)
            piece = codes[low:high]
            is_lf = np.equal(piece, _LF, out=self._mask[: high - low])
            lf_count = int(np.count_nonzero(is_lf))
            self._lf_count += lf_count
            self._ends += lf_count
            if self._last_byte == _CR or (first_cr >= 0 and first_cr < high):
                self._count_cr(piece, is_lf)
            self._last_byte = data[high - 1]
            self.size += high - low
            if self.size % BUCKET_BYTES == 0:
                self._cumulative.append(self._ends)
            low = high

    def feed_lines(self, data: bytes, starts: Offsets) -> None:
        """Count the next bytes by their line starts, as `line_starts` gives them, instead of counting them again.

        Only for data that begins a line, and whose last byte is no CR of which it is unknown whether an LF follows.
        """
        length = len(data)
        if not length:
            return
        if self._last_byte == _CR:
            self._settle_cr(data[0] == _LF)
        # A CR at the very end is counted when the next byte, or the end of all, is known.
        count = len(starts) - 1 + (data[-1] == _LF)
        first = BUCKET_BYTES - self.size % BUCKET_BYTES
        edges = np.arange(first, length + 1, BUCKET_BYTES)
        before = self._ends + np.searchsorted(starts, edges, side="right") - 1
        if len(edges) and edges[-1] == length:
            before[-1] = self._ends + count
        self._cumulative.extend(before.tolist())
        lone = 0
        if _has_cr(data):
            codes = np.frombuffer(data, np.uint8)
            ends = np.append(starts[1:], length)[:count] - 1
            pairs = crlf_count(codes, ends[ends > 0])
            lone = int(np.count_nonzero(codes == _CR)) - pairs - (data[-1] == _CR)
            self._crlf_count += pairs
        self._lone_cr_count += lone
        self._lf_count += count - lone
        self._ends += count
        self._last_byte = data[-1]
        self.size += length

    def _settle_cr(self, is_pair: bool) -> None:
        """The CR at the end of what was fed before waited for the byte after it to be known."""
        if is_pair:
            self._crlf_count += 1
            return
        self._lone_cr_count += 1
        self._ends += 1
        if self.size % BUCKET_BYTES == 0:
            self._cumulative[-1] += 1

    def _count_cr(self, piece: npt.NDArray[np.uint8], is_lf: npt.NDArray[np.bool_]) -> None:
        if self._last_byte == _CR:
            self._settle_cr(bool(is_lf[0]))
        is_cr = piece[:-1] == _CR
        cr_count = int(np.count_nonzero(is_cr))
        if cr_count:
            pairs = int(np.count_nonzero(is_cr & is_lf[1:]))
            self._crlf_count += pairs
            self._lone_cr_count += cr_count - pairs
            self._ends += cr_count - pairs

    @property
    def _ends_in_cr(self) -> bool:
        return self._last_byte == _CR

    @property
    def line_ends(self) -> int:
        """How many line ends there are."""
        return self._ends + self._ends_in_cr

    @property
    def total_lines(self) -> int:
        """How many lines there are, a last one without an end too; 0 for no bytes."""
        return self.line_ends + (self._last_byte not in (-1, _LF, _CR))

    @property
    def lone_cr(self) -> int:
        """How many lines a CR alone ends."""
        return self._lone_cr_count + self._ends_in_cr

    @property
    def line_ending(self) -> str:
        """What ends the lines: "lf", "crlf", "cr", "mixed", or "none" where nothing does."""
        counts = {"lf": self._lf_count - self._crlf_count, "crlf": self._crlf_count, "cr": self.lone_cr}
        present = [name for name, count in counts.items() if count]
        return "none" if not present else present[0] if len(present) == 1 else "mixed"

    def offset_of_line(self, line: int, source: ByteSource) -> int:
        """The byte offset at which the 1-based `line` starts. `source` gives the bytes that were fed.

        Raises `OutOfRange` where there is no such line, `FileChanged` where the bytes are no longer those.
        """
        if not 1 <= line <= self.total_lines:
            raise OutOfRange(f"There is no line {line:,} in {display_path(source.name)}: it has {self.total_lines:,}.")
        if line == 1:
            return 0
        ends_before = line - 1
        bucket = bisect_left(self._cumulative, ends_before)
        counted = self._cumulative[bucket - 1] if bucket else 0
        ends = self._bucket_ends(bucket, source)
        if ends_before - counted > len(ends):
            raise _changed(source)
        return bucket * BUCKET_BYTES + int(ends[ends_before - counted - 1]) + 1

    def line_at_offset(self, offset: int, source: ByteSource) -> int:
        """The 1-based line that holds the byte at `offset`; a line end belongs to the line it ends.

        Raises `OutOfRange` where there is no such byte.
        """
        if not 0 <= offset < self.size:
            raise OutOfRange(f"There is no byte {offset:,} in {display_path(source.name)}: it has {self.size:,}.")
        bucket = offset // BUCKET_BYTES
        counted = self._cumulative[bucket - 1] if bucket else 0
        ends = self._bucket_ends(bucket, source)
        return counted + int(np.searchsorted(ends, offset - bucket * BUCKET_BYTES)) + 1

    def _bucket_ends(self, bucket: int, source: ByteSource) -> Offsets:
        """Line ends in one bucket, relative to it. One byte more is read, for a CR at its very end."""
        start = bucket * BUCKET_BYTES
        length = min(BUCKET_BYTES, self.size - start)
        data = source.read_at(start, min(length + 1, self.size - start))
        if len(data) < length:
            raise _changed(source)
        following = data[length] if len(data) > length else None
        return line_end_offsets(data[:length], following)


def _changed(source: ByteSource) -> FileChanged:
    return FileChanged(f"{display_path(source.name)} is no longer the file that was scanned; scan it again.")
