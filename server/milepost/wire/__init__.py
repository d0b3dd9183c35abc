"""The wire: every request, reply and notification, shared by the command line, LSP and MCP.

`python -m milepost.wire --write` writes their JSON Schemas into `milepost/schemas`; a test keeps the two the same.
"""

from __future__ import annotations

from milepost.wire.base import Reply, Request, WireModel, dump_lsp, dump_plain, parse_request, to_json
from milepost.wire.methods import METHODS, Method, method_of
from milepost.wire.replies import (
    Answer,
    AskReply,
    CheckReply,
    CheckResult,
    FindReply,
    OutlineChangedParams,
    OutlineReply,
    PlanReply,
    ReadReply,
    ResolveAnchorReply,
    SectionDigest,
    SummarizeReply,
    SummaryStats,
)
from milepost.wire.requests import (
    Anchor,
    AskRequest,
    CheckRequest,
    FindRequest,
    OutlineRequest,
    PlanRequest,
    ReadRequest,
    ResolveAnchorRequest,
    SummarizeRequest,
)
from milepost.wire.sections import ErrorData, ErrorInfo, ErrorReply, More, Problem, Quote, ReadOn, Section, Span

__all__ = [
    "METHODS",
    "Anchor",
    "Answer",
    "AskReply",
    "AskRequest",
    "CheckReply",
    "CheckRequest",
    "CheckResult",
    "ErrorData",
    "ErrorInfo",
    "ErrorReply",
    "FindReply",
    "FindRequest",
    "Method",
    "More",
    "OutlineChangedParams",
    "OutlineReply",
    "OutlineRequest",
    "PlanReply",
    "PlanRequest",
    "Problem",
    "Quote",
    "ReadOn",
    "ReadReply",
    "ReadRequest",
    "Reply",
    "Request",
    "ResolveAnchorReply",
    "ResolveAnchorRequest",
    "Section",
    "SectionDigest",
    "Span",
    "SummarizeReply",
    "SummarizeRequest",
    "SummaryStats",
    "WireModel",
    "dump_lsp",
    "dump_plain",
    "method_of",
    "parse_request",
    "to_json",
]
