"""Where the corpus of real files is, if there is one."""

from __future__ import annotations

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def corpus_folder() -> Path | None:
    """The corpus that MILEPOST_CORPUS names, else the one beside the checkout, else None."""
    named = os.environ.get("MILEPOST_CORPUS")
    folder = Path(named) if named else CHECKOUT.parent / "shared" / "corpus"
    if named and not folder.is_dir():
        raise FileNotFoundError(f"MILEPOST_CORPUS names a folder that is not there: {folder}")
    return folder if folder.is_dir() else None
