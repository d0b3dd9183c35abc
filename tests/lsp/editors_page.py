"""The snippets of `docs/editors.md`, which the tests run as a user would paste them."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "editors.md"


def snippet(section: str, language: str) -> str:
    """The first block in this language below a heading."""
    text = PAGE.read_text(encoding="utf-8")
    (part,) = re.findall(rf"^## {re.escape(section)}$(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    found = re.search(rf"^```{language}\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    assert found, f"no {language} below {section}"
    return found[1]
