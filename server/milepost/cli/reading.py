"""What `summarize` and `ask` have in common: consent, the walk with its progress, and what is said about it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from milepost.cli.numbers import count_text, size_text
from milepost.cli.progress import ProgressBar
from milepost.cli.session import Session, file_fields, interruptible
from milepost.cli.terminal import Terminal
from milepost.core.source import Progress, StopFlag
from milepost.settings import host_of, is_allowed, remember_host
from milepost.wire import Estimate, ReadingReply

if TYPE_CHECKING:
    from milepost.digest.walk import Step

R = TypeVar("R", bound=ReadingReply)

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130


class Walked(TypedDict):
    """The arguments by which a walk is watched and stopped."""

    should_stop: StopFlag
    progress: Progress
    on_step: Callable[[Step], None]


def walk_fields(options: argparse.Namespace) -> dict[str, Any]:
    """The fields of a request that both commands take."""
    start_line, end_line = options.lines or (None, None)
    return {
        **file_fields(options.file),
        "section": options.section,
        "start_line": start_line,
        "end_line": end_line,
        "detail": options.detail,
        "max_chunks": options.max_chunks,
        "cursor": options.cursor,
        "estimate_only": options.estimate or None,
    }


def walked(
    session: Session, terminal: Terminal, options: argparse.Namespace, call: Callable[..., R], request: Any
) -> R | None:
    """The reply, once the user has agreed to what is sent; None where they have not."""
    session.allow_hosts(options.allow_host)
    model = session.settings.model
    if model.base_url and not options.estimate and not is_allowed(host_of(model), model) and _can_ask(terminal):
        with session.work("reckoning") as how:
            estimate = call(request.model_copy(update={"estimate_only": True, "cursor": None}), **how).estimate
        if estimate is not None:
            if not _agreed(estimate, terminal):
                terminal.notice("milepost: nothing was sent.")
                return None
            remember_host(estimate.host)
            session.allow_hosts([estimate.host])  # also where it cannot be written down
    with interruptible() as should_stop, ProgressBar(terminal, "reading") as bar:

        def on_step(step: Step) -> None:
            tokens = step.done.usage.input_tokens + step.done.usage.output_tokens
            spent = f" · {tokens:,} tokens" if tokens else ""
            bar.label(
                f"chunk {step.done.next_chunk}/{step.chunks_total} · lines {step.start_line:,}-{step.end_line:,}{spent}"
            )

        how_walked: Walked = {"should_stop": should_stop, "progress": bar, "on_step": on_step}
        return call(request, **how_walked)


def estimate_text(estimate: Estimate) -> str:
    """What a run would send, in a sentence."""
    return (
        f"{count_text(estimate.calls, 'call')} to {estimate.model} at {estimate.host}: about "
        f"{size_text(estimate.input_bytes)} of text ({estimate.input_tokens:,} tokens) sent, "
        f"{estimate.output_tokens:,} tokens back"
    )


def account(reply: ReadingReply, terminal: Terminal) -> int:
    """Say on standard error how far the walk came and how to go on; the exit status."""
    stats = reply.stats
    if reply.estimate is not None:
        return 0
    read = f"{stats.chunks_read:,} of {count_text(stats.chunks_total, 'chunk')} read ({stats.summarizer}"
    if stats.calls:
        read += f", {count_text(stats.calls, 'call')}, {stats.input_tokens + stats.output_tokens:,} tokens"
    if stats.dropped_entries:
        read += f", {count_text(stats.dropped_entries, 'unproven statement')} dropped"
    terminal.notice(f"{read})" + (f"; go on with: --cursor {reply.cursor}" if reply.cursor else ""))
    if stats.dump:
        terminal.notice(f"written to {stats.dump}")
    if reply.error is None:
        return 0
    terminal.notice(f"milepost: {reply.error.message}")
    return EXIT_INTERRUPTED if reply.error.kind == "cancelled" else EXIT_FAILED


def _can_ask(terminal: Terminal) -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and terminal.err is not None and terminal.err.isatty()


def _agreed(estimate: Estimate, terminal: Terminal) -> bool:
    terminal.notice(
        f"This sends text of the file away: {estimate_text(estimate)}. Secrets that are known by their form are masked."
    )
    terminal.notice(f"Agree, now and from now on, for {estimate.host}? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
