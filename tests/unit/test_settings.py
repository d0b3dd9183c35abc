"""Settings come in layers; one bad value costs nothing but itself and is named once."""

from __future__ import annotations

from pathlib import Path

import pytest

from milepost.settings import (
    Layer,
    LimitSettings,
    Settings,
    SettingsStore,
    command_line_layer,
    editor_layer,
    load_settings,
    read_api_key,
    user_layer,
    user_settings_file,
    workspace_layer,
)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_defaults_are_those_of_the_design() -> None:
    loaded = load_settings([])
    assert loaded.problems == ()
    assert loaded.origins == {}
    settings = loaded.settings
    assert settings == Settings()
    assert (settings.outline.min_bytes, settings.outline.max_nodes) == (98_304, 5_000)
    assert settings.limits == LimitSettings(
        default_max_bytes=16_384, per_command={"summarize": 8_192, "read": 32_768, "find": 8_192}
    )
    assert (settings.chunks.target_bytes, settings.chunks.context_bytes) == (180_000, 800)
    assert settings.summarize.small_file_bytes == 98_304
    assert settings.model.base_url == "", "nothing leaves the machine unless it is told to"


def test_the_cap_of_a_command() -> None:
    limits = Settings().limits
    assert [limits.max_bytes("read"), limits.max_bytes("outline"), limits.max_bytes("read", 7)] == [32_768, 16_384, 7]
    assert limits.max_bytes("read", 0) == 0


def test_a_stronger_layer_wins_value_by_value(tmp_path: Path) -> None:
    write(user_settings_file(), "[outline]\nmin_bytes = 1\nmax_nodes = 1\n[limits.per_command]\nread = 1\nfind = 1\n")
    write(tmp_path / ".milepost.toml", "[outline]\nmax_nodes = 2\nnever = ['csv']\n[limits.per_command]\nread = 2\n")
    layers = [
        user_layer(),
        workspace_layer(tmp_path),
        editor_layer({"outline": {"maxNodes": 3, "always": []}}),
        command_line_layer(["outline.max_nodes=4", "chunks.target_bytes=5"]),
    ]
    loaded = load_settings(layers)
    assert loaded.problems == ()
    outline, limits = loaded.settings.outline, loaded.settings.limits
    assert (outline.min_bytes, outline.max_nodes, outline.never, outline.always) == (1, 4, ("csv",), ())
    assert limits.per_command == {"find": 1, "read": 2, "summarize": 8_192}, "tables add up over the layers"
    assert loaded.settings.chunks.target_bytes == 5
    assert loaded.origins["outline.max_nodes"] == "--set"
    assert loaded.origins["limits.per_command.find"] == str(user_settings_file())


@pytest.mark.parametrize(
    "values",
    [
        {"limits": {"perCommand": {"resolveAnchor": 5}}, "formats": {"bySuffix": {".myLog": "log"}}},
        {"limits": {"per_command": {"resolve_anchor": 5}}, "formats": {"by_suffix": {".myLog": "log"}}},
        {"limits.perCommand": {"resolveAnchor": 5}, "formats.bySuffix": {".myLog": "log"}},
        {"milepost": {"limits": {"perCommand": {"resolveAnchor": 5}}, "formats": {"bySuffix": {".myLog": "log"}}}},
        {"milepost.limits.perCommand": {"resolveAnchor": 5}, "milepost.formats.bySuffix": {".myLog": "log"}},
    ],
)
def test_an_editor_may_spell_as_it_likes(values: dict[str, object]) -> None:
    loaded = load_settings([editor_layer({**values, "trace": "off", "server": {"command": ["milepost"]}})])
    assert loaded.problems == (), "settings for the editor's own side are not ours to judge"
    assert loaded.settings.limits.per_command["resolve_anchor"] == 5
    assert loaded.settings.formats.by_suffix == {".myLog": "log"}, "names of data keep their spelling"


@pytest.mark.parametrize(
    "assignment, group, name, value",
    [
        ("outline.min_bytes=0", "outline", "min_bytes", 0),
        ("outline.never=log,csv", "outline", "never", ("log", "csv")),
        ('outline.never=["log"]', "outline", "never", ("log",)),
        ("outline.never=", "outline", "never", ()),
        ("model.name=5", "model", "name", "5"),
        ("model.name=a=b", "model", "name", "a=b"),
        ("model.timeoutS=2.5", "model", "timeout_s", 2.5),
        ("model.base_url=http://localhost:8080/v1", "model", "base_url", "http://localhost:8080/v1"),
        ("formats.by_suffix..trace=log", "formats", "by_suffix", {".trace": "log"}),
    ],
)
def test_values_of_a_command_line(assignment: str, group: str, name: str, value: object) -> None:
    loaded = load_settings([command_line_layer([assignment])])
    assert loaded.problems == ()
    assert getattr(getattr(loaded.settings, group), name) == value


