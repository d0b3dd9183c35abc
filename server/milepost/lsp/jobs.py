"""Blocking work in threads, that several requests may wait for and that stops when nobody does any more.

A job is cancelled by a flag that the work polls once a block; a thread cannot be killed. Requests for the same thing
share one job (single flight); cancelling one of them leaves the job to the others.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import logging
import threading
from collections.abc import Callable, Coroutine, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, cast

from milepost.errors import Cancelled, MilepostError

logger = logging.getLogger(__name__)

T = TypeVar("T")

Pace = Literal["long", "read", "short", "walk"]


class Control(Generic[T]):
    """What the work sees of its job. All of it may be called from the working thread."""

    def __init__(self, job: Job[T], stop: threading.Event, loop: asyncio.AbstractEventLoop) -> None:
        self._job = job
        self._loop = loop
        self._stop = stop

    def should_stop(self) -> bool:
        """Whether nobody waits for the work any more."""
        return self._stop.is_set()

    def progress(self, done: int, total: int) -> None:
        """Say how far the work has come. Cheap: only noted."""
        self._job.done_units = done
        self._job.total_units = total

    def note(self, message: str) -> None:
        """Say in words how far the work has come, in place of a number of bytes."""
        self._job.message = message

    def early(self, value: T) -> None:
        """Give a preliminary result to those who do not wait for the final one."""
        try:
            self._loop.call_soon_threadsafe(self._job.take_early, value)
        except RuntimeError:
            self._stop.set()  # the event loop has ended


Work = Callable[[Control[T]], T]


class Job(Generic[T]):
    """One piece of work in a thread, and who waits for it. Made by `Jobs.join`."""

    def __init__(self, jobs: Jobs, key: Hashable | None, loop: asyncio.AbstractEventLoop) -> None:
        self.key = key
        self.done_units = 0
        self.total_units = 0
        self.message = ""
        self.ended: asyncio.Future[T] = loop.create_future()
        self._jobs = jobs
        self._waiters = 0
        # Not its control, which holds the job: what a job gave would stay until the next full collection.
        self._stop = threading.Event()
        self._loop = loop
        self._result: asyncio.Future[T] = loop.create_future()
        self._early: asyncio.Future[T] = loop.create_future()

    @property
    def done(self) -> bool:
        """Whether the final result, or an error, is there."""
        return self._result.done()

    def take_early(self, value: T) -> None:
        """Keep a preliminary result (on the event loop)."""
        if not self._early.done() and not self._result.done():
            self._early.set_result(value)

    def stop(self) -> None:
        """Stop the work although requests wait for it: they get `Cancelled`."""
        self._stop.set()
        self._jobs.forget(self)

    async def wait(self, timeout_s: float | None = None) -> bool:
        """Wait for the end, at most so long; whether it came."""
        await asyncio.wait({self._result}, timeout=timeout_s)
        return self._result.done()

    async def result(self) -> T:
        """The final result. Cancelling the caller does not cancel the job."""
        await asyncio.wait({self._result})
        return self._outcome()

    async def first(self) -> tuple[T, bool]:
        """The preliminary or the final result, whichever comes first, and whether it is final."""
        await asyncio.wait({self._result, self._early}, return_when=asyncio.FIRST_COMPLETED)
        if self._result.done():
            return self._outcome(), True
        return self._early.result(), False

    def _outcome(self) -> T:
        """The final result. An error is raised as a copy: once raised it holds the frames of who waits, and they this job."""
        error = self._result.exception()
        if isinstance(error, MilepostError):
            raise copy.copy(error)
        return self._result.result()

    async def __aenter__(self) -> Job[T]:
        self.enter()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.leave()

    def enter(self) -> None:
        """Wait for this job: as long as somebody does, it goes on."""
        self._waiters += 1

    def leave(self) -> None:
        """Wait no more."""
        self._waiters -= 1
        if self._waiters == 0 and not self.done:
            self.stop()

    def _run(self, work: Work[T]) -> T:
        if self._stop.is_set():
            raise Cancelled("The work was cancelled.")
        return work(Control(self, self._stop, self._loop))

    def _finish(self, future: asyncio.Future[T]) -> None:
        """The thread is done (on the event loop)."""
        self._jobs.forget(self)
        self._jobs._running.discard(self)
        self._jobs.ended += 1
        if self._result.done():
            return
        # The thread's own future holds, with its error, the frames that raised it, and they hold this job.
        self.ended = self._result
        error = Cancelled("The work was cancelled.") if future.cancelled() else future.exception()
        if isinstance(error, MilepostError):
            error = copy.copy(error)
        if error is None:
            self._result.set_result(future.result())
            return
        self._result.set_exception(error)
        self._result.exception()  # retrieved, also where nobody waits
        if self._waiters == 0 and not isinstance(error, MilepostError):
            logger.error("Work that nobody waited for failed", exc_info=error)


class Jobs:
    """The running jobs of one client, with the threads they run in.

    Long work (scans, searches), reads, and what takes milliseconds have threads of their own, so that a read is
    answered while every long thread is busy, and a reply is encoded while reads wait for a slow disk. Long threads are
    few: scans at the same time make each other slower, and one that was cancelled is slower to notice. Walks wait for
    models, for minutes, and so must not keep scans waiting.
    """

    THREADS: Mapping[Pace, int] = {"long": 4, "read": 4, "short": 3, "walk": 4}

    def __init__(self) -> None:
        self._pools = {pace: ThreadPoolExecutor(threads, f"milepost-{pace}") for pace, threads in self.THREADS.items()}
        self._shared: dict[Hashable, Job[Any]] = {}
        self._running: set[Job[Any]] = set()
        self._tasks: dict[asyncio.Task[Any], Hashable | None] = {}
        self._closed = False
        #: How many jobs have ended so far.
        self.ended = 0

    def join(self, key: Hashable | None, work: Work[T], pace: Pace = "long") -> Job[T]:
        """The running job with this key, else a new one. Enter it (`async with`) before anything is awaited."""
        self._raise_if_closed()
        if key is not None and key in self._shared:
            return cast("Job[T]", self._shared[key])
        loop = asyncio.get_running_loop()
        job: Job[T] = Job(self, key, loop)
        if key is not None:
            self._shared[key] = job
        self._running.add(job)
        context = contextvars.copy_context()
        future: asyncio.Future[T] = loop.run_in_executor(self._pools[pace], context.run, job._run, work)
        future.add_done_callback(job._finish)
        job.ended = future
        return job

    async def short(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that blocks for milliseconds in a thread."""
        self._raise_if_closed()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pools["short"], function, *arguments)

    def _raise_if_closed(self) -> None:
        if self._closed:
            raise Cancelled("The client has gone.")

    def forget(self, job: Job[Any]) -> None:
        """Let nobody join this job any more."""
        if job.key is not None and self._shared.get(job.key) is job:
            del self._shared[job.key]

    def spawn(self, name: str, coroutine: Coroutine[Any, Any, T], *, of: Hashable | None = None) -> asyncio.Task[T]:
        """Run a coroutine in the background: referenced until its end, its exception logged.

        `of` says what it is about, for `cancel_tasks_of`.
        """
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks[task] = of
        task.add_done_callback(self._task_done)
        return task

    def cancel_tasks_of(self, of: Hashable) -> None:
        """Cancel the background tasks that are about this."""
        for task, about in list(self._tasks.items()):
            if about is not None and about == of:
                task.cancel()

    def _task_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.pop(task, None)
        if not task.cancelled() and (error := task.exception()) is not None and not isinstance(error, MilepostError):
            logger.error("Background task %s failed", task.get_name(), exc_info=error)

    @property
    def running(self) -> int:
        """How many jobs have not ended."""
        return len(self._running)

    def stop_all(self) -> None:
        """Stop every job and background task."""
        for task in list(self._tasks):
            task.cancel()
        for job in list(self._running):
            job.stop()

    async def close(self, timeout_s: float) -> bool:
        """Stop everything and wait a little; whether all threads came to an end."""
        self._closed = True
        self.stop_all()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        waiting = [job.ended for job in self._running]
        if waiting:
            await asyncio.wait(waiting, timeout=timeout_s)
        return not self._running
