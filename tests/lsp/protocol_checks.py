"""What every message of the server must be: of LSP or of Milepost's own schema, and such that this client can take it.

What pytest-lsp finds that the client cannot do is a warning, and warnings are errors in these tests (pyproject.toml).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from lsprotocol import converters, types
from pytest_lsp.checks import check_params_against_client_capabilities, check_result_against_client_capabilities
from raw_client import Message

SCHEMAS = Path(__file__).parents[2] / "server" / "milepost" / "schemas" / "lsp.json"

CONVERTER = converters.get_converter()

#: What a server may send only to a client that says so.
ALLOWED_BY = {
    "window/workDoneProgress/create": "window.workDoneProgress",
    "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
    "workspace/foldingRange/refresh": "workspace.foldingRange.refreshSupport",
    "workspace/configuration": "workspace.configuration",
}
REGISTERED_BY = {
    "textDocument/documentSymbol": "textDocument.documentSymbol.dynamicRegistration",
    "workspace/didChangeConfiguration": "workspace.didChangeConfiguration.dynamicRegistration",
}


def at(value: Any, path: str) -> Any:
    """The value at a dotted path, None where there is none."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


class ProtocolChecks:
    """Checks each message that came in one conversation; `checked` counts them by what they are."""

    def __init__(self, capabilities: Message) -> None:
        self.checked: dict[str, int] = {}
        self._capabilities = capabilities
        self._known = CONVERTER.structure(capabilities, types.ClientCapabilities)
        schemas = json.loads(SCHEMAS.read_text(encoding="utf-8"))
        of = {"$schema": schemas["$schema"], "$defs": schemas["$defs"]}
        self._replies = {one["method"]: Draft202012Validator({**of, **one["result"]}) for one in schemas["x-requests"]}
        self._notes = {
            one["method"]: Draft202012Validator({**of, **one["params"]}) for one in schemas["x-notifications"]
        }
        self._error = Draft202012Validator({**of, "$ref": "#/$defs/ErrorData"})
        self._begun: set[int | str] = set()

    def check(self, message: Message, asked: Message | None) -> None:
        """Check a message; `asked` is the request that it answers, None where it is no answer."""
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            self._count(message["method"])
            self._check_sent(message)
        else:
            assert asked is not None, "an answer to nothing"
            name = name_of(asked)
            self._count(f"{name}: error" if "error" in message else name)
            self._check_answer(message, asked, name)

    def end(self) -> None:
        """After the last message: whatever was begun was ended."""
        assert not self._begun

    def _count(self, name: str) -> None:
        self.checked[name] = self.checked.get(name, 0) + 1

    def _check_sent(self, message: Message) -> None:
        method = message["method"]
        if method in self._notes:
            self._notes[method].validate(message["params"])
            return
        structured: Any = CONVERTER.structure(message, types.METHOD_TO_TYPES[method][0])
        check_params_against_client_capabilities(self._known, method, structured.params)
        if method in ALLOWED_BY:
            assert at(self._capabilities, ALLOWED_BY[method]), method
        if method == "client/registerCapability":
            for registration in message["params"]["registrations"]:
                assert at(self._capabilities, REGISTERED_BY[registration["method"]]), registration
        if method == "$/progress":
            self._check_progress(message["params"]["token"], message["params"]["value"]["kind"])

    def _check_progress(self, token: int | str, kind: str) -> None:
        """Begin comes before all else, and an end ends it."""
        assert (token in self._begun) != (kind == "begin"), (token, kind)
        if kind == "begin":
            self._begun.add(token)
        elif kind == "end":
            self._begun.remove(token)

    def _check_answer(self, message: Message, asked: Message, name: str) -> None:
        if "error" in message:
            CONVERTER.structure(message, types.ResponseErrorMessage)
            assert message["error"]["message"].strip()
            self._error.validate(message["error"]["data"])
            return
        if name in self._replies:
            self._replies[name].validate(message["result"])
        kinds = types.METHOD_TO_TYPES.get(asked["method"])
        if kinds is not None:
            structured: Any = CONVERTER.structure(message, kinds[1])
            check_result_against_client_capabilities(self._known, asked["method"], structured.result)


def name_of(asked: Message) -> str:
    """What was asked: a command of Milepost's goes by the name of the request that it is."""
    if asked["method"] != "workspace/executeCommand":
        return str(asked["method"])
    return str(asked["params"]["command"]).replace("milepost.", "milepost/")
