"""Whether an open document differs from its file: LSP does not say, so the two texts are compared.

A restored buffer can differ from the start, so a document that was never edited is compared too. Blocking; the answer
is remembered for one revision of the document and one state of the file.
"""

from __future__ import annotations

import codecs
import re
import threading
from collections import OrderedDict

from milepost.core.encoding import detect_encoding
from milepost.core.source import BytesSource, FileSource, FileState, StopFlag, never, open_source, raise_if_stopped
from milepost.errors import MilepostError
from milepost.lsp.documents import Revision, Snapshot

_BLOCK_BYTES = 1 << 20
_REMEMBERED = 16

_LINE_END = re.compile(r"\r\n?|\n")


def bytes_of(snapshot: Snapshot) -> bytes:
    """A document's text as the core reads it: UTF-8. A lone half of a surrogate pair becomes a question mark."""
    return snapshot.text.encode("utf-8", "replace")


class UnsavedTexts:
    """Answers which documents are to be read from the editor rather than from disk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, Revision], tuple[FileState, bool]] = OrderedDict()

    def of(self, snapshot: Snapshot, path: str | None, *, should_stop: StopFlag = never) -> BytesSource | None:
        """The editor's text where it is not what the file holds; None where the file can be read instead."""
        if path is None:
            return BytesSource(snapshot.uri, bytes_of(snapshot))
        try:
            source = open_source(path)
        except MilepostError:
            # Deleted, or not readable for us: what the editor holds is all there is.
            return BytesSource(path, bytes_of(snapshot))
        with source:
            key = (snapshot.uri, snapshot.revision)
            with self._lock:
                known = self._known.get(key)
            if known is not None and known[0] == source.state:
                differs = known[1]
            else:
                differs = not same_text(snapshot, source, should_stop=should_stop)
                with self._lock:
                    self._known[key] = (source.state, differs)
                    self._known.move_to_end(key)
                    while len(self._known) > _REMEMBERED:
                        self._known.popitem(last=False)
        return BytesSource(path, bytes_of(snapshot)) if differs else None


def same_text(snapshot: Snapshot, source: FileSource, *, should_stop: StopFlag = never) -> bool:
    """Whether the document holds what the file decodes to: without a byte order mark, line ends as sent.

    One exception: an editor that cannot hold a mixture of line ends sends one kind throughout. Where the file mixes
    them and the document does not, and nothing was edited, line ends are not compared.
    """
    encoding = detect_encoding(source)
    text = snapshot.text
    if encoding.kind == "utf8" and _equal_bytes(text, source, encoding.bom_bytes, should_stop):
        return True
    codec_names = ["utf-8"] if encoding.kind == "binary" else [encoding.name]
    if encoding.kind == "legacy":
        codec_names.append("utf-8")  # what an editor shows that does not guess encodings
    return any(_equal_decoded(text, source, name, snapshot.edited, should_stop) for name in codec_names)


def _equal_bytes(text: str, source: FileSource, skip: int, should_stop: StopFlag) -> bool:
    size = source.size - skip
    # Cheap first: UTF-8 has one to four bytes a character.
    if not len(text) <= size <= 4 * len(text):
        return False
    data = text.encode("utf-8", "replace")
    if len(data) != size:
        return False
    view = memoryview(data)
    for start in range(0, size, _BLOCK_BYTES):
        raise_if_stopped(should_stop)
        if source.read_at(skip + start, _BLOCK_BYTES) != view[start : start + _BLOCK_BYTES]:
            return False
    return True


def _equal_decoded(text: str, source: FileSource, codec_name: str, edited: bool, should_stop: StopFlag) -> bool:
    decoder = codecs.getincrementaldecoder(codec_name)("replace")
    expected = _Comparison(text, may_normalise=not edited and not _mixes_line_ends(text[:_BLOCK_BYTES]))
    for start in range(0, max(source.size, 1), _BLOCK_BYTES):
        raise_if_stopped(should_stop)
        block = decoder.decode(source.read_at(start, _BLOCK_BYTES), start + _BLOCK_BYTES >= source.size)
        if start == 0:
            block = block.removeprefix("\ufeff")
        if not expected.take(block):
            return False
    return expected.complete()


def _mixes_line_ends(text: str) -> bool:
    kinds = {match[0] for match in _LINE_END.finditer(text[: _BLOCK_BYTES // 16])}
    return len(kinds) > 1


class _Comparison:
    """Compares a text with one that comes block by block."""

    def __init__(self, text: str, *, may_normalise: bool) -> None:
        self._text = text
        self._offset = 0
        self._may_normalise = may_normalise
        self._normalising = False
        self._pending = ""
        self._kinds: set[str] = set()

    def take(self, block: str) -> bool:
        """False once the texts differ."""
        if not self._normalising:
            if self._text.startswith(block, self._offset):
                if self._may_normalise:
                    self._kinds.update(match[0] for match in _LINE_END.finditer(block[: _BLOCK_BYTES // 16]))
                self._offset += len(block)
                return True
            if not self._may_normalise:
                return False
            self._normalising = True
            self._text = _LINE_END.sub("\n", self._text[self._offset :])
            self._offset = 0
        block = self._pending + block
        self._pending = "\r" if block.endswith("\r") else ""
        block = block.removesuffix("\r")
        self._kinds.update(match[0] for match in _LINE_END.finditer(block))
        return self._same(block)

    def _same(self, block: str) -> bool:
        block = _LINE_END.sub("\n", block)
        same = self._text.startswith(block, self._offset)
        self._offset += len(block)
        return same

    def complete(self) -> bool:
        """Whether both texts ended together, and line ends differ only where the file mixes them."""
        if self._pending:
            self._kinds.add("\r")
            if not self._same(self._pending):
                return False
        return self._offset == len(self._text) and (not self._normalising or len(self._kinds) > 1)
