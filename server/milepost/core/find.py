"""Where a text or a regular expression occurs in a file of any size.

The file is read in blocks of whole lines; a line too long for that comes in overlapping pieces (`line_blocks`), in which
a match of an expression may be missed if it is longer than the overlap, or if it is one alternative to another that is
anchored by `^` or `$`. One hit is reported per line, with its exact place; lines have the numbers that `grep -n` gives,
plus the rule that a lone CR ends one.

Texts in UTF-16 and UTF-32 are searched through their UTF-8 view, those in a legacy encoding are decoded block by block;
offsets are the file's own in every case.
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

import numpy as np

from milepost.core.encoding import UTF8, Encoding
from milepost.core.line_blocks import LineBlock, line_blocks
from milepost.core.lines import Offsets, count_line_ends, line_starts
from milepost.core.patterns import Matcher
from milepost.core.source import (
    ByteSource,
    Progress,
    StopFlag,
    display_path,
    never,
    no_progress,
    raise_if_stopped,
)
from milepost.core.transcode import TranscodedSource
from milepost.errors import InvalidParams, OutOfRange

BLOCK_BYTES = 262_144
TEXT_BYTES = 400
"""How much of a hit's line is given, around the match."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One line in which the pattern occurs, and the first place in it. Lines are 1-based, bytes half-open."""

    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    line_start_byte: int
    line_end_byte: int
    """After the line's end, so where the next line starts."""
    text: bytes
    """The line without its end, or as much of it around the match as `TEXT_BYTES` allow; whole characters."""
    text_start_byte: int
    """Where in the file `text` begins."""


@dataclass(frozen=True, slots=True)
class FindResult:
    """The hits in file order, and where to go on."""

    hits: tuple[Hit, ...]
    next_byte: int | None
    """Where the line after the last hit's starts, when `max_hits` was reached before the end; else None."""
    next_line: int | None
    """The number of that line: `start_byte` and `first_line` of the next call."""
    examined_bytes: int
    last_line: int | None
    """The number of the file's last line, if the search came to it; `total_lines`, in other words."""


def find(
    source: ByteSource,
    pattern: str,
    *,
    regex: bool = False,
    case_sensitive: bool = True,
    encoding: Encoding = UTF8,
    start_byte: int = 0,
    first_line: int = 1,
    max_hits: int,
    should_stop: StopFlag = never,
    progress: Progress = no_progress,
    block_bytes: int = BLOCK_BYTES,
) -> FindResult:
    """The first `max_hits` lines from `start_byte` on in which `pattern` occurs.

    `source` is an ASCII superset in `encoding`, or a `TranscodedSource`. `start_byte` is where a line starts, and
    `first_line` its number. Raises `InvalidParams` for a pattern that cannot be looked for, `OutOfRange`, `Cancelled`.
    """
    if max_hits < 1:
        raise InvalidParams(f"At most {max_hits} hits asks for nothing; the least is 1.")
    view = source if isinstance(source, TranscodedSource) else None
    file = source.original if isinstance(source, TranscodedSource) else source
    if not 0 <= start_byte <= file.size:
        raise OutOfRange(f"There is no byte {start_byte:,} in {display_path(source.name)}: it has {file.size:,}.")
    text_encoding = encoding if view is None and encoding.kind == "legacy" else UTF8
    matcher = Matcher(pattern, regex=regex, case_sensitive=case_sensitive)
    search = _Search(source, matcher, text_encoding, max_hits, first_line)
    start = start_byte if view is None else view.from_original(start_byte)
    end = start
    for block in line_blocks(source, start, block_bytes):
        raise_if_stopped(should_stop)
        search.feed(block)
        end = block.end
        progress(end - start, source.size - start)
        if search.is_full:
            break
    next_offset = search.next_offset if search.is_full and search.next_offset < source.size else None
    if next_offset is not None:
        end = next_offset
    return FindResult(
        hits=tuple(search.hit(found) for found in search.found),
        next_byte=next_offset if next_offset is None or view is None else view.to_original(next_offset),
        next_line=None if next_offset is None else search.found[-1].line + 1,
        examined_bytes=(end if view is None else view.to_original(end)) - start_byte,
        last_line=None if next_offset is not None else search.last_line,
    )


