"""The language server on standard streams, with one request more: `test/text` gives the text of an open document."""

from __future__ import annotations

from typing import Any

from milepost.lsp import app
from milepost.lsp.session import EngineFactory
from milepost.uris import key_of_uri


def main() -> None:
    """Serve, and tell."""
    create = app.create_server

    def create_telling(make_engine: EngineFactory) -> app.MilepostServer:
        server = create(make_engine)

        @server.feature("test/text")
        def text(params: Any) -> str:
            document = server.session.documents.get(key_of_uri(params["uri"]))
            assert document is not None
            return "".join(document.snapshot().texts())

        return server

    app.create_server = create_telling  # type: ignore[assignment]
    app.run_stdio()


if __name__ == "__main__":
    main()
