"""What summaries have said of a file's sections: shown in its outline from then on, in place of what was computed."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from milepost.core.outline import Outline, Section

if TYPE_CHECKING:
    from milepost.digest.walk import Step

#: The fact that says who wrote a section's digest, where it is not the outline's own.
DIGEST_BY = "digest_by"


class SectionDigests:
    """The digests of one file, by section. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._digests: dict[str, str] = {}
        self._by = ""
        self._made: tuple[Outline, Outline] | None = None

    def note(self, step: Step) -> None:
        """Take in what the last step of a walk said of whole sections."""
        told = {
            entry.section: entry.digest
            for entry in step.done.state.entries
            if entry.section is not None and entry.digest and entry.kind != "archived"
        }
        with self._lock:
            if any(self._digests.get(name) != digest for name, digest in told.items()):
                self._digests.update(told)
                self._by, self._made = step.summarizer, None

    def clear(self) -> None:
        """The file is another one now."""
        with self._lock:
            self._digests.clear()
            self._made = None

    def applied(self, outline: Outline) -> Outline:
        """The outline with these digests; the same object for the same outline while none comes in."""
        with self._lock:
            if not self._digests:
                return outline
            if self._made is None or self._made[0] is not outline:
                sections = tuple(self._with_digest(section) for section in outline.sections)
                self._made = (outline, replace(outline, sections=sections))
            return self._made[1]

    def _with_digest(self, section: Section) -> Section:
        children = tuple(self._with_digest(child) for child in section.children)
        digest = self._digests.get(section.id, section.digest)
        if digest == section.digest:
            return section if children == section.children else replace(section, children=children)
        facts = {**section.facts, DIGEST_BY: self._by}
        return replace(section, digest=digest, facts=facts, children=children)