@dataclass(slots=True)
class _Found:
    """A hit in offsets of the source. Where its line ends is known once that end has been read."""

    line: int
    start: int
    end: int
    line_start: int
    line_end: int


class _Search:
    """Collects hits block by block."""

    def __init__(
        self, source: ByteSource, matcher: Matcher, encoding: Encoding, max_hits: int, first_line: int
    ) -> None:
        self.found: list[_Found] = []
        self.next_offset = 0
        self._source = source
        self._matcher = matcher
        self._legacy = encoding.name if encoding.kind == "legacy" else ""
        self._max_hits = max_hits
        self._first_line = first_line  # of the block that comes next
        self._giant_start = 0  # where the giant line starts whose pieces come
        self._is_giant_hit = False

    @property
    def is_full(self) -> bool:
        """Whether there are as many hits as wanted, the last one's line read to its end."""
        return len(self.found) >= self._max_hits and not self._is_giant_hit

    @property
    def last_line(self) -> int:
        """The number of the last line that was fed."""
        return self._first_line - 1

    def feed(self, block: LineBlock) -> None:
        """Look through the next block."""
        if block.starts_line and block.ends_line:
            self._feed_lines(block)
        else:
            self._feed_piece(block)

    def _text(self, data: bytes) -> bytes:
        """The bytes in UTF-8, with the same lines."""
        if not self._legacy:
            return data
        text = data.decode(self._legacy, "replace").encode("utf-8")
        if count_line_ends(text) == count_line_ends(data):
            return text
        # A damaged character swallowed a line end: decode line by line.
        bounds = [*line_starts(data).tolist(), len(data)]
        return b"".join(
            content.decode(self._legacy, "replace").encode("utf-8") + line[len(content) :]
            for line in map(data.__getitem__, map(slice, bounds, bounds[1:]))
            for content in (line[: _content_length(line)],)
        )

    def _feed_lines(self, block: LineBlock) -> None:
        text = self._text(block.data)
        view = memoryview(self._matcher.prepared(text))
        bounds: Offsets | None = None  # where lines start in the text, and its end
        own_bounds: Offsets | None = None  # the same in the file's bytes
        position = 0
        while position < len(view) and len(self.found) < self._max_hits:
            end = self._matcher.first_end(view[position:])
            if end is None:
                break
            if bounds is None or own_bounds is None:
                bounds = own_bounds = np.append(line_starts(text), len(text))
                if self._legacy:
                    own_bounds = np.append(line_starts(block.data), len(block.data))
            # The match ends in the line of its last byte, or, where it is empty, in that of the byte after it.
            first, last = np.searchsorted(
                bounds, (max(position, position + end - 1), min(position + end, len(view) - 1)), side="right"
            )
            for line in range(int(first) - 1, int(last)):
                low, high = int(bounds[line]), int(bounds[line + 1])
                position = high
                span = self._matcher.first_span(view[low : low + _content_length(text[low:high])])
                if span is not None:
                    own_low, own_high = int(own_bounds[line]), int(own_bounds[line + 1])
                    if self._legacy:
                        span = _legacy_span(text[low:high], span, block.data[own_low:own_high], self._legacy)
                    start, line_start = block.start + own_low + span[0], block.start + own_low
                    self._add(
                        self._first_line + line, start, start + span[1] - span[0], line_start, block.start + own_high
                    )
                    break
        self._first_line += len(bounds) - 1 if bounds is not None else _count_lines(block.data)

    def _feed_piece(self, block: LineBlock) -> None:
        if block.starts_line:
            self._giant_start = block.start
            self._is_giant_hit = False
        if not self._is_giant_hit and len(self.found) < self._max_hits:
            content = block.data[: _content_length(block.data)] if block.ends_line else block.data
            text = self._text(content)
            span = self._matcher.first_span(memoryview(self._matcher.prepared(text)))
            if span is not None and self._legacy:
                span = _legacy_span(text, span, content, self._legacy)
            # What touches a piece's edge may only look like the end of a line; the overlap shows it whole.
            if span is not None and (
                not self._matcher.is_regex
                or ((block.starts_line or span[0] > 0) and (block.ends_line or span[1] < len(content)))
            ):
                self._is_giant_hit = True
                self._add(self._first_line, block.start + span[0], block.start + span[1], self._giant_start, block.end)
        if self._is_giant_hit:
            self.found[-1].line_end = self.next_offset = block.end
        if block.ends_line:
            self._first_line += 1
            self._is_giant_hit = False

    def _add(self, line: int, start: int, end: int, line_start: int, line_end: int) -> None:
        self.found.append(_Found(line, start, end, line_start, line_end))
        self.next_offset = line_end

    def hit(self, found: _Found) -> Hit:
        """A hit with its text, in offsets of the file."""
        view = self._source if isinstance(self._source, TranscodedSource) else None
        file = self._source if view is None else view.original
        text_start, text = self._clipped(found)
        if view is None:
            start, end, line_start, line_end = found.start, found.end, found.line_start, found.line_end
        else:
            start, end, line_start, line_end, text_start, text_end = (
                view.to_original(offset)
                for offset in (
                    found.start,
                    found.end,
                    found.line_start,
                    found.line_end,
                    text_start,
                    text_start + len(text),
                )
            )
            text = file.read_at(text_start, text_end - text_start)
        return Hit(found.line, found.line, start, end, line_start, line_end, text, text_start)

    def _clipped(self, found: _Found) -> tuple[int, bytes]:
        """Offset and bytes of the line, without its end, around the match."""
        tail = max(found.line_start, found.line_end - 2)
        line_end = tail + _content_length(self._source.read_at(tail, found.line_end - tail))
        spare = max(0, TEXT_BYTES - (found.end - found.start))
        high = min(line_end, max(found.line_start, found.start - spare // 2) + TEXT_BYTES)
        low = max(found.line_start, min(found.start, high - TEXT_BYTES))
        text = self._source.read_at(low, high - low)
        if high < line_end:
            text = _without_cut_end(text, self._legacy or "utf-8")
        if low > found.line_start and not self._legacy:
            cut_start = next((i for i, byte in enumerate(text[:4]) if byte & 0xC0 != 0x80), 0)
            low, text = low + cut_start, text[cut_start:]
        return low, text


def _count_lines(data: bytes) -> int:
    """Lines in a block, one without an end at its end too."""
    return count_line_ends(data) + (data[-1] not in b"\r\n")


def _content_length(line: bytes) -> int:
    """The length of a line without its end."""
    if line.endswith(b"\r\n"):
        return len(line) - 2
    return len(line) - line.endswith((b"\n", b"\r"))


def _without_cut_end(text: bytes, codec: str) -> bytes:
    """The text without a character that its end cuts."""
    decoder = codecs.getincrementaldecoder(codec)("replace")
    decoder.decode(text)
    return text[: len(text) - len(decoder.getstate()[0])]


def _legacy_span(text: bytes, span: tuple[int, int], original: bytes, codec: str) -> tuple[int, int]:
    """The span in a line's original bytes for one in its UTF-8 text."""
    wanted = [len(text[:offset].decode("utf-8")) for offset in span]
    decoder = codecs.getincrementaldecoder(codec)("replace")
    offsets: list[int] = []
    decoded = 0
    for offset in range(len(original) + 1):
        while len(offsets) < 2 and (wanted[len(offsets)] <= decoded or offset == len(original)):
            offsets.append(offset)
        if len(offsets) == 2:
            break
        decoded += len(decoder.decode(original[offset : offset + 1]))
    return offsets[0], offsets[1]
