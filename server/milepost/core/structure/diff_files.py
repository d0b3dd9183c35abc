"""What is known of one file and one commit of a diff while it is read, and how they are shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from milepost.core.outline import Node
from milepost.core.structure.diff_hunks import Decode, HunkQueue, HunkTable, changes

#: So many hunks of a file are kept back before they are entered.
MOST_PENDING = 128
_SUMMARY = re.compile(rb" (\d+) files? changed(?:, (\d+) insertions?\(\+\))?(?:, (\d+) deletions?\(-\))?")
_OCTAL = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
# A date after a name: `\t2013-10-13 23:44:04 +0000`, or after blanks where a mailer has eaten the tab.
_DATE = re.compile(rb"\t.*$|\s+\d{4}-\d\d-\d\d[ T].*$|\s+\w{3} \w{3} +\d+ \d\d:\d\d:\d\d.*$")
_GIT_COMMAND = re.compile(rb"diff --git (?:\w/)?(.+?) (?:\w/)?\1$")


@dataclass(slots=True)
class DiffFile:
    """One file of a diff. `node` is None while a range inside a file is read, and where the file is only counted.

    `head` are the lines of its head where they have not been read.
    """

    node: Node | None = None
    path: str = ""
    head: bytes = b""
    old_path: str = ""
    status: str = ""
    note: str = ""
    is_named: bool = False
    is_context: bool = False
    is_bare_index: bool = False
    is_flushed: bool = False
    added: int = 0
    removed: int = 0
    hunk_count: int = 0
    waiting: HunkQueue = field(default_factory=HunkQueue)

    def take_hunks(self, table: HunkTable, low: int, high: int) -> None:
        """Hunks of this file: they are counted, and become values of their own only if they are to be shown."""
        added, removed = table.changes(low, high)
        self.added += added
        self.removed += removed
        self.hunk_count += high - low
        self.waiting.take(table, low, high)

    def set_paths(self, old: bytes, new: bytes, decoded: Decode) -> None:
        """The names of the lines `---` and `+++`: without git's `a/` and `b/`, `/dev/null` means none."""
        if old == b"/dev/null":
            self.status = self.status or "added"
        if new == b"/dev/null":
            self.status = self.status or "deleted"
        if old != b"/dev/null" and new != b"/dev/null" and old[:2] != b"./" and old[1:2] == new[1:2] == b"/":
            old, new = old[2:], new[2:]
        elif new != b"/dev/null" and old == b"/dev/null" and new[:2] in (b"b/", b"w/", b"i/"):
            new = new[2:]
        elif new == b"/dev/null" and old[:2] in (b"a/", b"i/", b"c/"):
            old = old[2:]
        name = old if new == b"/dev/null" else new
        if not self.old_path:
            self.path = decoded(name) or self.path

    def take_header(self, text: bytes, decoded: Decode) -> None:
        """A line between the head of a file and its first hunk."""
        if text.startswith((b"rename from ", b"copy from ")):
            self.old_path = decoded(path_of(text.split(b" ", 2)[2]))
            self.status = "renamed" if text[:1] == b"r" else "copied"
        elif text.startswith((b"rename to ", b"copy to ")):
            self.path = decoded(path_of(text.split(b" ", 2)[2]))
        elif text.startswith(b"new file mode"):
            self.status = "added"
        elif text.startswith(b"deleted file mode"):
            self.status = "deleted"
        elif text.startswith(b"old mode "):
            self.note = decoded(b"mode " + text[9:])
        elif text.startswith(b"new mode ") and self.note.startswith("mode "):
            self.note += decoded(b" to " + text[9:])
        elif text.startswith(b"GIT binary patch") or (text.startswith(b"Binary files ") and text.endswith(b" differ")):
            self.note = "binary"

    def title(self, decoded: Decode) -> str:
        """Its path, and the one it had before."""
        if self.head:
            lines, self.head = self.head.split(b"\n"), b""
            self.path = decoded(path_of(lines[0], command=True))
            for line in lines[1:-3]:
                self.take_header(line, decoded)
            self.set_paths(path_of(lines[-3][4:]), path_of(lines[-2][4:]), decoded)
        renamed = self.status in ("renamed", "copied") and self.old_path
        return f"{self.old_path} → {self.path}" if renamed else self.path or "file"

    def close(self, decoded: Decode) -> None:
        """Write what is known into the node."""
        node = self.node
        assert node is not None
        renamed = self.status in ("renamed", "copied") and self.old_path
        node.title = self.title(decoded)
        node.label = self.path or node.title
        parts = [changes(self.added, self.removed)] if self.hunk_count or not self.note else []
        parts += [one for one in (self.status, self.note) if one]
        if self.hunk_count > 1:
            parts.append(f"{self.hunk_count:,} hunks")
        node.digest = ", ".join(parts)
        node.facts = {"added": self.added, "removed": self.removed, "hunks": self.hunk_count}
        if self.status:
            node.facts["status"] = self.status
        if self.note:
            node.facts["note"] = self.note
        if renamed:
            node.facts["old_path"] = self.old_path
        node.count = max(1, self.hunk_count)


