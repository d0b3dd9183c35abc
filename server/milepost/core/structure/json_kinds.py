"""What a JSON document is for those who read it, and how its parts are called then.

A kind is recognised by the keys its specification requires, never by a file's name.
"""

from __future__ import annotations

from typing import Any

from milepost.core.outline import Node
from milepost.core.structure.json_values import Value, size_text
from milepost.core.text import clip_text

Path = tuple[str | int, ...]

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")


class Kind:
    """A document of no kind in particular, and what all kinds have: `title` says what the whole is ("": nothing to say).

    Made from the fields of the root and how many members its containers have.
    """

    title = ""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        """Say what the whole is."""

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        """Improve on the title, kind and digest of a member of the container at `path`."""

    def name_run(self, node: Node, first: Value, last: Value, path: Path) -> None:
        """Likewise for a run of members."""


def kind_named(name: str) -> Kind:
    """The kind of that class, for a part of a document; titles of the whole it has none."""
    kinds = {kind.__name__: kind for kind in (GeoJson, OpenApi, SourceMap, Trace, Har, Notebook, Lock)}
    return kinds.get(name, Kind)({}, {})


def recognise(fields: dict[str, Any], counts: dict[str, int], first_element: dict[str, Any]) -> Kind:
    """The kind of a document: `fields` are those of a root object, `counts` how many members its containers have,
    `first_element` the fields of the first element of a root array.
    """
    if fields.get("type") == "FeatureCollection" and "features" in fields:
        return GeoJson(fields, counts)
    if ("openapi" in fields or "swagger" in fields) and "paths" in fields:
        return OpenApi(fields, counts)
    if {"version", "mappings", "sources"} <= fields.keys():
        return SourceMap(fields, counts)
    if "traceEvents" in fields or {"ph", "ts"} <= first_element.keys():
        return Trace(fields, counts)
    log = fields.get("log")
    if isinstance(log, dict) and "entries" in log:
        return Har(fields, counts)
    if {"cells", "nbformat"} <= fields.keys():
        return Notebook(fields, counts)
    if "lockfileVersion" in fields or {"packages", "content-hash"} <= fields.keys():
        return Lock(fields, counts)
    return Kind(fields, counts)


class GeoJson(Kind):
    """RFC 7946."""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        self.title = f"GeoJSON, {counts.get('features', 0):,} features"

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        if path == ("features",):
            node.kind = "feature"
            geometry = value.fields.get("geometry")
            if isinstance(geometry, dict) and isinstance(geometry.get("type"), str):
                node.digest = f"{geometry['type']}, {size_text(value.size)}"
                node.facts["geometry"] = geometry["type"]


class OpenApi(Kind):
    """OpenAPI 3 and Swagger 2."""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        version = fields.get("openapi") or fields.get("swagger")
        info = fields.get("info")
        named = f": {info['title']}" if isinstance(info, dict) and isinstance(info.get("title"), str) else ""
        self.title = clip_text(f"OpenAPI {version}{named}, {counts.get('paths', 0):,} paths", 120)

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        if path == ("paths",) and value.key is not None:
            node.kind, node.title = "path", value.key
            methods = [key.upper() for key in value.fields if key in _METHODS]
            if methods:
                node.digest = f"{', '.join(methods)}; {size_text(value.size)}"
        elif len(path) == 2 and path[0] == "paths" and value.key in _METHODS:
            node.kind = "operation"
            summary = value.fields.get("summary") or value.fields.get("operationId") or ""
            node.title = f"{value.key.upper()} {path[1]}"
            node.label = node.title
            if isinstance(summary, str) and summary:
                node.title += f" — {summary}"
            operation = value.fields.get("operationId")
            if isinstance(operation, str):
                node.facts["operation_id"] = operation
        elif path in (("components", "schemas"), ("definitions",)) and value.key is not None:
            node.kind, node.title = "schema", value.key


class SourceMap(Kind):
    """ECMA-426."""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        name = fields.get("file")
        of = f" of {name}" if isinstance(name, str) and name else ""
        self.title = clip_text(f"source map{of}, {counts.get('sources', 0):,} sources", 120)
        sources = fields.get("sources")
        self._sources = sources if isinstance(sources, list) else []

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        if path == ("sourcesContent",) and index < len(self._sources):
            node.kind, node.title = "source", f"[{index}] {self._sources[index]}"
            node.label = node.title


class Trace(Kind):
    """Chrome's trace event format, as an object with `traceEvents` or a bare array."""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        events = counts.get("traceEvents", counts.get("", 0))
        self.title = f"trace, {events:,} events"

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        if path in (("traceEvents",), ()) and "ph" in value.fields:
            node.kind = "event"
            node.title = f"[{index}] {value.fields['ph']} {value.fields.get('name', '')}".rstrip()
            places = [f"{key} {value.fields[key]}" for key in ("pid", "tid", "ts", "dur") if key in value.fields]
            node.digest = ", ".join(places)

    def name_run(self, node: Node, first: Value, last: Value, path: Path) -> None:
        if path not in (("traceEvents",), ()) or "ph" not in first.fields:
            return
        node.facts["of"] = "event"
        begin, end = first.fields.get("ts"), last.fields.get("ts")
        node.digest = f"{node.count:,} events"
        if begin is not None and end is not None:
            node.facts["first_ts"], node.facts["last_ts"] = str(begin), str(end)
            node.digest += f", ts {begin} … {end}"
        ends = [value for value in (first, last) if value.fields]
        for key in ("pid", "tid"):
            seen = sorted({str(value.fields[key]) for value in ends if key in value.fields})
            if seen:
                node.digest += f", {key} {' … '.join(seen)}"


class Har(Kind):
    """HTTP archive 1.2."""

    title = "HTTP archive"

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        request, response = value.fields.get("request"), value.fields.get("response")
        if path == ("log", "entries") and isinstance(request, dict):
            status = f" {response['status']}" if isinstance(response, dict) and "status" in response else ""
            node.kind = "request"
            node.title = f"[{index}] {request.get('method', '')}{status} {request.get('url', '')}".rstrip()
            node.label = str(request.get("url", node.label))


class Notebook(Kind):
    """Jupyter's nbformat 4."""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        self.title = f"notebook, {counts.get('cells', 0):,} cells"

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        if path == ("cells",) and isinstance(value.fields.get("cell_type"), str):
            node.kind = "cell"
            source = value.fields.get("source")
            lines = source if isinstance(source, list) else [source] if isinstance(source, str) else []
            first = next((str(line).strip() for line in lines if str(line).strip()), "")
            node.title = f"[{index}] {value.fields['cell_type']}" + (f": {clip_text(first, 80)}" if first else "")


class Lock(Kind):
    """Lock files of npm and Composer, and others with a list of packages."""

    def __init__(self, fields: dict[str, Any], counts: dict[str, int]) -> None:
        packages = counts.get("packages", counts.get("dependencies", 0))
        self.title = f"lock file, {packages:,} packages"

    def name(self, node: Node, value: Value, path: Path, index: int) -> None:
        if path and path[-1] in ("packages", "packages-dev", "dependencies", "package") and value.type == "object":
            node.kind = "package"
            version = value.fields.get("version")
            if value.key is not None:
                node.title = f"{value.key} {version}" if isinstance(version, str) else value.key
