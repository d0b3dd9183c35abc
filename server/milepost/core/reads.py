"""Ranges of a file, word for word: by lines, by bytes, by `path:START-END`.

What is delivered is the file's own bytes, and the reported range is exactly those. A range longer than the cap is cut
after its last whole line within the cap, or, where a line is longer than that, at the boundary of a character; how many
bytes are left out and where to go on is part of the result, so a line of any length can be read to its end.

Without a line index no more of the file is looked at than the answer needs.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from milepost.core.encoding import UTF8, Encoding
from milepost.core.lines import BUCKET_BYTES, LineIndex, line_end_offsets
from milepost.core.source import ByteSource, StopFlag, display_path, never, raise_if_stopped
from milepost.core.transcode import TranscodedSource
from milepost.errors import InvalidParams, OutOfRange

_SUFFIX = re.compile(r"(?P<path>.+):(?P<start>\d{1,18})(?P<dash>-(?P<end>\d{1,18})?)?\Z", re.DOTALL)
_MOST_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class PathAnchor:
    """A path and the lines that its suffix names; no start where it has none, no end for `path:START-`."""

    path: str
    start_line: int | None = None
    end_line: int | None = None


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A range of a file. Lines are 1-based and inclusive, bytes half-open, both of exactly `content`.

    Where nothing was delivered (an empty file, or a cap below one character) `end_line` is `start_line` - 1.
    """

    content: bytes
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    total_lines: int | None
    """How many lines the file has; None where only part of it was looked at."""
    truncated: bool
    """The range that was asked for goes on."""
    omitted_bytes: int
    """How much of the range that was asked for was not delivered."""
    next_byte: int | None
    """Where the range goes on; None where it is complete."""
    next_line: int | None
    """The line that `next_byte` lies in."""
    starts_line: bool = True
    """Whether `content` begins where a line does."""


def parse_anchor(text: str, *, allow_suffix: bool = True, exists: Callable[[str], bool] = os.path.exists) -> PathAnchor:
    """`path`, `path:N`, `path:START-END` or `path:START-` taken apart.

    A file whose literal name ends in `:12` wins over the suffix, and `allow_suffix` false (where the range is given in
    another way) takes the text as a path whatever it looks like. Raises `InvalidParams` for a range that cannot be.
    """
    match = _SUFFIX.match(text) if allow_suffix else None
    if match is None or exists(text):
        return PathAnchor(text)
    start = int(match["start"])
    end = start if match["dash"] is None else int(match["end"]) if match["end"] else None
    _check_lines(start, end)
    return PathAnchor(match["path"], start, end)


def read_lines(
    source: ByteSource,
    start_line: int = 1,
    end_line: int | None = None,
    *,
    max_bytes: int,
    index: LineIndex | None = None,
    encoding: Encoding = UTF8,
    should_stop: StopFlag = never,
) -> ReadResult:
    """Lines `start_line` to `end_line`, or to the end of the file; an end past the last line means the last.

    `source` is an ASCII superset in `encoding`, or a `TranscodedSource`; offsets are the file's own either way. `index`
    is the line index of the source, or of its beginning, if there is one. Raises `OutOfRange` for a start past the last
    line, naming how many there are, `InvalidParams` for a range that cannot be, and `Cancelled`. An empty file reads as
    nothing from line 1.
    """
    _check_lines(start_line, end_line)
    reader = _Reader(source, encoding, index, max_bytes, should_stop)
    total = reader.lines_up_to(start_line if end_line is None else end_line)
    if start_line > total:
        if source.size == 0 and start_line == 1:
            return reader.deliver(0, 0)
        raise OutOfRange(f"{display_path(source.name)} has {total:,} lines; line {start_line:,} is past its end.")
    start = reader.start_of_line(start_line)
    end = reader.start_of_line(end_line + 1) if end_line is not None and end_line < total else source.size
    return reader.deliver(reader.to_file(start), reader.to_file(end))


def read_limit(
    source: ByteSource,
    offset: int,
    limit: int | None = None,
    *,
    max_bytes: int,
    index: LineIndex | None = None,
    encoding: Encoding = UTF8,
    should_stop: StopFlag = never,
) -> ReadResult:
    """At most `limit` lines from the 1-based line `offset` on; without a limit, to the end. Else as `read_lines`."""
    if limit is not None and limit < 1:
        raise InvalidParams(f"A limit of {limit} lines asks for nothing; the least is 1.")
    return read_lines(
        source,
        offset,
        None if limit is None else offset + limit - 1,
        max_bytes=max_bytes,
        index=index,
        encoding=encoding,
        should_stop=should_stop,
    )


