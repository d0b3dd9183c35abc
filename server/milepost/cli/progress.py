"""A progress bar on standard error, for work that takes long enough for a person to wonder."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from milepost.cli.terminal import Terminal

SHOW_AFTER_S = 0.5
REDRAW_EVERY_S = 0.1


class ProgressBar:
    """Told how far work has come, it shows a bar once that has taken `SHOW_AFTER_S`, and removes it at the end.

    A context manager and a `milepost.core.source.Progress`. It draws from the worker's own calls, without a thread: a bar
    that stands still says that nothing moves.
    """

    def __init__(self, terminal: Terminal, label: str) -> None:
        self._terminal = terminal
        self._label = label
        self._began = 0.0
        self._drawn = 0.0
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def label(self, text: str) -> None:
        """Say from now on what is being done in these words."""
        self._label = text
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=text)

    def __call__(self, done_bytes: int, total_bytes: int) -> None:
        if not self._terminal.shows_progress:
            return
        now = time.monotonic()
        # The clock runs from the first call, so that what is only slow to get going (a cold start) shows no bar.
        self._began = self._began or now
        if now - self._began < SHOW_AFTER_S or now - self._drawn < REDRAW_EVERY_S:
            return
        self._drawn = now
        if self._bar is None:
            self._bar = self._make_bar()
            self._task = self._bar.add_task(self._label, total=total_bytes)
            self._bar.start()
        assert self._task is not None
        self._bar.update(self._task, completed=done_bytes, total=total_bytes)
        self._bar.refresh()

    def _make_bar(self) -> Progress:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        return Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(compact=True),
            console=Console(file=self._terminal.err, stderr=True),
            transient=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
