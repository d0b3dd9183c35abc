"""The steps of a build or a CI job, as consoles announce them: where its sections begin."""

from __future__ import annotations

import re

#: Each is anchored at a line's start. The same expressions drive the fast search and name the section.
PHASE_EXPRESSIONS: tuple[bytes, ...] = (
    rb"^Executing\(%\w+\):",
    rb"^(?:DEBUG \S+ )?(?:Mock Version|Start: |Finish: )",
    rb"^INFO: (?:Start|Done|chroot|Results)",
    rb"^\+{1,2} (?:/usr/bin/)?(?:cmake|meson|ninja|make|configure|\./configure|python3? -m|npm|cargo|go |mvn|gradle|docker|pip)\b",
    rb"^={3,} ?[^=\s].*[^=\s] ?={3,}\s*$",
    rb"^-{3,}\[? ?[^-\s].*[^-\s] ?\]?-{3,}\s*$",
    rb"^\[INFO\] -{3,} ?[^-\s].*-{3,}\s*$",
    rb"^\[INFO\] Building \S",
    rb"^##\[(?:group|section)\]",
    rb"^::group::",
    rb"^section_start:\d+:",
    rb"^##teamcity\[(?:blockOpened|progressStart|testSuiteStarted)",
    rb"^Step \d+/\d+ ?:",
    rb"^#\d+ \[[^\]]*\d+/\d+\]",
    rb"^(?:STEP|Stage|STAGE|Phase|PHASE|Task|TASK|PLAY) (?:\d+[:/ ]|\[)",
    rb"^> Task :",
    rb"^\[Pipeline\] (?:stage|\{ \()",
    rb"^make(?:\[\d+\])?: Entering directory",
    rb"^Running (?:command|transaction|tests?|scriptlet)",
    rb"^={1,2}> \w",
    rb"^-{2,3} [^-\s].* -{2,3}$",
    rb"^\$ \w",
    rb"^Test project |^test session starts",
)

_PHASE = re.compile(b"|".join(b"(?:" + expression + b")" for expression in PHASE_EXPRESSIONS))
_FRAME = re.compile(r"^[\s=\-#\[\]>:+$*]+|[\s=\-\[\]*]+$")


def phase_label(line: bytes) -> str:
    """The name of the step that a line announces, or "" where it announces none."""
    match = _PHASE.match(line)
    if match is None:
        return ""
    text = line[:200].decode("utf-8", "replace").removeprefix("[INFO] ")
    return _FRAME.sub("", text).strip() or text.strip()
