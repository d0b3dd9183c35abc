"""While a summary or an answer is under way: its progress in words, and its digests to the client as they come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from milepost.digest.walk import Step
    from milepost.lsp.jobs import Control
    from milepost.lsp.session import Session, Target

#: Digests go out no more often than this.
_TELL_EVERY_S = 0.5


class WalkWatch:
    """Watches one walk, from its thread."""

    def __init__(self, session: Session, target: Target, control: Control[Any]) -> None:
        self._session = session
        self._target = target
        self._control = control
        self._told: dict[str, str] = {}
        self._waiting: dict[str, str] = {}
        self._told_at = 0.0
        self._total_bytes = 0

    def step(self, step: Step) -> None:
        """A chunk is done."""
        tokens = step.done.usage.input_tokens + step.done.usage.output_tokens
        spent = f", {tokens:,} tokens" if tokens else ""
        self._control.note(
            f"chunk {step.done.next_chunk:,} of {step.chunks_total:,} "
            f"(lines {step.start_line:,} to {step.end_line:,}){spent}"
        )
        self._total_bytes = step.bytes_total
        for entry in step.done.state.entries:
            if entry.section and entry.digest and self._told.get(entry.section) != entry.digest:
                self._told[entry.section] = self._waiting[entry.section] = entry.digest
        if time.monotonic() - self._told_at >= _TELL_EVERY_S:
            self._tell()

    def end(self) -> None:
        """The walk is over: the last digests go out, and the editor's features are asked for again."""
        self._tell()
        if self._told:
            self._session.call_soon(self._session.refresher.refresh)

    def _tell(self) -> None:
        if not self._waiting:
            return
        self._told_at = time.monotonic()
        digests, self._waiting = self._waiting, {}
        self._session.call_soon(self._session.refresher.digests_came, self._target.uri, self._total_bytes, digests)
