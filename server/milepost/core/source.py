"""Where bytes come from: a file on disk, or the text an editor holds.

A `FileSource` pins the file's size when it is opened and never reads past it, so that a file which grows meanwhile is
seen as it was. Reads are `pread` calls, which need no shared position and no lock, and never a memory map: a mapped
file that another process truncates ends this one with SIGBUS.

Offsets and lengths are bytes; ranges are half-open.
"""

from __future__ import annotations

import bisect
import errno
import itertools
import os
import stat
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol

from milepost.errors import (
    Cancelled,
    FileChanged,
    InvalidParams,
    MilepostError,
    NotAFile,
    NotFound,
    OutOfRange,
    PermissionRefused,
)

StopFlag = Callable[[], bool]
"""Asked between blocks of work: true once the user has cancelled."""

Progress = Callable[[int, int], None]
"""Told between blocks of work: (bytes done, bytes in all)."""


def never() -> bool:
    """The stop flag of work that nobody cancels."""
    return False


def no_progress(done_bytes: int, total_bytes: int) -> None:
    """The progress sink of work that nobody watches."""


def raise_if_stopped(should_stop: StopFlag) -> None:
    """Raise `Cancelled` if the flag is up. Long loops call this once a block."""
    if should_stop():
        raise Cancelled("The work was cancelled.")


@dataclass(frozen=True, slots=True)
class FileState:
    """What `stat` says of a file: enough to tell cheaply that it may have changed, not that it has not."""

    size: int
    mtime_ns: int
    device: int
    inode: int


class ByteSource(Protocol):
    """Bytes at offsets. All of the core reads through this."""

    @property
    def name(self) -> str:
        """The path as given, or the document's URI."""
        ...

    @property
    def size(self) -> int:
        """How many bytes there are, fixed for the life of the source."""
        ...

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes of [offset, offset + length), short only at the end of the source."""
        ...


def display_path(path: str | Path) -> str:
    """The path as it can stand in a sentence, on one line: control characters and undecodable bytes as escapes."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in str(path)
    )


def _refusal(path: str | Path, error: OSError) -> MilepostError:
    """The sentence for an operating system's refusal to open or read `path`."""
    shown = display_path(path)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return NotFound(f"There is no file {shown}; check the path.")
    if error.errno == errno.EISDIR:
        return NotAFile(f"{shown} is a folder; name a file in it.")
    if error.errno in (errno.EACCES, errno.EPERM):
        return PermissionRefused(f"The system does not let this user read {shown}; check its permissions.")
    if error.errno in (errno.ENXIO, errno.ENODEV, errno.EOPNOTSUPP):
        return NotAFile(f"{shown} is a socket or a device, not a file; save its output to a file first.")
    if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return NotFound(f"{shown} cannot be opened: {os.strerror(error.errno)}; check the path.")
    reason = os.strerror(error.errno) if error.errno else str(error)
    return PermissionRefused(f"The system cannot read {shown}: {reason}.")


def _not_a_file(path: str | Path, mode: int) -> NotAFile:
    shown = display_path(path)
    if stat.S_ISDIR(mode):
        return NotAFile(f"{shown} is a folder; name a file in it.")
    kind = (
        "a named pipe"
        if stat.S_ISFIFO(mode)
        else "a socket"
        if stat.S_ISSOCK(mode)
        else "a device"
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
        else "no regular file"
    )
    return NotAFile(f"{shown} is {kind}; save its output to a file and name that.")


def _state_of(status: os.stat_result) -> FileState:
    return FileState(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)


