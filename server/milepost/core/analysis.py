"""One file, understood: its encoding, its format, and a scan that is kept so that the next question is cheap.

An `Analysis` is what a front door holds for a path. It scans at most once for each state of the file: an unchanged file is
answered from what is there, one that grew is scanned from its old end, anything else from the start. Sections are always
in offsets of the file as it is on disk, also where the text had to be transcoded to be scanned.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from milepost.core.detect import HEAD_BYTES, detect_format, sample_of
from milepost.core.encoding import UTF8, binary_type, detect_encoding, text_view
from milepost.core.formats.base import Format
from milepost.core.identity import Change, Identity, compare, measure
from milepost.core.lines import LineIndex
from milepost.core.outline import Outline, Problem, Section, count_nodes, walk, with_prefix
from milepost.core.scan import STRIPE_BYTES, Context, Extensible, Scan, Scanner
from milepost.core.source import ByteSource, FileSource, Progress, StopFlag, never, no_progress, raise_if_stopped
from milepost.core.transcode import TranscodedSource
from milepost.errors import NotFound

_HASH_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is to be read: `format` overrides detection, `by_suffix` maps patterns of names to formats."""

    format: str | None = None
    by_suffix: Mapping[str, str] | None = None
    max_nodes: int = 5000


class Analysis:
    """What is known of one state of one file. Not thread-safe: who shares it locks."""

    def __init__(self, source: ByteSource, options: Options | None = None) -> None:
        self.options = options or Options()
        self.source = source
        self.encoding = UTF8
        self.format: Format | None = None
        self.view: ByteSource = source
        self.scan: Scan | None = None
        self.identity: Identity | None = None
        self.index: LineIndex | None = None
        self._outline: Outline | None = None
        self._expansions: dict[str, tuple[Section, ...]] = {}
        self._prepared = self._has_text = False
        self._nul_end = 0
        self._head = b""

    def close(self) -> None:
        """Let go of the file."""
        if isinstance(self.source, FileSource):
            self.source.close()

    # --- getting there ----------------------------------------------------------------------------------------------

    def prepare_text(self, *, should_stop: StopFlag = never) -> None:
        """Find the encoding, and the text as it can be read and searched. Cheap, except for UTF-16."""
        if not self._has_text:
            self.encoding = detect_encoding(self.source)
            self.view = text_view(self.source, self.encoding, should_stop=should_stop)
            self._has_text = True

    def prepare(self, *, should_stop: StopFlag = never) -> None:
        """Find the format too, and make ready to scan."""
        self.prepare_text(should_stop=should_stop)
        if self._prepared:
            return
        self.format = self.scan = None
        if self.encoding.kind != "binary":
            start = _nul_run_end(self.view, should_stop)
            sample = sample_of(self.view, PurePath(self.source.name).name, start)
            self.format = detect_format(sample, self.options.format, self.options.by_suffix)
            self._nul_end = start
            self._head = sample.head
            self.scan = Scan(self.view, self.format.scanner(self.context()), skip_until=start)
        self._prepared = True

    def build_index(self, *, should_stop: StopFlag = never, progress: Progress = no_progress) -> None:
        """Index the lines without understanding them; a scan brings its own index."""
        index = LineIndex()
        for offset in range(0, self.view.size, _HASH_BYTES):
            raise_if_stopped(should_stop)
            index.feed(self.view.read_at(offset, _HASH_BYTES))
            progress(min(offset + _HASH_BYTES, self.view.size), self.view.size)
        self.index = index
        self.identity = measure(self.source)

    def run(self, *, should_stop: StopFlag = never, progress: Progress = no_progress) -> None:
        """Scan to the end. Raises `Cancelled`; what was scanned is kept and the next call goes on."""
        self.prepare(should_stop=should_stop)
        if self.scan is not None:
            self.scan.run(should_stop=should_stop, progress=progress)

    def outline(self, *, should_stop: StopFlag = never, progress: Progress = no_progress) -> Outline:
        """The exact outline of the file."""
        self.prepare(should_stop=should_stop)
        if self._outline is None:
            self.run(should_stop=should_stop, progress=progress)
            self._outline = self._binary(should_stop) if self.scan is None else self._of_scan(should_stop)
        return self._outline

    def provisional(self) -> Outline:
        """The outline of what has been scanned so far; the exact one when that is all. For use between calls of `run`."""
        self.prepare()
        if self._outline is not None:
            return self._outline
        return self._binary(never) if self.scan is None else self._of_scan(never)

    @property
    def is_exact(self) -> bool:
        """Whether `outline` costs nothing."""
        return self._outline is not None

    def refresh(self, source: ByteSource, *, should_stop: StopFlag = never) -> Change:
        """Look at the file again, opened afresh as `source`, and keep what still holds. Owns `source` from then on."""
        if self.identity is None:
            # Nothing is known yet but the source itself; a scan that was stopped half way goes on if that still holds.
            state = self.source.state if isinstance(self.source, FileSource) else None
            if isinstance(source, FileSource) and source.state == state:
                source.close()
                return Change.SAME
            self._restart(source)
            return Change.CHANGED
        change = compare(self.identity, source, should_stop=should_stop)
        if change is Change.SAME:
            # The file that is open holds the same bytes. A touch is noted, so that it need not be looked into again.
            if isinstance(source, FileSource):
                self.identity = replace(self.identity, mtime_ns=source.state.mtime_ns)
                source.close()
        elif change is Change.GREW and self._can_extend(source):
            self._extend(source)
        else:
            self._restart(source)
        return change

    def _can_extend(self, source: ByteSource) -> bool:
        """Whether the scan can go on as if the file had always been longer."""
        assert self.identity is not None
        old, new = self.identity.size, source.size
        if self.scan is None or self.format is None or isinstance(self.view, TranscodedSource):
            return False
        crossed = any((old <= size) != (new <= size) for size in self.format.size_classes)
        return old >= STRIPE_BYTES and not crossed

    def _extend(self, source: ByteSource) -> None:
        assert self.scan is not None
        self.close()
        self.source = self.view = source
        self.scan.extend(source)
        if isinstance(self.scan.scanner, Extensible):
            self.scan.scanner.extend(self.context())
        self._outline = None
        self._expansions.clear()

    def _restart(self, source: ByteSource) -> None:
        if source is not self.source:
            self.close()
        self.source = source
        self.identity = self.index = self._outline = None
        self._expansions.clear()
        self._prepared = self._has_text = False

    def context(self) -> Context:
        """What a scanner of the whole text is told."""
        state = self.source.state if isinstance(self.source, FileSource) else None
        return Context(
            name=PurePath(self.source.name).name,
            encoding=self.encoding.name if self.encoding.is_ascii_superset else "utf-8",
            start_byte=self._nul_end,
            total_bytes=self.view.size,
            reference_seconds=state.mtime_ns / 1e9 if state else 0.0,
            max_nodes=self.options.max_nodes,
            head=self._head,
            head_is_whole=self._nul_end + HEAD_BYTES >= self.view.size,
        )

    # --- what is found ----------------------------------------------------------------------------------------------

    def _of_scan(self, should_stop: StopFlag) -> Outline:
        assert self.scan is not None
        assert self.format is not None
        result = self.scan.result(should_stop=should_stop)
        self.index = result.index
        sections = result.findings.sections
        if self._nul_end:
            sections = (_nul_section(self._nul_end), *sections)
        sections = self._in_file_offsets(sections)
        if not result.complete:
            sections = (*sections, self._unscanned(result.end_byte, result.index.line_ends + 1))
        else:
            whole_hash = "" if isinstance(self.view, TranscodedSource) else result.digest
            self.identity = measure(self.source, whole_hash=whole_hash)
        stats: dict[str, Any] = {"nodes": count_nodes(sections), **result.findings.facts}
        return Outline(
            path=self.source.name,
            format=self.format.name,
            encoding=self.encoding.name,
            line_ending=result.index.line_ending,
            lone_cr=result.index.lone_cr,
            total_lines=result.index.total_lines if result.complete else None,
            total_bytes=self.source.size,
            state="exact" if result.complete else "provisional",
            degraded=result.findings.degraded,
            sections=sections,
            problems=self._problems_in_file_offsets(result.findings.problems),
            stats=stats,
        )

    def _unscanned(self, end_byte: int, line: int) -> Section:
        start = self.to_file(end_byte)
        size = self.source.size - start
        return Section(
            f"unscanned-1-{start:x}",
            f"{size:,} bytes not scanned yet",
            "unscanned",
            line,
            line,
            start,
            self.source.size,
        )

    def _binary(self, should_stop: StopFlag) -> Outline:
        source = self.source
        digest = hashlib.sha256()
        for offset in range(0, source.size, _HASH_BYTES):
            raise_if_stopped(should_stop)
            digest.update(source.read_at(offset, _HASH_BYTES))
        name = binary_type(source.read_at(0, 4096)) or "binary"
        facts = {"type": name, "sha256": digest.hexdigest()}
        sections: tuple[Section, ...] = ()
        if source.size:
            title = f"{name}, {source.size:,} bytes"
            sections = (
                Section(
                    "binary-1-0",
                    title,
                    "binary",
                    1,
                    1,
                    0,
                    source.size,
                    f"sha256 {digest.hexdigest()}",
                    1,
                    facts,
                    weight=0.5,
                ),
            )
        self.identity = measure(source)
        return Outline(
            source.name,
            "binary",
            "binary",
            "none",
            0,
            None,
            source.size,
            sections=sections,
            stats={"nodes": 1, **facts},
        )

    # --- expanding --------------------------------------------------------------------------------------------------

    def section(self, section_id: str, *, should_stop: StopFlag = never) -> Section:
        """A section by its id, also one that only shows when those around it are expanded. Raises NotFound."""
        known = self.outline(should_stop=should_stop).sections
        parent, slash, _ = section_id.rpartition("/")
        if slash:
            known = self.expand(self.section(parent, should_stop=should_stop), should_stop=should_stop)
        for one in walk(known):
            if one.id == section_id:
                return one
        raise NotFound(f"There is no section {section_id!r} in {self.source.name}: take an id from its outline.")

    def expand(self, section: Section, *, should_stop: StopFlag = never) -> tuple[Section, ...]:
        """Everything one level inside a section, those left out of the outline too: its range is scanned again."""
        if section.resume is None or (section.children and section.more is None):
            return section.children
        if section.id in self._expansions:
            return self._expansions[section.id]
        self.prepare()
        assert self.format is not None
        start, end = self.to_view(section.start_byte), self.to_view(section.end_byte)
        base = self.context()
        context = replace(
            base, start_byte=start, start_line=section.start_line, total_bytes=end - start, resume=dict(section.resume)
        )
        scanner: Scanner = self.format.scanner(context)
        scan = Scan(
            self.view,
            scanner,
            start_byte=start,
            start_line=section.start_line,
            starts_line=section.start_column is None,
            end_byte=end,
        )
        scan.run(should_stop=should_stop)
        inside = self._in_file_offsets(scan.result(should_stop=should_stop).findings.sections)
        if len(inside) == 1 and (inside[0].start_byte, inside[0].end_byte) == (section.start_byte, section.end_byte):
            inside = inside[0].children
        expanded = with_prefix(inside, section.id)
        self._expansions[section.id] = expanded
        if len(self._expansions) > 64:
            self._expansions.pop(next(iter(self._expansions)))
        return expanded

    # --- offsets ----------------------------------------------------------------------------------------------------

    def to_file(self, offset: int) -> int:
        """An offset of the text as an offset of the file."""
        return self.view.to_original(offset) if isinstance(self.view, TranscodedSource) else offset

    def to_view(self, offset: int) -> int:
        """An offset of the file as an offset of the text."""
        return self.view.from_original(offset) if isinstance(self.view, TranscodedSource) else offset

    def _in_file_offsets(self, sections: tuple[Section, ...]) -> tuple[Section, ...]:
        if not isinstance(self.view, TranscodedSource):
            return sections
        return tuple(
            replace(
                section,
                start_byte=self.to_file(section.start_byte) if section.start_byte else 0,
                end_byte=self.to_file(section.end_byte),
                children=self._in_file_offsets(section.children),
            )
            for section in sections
        )

    def _problems_in_file_offsets(self, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
        return tuple(replace(problem, byte=self.to_file(problem.byte)) for problem in problems)


def _nul_run_end(view: ByteSource, should_stop: StopFlag) -> int:
    """Where a run of NULs at the head of a text ends; 0 where there is none longer than the head that detection reads."""
    head = view.read_at(0, HEAD_BYTES)
    if len(head) < HEAD_BYTES or head.strip(b"\0"):
        return 0
    offset = len(head)
    while offset < view.size:
        raise_if_stopped(should_stop)
        data = view.read_at(offset, STRIPE_BYTES)
        rest = data.lstrip(b"\0")
        if rest:
            return offset + len(data) - len(rest)
        offset += len(data)
    return 0


def _nul_section(end: int) -> Section:
    return Section(
        "nul_run-1-0",
        f"NUL run, {end:,} bytes",
        "nul_run",
        1,
        1,
        0,
        end,
        "nothing but zero bytes: a sparse file, or one that was preallocated",
        end,
        {"bytes": end},
        weight=0.4,
        end_column=end,
    )
