"""JSON Schemas of the wire and of the settings, committed so that clients can be built and checked against them.

`lsp.json` is what goes over LSP (camelCase; the client's TypeScript types are generated from it), `cli.json` the same
messages as `--json` and MCP spell them (snake_case), `settings.json` the settings. `x-requests` and `x-notifications`
say which message is which. Run `python -m milepost.schemas --write` after a change of a model.
"""

from __future__ import annotations

from milepost.schemas.generate import build_schemas, schema_folder

__all__ = ["build_schemas", "schema_folder"]
