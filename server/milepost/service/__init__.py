"""Requests in, replies out: what the command line, the language server and agents all call."""

from milepost.service.listings import listing_of
from milepost.service.service import Service

__all__ = ["Service", "listing_of"]
