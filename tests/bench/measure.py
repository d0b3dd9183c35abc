"""What a measurement needs: the CPU and memory of a process tree, a small language client, a table in Markdown."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MILEPOST = [sys.executable, "-m", "milepost"]


@dataclass(frozen=True, slots=True)
class Run:
    """One finished process: user and system CPU of it and its children, wall time, and the peak of the whole tree."""

    cpu_s: float
    wall_s: float
    peak_pss_bytes: int
    output: bytes
    errors: bytes
    code: int


def tree_of(pid: int) -> list[int]:
    """The process and all that it started and that still run."""
    found = [pid]
    for known in found:
        with suppress(OSError):
            for task in os.listdir(f"/proc/{known}/task"):
                children = Path(f"/proc/{known}/task/{task}/children").read_text()
                found += [int(child) for child in children.split() if int(child) not in found]
    return found


def pss_bytes(pid: int) -> int:
    """The proportional set size of the process tree now: shared pages count in parts. 0 once it has ended."""
    total = 0
    for one in tree_of(pid):
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
        except OSError:
            continue
        total += sum(1024 * int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total


class PeakMemory:
    """Samples the proportional set size of a process tree until it is closed; `peak` is the largest seen."""

    def __init__(self, pid: int, every_s: float = 0.05) -> None:
        self.peak = 0
        self._pid = pid
        self._every_s = every_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._done.is_set():
            self.peak = max(self.peak, pss_bytes(self._pid))
            self._done.wait(self._every_s)

    def close(self) -> int:
        """Stop, and say the peak."""
        self._done.set()
        self._thread.join()
        return self.peak


def run(command: Sequence[str], *, memory: bool = False) -> Run:
    """Run to the end. CPU is what the kernel charged for the process and all its children, start-up included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    sampler = PeakMemory(process.pid) if memory else None
    output, errors = process.communicate()
    wall = time.perf_counter() - started
    peak = sampler.close() if sampler else 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(cpu, wall, peak, output, errors, process.returncode)


class LanguageClient:
    """A client of `milepost serve` over stdio, just enough to send requests and wait for their replies."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self.process = subprocess.Popen(
            [*MILEPOST, "serve", "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._next_id = 0
        self.notifications: list[dict[str, Any]] = []
        capabilities = {"window": {"workDoneProgress": True}, "workspace": {"configuration": False}}
        self.request(
            "initialize",
            {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities, "initializationOptions": options},
        )
        self._send({"method": "initialized", "params": {}})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self.process.stdout
        assert stream is not None
        length = 0
        while (line := stream.readline().strip()) or not length:
            if not line and self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}")
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(stream.read(length))
        return message

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for its reply; requests of the server are answered with null on the way."""
        self._next_id += 1
        number = self._next_id
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message and "id" in message:
                self._send({"id": message["id"], "result": None})
            else:
                self.notifications.append(message)

    def timed(self, method: str, params: dict[str, Any]) -> tuple[Any, float]:
        """The reply of a request, and how long it took in seconds."""
        started = time.perf_counter()
        result = self.request(method, params)
        return result, time.perf_counter() - started

    def close(self) -> None:
        """Shut the server down."""
        self.request("shutdown", {})
        self._send({"method": "exit", "params": {}})
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A titled table in Markdown."""
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"
