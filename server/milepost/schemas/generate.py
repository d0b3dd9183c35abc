"""Builds the JSON Schemas from the models, with the models' own documentation as descriptions."""

from __future__ import annotations

import ast
import inspect
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from milepost import wire
from milepost.settings import Settings
from milepost.wire import Request, WireModel

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_folder() -> Path:
    """Where the committed schemas lie."""
    return Path(__file__).parent


def build_schemas() -> dict[str, dict[str, Any]]:
    """Each schema by its file's name, as the models are now."""
    return {
        "cli.json": _messages(camel=False),
        "lsp.json": _messages(camel=True),
        "settings.json": {"$schema": _DIALECT, **_finished(Settings.model_json_schema(), [Settings], camel=False)},
    }


def _messages(*, camel: bool) -> dict[str, Any]:
    models = [model for model in _all_models() if model not in (WireModel, Request, wire.Reply, wire.ReadingReply)]
    # In one mode for all: in both directions, a field is required unless it has a default.
    _, definitions = models_json_schema([(model, "validation") for model in models], by_alias=camel)
    requests = [
        {
            "name": method.name,
            "method": method.method,
            "command": method.command,
            "params": {"$ref": f"#/$defs/{method.request.__name__}"},
            "result": {"$ref": f"#/$defs/{method.reply.__name__}"},
        }
        for method in wire.METHODS
    ]
    changed = {"method": wire.OUTLINE_CHANGED, "params": {"$ref": f"#/$defs/{wire.OutlineChangedParams.__name__}"}}
    return {
        "$schema": _DIALECT,
        "title": "Milepost on LSP" if camel else "Milepost on the command line (--json) and for agents",
        "x-requests": requests,
        "x-notifications": [changed],
        **_finished(definitions, models, camel=camel),
    }


def _all_models() -> list[type[BaseModel]]:
    exported = (getattr(wire, name) for name in wire.__all__)
    return [value for value in exported if isinstance(value, type) and issubclass(value, BaseModel)]


def _finished(schema: dict[str, Any], models: list[type[BaseModel]], *, camel: bool) -> dict[str, Any]:
    """Descriptions put in; what is no part of a message taken out; `null` only where it is sent."""
    definitions: dict[str, dict[str, Any]] = schema.get("$defs", {})
    by_name = {model.__name__: model for model in _with_parts(models)}
    for name, definition in [*definitions.items(), (models[0].__name__, schema)]:
        model = by_name.get(name)
        if model is None or "properties" not in definition:
            continue
        documents = _field_documents(model)
        for field_name, field in model.model_fields.items():
            spelled = (field.alias or field_name) if camel else field_name
            if field.exclude:
                del definition["properties"][spelled]
                continue
            definition["properties"][spelled] = _finished_property(
                definition["properties"][spelled], documents[field_name], nullable=issubclass(model, Request)
            )
        definition.pop("title", None)
    return schema


def _finished_property(schema: dict[str, Any], description: str, *, nullable: bool) -> dict[str, Any]:
    finished = {name: value for name, value in schema.items() if name != "title"}
    if finished.get("default", ...) is None:
        # An absent field is left out of a reply, so null never comes; a request may have it for "not given".
        del finished["default"]
        choices = [choice for choice in finished.get("anyOf", []) if choice != {"type": "null"}]
        if not nullable and len(choices) == 1:
            del finished["anyOf"]
            finished = {**choices[0], **finished}
    return {"description": description, **finished}


def _with_parts(models: list[type[BaseModel]]) -> set[type[BaseModel]]:
    """The models and those that their fields hold."""
    found: set[type[BaseModel]] = set()
    waiting = list(models)
    while waiting:
        model = waiting.pop()
        if model in found:
            continue
        found.add(model)
        for field in model.model_fields.values():
            kind = field.annotation
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                waiting.append(kind)
    return found


def _field_documents(model: type[BaseModel]) -> dict[str, str]:
    """The text under each field of a model and of what it inherits from.

    Pydantic can do this by itself (`use_attribute_docstrings`), but would read the sources at every start of the
    command line.
    """
    documents: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if not base.__module__.startswith("milepost."):
            continue
        tree = ast.parse(inspect.getsource(sys.modules[base.__module__]))
        body = next(node.body for node in tree.body if isinstance(node, ast.ClassDef) and node.name == base.__name__)
        for field, text in pairwise(body):
            match field, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str() as document)):
                    documents[name] = inspect.cleandoc(document).replace("\n", " ")
    return documents
