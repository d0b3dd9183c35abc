"""Every setting, with its default and what it means."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError


class SettingsGroup(BaseModel):
    """Base of the groups. Values are taken strictly: "5" is no number, true is no 1."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def _endpoint(value: str) -> str:
    """An http(s) address without a name or password in it, since addresses are shown and logged."""
    if not value:
        return value
    try:
        parts = urlsplit(value)
        has_login = "@" in parts.netloc
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        has_login, is_web = False, False
    if has_login:
        raise PydanticCustomError("endpoint_login", "an address without a name or password in it")
    if not is_web:
        raise PydanticCustomError("endpoint", "an http:// or https:// address")
    return value


Bytes = Annotated[int, Field(ge=0)]
Endpoint = Annotated[str, AfterValidator(_endpoint)]


class OutlineSettings(SettingsGroup):
    """When files are outlined unasked, and how much of an outline is held."""

    min_bytes: Bytes = 96 << 10
    """From this size in bytes on, an editor is offered symbols, lenses and folding for any kind of file."""

    always: tuple[str, ...] = ("log", "ndjson", "csv", "sql", "text")
    """Formats that are outlined at any size, since nothing else outlines them."""

    never: tuple[str, ...] = ()
    """Formats that are never outlined unasked. The sidebar and the commands still work on them."""

    max_nodes: Annotated[int, Field(ge=1, le=1_000_000)] = 5000
    """How many sections an outline holds at most; the rest is merged into counted groups."""


class LimitSettings(SettingsGroup):
    """How long replies may be, in bytes of UTF-8 as they are sent."""

    default_max_bytes: Bytes = 16384
    """The cap of a reply whose request has none of its own below."""

    per_command: dict[str, Bytes] = {"find": 8192, "read": 32768, "summarize": 8192}
    """Caps by request: `outline`, `read`, `find`, `plan`, `summarize`, `ask`, `resolve_anchor`, `check`."""

    def max_bytes(self, command: str, asked: int | None = None) -> int:
        """The cap of a reply to this command; what the request itself asked for comes first."""
        return asked if asked is not None else self.per_command.get(command, self.default_max_bytes)


class ChunkSettings(SettingsGroup):
    """How a file is cut for a summary."""

    target_bytes: Annotated[int, Field(ge=1)] = 180_000
    """The size of a chunk to aim at, in bytes; chunks are up to a fifth larger or smaller."""

    context_bytes: Bytes = 800
    """How many bytes before a chunk are shown along with it."""


class SummarizeSettings(SettingsGroup):
    """Summaries and answers."""

    small_file_bytes: Bytes = 96 << 10
    """A file below this size in bytes is given as it is instead of a summary, unless a question is asked."""


class FormatSettings(SettingsGroup):
    """Which format a file is read as."""

    by_suffix: dict[str, str] = {}
    """Formats by the end of a file's name, as `{".trace": "log"}`, where detection by content gets it wrong."""


class ModelSettings(SettingsGroup):
    """The language model to summarize with. Without an endpoint nothing leaves the machine.

    The key is never a setting: it is read from the environment, or comes from the editor's secret store.
    """

    base_url: Endpoint = ""
    """The address of an endpoint that is compatible with OpenAI's; empty summarizes without a model."""

    name: str = ""
    """The model's name at that endpoint."""

    context_tokens: Annotated[int, Field(ge=512)] = 32_768
    """How many tokens the model takes at once."""

    timeout_s: Annotated[float, Field(gt=0)] = 60.0
    """How many seconds one call may take."""

    max_tokens_per_run: Annotated[int, Field(ge=0)] = 2_000_000
    """How many tokens, in and out, one summary or question may use; 0 is no limit."""

    concurrency: Annotated[int, Field(ge=1, le=64)] = 2
    """How many calls may be under way at once."""

    allowed_hosts: tuple[str, ...] = ()
    """The hosts that text may be sent to (`HOST` or `HOST:PORT`); the command line asks, and remembers. Never taken from
    the settings of a workspace."""


class CacheSettings(SettingsGroup):
    """What a model said of a chunk is kept on disk, readable by its owner only, so that a second run pays nothing."""

    enabled: bool = True
    """Keep it, and use what is kept."""

    max_bytes: Bytes = 64 << 20
    """How much is kept, in bytes; the least recently used goes first."""


class DebugSettings(SettingsGroup):
    """For finding out what went wrong."""

    dump: bool = False
    """Write the requests and replies of each run with a model to a file of its own in the log folder, secrets masked."""


class Settings(SettingsGroup):
    """All settings of the server and the command line."""

    outline: OutlineSettings = OutlineSettings()
    """When files are outlined unasked, and how much of an outline is held."""

    limits: LimitSettings = LimitSettings()
    """How long replies may be."""

    chunks: ChunkSettings = ChunkSettings()
    """How a file is cut for a summary."""

    summarize: SummarizeSettings = SummarizeSettings()
    """Summaries and answers."""

    formats: FormatSettings = FormatSettings()
    """Which format a file is read as."""

    model: ModelSettings = ModelSettings()
    """The language model to summarize with."""

    cache: CacheSettings = CacheSettings()
    """What is kept of a model's replies."""

    debug: DebugSettings = DebugSettings()
    """For finding out what went wrong."""
