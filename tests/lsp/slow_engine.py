"""The real server on a service that is slow on purpose: what is tested is who waits, who is told, and who can stop it.

Run as a process. A file's name says how its scan goes: `scan-3s-early1.log` takes three seconds and gives a provisional
outline after one; with `fails` in it the scan ends in an error. `find` reports how many scans were started and stopped,
`plan` how many are running.
"""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

from milepost.core.outline import Outline, Section
from milepost.core.source import never, no_progress
from milepost.errors import Cancelled, NotFound
from milepost.lsp.app import run_stdio

TICK_S = 0.02


class SlowEngine:
    """Stands in for `milepost.service.Service`."""

    def __init__(self, settings: Any) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._outlines: dict[Any, Outline] = {}
        self.counts = {"started": 0, "stopped": 0, "finished": 0}

    def _count(self, name: str) -> None:
        with self._lock:
            self.counts[name] += 1

    def core_outline(
        self, path: str, *, text: Any = None, should_stop: Any = never, progress: Any = no_progress, on_provisional: Any
    ) -> Outline:
        if text is None and not Path(path).exists():
            raise NotFound(f"There is no file {path}.")
        size = text.size if text is not None else Path(path).stat().st_size
        key = (path, size, None if text is None else text.data)
        if key in self._outlines:
            return self._outlines[key]
        self._count("started")
        timing = re.search(r"scan-(\d+(?:\.\d+)?)s(?:-early(\d+(?:\.\d+)?))?", path)
        seconds = float(timing[1]) if timing else 0.0
        early = float(timing[2]) if timing and timing[2] else None
        begin = time.monotonic()
        while (elapsed := time.monotonic() - begin) < seconds:
            if should_stop():
                self._count("stopped")
                raise Cancelled("Stopped.")
            progress(int(elapsed * 1e6), int(seconds * 1e6))
            if early is not None and elapsed > early:
                early = None
                on_provisional(self._outline(path, size, "provisional"))
            time.sleep(TICK_S)
        if "fails" in path:
            raise NotFound(f"There is no file {path} any more.")
        self._count("finished")
        outline = self._outlines[key] = self._outline(path, size, "exact")
        return outline

    def _outline(self, path: str, size: int, state: str) -> Outline:
        section = Section(f"segment-1-{state}", f"{state} part", "segment", 1, 1, 0, size, weight=0.9)
        return Outline(path, "log", "utf-8", "lf", 0, 1, size, state=state, sections=(section,))

    def outline(self, request: Any, **options: Any) -> Any:
        return {"state": "exact", "path": request.path, "text": "text" in options}

    def read(self, request: Any, **options: Any) -> Any:
        return {"content": options["text"].data.decode() if "text" in options else Path(request.path).read_text()}

    def find(self, request: Any, **options: Any) -> Any:
        return dict(self.counts)

    def plan(self, request: Any, *, should_stop: Any, progress: Any, **options: Any) -> Any:
        """Works until it is stopped."""
        self._count("started")
        while not should_stop():
            progress(1, 2)
            time.sleep(TICK_S)
        self._count("stopped")
        raise Cancelled("Stopped.")

    def resolve_anchor(self, request: Any, **options: Any) -> Any:
        raise ZeroDivisionError("a fault of ours")

    def serialized(self, command: str, reply: Any, max_bytes: int | None, camel: bool) -> bytes:
        return json.dumps(reply).encode()


if __name__ == "__main__":
    run_stdio(SlowEngine)
