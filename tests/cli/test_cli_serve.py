"""`milepost serve` and `milepost doctor`."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest


def message(**fields: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **fields}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


HELLO = message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
GOODBYE = message(id=2, method="shutdown") + message(method="exit")


@pytest.mark.parametrize("options", [[], ["--stdio"]], ids=["default", "--stdio"])
def test_serve_speaks_the_protocol_on_standard_streams(milepost, options):
    done = milepost("serve", *options, input=HELLO + GOODBYE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(b"Content-Length: ")
    assert b'"capabilities"' in done.stdout
    assert done.stderr == b""


def test_serve_listens_on_tcp_until_it_is_interrupted(command, environment, tmp_path):
    process = subprocess.Popen(
        command("serve", "--tcp", "127.0.0.1:0"), env=environment, cwd=tmp_path, stderr=subprocess.PIPE
    )
    try:
        assert process.stderr is not None
        said = process.stderr.readline().decode()
        port = int(re.fullmatch(r"milepost: listening on 127\.0\.0\.1:(\d+)\n", said)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(HELLO)
            assert client.recv(16).startswith(b"Content-Length: ")
        if sys.platform != "win32":
            process.send_signal(signal.SIGINT)
            assert process.wait(30) in (0, 130)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_port_that_is_taken_is_one_line(milepost):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = milepost("serve", "--tcp", address)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"milepost: {address} cannot be listened on: ")
    assert done.stderr.count(b"\n") == 1


def findings(done: subprocess.CompletedProcess[bytes]) -> dict[str, str]:
    return {finding["name"]: finding["value"] for finding in json.loads(done.stdout)["findings"]}


def test_doctor_finds_nothing_wrong_here(milepost):
    done = milepost("doctor")
    assert (done.returncode, done.stderr) == (0, b"")
    rows = done.stdout.decode().splitlines()
    assert all(row.startswith("ok ") for row in rows)
    for name in ("milepost", "Python", "numpy", "hyperscan", "pygls", "user settings", "model", "output", "cache"):
        assert any(row.split()[1] == name.split()[0] for row in rows), name
    assert "offline" in findings(milepost("doctor", "--json"))["model"]


def test_doctor_names_what_is_wrong_and_no_secret(milepost, tmp_path):
    config = tmp_path / "home" / "config" / "milepost"
    config.mkdir(parents=True)
    (config / "config.toml").write_text(
        '[model]\nbase_url = "https://model.example/secret-path/v1"\nname = "small"\n[limits]\ndefault_max_bytes = "lots"\n'
    )
    done = milepost("doctor", "--json", env={"MILEPOST_API_KEY": "sk-12345"})
    assert done.returncode == 1
    assert done.stderr == b"milepost: 1 problem: settings.\n"
    found = findings(done)
    assert found["model"] == "small at model.example, a key is set"
    assert found["settings"].startswith("limits.default_max_bytes in ")
    assert found["user settings"] == str(config / "config.toml")
    assert "model.base_url" in found["settings changed"]
    assert b"12345" not in done.stdout
    assert b"secret" not in done.stdout


def test_a_library_that_cannot_be_loaded_is_named(milepost, tmp_path, environment):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "hyperscan.py").write_text("raise ImportError('libhs.so.5 is missing', name='hyperscan')\n")
    (tmp_path / "a.log").write_text("2024-01-01 00:00:00 INFO begins\n" * 9)
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path / "broken"), environment["PYTHONPATH"]])}
    done = milepost("doctor", env=env)
    assert done.returncode == 1
    assert b"problem  hyperscan" in done.stdout
    assert b"libhs.so.5" in done.stdout
    done = milepost("find", "a.log", "INFO", env=env)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1].startswith("milepost: The library hyperscan cannot be loaded")
    assert b"Traceback" not in done.stderr
