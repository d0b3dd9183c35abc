"""What every command that replies does around its request: settings, the service, a progress bar, Ctrl-C, JSON."""

from __future__ import annotations

import argparse
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TypedDict, TypeVar
from urllib.parse import quote

from milepost.cli.configuration import read_settings
from milepost.cli.progress import ProgressBar
from milepost.cli.terminal import Terminal
from milepost.core.source import Progress, StopFlag
from milepost.limits import Fitted
from milepost.service import Service, listing_of
from milepost.wire import OutlineReply, Reply, Request, Section, parse_request

RequestType = TypeVar("RequestType", bound=Request)
ReplyType = TypeVar("ReplyType", bound=Reply)


class Watched(TypedDict):
    """The arguments by which a call of the service is watched and stopped."""

    should_stop: StopFlag
    progress: Progress


class Session:
    """One run of a command: its settings and the service, made from the options and the settings files."""

    def __init__(self, options: argparse.Namespace, terminal: Terminal) -> None:
        self._options = options
        self._terminal = terminal
        loaded = read_settings(options.assignments)
        for problem in loaded.problems:
            terminal.notice(f"milepost: warning: {problem}")
        self.settings = loaded.settings
        self.service = Service(lambda: self.settings)

    def request(self, model: type[RequestType], **fields: object) -> RequestType:
        """The request with these fields (None is left out) and the cap that was asked for. Raises `InvalidParams`."""
        given = {name: value for name, value in fields.items() if value is not None}
        if self._options.max_bytes is not None:
            given["max_bytes"] = self._options.max_bytes
        return parse_request(model, given)

    def max_bytes(self, command: str) -> int:
        """How many bytes this command may print."""
        return self.settings.limits.max_bytes(command, self._options.max_bytes)

    def allow_hosts(self, hosts: Sequence[str]) -> None:
        """Take it that the user agrees to text being sent to these hosts, in this run."""
        model = self.settings.model
        allowed = (*model.allowed_hosts, *hosts)
        self.settings = self.settings.model_copy(update={"model": model.model_copy(update={"allowed_hosts": allowed})})

    @contextmanager
    def work(self, label: str) -> Iterator[Watched]:
        """The arguments for a call of the service that may take long: a progress bar, and a flag that Ctrl-C raises."""
        with interruptible() as should_stop, ProgressBar(self._terminal, label) as progress:
            yield {"should_stop": should_stop, "progress": progress}

    def write_json(self, request: Request, reply: Reply) -> None:
        """The reply as it was fitted to its cap, and a line end where there is room for one."""
        data = self._fitted(request, reply).data
        self._terminal.write_bytes(data + b"\n" if len(data) < self.max_bytes(self._options.command) else data)

    def fitted(self, request: Request, reply: ReplyType, model: type[ReplyType]) -> ReplyType | None:
        """The reply as `--json` would print it, for text that is shorter than its JSON; None where not even that fits."""
        fitted = self._fitted(request, reply).reply
        return fitted if isinstance(fitted, model) else None

    def cursor_at(self, reply: Reply, section: Section | None) -> str:
        """The cursor of an outline's page that begins with this section; empty where there is none."""
        listing = listing_of(reply)
        if section is None or not isinstance(reply, OutlineReply) or listing is None:
            return ""
        return listing.cursor_at_byte(reply.section or "", section.start_byte)

    def _fitted(self, request: Request, reply: Reply) -> Fitted:
        return self.service.fitted(self._options.command, reply, request.max_bytes, camel=False)


def file_fields(path: str) -> dict[str, str]:
    """The fields of a request that name a file given on the command line.

    A name whose bytes are no UTF-8 cannot stand in a request's `path`; its URI can carry it.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return {"uri": "file://" + quote(os.fsencode(os.path.abspath(path)))}
    return {"path": path}


@contextmanager
def interruptible() -> Iterator[StopFlag]:
    """A stop flag that Ctrl-C raises, so that work ends between two blocks; a second Ctrl-C does not wait for that."""
    stop = threading.Event()

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop.is_set
    finally:
        signal.signal(signal.SIGINT, before)
