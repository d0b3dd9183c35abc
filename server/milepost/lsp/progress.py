"""Work-done progress: every begin has an end, and the client's cancel reaches the work.

pygls' own keeps each token for ever and cancels a future that nothing waits for.
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any

from lsprotocol import types

from milepost.lsp.jobs import Job
from milepost.lsp.pygls_fixes import Protocol

Token = int | str

#: How often a running job's progress is sent.
REPORT_EVERY_S = 0.2

#: Work that the server shows of its own accord is shown once it has taken this long.
SHOW_AFTER_S = 0.4


class Progress:
    """The progress of one client's requests."""

    def __init__(self, protocol: Protocol) -> None:
        self._protocol = protocol
        self._cancels: dict[Token, Callable[[], object]] = {}

    def cancel(self, token: Token) -> None:
        """The user cancelled what goes on under this token. One that has ended is no fault."""
        cancel = self._cancels.get(token)
        if cancel is not None:
            cancel()

    def cancels(self, task: asyncio.Task[None], token: Token) -> None:
        """Have the client's cancel under a token, whose request may be answered already, cancel a background task."""
        cancel = task.cancel
        self._cancels[token] = cancel

        def ended(_: object) -> None:
            if self._cancels.get(token) == cancel:
                del self._cancels[token]

        task.add_done_callback(ended)

    @contextlib.asynccontextmanager
    async def of_request(
        self, job: Job[Any], title: str, token: Token | None, cancel: Callable[[], object] | None = None
    ) -> AsyncIterator[None]:
        """Report a job while the current request waits for it, under the token that the client gave, if any.

        The user's cancel ends the request, or does what `cancel` does.
        """
        task = asyncio.current_task()
        if token is None or task is None:
            yield
            return
        cancel = cancel or task.cancel
        self._cancels[token] = cancel
        reporter = asyncio.create_task(self._report(job, title, token))
        try:
            yield
        finally:
            await self._end(reporter)
            if self._cancels.get(token) == cancel:
                del self._cancels[token]

    @contextlib.asynccontextmanager
    async def of_server(self, job: Job[Any], title: str, cancel: Callable[[], object] | None) -> AsyncIterator[None]:
        """Report a job under a token of our own, once it takes a while. Only for clients that show progress."""
        if cancel is None:
            task = asyncio.current_task()
            cancel = task.cancel if task is not None else job.stop
        reporter = asyncio.create_task(self._report_created(job, title, cancel))
        try:
            yield
        finally:
            await self._end(reporter)

    async def _end(self, reporter: asyncio.Task[None]) -> None:
        # The end goes out before the answer does: a client may drop the token with the answer.
        reporter.cancel()
        await asyncio.wait({reporter})

    async def _report_created(self, job: Job[Any], title: str, cancel: Callable[[], object]) -> None:
        if await job.wait(SHOW_AFTER_S):
            return
        token = str(uuid.uuid4())
        create = types.WorkDoneProgressCreateParams(token=token)
        agreed, _ = await self._protocol.ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, create)
        if not agreed:
            return
        self._cancels[token] = cancel
        try:
            await self._report(job, title, token)
        finally:
            del self._cancels[token]

    async def _report(self, job: Job[Any], title: str, token: Token) -> None:
        begin = types.WorkDoneProgressBegin(title=title, cancellable=True, percentage=0)
        self._send(token, begin)
        try:
            told: tuple[int, str] = (-1, "")
            while not await job.wait(REPORT_EVERY_S):
                done, total = job.done_units, job.total_units
                if (done, job.message) != told and total > 0:
                    told = (done, job.message)
                    message = job.message or f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB"
                    percentage = min(100, max(0, 100 * done // total))
                    self._send(token, types.WorkDoneProgressReport(message=message, percentage=percentage))
        finally:
            self._send(token, types.WorkDoneProgressEnd())

    def _send(self, token: Token, value: Any) -> None:
        # `value` is typed as any JSON value: what is sent must be JSON already.
        self._protocol.notify(types.PROGRESS, types.ProgressParams(token=token, value=value))
