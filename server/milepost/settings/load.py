"""Layers become settings: value by value, so that one bad value costs nothing but itself."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import SecretStr, ValidationError

from milepost.core.text import clip_text
from milepost.settings.layers import Layer, read_words
from milepost.settings.models import Settings, SettingsGroup

#: The variables that may hold the model's key, the stronger first.
API_KEY_VARIABLES = ("MILEPOST_API_KEY", "OPENAI_API_KEY")

_COMMANDS = frozenset({"ask", "check", "find", "outline", "plan", "read", "resolve_anchor", "summarize"})

#: group, field, and the key inside a field that is a table (else "").
Path = tuple[str, str, str]
LastGood = Mapping[tuple[str, Path], Any]


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings, what was wrong with where they came from, and which layer each came from that is no default.

    `good` is what each layer said that could be used, for the next time.
    """

    settings: Settings
    problems: tuple[str, ...]
    origins: Mapping[str, str]
    good: LastGood = field(repr=False)


def read_api_key(environment: Mapping[str, str] = os.environ) -> SecretStr | None:
    """The model's key. It shows as stars wherever it is printed, and is no part of `Settings`."""
    for name in API_KEY_VARIABLES:
        if environment.get(name, "").strip():
            return SecretStr(environment[name].strip())
    return None


def load_settings(layers: Sequence[Layer], *, last_good: LastGood | None = None) -> LoadedSettings:
    """The settings that these layers, the weakest first, give together.

    A value that cannot be used is a problem, one sentence that names setting and layer; in its place stands what the
    same layer last said that could be used (`last_good`), else what weaker layers say. Nothing is raised.
    """
    merged: dict[Path, Any] = {}
    origins: dict[str, str] = {}
    problems: list[str] = []
    good: dict[tuple[str, Path], Any] = {}
    for layer in layers:
        problems.extend(layer.problems)
        if layer.problems and not layer.values and last_good:
            # The whole layer could not be read: what it said before still holds.
            kept = {path: value for (name, path), value in last_good.items() if name == layer.name}
        else:
            kept = dict(_usable(layer, problems, last_good or {}))
        for path, value in kept.items():
            merged[path] = value
            origins[_dotted(path)] = layer.name
            good[layer.name, path] = value
    return LoadedSettings(_assembled(merged), tuple(problems), origins, good)


def _usable(layer: Layer, problems: list[str], last_good: LastGood) -> Iterator[tuple[Path, Any]]:
    """The values of a layer that can be used; the others are added to `problems`."""
    for path, value in _leaves(layer, problems):
        group, name, key = path
        if (group, name) == ("model", "api_key"):
            problems.append(f"model.api_key in {layer.name} is not used: set {API_KEY_VARIABLES[0]} in the environment")
            continue
        if name not in _group(group).model_fields:
            problems.append(f"unknown setting {_dotted(path)} in {layer.name}")
            continue
        if group == "model" and not layer.is_trusted:
            problems.append(f"{_dotted(path)} in {layer.name} is not used: the workspace is not trusted")
            continue
        if (group, name) == ("limits", "per_command") and key and key not in _COMMANDS:
            problems.append(f"unknown command {clip_text(key, 40)} under limits.per_command in {layer.name}")
            continue
        try:
            yield path, _validated(path, value, is_text=layer.is_text)
        except ValueError as error:
            problems.append(f"{_dotted(path)} in {layer.name} must be {error}")
            if (layer.name, path) in last_good:
                yield path, last_good[layer.name, path]


def _leaves(layer: Layer, problems: list[str]) -> Iterator[tuple[Path, Any]]:
    for name, value in layer.values.items():
        group, _, rest = str(name).partition(".")
        group = _snake(group)
        if group not in Settings.model_fields:
            if not layer.has_other_settings:
                problems.append(f"unknown setting {clip_text(str(name), 80)} in {layer.name}")
            continue
        if rest:
            field_name, _, key = rest.partition(".")
            nested = {field_name: {key: value} if key else value}
        elif isinstance(value, Mapping):
            nested = dict(value)
        else:
            problems.append(f"{group} in {layer.name} must be a table of settings")
            continue
        for inner, inner_value in nested.items():
            yield from _entries(group, str(inner), inner_value)


