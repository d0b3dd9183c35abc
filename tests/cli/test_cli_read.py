"""`milepost read`: the file's own bytes, and an account of them that is exact."""

from __future__ import annotations

import base64
import json
import os
import re
import sys

import pytest

LINES = b"one\ntwo\r\nthree \xff\xfe\nfour\x1b[31m\n\nsix"


@pytest.mark.parametrize(
    "suffix, options, expected, account",
    [
        ("", [], LINES, "lines 1-6 of 6"),
        (":1", [], b"one\n", "line 1"),
        (":2-3", [], b"two\r\nthree \xff\xfe\n", "lines 2-3"),
        (":4-", [], b"four\x1b[31m\n\nsix", "lines 4-6 of 6"),
        (":5-99", [], b"\nsix", "lines 5-6 of 6"),
        ("", ["--offset", "2", "--limit", "1"], b"two\r\n", "line 2"),
        ("", ["--offset", "6"], b"six", "line 6 of 6"),
        ("", ["--limit", "1"], b"one\n", "line 1"),
        ("", ["--bytes", "4:3"], b"two", "line 2"),
        ("", ["--bytes", "15:2"], b"\xff\xfe", "line 3"),
        ("", ["--bytes", "30:1,000"], LINES[30:], "line"),
    ],
)
def test_a_range_is_written_byte_for_byte(milepost, tmp_path, suffix, options, expected, account):
    path = tmp_path / "a.log"
    path.write_bytes(LINES)
    done = milepost("read", f"{path}{suffix}", *options)
    assert done.returncode == 0
    assert done.stdout == expected
    assert done.stderr.decode().startswith(account)
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1"])
def test_bytes_are_not_decoded_whatever_the_encoding(milepost, tmp_path, encoding):
    data = "".join(f"Zeile {n}: größer als vorher\n" for n in range(1, 200)).encode(encoding)
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    assert milepost("read", path).stdout == data
    third = milepost("read", f"{path}:3-3").stdout
    assert (
        third
        == "Zeile 3: größer als vorher\n".encode(encoding.replace("-sig", "").replace("utf-16-be", "utf-16be"))[
            -len(third) :
        ]
    )


@pytest.mark.parametrize("max_bytes", [1, 5, 17, 100, 5000])
def test_a_cut_range_goes_on_with_the_command_it_names(milepost, tmp_path, max_bytes):
    data = ("a🌍b🌎c\n" * 5 + "x" * 130 + "é" * 130 + "\nlast").encode()
    path = tmp_path / "with space.log"
    path.write_bytes(data)
    got, command = b"", ["read", str(path)]
    for _ in range(12 if max_bytes > 90 else 3):
        done = milepost(*command, "--max-bytes", str(max_bytes))
        assert done.returncode == 0
        assert len(done.stdout) <= max_bytes
        done.stdout.decode()  # no character is split
        assert done.stdout or max_bytes < 4
        got += done.stdout
        going_on = re.search(
            r"; ([\d,]+) bytes? left, go on with: milepost read '(.*)' --bytes (\d+):(\d+)", done.stderr.decode()
        )
        assert data.startswith(got)
        if going_on is None:
            assert got == data
            break
        assert int(going_on[1].replace(",", "")) == int(going_on[4]) == len(data) - len(got)
        assert int(going_on[3]) == len(got)
        command = ["read", going_on[2], "--bytes", f"{going_on[3]}:{going_on[4]}"]
    else:
        assert max_bytes <= 90


@pytest.mark.parametrize("content", [b"plain text of a line\n" * 900, b"\xff\x01odd\n" * 900], ids=["text", "odd"])
def test_json_holds_its_cap_and_says_what_it_holds(milepost_many, tmp_path, content):
    path = tmp_path / "a.log"
    path.write_bytes(content)
    caps = [*range(1, 700, 31), 5000, 32768]
    whole = ["read", str(path), "--bytes", f"0:{len(content)}", "--json", "--max-bytes"]
    for done, cap in zip(milepost_many([[*whole, str(cap)] for cap in caps]), caps, strict=True):
        assert done.returncode == 0
        assert len(done.stdout) <= cap
        if done.stdout.startswith(b'{"path"'):
            reply = json.loads(done.stdout)
            raw = base64.b64decode(reply["content_base64"]) if reply["lossy"] else reply["content"].encode()
            assert raw == content[reply["start_byte"] : reply["end_byte"]]
            assert reply["omitted_bytes"] == len(content) - len(raw)
            assert done.stdout.endswith(b"}\n")


def test_a_name_that_ends_like_a_range_wins_over_the_range(milepost, tmp_path):
    (tmp_path / "a.log").write_bytes(b"1\n2\n3\n")
    assert milepost("read", "a.log:2").stdout == b"2\n"
    (tmp_path / "a.log:2").write_bytes(b"the other file\n")
    assert milepost("read", "a.log:2").stdout == b"the other file\n"
    assert milepost("read", "a.log:2:1").stdout == b"the other file\n"


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file names are Unicode on this system")
@pytest.mark.parametrize("command", ["outline", "read", "plan", "check"])
def test_a_name_that_is_no_utf_8(milepost, tmp_path, command):
    name = os.fsencode(tmp_path) + b"/odd \xff\x1b name.log"
    with open(name, "wb") as file:
        file.write(b"some text\n" * 3)
    done = milepost(command, name)
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    assert milepost(command, name, "--json").returncode == 0
