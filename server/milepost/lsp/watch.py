"""What is polled: the files whose outline somebody was given, and the process that started this one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from milepost.core.source import FileState
    from milepost.lsp.session import Session

#: Files outside the workspace send no events, and a growing log sends too many: two seconds are often enough.
FILES_EVERY_S = 2.0
PARENT_EVERY_S = 2.0


async def watch_files(session: Session) -> None:
    """Tell the client when a file is no longer what its outline was of. Only of files it asked an outline of."""
    outlines = session.outlines
    told_at: dict[str, float] = {}
    while True:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(outlines.look_again.wait(), FILES_EVERY_S)
        outlines.look_again.clear()
        begin = time.monotonic()
        told_at = {key: when for key, when in told_at.items() if begin - when < 0.9 * FILES_EVERY_S}
        for key in list(outlines.interests):
            known = outlines.states.get(key)
            if known is None or key in told_at:
                continue
            target, before = known
            now = await session.jobs.short(_state_blocking, target.path or "")
            if now == before or outlines.states.get(key) is not known:
                continue  # unchanged, or outlined anew while it was looked at
            outlines.states[key] = (target, now)
            told_at[key] = begin
            grew = before is not None and now is not None and _grew(before, now)
            session.refresher.notify(
                target.uri,
                "growing" if grew else "exact",
                "grew" if grew else "changed",
                None,
                now.size if now is not None else 0,
            )


def _grew(before: FileState, now: FileState) -> bool:
    return (now.device, now.inode) == (before.device, before.inode) and now.size > before.size


def _state_blocking(path: str) -> FileState | None:
    from milepost.core.source import FileState

    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return FileState(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)


async def watch_parent(process_id: int, ended: asyncio.Event) -> None:
    """Set `ended` once the client's process is gone: one that was killed sends no `exit`."""
    is_parent = os.getppid() == process_id
    while True:
        # A dead child of somebody else may linger in the table of processes; an orphan gets another parent.
        if not process_is_alive(process_id) or (is_parent and os.getppid() != process_id):
            ended.set()
            return
        await asyncio.sleep(PARENT_EVERY_S)


if sys.platform == "win32":

    def process_is_alive(process_id: int) -> bool:
        """Whether there is a process with this id."""
        import ctypes

        synchronize, still_running = 0x00100000, 0x102
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(synchronize, False, process_id)
        if not handle:
            return False
        try:
            return int(kernel.WaitForSingleObject(handle, 0)) == still_running
        finally:
            kernel.CloseHandle(handle)

else:

    def process_is_alive(process_id: int) -> bool:
        """Whether there is a process with this id."""
        if process_id <= 0:
            return True
        try:
            os.kill(process_id, 0)
        except ProcessLookupError:
            return False
        except OSError:
            return True  # it is there, and somebody else's
        return True
