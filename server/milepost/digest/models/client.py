"""The SDK's client, set up so that nothing but the settings decides where text goes and what goes with it."""

from __future__ import annotations

import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator
from typing import cast
from urllib.parse import parse_qsl, urlsplit, urlunsplit

import httpx2
import openai
from pydantic import SecretStr

from milepost.core.text import clip_text
from milepost.digest.models.failures import NotCompatible, ReplyTooLong
from milepost.settings import ModelSettings

#: All that may come over the wire for one reply. A token takes about 250 bytes in a stream.
WIRE_MAX_BYTES = 8 << 20

_AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")
# The SDK adds others, some of them from variables of the environment (organization, project, custom ones).
_SENT_HEADERS = frozenset(
    {
        "host",
        "accept",
        "content-type",
        "content-length",
        "connection",
        "user-agent",
        "authorization",
        "transfer-encoding",
    }
)
_CONNECT_S = 15.0


def make_client(settings: ModelSettings, key: SecretStr | None) -> openai.AsyncOpenAI:
    """A client for the endpoint of the settings, to be made on the event loop that it will run on.

    No redirect is followed, and no proxy used for this machine. Text reaches no host but the one of `model.base_url`.
    """
    address = urlsplit(settings.base_url)
    # "http://localhost:11434" means the endpoint there.
    path = address.path.rstrip("/") or "/v1"
    is_here = _is_this_machine(address.hostname or "")
    secret = key.get_secret_value() if key else ""
    is_azure = is_azure_host(address.hostname or "")

    async def set_headers(request: httpx2.Request) -> None:
        for name in list(request.headers):
            if name.lower() not in _SENT_HEADERS:
                del request.headers[name]
        request.headers["user-agent"] = "milepost"
        request.headers["accept-encoding"] = "identity"
        request.headers.pop("authorization", None)
        if secret and is_azure:  # which takes a bearer for a token of its directory
            request.headers["api-key"] = secret
        elif secret:
            request.headers["authorization"] = f"Bearer {secret}"

    async def cap_reply(response: httpx2.Response) -> None:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise NotCompatible("a compressed reply that was not asked for")
        response.stream = _CappedStream(cast(httpx2.AsyncByteStream, response.stream), WIRE_MAX_BYTES)

    http = httpx2.AsyncClient(
        trust_env=not is_here,  # proxies, that is; where certificates are looked for may come from the environment
        verify=httpx2.create_ssl_context(),
        follow_redirects=False,
        timeout=httpx2.Timeout(settings.timeout_s, connect=min(_CONNECT_S, settings.timeout_s), pool=None),
        limits=httpx2.Limits(max_connections=settings.concurrency + 1, max_keepalive_connections=settings.concurrency),
        event_hooks={"request": [set_headers], "response": [cap_reply]},
    )
    return openai.AsyncOpenAI(
        api_key=secret or "none",
        base_url=urlunsplit((address.scheme, address.netloc, path, "", "")),
        default_query=dict(parse_qsl(address.query)),
        max_retries=0,
        http_client=http,
    )


class _CappedStream(httpx2.AsyncByteStream, AsyncIterator[bytes]):
    """A body that ends with an error once it is longer than any reply can be."""

    def __init__(self, inner: httpx2.AsyncByteStream, max_bytes: int) -> None:
        self._inner = inner
        self._parts: AsyncIterator[bytes] | None = None
        self._left = max_bytes

    def __aiter__(self) -> AsyncIterator[bytes]:
        self._parts = aiter(self._inner)
        return self

    async def __anext__(self) -> bytes:
        assert self._parts is not None
        part = await anext(self._parts)
        self._left -= len(part)
        if self._left < 0:
            raise ReplyTooLong
        return part

    async def aclose(self) -> None:
        parts, self._parts = self._parts, None
        if isinstance(parts, AsyncGenerator):
            # Left to the garbage collector, it would be closed by whichever thread that runs in, perhaps while it runs here.
            await parts.aclose()
        await self._inner.aclose()


def _is_this_machine(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_azure_host(host: str) -> bool:
    """Whether it is one of Azure's, which take the key in a header of their own."""
    return host.endswith(_AZURE_HOSTS)


async def model_names(client: openai.AsyncOpenAI) -> list[str]:
    """The names of the models that the endpoint offers."""
    page = await client.models.list()
    data = page.data if isinstance(page.data, list) else []
    return [clip_text(model.id, 60) for model in data if isinstance(getattr(model, "id", None), str)]
