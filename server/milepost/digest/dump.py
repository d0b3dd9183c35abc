"""The debug dump of a run: each request to a model and its reply, secrets masked, in a file that only its owner can read."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs

from milepost.core.source import StopFlag
from milepost.digest.models.protocol import Completion, Model, Prompt
from milepost.errors import MilepostError

#: So many runs are kept; the oldest go.
MAX_DUMPS = 20
_MAX_TEXT = 1 << 20


def dump_folder() -> Path:
    """Where dumps lie: the platform's folder for logs."""
    return platformdirs.user_log_path("milepost", appauthor=False) / "runs"


class Dump:
    """One run's file, a JSON value a line. `mask` takes secrets out of what is written."""

    def __init__(self, folder: Path, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(OSError):
            folder.chmod(0o700)
        _forget_oldest(folder)
        name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{time.monotonic_ns() % 1_000_000:06}.jsonl"
        self.path = folder / name
        os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def write(self, what: str, **values: Any) -> None:
        """Add a line. A disk that is full does not stop the run."""
        row = {"at": round(time.time(), 3), "what": what, **{name: self._masked(one) for name, one in values.items()}}
        with self._lock, contextlib.suppress(OSError), self.path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")

    def _masked(self, value: Any) -> Any:
        return self._mask(value[:_MAX_TEXT]) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class DumpedModel:
    """A model whose prompts and replies are written down."""

    inner: Model
    dump: Dump

    @property
    def name(self) -> str:
        """The inner one's."""
        return self.inner.name

    @property
    def host(self) -> str:
        """The inner one's."""
        return self.inner.host

    @property
    def context_tokens(self) -> int:
        """The inner one's."""
        return self.inner.context_tokens

    def complete(self, prompt: Prompt, *, should_stop: StopFlag) -> Completion:
        """The inner one's reply, written down with its prompt; an error too."""
        began = time.monotonic()
        self.dump.write(
            "request", system=prompt.system, user=prompt.user, schema=prompt.schema_name, max=prompt.max_output_tokens
        )
        try:
            completion = self.inner.complete(prompt, should_stop=should_stop)
        except MilepostError as error:
            self.dump.write("error", kind=error.kind, message=str(error))
            raise
        self.dump.write("reply", seconds=round(time.monotonic() - began, 3), **asdict(completion))
        return completion

    def close(self) -> None:
        """Close the inner one."""
        self.inner.close()


def _forget_oldest(folder: Path) -> None:
    dumps = sorted(folder.glob("*.jsonl"))
    for path in dumps[: max(0, len(dumps) - MAX_DUMPS + 1)]:
        with contextlib.suppress(OSError):
            path.unlink()
