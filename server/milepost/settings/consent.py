"""Which hosts the user has agreed to send text to: a file of one host a line beside the user's settings."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import urlsplit

from milepost.settings.layers import user_settings_file
from milepost.settings.models import ModelSettings

_MAX_FILE_BYTES = 64 << 10


def consent_file() -> Path:
    """The file; it need not exist."""
    return user_settings_file().with_name("allowed-hosts")


def host_of(settings: ModelSettings) -> str:
    """Where the settings would have text sent: a host, with its port where that is written out."""
    return urlsplit(settings.base_url).netloc


def is_allowed(host: str, settings: ModelSettings) -> bool:
    """Whether text may be sent to this host, by the settings or by what the user said earlier."""
    return host.lower() in {one.strip().lower() for one in (*settings.allowed_hosts, *_remembered())}


def remember_host(host: str) -> None:
    """Note that the user has agreed to this host. Where that cannot be written, they are asked again the next time."""
    with contextlib.suppress(OSError):
        path = consent_file()
        path.parent.mkdir(parents=True, exist_ok=True)
        hosts = [*_remembered(), host]
        part = path.with_name(f"{path.name}.{os.getpid()}")
        part.write_text("".join(f"{one}\n" for one in dict.fromkeys(hosts)), "utf-8")
        part.replace(path)


def _remembered() -> list[str]:
    try:
        with consent_file().open("rb") as file:
            text = file.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip()]