def read_bytes(
    source: ByteSource,
    offset: int,
    length: int | None = None,
    *,
    max_bytes: int,
    index: LineIndex | None = None,
    encoding: Encoding = UTF8,
    should_stop: StopFlag = never,
) -> ReadResult:
    """`length` bytes of the file from `offset`, or all from there; a length past the end means up to the end.

    Both are taken as given, inside a character too; only a cut by the cap falls between characters. For the line
    numbers the lines up to there are counted, unless there is an index. Raises `OutOfRange` for an offset at or past
    the end of a file that is not empty, and `InvalidParams`, `Cancelled`.
    """
    file = source.original if isinstance(source, TranscodedSource) else source
    if offset < 0 or (length is not None and length < 0):
        raise InvalidParams(f"Byte {offset} with length {length} is no range: neither can be below 0.")
    if offset >= file.size and not offset == file.size == 0:
        raise OutOfRange(f"{display_path(source.name)} has {file.size:,} bytes; byte {offset:,} is past its end.")
    end = file.size if length is None else min(file.size, offset + length)
    return _Reader(source, encoding, index, max_bytes, should_stop).deliver(offset, end)


def _check_lines(start_line: int, end_line: int | None) -> None:
    if start_line < 1:
        raise InvalidParams(f"There is no line {start_line}: lines count from 1.")
    if end_line is not None and end_line < start_line:
        raise InvalidParams(f"Lines {start_line}-{end_line} are no range: the end is before the start.")


class _Reader:
    """One read: what it reads from, its cap, and the lines counted so far."""

    def __init__(
        self, source: ByteSource, encoding: Encoding, index: LineIndex | None, max_bytes: int, should_stop: StopFlag
    ) -> None:
        if max_bytes < 0:
            raise InvalidParams(f"A cap of {max_bytes} bytes cannot be; the least is 0.")
        self._source = source
        self._view = source if isinstance(source, TranscodedSource) else None
        self._file = source.original if isinstance(source, TranscodedSource) else source
        self._encoding = source.encoding if isinstance(source, TranscodedSource) else encoding
        self._index = index if index is not None else LineIndex()
        self._max_bytes = max_bytes
        self._should_stop = should_stop

    def lines_up_to(self, line: int) -> int:
        """How many lines there are, or a number greater than `line` where there are more than that."""
        self._count_until(lambda index: index.total_lines > line)
        return self._index.total_lines

    def start_of_line(self, line: int) -> int:
        """The source's offset of a line that has been counted."""
        return self._index.offset_of_line(line, self._source)

    def to_file(self, offset: int) -> int:
        """The file's offset for the source's."""
        return offset if self._view is None else self._view.to_original(offset)

    def deliver(self, start: int, end: int) -> ReadResult:
        """The bytes of [start, end), offsets of the file, as far as the cap allows."""
        cut = end if end - start <= self._max_bytes else self._cut(start)
        start_line = self._line_at(start)
        truncated = cut < end
        return ReadResult(
            content=self._file.read_at(start, cut - start),
            start_line=start_line,
            end_line=self._line_at(cut - 1) if cut > start else start_line - 1,
            start_byte=start,
            end_byte=cut,
            next_line=self._line_at(cut) if truncated else None,
            next_byte=cut if truncated else None,
            truncated=truncated,
            omitted_bytes=end - cut,
            starts_line=start == 0 or start_line > self._line_at(start - 1),
            # Last, since finding the lines above may have come to the end of the file.
            total_lines=self._index.total_lines if self._index.size >= self._source.size else None,
        )

    def _line_at(self, offset: int) -> int:
        """The line that holds the file's byte at `offset`; 1 in an empty file."""
        wanted = offset if self._view is None else self._view.from_original(offset)
        self._count_until(lambda index: index.size > wanted)
        return self._index.line_at_offset(wanted, self._source) if self._index.size else 1

    def _count_until(self, is_enough: Callable[[LineIndex], bool]) -> None:
        """Count lines, in growing steps, until that is enough or the source ends."""
        if is_enough(self._index) or self._index.size >= self._source.size:
            return
        self._index = self._index.copy()  # the caller's may be in use by others
        step = BUCKET_BYTES
        while self._index.size < self._source.size and not is_enough(self._index):
            raise_if_stopped(self._should_stop)
            self._index.feed(self._source.read_at(self._index.size, step))
            step = min(2 * step, _MOST_READ_BYTES)

    def _cut(self, start: int) -> int:
        """Where the cap falls in a longer range from the file's byte `start`: after a line, or between characters."""
        data = self._file.read_at(start, self._max_bytes)
        skipped = min(len(data), -start % self._encoding.unit_bytes)  # the rest of a unit that the range begins inside
        boundary = skipped + self._whole_characters(data[skipped:])
        if self._view is None:
            ends = line_end_offsets(data, self._file.read_at(start + len(data), 1)[0])
            return start + (int(ends[-1]) + 1 if len(ends) else boundary)
        view_start, view_cut = self._view.from_original(start), self._view.from_original(start + boundary)
        text = self._view.read_at(view_start, view_cut - view_start)
        ends = line_end_offsets(text, self._view.read_at(view_cut, 1)[0])
        return self._view.to_original(view_start + int(ends[-1]) + 1) if len(ends) else start + boundary

    def _whole_characters(self, data: bytes) -> int:
        """How much of `data` is whole characters: all but an unfinished one at its end."""
        codec = "utf-8" if self._encoding.kind == "binary" else self._encoding.name
        decoder = codecs.getincrementaldecoder(codec)("replace")
        decoder.decode(data)
        return len(data) - len(decoder.getstate()[0])
