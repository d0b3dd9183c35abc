"""What cannot be done is said in one line, with exit code 1, and never by a traceback."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

TEXT = b"2024-01-01 00:00:00 INFO begins\n" * 50


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.log").write_bytes(TEXT)
    (tmp_path / "empty.log").write_bytes(b"")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40)
    (tmp_path / "folder").mkdir()
    (tmp_path / "forbidden.log").write_bytes(TEXT)
    (tmp_path / "forbidden.log").chmod(0)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


FAILURES = [
    (["outline", "missing.log"], "not_found", "missing.log"),
    (["read", "missing.log:3"], "not_found", "missing.log"),
    (["find", "missing\nnew line", "x"], "not_found", "missing"),
    (["plan", ""], "invalid_params", "path"),
    (["outline", "folder"], "not_a_file", "folder"),
    (["read", "pipe"], "not_a_file", "pipe"),
    (["read", "/dev/null"], "not_a_file", "/dev/null"),
    (["outline", "a.log/below"], "not_found", "a.log/below"),
    (["read", "a.log:51"], "out_of_range", "50 lines"),
    (["read", "a.log", "--bytes", "99999:1"], "out_of_range", "1,600 bytes"),
    (["read", "a.log:3-2"], "invalid_params", "3-2"),
    (["read", "a.log:0"], "invalid_params", "0"),
    (["read", "image.png"], "binary", "image.png"),
    (["find", "image.png", "x"], "binary", "image.png"),
    (["find", "a.log", "(", "--regex"], "invalid_params", "("),
    (["find", "a.log", "x", "--cursor", "nonsense"], "cursor_invalid", "cursor"),
    (["outline", "a.log", "--cursor", "nonsense"], "cursor_invalid", "cursor"),
    (["outline", "a.log", "--section", "nonsense"], "not_found", "nonsense"),
    (["outline", "a.log", "--format", "nonsense"], "invalid_params", "nonsense"),
]


@pytest.mark.parametrize(
    "arguments, kind, word", FAILURES, ids=lambda value: " ".join(value) if isinstance(value, list) else None
)
def test_one_line_says_what_is_wrong(milepost, files, arguments, kind, word):
    done = milepost(*arguments, cwd=files)
    assert done.returncode == 1
    assert done.stdout == b""
    sentence = done.stderr.decode()
    assert sentence.startswith("milepost: ")
    assert sentence.count("\n") == 1
    assert word in sentence
    as_json = milepost(*arguments, "--json", cwd=files)
    assert as_json.returncode == 1
    assert as_json.stderr == done.stderr
    error = json.loads(as_json.stdout)["error"]
    assert error["kind"] == kind
    assert f"milepost: {error['message']}\n" == sentence


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(milepost, files):
    done = milepost("outline", "forbidden.log", cwd=files)
    assert done.returncode == 1
    assert done.stderr.decode().startswith("milepost: The system does not let this user read")


@pytest.mark.parametrize("arguments", [["outline"], ["read"], ["plan"], ["check"], ["find"]], ids=" ".join)
def test_an_empty_file_is_no_error(milepost, files, arguments):
    done = milepost(*arguments, "empty.log", *(["x"] if arguments == ["find"] else []), cwd=files)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_a_binary_file_is_outlined_by_its_facts(milepost, files):
    done = milepost("outline", "image.png", cwd=files)
    assert done.returncode == 0
    assert b"sha256" in done.stdout
    assert milepost("read", "image.png", "--bytes", "1:3", cwd=files).stdout == b"PNG"


@pytest.mark.parametrize(
    "arguments", [["outline", "a.log"], ["read", "big.log"], ["--help"], ["outline", "a.log", "--json"]]
)
def test_a_closed_pipe_ends_quietly(files, command, environment, arguments):
    (files / "big.log").write_bytes(TEXT * 20_000)
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*command(*arguments), *(["--max-bytes", "50000000"] if "big.log" in arguments else [])],
        env=environment, cwd=files, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False,
    )  # fmt: skip
    os.close(writer)
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    assert b"Broken" not in done.stderr
    assert done.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("arguments", [["outline", "a.log"], ["read", "a.log"], ["--version"]], ids=" ".join)
def test_a_full_disk_is_one_line(files, command, environment, arguments):
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command(*arguments),
            env=environment,
            cwd=files,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    last = done.stderr.decode().splitlines()[-1]
    assert last == "milepost: The output cannot be written: No space left on device."
    assert b"Traceback" not in done.stderr


def test_closed_streams_are_survived(files, command, environment):
    shell = "exec " + " ".join(command("outline", "a.log"))
    for redirection, code in ((">&-", 1), ("2>&-", 0), (">&- 2>&-", 1)):
        done = subprocess.run(
            ["sh", "-c", f"{shell} {redirection}"],
            env=environment,
            cwd=files,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code
        assert b"Traceback" not in done.stderr
