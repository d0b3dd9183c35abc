"""Telling the client that what it was given is no longer the best there is."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types

if TYPE_CHECKING:
    from milepost.core.outline import Outline
    from milepost.lsp.session import Session

OUTLINE_CHANGED = "milepost/outlineChanged"

#: Refreshes that come within this time go out as one.
COALESCE_S = 0.2


class Refresher:
    """Refreshes lenses, folding and symbols as far as the client can, a few changes at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._symbols_id: str | None = None
        self._pending: asyncio.Task[None] | None = None
        self._again = False

    # The notification

    def outline_complete(self, uri: str, outline: Outline) -> None:
        """The scan behind a provisional outline has ended."""
        self.notify(uri, outline.state, "exact", outline.total_lines, outline.total_bytes)
        self.refresh()

    def digests_came(self, uri: str, total_bytes: int, digests: Mapping[str, str]) -> None:
        """A summary that is under way has said something of these sections."""
        said = [{"id": section, "digest": digest} for section, digest in digests.items()]
        self.notify(uri, "exact", "digests", None, total_bytes, said)

    def notify(
        self,
        uri: str,
        state: str,
        reason: str,
        total_lines: int | None,
        total_bytes: int,
        digests: Sequence[Mapping[str, str]] = (),
    ) -> None:
        """Send `milepost/outlineChanged`."""
        params: dict[str, Any] = {
            "uri": uri,
            "state": state,
            "reason": reason,
            "totalLines": total_lines,
            "totalBytes": total_bytes,
        }
        if digests:
            params["digests"] = list(digests)
        self._session.protocol.notify(OUTLINE_CHANGED, params)

    # The features

    def refresh(self) -> None:
        """Have the client ask for symbols, lenses and folding again, soon."""
        if self._pending is not None and not self._pending.done():
            self._again = True
            return
        self._pending = self._session.jobs.spawn("refresh", self._refresh())

    async def _refresh(self) -> None:
        self._again = True
        while self._again:
            await asyncio.sleep(COALESCE_S)
            self._again = False
            client = self._session.client
            if client.refreshes_lenses:
                await self._session.protocol.ask(types.WORKSPACE_CODE_LENS_REFRESH, None)
            if client.refreshes_folding:
                await self._session.protocol.ask(types.WORKSPACE_FOLDING_RANGE_REFRESH, None)
            if self._symbols_id is not None:
                # LSP has no refresh for symbols: a provider that goes and comes back is asked again.
                await self._unregister_symbols(self._symbols_id)
                await self.register_symbols()

    async def register_symbols(self) -> None:
        """Offer document symbols by dynamic registration, so that they can be refreshed."""
        self._symbols_id = str(uuid.uuid4())
        registration = types.Registration(
            id=self._symbols_id,
            method=types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
            # No selector: the client's own. The label names the provider where an editor shows several.
            register_options={"documentSelector": None, "label": "Milepost"},
        )
        await self._session.protocol.ask(
            types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams(registrations=[registration])
        )

    async def _unregister_symbols(self, registration_id: str) -> None:
        gone = types.Unregistration(id=registration_id, method=types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
        await self._session.protocol.ask(
            types.CLIENT_UNREGISTER_CAPABILITY, types.UnregistrationParams(unregisterations=[gone])
        )
