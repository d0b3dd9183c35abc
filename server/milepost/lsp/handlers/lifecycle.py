"""The beginning and the end of a client's session, its settings, and the cancel of progress."""

from __future__ import annotations

import contextlib
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from milepost.errors import InvalidParams
from milepost.lsp.client import ClientFeatures
from milepost.lsp.handlers.requests import NAMES
from milepost.lsp.pauses import collect_when_idle, trim_after_work
from milepost.lsp.position import units_of
from milepost.lsp.session import Session
from milepost.lsp.settings import SECTION
from milepost.lsp.watch import watch_files, watch_parent
from milepost.uris import path_of_uri


def register(server: LanguageServer, session: Session) -> None:
    """Register the handlers on the server of one client."""
    protocol = session.protocol

    def set_roots(roots: tuple[str, ...]) -> None:
        session.roots = roots
        session.settings.set_workspaces(roots)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        raw = protocol.initialize_params
        session.client = ClientFeatures.of(raw.get("capabilities"))
        session.units = units_of(protocol.workspace.position_encoding)
        set_roots(_roots_of(raw))
        session.settings.set_initial(raw.get("initializationOptions"))
        session.started()

    def announce(result: types.InitializeResult) -> None:
        capabilities = result.capabilities
        capabilities.experimental = {"milepost": {"requests": [f"milepost/{name}" for name in NAMES]}}
        if session.client.dynamic_symbols:
            # Registered later instead: only what is registered can be taken back, which is how symbols are refreshed.
            capabilities.document_symbol_provider = None

    protocol.initialize_options = announce

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        session.jobs.spawn("set up", _set_up(session))
        session.jobs.spawn("watch files", watch_files(session))
        session.jobs.spawn("collect garbage", collect_when_idle(session.idle_s))
        session.jobs.spawn("give memory back", trim_after_work(lambda: session.jobs.ended, session.jobs.short))
        if params is not None and server.process_id is not None:
            session.jobs.spawn("watch parent", watch_parent(server.process_id, protocol.exited))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if session.client.answers_configuration:
            await _pull_settings(session)
        else:
            session.settings.set_configured(params.settings)
        session.refresher.refresh()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        set_roots(_roots_of({"workspaceFolders": [{"uri": uri} for uri in protocol.workspace.folders]}))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        # Which files does not matter: those that are shown are few, and looked at one by one.
        session.outlines.look_again.set()

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def progress_cancel(params: types.WorkDoneProgressCancelParams) -> None:
        session.progress.cancel(params.token)

    @server.feature(types.SHUTDOWN)
    def shutdown(params: Any) -> None:
        session.jobs.stop_all()


async def _set_up(session: Session) -> None:
    client = session.client
    if client.answers_configuration:
        await _pull_settings(session)
    session.configured.set()
    if client.dynamic_symbols:
        await session.refresher.register_symbols()
    if client.dynamic_configuration:
        registration = types.Registration(
            id="milepost-configuration",
            method=types.WORKSPACE_DID_CHANGE_CONFIGURATION,
            register_options={"section": SECTION},
        )
        await session.protocol.ask(
            types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams(registrations=[registration])
        )


async def _pull_settings(session: Session) -> None:
    params = types.ConfigurationParams(items=[types.ConfigurationItem(section=SECTION)])
    answered, values = await session.protocol.ask(types.WORKSPACE_CONFIGURATION, params)
    if answered and isinstance(values, list) and values and values[0] is not None:
        session.settings.set_configured({SECTION: values[0]})


def _roots_of(params: dict[str, Any]) -> tuple[str, ...]:
    """The folders of the workspace, as far as they are on this machine; the older ways to name one only without them."""
    folders = params.get("workspaceFolders")
    uris = [folder.get("uri") for folder in folders if isinstance(folder, dict)] if isinstance(folders, list) else []
    roots = []
    for uri in uris or [params.get("rootUri")]:
        if isinstance(uri, str):
            with contextlib.suppress(InvalidParams):
                roots.append(path_of_uri(uri))
    root = params.get("rootPath")
    if not roots and isinstance(root, str) and root:
        roots.append(root)
    return tuple(root for root in roots if root is not None)
