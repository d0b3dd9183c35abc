"""Nothing blocks the event loop: while a large file is scanned, small questions are answered at once."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest
from raw_client import ErrorReplyError, RawClient, ServerProcess
from sample_log import sample_text, write_large_log

LARGE_BYTES = 300_000_000
#: The design asks for 50 ms, which tests/bench measures. A test must not fail because the machine does other work: what
#: it sees is a loop that is held up for as long as a scan lasts.
GENEROUS_S = 0.25


@pytest.fixture(scope="module")
def large_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.log"
    write_large_log(path, LARGE_BYTES)
    return path


def latency(client: RawClient) -> float:
    """How long the event loop takes to answer a request that needs nothing but the loop."""
    begin = time.monotonic()
    with pytest.raises(ErrorReplyError, match="There is no request"):
        client.request("milepost/ping")
    return time.monotonic() - begin


def test_pings_and_reads_are_answered_during_a_scan(server: ServerProcess, large_log: Path, tmp_path: Path) -> None:
    client = server.client
    client.initialize({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True}}})
    small = tmp_path / "small.log"
    small.write_text(sample_text(), encoding="utf-8")
    client.symbols(small.as_uri())  # everything is loaded
    begun = time.monotonic()
    scan = client.start("textDocument/documentSymbol", {"textDocument": {"uri": large_log.as_uri()}})
    pings: list[float] = []
    reads: list[float] = []
    while scan not in client.arrived_at:
        pings.append(latency(client))
        begin = time.monotonic()
        client.request("milepost/read", {"path": str(small), "startLine": 2})
        reads.append(time.monotonic() - begin)
        time.sleep(0.01)
    scan_s = time.monotonic() - begun
    assert client.wait(scan)
    assert len(pings) > 5
    assert statistics.median(pings) < GENEROUS_S / 5
    assert statistics.median(reads) < GENEROUS_S
    assert max(pings) < max(GENEROUS_S, scan_s / 2)


def test_a_large_file_is_shown_at_once_and_exactly_later(server: ServerProcess, large_log: Path) -> None:
    client = server.client
    client.initialize()
    request = {"uri": large_log.as_uri(), "wait": False}
    begin = time.monotonic()
    first = client.request("milepost/outline", request)
    first_s = time.monotonic() - begin
    assert (first["state"], first["totalBytes"]) == ("provisional", large_log.stat().st_size)
    assert first["totalLines"] is None
    assert first["sections"][-1]["endByte"] == large_log.stat().st_size
    (changed,) = client.until(lambda: client.messages("milepost/outlineChanged"))
    assert changed["params"]["reason"] == "exact"
    assert first_s < time.monotonic() - begin
    assert first_s < 1 + 20 * GENEROUS_S  # the first second, and what loading everything takes
    again = client.request("milepost/outline", request)
    assert (again["state"], again["totalLines"]) == ("exact", changed["params"]["totalLines"])


def test_a_scan_of_a_large_file_can_be_cancelled_and_goes_on_later(server: ServerProcess, large_log: Path) -> None:
    client = server.client
    client.initialize()
    document = {"textDocument": {"uri": large_log.as_uri()}, "workDoneToken": "scan"}
    begin = time.monotonic()
    scan = client.start("textDocument/documentSymbol", document)
    client.until(lambda: "report" in client.progress("scan"))
    client.cancel(scan)
    with pytest.raises(ErrorReplyError, match="cancelled"):
        client.wait(scan)
    assert client.symbols(large_log.as_uri())
    assert time.monotonic() - begin < 60
    scan_s = time.monotonic() - begin
    begin = time.monotonic()
    assert client.symbols(large_log.as_uri())
    assert time.monotonic() - begin < scan_s / 2


def test_opening_and_editing_a_large_document_keeps_the_loop_free(server: ServerProcess, tmp_path: Path) -> None:
    client = server.client
    client.initialize()
    path = tmp_path / "open.log"
    text = sample_text(11_000) * 40  # some 45 MB
    path.write_text(text, encoding="utf-8")
    client.request("milepost/read", {"path": str(path), "startLine": 1})
    client.open(path.as_uri(), text)
    worst = latency(client)  # answered once the document is in
    for number in range(1000):
        place = {"line": number * 300, "character": 3}
        change = {"range": {"start": place, "end": place}, "text": "X\n" if number % 2 else "é"}
        identifier = {"uri": path.as_uri(), "version": number + 2}
        client.notify("textDocument/didChange", {"textDocument": identifier, "contentChanges": [change]})
        if number % 20 == 0:
            worst = max(worst, latency(client)) if number else latency(client)
    assert worst < 4 * GENEROUS_S
    expected = text.split("\n")
    shift = 0
    for number in range(1000):
        line = number * 300
        edited = expected[line]
        expected[line] = edited[:3] + ("X\n" if number % 2 else "é") + edited[3:]
        shift += number % 2
        if number % 2:
            first, second = expected[line].split("\n")
            expected[line : line + 1] = [first, second]
    reply = client.request("milepost/read", {"uri": path.as_uri(), "startLine": 299_000, "endLine": 299_010})
    assert reply["content"] == "\n".join(expected[298_999:299_010]) + "\n"
