"""Is this still the file that was measured, has it merely grown, or is it another?

An `Identity` is what a scan, a cursor and an anchor remember of a file: size, mtime and inode; hashes of its first and
last 64 KiB; of 16 blocks of 4 KiB spread between them; and, once it has been scanned, of the whole. Comparing reads at
most 192 KiB, unless a full check is asked for or needed.

`compare` says

- SAME: size, mtime and inode are as before. Or the size is, the mtime is not (a touch, a rewrite), and the hash of the
  whole is. Without that hash another mtime is a change, since an edit in place may lie between the sampled blocks.
- GREW: same inode, larger, and head, old tail and sampled blocks are as before.
- CHANGED: anything else. Copy-truncate and rotation are changes even when the file has grown past its old size: after a
  rotation the path names another inode, and a log begun afresh has other bytes where the old tail was.

What this cannot see, unless `full_check` is set: a rewrite that keeps size, inode and mtime; and an edit of a middle
part of a file over 192 KiB, between the sampled blocks, that is followed by an append. Files up to 128 KiB are hashed
whole, so there only the first can happen.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import xxhash

from milepost.core.source import (
    ByteSource,
    FileSource,
    FileState,
    Progress,
    StopFlag,
    never,
    no_progress,
    raise_if_stopped,
)

END_BYTES = 65536
"""How much of the head and of the tail is hashed."""

SAMPLE_BYTES = 4096
SAMPLE_COUNT = 16

_READ_BYTES = 1 << 20


class Change(Enum):
    """How a file compares with its identity."""

    SAME = "same"
    GREW = "grew"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Sample:
    """The hash of `SAMPLE_BYTES` at `offset`."""

    offset: int
    hash: str


@dataclass(frozen=True, slots=True)
class Identity:
    """What is remembered of a file. Hashes are xxh3 of 128 bits, in hexadecimal.

    `size` is how much of the file was measured. An inode of 0 is unknown (an editor's text, a file system without) and
    compares equal to any. `whole_hash` is of the file's own bytes [0, size), "" if it was not taken.
    """

    size: int
    mtime_ns: int
    device: int
    inode: int
    head_hash: str
    tail_hash: str
    samples: tuple[Sample, ...]
    whole_hash: str = ""


def measure(source: ByteSource, *, whole_hash: str = "") -> Identity:
    """The identity of the source as it is now, up to its pinned size. `whole_hash` comes from a scan of all of it."""
    state = _state(source)
    size = source.size
    return Identity(
        size=size,
        mtime_ns=state.mtime_ns,
        device=state.device,
        inode=state.inode,
        head_hash=_hash(source, 0, min(END_BYTES, size)),
        tail_hash=_hash(source, max(0, size - END_BYTES), size),
        samples=tuple(
            Sample(offset, _hash(source, offset, min(offset + SAMPLE_BYTES, size))) for offset in _sample_offsets(size)
        ),
        whole_hash=whole_hash,
    )


def compare(
    identity: Identity,
    source: ByteSource,
    *,
    full_check: bool = False,
    should_stop: StopFlag = never,
    progress: Progress = no_progress,
) -> Change:
    """How the source, opened afresh, compares with the identity taken earlier.

    `full_check` hashes all of the measured bytes again where the identity knows their hash, and trusts nothing less.
    Raises `Cancelled` while it hashes.
    """
    state = _state(source)
    is_same_inode = not (identity.inode and state.inode) or (identity.device, identity.inode) == (
        state.device,
        state.inode,
    )
    if not is_same_inode or source.size < identity.size:
        return Change.CHANGED
    has_grown = source.size > identity.size
    is_touched = identity.mtime_ns != state.mtime_ns
    if not has_grown and not is_touched and identity.inode and not full_check:
        return Change.SAME
    if not _parts_match(identity, source):
        return Change.CHANGED
    is_measured_whole = identity.size <= 2 * END_BYTES  # head and tail are all there is
    needs_whole = not is_measured_whole and (full_check or (is_touched and not has_grown))
    if needs_whole and (
        not identity.whole_hash
        or hash_whole(source, identity.size, should_stop=should_stop, progress=progress) != identity.whole_hash
    ):
        return Change.CHANGED
    return Change.GREW if has_grown else Change.SAME


def hash_whole(
    source: ByteSource, size: int | None = None, *, should_stop: StopFlag = never, progress: Progress = no_progress
) -> str:
    """xxh3 (128 bits, hexadecimal) of the first `size` bytes, or of all. Raises `Cancelled`."""
    end = source.size if size is None else size
    digest = xxhash.xxh3_128()
    for offset in range(0, end, _READ_BYTES):
        raise_if_stopped(should_stop)
        digest.update(source.read_at(offset, min(_READ_BYTES, end - offset)))
        progress(min(offset + _READ_BYTES, end), end)
    return digest.hexdigest()


def _state(source: ByteSource) -> FileState:
    return source.state if isinstance(source, FileSource) else FileState(source.size, 0, 0, 0)


def _hash(source: ByteSource, start: int, end: int) -> str:
    return xxhash.xxh3_128_hexdigest(source.read_at(start, end - start))


def _sample_offsets(size: int) -> list[int]:
    """Evenly between head and tail, at multiples of the block; none where head and tail meet."""
    between = size - 2 * END_BYTES
    if between <= 0:
        return []
    step = between / SAMPLE_COUNT
    return sorted({int(END_BYTES + step * index) // SAMPLE_BYTES * SAMPLE_BYTES for index in range(SAMPLE_COUNT)})


def _parts_match(identity: Identity, source: ByteSource) -> bool:
    """Whether head, old tail and sampled blocks are as they were: each read at its old place."""
    size = identity.size
    return (
        _hash(source, 0, min(END_BYTES, size)) == identity.head_hash
        and _hash(source, max(0, size - END_BYTES), size) == identity.tail_hash
        and all(
            _hash(source, sample.offset, min(sample.offset + SAMPLE_BYTES, size)) == sample.hash
            for sample in identity.samples
        )
    )
