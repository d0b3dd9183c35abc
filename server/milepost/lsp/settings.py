"""The settings of one client: what its editor says, on top of the user's and the workspace's files.

The files are looked at again at each request, in the thread that answers it; the models behind the settings (pydantic)
are loaded there too, at the first request.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from milepost.settings import Layer, Settings, SettingsStore

#: The section of `workspace/configuration`.
SECTION = "milepost"

_FileStamp = tuple[int, int] | None


class EditorSettings:
    """Reads the layers when one of them has changed. `on_problems` is told, in any thread, what could not be used."""

    def __init__(self, on_problems: Callable[[Sequence[str]], None]) -> None:
        self._on_problems = on_problems
        self._lock = threading.Lock()
        self._workspaces: tuple[str, ...] = ()
        self._initial: Any = None
        self._configured: Any = None
        self._store: SettingsStore | None = None
        self._read_from: object = None
        self._generation = 0

    def set_workspaces(self, folders: tuple[str, ...]) -> None:
        """The folders whose `.milepost.toml` hold, for all files; where two say something else, the first is right."""
        self._workspaces = folders
        self._generation += 1

    def set_initial(self, values: Any) -> None:
        """What came as `initializationOptions`."""
        self._initial = values
        self._generation += 1

    def set_configured(self, values: Any) -> None:
        """What the client answered to `workspace/configuration` or sent on a change; stronger than the initial."""
        self._configured = values
        self._generation += 1

    def current(self) -> Settings:
        """The settings as they were last read. Cheap."""
        store = self._store
        return store.current if store is not None else self.read_blocking()

    def read_blocking(self) -> Settings:
        """The settings, read again where a file or the editor's values have changed."""
        from milepost.settings import SettingsStore, editor_layer, user_layer, user_settings_file, workspace_layer
        from milepost.settings.layers import WORKSPACE_FILE

        with self._lock:
            files = [str(user_settings_file())]
            files += [os.path.join(folder, WORKSPACE_FILE) for folder in self._workspaces]
            read_from = (self._generation, tuple(files), tuple(_stamp(file) for file in files))
            if self._store is None:
                self._store = SettingsStore()
            if read_from != self._read_from:
                layers: list[Layer] = [user_layer()]
                layers += [workspace_layer(Path(folder)) for folder in reversed(self._workspaces)]
                layers += [editor_layer(values) for values in (self._initial, self._configured) if values is not None]
                problems = self._store.update(layers).problems
                self._read_from = read_from
                if problems:
                    self._on_problems(problems)
            return self._store.current


def _stamp(file: str) -> _FileStamp:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size
