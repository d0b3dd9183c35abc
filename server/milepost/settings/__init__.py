"""Settings: what can be set, where it comes from, and what happens to a value that cannot be used.

Layers, the weakest first: defaults, the user's file, `.milepost.toml` in the workspace, the editor, the command line.
Settings are handed on as a value; nothing here is global.
"""

from __future__ import annotations

from milepost.settings.consent import consent_file, host_of, is_allowed, remember_host
from milepost.settings.layers import (
    WORKSPACE_FILE,
    Layer,
    command_line_layer,
    editor_layer,
    user_layer,
    user_settings_file,
    workspace_layer,
)
from milepost.settings.load import API_KEY_VARIABLES, LoadedSettings, SettingsStore, load_settings, read_api_key
from milepost.settings.models import (
    CacheSettings,
    ChunkSettings,
    DebugSettings,
    FormatSettings,
    LimitSettings,
    ModelSettings,
    OutlineSettings,
    Settings,
    SummarizeSettings,
)

__all__ = [
    "API_KEY_VARIABLES",
    "WORKSPACE_FILE",
    "CacheSettings",
    "ChunkSettings",
    "DebugSettings",
    "FormatSettings",
    "Layer",
    "LimitSettings",
    "LoadedSettings",
    "ModelSettings",
    "OutlineSettings",
    "Settings",
    "SettingsStore",
    "SummarizeSettings",
    "command_line_layer",
    "consent_file",
    "editor_layer",
    "host_of",
    "is_allowed",
    "load_settings",
    "read_api_key",
    "remember_host",
    "user_layer",
    "user_settings_file",
    "workspace_layer",
]
