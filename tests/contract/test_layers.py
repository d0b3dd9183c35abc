"""Who may import whom. One direction: front doors, service, limits and wire, core; frameworks stay at their edge."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import milepost

PACKAGE = Path(milepost.__file__).parent

#: For modules below the first path: what they must not import, and why.
FORBIDDEN = [
    ("core/", {"pygls", "lsprotocol", "openai", "mcp", "pydantic"}, "the core takes paths and bytes and gives values"),
    (
        "core/",
        {"milepost.wire", "milepost.limits", "milepost.settings", "milepost.service", "milepost.cli"},
        "downwards",
    ),
    ("core/", {"milepost.lsp", "milepost.digest", "milepost.schemas"}, "downwards"),
    (
        "wire/",
        {"milepost.limits", "milepost.settings", "milepost.service", "milepost.cli", "milepost.lsp"},
        "downwards",
    ),
    ("limits/", {"milepost.service", "milepost.cli", "milepost.lsp"}, "downwards"),
    ("settings/", {"milepost.service", "milepost.cli", "milepost.lsp", "milepost.wire"}, "downwards"),
    ("digest/", {"milepost.cli", "milepost.lsp"}, "downwards"),
]

#: What only modules below this path may import.
RESERVED = [("pygls", "lsp/"), ("lsprotocol", "lsp/"), ("openai", "digest/models/")]

#: What only modules beside them may import at their top.
LATE = [f"milepost.digest.models.{name}" for name in ("openai", "client", "failures", "replies")]

MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imports(source: str, *, at_top_only: bool = False) -> Iterator[str]:
    """The dotted names that a module imports; imports for type checkers only are left out."""
    tree = ast.parse(source)
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for inner in ast.walk(statement)
    }
    nodes = tree.body if at_top_only else [node for node in ast.walk(tree) if id(node) not in skipped]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def breaches(module: str, source: str) -> list[str]:
    """The rules that a module at this path, with this source, would break."""
    imported = list(imports(source))
    found = [
        f"{module} imports {name}: {why}"
        for place, packages, why in FORBIDDEN
        if module.startswith(place)
        for name in imported
        if any(is_within(name, package) for package in packages)
    ]
    found += [
        f"{module} imports {name}: only {place} may"
        for package, place in RESERVED
        if not module.startswith(place)
        for name in imported
        if is_within(name, package)
    ]
    # `import openai` takes seconds: the adapter is imported inside a function, when there is a model to talk to.
    found += [
        f"{module} imports {name} at its top"
        for name in imports(source, at_top_only=True)
        if not module.startswith("digest/models/") and any(is_within(name, late) for late in LATE)
    ]
    for node in ast.parse(source).body:
        made = [call for call in ast.walk(node) if isinstance(call, ast.Call)] if isinstance(node, ast.Assign) else []
        for call in made:
            name = ast.unparse(call.func).rsplit(".", 1)[-1]
            if name.endswith("Server") or name == "create_server":
                found.append(f"{module} makes a server when it is imported")
    found += [f"{module} uses global" for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Global)]
    return found


@pytest.mark.parametrize("module", MODULES)
def test_no_module_breaks_a_rule(module: str) -> None:
    assert breaches(module, (PACKAGE / module).read_text("utf-8")) == []


@pytest.mark.parametrize(
    "module, source",
    [
        ("core/lines.py", "import pydantic"),
        ("core/formats/log.py", "from milepost.limits import fit_text"),
        ("core/lines.py", "def late():\n    from milepost import wire"),
        ("cli/main.py", "from pygls.lsp.server import LanguageServer"),
        ("digest/ask.py", "import openai"),
        ("service/digests.py", "from milepost.digest.models.openai import make_model"),
        ("digest/labelling/asking.py", "from milepost.digest.models import failures"),
        ("wire/base.py", "import lsprotocol.types"),
        ("lsp/app.py", "from pygls.lsp.server import LanguageServer\nserver = LanguageServer('milepost', 'v1')"),
        ("service.py", "def set():\n    global settings\n    settings = 1"),
    ],
)
def test_the_rules_notice_a_breach(module: str, source: str) -> None:
    assert breaches(module, source)


def test_the_rules_allow_what_they_should() -> None:
    assert breaches("lsp/app.py", "from lsprotocol import types\nfrom milepost.core import scan") == []
    assert breaches("digest/models/openai.py", "import openai") == []
    late = "def client():\n    from milepost.digest.models.openai import make_model"
    assert breaches("service/digests.py", late) == []
    assert breaches("core/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pydantic") == []