def _entries(group: str, name: str, value: Any) -> Iterator[tuple[Path, Any]]:
    """A field that is a table is taken entry by entry, so that layers add to each other."""
    name, _, key = name.partition(".")
    name = _snake(name)
    if key:
        value = {key: value}
    known = _group(group).model_fields.get(name)
    if known is not None and isinstance(known.get_default(), dict) and isinstance(value, Mapping):
        for entry, entry_value in value.items():
            is_command = (group, name) == ("limits", "per_command")
            yield (group, name, _snake(str(entry)) if is_command else str(entry)), entry_value
    else:
        yield (group, name, ""), value


def _validated(path: Path, value: Any, *, is_text: bool) -> Any:
    """The value as the model holds it. Raises ValueError with what it must be."""
    readings = read_words(value) if is_text and isinstance(value, str) else [value]
    results = [_read(path, reading) for reading in readings]
    usable = [result for result, expected in results if not expected]
    if not usable:
        raise ValueError(results[0][1])
    return usable[0]


def _read(path: Path, reading: Any) -> tuple[Any, str]:
    """The value as the model holds it, or what it must be."""
    group, name, key = path
    try:
        # As JSON, where a list may be a tuple although values are taken strictly.
        text = json.dumps({name: {key: reading} if key else reading}, allow_nan=False)
        valid = getattr(_group(group).model_validate_json(text), name)
    except ValidationError as error:
        return None, _expected(error)
    except (TypeError, ValueError, RecursionError):
        return None, "a value that JSON knows"
    return (valid[key] if key else valid), ""


def _expected(error: ValidationError) -> str:
    # Never the value: a key may have been put into the wrong place.
    first = error.errors(include_url=False, include_input=False)[0]
    message = str(first["msg"])
    for prefix in ("Input should be a valid ", "Input should be an ", "Input should be "):
        if message.startswith(prefix):
            message = message.removeprefix(prefix)
            break
    words = {"integer": "a whole number", "number": "a number", "string": "a text", "array": "a list of texts"}
    return words.get(message, {"dictionary": "a table", "object": "a table"}.get(message, message))


def _assembled(merged: Mapping[Path, Any]) -> Settings:
    groups: dict[str, dict[str, Any]] = {}
    for (group, name, key), value in merged.items():
        fields = groups.setdefault(group, {})
        if key:
            table = fields.setdefault(name, dict(_group(group).model_fields[name].get_default()))
            table[key] = value
        else:
            fields[name] = value
    built: dict[str, Any] = {name: _group(name)(**fields) for name, fields in groups.items()}
    return Settings(**built)


def _group(name: str) -> type[SettingsGroup]:
    kind = Settings.model_fields[name].annotation
    assert isinstance(kind, type)
    assert issubclass(kind, SettingsGroup)
    return kind


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


def _dotted(path: Path) -> str:
    return clip_text(".".join(part for part in path if part), 80)


class SettingsStore:
    """The settings as they are now. A bad value keeps the last good one; each problem is told once while it lasts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded = load_settings([])
        self._told: frozenset[str] = frozenset()

    @property
    def current(self) -> Settings:
        """The settings as of the last `update`."""
        return self._loaded.settings

    def update(self, layers: Sequence[Layer]) -> LoadedSettings:
        """Read the layers, the weakest first. `problems` of the result are those that were not there the last time."""
        with self._lock:
            loaded = load_settings(layers, last_good=self._loaded.good)
            told, self._told = self._told, frozenset(loaded.problems)
            self._loaded = loaded
            new = tuple(dict.fromkeys(problem for problem in loaded.problems if problem not in told))
            return LoadedSettings(loaded.settings, new, loaded.origins, loaded.good)
