"""The VS Code extension and the server agree: on the wire, on settings and their defaults, on the names of commands."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from milepost.schemas import build_schemas
from milepost.settings import Settings, editor_layer, load_settings
from milepost.wire import METHODS

CLIENT = Path(__file__).resolve().parents[2] / "client-vscode"
MANIFEST: dict[str, Any] = json.loads((CLIENT / "package.json").read_text("utf-8"))

#: Settings of the extension itself; the other groups are the server's.
CLIENT_GROUPS = {"server", "view", "rangeWindow", "trace"}

#: Settings of the server that no editor may set.
NOT_IN_EDITORS: set[str] = set()


def editor_settings() -> dict[str, dict[str, Any]]:
    """The settings that package.json offers, by their names without `milepost.`."""
    groups = MANIFEST["contributes"]["configuration"]
    return {name.removeprefix("milepost."): schema for group in groups for name, schema in group["properties"].items()}


def server_settings() -> dict[str, dict[str, Any]]:
    """The settings of the server in the editor's spelling, each with its schema and default."""
    schema = build_schemas()["settings.json"]
    found = {}
    for group, field in Settings.model_fields.items():
        model = field.annotation
        assert model is not None
        defaults = json.loads(field.get_default().model_dump_json())
        for name, inner in schema["$defs"][model.__name__]["properties"].items():
            found[f"{camel(group)}.{camel(name)}"] = {**inner, "default": defaults[name]}
    return found


def camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


EDITOR = editor_settings()
SERVER = server_settings()
OF_SERVER = sorted(name for name in EDITOR if name.partition(".")[0] not in CLIENT_GROUPS)


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_protocol", CLIENT / "scripts" / "generate_protocol.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_clients_types_are_the_wire(generator: ModuleType) -> None:
    committed = (CLIENT / "src" / "protocol.generated.ts").read_text("utf-8")
    assert committed == generator.generate(build_schemas()["lsp.json"]), (
        "run: python -m milepost.schemas --write && python client-vscode/scripts/generate_protocol.py --write"
    )


def test_every_setting_of_the_server_can_be_set_in_the_editor() -> None:
    assert set(OF_SERVER) == set(SERVER) - NOT_IN_EDITORS


@pytest.mark.parametrize("name", OF_SERVER)
def test_a_setting_has_the_same_default_type_and_bounds_on_both_sides(name: str) -> None:
    ours, theirs = EDITOR[name], SERVER[name]
    assert ours["default"] == theirs["default"]
    assert ours["type"] == theirs["type"]
    for bound in ("minimum", "maximum", "exclusiveMinimum"):
        assert ours.get(bound) == theirs.get(bound), bound


@pytest.mark.parametrize("name", sorted(EDITOR))
def test_a_setting_says_what_it_is_for(name: str) -> None:
    description = EDITOR[name]["markdownDescription"]
    assert re.match(r"[A-Z`].{20,}\.( \[.*\))?$", description, re.DOTALL), description


def test_the_server_takes_the_editors_defaults_without_a_word() -> None:
    values = {name: EDITOR[name]["default"] for name in OF_SERVER}
    loaded = load_settings([editor_layer(values)])
    assert loaded.problems == ()
    assert loaded.settings == Settings()


def test_the_clients_own_groups_are_none_of_the_servers() -> None:
    assert not CLIENT_GROUPS & {camel(group) for group in Settings.model_fields}


def test_what_is_sent_where_and_what_is_started_is_not_taken_from_an_untrusted_workspace() -> None:
    restricted = set(MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"])
    named = {f"milepost.{name}" for name in EDITOR}
    assert restricted <= named
    assert restricted >= {name for name in named if name.startswith("milepost.server.")}
    assert restricted >= {f"milepost.model.{name}" for name in ("baseUrl", "name", "allowedHosts")}


def test_no_command_of_the_extension_is_one_of_the_servers() -> None:
    ours = {command["command"] for command in MANIFEST["contributes"]["commands"]}
    assert not ours & {method.command for method in METHODS}


def test_the_extension_has_the_servers_version() -> None:
    from milepost import __version__

    assert MANIFEST["version"] == __version__


def test_no_lock_file_names_a_registry() -> None:
    for lock in (CLIENT / "package-lock.json", CLIENT.parent / "tests" / "e2e" / "package-lock.json"):
        packages = json.loads(lock.read_text("utf-8"))["packages"]
        assert not [name for name, entry in packages.items() if "resolved" in entry], lock
