"""What belongs to one client: its documents, settings, running work, and the way from a document to its outline."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from typing import Protocol as Interface

from lsprotocol import types

from milepost.errors import Cancelled, InvalidParams, MilepostError, NotFound
from milepost.lsp.client import ClientFeatures
from milepost.lsp.documents import DocumentStore, Snapshot
from milepost.lsp.jobs import Control, Job, Jobs
from milepost.lsp.pauses import settle
from milepost.lsp.position import Units
from milepost.lsp.progress import Progress, Token
from milepost.lsp.pygls_fixes import Encoded, Protocol
from milepost.lsp.refresh import Refresher
from milepost.lsp.settings import EditorSettings
from milepost.uris import key_of_path, path_of_uri, uri_of_path

if TYPE_CHECKING:
    # The core brings numpy and hyperscan: it is loaded in a thread, at the first request that needs it.
    from milepost.core.outline import Outline
    from milepost.core.source import BytesSource, FileState, StopFlag
    from milepost.core.source import Progress as ByteProgress
    from milepost.lsp.unsaved import UnsavedTexts
    from milepost.settings import Settings

_REMEMBERED_REPLIES = 24
_REMEMBERED_FILES = 24
_REMEMBERED_TEXTS = 4

#: How long symbols and lenses wait for the client's settings, which say whether they are wanted.
CONFIGURATION_WAIT_S = 1.0

#: An edited document's outline is called changed once nothing was typed for so long.
EDIT_PAUSE_S = 0.5


class Engine(Interface):
    """What the server needs of `milepost.service.Service`. Blocking; safe to call from several threads."""

    def core_outline(
        self,
        path: str,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = ...,
        progress: ByteProgress = ...,
        on_provisional: Callable[[Outline], None] | None = None,
    ) -> Outline:
        """The outline of a file or text, before any cap."""

    def serialized(self, command: str, reply: Any, max_bytes: int | None, camel: bool) -> bytes:
        """A reply as JSON that fits its cap."""


EngineFactory = Callable[[Callable[[], "Settings"]], Engine]


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is about: a document that is open, a file, or both. `key` is one for all spellings of it."""

    key: str
    uri: str
    path: str | None
    snapshot: Snapshot | None

    @property
    def name(self) -> str:
        """The file's name, to be shown."""
        return os.path.basename(self.path or self.uri) or self.uri

    @property
    def version(self) -> int | None:
        """The version of the open document."""
        return None if self.snapshot is None else self.snapshot.version


@dataclass(frozen=True, slots=True)
class Outlined:
    """An outline and what it is of: a text of the editor, or the file as it was."""

    outline: Outline
    text: BytesSource | None
    state: FileState | None