BAD = [
    ({"outline": {"max_nodes": "many"}}, "outline.max_nodes in x must be a whole number"),
    ({"outline": {"max_nodes": 0}}, "outline.max_nodes in x must be greater than or equal to 1"),
    ({"outline": {"max_nodes": True}}, "outline.max_nodes in x must be a whole number"),
    ({"outline": {"always": "log"}}, "outline.always in x must be a list of texts"),
    ({"outline": {"always": [1]}}, "outline.always in x must be a text"),
    ({"outline": 5}, "outline in x must be a table of settings"),
    ({"outline": {"maxnodes": 5}}, "unknown setting outline.maxnodes in x"),
    ({"outlines": {}}, "unknown setting outlines in x"),
    ({"limits": {"per_command": 5}}, "limits.per_command in x must be a table"),
    ({"limits": {"per_command": {"read": -1}}}, "limits.per_command.read in x must be greater than or equal to 0"),
    ({"limits": {"per_command": {"reed": 5}}}, "unknown command reed under limits.per_command in x"),
    ({"model": {"timeout_s": float("nan")}}, "model.timeout_s in x must be a value that JSON knows"),
    ({"model": {"base_url": "localhost:8080"}}, "model.base_url in x must be an http:// or https:// address"),
    ({"model": {"base_url": "https://me:s3cret@host/"}}, "model.base_url in x must be an address without a name or"),
    ({"model": {"base_url": "https://[/"}}, "model.base_url in x must be an http:// or https:// address"),
    ({"model": {"api_key": "s3cret"}}, "model.api_key in x is not used: set MILEPOST_API_KEY in the environment"),
    ({"model": {"apiKey": "s3cret"}}, "model.api_key in x is not used: set MILEPOST_API_KEY in the environment"),
]


@pytest.mark.parametrize("values, sentence", BAD)
def test_a_bad_value_is_named_and_costs_nothing_else(values: dict[str, object], sentence: str) -> None:
    loaded = load_settings([Layer("x", values), Layer("y", {"chunks": {"context_bytes": 7}})])
    assert len(loaded.problems) == 1
    assert loaded.problems[0].startswith(sentence)
    assert "s3cret" not in repr(loaded)
    assert loaded.settings == load_settings([Layer("y", {"chunks": {"context_bytes": 7}})]).settings


def test_a_wrong_assignment_is_a_problem() -> None:
    assert load_settings([command_line_layer(["outline.max_nodes"])]).problems == (
        "--set needs KEY=VALUE, as in --set outline.max_nodes=500",
    )


@pytest.mark.parametrize(
    "content, sentence",
    [
        (b"outline = [", "is not valid TOML and was not read"),
        (b"x = '\xff'", "is not UTF-8 and was not read"),
        (b"#" * (2 << 20), "is larger than"),
    ],
)
def test_a_broken_file_is_a_problem(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    (problem,) = load_settings([user_layer(path)]).problems
    assert problem.startswith(f"{path} {sentence}")


def test_no_file_and_a_folder_in_its_place(tmp_path: Path) -> None:
    assert load_settings([user_layer(tmp_path / "none.toml"), workspace_layer(tmp_path)]).problems == ()
    assert "cannot be read" in load_settings([user_layer(tmp_path)]).problems[0]


def test_a_workspace_does_not_say_where_text_is_sent_unless_it_is_trusted(tmp_path: Path) -> None:
    write(tmp_path / ".milepost.toml", "model.base_url = 'https://elsewhere.example/v1'\noutline.max_nodes = 5\n")
    untrusted = load_settings([workspace_layer(tmp_path)])
    assert untrusted.settings.model.base_url == ""
    assert untrusted.settings.outline.max_nodes == 5
    assert untrusted.problems[0].endswith("is not used: the workspace is not trusted")
    trusted = load_settings([workspace_layer(tmp_path, is_trusted=True)])
    assert trusted.settings.model.base_url == "https://elsewhere.example/v1"


def test_a_bad_value_keeps_the_last_good_one_and_is_told_once(tmp_path: Path) -> None:
    store = SettingsStore()
    path = write(tmp_path / "config.toml", "outline.max_nodes = 7\nchunks.context_bytes = 1")
    assert store.update([user_layer(path)]).problems == ()
    write(path, "outline.max_nodes = 'x'\nchunks.context_bytes = 2")
    first = store.update([user_layer(path)])
    assert len(first.problems) == 1
    assert (store.current.outline.max_nodes, store.current.chunks.context_bytes) == (7, 2)
    assert store.update([user_layer(path)]).problems == (), "told already"
    write(path, "not toml at all")
    assert len(store.update([user_layer(path)]).problems) == 1
    assert (store.current.outline.max_nodes, store.current.chunks.context_bytes) == (7, 2), "the file as it last was"
    write(path, "outline.max_nodes = 'x'")
    assert len(store.update([user_layer(path)]).problems) == 1, "told again, since it had gone away"
    assert (store.current.outline.max_nodes, store.current.chunks.context_bytes) == (7, 800)
    write(path, "")
    store.update([user_layer(path)])
    assert store.current == Settings(), "what was taken out is gone"


def test_the_key_comes_from_the_environment_and_is_never_shown() -> None:
    assert read_api_key({}) is None
    assert read_api_key({"MILEPOST_API_KEY": " "}) is None
    key = read_api_key({"OPENAI_API_KEY": "sk-other", "MILEPOST_API_KEY": "sk-mine"})
    assert key is not None
    assert key.get_secret_value() == "sk-mine"
    assert "sk-mine" not in f"{key} {key!r}"
    assert "key" not in Settings().model_dump_json()
