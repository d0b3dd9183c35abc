"""What a terminal changes: colours, width, escapes, a progress bar, Ctrl-C."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")
fcntl = pytest.importorskip("fcntl")
termios = pytest.importorskip("termios")
struct = pytest.importorskip("struct")

TEXT = (
    b"2024-01-01 00:00:00 ERROR it is broken, and this line goes on for quite a while to be longer than any window\n"
    * 30
)


@pytest.fixture
def on_terminal(command, environment, tmp_path):
    """Runs Milepost with a pseudo-terminal for its streams: (exit code, what it showed)."""

    def run(
        *arguments: str, env: dict[str, str] | None = None, columns: int = 100, streams: str = "out err", after=None
    ):
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        process = subprocess.Popen(
            command(*arguments),
            env={**environment, "TERM": "xterm-256color", **(env or {})},
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=follower if "out" in streams else subprocess.DEVNULL,
            stderr=follower if "err" in streams else subprocess.DEVNULL,
        )
        os.close(follower)
        shown = bytearray()

        def watch() -> None:
            while True:
                try:
                    data = os.read(leader, 65536)
                except OSError:
                    return
                if not data:
                    return
                shown.extend(data)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            if after is not None:
                after(process, shown)
            code = process.wait(60)
        finally:
            process.kill()
            watcher.join(10)
            os.close(leader)
        return code, bytes(shown).decode()

    return run


def colors(text: str) -> int:
    return len(re.findall(r"\x1b\[[0-9;]*m", text))


@pytest.mark.parametrize(
    "env, colored",
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
    ids=lambda value: " ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else None,
)
def test_colours_on_a_terminal(on_terminal, tmp_path, env, colored):
    (tmp_path / "a.log").write_bytes(TEXT)
    code, shown = on_terminal("outline", "a.log", env=env)
    assert code == 0
    assert (colors(shown) > 0) == colored


@pytest.mark.parametrize(
    "env, colored", [({}, False), ({"FORCE_COLOR": "1"}, True), ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False)]
)
def test_colours_in_a_pipe(milepost, tmp_path, env, colored):
    (tmp_path / "a.log").write_bytes(TEXT)
    done = milepost("outline", "a.log", "--max-bytes", "3000", env={"TERM": "xterm", **env})
    assert (colors(done.stdout.decode()) > 0) == colored
    assert len(done.stdout) <= 3000


@pytest.mark.parametrize("columns", [40, 72, 133])
def test_rows_fit_the_window(on_terminal, milepost, tmp_path, columns):
    (tmp_path / "a.log").write_bytes(TEXT)
    for command in (["outline", "a.log"], ["find", "a.log", "broken"]):
        _, shown = on_terminal(*command, columns=columns, streams="out", env={"NO_COLOR": "1"})
        rows = shown.splitlines()
        assert rows
        assert max(map(len, rows)) <= columns
    piped = milepost("outline", "a.log", env={"COLUMNS": str(columns)}).stdout.decode()
    assert max(map(len, piped.splitlines())) <= columns


def test_a_file_cannot_draw_on_the_terminal(on_terminal, milepost, tmp_path):
    content = b"a\x1b[2Jb\x07\xc2\x9b31mc\xffd\r\nnext\x1b]0;title\x07\ttab\n" + TEXT
    (tmp_path / "a.log").write_bytes(content)
    for command in (["read", "a.log"], ["find", "a.log", "next"], ["outline", "a.log"]):
        code, shown = on_terminal(*command, env={"NO_COLOR": "1"}, streams="out")
        assert code == 0
        assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", shown)
    _, shown = on_terminal("read", "a.log", streams="out")
    assert shown.splitlines()[0] == r"a\x1b[2Jb\x07\x9b31mc\xffd"
    assert milepost("read", "a.log").stdout == content


def test_ascii_only_where_the_stream_has_nothing_else(milepost, tmp_path):
    (tmp_path / "a.log").write_bytes("größer ✖ 漢字\n".encode() * 3 + TEXT)
    done = milepost("outline", "a.log", env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert done.stdout.isascii()


def big_log(path, megabytes: int) -> None:
    line = b"2024-01-01 00:00:00 INFO  [worker-%d] app.Server - request %d took %d ms\n"
    block = b"".join(line % (n % 9, n, n * 7919 % 1000) for n in range(16_000))
    with path.open("wb") as file:
        for _ in range(megabytes * 1_000_000 // len(block) + 1):
            file.write(block)


def test_a_progress_bar_on_long_work_only_and_it_is_removed(on_terminal, tmp_path):
    (tmp_path / "a.log").write_bytes(TEXT)
    _, shown = on_terminal("outline", "a.log", streams="err")
    assert "scanning" not in shown
    big_log(tmp_path / "big.log", 300)
    code, shown = on_terminal("outline", "big.log", streams="err")
    assert code == 0
    if "scanning" not in shown:
        pytest.skip("300 MB took less than half a second here")
    assert "MB" in shown
    assert shown.rindex("\x1b[2K") > shown.rindex("scanning")


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
@pytest.mark.parametrize("streams", ["err", "out err"])
def test_ctrl_c_ends_quietly_and_at_once(on_terminal, tmp_path, streams):
    big_log(tmp_path / "big.log", 300)
    interrupted = []

    def interrupt(process, shown) -> None:
        deadline = time.monotonic() + 30
        while b"scanning" not in shown and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            interrupted.append(time.monotonic())
            process.wait(30)
            interrupted.append(time.monotonic())

    code, shown = on_terminal("outline", "big.log", streams=streams, after=interrupt)
    if not interrupted:
        pytest.skip("the work was done before it could be interrupted")
    assert code == 130
    assert "Traceback" not in shown
    assert "KeyboardInterrupt" not in shown
    assert interrupted[1] - interrupted[0] < 5
