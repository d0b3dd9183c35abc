"""`milepost doctor`: what Milepost finds on this machine, for a person who wonders why something does not work.

It says nothing secret (no key, no path of an endpoint), so that its output can stand in a report.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module, metadata
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from milepost import __version__
from milepost.cli.configuration import read_settings
from milepost.cli.numbers import count_text
from milepost.cli.terminal import Terminal
from milepost.settings import WORKSPACE_FILE, LoadedSettings, read_api_key, user_settings_file

#: The libraries by the names of their distributions, and the module that shows whether they load here.
LIBRARIES = {
    "numpy": "numpy",
    "hyperscan": "hyperscan",
    "xxhash": "xxhash",
    "charset-normalizer": "charset_normalizer",
    "pydantic": "pydantic",
    "pygls": "pygls.lsp.server",
    "lsprotocol": "lsprotocol.types",
    "rich": "rich",
    "platformdirs": "platformdirs",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what it is, how it stands, and whether that is as it should be."""

    name: str
    value: str
    ok: bool = True


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Write the findings; 1 where something is not as it should be."""
    loaded = read_settings(options.assignments)
    findings = [*_program(), *_libraries(), *_settings(loaded), _model(loaded), *_terminal(terminal), _cache()]
    bad = [finding.name for finding in findings if not finding.ok]
    if options.json:
        report = {"ok": not bad, "findings": [asdict(finding) for finding in findings]}
        terminal.write_bytes(json.dumps(report, ensure_ascii=True).encode() + b"\n")
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            mark = terminal.paint("ok     ", "good") if finding.ok else terminal.paint("problem", "error")
            terminal.write(f"{mark}  {finding.name:<{width}}  {terminal.plain(finding.value)}\n")
    if bad:
        terminal.notice(f"milepost: {count_text(len(bad), 'problem')}: {', '.join(bad)}.")
    return 1 if bad else 0


def _program() -> Iterator[Finding]:
    yield Finding("milepost", __version__)
    yield Finding("Python", f"{platform.python_version()} at {sys.executable}")
    yield Finding("system", f"{platform.system()} {platform.release()} {platform.machine()}")


def _libraries() -> Iterator[Finding]:
    for distribution, module in LIBRARIES.items():
        yield _library(distribution, module)


def _library(distribution: str, module: str) -> Finding:
    try:
        import_module(module)
        return Finding(distribution, metadata.version(distribution))
    except (ImportError, OSError) as error:
        return Finding(distribution, f"cannot be loaded: {error}", ok=False)


def _settings(loaded: LoadedSettings) -> Iterator[Finding]:
    for name, path in (("user settings", user_settings_file()), ("folder settings", Path.cwd() / WORKSPACE_FILE)):
        yield Finding(name, f"{path}" if path.is_file() else f"{path} (not there: defaults hold)")
    yield Finding("settings changed", ", ".join(sorted(loaded.origins)) or "none")
    for problem in loaded.problems:
        yield Finding("settings", problem, ok=False)


def _model(loaded: LoadedSettings) -> Finding:
    model = loaded.settings.model
    if not model.base_url:
        return Finding("model", "none: Milepost works offline, nothing leaves this machine")
    host = urlsplit(model.base_url).hostname
    key = "a key is set" if read_api_key() is not None else "no key is set"
    return Finding("model", f"{model.name or 'not named'} at {host}, {key}", ok=bool(model.name))


def _terminal(terminal: Terminal) -> Iterator[Finding]:
    kind = "a terminal" if terminal.is_terminal else "no terminal"
    color = "colours" if terminal.color else "no colours"
    yield Finding("output", f"{kind}, {terminal.width} columns, {color}, {terminal.encoding}")
    yield Finding("file names", sys.getfilesystemencoding())


def _cache() -> Finding:
    folder = platformdirs.user_cache_path("milepost", appauthor=False)
    nearest = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    writable = nearest.is_dir() and os.access(nearest, os.W_OK)
    return Finding("cache", f"{folder}, {'writable' if writable else 'not writable'}", ok=writable)
