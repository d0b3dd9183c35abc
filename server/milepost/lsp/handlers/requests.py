"""Milepost's own requests, and the same as commands for clients that send nothing else."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from milepost.errors import InvalidParams
from milepost.lsp.jobs import Control, Job, Pace
from milepost.lsp.progress import Token
from milepost.lsp.pygls_fixes import Encoded

if TYPE_CHECKING:
    from milepost.core.outline import Outline
    from milepost.core.source import BytesSource
    from milepost.lsp.session import Session, Target
    from milepost.wire import Method, OutlineRequest, Request

#: The requests that there are, as `milepost/NAME` and as the command `milepost.NAME`.
NAMES = ("outline", "read", "find", "plan", "summarize", "ask", "resolveAnchor")

#: Those that walk over chunks: stopped by the user, they answer with what was found and a cursor.
WALKS = frozenset({"summarize", "ask"})

#: What a person is told while it runs.
_TITLES = {
    "outline": "Outlining",
    "read": "Reading",
    "find": "Searching",
    "plan": "Planning",
    "summarize": "Summarizing",
    "ask": "Asking",
    "resolveAnchor": "Looking for the place in",
}


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request as it came. `token` is the client's; `is_command` says that it came by `workspace/executeCommand`."""

    name: str
    values: Any
    token: Token | None
    is_command: bool


def register(server: LanguageServer, session: Session) -> None:
    """Register every request, by its name and as a command."""
    for name in NAMES:
        _register_request(server, session, name)
        _register_command(server, session, name)

    @server.command("milepost.clearCache")
    async def clear_cache(params: types.ExecuteCommandParams) -> dict[str, int]:
        count, size = await session.jobs.short(_clear_cache_blocking)
        return {"count": count, "bytes": size}


def _register_request(server: LanguageServer, session: Session, name: str) -> None:
    @server.feature(f"milepost/{name}")
    async def request(params: Any) -> Encoded:
        return await _answer(session, _Asked(name, params, None, is_command=False))


def _register_command(server: LanguageServer, session: Session, name: str) -> None:
    @server.command(f"milepost.{name}")
    async def command(params: types.ExecuteCommandParams) -> Encoded:
        arguments = params.arguments or []
        if len(arguments) != 1:
            raise InvalidParams(f"milepost.{name} takes one object as its only argument, not {len(arguments)} values")
        return await _answer(session, _Asked(name, arguments[0], params.work_done_token, is_command=True))


async def _answer(session: Session, asked: _Asked) -> Encoded:
    method, request = await session.jobs.short(_parsed_blocking, asked)
    token = asked.token if asked.token is not None else request.work_done_token
    anchor = getattr(request, "anchor", None)
    if request.uri is None and request.path is None and isinstance(anchor, str):
        target = None  # the anchor names the file
    else:
        target = await session.target(request.uri, request.path)
    shown = False
    text = None if target is None else await session.unsaved_text(target)
    if asked.name == "outline" and target is not None and not asked.is_command:
        session.outlines.interested_in(target)
    if asked.name == "outline" and target is not None and text is None and getattr(request, "format", None) is None:
        # The scan is shared with everybody who asks for this file; the reply is then made from what it left.
        scan = session.outlines.join(target)
        async with scan, _reported(session, asked, scan, target, token):
            outline = await session.outlines.scanned(target, scan, waits=_waits(request))
        if outline is not None:
            if token is not None:
                session.outlines.stopped_by(token, target)
            early = await session.jobs.short(_provisional_blocking, session, cast("OutlineRequest", request), outline)
            if not scan.done:  # else its end was told before this answer, and nobody would ask again
                return early
        shown = True
    work = partial(_call_blocking, session, method, request, target, text)
    pace: Pace = "walk" if asked.name in WALKS else "read" if asked.name == "read" else "long"
    job: Job[Encoded] = session.jobs.join(None, work, pace)
    async with job, _reported(session, asked, job, target, token, shown=shown):
        return await job.result()


def _waits(request: Request) -> bool:
    """Whether a provisional outline will not do. A part of an outline, or a page, is of the exact one."""
    return any((getattr(request, "wait", True), getattr(request, "section", None), getattr(request, "cursor", None)))


def _reported(
    session: Session,
    asked: _Asked,
    job: Job[Any],
    target: Target | None,
    token: Token | None,
    *,
    shown: bool = False,
) -> contextlib.AbstractAsyncContextManager[None]:
    """Progress for a job: under the client's token, or one of the server's for a command. `shown`: it was shown before."""
    if shown:
        return contextlib.nullcontext()
    title = f"{_TITLES[asked.name]} {target.name}" if target is not None else _TITLES[asked.name]
    cancel = job.stop if asked.name in WALKS else None
    if token is None and asked.is_command and session.client.shows_progress:
        return session.progress.of_server(job, title, cancel)
    return session.progress.of_request(job, title, token, cancel)


def _parsed_blocking(asked: _Asked) -> tuple[Method, Request]:
    # The models, and pydantic with them, are loaded at the first request.
    from milepost.wire import method_of, parse_request

    method = method_of(f"milepost/{asked.name}")
    return method, parse_request(method.request, asked.values)


def _provisional_blocking(session: Session, request: OutlineRequest, outline: Outline) -> Encoded:
    """The reply for an outline that is of part of the file so far. Nothing can be listed on from it yet."""
    from milepost.limits import Listing, fit_reply
    from milepost.wire import outline_from_core

    reply = outline_from_core(outline, lambda section, from_byte: "")
    max_bytes = session.settings.current().limits.max_bytes("outline", request.max_bytes)
    listing = Listing(depth=request.depth, max_nodes=request.max_nodes)
    return Encoded(fit_reply(reply, max_bytes, camel=True, listing=listing).data or b"null")


def _clear_cache_blocking() -> tuple[int, int]:
    from milepost.digest.cache import cache_folder, clear_cache

    return clear_cache(cache_folder())


def _call_blocking(
    session: Session,
    method: Method,
    request: Request,
    target: Target | None,
    text: BytesSource | None,
    control: Control[Encoded],
) -> Encoded:
    session.settings.read_blocking()
    engine = session.engine_blocking()
    options: dict[str, Any] = {"should_stop": control.should_stop, "progress": control.progress}
    if text is not None:
        options["text"] = text
    if target is not None:
        request = request.model_copy(update={"uri": None, "path": target.path or target.uri})
    if method.name in WALKS and target is not None:
        from milepost.lsp.walks import WalkWatch

        watch = WalkWatch(session, target, control)
        reply = getattr(engine, method.name)(request, **options, on_step=watch.step)
        watch.end()
    else:
        reply = getattr(engine, method.name)(request, **options)
    # A cap may be too small for any JSON at all.
    return Encoded(engine.serialized(method.name, reply, request.max_bytes, camel=True) or b"null")