class Session:
    """One client's state. Its methods run on the event loop, except those whose name ends in `_blocking`."""

    def __init__(self, protocol: Protocol, make_engine: EngineFactory) -> None:
        self.protocol = protocol
        self.client = ClientFeatures()
        self.units: Units = "utf-16"
        self.documents = DocumentStore()
        self.jobs = Jobs()
        self.progress = Progress(protocol)
        self.refresher = Refresher(self)
        self.settings = EditorSettings(self._tell_problems)
        #: Set once the client's settings are known, or will not come.
        self.configured = asyncio.Event()
        self.root: str | None = None
        #: States of files at their last outline, by key: what `watch` compares with.
        self.outlined_states: OrderedDict[str, tuple[Target, FileState]] = OrderedDict()
        #: Keys of the documents and files whose outline was asked for by `milepost/outline`: their changes are told.
        self.interests: OrderedDict[str, str] = OrderedDict()
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._settled = False
        self._unsaved: UnsavedTexts | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._followed: set[tuple[str, int | None]] = set()
        self._shown: set[tuple[str, int | None]] = set()
        self._text_outlines: OrderedDict[tuple[str, int], Outlined] = OrderedDict()
        self._replies: OrderedDict[tuple[str, str], tuple[Outline, Encoded]] = OrderedDict()

    # What a request is about

    def target(self, uri: str | None, path: str | None = None) -> Target:
        """The document or file that a request names.

        Raises InvalidParams, or NotFound where the URI names no file and no document that is open.
        """
        if uri is None:
            if not path:
                raise InvalidParams("the request names no file: give uri or path")
            path = self._absolute(path)
            key = key_of_path(path)
            document = self.documents.get(key)
            return Target(key, uri_of_path(path), path, document.snapshot() if document else None)
        path = path_of_uri(uri)
        key = uri if path is None else key_of_path(path)
        document = self.documents.get(key)
        if path is None and document is None:
            raise NotFound(f"{uri} is not open here and names no file: open it first, or give a path.")
        return Target(key, uri, path, document.snapshot() if document else None)

    def _absolute(self, path: str) -> str:
        if os.path.isabs(path) or self.root is None:
            return os.path.abspath(path)
        return os.path.join(self.root, path)

    # The engine, made by the first thread that needs it

    def engine_blocking(self) -> Engine:
        """The service behind all answers. The first call takes a moment: it loads the core."""
        with self._lock:
            if self._engine is None:
                self._engine = self._make_engine(self.settings.current)
                settle()
            return self._engine

    def text_blocking(self, target: Target, control: Control[Any]) -> BytesSource | None:
        """The editor's text where it is not what the file holds."""
        if target.snapshot is None:
            return None
        with self._lock:
            if self._unsaved is None:
                from milepost.lsp.unsaved import UnsavedTexts

                self._unsaved = UnsavedTexts()
        return self._unsaved.of(target.snapshot, target.path, should_stop=control.should_stop)

    async def unsaved_text(self, target: Target) -> BytesSource | None:
        """The editor's text of a document that is open and differs from its file."""
        if target.snapshot is None:
            return None
        key = ("unsaved", target.key, target.version)
        job: Job[BytesSource | None] = self.jobs.join(key, partial(self.text_blocking, target), "read")
        async with job:
            return await job.result()

    # Outlines

    def join_outline(self, target: Target) -> Job[Outlined]:
        """The scan of a document or file, shared by all who ask for it. Enter it before anything is awaited."""
        return self.jobs.join(("outline", target.key, target.version), partial(self._outline_blocking, target))

    def _outline_blocking(self, target: Target, control: Control[Outlined]) -> Outlined:
        from milepost.core.source import FileState

        self.settings.read_blocking()
        text = self.text_blocking(target, control)
        if text is not None and target.version is not None:
            # The service keeps files, not texts: several features ask for the outline of one version.
            known = self._text_outlines.get((target.key, target.version))
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

        outline = self.engine_blocking().core_outline(
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
        if text is not None and target.version is not None:
            with self._lock:
                self._text_outlines[target.key, target.version] = found
                while len(self._text_outlines) > _REMEMBERED_TEXTS:
                    self._text_outlines.popitem(last=False)
        return found

    async def outlined(self, target: Target, *, can_refresh: bool, token: Token | None = None) -> Outlined:
        """The outline for an editor's feature: a provisional one where the client can be told to ask again.

        Progress is shown under the client's `token`, else under one of the server's once the scan takes long.
        """
        if not self.configured.is_set():
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self.configured.wait(), CONFIGURATION_WAIT_S)
        job = self.join_outline(target)
        async with job, self.progress.of_request(job, f"Outlining {target.name}", token):
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

    def note_state(self, target: Target, found: Outlined) -> None:
        """Remember which state of the file an outline was of."""
        if found.state is None:
            self.outlined_states.pop(target.key, None)
            return
        self.outlined_states[target.key] = (target, found.state)
        self.outlined_states.move_to_end(target.key)
        while len(self.outlined_states) > _REMEMBERED_FILES:
            self.outlined_states.popitem(last=False)

    def _follow(self, target: Target, job: Job[Outlined]) -> None:
        """Keep a scan going whose provisional outline was given, and have the client ask again at its end."""
        key = (target.key, target.version)
        if key in self._followed:
            return
        self._followed.add(key)
        job.enter()

        async def follow() -> None:
            try:
                found = await job.result()
            except Cancelled:
                return  # the user stopped it: what was shown stays
            except MilepostError:
                self.refresher.refresh()  # the answer to the next request says what is wrong
                return
            self.note_state(target, found)
            self.refresher.outline_complete(target.uri, found.outline)

        def done(_: object) -> None:
            # Not in `follow`: a task that is cancelled before it begins never comes to its `finally`.
            job.leave()
            self._followed.discard(key)

        self.jobs.spawn(f"follow {target.name}", follow(), of=target.key).add_done_callback(done)

    def _show_if_long(self, target: Target, job: Job[Outlined]) -> None:
        """One progress for a scan that takes long, however many features wait for it; its cancel stops the scan."""
        key = (target.key, target.version)
        if key in self._shown or not self.client.shows_progress:
            return
        self._shown.add(key)

        async def show() -> None:
            async with self.progress.of_server(job, f"Outlining {target.name}", job.stop):
                await job.wait()

        task = self.jobs.spawn(f"show {target.name}", show())
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
        self.jobs.cancel_tasks_of(name)

        async def tell() -> None:
            await asyncio.sleep(EDIT_PAUSE_S)
            document = self.documents.get(key)
            if document is not None:
                size = await self.jobs.short(_size_blocking, document.snapshot())
                self.refresher.notify(document.uri, "exact", "changed", None, size)

        self.jobs.spawn("tell of an edit", tell(), of=name)

    def forget_document(self, key: str) -> None:
        """A document was closed: nobody looks at what is still being scanned for it."""
        self.jobs.cancel_tasks_of(key)

    # Replies

    async def cached_reply(self, name: str, target: Target, found: Outlined, make: Callable[[], bytes]) -> Encoded:
        """The encoded reply for an outline; made in a thread, and kept as long as the outline is the same."""
        key = (name, target.uri)
        known = self._replies.get(key)
        if known is not None and known[0] is found.outline:
            self._replies.move_to_end(key)
            return known[1]
        reply = Encoded(await self.jobs.short(make))
        self._replies[key] = (found.outline, reply)
        while len(self._replies) > _REMEMBERED_REPLIES:
            self._replies.popitem(last=False)
        return reply

    def offers_features(self, outline: Outline) -> bool:
        """Whether symbols, lenses and folding are offered for this file: see `outline` in the settings."""
        rules = self.settings.current().outline
        if outline.format in rules.never:
            return False
        return outline.format in rules.always or outline.total_bytes >= rules.min_bytes

    def _tell_problems(self, problems: Sequence[str]) -> None:
        """Name each setting that cannot be used (called from any thread)."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._show_problems, problems)

    def _show_problems(self, problems: Sequence[str]) -> None:
        for problem in problems:
            message = types.ShowMessageParams(type=types.MessageType.Warning, message=f"Milepost: {problem}.")
            self.protocol.notify(types.WINDOW_SHOW_MESSAGE, message)

    def started(self) -> None:
        """The client has initialized (on the event loop)."""
        self._loop = asyncio.get_running_loop()

    def idle_s(self) -> float:
        """For how long the client has wanted nothing, and nothing was done."""
        return 0.0 if self.jobs.running else time.monotonic() - self.protocol.last_received

    async def close(self, timeout_s: float = 1.0) -> bool:
        """Stop everything; whether all threads came to an end."""
        return await self.jobs.close(timeout_s)


def _size_blocking(snapshot: Snapshot) -> int:
    return sum(len(piece.text.encode("utf-8", "replace")) for piece in snapshot.pieces)
