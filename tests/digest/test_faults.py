"""Every way in which an endpoint can fail, against a real server: a clear error or what there is, in time; no key told."""

from __future__ import annotations

import io
import logging
import socket
import ssl
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from fault_server import MODEL, FaultServer
from model_fakes import chunks_of
from pydantic import SecretStr
from walk_fakes import write_log

from milepost.core.source import never
from milepost.digest.labelling import ModelDigester
from milepost.digest.models.client import make_client
from milepost.digest.models.openai import OpenAIModel, RetryPolicy, make_model
from milepost.digest.models.protocol import Prompt
from milepost.digest.values import Brief, State
from milepost.errors import Cancelled, ContextExceeded, InvalidParams, ModelError, ModelRefused, ModelUnavailable
from milepost.settings import ModelSettings

# Made up here, so that no scanner takes it for a leak.
KEY = "sk-" + "proj-" + "K3y" * 12
QUICK = RetryPolicy(tries=3, first_wait_s=0.01, max_wait_s=0.02, max_asked_wait_s=5.0)
PROMPT = Prompt("You are a test.", "Text:\n<DATA-1>\n1| hello world\n</DATA-1>", "summary", {"type": "object"}, 300)


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that anything logs, at the lowest level."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


def model_at(url: str, *, timeout_s: float = 5.0, retry: RetryPolicy = QUICK, **settings: Any) -> OpenAIModel:
    chosen = ModelSettings(base_url=url, name=settings.pop("name", MODEL), timeout_s=timeout_s, **settings)
    return make_model(chosen, SecretStr(KEY), retry=retry)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, what comes of it, and after how many calls."""

    name: str
    error: type[ModelError] | None
    is_fatal: bool = True
    says: str = ""
    calls: int = 1
    timeout_s: float = 5.0


FAULTS = [
    Fault("good", None),
    Fault("good_unstreamed", None),
    Fault("status_401", ModelRefused, says=r"401.*MILEPOST_API_KEY"),
    Fault("status_403", ModelRefused, says=r"403: Country not supported"),
    Fault("status_404", ModelRefused, says=r"has no model 'absent'; it offers good-model, other-model"),
    Fault("status_400", ModelRefused, says=r"400: Bad things happen", calls=2),
    Fault("context", ContextExceeded, says=r"lower model.context_tokens"),
    Fault("quota", ModelRefused, says=r"quota is used up"),
    Fault("busy_once", None, calls=2),
    Fault("busy_silent_once", None, calls=2),
    Fault("busy_always", ModelUnavailable, says=r"429.*try again later", calls=3),
    Fault("busy_for_an_hour", ModelUnavailable, says=r"asks to wait for 3,600 s"),
    Fault("broken_once", None, calls=2),
    Fault("broken_always", ModelUnavailable, says=r"502", calls=3),
    Fault("redirect", ModelRefused, says=r"redirects to http://elsewhere.invalid"),
    Fault("no_schema", None, calls=3),
    Fault("no_schema_unnamed", None, calls=2),
    Fault("fussy", None, calls=4),
    Fault("silent", ModelUnavailable, is_fatal=False, says=r"within 0.6 s.*model.timeout_s", calls=2, timeout_s=0.6),
    Fault("silent_once", None, calls=2, timeout_s=0.6),
    Fault("stalls", ModelUnavailable, is_fatal=False, says=r"within 0.6 s", calls=2, timeout_s=0.6),
    Fault("drips", ModelUnavailable, is_fatal=False, says=r"within 0.6 s", calls=2, timeout_s=0.6),
    Fault("cut", ModelUnavailable, is_fatal=False, says=r"broke off", calls=3),
    Fault("cut_once", None, calls=2),
    Fault("cut_quietly", ModelUnavailable, is_fatal=False, says=r"broke off before its end", calls=3),
    Fault("hangs_up", ModelUnavailable, is_fatal=False, says=r"broke off", calls=3),
    Fault("error_in_stream", ModelUnavailable, is_fatal=False, says=r"The engine has died", calls=3),
    Fault("megabytes_in_a_line", ModelUnavailable, is_fatal=False, says=r"more than a reply can be"),
    Fault("megabytes_unstreamed", ModelUnavailable, is_fatal=False, says=r"more than a reply can be"),
    Fault("wrong_usage", None),
    Fault("no_usage", None),
    Fault("web_page", ModelRefused, says=r"not as an OpenAI-compatible endpoint .*web page.*/v1"),
    Fault("garbage", ModelUnavailable, is_fatal=False, says=r"broke off", calls=3),
    Fault("not_http", ModelUnavailable, is_fatal=False, says=r"broke off", calls=3),
    Fault("compressed", ModelRefused, says=r"compressed"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_call_ends_in_time_with_a_reply_or_a_clear_error(
    server: FaultServer, logged: io.StringIO, fault: Fault
) -> None:
    already = len(server.calls_of(fault.name))
    began = time.monotonic()
    model = model_at(
        server.url(fault.name), timeout_s=fault.timeout_s, name="absent" if fault.name == "status_404" else MODEL
    )
    told = ""
    try:
        if fault.error is None:
            assert '"summary"' in model.complete(PROMPT, should_stop=never).text
        else:
            with pytest.raises(fault.error, match=f"(?s){fault.says}") as caught:
                model.complete(PROMPT, should_stop=never)
            assert caught.value.is_fatal == fault.is_fatal
            assert f"127.0.0.1:{server.port}" in str(caught.value)
            assert "\n" not in str(caught.value)
            assert len(str(caught.value)) < 600
            told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.__dict__)
    finally:
        model.close()
    assert time.monotonic() - began < 20
    assert len(server.calls_of(fault.name)) - already == fault.calls
    for text in (told, logged.getvalue(), repr(model), str(vars(model))):
        assert KEY not in text
        assert KEY[:14] not in text


def test_a_server_that_is_not_there(server: FaultServer) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    assert_fails(f"http://127.0.0.1:{port}/v1", r"Nothing answers at 127.0.0.1:\d+; is the model's server running\?")
    assert_fails("http://no-such-host.invalid/v1", r"The host no-such-host.invalid cannot be found")
    assert_fails(server.url("good").replace("http:", "https:"), r"No encrypted connection .*http://\?")
    with pytest.raises(InvalidParams, match=r"model\.name"):
        make_model(ModelSettings(base_url="http://localhost/v1"), None)


def assert_fails(url: str, says: str) -> None:
    model = model_at(url)
    try:
        with pytest.raises(ModelUnavailable, match=says) as caught:
            model.complete(PROMPT, should_stop=never)
        assert caught.value.is_fatal
    finally:
        model.close()


def test_a_certificate_that_cannot_be_trusted_and_one_that_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with FaultServer(context) as secure:
        assert_fails(secure.url("good"), r"The certificate of 127.0.0.1:\d+ cannot be trusted \(.+\); .*SSL_CERT_FILE")
        assert not secure.calls
        authority.cert_pem.write_to_path(tmp_path / "authority.pem")
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        model = model_at(secure.url("good"))
        try:
            assert model.complete(PROMPT, should_stop=never).finish == "stop"
        finally:
            model.close()


@pytest.mark.parametrize("fault", ["silent", "stalls", "drips", "busy_for_a_while"])
def test_cancelling_ends_a_call_at_once_and_closes_its_connection(server: FaultServer, fault: str) -> None:
    stop = threading.Event()
    model = model_at(server.url("silent" if fault == "busy_for_a_while" else fault), timeout_s=20.0)
    server.broken_off.clear()
    threading.Timer(0.4, stop.set).start()
    began = time.monotonic()
    try:
        with pytest.raises(Cancelled):
            model.complete(PROMPT, should_stop=stop.is_set)
        assert 0.3 < time.monotonic() - began < 10  # the call itself would last 20 s
        assert server.broken_off.wait(3)
    finally:
        model.close()


def test_cancelling_ends_a_wait_between_tries(server: FaultServer) -> None:
    stop = threading.Event()
    patient = RetryPolicy(tries=3, max_asked_wait_s=7200.0)
    model = model_at(server.url("busy_for_an_hour"), retry=patient)
    threading.Timer(0.4, stop.set).start()
    began = time.monotonic()
    try:
        with pytest.raises(Cancelled):
            model.complete(PROMPT, should_stop=stop.is_set)
    finally:
        model.close()
    assert time.monotonic() - began < 10  # an hour was asked for


def test_closing_a_model_cancels_what_it_is_at(server: FaultServer) -> None:
    model = model_at(server.url("silent"), timeout_s=20.0)
    raised: list[Exception] = []

    def call() -> None:
        try:
            model.complete(PROMPT, should_stop=never)
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(0.3)
    model.close()
    thread.join(3)
    assert not thread.is_alive()
    assert isinstance(raised[0], Cancelled)
    model.close()


def test_retry_after_is_waited_for(server: FaultServer) -> None:
    already = len(server.calls_of("busy_once"))
    began = time.monotonic()
    model = model_at(server.url("busy_once"))
    try:
        server.calls[:] = [seen for seen in server.calls if seen.fault != "busy_once"]
        model.complete(PROMPT, should_stop=never)
    finally:
        model.close()
    assert already >= 0
    assert time.monotonic() - began >= 1.0


def test_no_more_calls_at_once_than_the_settings_say(server: FaultServer) -> None:
    model = model_at(server.url("silent"), timeout_s=0.8, concurrency=2, retry=RetryPolicy(tries=1))
    already = len(server.calls_of("silent"))

    def call() -> None:
        with pytest.raises(ModelError):
            model.complete(PROMPT, should_stop=never)

    threads = [threading.Thread(target=call) for _ in range(5)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    assert len(server.calls_of("silent")) - already == 2
    for thread in threads:
        thread.join(5)
    model.close()


def test_what_an_endpoint_does_not_take_is_not_asked_again(server: FaultServer) -> None:
    model = model_at(server.url("no_schema"))
    try:
        for _ in range(3):
            model.complete(PROMPT, should_stop=never)
        kinds = [seen.body.get("response_format", {}).get("type") for seen in server.calls_of("no_schema")[-5:]]
    finally:
        model.close()
    assert kinds == ["json_schema", "json_object", None, None, None]


def test_counts_that_cannot_be_true_are_estimated_and_marked(server: FaultServer) -> None:
    for fault in ("wrong_usage", "no_usage"):
        model = model_at(server.url(fault))
        try:
            for _ in range(3):
                completion = model.complete(PROMPT, should_stop=never)
                assert completion.is_estimated
                assert 0 < completion.input_tokens < 200
                assert 0 < completion.output_tokens < 200
        finally:
            model.close()


def test_a_runaway_reply_is_stopped_early(server: FaultServer) -> None:
    model = model_at(server.url("megabytes"))
    server.broken_off.clear()
    try:
        completion = model.complete(PROMPT, should_stop=never)
    finally:
        model.close()
    assert completion.finish == "length"
    assert len(completion.text) < 20_000
    assert server.broken_off.wait(3)


def test_only_what_the_settings_name_goes_out(server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-other", "OPENAI_ORG_ID": "org-secret", "OPENAI_PROJECT_ID": "proj-secret",
        "OPENAI_BASE_URL": "http://elsewhere.invalid/v1", "OPENAI_CUSTOM_HEADERS": "X-Tell: all",
        "OPENAI_ADMIN_KEY": "sk-admin",
        "HTTP_PROXY": "http://proxy.invalid:3128", "http_proxy": "http://proxy.invalid:3128",
        "ALL_PROXY": "http://proxy.invalid:1", "OPENAI_LOG": "debug",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    for key in (SecretStr(KEY), None):
        model = make_model(ModelSettings(base_url=server.url("good"), name=MODEL), key, retry=QUICK)
        try:
            model.complete(PROMPT, should_stop=never)
        finally:
            model.close()
        headers = server.calls_of("good")[-1].headers
        assert headers.get("authorization") == (f"Bearer {KEY}" if key else None)
        assert set(headers) <= {
            "host",
            "accept",
            "accept-encoding",
            "content-type",
            "content-length",
            "connection",
            "user-agent",
            "authorization",
        }
        assert headers["user-agent"] == "milepost"


def test_an_address_without_a_path_means_v1(server: FaultServer) -> None:
    model = model_at(f"http://127.0.0.1:{server.port}")
    with pytest.raises(ModelError):
        model.complete(PROMPT, should_stop=never)
    model.close()
    assert server.calls[-1].path == "/v1/chat/completions"
    assert model.host == f"127.0.0.1:{server.port}"


@pytest.mark.asyncio
async def test_azure_gets_the_key_its_own_way_and_its_version() -> None:
    url = "https://shop.openai.azure.com/openai/deployments/small?api-version=2024-10-21"
    client = make_client(ModelSettings(base_url=url, name="small"), SecretStr(KEY))
    try:
        request = client._client.build_request(
            "POST", "https://shop.openai.azure.com/x", headers={"Authorization": "Bearer x"}
        )
        for hook in client._client.event_hooks["request"]:
            await hook(request)
        assert request.headers["api-key"] == KEY
        assert "authorization" not in request.headers
        assert str(client.base_url) == "https://shop.openai.azure.com/openai/deployments/small/"
        assert client.default_query == {"api-version": "2024-10-21"}
    finally:
        await client.close()


USELESS = [
    ("empty", ModelUnavailable),
    ("refusal", ModelRefused),
    ("filtered", ModelRefused),
    ("non_json", ModelUnavailable),
    ("non_json_once", None),
    ("truncated_json", None),
    ("breaks_schema", None),
    ("invents", None),
    ("megabytes", ModelUnavailable),
]


@pytest.mark.parametrize("fault, error", USELESS)
def test_a_chunk_is_digested_or_its_failure_is_told(
    server: FaultServer, tmp_path: Path, fault: str, error: type[ModelError] | None
) -> None:
    path = write_log(tmp_path / "server.log", 30_000)
    model = model_at(server.url(fault), context_tokens=32_768)
    try:
        with chunks_of(path) as (reader, _):
            chunk = reader.read(0)
            digester = ModelDigester(model)
            if error is None:
                found = digester.digest(chunk, State(), Brief(), should_stop=never)
                assert set(found.labels) <= {piece.id for piece in chunk.pieces}
                assert (found.usage.dropped > 0) == (fault in ("breaks_schema", "invents"))
            else:
                with pytest.raises(error) as caught:
                    digester.digest(chunk, State(), Brief(), should_stop=never)
                assert not caught.value.is_fatal
    finally:
        model.close()
