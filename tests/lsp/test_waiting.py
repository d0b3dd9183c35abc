"""Who waits, who is told, and who can stop it: on a service whose scans take a known time (`slow_engine.py`)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from raw_client import ErrorReplyError, RawClient, ServerProcess

PROGRESS = {"window": {"workDoneProgress": True}}
REFRESHING: dict[str, Any] = {
    "window": {"workDoneProgress": True},
    "workspace": {"codeLens": {"refreshSupport": True}, "foldingRange": {"refreshSupport": True}},
    "textDocument": {
        "documentSymbol": {"dynamicRegistration": True, "hierarchicalDocumentSymbolSupport": True},
    },
}
#: A scan that nobody lets end.
FOREVER = "scan-60s.log"


def log_file(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("x\n" * 100)
    return path


def counts(client: RawClient, path: Path) -> dict[str, int]:
    found: dict[str, int] = client.request("milepost/find", {"path": str(path), "pattern": "x"})
    return found


def wait_until_stopped(client: RawClient, path: Path, number: int) -> None:
    end = time.monotonic() + 5
    while counts(client, path)["stopped"] < number:
        assert time.monotonic() < end, "the work goes on although nobody waits"
        time.sleep(0.05)


def names(symbols: list[Any]) -> list[str]:
    return [symbol["name"] for symbol in symbols]


def test_requests_for_one_file_share_one_scan(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-0.5s.log")
    client.initialize()
    params = {"textDocument": {"uri": path.as_uri()}}
    methods = ["documentSymbol", "codeLens", "foldingRange", "documentSymbol"]
    waiting = [client.start(f"textDocument/{method}", params) for method in methods]
    waiting.append(client.start("milepost/outline", {"path": str(path)}))
    for request_id in waiting:
        assert client.wait(request_id) is not None
    assert counts(client, path) == {"started": 1, "finished": 1, "stopped": 0}


def test_a_scan_goes_on_while_one_request_waits_and_stops_when_none_does(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, FOREVER)
    client.initialize()
    counts(client, path)  # what requests of our own need is loaded
    first = client.start("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})
    second = client.start("milepost/outline", {"uri": path.as_uri()})
    time.sleep(0.3)
    client.cancel(first)
    with pytest.raises(ErrorReplyError) as caught:
        client.wait(first)
    assert (caught.value.code, caught.value.kind) == (-32800, "cancelled")
    time.sleep(0.2)
    assert counts(client, path) == {"started": 1, "finished": 0, "stopped": 0}
    client.cancel(second)
    with pytest.raises(ErrorReplyError, match="cancelled"):
        client.wait(second)
    wait_until_stopped(client, path, 1)


def test_fifty_cancelled_requests_do_not_hold_up_a_live_one(slow: ServerProcess, tmp_path: Path) -> None:
    client = slow.client
    client.initialize()
    alone = log_file(tmp_path, "scan-0.3s-alone.log")
    begin = time.monotonic()
    client.symbols(alone.as_uri())
    lone_s = time.monotonic() - begin
    dead = [log_file(tmp_path, f"scan-60s-{number}.log") for number in range(50)]
    ids = [client.start("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}}) for path in dead]
    time.sleep(0.1)
    for request_id in ids:
        client.cancel(request_id)
    begin = time.monotonic()
    client.symbols(log_file(tmp_path, "scan-0.3s-live.log").as_uri())
    assert time.monotonic() - begin < lone_s + 20  # one dead scan lasts 60 s
    for request_id in ids:
        with pytest.raises(ErrorReplyError, match="cancelled"):
            client.wait(request_id)


@pytest.mark.parametrize("by", ["request", "progress"])
@pytest.mark.parametrize("route", ["request", "command"])
def test_cancel_reaches_the_work_and_ends_its_progress(
    slow: ServerProcess, tmp_path: Path, route: str, by: str
) -> None:
    client, path = slow.client, log_file(tmp_path, "x.log")
    client.initialize(PROGRESS)
    argument = {"path": str(path), "workDoneToken": "mine"}
    if route == "request":
        request_id = client.start("milepost/plan", argument)
    else:
        request_id = client.start("workspace/executeCommand", {"command": "milepost.plan", "arguments": [argument]})
    client.until(lambda: "report" in client.progress("mine"))
    if by == "request":
        client.cancel(request_id)
    else:
        client.notify("window/workDoneProgress/cancel", {"token": "mine"})
    with pytest.raises(ErrorReplyError) as caught:
        client.wait(request_id)
    assert caught.value.kind == "cancelled"
    kinds = client.progress("mine")
    assert (kinds[0], kinds[-1], kinds.count("begin"), kinds.count("end")) == ("begin", "end", 1, 1)
    wait_until_stopped(client, path, 1)


def test_a_feature_reports_under_the_clients_token(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-0.7s.log")
    client.initialize(PROGRESS)
    params = {"textDocument": {"uri": path.as_uri()}, "workDoneToken": 7}
    assert client.request("textDocument/documentSymbol", params)
    kinds = client.progress(7)
    assert (kinds[0], kinds[-1], "report" in kinds) == ("begin", "end", True)
    assert client.messages("window/workDoneProgress/create") == []


def test_a_command_without_a_token_gets_a_progress_of_the_server(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "x.log")
    client.initialize(PROGRESS)
    params = {"command": "milepost.plan", "arguments": [{"path": str(path)}]}
    request_id = client.start("workspace/executeCommand", params)
    client.until(lambda: "begin" in client.progress())
    token = client.messages("window/workDoneProgress/create")[0]["params"]["token"]
    client.notify("window/workDoneProgress/cancel", {"token": token})
    with pytest.raises(ErrorReplyError, match="cancelled"):
        client.wait(request_id)
    client.until(lambda: client.progress(token)[-1] == "end")
    wait_until_stopped(client, path, 1)


@pytest.mark.parametrize("answer", ["nothing", "error"])
def test_a_client_that_does_not_agree_to_progress_gets_its_answer(
    slow: ServerProcess, tmp_path: Path, answer: str
) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-1s.log")
    client.answers["window/workDoneProgress/create"] = answer
    client.initialize(PROGRESS)
    assert names(client.symbols(path.as_uri())) == ["exact part"]
    assert client.progress() == []


def test_cancelling_the_progress_of_a_scan_stops_it(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, FOREVER)
    client.initialize(PROGRESS)
    request_id = client.start("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})
    client.until(lambda: "begin" in client.progress())
    assert len(client.messages("window/workDoneProgress/create")) == 1
    token = client.messages("window/workDoneProgress/create")[0]["params"]["token"]
    client.notify("window/workDoneProgress/cancel", {"token": token})
    with pytest.raises(ErrorReplyError) as caught:
        client.wait(request_id)
    assert caught.value.kind == "cancelled"
    client.until(lambda: client.progress(token)[-1] == "end")
    wait_until_stopped(client, path, 1)


def test_a_provisional_outline_comes_first_and_the_exact_one_after(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-1.5s-early0.3.log")
    assert "documentSymbolProvider" not in client.initialize(REFRESHING)["capabilities"]
    client.until(lambda: client.messages("client/registerCapability"))
    document = {"textDocument": {"uri": path.as_uri()}}
    ids = [client.start(f"textDocument/{name}", document) for name in ("documentSymbol", "codeLens", "foldingRange")]
    symbols, lenses, _ = (client.wait(request_id) for request_id in ids)
    assert names(symbols) == ["provisional part"]
    assert "provisional part" in lenses[0]["data"]["text"]
    assert client.messages("milepost/outlineChanged") == []

    (changed,) = client.until(lambda: client.messages("milepost/outlineChanged"))
    assert changed["params"] == {
        "uri": path.as_uri(), "state": "exact", "reason": "exact", "totalLines": 1, "totalBytes": 200,
    }  # fmt: skip
    client.until(lambda: len(client.messages("client/registerCapability")) == 2)
    assert len(client.messages("workspace/codeLens/refresh")) == 1
    assert len(client.messages("workspace/foldingRange/refresh")) == 1
    first, second = [note["params"]["registrations"][0] for note in client.messages("client/registerCapability")]
    (gone,) = client.messages("client/unregisterCapability")
    assert gone["params"]["unregisterations"] == [{"id": first["id"], "method": "textDocument/documentSymbol"}]
    assert first["id"] != second["id"]
    assert names(client.symbols(path.as_uri())) == ["exact part"]
    assert counts(client, path)["started"] == 1


def test_a_client_that_cannot_refresh_waits_for_the_exact_outline(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-1s-early0.2.log")
    client.initialize()
    assert names(client.symbols(path.as_uri())) == ["exact part"]
    assert client.messages("milepost/outlineChanged") == []


def test_who_does_not_wait_gets_the_provisional_outline_and_then_word(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-3s-early0.3.log")
    client.initialize()
    request = {"path": str(path), "wait": False}
    first = client.request("milepost/outline", request)
    assert (first["state"], [section["title"] for section in first["sections"]]) == (
        "provisional",
        ["provisional part"],
    )
    assert client.messages("milepost/outlineChanged") == []
    # Who asks for a part of the outline, or for the whole and waits, gets the exact one.
    waiting = [
        client.start("milepost/outline", {"path": str(path), **more})
        for more in ({}, {"section": "segment-1", "wait": False})
    ]
    assert [client.wait(request_id)["state"] for request_id in waiting] == ["exact", "exact"]
    (changed,) = client.until(lambda: client.messages("milepost/outlineChanged"))
    assert (changed["params"]["uri"], changed["params"]["reason"]) == (path.as_uri(), "exact")
    assert client.request("milepost/outline", request)["state"] == "exact"
    assert counts(client, path)["started"] == 1


def test_who_did_not_wait_can_still_stop_the_scan(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-60s-early0.2.log")
    client.initialize()
    request = {"path": str(path), "wait": False, "workDoneToken": "mine"}
    assert client.request("milepost/outline", request)["state"] == "provisional"
    assert client.progress("mine")[-1] == "end"
    # Not while somebody else waits for it.
    other = client.start("milepost/outline", {"path": str(path), "workDoneToken": "other"})
    client.until(lambda: client.progress("other") == ["begin"])
    client.notify("window/workDoneProgress/cancel", {"token": "mine"})
    assert counts(client, path) == {"started": 1, "finished": 0, "stopped": 0}
    client.cancel(other)
    wait_until_stopped(client, path, 1)
    # And it can be asked for again.
    assert client.request("milepost/outline", request)["state"] == "provisional"
    client.notify("window/workDoneProgress/cancel", {"token": "mine"})
    wait_until_stopped(client, path, 2)
    assert client.messages("milepost/outlineChanged") == []


def test_a_scan_that_fails_after_the_provisional_outline_is_told(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-1s-early0.2-fails.log")
    client.initialize()
    request = {"path": str(path), "wait": False}
    assert client.request("milepost/outline", request)["state"] == "provisional"
    (changed,) = client.until(lambda: client.messages("milepost/outlineChanged"))
    assert changed["params"]["reason"] == "changed"


def test_closing_a_document_stops_the_scan_that_only_its_refresh_waits_for(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-60s-early0.2.log")
    client.initialize(REFRESHING)
    client.open(path.as_uri(), path.read_text())
    assert names(client.symbols(path.as_uri())) == ["provisional part"]
    assert counts(client, path) == {"started": 1, "finished": 0, "stopped": 0}
    client.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    wait_until_stopped(client, path, 1)


def test_shutdown_in_the_middle_of_work(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, FOREVER)
    client.initialize()
    symbols = client.start("textDocument/documentSymbol", {"textDocument": {"uri": path.as_uri()}})
    command = {"command": "milepost.plan", "arguments": [{"path": str(path)}]}
    plan = client.start("workspace/executeCommand", command)
    time.sleep(0.3)
    assert client.request("shutdown") is None
    for request_id in (symbols, plan):
        with pytest.raises(ErrorReplyError) as caught:
            client.wait(request_id)
        assert caught.value.kind == "cancelled"
    with pytest.raises(ErrorReplyError) as refused:
        client.symbols(path.as_uri())
    assert refused.value.code == -32600
    client.notify("exit")
    assert slow.process.wait(5) == 0
    assert slow.log == ""


def test_a_fault_of_ours_is_an_error_with_a_kind_and_a_traceback_in_the_log(
    slow: ServerProcess, tmp_path: Path
) -> None:
    client, path = slow.client, log_file(tmp_path, "x.log")
    client.initialize()
    anchor = {"startLine": 1, "endLine": 1}
    with pytest.raises(ErrorReplyError) as caught:
        client.request("milepost/resolveAnchor", {"path": str(path), "anchor": anchor})
    assert (caught.value.code, caught.value.kind) == (-32603, "internal")
    assert "Traceback" not in str(caught.value)
    assert slow.leave() == 0
    assert "ZeroDivisionError: a fault of ours" in slow.log


def test_a_client_that_can_do_nothing_is_asked_nothing(slow: ServerProcess, tmp_path: Path) -> None:
    client, path = slow.client, log_file(tmp_path, "scan-1s-early0.2.log")
    offered = client.initialize({})["capabilities"]
    for feature in ("documentSymbol", "codeLens", "foldingRange", "hover", "executeCommand"):
        assert offered[f"{feature}Provider"]
    client.open(path.as_uri(), path.read_text())
    assert client.symbols(path.as_uri())
    client.command("milepost.outline", {"path": str(path), "workDoneToken": None})
    client.notify("workspace/didChangeConfiguration", {"settings": None})
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    client.notify("textDocument/didSave", {"textDocument": {"uri": path.as_uri()}})
    assert slow.leave() == 0
    assert [message for message in client.received if "method" in message] == []
    assert slow.log == ""
