"""Writes `src/protocol.generated.ts`, the wire in TypeScript, from the server's JSON Schemas.

`python scripts/generate_protocol.py --write` writes it; a contract test compares it with what this makes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_CLIENT = Path(__file__).resolve().parents[1]
SCHEMA = _CLIENT.parent / "server" / "milepost" / "schemas" / "lsp.json"
TARGET = _CLIENT / "src" / "protocol.generated.ts"

_SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def generate(schema: dict[str, Any]) -> str:
    """The TypeScript text for the messages of `lsp.json`."""
    lines = [
        "// Made from server/milepost/schemas/lsp.json by scripts/generate_protocol.py: change the models, not this file.",
        "",
    ]
    for name, definition in sorted(schema["$defs"].items()):
        lines += _interface(name, definition)
    lines += ["/** Every request: what it takes and what it gives. */", "export interface Requests {"]
    for request in schema["x-requests"]:
        lines.append(
            f"  '{request['method']}': {{ params: {_type(request['params'])}; result: {_type(request['result'])} }};"
        )
    lines += ["}", "", "/** Every notification and what it carries. */", "export interface Notifications {"]
    for notification in schema["x-notifications"]:
        lines.append(f"  '{notification['method']}': {_type(notification['params'])};")
    lines += ["}", "", "/** The ids under which the server takes its requests as commands. */"]
    lines.append("export const SERVER_COMMANDS = [")
    lines += [f"  '{request['command']}'," for request in schema["x-requests"]]
    lines += ["] as const;", ""]
    return "\n".join(lines)


def _interface(name: str, definition: dict[str, Any]) -> Iterator[str]:
    yield from _comment(definition.get("description", ""), "")
    yield f"export interface {name} {{"
    required = set(definition.get("required", ()))
    for field, schema in definition.get("properties", {}).items():
        yield from _comment(schema.get("description", ""), "  ")
        yield f"  {field}{'' if field in required else '?'}: {_type(schema)};"
    yield "}"
    yield ""


def _comment(text: str, indent: str) -> Iterator[str]:
    lines = text.replace("*/", "* /").splitlines()
    if len(lines) == 1:
        yield f"{indent}/** {lines[0]} */"
    elif lines:
        yield f"{indent}/**"
        yield from (f"{indent} * {line}".rstrip() for line in lines)
        yield f"{indent} */"


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return _literal(schema["const"])
    if "enum" in schema:
        return " | ".join(_literal(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(choice) for choice in schema["anyOf"]))
    kind = schema.get("type")
    if kind == "array":
        items = _type(schema.get("items", {}))
        return f"({items})[]" if " " in items else f"{items}[]"
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"Record<string, {_type(inner) if isinstance(inner, dict) else 'unknown'}>"
    return _SCALARS.get(str(kind), "unknown")


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else json.dumps(value)


def main() -> None:
    """Write the file with `--write`, else print it."""
    text = generate(json.loads(SCHEMA.read_text("utf-8")))
    if "--write" in sys.argv[1:]:
        TARGET.write_text(text, "utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
