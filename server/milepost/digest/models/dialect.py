"""What an endpoint takes. "Compatible with OpenAI" differs in the details; what was refused once is not asked again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from milepost.digest.models.protocol import Prompt

ReplyFormat = Literal["json_schema", "json_object", "text"]
_WEAKER: Mapping[ReplyFormat, ReplyFormat] = {"json_schema": "json_object", "json_object": "text", "text": "text"}

_ABOUT_FORMAT = re.compile(
    r"response_?format|json_?schema|json_?object|structured|grammar|guided|schema", re.IGNORECASE
)
_ABOUT_MAX_TOKENS = re.compile(r"max_(?:completion_)?tokens", re.IGNORECASE)
_ABOUT_USAGE = re.compile(r"stream_options|include_usage", re.IGNORECASE)
_ABOUT_TEMPERATURE = re.compile(r"temperature", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters that go with a request: by default those most servers take."""

    format: ReplyFormat = "json_schema"
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True
    has_usage: bool = True

    def parameters(self, prompt: Prompt) -> dict[str, Any]:
        """What is sent besides model and messages."""
        found: dict[str, Any] = {self.max_tokens_name: prompt.max_output_tokens}
        if self.has_temperature:
            found["temperature"] = 0
        if self.has_usage:
            found["stream_options"] = {"include_usage": True}
        if self.format == "json_schema":
            schema = {"name": prompt.schema_name, "schema": dict(prompt.schema), "strict": True}
            found["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif self.format == "json_object":
            found["response_format"] = {"type": "json_object"}
        return found

    def without_what(self, message: str) -> Dialect | None:
        """The dialect to try after a request was refused with this message; None where nothing is left to leave out."""
        if _ABOUT_USAGE.search(message) and self.has_usage:
            return replace(self, has_usage=False)
        if _ABOUT_TEMPERATURE.search(message) and self.has_temperature:
            return replace(self, has_temperature=False)
        # "Use 'max_completion_tokens' instead" names both; only the switch from the older to the newer is needed.
        if _ABOUT_MAX_TOKENS.search(message) and self.max_tokens_name == "max_tokens" and "instead" in message:
            return replace(self, max_tokens_name="max_completion_tokens")
        if _ABOUT_FORMAT.search(message) and self.format != "text":
            return replace(self, format=_WEAKER[self.format])
        if self.format != "text":  # a refusal without a reason: structured replies are what most servers stumble over
            return replace(self, format="text")
        return None
