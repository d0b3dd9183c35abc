"""What an SDK's exception means: one sentence to the user, whether trying again may help, and when."""

from __future__ import annotations

import asyncio
import email.utils
import json
import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import httpx2
import openai
from pydantic import SecretStr

from milepost.core.text import clip_text
from milepost.digest.secrets import mask_secrets
from milepost.errors import ContextExceeded, ModelError, ModelRefused, ModelUnavailable

_CONTEXT = re.compile(
    r"context[ _-]?(?:length|window|size|limit)|maximum context|max_model_len|n_ctx"
    r"|exceed\w* (?:the )?(?:available |model'?s? )*context"
    r"|too many (?:input )?tokens|(?:prompt|input)[\w ]{0,30} too (?:long|large)|reduce the length",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[ _](?:filter|management|policy)|responsible ?ai", re.IGNORECASE)
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_RETRIED_STATUS = frozenset({408, 409, 425, 429})
_MESSAGE_BYTES = 300


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one try failed. `tries` says how many there may be in all; `wait_s` how long the endpoint asks to wait."""

    error: ModelError
    tries: int = 1
    wait_s: float | None = None
    status: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True)
class FailureReader:
    """Reads exceptions of calls to `host`. `key` is never repeated, whatever an endpoint says."""

    host: str
    key: SecretStr | None
    timeout_s: float
    max_tries: int

    def read(self, error: Exception) -> Failure:
        """What this exception means. One that is none of a call's is raised again."""
        # Raised while the SDK sends, ours come wrapped by some of its versions.
        error = next((one for one in _causes(error) if isinstance(one, (ReplyTooLong, NotCompatible, CutOff))), error)
        if isinstance(error, (asyncio.TimeoutError, openai.APITimeoutError)):
            return Failure(
                ModelUnavailable(
                    f"{self.host} did not finish its answer within {self.timeout_s:g} s; "
                    "raise model.timeout_s, or use a smaller model.",
                    is_fatal=False,
                ),
                tries=2,
            )
        if isinstance(error, openai.APIStatusError):
            return self._status(error)
        if isinstance(error, openai.APIConnectionError):
            return self._connection(error)
        if isinstance(error, ReplyTooLong):
            return Failure(
                ModelUnavailable(f"{self.host} sent more than a reply can be; it was cut off.", is_fatal=False)
            )
        if isinstance(error, NotCompatible):
            return Failure(
                ModelRefused(
                    f"{self.host} answers, but not as an OpenAI-compatible endpoint ({self.shown(str(error))}); "
                    "check model.base_url, which usually ends in /v1."
                )
            )
        if isinstance(error, openai.APIError):  # within a stream
            message = self.shown(error.message)
            if _CONTEXT.search(message):
                return Failure(self._too_long(message))
            said = f"{self.host} broke off its answer with an error: {message}"
            broken = ModelUnavailable(_sentence(said), is_fatal=False)
            return Failure(broken, tries=self.max_tries)
        if isinstance(error, (CutOff, json.JSONDecodeError, UnicodeDecodeError)):
            cut = ModelUnavailable(f"The answer from {self.host} broke off before its end.", is_fatal=False)
            return Failure(cut, tries=self.max_tries)
        if isinstance(error, (httpx2.HTTPError, httpx2.StreamError, OSError, openai.OpenAIError)):
            return self._connection(error)
        raise error  # a fault of ours

    def shown(self, message: str) -> str:
        """What an endpoint said, as it may be shown: short, plain, without secrets and without the key."""
        if self.key and self.key.get_secret_value():
            message = message.replace(self.key.get_secret_value(), "[key]")
        return clip_text(mask_secrets(message), _MESSAGE_BYTES)

    def _status(self, error: openai.APIStatusError) -> Failure:
        status = error.status_code
        message = self.shown(_message_of(error))
        said = f"{self.host} said {status}" + (f": {message}" if message else "")
        code = str(error.code or "")
        if 300 <= status < 400:
            where = self.shown(error.response.headers.get("location", "elsewhere"))
            refused = ModelRefused(
                f"{self.host} redirects to {where}; nothing is sent there unless model.base_url names it."
            )
            return Failure(refused, status=status, message=message)
        if status == 401 or (status == 403 and not _FILTERED.search(message)):
            advice = "check the key in MILEPOST_API_KEY." if self.key else "set a key in MILEPOST_API_KEY."
            return Failure(
                ModelRefused(f"{_sentence(said)} {advice[0].upper()}{advice[1:]}"), status=status, message=message
            )
        if status == 429 and (_QUOTA.search(message) or _QUOTA.search(code)):
            return Failure(ModelRefused(f"{_sentence(said)} The quota is used up."), status=status, message=message)
        if status in _RETRIED_STATUS or status >= 500:
            busy = ModelUnavailable(f"{_sentence(said)} It was asked {self.max_tries} times; try again later.")
            return Failure(busy, self.max_tries, _retry_after(error.response.headers), status, message)
        if _CONTEXT.search(message) or code == "context_length_exceeded" or status == 413:
            return Failure(self._too_long(message), status=status, message=message)
        if _FILTERED.search(message) or _FILTERED.search(code):
            return Failure(ModelRefused(f"{_sentence(said)}", is_fatal=False), status=status, message=message)
        return Failure(ModelRefused(_sentence(said)), status=status, message=message)

    def _too_long(self, message: str) -> ContextExceeded:
        return ContextExceeded(
            f"The prompt was longer than the model at {self.host} takes; lower model.context_tokens. ({message})"
        )

    def _connection(self, error: Exception) -> Failure:
        causes = list(_causes(error))
        for cause in causes:
            if isinstance(cause, ssl.SSLCertVerificationError):
                reason = self.shown(cause.verify_message or "unknown reason")
                return Failure(
                    ModelUnavailable(
                        f"The certificate of {self.host} cannot be trusted ({reason}); "
                        "for a private authority, name its file in SSL_CERT_FILE."
                    )
                )
        for cause in causes:
            if isinstance(cause, ssl.SSLError):
                reason = self.shown(cause.reason or str(cause)).replace("_", " ").lower()
                return Failure(
                    ModelUnavailable(
                        f"No encrypted connection to {self.host} came about ({reason}); does model.base_url begin rightly "
                        "with https:// rather than http://?"
                    )
                )
            if isinstance(cause, socket.gaierror):
                may_pass = cause.errno == socket.EAI_AGAIN
                missing = ModelUnavailable(
                    f"The host {self.host} cannot be found; check model.base_url and the network."
                )
                return Failure(missing, tries=2 if may_pass else 1)
            if isinstance(cause, ConnectionRefusedError):
                refused = ModelUnavailable(f"Nothing answers at {self.host}; is the model's server running?")
                return Failure(refused, tries=min(3, self.max_tries))
        connects = any(type(cause).__name__ in ("ConnectError", "ConnectTimeout", "ProxyError") for cause in causes)
        if connects:
            unreached = ModelUnavailable(f"No connection to {self.host} came about: {self._reason(causes)}.")
            return Failure(unreached, tries=self.max_tries)
        broken = ModelUnavailable(
            f"The connection to {self.host} broke off before the end of the answer.", is_fatal=False
        )
        return Failure(broken, tries=self.max_tries)

    def _reason(self, causes: list[BaseException]) -> str:
        texts = [str(cause).rstrip(".") for cause in causes if isinstance(cause, OSError) and str(cause)]
        return self.shown(texts[-1] if texts else type(causes[-1]).__name__)


class CutOff(Exception):
    """A reply that ended without saying that it ended."""


class ReplyTooLong(Exception):
    """More bytes than any reply needs."""


class NotCompatible(Exception):
    """A reply that is none of an OpenAI-compatible endpoint; says what it is."""


def _message_of(error: openai.APIStatusError) -> str:
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        if isinstance(inner, str):
            return inner
        for name in ("message", "detail", "error", "msg"):
            value = inner.get(name) if isinstance(inner, dict) else None
            if isinstance(value, str):
                return value
        return json.dumps(body, default=str)
    if isinstance(body, str):
        return "" if body.lstrip()[:1] == "<" else body
    return ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and all it comes from."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as `Retry-After` (seconds or a date) or `retry-after-ms` say."""
    milliseconds, value = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    for text, scale in ((milliseconds, 0.001), (value, 1.0)):
        try:
            seconds = float(text) * scale
        except ValueError:
            continue
        if seconds >= 0:  # not so for "nan"
            return seconds
    try:
        when = email.utils.parsedate_to_datetime(value)
        return max(0.0, when.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None