@dataclass(slots=True)
class Patch:
    """One commit of a log, or one mail of a series."""

    node: Node | None
    name: str
    subject: str = ""
    author: str = ""
    date: str = ""
    files: int = 0
    added: int = 0
    removed: int = 0
    summary: tuple[int, ...] = ()

    def take_header(self, text: bytes, decoded: Decode) -> None:
        """A line of the commit's or mail's header."""
        if text.startswith((b"Author: ", b"From: ")) and not self.author:
            self.author = decoded(text.split(b":", 1)[1]).strip()
        elif text.startswith(b"Date: ") and not self.date:
            self.date = decoded(text[6:]).strip()
        elif text.startswith(b"Subject: ") and not self.subject:
            self.subject = decoded(text[9:]).strip()

    def take_summary(self, text: bytes) -> None:
        """The line below the files of `git log --stat`: what the commit changes in all, where its diff is left out."""
        match = _SUMMARY.match(text)
        if match is not None:
            self.summary = tuple(int(one or 0) for one in match.groups())

    def take_files(self, files: int, added: int, removed: int) -> None:
        """Files of this commit have ended."""
        self.files += files
        self.added += added
        self.removed += removed

    def title(self, decoded: Decode) -> str:
        """Its name and the first line of what it says."""
        return f"{self.name} {self.subject}" if self.subject else f"commit {self.name}"

    def close(self, decoded: Decode) -> None:
        """Write what is known into the node."""
        node = self.node
        assert node is not None
        node.title = self.title(decoded)
        if self.summary and not self.files:
            self.files, self.added, self.removed = self.summary
        parts = []
        if self.files:
            parts.append(f"{changes(self.added, self.removed)} in {self.files:,} file{'s' if self.files > 1 else ''}")
        parts += [one for one in (self.author, self.date) if one]
        node.digest = ", ".join(parts)
        node.facts = {"commit": self.name, "files": self.files, "added": self.added, "removed": self.removed}
        node.facts.update({key: value[:200] for key, value in (("author", self.author), ("date", self.date)) if value})
        node.count = max(1, self.files)


def path_of(text: bytes, *, command: bool = False) -> bytes:
    """The path that a line names, unquoted and without a date; of a whole `diff …` command, if it is one."""
    if command:
        match = _GIT_COMMAND.match(text)
        if match is not None:
            return match[1]
        text = text.rstrip()
        if text.endswith(b'"'):
            return _without_side(_unquoted(text[text.rfind(b' "') + 1 :]))
        if text.startswith(b"diff --git"):
            middle = text.find(b" b/")
            return _without_side(text[middle + 1 if middle > 0 else text.rfind(b" ") + 1 :])
        return text[text.rfind(b" ") + 1 :] if text.count(b" ") > 1 else b""
    if text.startswith(b'"'):
        return _unquoted(text)
    return _DATE.sub(b"", text.rstrip(b"\r\n")).rstrip()


def _without_side(path: bytes) -> bytes:
    return path[2:] if path[1:2] == b"/" else path


def _unquoted(text: bytes) -> bytes:
    """A path as git quotes it: in double quotes, with escapes as in C."""
    end = text.rfind(b'"')
    inside = text[1:end] if end > 0 else text[1:]
    return _OCTAL.sub(
        lambda one: bytes([int(one[1], 8) & 255]) if len(one[1]) == 3 else _ESCAPES.get(one[1], one[1]), inside
    )
