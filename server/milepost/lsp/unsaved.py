"""Whether an open document differs from its file: LSP does not say, so the two texts are compared.

A restored buffer can differ from the start, so a document that was never edited is compared too. Blocking; the answer
is remembered for one revision of the document and one state of the file.
"""

from __future__ import annotations

import codecs
import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator

from milepost.core.encoding import detect_encoding
from milepost.core.source import BytesSource, FileSource, FileState, StopFlag, never, open_source, raise_if_stopped
from milepost.errors import MilepostError
from milepost.lsp.documents import Revision, Snapshot

_BLOCK_BYTES = 1 << 17
_REMEMBERED = 16


def source_of(snapshot: Snapshot, name: str) -> BytesSource:
    """A document's text as the core reads it: UTF-8. A lone half of a surrogate pair becomes a question mark."""
    return BytesSource(name, *_encoded(snapshot))


def _encoded(snapshot: Snapshot) -> Iterator[bytes]:
    return (text.encode("utf-8", "replace") for text in snapshot.texts())


class UnsavedTexts:
    """Answers which documents are to be read from the editor rather than from disk."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[str, Revision], tuple[FileState, bool]] = OrderedDict()

    def of(self, snapshot: Snapshot, path: str | None, *, should_stop: StopFlag = never) -> BytesSource | None:
        """The editor's text where it is not what the file holds; None where the file can be read instead."""
        if path is None:
            return source_of(snapshot, snapshot.uri)
        try:
            source = open_source(path)
        except MilepostError:
            # Deleted, or not readable for us: what the editor holds is all there is.
            return source_of(snapshot, path)
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
        return source_of(snapshot, path) if differs else None


def same_text(snapshot: Snapshot, source: FileSource, *, should_stop: StopFlag = never) -> bool:
    """Whether the document holds what the file decodes to: without a byte order mark, line ends as sent.

    One exception: an editor that cannot hold a mixture of line ends sends one kind throughout. Where the file mixes
    them and the document does not, and nothing was edited, line ends are not compared.
    """
    encoding = detect_encoding(source)
    if encoding.kind == "utf8" and _equal_bytes(snapshot, source, encoding.bom_bytes, should_stop):
        return True
    codec_names = ["utf-8"] if encoding.kind == "binary" else [encoding.name]
    if encoding.kind == "legacy":
        codec_names.append("utf-8")  # what an editor shows that does not guess encodings
    for name in codec_names:
        if _equal_pieces(_decoded(source, name, should_stop), snapshot.texts()):
            return True
        if not snapshot.edited and not _mixes_line_ends(snapshot.texts()):
            decoded = _decoded(source, name, should_stop)
            same = _equal_pieces(_with_line_feeds(decoded), _with_line_feeds(snapshot.texts()))
            if same and _mixes_line_ends(_decoded(source, name, should_stop)):
                return True
    return False


def _equal_bytes(snapshot: Snapshot, source: FileSource, skip: int, should_stop: StopFlag) -> bool:
    size = source.size - skip
    # Cheap first: UTF-8 has one to four bytes a character.
    characters = sum(map(len, snapshot.texts()))
    if not characters <= size <= 4 * characters:
        return False
    offset = skip
    for data in _encoded(snapshot):
        raise_if_stopped(should_stop)
        if source.read_at(offset, len(data)) != data:
            return False
        offset += len(data)
    return offset == source.size


def _decoded(source: FileSource, codec_name: str, should_stop: StopFlag) -> Iterator[str]:
    """What a file holds as text, without a byte order mark, block by block."""
    decoder = codecs.getincrementaldecoder(codec_name)("replace")
    for start in range(0, max(source.size, 1), _BLOCK_BYTES):
        raise_if_stopped(should_stop)
        block = decoder.decode(source.read_at(start, _BLOCK_BYTES), start + _BLOCK_BYTES >= source.size)
        yield block if start else block.removeprefix("\ufeff")


def _with_line_feeds(pieces: Iterable[str]) -> Iterator[str]:
    """The same text with all line ends alike, however it is cut."""
    pending = ""
    for piece in pieces:
        text = pending + piece
        pending = "\r" if text.endswith("\r") else ""
        yield text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
    if pending:
        yield "\n"


def _mixes_line_ends(pieces: Iterable[str]) -> bool:
    """Whether a text has line ends of more than one kind."""
    kinds: set[str] = set()
    pending = ""
    for piece in pieces:
        text = pending + piece
        pending = "\r" if text.endswith("\r") else ""
        text = text.removesuffix("\r")
        pairs, returns, feeds = text.count("\r\n"), text.count("\r"), text.count("\n")
        kinds.update(kind for kind, count in (("\r\n", pairs), ("\r", returns - pairs), ("\n", feeds - pairs)) if count)
        if len(kinds) > 1:
            return True
    return len(kinds | ({"\r"} if pending else set())) > 1


def _equal_pieces(left: Iterator[str], right: Iterator[str]) -> bool:
    """Whether two texts are the same that come in pieces cut anywhere."""
    one = other = ""
    while True:
        one = one or next(filter(None, left), "")
        other = other or next(filter(None, right), "")
        if not one or not other:
            return not one and not other
        size = min(len(one), len(other))
        if one[:size] != other[:size]:
            return False
        one, other = one[size:], other[size:]
