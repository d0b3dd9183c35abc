"""One question to a model, and an answer that is a JSON object or an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from milepost.core.source import StopFlag, raise_if_stopped
from milepost.digest.labelling.parsing import parse_object
from milepost.digest.labelling.prompts import SYSTEM
from milepost.digest.labelling.spending import Spending
from milepost.digest.models.protocol import Completion, Model, Prompt
from milepost.digest.secrets import mask_secrets
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import Usage
from milepost.errors import MilepostError, ModelRefused, ModelUnavailable

_AGAIN = "Your last reply was not a JSON object that could be read. Reply with the JSON object alone, and be brief."


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied, read as JSON, the text it was shown, and what it cost (of all tries)."""

    value: Mapping[str, Any]
    shown: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks a model within what may be spent. The one place that sends text: secrets are masked here, whatever came in."""

    model: Model
    spending: Spending

    def ask(self, user: str, name: str, schema: Mapping[str, Any], max_tokens: int, should_stop: StopFlag) -> Reply:
        """The reply to a prompt; asked a second time where the first reply is no JSON.

        Raises `ModelRefused` and `ModelUnavailable` (not fatal) where neither is of use, what `Model.complete` raises,
        and `BudgetExceeded`.
        """
        shown = mask_secrets(user)
        completions: list[Completion] = []
        try:
            value = self._read(Prompt(SYSTEM, shown, name, schema, max_tokens), completions, should_stop)
        except MilepostError:
            self.spending.lose(_usage_of(completions))
            raise
        return Reply(value, shown, _usage_of(completions))

    def _read(self, prompt: Prompt, completions: list[Completion], should_stop: StopFlag) -> Mapping[str, Any]:
        """The object that a reply is; what came on the way is added to `completions`."""
        again = prompt
        for _ in range(2):
            raise_if_stopped(should_stop)
            completion = self._complete(again, should_stop)
            completions.append(completion)
            if completion.finish == "refused":
                refusal = f"The model {self.model.name} refused to work on this part of the file."
                raise ModelRefused(refusal, is_fatal=False)
            value = parse_object(completion.text)
            if value is not None:
                return value
            # Cut off before anything was complete: a model that thinks first needs more room.
            more = completion.finish == "length" and prompt.max_output_tokens * 4 < self.model.context_tokens
            max_tokens = prompt.max_output_tokens * 2 if more else prompt.max_output_tokens
            again = replace(prompt, user=f"{prompt.user}\n\n{_AGAIN}", max_output_tokens=max_tokens)
        useless = f"The model {self.model.name} replied twice with nothing that could be read."
        raise ModelUnavailable(useless, is_fatal=False)

    def _complete(self, prompt: Prompt, should_stop: StopFlag) -> Completion:
        booked = estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + prompt.max_output_tokens
        self.spending.book(booked)
        spent = booked  # of a call that failed nobody knows; it may have been paid for
        try:
            completion = self.model.complete(prompt, should_stop=should_stop)
            spent = completion.input_tokens + completion.output_tokens
            return completion
        finally:
            self.spending.settle(booked, spent)


def _usage_of(completions: Sequence[Completion]) -> Usage:
    return Usage(
        len(completions),
        sum(completion.input_tokens for completion in completions),
        sum(completion.output_tokens for completion in completions),
    )