class FileSource:
    """An open regular file, its size pinned. Safe to read from several threads; a context manager.

    Made by `open_source`.
    """

    def __init__(self, path: Path, name: str, descriptor: int, state: FileState, size: int) -> None:
        self.path = path
        self.name = name
        self.state = state
        self.size = size
        self._descriptor: int | None = descriptor
        self._lock = threading.Lock()

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes of [offset, offset + length), short only at the pinned end.

        Raises `FileChanged` where the file has become shorter than it was when opened, `PermissionRefused` where the
        system reports an input error, `OutOfRange` for a negative offset or length.
        """
        if offset < 0 or length < 0:
            raise OutOfRange(f"Byte {offset} with length {length} is no range in {display_path(self.name)}.")
        wanted = min(length, self.size - offset)
        if wanted <= 0:
            return b""
        data = self._read_once(offset, wanted)
        if len(data) == wanted:
            return data
        # Network file systems and signals may deliver less than asked; only an empty read means the end.
        parts = [data]
        got = len(data)
        while got < wanted and parts[-1]:
            parts.append(self._read_once(offset + got, wanted - got))
            got += len(parts[-1])
        if got < wanted:
            raise FileChanged(
                f"{display_path(self.name)} has become shorter while it was read "
                f"({self.size:,} bytes before, {offset + got:,} now); start again."
            )
        return b"".join(parts)

    def _read_once(self, offset: int, length: int) -> bytes:
        descriptor = self._descriptor
        if descriptor is None:
            raise ValueError("read from a closed FileSource")
        try:
            if hasattr(os, "pread"):
                return os.pread(descriptor, length, offset)
            with self._lock:  # Windows has one shared position per descriptor.
                os.lseek(descriptor, offset, os.SEEK_SET)
                return os.read(descriptor, length)
        except OSError as error:
            raise _refusal(self.name, error) from error

    def current_state(self) -> FileState:
        """What the path names now, by a fresh `stat`: after a rotation that is another inode than the one held open.

        Raises `NotFound` when the path is gone.
        """
        try:
            return _state_of(os.stat(self.path))
        except OSError as error:
            raise _refusal(self.name, error) from error

    def close(self) -> None:
        """Close the file. Closing twice does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def __enter__(self) -> FileSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_descriptor", None) is not None:
            self.close()


def open_source(path: str | Path, *, pinned_size: int | None = None) -> FileSource:
    """Open a regular file for reading, its size pinned to what it is now, or to the smaller `pinned_size`.

    Never hangs on a named pipe, and opens no folder, socket or device. Files that say they are empty although they have
    content (those of /proc) count as empty. Raises `NotFound`, `NotAFile`, `PermissionRefused`, `InvalidParams` (a path
    that cannot be one), or `FileChanged` where the file is already shorter than `pinned_size`.
    """
    name = str(path)
    if not name or "\0" in name:
        raise InvalidParams("The path is empty or holds a NUL character; name a file.")
    # O_NONBLOCK: opening a pipe that nobody writes to would wait for ever. It changes nothing for regular files.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    try:
        # Asked first, because the mere opening of a device can have effects (a tape rewinds).
        before = os.stat(name)
        if not stat.S_ISREG(before.st_mode):
            raise _not_a_file(name, before.st_mode)
        descriptor = os.open(name, flags)
    except OSError as error:
        raise _refusal(name, error) from error
    except ValueError as error:  # characters that the file system's encoding has not
        raise InvalidParams(f"{display_path(name)} cannot be a path on this system: {error}.") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _not_a_file(name, status.st_mode)
        if pinned_size is not None and status.st_size < pinned_size:
            raise FileChanged(
                f"{display_path(name)} is shorter than it was ({pinned_size:,} bytes before, "
                f"{status.st_size:,} now); start again."
            )
    except BaseException:
        os.close(descriptor)
        raise
    size = status.st_size if pinned_size is None else pinned_size
    return FileSource(Path(name), name, descriptor, _state_of(status), size)


class BytesSource:
    """Bytes in memory: the text of an editor's document, or a test's.

    They may come in parts: to join 40 MB would hold up every thread.
    """

    def __init__(self, name: str, *parts: bytes) -> None:
        self.name = name
        self._parts = parts
        self._ends = list(itertools.accumulate(map(len, parts)))
        self.size = self._ends[-1] if parts else 0

    def read_at(self, offset: int, length: int) -> bytes:
        """The bytes of [offset, offset + length), short only at the end."""
        if offset < 0 or length < 0:
            raise OutOfRange(f"Byte {offset} with length {length} is no range in {display_path(self.name)}.")
        found: list[bytes] = []
        index = bisect.bisect_right(self._ends, offset)
        at = offset - (self._ends[index - 1] if index else 0)
        while length > 0 and index < len(self._parts):
            found.append(self._parts[index][at : at + length])
            length -= len(found[-1])
            index, at = index + 1, 0
        return found[0] if len(found) == 1 else b"".join(found)
