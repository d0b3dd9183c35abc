"""What a model said of a chunk, kept on disk, so that a second or a resumed run pays nothing for what is unchanged.

A file an entry, named by a hash of all that the reply depends on, in a folder that only its owner can read. Past the size
limit the entries that were not used for longest go. A damaged entry counts as none.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import platformdirs
import xxhash

from milepost.core.source import StopFlag
from milepost.digest.state import packed
from milepost.digest.values import (
    Brief,
    ChunkDigest,
    ChunkText,
    Conclusion,
    Digester,
    FileFacts,
    Label,
    Note,
    Place,
    State,
    Usage,
)

#: Part of every key: raise it when prompts, condensing or what is stored change.
VERSION = 1

_TIDY_EVERY = 64
_KEPT_SHARE = 0.8


def cache_folder() -> Path:
    """Where digests are kept."""
    return platformdirs.user_cache_path("milepost", appauthor=False) / "digests"


class DiskCache:
    """Texts by key, at most `max_bytes` of them. Failing to read or write is no error: there is just no entry."""

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._writes = 0

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry with this key, if there is one that can be read."""
        path = self._path(key)
        try:
            value = json.loads(path.read_bytes())
            os.utime(path)
        except (OSError, ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def put(self, key: str, value: dict[str, Any]) -> None:
        """Keep an entry."""
        path = self._path(key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            for folder in (self._folder, path.parent):
                folder.chmod(0o700)
            # mkstemp makes it readable by its owner only.
            descriptor, part = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(descriptor, "wb") as file:
                file.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"))
            os.replace(part, path)
            self._writes += 1
            if self._writes % _TIDY_EVERY == 1:
                self.tidy()

    def tidy(self) -> None:
        """Let go of the entries not used for longest, where there are too many."""
        entries = sorted(_entries(self._folder), key=lambda entry: entry[1].st_mtime_ns)
        size = sum(status.st_size for _, status in entries)
        if size <= self._max_bytes:
            return
        for path, status in entries:
            if size <= self._max_bytes * _KEPT_SHARE:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                size -= status.st_size

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key[2:]


def clear_cache(folder: Path) -> tuple[int, int]:
    """Delete all entries; how many there were, and their size in bytes."""
    count = size = 0
    for path, status in _entries(folder):
        with contextlib.suppress(OSError):
            path.unlink()
            count += 1
            size += status.st_size
    return count, size


def _entries(folder: Path) -> list[tuple[Path, os.stat_result]]:
    found = []
    for path in folder.glob("??/*"):
        with contextlib.suppress(OSError):
            found.append((path, path.stat()))
    return found


@dataclass(frozen=True, slots=True)
class CachedDigester:
    """A digester whose replies are kept. `scope` is what else they depend on: endpoint, model, settings."""

    inner: Digester
    cache: DiskCache
    scope: tuple[object, ...]

    @property
    def name(self) -> str:
        """The inner one's."""
        return self.inner.name

    def digest(self, chunk: ChunkText, state: State, brief: Brief, *, should_stop: StopFlag) -> ChunkDigest:
        """As the inner one says, or said."""
        key = self._key(
            "chunk", packed(state), chunk.data, chunk.before, chunk.chunk, chunk.pieces, chunk.format, brief
        )
        known = self.cache.get(key)
        if known is not None:
            with contextlib.suppress(KeyError, TypeError, ValueError):
                return _chunk_digest(known)
        digest = self.inner.digest(chunk, state, brief, should_stop=should_stop)
        self.cache.put(key, asdict(digest))
        return digest

    def merge(self, summaries: Sequence[str], brief: Brief, *, should_stop: StopFlag) -> tuple[str, Usage]:
        """As the inner one says, or said."""
        key = self._key("merge", tuple(summaries), brief)
        known = self.cache.get(key)
        if known is not None and isinstance(known.get("summary"), str):
            return known["summary"], Usage()
        summary, usage = self.inner.merge(summaries, brief, should_stop=should_stop)
        self.cache.put(key, {"summary": summary})
        return summary, usage

    def conclude(self, state: State, facts: FileFacts, brief: Brief, *, should_stop: StopFlag) -> Conclusion:
        """As the inner one says, or said."""
        outline = facts.outline
        key = self._key(
            "end",
            packed(state),
            facts.examined,
            facts.places,
            outline.format,
            outline.total_bytes,
            outline.stats,
            brief,
        )
        known = self.cache.get(key)
        if known is not None:
            with contextlib.suppress(KeyError, TypeError, ValueError):
                return _conclusion(known)
        conclusion = self.inner.conclude(state, facts, brief, should_stop=should_stop)
        self.cache.put(key, asdict(conclusion))
        return conclusion

    def _key(self, *parts: object) -> str:
        return xxhash.xxh3_128_hexdigest(repr((VERSION, self.scope, self.name, parts)).encode("utf-8", "surrogatepass"))


def _chunk_digest(stored: dict[str, Any]) -> ChunkDigest:
    return ChunkDigest(
        labels={str(name): Label(**label) for name, label in stored["labels"].items()},
        summary=str(stored["summary"]),
        notes=tuple(Note(**note) for note in stored["notes"]),
        answers=bool(stored["answers"]),
        usage=Usage(dropped=int(stored["usage"]["dropped"])),
    )


def _conclusion(stored: dict[str, Any]) -> Conclusion:
    return Conclusion(
        summary=str(stored["summary"]),
        answer=str(stored["answer"]),
        found=bool(stored["found"]),
        quotes=tuple(Place(**place) for place in stored["quotes"]),
        followups=tuple(str(one) for one in stored["followups"]),
        usage=Usage(dropped=int(stored["usage"]["dropped"])),
    )
