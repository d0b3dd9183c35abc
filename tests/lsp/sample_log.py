"""A small log of a kind that every format detection knows, with one error and its stack trace at a known line."""

from __future__ import annotations

from pathlib import Path

#: 1-based line of the error, and the last line of its stack trace.
ERROR_LINE, TRACE_END_LINE = 41, 46

_TRACE = """\
java.lang.IllegalStateException: pool is empty
\tat com.example.Pool.take(Pool.java:88)
\tat com.example.Worker.run(Worker.java:31)
Caused by: java.io.IOException: connection reset by peer
\tat com.example.Net.read(Net.java:12)
"""


def line(number: int, level: str = "INFO", message: str = "") -> str:
    second = number % 60
    minute = number // 60 % 60
    hour = 8 + number // 3600
    time = f"2026-03-01 {hour:02}:{minute:02}:{second:02},{number % 1000:03}"
    text = message or f"request {number} handled in {number % 97} ms"
    return f"{time} {level} [worker-{number % 4}] com.example.Server - {text}\n"


def sample_text(lines: int = 80) -> str:
    """A log of `lines` records; the error is the 41st line."""
    before = [line(number) for number in range(ERROR_LINE - 1)]
    after = [line(number) for number in range(ERROR_LINE, lines)]
    return "".join([*before, line(ERROR_LINE - 1, "ERROR", "request failed for user é🌍"), _TRACE, *after])


def write_large_log(path: Path, size: int) -> None:
    """A log of about `size` bytes, the sample's error in every block of a megabyte."""
    block = sample_text(11_000).encode()
    with path.open("wb") as file:
        written = 0
        while written < size:
            written += file.write(block)
