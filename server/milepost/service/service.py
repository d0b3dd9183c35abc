"""Requests in, replies out: what the command line, the language server and agents all call.

Every method takes a request of the wire and gives its reply, complete; `serialized` then fits it to its cap. Methods
block, may be called from several threads, and can be stopped: `should_stop` is asked once a block, `progress` is told
(bytes done, bytes in all). They raise `MilepostError` and nothing else that is meant for a user.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from milepost.core.analysis import Analysis, Options
from milepost.core.anchors import HASHED_BYTES, find_again, head_hash
from milepost.core.check import check_file
from milepost.core.chunks import MIN_TARGET_BYTES, plan_chunks
from milepost.core.cursor import OutlineCursor, decode_cursor, encode_cursor
from milepost.core.encoding import Encoding
from milepost.core.find import find
from milepost.core.lines import LineIndex
from milepost.core.outline import Outline, Section
from milepost.core.reads import parse_anchor, read_bytes, read_limit, read_lines
from milepost.core.source import ByteSource, BytesSource, Progress, StopFlag, display_path, never, no_progress
from milepost.errors import CursorInvalid, FileChanged, InvalidParams, NotFound
from milepost.limits import Fitted, Listing, fit_reply
from milepost.service.listings import (
    ListedFind,
    ListedOutline,
    ListedPlan,
    check_cursor,
    check_state,
    cursor_maker,
    listing_of,
    state_of,
)
from milepost.service.open_files import OpenFile, OpenFiles
from milepost.service.replies import innermost, no_text, quote_of, read_reply
from milepost.settings import Settings
from milepost.uris import path_of_uri
from milepost.wire import (
    Anchor,
    AskReply,
    AskRequest,
    CheckReply,
    CheckRequest,
    CheckResult,
    FindReply,
    FindRequest,
    OutlineReply,
    OutlineRequest,
    PlanReply,
    PlanRequest,
    ReadReply,
    ReadRequest,
    Reply,
    Request,
    ResolveAnchorReply,
    ResolveAnchorRequest,
    Span,
    SummarizeReply,
    SummarizeRequest,
    outline_from_core,
    sections_from_core,
)

if TYPE_CHECKING:
    from milepost.digest.walk import Step
    from milepost.service.digests import MakeModel, OnStep

OnProvisional = Callable[[Outline], None]

_PROVISIONAL_AFTER_S = 0.5
_UNLIMITED = 1 << 40
#: A file from this size on is given a line index at its second read, so that no later one counts lines again.
_INDEX_FROM_BYTES = 8 << 20
_MAX_HITS = 1000


class Service:
    """Answers requests about files. `settings` is asked at each request; files at hand are kept for the next one."""

    def __init__(self, settings: Callable[[], Settings], make_model: MakeModel | None = None) -> None:
        self._settings = settings
        self._make_model = make_model
        self._files = OpenFiles()

    # --- outlines ---------------------------------------------------------------------------------------------------

    def core_outline(
        self,
        path: str,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
        on_provisional: OnProvisional | None = None,
    ) -> Outline:
        """The outline of a file, or of an editor's `text` of it, before any cap.

        `on_provisional` is given what there is after a second, once, if the scan takes longer.
        """
        with self._hold(path, None, text, should_stop) as file:
            return self._scan(file, should_stop, progress, on_provisional)

    def outline(
        self,
        request: OutlineRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
        on_provisional: Callable[[OutlineReply], None] | None = None,
    ) -> OutlineReply:
        """The sections of a file, of one section, or from a cursor on."""
        path = _path_of(request)

        def give(outline: Outline) -> None:
            if on_provisional is not None:
                on_provisional(outline_from_core(outline, lambda section, from_byte: ""))

        with self._hold(path, request.format, text, should_stop) as file:
            outline = self._scan(file, should_stop, progress, give if on_provisional else None)
            return self._outline_reply(file.analysis, outline, request, should_stop)

    def _scan(
        self, file: OpenFile, should_stop: StopFlag, progress: Progress, on_provisional: OnProvisional | None
    ) -> Outline:
        analysis = file.analysis
        began = time.monotonic()
        waiting = on_provisional

        def watch(done: int, total: int) -> None:
            nonlocal waiting
            progress(done, total)
            if waiting is not None and done < total and time.monotonic() - began > _PROVISIONAL_AFTER_S:
                give, waiting = waiting, None
                give(analysis.provisional())

        outline = file.digests.applied(analysis.outline(should_stop=should_stop, progress=watch))
        return replace(outline, state="growing") if file.is_growing else outline

    def _outline_reply(
        self, analysis: Analysis, outline: Outline, request: OutlineRequest, should_stop: StopFlag
    ) -> OutlineReply:
        cursor_at_byte = cursor_maker(analysis)
        inside, from_byte = request.section or "", 0
        if request.cursor is not None:
            cursor = OutlineCursor.decode(request.cursor)
            check_cursor(cursor, analysis)
            inside, from_byte = cursor.section, cursor.from_byte
        reply = outline_from_core(outline, cursor_at_byte)
        if inside or request.cursor is not None:
            sections = _inside(analysis, outline, inside, should_stop) if inside else outline.sections
            listed = [section for section in sections if section.start_byte >= from_byte]
            reply = reply.model_copy(
                update={"sections": sections_from_core(listed, cursor_at_byte), "section": inside or None}
            )
        listing = Listing(
            cursor_at_byte=cursor_at_byte,
            depth=request.depth,
            max_nodes=request.max_nodes,
            in_order=request.cursor is not None,
        )
        served = ListedOutline.model_construct(**dict(reply))
        served._listing = listing
        return served

    # --- reading ----------------------------------------------------------------------------------------------------

    def read(
        self,
        request: ReadRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
    ) -> ReadReply:
        """A range of a file, word for word."""
        start, end = request.start_line, request.end_line
        path: str
        if request.anchor is not None and request.uri is None and request.path is None:
            place = parse_anchor(request.anchor)
            path, start, end = place.path, place.start_line, place.end_line
        else:
            path = _path_of(request)
            if request.anchor is not None:
                place = parse_anchor("x:" + request.anchor.rpartition(":")[2], exists=lambda _: False)
                if place.start_line is None:
                    raise InvalidParams(f"{request.anchor!r} is no range of lines: write START-END or N.")
                start, end = place.start_line, place.end_line
        max_bytes = self._settings().limits.max_bytes("read", request.max_bytes)
        with self._hold(path, None, text, should_stop, waits=False) as file:
            view, encoding, index = self._view(file, should_stop, progress)
            options: dict[str, Any] = {
                "max_bytes": max_bytes,
                "index": index,
                "encoding": encoding,
                "should_stop": should_stop,
            }
            if request.start_byte is not None:
                result = read_bytes(view, request.start_byte, request.length, **options)
            elif encoding.kind == "binary":
                raise no_text(file.analysis.source)
            elif request.offset is not None or request.limit is not None:
                result = read_limit(view, request.offset or 1, request.limit, **options)
            elif start is not None:
                result = read_lines(view, start, end if end is not None or request.anchor else start, **options)
            else:
                result = read_lines(view, **options)
            return read_reply(file.analysis.source.name, result, encoding)

    def _view(
        self, file: OpenFile, should_stop: StopFlag, progress: Progress
    ) -> tuple[ByteSource, Encoding, LineIndex | None]:
        """The text of a file to read from, its encoding, and its line index where there is one, or had better be."""
        analysis = file.analysis
        analysis.prepare_text(should_stop=should_stop)
        file.reads += 1
        if analysis.index is None and file.reads > 1 and analysis.view.size >= _INDEX_FROM_BYTES:
            analysis.build_index(should_stop=should_stop, progress=progress)
        return analysis.view, analysis.encoding, analysis.index

    # --- finding ----------------------------------------------------------------------------------------------------

    def find(
        self,
        request: FindRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
    ) -> FindReply:
        """Where a text or pattern occurs, each hit with the section it lies in."""
        with self._hold(_path_of(request), None, text, should_stop) as file:
            analysis = file.analysis
            outline = self._scan(file, should_stop, progress, None)
            if analysis.encoding.kind == "binary":
                raise no_text(analysis.source)
            start_byte, first_line = 0, 1
            asked = [request.pattern, request.regex, request.case_sensitive]
            if request.cursor is not None:
                payload = decode_cursor(request.cursor, "find", {"b": int, "n": int, "q": list, "i": list})
                if payload["q"] != asked:
                    raise CursorInvalid("The cursor belongs to another search: repeat the one it came from.")
                check_state(payload["i"], analysis)
                start_byte, first_line = payload["b"], payload["n"]
            # More than the reply's cap can hold are never looked for.
            cap = self._settings().limits.max_bytes("find", request.max_bytes)
            most = min(request.max_hits or _MAX_HITS, _MAX_HITS, max(1, cap // 60))
            found = find(
                analysis.view,
                request.pattern,
                regex=request.regex,
                case_sensitive=request.case_sensitive,
                start_byte=start_byte,
                first_line=first_line,
                max_hits=most,
                should_stop=should_stop,
                progress=progress,
                encoding=analysis.encoding,
            )

        def cursor_at(byte: int, line: int) -> str:
            return encode_cursor("find", {"b": byte, "n": line, "q": asked, "i": state_of(analysis)})

        hits = tuple([quote_of(hit, analysis, outline) for hit in found.hits])
        following = None
        if found.next_byte is not None:
            following = cursor_at(found.next_byte, found.next_line or 1)
        served = ListedFind(
            path=analysis.source.name,
            hits=hits,
            total_hits=None if following else len(hits),
            truncated=following is not None,
            omitted_hits=0,
            next=following,
            total_lines=outline.total_lines,
        )
        places = [(hit.line_start_byte, hit.start_line) for hit in found.hits]
        served._listing = Listing(cursor_at=lambda i: cursor_at(*places[i]) if i < len(places) else following or "")
        return served

    # --- summaries and answers --------------------------------------------------------------------------------------

    def summarize(
        self,
        request: SummarizeRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
        on_step: OnStep | None = None,
    ) -> SummarizeReply:
        """A summary that has examined every byte; of a small file, its text.

        What stops it on the way, a stop too, is in the reply's `error`: what was found is kept.
        """
        reply = self._digest(request, text, should_stop, progress, on_step)
        assert isinstance(reply, SummarizeReply)
        return reply

    def ask(
        self,
        request: AskRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
        on_step: OnStep | None = None,
    ) -> AskReply:
        """The answer to a question, with the lines that prove it. What stops it on the way is in the reply's `error`."""
        reply = self._digest(request, text, should_stop, progress, on_step)
        assert isinstance(reply, AskReply)
        return reply

    def _digest(
        self,
        request: SummarizeRequest | AskRequest,
        text: BytesSource | None,
        should_stop: StopFlag,
        progress: Progress,
        on_step: OnStep | None,
    ) -> SummarizeReply | AskReply:
        # Loaded when first needed: most who ask for an outline never ask for more.
        from milepost.service.digests import digest_reply
        from milepost.service.small_files import binary_reply, is_passed_through, passed_through
        from milepost.service.subject import subject_of

        settings = self._settings()
        target_bytes = max(settings.chunks.target_bytes, MIN_TARGET_BYTES)
        with ExitStack() as closing:
            with self._hold(_path_of(request), None, text, should_stop) as file:
                if is_passed_through(file.analysis, request, settings.summarize.small_file_bytes):
                    return passed_through(file.analysis, settings.limits.max_bytes("read", None), should_stop)
                outline = self._scan(file, should_stop, progress, None)
                if file.analysis.encoding.kind == "binary":
                    return binary_reply(outline, request)
                subject = subject_of(
                    file.analysis, outline, request, target_bytes, closing, should_stop=should_stop, progress=progress
                )

            def step(done: Step) -> None:
                file.digests.note(done)
                if on_step is not None:
                    on_step(done)

            return digest_reply(
                subject,
                request,
                settings,
                self._make_model,
                should_stop=should_stop,
                progress=progress,
                on_step=step,
            )

    # --- the rest ---------------------------------------------------------------------------------------------------

    def plan(
        self,
        request: PlanRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
    ) -> PlanReply:
        """How a file would be cut into chunks."""
        target = request.chunk_bytes or self._settings().chunks.target_bytes
        with self._hold(_path_of(request), None, text, should_stop) as file:
            view, encoding, index = self._view(file, should_stop, progress)
            if encoding.kind == "binary":
                raise no_text(file.analysis.source)
            plan = plan_chunks(view, target_bytes=target, index=index, should_stop=should_stop, progress=progress)
            name = file.analysis.source.name
        first = 0
        if request.cursor is not None:
            payload = decode_cursor(request.cursor, "plan", {"c": int, "h": str})
            if payload["h"] != plan.plan_hash:
                raise FileChanged(f"{display_path(name)} has changed, or the chunk size is another: plan it again.")
            first = payload["c"]
        chunks = plan.chunks[first:]
        served = ListedPlan(
            path=name,
            chunks=tuple(Span.model_validate(chunk) for chunk in chunks),
            chunk_count=len(plan.chunks),
            line_count=plan.line_count,
            byte_count=plan.byte_count,
            plan_hash=plan.plan_hash,
            truncated=False,
            omitted_chunks=0,
            next=None,
        )
        served._listing = Listing(cursor_at=lambda i: encode_cursor("plan", {"c": first + i, "h": plan.plan_hash}))
        return served

    def resolve_anchor(
        self,
        request: ResolveAnchorRequest,
        *,
        text: BytesSource | None = None,
        should_stop: StopFlag = never,
        progress: Progress = no_progress,
    ) -> ResolveAnchorReply:
        """Where an anchor's text is now; without a hash, the anchor of the place."""
        anchor = request.anchor
        with self._hold(_path_of(request), None, text, should_stop) as file:
            analysis = file.analysis
            outline = self._scan(file, should_stop, progress, None)
            view, index = analysis.view, analysis.index
            if index is None:
                raise no_text(analysis.source)
            line: int | None = anchor.start_line
            if anchor.head_hash is not None:
                line = find_again(view, index, anchor.start_line, anchor.head_hash, should_stop=should_stop)
            if line is None:
                return ResolveAnchorReply(
                    path=analysis.source.name,
                    state="stale",
                    anchor=anchor,
                    start_byte=None,
                    end_byte=None,
                    section=None,
                    truncated=False,
                )
            last = min(line + anchor.end_line - anchor.start_line, index.total_lines)
            start = index.offset_of_line(line, view)
            end = index.offset_of_line(last + 1, view) if last < index.total_lines else view.size
            now = head_hash((view.read_at(start, HASHED_BYTES + 2).splitlines() or [b""])[0])
            start_byte, end_byte = analysis.to_file(start), analysis.to_file(end)
            return ResolveAnchorReply(
                path=analysis.source.name,
                state="same" if line == anchor.start_line else "moved",
                anchor=Anchor(start_line=line, end_line=last, head_hash=now),
                start_byte=start_byte,
                end_byte=end_byte,
                section=innermost(outline.sections, start_byte),
                truncated=False,
            )

    def check(
        self, request: CheckRequest, *, should_stop: StopFlag = never, progress: Progress = no_progress
    ) -> CheckReply:
        """Whether the invariants hold on a file."""
        with self._hold(_path_of(request), None, None, should_stop) as file:
            analysis = file.analysis
            outline = analysis.outline(should_stop=should_stop, progress=progress)
            again = Analysis(analysis.source, analysis.options).outline(should_stop=should_stop)
            plan = plan_chunks(analysis.view, index=analysis.index, should_stop=should_stop)
            verdicts = check_file(analysis.view, outline, again, plan, should_stop=should_stop)
            return CheckReply(
                path=analysis.source.name,
                ok=all(verdict.ok for verdict in verdicts),
                checks=tuple(CheckResult.model_validate(verdict) for verdict in verdicts),
                truncated=False,
            )

    def serialized(self, command: str, reply: Reply, max_bytes: int | None, camel: bool) -> bytes:
        """A reply as JSON that fits the cap of its command, or the one its request asked for."""
        return self.fitted(command, reply, max_bytes, camel).data

    def fitted(self, command: str, reply: Reply, max_bytes: int | None, camel: bool) -> Fitted:
        """A reply as it may be sent, with its JSON: fitted to the cap of its command, or the one its request asked for."""
        if isinstance(reply, SummarizeReply) and reply.content is not None:
            command = "read"  # a small file's own text
        cap = self._settings().limits.max_bytes(command, max_bytes)
        return fit_reply(reply, cap, camel=camel, listing=listing_of(reply))

    def _hold(
        self, path: str, format_name: str | None, text: BytesSource | None, should_stop: StopFlag, *, waits: bool = True
    ) -> AbstractContextManager[OpenFile]:
        settings = self._settings()
        options = Options(format_name, settings.formats.by_suffix, settings.outline.max_nodes)
        return self._files.hold(path, options, text, should_stop, waits=waits)


def _path_of(request: Request) -> str:
    if request.path is not None:
        return request.path
    path = path_of_uri(request.uri or "")
    return request.uri or "" if path is None else path


def _inside(analysis: Analysis, outline: Outline, section: str, should_stop: StopFlag) -> tuple[Section, ...]:
    """What lies in the section with an id; for the id of a merged entry (`first..last`), the sections it stands for."""
    first, merged, last = section.partition("..")
    if not merged:
        return analysis.expand(analysis.section(section, should_stop=should_stop), should_stop=should_stop)
    parent = first.rpartition("/")[0]
    siblings = outline.sections
    if parent:
        siblings = analysis.expand(analysis.section(parent, should_stop=should_stop), should_stop=should_stop)
    places = {one.id: place for place, one in enumerate(siblings)}
    if first not in places or last not in places:
        raise NotFound(f"There is no section {section!r} in {outline.path}: take an id from its outline.")
    return siblings[places[first] : places[last] + 1]
