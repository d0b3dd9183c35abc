"""A reply as it comes over the wire, in a stream or whole, and what of it can be believed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from milepost.digest.models.failures import CutOff, NotCompatible
from milepost.digest.models.protocol import Completion, FinishReason, Prompt
from milepost.digest.tokens import estimate_tokens

#: Of a reply's text so much a token asked for is kept; more is no answer but a runaway.
TEXT_BYTES_PER_TOKEN = 16
#: A count of tokens that is so many times off our estimate is not believed.
USAGE_FACTOR = 6


@dataclass(slots=True)
class Reply:
    """What has come of a reply. The counts are as the endpoint says, whatever they are."""

    text: str = ""
    finish: str = ""
    is_refused: bool = False
    input_tokens: object = None
    output_tokens: object = None

    @classmethod
    async def of_stream(cls, stream: AsyncIterator[Any], prompt: Prompt) -> Reply:
        """Read a stream to its end, or until its text is longer than any answer can be."""
        reply = cls()
        max_bytes = prompt.max_output_tokens * TEXT_BYTES_PER_TOKEN + 4096
        parts: list[str] = []
        size = 0
        saw_any = False
        async for event in stream:
            saw_any = True
            reply._take_usage(getattr(event, "usage", None))
            choices = getattr(event, "choices", None)
            if not isinstance(choices, list) or not choices:
                continue
            delta = getattr(choices[0], "delta", None)
            content, refusal = getattr(delta, "content", None), getattr(delta, "refusal", None)
            if isinstance(content, str):
                parts.append(content)
                size += len(content)
            reply.is_refused = reply.is_refused or bool(refusal)
            finish = getattr(choices[0], "finish_reason", None)
            if isinstance(finish, str):
                reply.finish = finish
            if size > max_bytes:
                reply.finish = "length"
                break
        if not saw_any:
            raise NotCompatible("an empty reply")
        if not reply.finish:
            raise CutOff
        reply.text = "".join(parts)[:max_bytes]
        return reply

    @classmethod
    def of_whole(cls, body: bytes, kind: str) -> Reply:
        """Read a reply that came in one piece."""
        value = json.loads(body)
        choices = value.get("choices") if isinstance(value, dict) else None
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise NotCompatible(f"{kind.split(';')[0]} without choices")
        message = choices[0].get("message")
        message = message if isinstance(message, dict) else {}
        content, finish = message.get("content"), choices[0].get("finish_reason")
        reply = cls(
            text=content if isinstance(content, str) else "",
            finish=finish if isinstance(finish, str) else "stop",
            is_refused=bool(message.get("refusal")),
        )
        reply._take_usage(value.get("usage"))
        return reply

    def _take_usage(self, usage: object) -> None:
        if usage is None:
            return
        counts = usage if isinstance(usage, Mapping) else getattr(usage, "__dict__", {})
        self.input_tokens, self.output_tokens = counts.get("prompt_tokens"), counts.get("completion_tokens")


def completion_of(reply: Reply, prompt: Prompt) -> Completion:
    """The reply as the rest of Milepost takes it, its counts replaced by estimates where they cannot be true."""
    finish: FinishReason = "stop"
    if reply.is_refused or reply.finish == "content_filter":
        finish = "refused"
    elif reply.finish == "length":
        finish = "length"
    expected_in = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
    expected_out = estimate_tokens(reply.text)
    tokens_in = _believed(reply.input_tokens, expected_in // USAGE_FACTOR, expected_in * USAGE_FACTOR)
    # A model that thinks first spends tokens that are not in the text.
    most_out = max(expected_out * USAGE_FACTOR, 4 * prompt.max_output_tokens)
    tokens_out = _believed(reply.output_tokens, expected_out // USAGE_FACTOR, most_out)
    return Completion(
        text=reply.text,
        finish=finish,
        input_tokens=expected_in if tokens_in is None else tokens_in,
        output_tokens=expected_out if tokens_out is None else tokens_out,
        is_estimated=tokens_in is None or tokens_out is None,
    )


def _believed(count: object, least: int, most: int) -> int | None:
    """The count if it is one and can be true."""
    if isinstance(count, bool) or not isinstance(count, int):
        return None
    return count if least <= count <= most else None
