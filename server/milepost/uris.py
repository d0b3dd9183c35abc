"""From a document's URI to a path on this machine and back.

Clients spell one file in many ways: `file:///c%3A/x`, `file:///C:/x`, with or without percent signs for `;`, `#` or
`é`. pygls' own conversion loses the bytes of names that are no UTF-8, and cuts the slash off `/c:/x` on systems where
that is an ordinary path. So this is done here.
"""

from __future__ import annotations

import os
import re
from urllib.parse import quote, unquote_to_bytes

from milepost.errors import InvalidParams

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_DRIVE = re.compile(r"/([A-Za-z]):")
_SAFE = "/"

ON_WINDOWS = os.name == "nt"


def path_of_uri(uri: str, *, windows: bool = ON_WINDOWS) -> str | None:
    """The path that a `file:` URI names; None for any other scheme.

    Raises InvalidParams for a `file:` URI that names no absolute path, or one on another machine.
    """
    match = _SCHEME.fullmatch(uri)
    if match is None or match[1].lower() != "file":
        return None
    # A fragment or query is no part of a file's name; one that belongs to it comes encoded.
    rest = re.split(r"[?#]", match[2], maxsplit=1)[0]
    host = ""
    if rest.startswith("//"):
        host, slash, tail = rest[2:].partition("/")
        rest = slash + tail
    path = _decoded(rest, windows)
    if not path.startswith("/") or "\0" in path:
        raise InvalidParams(f"{uri} names no absolute path: a file URI looks like file:///folder/name")
    if windows:
        if host and host.lower() != "localhost":
            return "\\\\" + _decoded(host, windows) + path.replace("/", "\\")
        drive = _DRIVE.match(path)
        if drive is not None:
            path = f"{drive[1].lower()}:{path[3:] or '/'}"
        return path.replace("/", "\\")
    if host and host.lower() != "localhost":
        raise InvalidParams(f"{uri} lies on the machine {host}: only files of this machine can be read")
    return path


def _decoded(text: str, windows: bool) -> str:
    data = unquote_to_bytes(text)
    return data.decode("utf-8", "replace") if windows else os.fsdecode(data)


def uri_of_path(path: str, *, windows: bool = ON_WINDOWS) -> str:
    """The `file:` URI of an absolute path, quoted as VS Code and pathlib do it (but for a drive's colon)."""
    if windows:
        path = path.replace("\\", "/")
        if path.startswith("//"):
            return "file:" + quote(path, safe=_SAFE)
        return "file:///" + path[:2] + quote(path[2:], safe=_SAFE)
    return "file://" + quote(os.fsencode(path), safe=_SAFE)


def key_of_path(path: str) -> str:
    """The same text for every spelling of one path, without asking the file system."""
    return os.path.normcase(os.path.normpath(path))


def key_of_uri(uri: str) -> str:
    """The same text for every spelling of one document: the path's key, or the URI itself where it names no file."""
    try:
        path = path_of_uri(uri)
    except InvalidParams:
        return uri
    return uri if path is None else key_of_path(path)
