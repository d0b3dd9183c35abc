"""Errors as a client gets them: an LSP code, one sentence, and `data.kind`."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from milepost.errors import Cancelled, FileChanged, InvalidParams, MilepostError

logger = logging.getLogger(__name__)

INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
REQUEST_FAILED = -32803
CONTENT_MODIFIED = -32801
REQUEST_CANCELLED = -32800

_CODES: tuple[tuple[type[MilepostError], int], ...] = (
    (InvalidParams, INVALID_PARAMS),
    (Cancelled, REQUEST_CANCELLED),
    (FileChanged, CONTENT_MODIFIED),
    (MilepostError, REQUEST_FAILED),
)


class RefusalError(Exception):
    """An answer that is an error: raised by a handler, or sent as it is."""

    def __init__(self, code: int, message: str, kind: str) -> None:
        super().__init__(message)
        self.error = types.ResponseError(code=code, message=message, data={"kind": kind})


def refusal_of(error: BaseException) -> RefusalError:
    """The answer for an exception. One that is no error of Milepost's is a fault of ours, and logged."""
    if isinstance(error, RefusalError):
        return error
    if isinstance(error, asyncio.CancelledError):
        return RefusalError(REQUEST_CANCELLED, "The request was cancelled.", Cancelled.kind)
    if isinstance(error, MilepostError):
        code = next(code for kind, code in _CODES if isinstance(error, kind))
        return RefusalError(code, str(error), error.kind)
    if isinstance(error, JsonRpcException):
        return RefusalError(error.code, error.message, "internal")
    logger.error("A request failed", exc_info=error)
    return RefusalError(INTERNAL_ERROR, f"Milepost failed ({type(error).__name__}); its log says where.", "internal")
