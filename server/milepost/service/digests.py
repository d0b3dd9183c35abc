"""How a request for a summary or an answer is met: by which digester, and what is settled before anything is read or sent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from milepost.core.source import Progress, StopFlag
from milepost.digest.cache import CachedDigester, DiskCache, cache_folder
from milepost.digest.offline import ExtractiveDigester
from milepost.digest.walk import Step
from milepost.errors import ModelRefused
from milepost.service.reading import Reading, brief_of, read_through, reader_of
from milepost.service.small_files import unread
from milepost.service.subject import Subject
from milepost.settings import Settings, is_allowed, read_api_key
from milepost.wire import AskReply, AskRequest, Estimate, SummarizeReply, SummarizeRequest

if TYPE_CHECKING:
    from milepost.digest.dump import Dump
    from milepost.digest.models.protocol import Model
    from milepost.settings import ModelSettings

MakeModel = Callable[["ModelSettings"], "Model"]
OnStep = Callable[[Step], None]


def model_of(settings: ModelSettings) -> Model:
    """The model that the settings name, with the key from the environment."""
    # The SDK takes a second to load.
    from milepost.digest.models.openai import make_model

    return make_model(settings, read_api_key())


def digest_reply(
    subject: Subject,
    request: SummarizeRequest | AskRequest,
    settings: Settings,
    make_model: MakeModel | None,
    *,
    should_stop: StopFlag,
    progress: Progress,
    on_step: OnStep,
) -> SummarizeReply | AskReply:
    """The summary or answer. Raises `ModelRefused` where text would go to a host that the user has not agreed to."""
    scope = subject.scope
    size = max(1, scope.end_byte - scope.start_byte)

    def step(done: Step) -> None:
        progress(min(size, done.done.bytes_examined), size)
        on_step(done)

    offline = ExtractiveDigester(subject.view, progress)
    if not settings.model.base_url:
        if request.estimate_only:
            return unread(subject.outline, request, "extractive", chunks_total=len(reader_of(subject, 0)))
        reading = Reading(offline, offline, settings.chunks.context_bytes, on_step=step)
        return read_through(subject, request, reading, should_stop)
    from milepost.digest.labelling import PROMPT_VERSION, ModelDigester, estimate_run

    with ExitStack() as closing:
        model = (make_model or model_of)(settings.model)
        closing.callback(model.close)
        allowed = is_allowed(model.host, settings.model)
        reader = reader_of(subject, settings.chunks.context_bytes)
        if request.estimate_only:
            cost = estimate_run(reader, brief_of(request), model.context_tokens, max_chunks=request.max_chunks)
            estimate = Estimate(
                host=model.host,
                model=model.name,
                calls=cost.calls,
                input_tokens=cost.input_tokens,
                output_tokens=cost.output_tokens,
                input_bytes=cost.input_bytes,
                allowed=allowed,
            )
            return unread(subject.outline, request, model.name, chunks_total=len(reader), estimate=estimate)
        if not allowed:
            raise ModelRefused(
                f"Nothing was sent: nobody has agreed yet that text of this file goes to {model.host}. "
                f"Agree with --allow-host {model.host}, or in the setting model.allowed_hosts."
            )
        dump = _dump(settings)
        digester = ModelDigester(_dumped(model, dump), max_tokens_per_run=settings.model.max_tokens_per_run)
        kept = (
            digester
            if not settings.cache.enabled
            else CachedDigester(
                digester,
                DiskCache(cache_folder(), settings.cache.max_bytes),
                (settings.model.base_url, settings.model.name, settings.model.context_tokens, PROMPT_VERSION),
            )
        )
        reading = Reading(
            kept,
            offline,
            settings.chunks.context_bytes,
            settings.model.concurrency,
            None if dump is None else str(dump.path),
            step,
        )
        return read_through(subject, request, reading, should_stop)


def _dump(settings: Settings) -> Dump | None:
    if not settings.debug.dump:
        return None
    from milepost.digest.dump import Dump, dump_folder
    from milepost.digest.secrets import mask_secrets

    return Dump(dump_folder(), mask_secrets)


def _dumped(model: Model, dump: Dump | None) -> Model:
    if dump is None:
        return model
    from milepost.digest.dump import DumpedModel

    return DumpedModel(model, dump)
