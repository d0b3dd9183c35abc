"""One file, many spellings."""

from __future__ import annotations

import pytest

from milepost.errors import InvalidParams
from milepost.uris import key_of_uri, path_of_uri, uri_of_path


@pytest.mark.parametrize(
    "uri, path",
    [
        ("file:///tmp/a.log", "/tmp/a.log"),
        ("file:///tmp/a%20b.log", "/tmp/a b.log"),
        ("file:///tmp/a b.log", "/tmp/a b.log"),
        ("file:///tmp/100%25.log", "/tmp/100%.log"),
        ("file:///tmp/a%23b%3Fc.log", "/tmp/a#b?c.log"),
        ("file:///tmp/a.log#L3", "/tmp/a.log"),
        ("file:///tmp/a;b.log", "/tmp/a;b.log"),
        ("file:///tmp/%C3%A9%F0%9F%8C%8D.log", "/tmp/é🌍.log"),
        ("file:///tmp/é.log", "/tmp/é.log"),
        ("file:///tmp/bad%FF.log", "/tmp/bad\udcff.log"),
        ("file://localhost/tmp/a.log", "/tmp/a.log"),
        ("file:/tmp/a.log", "/tmp/a.log"),
        ("FILE:///tmp/a.log", "/tmp/a.log"),
        ("file:///c:/x.log", "/c:/x.log"),
        ("untitled:Untitled-1", None),
        ("vscode-vfs://github/x/y", None),
    ],
)
def test_the_path_of_a_uri(uri: str, path: str | None) -> None:
    assert path_of_uri(uri, windows=False) == path


@pytest.mark.parametrize(
    "uri, path",
    [
        ("file:///C:/a%20b.log", "c:\\a b.log"),
        ("file:///c%3A/x/y.log", "c:\\x\\y.log"),
        ("file:///C%3a/x%23.log", "c:\\x#.log"),
        ("file://server/share/x.log", "\\\\server\\share\\x.log"),
    ],
)
def test_the_path_of_a_uri_on_windows(uri: str, path: str) -> None:
    assert path_of_uri(uri, windows=True) == path


@pytest.mark.parametrize("path", ["/tmp/a b#c?d%;é🌍.log", "/c:/x", "/tmp/bad\udcff.log"])
def test_there_and_back(path: str) -> None:
    uri = uri_of_path(path, windows=False)
    assert uri.isascii()
    assert path_of_uri(uri, windows=False) == path


def test_there_and_back_on_windows() -> None:
    for path in ("c:\\a b\\é.log", "\\\\server\\share\\x.log"):
        assert path_of_uri(uri_of_path(path, windows=True), windows=True) == path


@pytest.mark.parametrize("uri", ["file:relative.log", "file://", "file:///a%00b", "file://elsewhere/x.log"])
def test_what_names_no_file_of_this_machine_is_refused(uri: str) -> None:
    with pytest.raises(InvalidParams):
        path_of_uri(uri, windows=False)


def test_spellings_of_one_document_have_one_key() -> None:
    keys = {
        key_of_uri(uri) for uri in ("file:///tmp/x%3A/a.log", "file:///tmp/x:/a.log", "file:///tmp/./x:/b/../a.log")
    }
    assert len(keys) == 1
