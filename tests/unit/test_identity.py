"""Same, grown, or changed: told apart by size, mtime, inode and hashes of parts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from milepost.core.identity import Change, Identity, compare, hash_whole, measure
from milepost.core.source import BytesSource, open_source
from milepost.errors import Cancelled

SIZES = [0, 1, 500, 70_000, 131_072, 131_073, 400_000, 3_000_000]


def content(size: int) -> bytes:
    return b"".join(b"%09d: a line of the log\n" % number for number in range(size // 25 + 1))[:size]


@pytest.fixture
def log(tmp_path: Path) -> Callable[[bytes], Path]:
    def write(data: bytes) -> Path:
        path = tmp_path / "some.log"
        path.write_bytes(data)
        return path

    return write


def measured(path: Path, *, scanned: bool = True) -> Identity:
    with open_source(path) as source:
        return measure(source, whole_hash=hash_whole(source) if scanned else "")


def change(identity: Identity, path: Path, **options: bool) -> Change:
    with open_source(path) as source:
        return compare(identity, source, **options)


def rewrite(path: Path, data: bytes) -> None:
    """In place, with an mtime that certainly differs."""
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))


@pytest.mark.parametrize("size", SIZES)
def test_untouched_and_appended(log: Callable[[bytes], Path], size: int) -> None:
    path = log(content(size))
    identity = measured(path)
    assert change(identity, path) is change(identity, path, full_check=True) is Change.SAME
    rewrite(path, content(size) + b"one more line\n")
    assert change(identity, path) is change(identity, path, full_check=True) is Change.GREW


@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("grown_by", [0, 5000])
@pytest.mark.parametrize("place", ["first", "last"])
def test_another_head_or_tail_is_a_change(log: Callable[[bytes], Path], size: int, grown_by: int, place: str) -> None:
    path = log(content(size))
    identity = measured(path, scanned=False)
    data = bytearray(content(size) + b"y" * grown_by)
    data[0 if place == "first" else size - 1] ^= 1
    rewrite(path, bytes(data))
    assert change(identity, path) is Change.CHANGED


def test_shorter_is_a_change(log: Callable[[bytes], Path]) -> None:
    path = log(content(1000))
    identity = measured(path)
    rewrite(path, content(999))
    assert change(identity, path) is Change.CHANGED


def test_a_touch_is_no_change_where_the_hash_of_the_whole_proves_it(log: Callable[[bytes], Path]) -> None:
    path = log(content(400_000))
    scanned, sampled = measured(path), measured(path, scanned=False)
    rewrite(path, content(400_000))
    assert change(scanned, path) is Change.SAME
    assert change(sampled, path) is Change.CHANGED  # it may hide an edit between the samples
    small = log(content(100_000))
    identity = measured(small, scanned=False)
    rewrite(small, content(100_000))
    assert change(identity, small) is Change.SAME  # head and tail are all of it


def test_an_edit_in_place_between_the_samples_is_seen_by_the_hash_of_the_whole(log: Callable[[bytes], Path]) -> None:
    path = log(content(3_000_000))
    identity = measured(path)
    covered = [range(sample.offset, sample.offset + 4096) for sample in identity.samples]
    place = next(offset for offset in range(70_000, 2_900_000) if not any(offset in part for part in covered))
    data = bytearray(content(3_000_000))
    data[place] ^= 1
    rewrite(path, bytes(data))
    assert change(identity, path) is Change.CHANGED
    rewrite(path, bytes(data) + b"appended\n")
    assert change(identity, path) is Change.GREW  # what the samples cannot see, as documented
    assert change(identity, path, full_check=True) is Change.CHANGED


def test_copy_truncate_and_regrow_past_the_old_size_is_a_change(log: Callable[[bytes], Path]) -> None:
    path = log(content(300_000))
    identity = measured(path)
    rewrite(path, b"a new log begins\n" + content(500_000))
    assert change(identity, path) is Change.CHANGED


def test_rotation_is_a_change_although_all_bytes_are_equal(log: Callable[[bytes], Path]) -> None:
    path = log(content(300_000))
    identity = measured(path)
    path.rename(path.with_suffix(".1"))
    path.write_bytes(content(300_000) + b"more\n")
    assert change(identity, path) is Change.CHANGED


def test_the_text_of_an_editor_has_no_inode_and_no_mtime() -> None:
    identity = measure(BytesSource("untitled", content(1000)))
    assert compare(identity, BytesSource("untitled", content(1000))) is Change.SAME
    assert compare(identity, BytesSource("untitled", content(1000) + b"x")) is Change.GREW
    assert compare(identity, BytesSource("untitled", content(999) + b"x")) is Change.CHANGED


def test_hashing_can_be_cancelled_and_reports_progress() -> None:
    seen: list[tuple[int, int]] = []
    source = BytesSource("text", b"x" * 3_000_000)
    assert len(hash_whole(source, progress=lambda done, total: seen.append((done, total)))) == 32
    assert seen[-1] == (3_000_000, 3_000_000)
    with pytest.raises(Cancelled):
        hash_whole(source, should_stop=lambda: True)
