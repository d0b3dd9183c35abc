"""Milepost: outlines, anchors and answers for files too big to read."""

from __future__ import annotations

__version__ = "0.1.0"
