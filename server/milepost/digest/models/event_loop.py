"""An event loop in a thread of its own, for the blocking callers of an asynchronous SDK."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from typing import Any, TypeVar

from milepost.core.source import StopFlag
from milepost.errors import Cancelled

T = TypeVar("T")

#: How often a waiting caller looks whether it should stop.
POLL_S = 0.05


class EventLoopThread:
    """Runs coroutines for callers that block. The thread starts with the first of them, and ends with the process."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def run(self, work: Coroutine[Any, Any, T], should_stop: StopFlag) -> T:
        """The result of `work`. Raises `Cancelled` at most a moment after `should_stop` says so; `work` is then cancelled,
        which closes its connection."""
        try:
            future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._running())
        except BaseException:
            work.close()
            raise
        try:
            while not wait([future], POLL_S).done:
                if should_stop():
                    raise Cancelled("The work was cancelled.")
            return future.result()
        except CancelledError as error:  # the thread was closed meanwhile
            raise Cancelled("The work was cancelled.") from error
        finally:
            future.cancel()

    def close(self, last: Coroutine[Any, Any, None] | None = None) -> None:
        """Cancel what runs, run `last`, and end the thread."""
        with self._lock:
            loop, thread, self._loop, self._is_closed = self._loop, self._thread, None, True
        if loop is None or thread is None:
            if last is not None:
                last.close()
            return
        ending = asyncio.run_coroutine_threadsafe(_end(last), loop)
        try:
            ending.result(5)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(5)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._is_closed:
                raise Cancelled("The model was closed.")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=_serve, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _end(last: Coroutine[Any, Any, None] | None) -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    if last is not None:
        await last
