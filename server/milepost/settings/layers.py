"""Where settings come from: each layer is read into plain values here, and judged in `load`."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

WORKSPACE_FILE = ".milepost.toml"
_MAX_FILE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings of one source. `name` is what a problem calls it.

    `is_trusted` says that the layer may say where text is sent. `has_other_settings` says that the values hold groups
    that are not for us (an editor's settings for its own side). `is_text` says that values are words of a command line.
    """

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    is_trusted: bool = True
    has_other_settings: bool = False
    is_text: bool = False


def user_settings_file() -> Path:
    """The user's settings file on this platform; it need not exist."""
    return platformdirs.user_config_path("milepost", appauthor=False) / "config.toml"


def user_layer(path: Path | None = None) -> Layer:
    """The user's own settings."""
    path = path or user_settings_file()
    values, problems = _read_toml(path)
    return Layer(str(path), values, problems)


def workspace_layer(folder: Path, *, is_trusted: bool = False) -> Layer:
    """The settings that come with a workspace, which may be somebody else's."""
    path = folder / WORKSPACE_FILE
    values, problems = _read_toml(path)
    return Layer(str(path), values, problems, is_trusted=is_trusted)


def editor_layer(values: Any) -> Layer:
    """What an editor sent as `initializationOptions`, or as the answer to `workspace/configuration`.

    Names may be camelCase or snake_case, nested or dotted; all of it may lie in one object `milepost`.
    """
    name = "the editor's settings"
    if values is None:
        return Layer(name, has_other_settings=True)
    if not isinstance(values, Mapping):
        return Layer(name, problems=(f"{name} must be one object",), has_other_settings=True)
    inner = values.get("milepost")
    if isinstance(inner, Mapping):
        values = inner
    plain = {str(key).removeprefix("milepost."): value for key, value in values.items()}
    return Layer(name, plain, has_other_settings=True)


def command_line_layer(assignments: Sequence[str]) -> Layer:
    """What `--set KEY=VALUE` gave. A value is JSON where it can be (`5`, `true`, `["log"]`), else a text."""
    values: dict[str, Any] = {}
    problems = []
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if equals and key.strip():
            values[key.strip()] = value
        else:
            problems.append("--set needs KEY=VALUE, as in --set outline.max_nodes=500")
    return Layer("--set", values, tuple(problems), is_text=True)


def read_words(value: str) -> list[Any]:
    """What a word of a command line may stand for, the likeliest first: a JSON value, a text, a list of texts."""
    readings: list[Any] = []
    with contextlib.suppress(ValueError, RecursionError):
        readings.append(json.loads(value))
    return [*readings, value, [part.strip() for part in value.split(",") if part.strip()]]


def _read_toml(path: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}, ()
    except OSError as error:
        return {}, (f"{path} cannot be read: {error.strerror or error}",)
    if len(data) > _MAX_FILE_BYTES:
        return {}, (f"{path} is larger than {_MAX_FILE_BYTES} bytes and was not read",)
    try:
        return tomllib.loads(data.decode("utf-8-sig")), ()
    except UnicodeDecodeError:
        return {}, (f"{path} is not UTF-8 and was not read",)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return {}, (f"{path} is not valid TOML and was not read: {error}",)
