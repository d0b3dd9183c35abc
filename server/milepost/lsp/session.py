"""What belongs to one client: its documents, its settings, its running work, and the service behind its answers."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from typing import Protocol as Interface

from lsprotocol import types

from milepost.errors import InvalidParams, NotFound
from milepost.lsp.client import ClientFeatures
from milepost.lsp.documents import DocumentStore, Revision, Snapshot
from milepost.lsp.jobs import Control, Job, Jobs
from milepost.lsp.outlines import Outlined, Outlines
from milepost.lsp.pauses import settle
from milepost.lsp.position import Units
from milepost.lsp.progress import Progress
from milepost.lsp.pygls_fixes import Encoded, Protocol
from milepost.lsp.refresh import Refresher
from milepost.lsp.settings import EditorSettings
from milepost.uris import key_of_path, key_of_uri, path_of_uri, uri_of_path

if TYPE_CHECKING:
    # The core brings numpy and hyperscan: it is loaded in a thread, at the first request that needs it.
    from milepost.core.outline import Outline
    from milepost.core.source import BytesSource, StopFlag
    from milepost.core.source import Progress as ByteProgress
    from milepost.lsp.unsaved import UnsavedTexts
    from milepost.settings import Settings

_REMEMBERED_REPLIES = 24

#: So many arenas of the C library the threads share: each may keep tens of megabytes that are free.
_ARENAS = 2


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
    def revision(self) -> Revision | None:
        """Which text of the open document."""
        return None if self.snapshot is None else self.snapshot.revision


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
        #: The client's folders. A relative path starts at the first that has it.
        self.roots: tuple[str, ...] = ()
        self.outlines = Outlines(self)
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._unsaved: UnsavedTexts | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()
        self._replies: OrderedDict[tuple[str, str], tuple[Outline, Encoded]] = OrderedDict()

    # What a request is about

    async def target(self, uri: str | None, path: str | None = None) -> Target:
        """The document or file that a request names.

        A document that is open under another name of the same file (by a symbolic link, or in other case where the
        file system does not mind) is found too. Raises InvalidParams, or NotFound where the URI names no file and no
        document that is open.
        """
        target = self._at_uri(uri) if uri is not None else await self._at_path(path)
        if target.snapshot is None and target.path is not None and len(self.documents):
            key = await self.jobs.short(_same_file_blocking, target.path, self.documents.paths())
            document = self.documents.get(key) if key is not None else None
            if document is not None and key is not None:
                return Target(key, target.uri, target.path, document.snapshot())
        return target

    def _at_uri(self, uri: str) -> Target:
        document = self.documents.get(key_of_uri(uri))
        try:
            path = path_of_uri(uri)
        except InvalidParams:
            if document is None:
                raise
            path = None  # what the client has open can be outlined wherever it lies
        key = uri if path is None else key_of_path(path)
        if path is None and document is None:
            raise NotFound(f"{uri} is not open here and names no file: open it first, or give a path.")
        return Target(key, uri, path, document.snapshot() if document else None)

    async def _at_path(self, path: str | None) -> Target:
        if not path:
            raise InvalidParams("the request names no file: give uri or path")
        if not os.path.isabs(path):
            path = await self.jobs.short(_absolute_blocking, path, self.roots)
        key = key_of_path(path)
        document = self.documents.get(key)
        return Target(key, uri_of_path(path), path, document.snapshot() if document else None)

    # The engine, made by the first thread that needs it

    def engine_blocking(self) -> Engine:
        """The service behind all answers. The first call takes a moment: it loads the core."""
        with self._lock:
            if self._engine is None:
                from milepost.core.heap import share_arenas

                share_arenas(_ARENAS)
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
        key = ("unsaved", target.key, target.revision)
        job: Job[BytesSource | None] = self.jobs.join(key, partial(self.text_blocking, target), "read")
        async with job:
            return await job.result()

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

    def call_soon(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function on the event loop (from any thread). Where that has ended, nobody wants it any more."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function, *arguments)

    def _tell_problems(self, problems: Sequence[str]) -> None:
        """Name each setting that cannot be used (called from any thread)."""
        self.call_soon(self._show_problems, problems)

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


def _absolute_blocking(path: str, roots: Sequence[str]) -> str:
    """A relative path in the first of the folders that has such a file, else in the first."""
    places = [os.path.join(root, path) for root in roots] or [os.path.abspath(path)]
    return next((place for place in places if os.path.lexists(place)), places[0])


def _same_file_blocking(path: str, known: Mapping[str, str]) -> str | None:
    """The key of the one of the `known` paths (by key) that is the same file by another name."""
    status = _status(path)
    if status is not None:
        for key, other in known.items():
            other_status = _status(other)
            if other_status is not None and os.path.samestat(status, other_status):
                return key
    return None


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None
