"""Models behind OpenAI-compatible endpoints: OpenAI, Azure, Ollama, LM Studio, llama.cpp, vLLM and their like.

The SDK speaks the protocol; what else a run of hours needs is done here. Every reply is streamed, so that a cancelled one
ends at once, one that is cut off is seen, and one without end is stopped. Retries are ours, since the SDK's are blind to a
stream that breaks.
"""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import openai
from pydantic import SecretStr

from milepost.core.source import StopFlag
from milepost.digest.models.client import is_azure_host, make_client, model_names
from milepost.digest.models.dialect import Dialect
from milepost.digest.models.event_loop import EventLoopThread
from milepost.digest.models.failures import Failure, FailureReader, NotCompatible
from milepost.digest.models.protocol import Completion, Prompt
from milepost.digest.models.replies import Reply, completion_of
from milepost.errors import ContextExceeded, InvalidParams, ModelError, ModelRefused, ModelUnavailable
from milepost.settings import ModelSettings, host_of

_LISTED_MODELS = 12
_LISTING_S = 5.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and when a call is tried again. Waits double from `first_wait_s`, by lot between half and whole.

    An endpoint that asks for a longer wait than `max_asked_wait_s` is given up.
    """

    tries: int = 4
    first_wait_s: float = 0.5
    max_wait_s: float = 8.0
    max_asked_wait_s: float = 60.0

    def wait_s(self, tried: int, asked: float | None) -> float | None:
        """How long to wait after so many tries; None to give up."""
        if asked is not None:
            return asked + random.uniform(0, 0.1) if asked <= self.max_asked_wait_s else None
        longest = min(self.max_wait_s, self.first_wait_s * 2 ** (tried - 1))
        return random.uniform(longest / 2, longest)


def make_model(settings: ModelSettings, key: SecretStr | None, *, retry: RetryPolicy | None = None) -> OpenAIModel:
    """The model that the settings name. Sends nothing yet. Raises `InvalidParams` where no model is named."""
    if not settings.name:
        raise InvalidParams("An endpoint is set but no model; name one in the setting model.name.")
    for name in ("openai", "httpx2", "httpcore2"):  # at DEBUG, which a variable can set, they log whole requests
        logging.getLogger(name).setLevel(logging.WARNING)
    return OpenAIModel(settings, key, retry or RetryPolicy())


class OpenAIModel:
    """One model at one endpoint (`digest.models.protocol.Model`). Thread-safe; at most `concurrency` calls at once."""

    def __init__(self, settings: ModelSettings, key: SecretStr | None, retry: RetryPolicy) -> None:
        self._settings = settings
        self._key = key
        self._retry = retry
        address = urlsplit(settings.base_url)
        self._host = host_of(settings)
        self._failures = FailureReader(self._host, key, settings.timeout_s, retry.tries)
        host = address.hostname or ""
        is_openai = host.endswith(".openai.com") or is_azure_host(host)
        self._dialect = Dialect(max_tokens_name="max_completion_tokens" if is_openai else "max_tokens")
        self._loop = EventLoopThread("milepost-model")
        self._client: openai.AsyncOpenAI | None = None
        self._slots: asyncio.Semaphore | None = None

    @property
    def name(self) -> str:
        """The model's name at its endpoint."""
        return self._settings.name

    @property
    def host(self) -> str:
        """The endpoint's host, with its port where one is given."""
        return self._host

    @property
    def context_tokens(self) -> int:
        """How many tokens it takes at once, as the settings say."""
        return self._settings.context_tokens

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r} at {self._host})"

    def complete(self, prompt: Prompt, *, should_stop: StopFlag) -> Completion:
        """The reply to one prompt; see `Model.complete`. Each try may take `timeout_s`."""
        return self._loop.run(self._complete(prompt), should_stop)

    def close(self) -> None:
        """Cancel what is under way and let go of connections."""
        self._loop.close(self._close())

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _complete(self, prompt: Prompt) -> Completion:
        if self._client is None or self._slots is None:
            self._client = make_client(self._settings, self._key)
            self._slots = asyncio.Semaphore(self._settings.concurrency)
        async with self._slots:
            tried = 0
            while True:
                dialect = self._dialect
                try:
                    return await asyncio.wait_for(self._try(self._client, prompt, dialect), self._settings.timeout_s)
                except Exception as error:
                    failure = self._failures.read(error)
                if failure.status in (400, 422, 501):
                    simpler = dialect.without_what(failure.message)
                    if simpler is not None and not isinstance(failure.error, ContextExceeded):
                        if self._dialect == dialect:
                            self._dialect = simpler
                        continue
                if failure.status == 404:
                    raise await self._no_such_model(self._client, failure) from None
                tried += 1
                wait = self._retry.wait_s(tried, failure.wait_s)
                if tried >= failure.tries or wait is None:
                    # The SDK's exception holds request and reply, and so may end in a log with them.
                    raise _with_asked_wait(failure, wait) from None
                await asyncio.sleep(wait)

    async def _try(self, client: openai.AsyncOpenAI, prompt: Prompt, dialect: Dialect) -> Completion:
        messages = [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}]
        stream = await client.chat.completions.create(
            model=self.name,
            messages=cast(Any, messages),
            stream=True,
            **dialect.parameters(prompt),
        )
        async with stream:
            kind = stream.response.headers.get("content-type", "")
            if "json" in kind and "event-stream" not in kind:  # a server that does not stream
                reply = Reply.of_whole(await stream.response.aread(), kind)
            elif "html" in kind:
                raise NotCompatible(f"{kind.split(';')[0]}, a web page")
            else:
                reply = await Reply.of_stream(stream, prompt)
        return completion_of(reply, prompt)

    async def _no_such_model(self, client: openai.AsyncOpenAI, failure: Failure) -> ModelRefused:
        try:
            listed = await asyncio.wait_for(model_names(client), _LISTING_S)
        except Exception:
            listed = []
        if not listed or self.name in listed:
            said = f" ({failure.message})" if failure.message else ""
            return ModelRefused(
                f"{self._host} knows no model {self.name!r}, or no such address{said}; "
                "check model.name, and model.base_url, which usually ends in /v1."
            )
        shown = [self._failures.shown(name) for name in listed[:_LISTED_MODELS]]
        more = f" and {len(listed) - len(shown)} more" if len(listed) > len(shown) else ""
        return ModelRefused(f"{self._host} has no model {self.name!r}; it offers {', '.join(shown)}{more}.")


def _with_asked_wait(failure: Failure, wait: float | None) -> ModelError:
    if wait is None and failure.wait_s is not None:
        return ModelUnavailable(f"{failure.error} It asks to wait for {failure.wait_s:,.0f} s.")
    return failure.error
