"""From a document or file to its outline: one scan for all who ask, and word to the client when it has a better one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from milepost.errors import Cancelled, MilepostError
from milepost.lsp.documents import Revision, Snapshot
from milepost.lsp.jobs import Control, Job
from milepost.lsp.pauses import settle
from milepost.lsp.progress import Token

if TYPE_CHECKING:
    from milepost.core.outline import Outline
    from milepost.core.source import BytesSource, FileState
    from milepost.lsp.session import Session, Target

_REMEMBERED_FILES = 24
_REMEMBERED_TEXTS = 4

#: How long symbols and lenses wait for the client's settings, which say whether they are wanted.
CONFIGURATION_WAIT_S = 1.0

#: An edited document's outline is called changed once nothing was typed for so long.
EDIT_PAUSE_S = 0.5

_Key = tuple[str, Revision | None]


@dataclass(frozen=True, slots=True)
class Outlined:
    """An outline and what it is of: a text of the editor, or the file as it was."""

    outline: Outline
    text: BytesSource | None
    state: FileState | None


class Outlines:
    """The outlines of one client's documents and files. On the event loop, but for what ends in `_blocking`."""

    def __init__(self, session: Session) -> None:
        #: States of files at their last outline, by key: what `watch` compares with. None once the file was gone.
        self.states: OrderedDict[str, tuple[Target, FileState | None]] = OrderedDict()
        #: Set when `watch` is to look at once, and not only at its next turn.
        self.look_again = asyncio.Event()
        #: Keys of the documents and files whose outline was asked for by `milepost/outline`: their changes are told.
        self.interests: OrderedDict[str, str] = OrderedDict()
        self._session = session
        self._lock = threading.Lock()
        self._settled = False
        self._followed: dict[_Key, asyncio.Task[None]] = {}
        self._shown: set[_Key] = set()
        self._of_texts: OrderedDict[tuple[str, Revision], Outlined] = OrderedDict()

    def join(self, target: Target) -> Job[Outlined]:
        """The scan of a document or file, shared by all who ask for it. Enter it before anything is awaited."""
        return self._session.jobs.join(
            ("outline", target.key, target.revision), partial(self._outline_blocking, target)
        )

    def _outline_blocking(self, target: Target, control: Control[Outlined]) -> Outlined:
        from milepost.core.source import FileState

        self._session.settings.read_blocking()
        text = self._session.text_blocking(target, control)
        if text is not None and target.revision is not None:
            # The service keeps files, not texts: several features ask for the outline of one version.
            known = self._of_texts.get((target.key, target.revision))
            if known is not None:
                return known
        state = None
        if text is None and target.path is not None:
            try:
                status = os.stat(target.path)
                state = FileState(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)
            except (OSError, ValueError):
                pass  # the engine says what is wrong

        def on_provisional(outline: Outline) -> None:
            control.early(Outlined(outline, text, state))

        outline = self._session.engine_blocking().core_outline(
            target.path or target.uri,
            text=text,
            should_stop=control.should_stop,
            progress=control.progress,
            on_provisional=on_provisional,
        )
        if not self._settled:
            # The first scan has loaded the formats.
            self._settled = True
            settle()
        found = Outlined(outline, text, state)
        if text is not None and target.revision is not None:
            with self._lock:
                self._of_texts[target.key, target.revision] = found
                while len(self._of_texts) > _REMEMBERED_TEXTS:
                    self._of_texts.popitem(last=False)
        return found

    async def outlined(self, target: Target, *, can_refresh: bool, token: Token | None = None) -> Outlined:
        """The outline for an editor's feature: a provisional one where the client can be told to ask again.

        Progress is shown under the client's `token`, else under one of the server's once the scan takes long.
        """
        if not self._session.configured.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._session.configured.wait(), CONFIGURATION_WAIT_S)
        job = self.join(target)
        async with job, self._session.progress.of_request(job, f"Outlining {target.name}", token):
            if token is None:
                self._show_if_long(target, job)
            if can_refresh:
                found, final = await job.first()
                if not final:
                    self._follow(target, job)
            else:
                found = await job.result()
        self.note_state(target, found)
        return found

    async def scanned(self, target: Target, scan: Job[Outlined], *, waits: bool) -> Outline | None:
        """Wait for a scan that the caller has entered: to its end, or where it is not to wait for the first result.

        Gives the provisional outline where that came first; the scan then goes on, and its end is told.
        """
        if waits:
            found, final = await scan.result(), True
        else:
            found, final = await scan.first()
        self.note_state(target, found)
        if final:
            return None
        self._follow(target, scan)
        self._show_if_long(target, scan)
        return found.outline

    def note_state(self, target: Target, found: Outlined) -> None:
        """Remember which state of the file an outline was of."""
        if found.state is None:
            self.states.pop(target.key, None)
            return
        self.states[target.key] = (target, found.state)
        self.states.move_to_end(target.key)
        while len(self.states) > _REMEMBERED_FILES:
            self.states.popitem(last=False)

    def _follow(self, target: Target, job: Job[Outlined]) -> None:
        """Keep a scan going whose provisional outline was given, and have the client ask again at its end."""
        key = (target.key, target.revision)
        if key in self._followed:
            return
        job.enter()

        async def follow() -> None:
            try:
                found = await job.result()
            except Cancelled:
                return  # the user stopped it: what was shown stays
            except MilepostError:
                # The answer to the next request says what is wrong.
                if target.key in self.interests:
                    self._session.refresher.notify(target.uri, "exact", "changed", None, 0)
                self._session.refresher.refresh()
                return
            self.note_state(target, found)
            self._session.refresher.outline_complete(target.uri, found.outline)

        def done(_: object) -> None:
            # Not in `follow`: a task that is cancelled before it begins never comes to its `finally`.
            job.leave()
            del self._followed[key]

        self._followed[key] = self._session.jobs.spawn(f"follow {target.name}", follow(), of=target.key)
        self._followed[key].add_done_callback(done)

    def stopped_by(self, token: Token, target: Target) -> None:
        """Let the user stop the scan behind a provisional outline under the token of the request that was given it."""
        following = self._followed.get((target.key, target.revision))
        if following is not None:
            self._session.progress.cancels(following, token)

    def _show_if_long(self, target: Target, job: Job[Outlined]) -> None:
        """One progress for a scan that takes long, however many features wait for it; its cancel stops the scan."""
        key = (target.key, target.revision)
        if key in self._shown or not self._session.client.shows_progress:
            return
        self._shown.add(key)

        async def show() -> None:
            async with self._session.progress.of_server(job, f"Outlining {target.name}", job.stop):
                await job.wait()

        task = self._session.jobs.spawn(f"show {target.name}", show())
        task.add_done_callback(lambda _: self._shown.discard(key))

    def interested_in(self, target: Target) -> None:
        """Note that the client shows this outline and wants to hear when it changes."""
        self.interests[target.key] = target.uri
        self.interests.move_to_end(target.key)
        while len(self.interests) > _REMEMBERED_FILES:
            self.interests.popitem(last=False)

    def document_changed(self, key: str) -> None:
        """A document was edited: once the typing pauses, say that its outline is another one."""
        if key not in self.interests:
            return
        name = ("edited", key)
        self._session.jobs.cancel_tasks_of(name)

        async def tell() -> None:
            await asyncio.sleep(EDIT_PAUSE_S)
            document = self._session.documents.get(key)
            if document is not None:
                size = await self._session.jobs.short(_size_blocking, document.snapshot())
                # By the name that it was asked for by.
                uri = self.interests.get(key, document.uri)
                self._session.refresher.notify(uri, "exact", "changed", None, size)

        self._session.jobs.spawn("tell of an edit", tell(), of=name)

    def forget_document(self, key: str) -> None:
        """A document was closed: nobody looks at what is still being scanned for it."""
        self._session.jobs.cancel_tasks_of(key)


def _size_blocking(snapshot: Snapshot) -> int:
    return sum(len(piece.text.encode("utf-8", "replace")) for piece in snapshot.pieces)
