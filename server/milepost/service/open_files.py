"""The files that a process has looked at, so that the next question about one of them is cheap.

One `OpenFile` per path and way of reading it; the least recently used are let go. A file is looked at afresh for each
request (one `stat` when it has not changed) and belongs to one request at a time.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from milepost.core.analysis import Analysis, Options
from milepost.core.identity import Change
from milepost.core.source import BytesSource, FileSource, StopFlag, open_source
from milepost.errors import Cancelled
from milepost.service.section_digests import SectionDigests

_WAIT_S = 0.05
#: A file that has grown so lately is said to be growing.
_GROWING_S = 5.0
#: And its tail is scanned again no more often than this.
_TAIL_SCAN_S = 2.0

_Key = tuple[str, str | None, tuple[tuple[str, str], ...], int]


@dataclass(slots=True)
class OpenFile:
    """One file and what is known of it. `grew_at` and `scanned_at` are times of the process's clock, 0 for never."""

    analysis: Analysis
    lock: threading.Lock = field(default_factory=threading.Lock)
    grew_at: float = 0.0
    scanned_at: float = 0.0
    reads: int = 0
    digests: SectionDigests = field(default_factory=SectionDigests)

    @property
    def is_growing(self) -> bool:
        """Whether the file was seen to grow a moment ago."""
        return self.grew_at > 0 and time.monotonic() - self.grew_at < _GROWING_S

    def look_again(self, should_stop: StopFlag) -> None:
        """Compare with the file on disk and keep what still holds. A file that grows is not looked at all the time."""
        analysis = self.analysis
        if not isinstance(analysis.source, FileSource):
            return
        now = time.monotonic()
        if self.is_growing and analysis.is_exact and now - self.scanned_at < _TAIL_SCAN_S:
            # Still the same file, only longer? Then the outline of a moment ago will do.
            before = analysis.source.state
            with open_source(analysis.source.name) as fresh:
                after = fresh.state
            if (after.device, after.inode) == (before.device, before.inode) and after.size >= analysis.source.size:
                return
        source = open_source(analysis.source.name)
        change = analysis.refresh(source, should_stop=should_stop)
        self.scanned_at = now
        if change is Change.GREW:
            self.grew_at = now
        elif change is Change.CHANGED:
            self.grew_at = 0.0
            self.digests.clear()


class OpenFiles:
    """The files at hand, at most `limit` of them."""

    def __init__(self, limit: int = 12) -> None:
        self._limit = limit
        self._files: OrderedDict[_Key, OpenFile] = OrderedDict()
        self._spares: OrderedDict[_Key, OpenFile] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def hold(
        self,
        path: str,
        options: Options,
        text: BytesSource | None,
        should_stop: StopFlag,
        *,
        waits: bool = True,
    ) -> Iterator[OpenFile]:
        """The file at `path`, or the editor's `text` of it, up to date and for the caller alone. Raises `Cancelled`.

        Another request may have it, for as long as a scan takes; who does not wait for that gets the file afresh, with
        nothing known of it.
        """
        if text is not None:
            yield OpenFile(Analysis(text, options))
            return
        key = (
            os.path.abspath(path),
            options.format,
            tuple(sorted((options.by_suffix or {}).items())),
            options.max_nodes,
        )
        with self._lock:
            known = self._files.get(key)
        is_new = known is None
        if known is None:
            # Opening may refuse: only what could be opened is kept.
            known = OpenFile(Analysis(open_source(path), options))
            with self._lock:
                known = self._files.setdefault(key, known)
        with self._lock:
            self._files.move_to_end(key)
            while len(self._files) > self._limit:
                self._files.popitem(last=False)
        while not known.lock.acquire(timeout=_WAIT_S if waits else 0):
            if not waits:
                with self._spare(key, path, options, should_stop) as spare:
                    yield spare
                return
            if should_stop():
                raise Cancelled("The work was cancelled.")
        try:
            if not is_new:
                try:
                    known.look_again(should_stop)
                except Exception:
                    self._forget(key, known)
                    raise
            yield known
        finally:
            known.lock.release()

    @contextmanager
    def _spare(self, key: _Key, path: str, options: Options, should_stop: StopFlag) -> Iterator[OpenFile]:
        """A second look at a file that another request has: kept too, so that its lines are not counted for each read."""
        with self._lock:
            spare = self._spares.pop(key, None)
        if spare is None:
            spare = OpenFile(Analysis(open_source(path), options))
        else:
            spare.look_again(should_stop)
        yield spare
        with self._lock:
            self._spares[key] = spare
            while len(self._spares) > self._limit:
                self._spares.popitem(last=False)

    def _forget(self, key: _Key, file: OpenFile) -> None:
        with self._lock:
            if self._files.get(key) is file:
                del self._files[key]
