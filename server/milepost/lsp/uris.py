"""Moved to `milepost.uris`, since the service needs it too; here until nobody imports it from here."""

from __future__ import annotations

from milepost.uris import path_of_uri

__all__ = ["path_of_uri"]
