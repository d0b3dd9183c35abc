"""Grows a big log from a small real one, always the same for the same seed.

Runs of neighbouring lines of the real log are laid one behind the other from seeded random places. The time goes on by
exponential steps whose mean follows the hour of the day, with a silent gap now and then; every longer number, address
and hexadecimal id is replaced by another of the same shape, the same within one run. So the words, the mix of
severities and the order of lines inside a run are real; times and values are not.
"""

from __future__ import annotations

import math
import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent.parent
_DIGITS = "0123456789"
_HEX = "0123456789abcdef"

# Numbers of three digits and more, the numbers of an address, and hexadecimal ids; what is shorter is left as it is.
_VALUE = re.compile(r"\b(?:\d{1,3}(?:\.\d{1,3}){3}|(?=[0-9a-f]*\d)[0-9a-f]{6,}|\d{3,})\b")


@dataclass(frozen=True, slots=True)
class Layout:
    """How one real log writes its time: where it stands in a line, and how to write another."""

    file: str
    stamp: re.Pattern[str]
    write: Callable[[datetime], str]


def _comma_milliseconds(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}"


LAYOUTS = {
    "HDFS": Layout("loghub/HDFS/HDFS_2k.log", re.compile(r"^\d{6} \d{6}"), lambda time: f"{time:%y%m%d %H%M%S}"),
    "Hadoop": Layout(
        "loghub/Hadoop/Hadoop_2k.log", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"), _comma_milliseconds
    ),
    "Zookeeper": Layout(
        "loghub/Zookeeper/Zookeeper_2k.log", re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}"), _comma_milliseconds
    ),
    "Spark": Layout(
        "loghub/Spark/Spark_2k.log",
        re.compile(r"^\d\d/\d\d/\d\d \d\d:\d\d:\d\d"),
        lambda time: f"{time:%y/%m/%d %H:%M:%S}",
    ),
    "OpenSSH": Layout(
        "loghub/OpenSSH/OpenSSH_2k.log",
        re.compile(r"^[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"),
        lambda time: f"{time:%b} {time.day:2d} {time:%H:%M:%S}",
    ),
}


def cache_folder() -> Path:
    """Where grown logs are kept between runs: MILEPOST_BENCH_CACHE, else a folder of the system's temporary folder."""
    named = os.environ.get("MILEPOST_BENCH_CACHE")
    folder = Path(named) if named else Path(tempfile.gettempdir()) / "milepost-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def corpus_folder() -> Path:
    """The corpus that MILEPOST_CORPUS names, else the one beside the checkout. Exits with one sentence without one."""
    folder = Path(os.environ.get("MILEPOST_CORPUS") or CHECKOUT.parent / "shared" / "corpus")
    if not folder.is_dir():
        raise SystemExit(f"This measures on the corpus, which is not at {folder}: set MILEPOST_CORPUS.")
    return folder


class Grower:
    """An endless log of one layout. `keep` says which of the real lines to use."""

    def __init__(
        self, layout: Layout, *, seed: int, keep: Callable[[str], bool] = lambda line: True, per_second: float = 40.0
    ) -> None:
        self._chance = random.Random(seed)
        self._layout = layout
        self.time = datetime(2024, 1, 29, 8, 0, 0)
        self._step = 1 / per_second
        text = (corpus_folder() / layout.file).read_text("utf-8", "replace")
        lines = [line.rstrip("\r") for line in text.split("\n")]
        self._templates = [_split(line, layout.stamp) for line in lines if layout.stamp.match(line) and keep(line)]

    def stamp(self) -> str:
        """The time as it is now, as this log writes it."""
        return self._layout.write(self.time)

    def advance(self) -> None:
        """Let the time pass until the next line; quicker by day than by night, with a pause once in 50,000 lines."""
        chance = self._chance.random()
        rate = 1.0 if 7 <= self.time.hour < 20 else 3.0
        step = -self._step * rate * _LOGARITHMS[int(chance * 1024)]
        if chance < 0.00002:
            step += 1800
        self.time += timedelta(seconds=step)

    def lines(self) -> Iterator[str]:
        """The log, line by line, without line ends."""
        chance, templates = self._chance, self._templates
        while True:
            first = chance.randrange(len(templates))
            replaced: dict[str, str] = {}
            for texts, values in templates[first : first + chance.randrange(5, 200)]:
                self.advance()
                parts = [self.stamp()]
                for text, value in zip(texts, values, strict=False):
                    if value not in replaced:
                        replaced[value] = self._vary(value)
                    parts.append(text)
                    parts.append(replaced[value])
                parts.append(texts[-1])
                yield "".join(parts)

    def _vary(self, value: str) -> str:
        chance = self._chance
        if "." in value:
            return f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(1, 255)}"
        if value.isdigit():
            return chance.choice("123456789") + "".join(chance.choices(_DIGITS, k=len(value) - 1))
        return "".join(chance.choices(_HEX, k=len(value)))


# Quantiles of the exponential distribution: a call of log() for every line would take a tenth of the time.
_LOGARITHMS = [math.log((index + 0.5) / 1024) for index in range(1024)]


def _split(line: str, stamp: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """A line behind its time, as constant texts and the values between them."""
    match = stamp.match(line)
    rest = line[match.end() :] if match else line
    values = _VALUE.findall(rest)
    return _VALUE.split(rest), values


def grown_log(name: str, size_bytes: int, *, seed: int = 1, tail_bytes: int = 0) -> tuple[Path, bytes]:
    """A log of `size_bytes` (whole lines, so a little less) and the `tail_bytes` that would follow; kept once made."""
    folder = cache_folder()
    path = folder / f"{name}-{size_bytes}-{seed}.log"
    tail_path = path.with_suffix(".tail")
    if path.exists() and tail_path.exists() and tail_path.stat().st_size >= tail_bytes - 4096:
        return path, tail_path.read_bytes()
    lines = Grower(LAYOUTS[name], seed=seed).lines()
    partial = path.with_suffix(".partial")
    written = 0
    with partial.open("wb") as file:
        batch: list[str] = []
        for line in lines:
            batch.append(line)
            if len(batch) == 5000:
                data = ("\n".join(batch) + "\n").encode()
                if written + len(data) > size_bytes:
                    break
                file.write(data)
                written += len(data)
                batch = []
        tail = ("\n".join(batch) + "\n").encode()
        room = size_bytes - written
        cut = tail.rfind(b"\n", 0, room) + 1
        file.write(tail[:cut])
    tail = tail[cut:]
    while len(tail) < tail_bytes:
        tail += next(lines).encode() + b"\n"
    tail_path.write_bytes(tail[: tail.rfind(b"\n", 0, max(tail_bytes, 1)) + 1] if tail_bytes else b"")
    partial.rename(path)
    return path, tail_path.read_bytes()
