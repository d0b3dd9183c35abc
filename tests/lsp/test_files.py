"""Files as they are in practice: under several names, in several folders, and changed by others while they are shown."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from raw_client import ErrorReplyError, RawClient, ServerProcess
from sample_log import ERROR_LINE, sample_text


@pytest.fixture
def client(server: ServerProcess) -> RawClient:
    server.client.initialize()
    return server.client


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_text(sample_text(), encoding="utf-8")
    return path


def first_line(client: RawClient, **file: str) -> str:
    content: str = client.request("milepost/read", {**file, "startLine": 1})["content"]
    return content


def test_a_document_is_found_by_every_name_of_its_file(client: RawClient, log: Path) -> None:
    link = log.with_name("current.log")
    link.symlink_to(log.name)
    folder = log.parent / "folder"
    folder.symlink_to(log.parent, target_is_directory=True)
    # As another spelling looks on a file system that does not mind case: one file, no link to be followed.
    capitals = log.with_name("SERVER.LOG")
    os.link(log, capitals)
    client.open(link.as_uri(), "unsaved\n" + log.read_text(encoding="utf-8"))
    for other in (log, folder / log.name, folder / link.name, capitals):
        assert first_line(client, path=str(other)) == "unsaved\n"
        outline = client.request("milepost/outline", {"uri": other.as_uri()})
        assert (outline["path"], outline["sections"][-1]["endLine"]) == (str(other), outline["totalLines"])
        (error,) = [
            symbol
            for symbol in client.symbols(other.as_uri())
            if symbol["location"]["range"]["start"]["line"] == ERROR_LINE
        ]
        assert error["location"]["uri"] == other.as_uri()
    # Two documents of one file are two texts.
    client.open(log.as_uri(), "another\n")
    assert first_line(client, path=str(log)) == "another\n"
    assert first_line(client, path=str(link)) == "unsaved\n"
    client.notify("textDocument/didClose", {"textDocument": {"uri": log.as_uri()}})
    # The link now names another file: the document under its name stays what the client has open.
    link.unlink()
    link.write_text("written\n")
    assert first_line(client, path=str(link)) == "unsaved\n"
    assert first_line(client, path=str(log)) != "unsaved\n"


def test_edits_are_told_to_who_asked_by_another_name(client: RawClient, log: Path) -> None:
    link = log.with_name("current.log")
    link.symlink_to(log.name)
    client.open(log.as_uri(), log.read_text(encoding="utf-8"))
    client.request("milepost/outline", {"uri": link.as_uri()})
    change = {"textDocument": {"uri": log.as_uri(), "version": 2}, "contentChanges": [{"text": "new\n"}]}
    client.notify("textDocument/didChange", change)
    (told,) = client.until(lambda: client.messages("milepost/outlineChanged"))
    assert told["params"]["uri"] == link.as_uri()


def test_a_document_that_lies_on_another_machine_is_outlined_from_its_text(client: RawClient) -> None:
    uri = "file://elsewhere/share/server.log"
    client.open(uri, sample_text())
    assert client.symbols(uri)
    assert client.request("milepost/outline", {"uri": uri})["totalLines"] == sample_text().count("\n")


def test_a_relative_path_starts_at_the_folder_that_has_it(server: ServerProcess, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("first", "second", "third")]
    for folder in folders:
        folder.mkdir()
        (folder / f"{folder.name}.log").write_text(folder.name + "\n")
        (folder / "all.log").write_text(folder.name + "\n")
    one, two, three = ({"uri": folder.as_uri(), "name": folder.name} for folder in folders)
    client = server.client
    capabilities = {"workspace": {"workspaceFolders": True}}
    announced = client.initialize(capabilities, workspaceFolders=[one, two])["capabilities"]["workspace"]
    assert announced["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    assert first_line(client, path="second.log") == "second\n"
    assert first_line(client, path="all.log") == "first\n"
    client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [three], "removed": [one]}})
    assert first_line(client, path="all.log") == "second\n"
    assert first_line(client, path="third.log") == "third\n"
    with pytest.raises(ErrorReplyError) as caught:
        first_line(client, path="first.log")
    assert caught.value.kind == "not_found"


# What happens to a file while its outline is shown


def delete(log: Path) -> None:
    log.unlink()


def rename(log: Path) -> None:
    log.rename(log.with_suffix(".log.1"))


def rotate(log: Path) -> None:
    log.rename(log.with_suffix(".log.1"))
    log.write_text("2026-03-02 00:00:00,000 INFO begun anew\n" * 300)


def copy_and_truncate(log: Path) -> None:
    log.write_text("2026-03-02 00:00:00,000 INFO begun anew\n")


def save_by_rename(log: Path) -> None:
    new = log.with_suffix(".new")
    new.write_text("2026-03-02 00:00:00,000 INFO saved\n" * 3)
    new.replace(log)


def make_folder(log: Path) -> None:
    log.unlink()
    log.mkdir()


@pytest.mark.parametrize("by_event", [True, False])
@pytest.mark.parametrize(
    "happen, lines, kind",
    [
        (delete, None, "not_found"),
        (rename, None, "not_found"),
        (make_folder, None, "not_a_file"),
        (rotate, 300, None),
        (copy_and_truncate, 1, None),
        (save_by_rename, 3, None),
    ],
)
def test_a_change_of_a_shown_file_is_told(
    client: RawClient, log: Path, happen: Callable[[Path], None], lines: int | None, kind: str | None, by_event: bool
) -> None:
    request = {"uri": log.as_uri()}
    client.request("milepost/outline", request)
    happen(log)
    if by_event:
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": log.as_uri(), "type": 2}]})
    (told,) = client.until(lambda: client.messages("milepost/outlineChanged"))
    assert told["params"]["reason"] == "changed"
    if kind is None:
        assert told["params"]["totalBytes"] == log.stat().st_size
        assert client.request("milepost/outline", request)["totalLines"] == lines
        return
    for method in ("milepost/outline", "milepost/read", "milepost/plan"):
        with pytest.raises(ErrorReplyError) as caught:
            client.request(method, request)
        assert caught.value.kind == kind


def test_a_file_that_comes_back_is_told(client: RawClient, log: Path) -> None:
    client.request("milepost/outline", {"uri": log.as_uri()})
    away = log.with_suffix(".away")
    log.rename(away)
    client.until(lambda: client.messages("milepost/outlineChanged"))
    with pytest.raises(ErrorReplyError, match=r"server\.log"):
        client.request("milepost/outline", {"uri": log.as_uri()})
    away.rename(log)
    _, told = client.until(lambda: len(notes := client.messages("milepost/outlineChanged")) > 1 and notes)
    assert (told["params"]["reason"], told["params"]["totalBytes"]) == ("changed", log.stat().st_size)
    assert client.request("milepost/outline", {"uri": log.as_uri()})["sections"]


@pytest.fixture
def unprivileged() -> Iterator[ServerProcess]:
    """A server that may not read what the file's mode forbids, also where the tests run as root."""
    command = [sys.executable, "-m", "milepost", "serve"]
    if os.name == "nt":
        pytest.skip("uses POSIX file modes")
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("runs as root, who may read everything, and there is no setpriv to change that")
        forgone = "-dac_override,-dac_read_search"
        command = ["setpriv", f"--inh-caps={forgone}", f"--bounding-set={forgone}", *command]
    process = ServerProcess(*command)
    yield process
    process.end()


def test_a_file_that_may_not_be_read_any_more(unprivileged: ServerProcess, log: Path) -> None:
    client = unprivileged.client
    client.initialize()
    text = log.read_text(encoding="utf-8")
    assert client.symbols(log.as_uri())
    log.chmod(0)
    requests: list[tuple[str, dict[str, Any]]] = [
        ("textDocument/documentSymbol", {"textDocument": {"uri": log.as_uri()}}),
        ("milepost/outline", {"uri": log.as_uri()}),
        ("milepost/find", {"uri": log.as_uri(), "pattern": "x"}),
    ]
    for method, params in requests:
        with pytest.raises(ErrorReplyError) as caught:
            client.request(method, params)
        assert caught.value.kind == "permission"
    # What the editor has open can be outlined all the same.
    client.open(log.as_uri(), text)
    assert client.symbols(log.as_uri())
    log.chmod(0o600)
    client.notify("textDocument/didClose", {"textDocument": {"uri": log.as_uri()}})
    assert client.symbols(log.as_uri())
