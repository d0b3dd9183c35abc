"""What a walk reads: one state of one file, or a part of it, held apart from the file at hand.

A walk with a model takes minutes. It has a source of its own, pinned to the size that the outline is of, so that nothing
else waits for it; and it looks at the file again at each chunk, so that it never goes on in another one.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from milepost.core.analysis import Analysis
from milepost.core.chunks import ChunkPlan, plan_chunks
from milepost.core.encoding import Encoding, text_view
from milepost.core.identity import Change, Identity, compare
from milepost.core.outline import Outline
from milepost.core.source import ByteSource, FileSource, Progress, StopFlag, display_path, open_source
from milepost.digest.chunk_texts import Scope
from milepost.errors import FileChanged, NotFound, OutOfRange
from milepost.wire import AskRequest, SummarizeRequest


@dataclass(frozen=True, slots=True)
class Subject:
    """A file, its outline and its plan, and the part of it that is read (`scope`; `whole` where that is all of it)."""

    name: str
    source: ByteSource
    view: ByteSource
    encoding: Encoding
    outline: Outline
    plan: ChunkPlan
    scope: Scope
    whole: bool
    check: Callable[[], None]


def subject_of(
    analysis: Analysis,
    outline: Outline,
    request: SummarizeRequest | AskRequest,
    target_bytes: int,
    closing: ExitStack,
    *,
    should_stop: StopFlag,
    progress: Progress,
) -> Subject:
    """What a request is about. `analysis` is held by the caller until this returns; `closing` lets go of the source."""
    plan = plan_chunks(
        analysis.view, target_bytes=target_bytes, index=analysis.index, should_stop=should_stop, progress=progress
    )
    scope, whole = _scope_of(analysis, outline, request, should_stop)
    source, view = analysis.source, analysis.view
    check: Callable[[], None] = _nothing_changes
    if isinstance(source, FileSource) and analysis.identity is not None:
        own = closing.enter_context(open_source(source.name, pinned_size=source.size))
        check = _file_check(own, analysis.identity)
        check()
        source, view = own, text_view(own, analysis.encoding, should_stop=should_stop)
    return Subject(source.name, source, view, analysis.encoding, outline, plan, scope, whole, check)


def _nothing_changes() -> None:
    """An editor's text is a copy."""


def _file_check(source: FileSource, identity: Identity) -> Callable[[], None]:
    """Raises `FileChanged` once the path names anything but the same file, or the same file grown."""
    known = None

    def check() -> None:
        nonlocal known
        try:
            now = source.current_state()
            if now == known:
                return
            with open_source(source.path) as fresh:
                change = compare(identity, fresh)
        except NotFound:
            raise FileChanged(f"{display_path(source.name)} is gone since it was begun; start again.") from None
        if change is Change.CHANGED:
            raise FileChanged(f"{display_path(source.name)} has changed since it was begun; start again.")
        known = now

    return check


def _scope_of(
    analysis: Analysis, outline: Outline, request: SummarizeRequest | AskRequest, should_stop: StopFlag
) -> tuple[Scope, bool]:
    total_lines = outline.total_lines or 1
    if request.section is not None:
        first_id, merged, last_id = request.section.partition("..")
        first = analysis.section(first_id, should_stop=should_stop)
        last = analysis.section(last_id, should_stop=should_stop) if merged else first
        return Scope(first.start_line, last.end_line, first.start_byte, last.end_byte), False
    index = analysis.index
    if request.start_line is None or index is None:
        return Scope(1, total_lines, 0, outline.total_bytes), True
    start_line, end_line = request.start_line, min(request.end_line or request.start_line, total_lines)
    if start_line > total_lines:
        raise OutOfRange(
            f"Line {start_line:,} lies past the end of {display_path(outline.path)}, which has {total_lines:,} lines."
        )
    start = index.offset_of_line(start_line, analysis.view)
    end = index.offset_of_line(end_line + 1, analysis.view) if end_line < total_lines else analysis.view.size
    return Scope(start_line, end_line, analysis.to_file(start), analysis.to_file(end)), False
