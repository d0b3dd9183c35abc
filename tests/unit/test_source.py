"""Files as bytes: pinned in size, refused in one sentence where they are no files."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from milepost.core.source import BytesSource, FileState, display_path, open_source, raise_if_stopped
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


def test_reads_are_short_only_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "ten.txt"
    path.write_bytes(b"0123456789")
    with open_source(path) as file:
        for source in (
            file,
            BytesSource("ten", b"0123456789"),
            BytesSource("ten", b"", b"01", b"234", b"", b"5678", b"9"),
        ):
            assert source.size == 10
            assert source.read_at(0, 4) == b"0123"
            assert source.read_at(8, 100) == b"89"
            assert source.read_at(10, 1) == b""
            assert source.read_at(99, 5) == b""
            assert source.read_at(3, 0) == b""
            with pytest.raises(OutOfRange):
                source.read_at(-1, 3)


def test_a_file_that_grows_is_read_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "growing.log"
    path.write_bytes(b"old\n")
    with open_source(path) as source:
        with path.open("ab") as file:
            file.write(b"new\n")
        assert source.read_at(0, 100) == b"old\n"
        assert source.current_state().size == 8
        assert source.state.size == 4
    with open_source(path, pinned_size=6) as source:
        assert source.read_at(0, 100) == b"old\nne"


def test_a_file_that_shrinks_is_a_changed_file(tmp_path: Path) -> None:
    path = tmp_path / "shrinking.log"
    path.write_bytes(b"x" * 100)
    with open_source(path) as source:
        os.truncate(path, 10)
        assert source.read_at(0, 5) == b"xxxxx"
        with pytest.raises(FileChanged, match=r"shrinking\.log has become shorter .*100 bytes before, 10 now"):
            source.read_at(0, 50)
    with pytest.raises(FileChanged, match="50 bytes before, 10 now"):
        open_source(path, pinned_size=50)


def test_the_state_is_of_the_path_not_of_what_is_held_open(tmp_path: Path) -> None:
    path = tmp_path / "rotated.log"
    path.write_bytes(b"first")
    with open_source(path) as source:
        path.rename(tmp_path / "rotated.log.1")
        with pytest.raises(NotFound):
            source.current_state()
        path.write_bytes(b"second")
        assert source.current_state().inode != source.state.inode
        assert source.read_at(0, 9) == b"first"
    assert isinstance(source.state, FileState)


def refusal(path: str | Path) -> MilepostError:
    with pytest.raises(MilepostError) as caught:
        open_source(path)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return caught.value


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert isinstance(refusal(tmp_path), NotAFile)
    assert isinstance(refusal(tmp_path / "absent.log"), NotFound)
    assert isinstance(refusal(tmp_path / "absent" / "x.log"), NotFound)
    assert isinstance(refusal(""), InvalidParams)
    assert isinstance(refusal("nul\0in it"), InvalidParams)
    assert isinstance(refusal("x" * 5000), NotFound)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_pipes_devices_and_sockets_do_not_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "named pipe" in str(refusal(tmp_path / "pipe"))
    assert "device" in str(refusal("/dev/null"))
    monkeypatch.chdir(tmp_path)  # a socket's path may have 100 characters only
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert "socket" in str(refusal("socket"))
    (tmp_path / "loop").symlink_to("loop")
    assert isinstance(refusal(tmp_path / "loop"), NotFound)


@pytest.mark.skipif(os.name == "nt" or getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_a_file_without_read_permission_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "secret.log"
    path.write_bytes(b"x")
    path.chmod(0)
    assert isinstance(refusal(path), PermissionRefused)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc here")
def test_files_that_say_they_are_empty_are_empty() -> None:
    with open_source("/proc/self/status") as source:
        assert source.size == 0
        assert source.read_at(0, 10) == b""


def test_paths_in_sentences_are_one_line() -> None:
    assert display_path("a\nb\x1b[31m\udcff.log") == "a\\nb\\x1b[31m\\udcff.log"
    assert display_path("Größe 🌍.log") == "Größe 🌍.log"


def test_closing_twice_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a")
    source = open_source(path)
    source.close()
    source.close()
    with pytest.raises(ValueError, match="closed"):
        source.read_at(0, 1)


def test_a_raised_flag_cancels() -> None:
    raise_if_stopped(lambda: False)
    with pytest.raises(Cancelled):
        raise_if_stopped(lambda: True)
