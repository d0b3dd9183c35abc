"""A UTF-16 or UTF-32 file seen as UTF-8, with exact offsets both ways.

Everything that scans text looks for single bytes. A wide encoding is therefore seen through this view: its bytes are
the file's characters in UTF-8, and any offset in it can be turned into the offset in the file and back. One pass over
the file notes where each 64 KiB of the file lies in the view (16 bytes each); all else is decoded when read.

The byte order mark is in the view, as UTF-8's own. Units that are no character (a lone surrogate, an odd last byte)
become U+FFFD, one for one, so offsets stay exact.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from milepost.core.source import (
    ByteSource,
    Progress,
    StopFlag,
    display_path,
    never,
    no_progress,
    raise_if_stopped,
)
from milepost.errors import OutOfRange

if TYPE_CHECKING:
    from milepost.core.encoding import Encoding

_BLOCK_BYTES = 65536


class TranscodedSource:
    """A `ByteSource` of UTF-8 over a source of UTF-16 or UTF-32. Memory: 16 bytes for 64 KiB, and one decoded block."""

    def __init__(
        self,
        original: ByteSource,
        encoding: Encoding,
        *,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
    ) -> None:
        """Reads the whole original once. Raises `Cancelled`."""
        if encoding.kind not in ("utf16", "utf32"):
            raise ValueError(f"{encoding.name} needs no transcoding")
        self.original = original
        self.encoding = encoding
        self.name = original.name
        self._unit_bytes = encoding.unit_bytes
        # Block i is the original's [starts[i], starts[i+1]) and the view's [offsets[i], offsets[i+1]).
        self._starts = array("q", [0])
        self._offsets = array("q", [0])
        self._recent: tuple[int, bytes] = (-1, b"")  # replaced as one object, so threads need no lock
        start = 0
        while start < original.size:
            raise_if_stopped(should_stop)
            end = self._block_end(start)
            self._starts.append(end)
            self._offsets.append(self._offsets[-1] + len(self._encode(original.read_at(start, end - start))))
            start = end
            progress(start, original.size)
        self.size = self._offsets[-1]

    def _block_end(self, start: int) -> int:
        end = min(self.original.size, start + _BLOCK_BYTES)
        if self.encoding.kind == "utf16" and end < self.original.size:
            # Not between the halves of a surrogate pair.
            last = self._encoding_unit(end - 2)
            if 0xD800 <= last < 0xDC00:
                end -= 2
        return end

    def _encoding_unit(self, offset: int) -> int:
        return int.from_bytes(
            self.original.read_at(offset, self._unit_bytes), "little" if self.encoding.name.endswith("le") else "big"
        )

    def _encode(self, data: bytes) -> bytes:
        return data.decode(self.encoding.name, "replace").encode("utf-8")

    def _block(self, index: int) -> bytes:
        recent_index, data = self._recent
        if recent_index != index:
            start = self._starts[index]
            data = self._encode(self.original.read_at(start, self._starts[index + 1] - start))
            self._recent = (index, data)
        return data

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes of [offset, offset + length) of the view, short only at its end."""
        if offset < 0 or length < 0:
            raise OutOfRange(f"Byte {offset} with length {length} is no range in {display_path(self.name)}.")
        end = min(offset + length, self.size)
        if offset >= end:
            return b""
        parts = []
        index = bisect_right(self._offsets, offset) - 1
        while index < len(self._offsets) - 1 and self._offsets[index] < end:
            block_offset = self._offsets[index]
            parts.append(self._block(index)[max(0, offset - block_offset) : end - block_offset])
            index += 1
        return b"".join(parts)

    def to_original(self, offset: int) -> int:
        """The file's offset of the character that the view's byte `offset` belongs to.

        The view's size maps to the file's. Raises `OutOfRange` outside of [0, size].
        """
        self._check(offset, self.size)
        if offset == self.size:
            return self.original.size
        index = bisect_right(self._offsets, offset) - 1
        data = np.frombuffer(self._block(index), np.uint8)
        end = offset - self._offsets[index]
        while data[end] & 0xC0 == 0x80:
            end -= 1
        return self._starts[index] + self._original_length(data[:end])

    def _original_length(self, characters: npt.NDArray[np.uint8]) -> int:
        count = int(np.count_nonzero((characters & 0xC0) != 0x80))
        if self.encoding.kind == "utf16":
            count += int(np.count_nonzero(characters >= 0xF0))  # beyond the basic plane: a pair of units
        return count * self._unit_bytes

    def from_original(self, offset: int) -> int:
        """The view's offset of the character that the file's byte `offset` belongs to.

        The file's size maps to the view's. Raises `OutOfRange` outside of [0, the original's size].
        """
        self._check(offset, self.original.size)
        if offset == self.original.size:
            return self.size
        index = bisect_right(self._starts, offset) - 1
        start = self._starts[index]
        length = (offset - start) // self._unit_bytes * self._unit_bytes
        if self.encoding.kind == "utf16" and length and 0xDC00 <= self._encoding_unit(start + length) < 0xE000:
            # The second half of a pair belongs to the character that its first half begins.
            length -= 2 if 0xD800 <= self._encoding_unit(start + length - 2) < 0xDC00 else 0
        return self._offsets[index] + len(self._encode(self.original.read_at(start, length)))

    def _check(self, offset: int, size: int) -> None:
        if not 0 <= offset <= size:
            raise OutOfRange(f"There is no byte {offset:,} in {display_path(self.name)}: it has {size:,}.")
