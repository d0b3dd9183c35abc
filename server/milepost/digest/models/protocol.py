"""What a model is to the rest of Milepost: a prompt goes in, a text comes out, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from milepost.core.source import StopFlag

FinishReason = Literal["stop", "length", "refused"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """One call. `system` is the same for all calls of a run, so that an endpoint can keep it at hand; `schema` is the JSON
    Schema that the reply should follow, where the endpoint can be told so."""

    system: str
    user: str
    schema_name: str
    schema: Mapping[str, Any]
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply, as it came. `input_tokens` and `output_tokens` are the endpoint's, else our estimate."""

    text: str
    finish: FinishReason
    input_tokens: int
    output_tokens: int
    is_estimated: bool = False


class Model(Protocol):
    """A model behind an endpoint."""

    @property
    def name(self) -> str:
        """The model's name at its endpoint."""
        ...

    @property
    def host(self) -> str:
        """Where text is sent: the endpoint's host, with its port where that is not the usual one."""
        ...

    @property
    def context_tokens(self) -> int:
        """How many tokens it takes at once, prompt and reply together."""
        ...

    def complete(self, prompt: Prompt, *, should_stop: StopFlag) -> Completion:
        """The reply to one prompt. Blocks; may be called from several threads. Repeats what is worth repeating.

        Raises `Cancelled` within a moment of `should_stop`, `ModelUnavailable`, `ModelRefused`.
        """
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...
