"""The wire: every request, reply and notification, shared by the command line, LSP and MCP.

`python -m milepost.schemas --write` writes their JSON Schemas; a test keeps models and schemas the same.
"""

from __future__ import annotations

from milepost.wire.base import Reply, Request, WireModel, dump_lsp, dump_plain, parse_request, to_json
from milepost.wire.convert import outline_from_core, section_from_core, sections_from_core
from milepost.wire.methods import METHODS, OUTLINE_CHANGED, Method, method_of
from milepost.wire.replies import (
    CheckReply,
    CheckResult,
    FindReply,
    OutlineChangedParams,
    OutlineReply,
    PlanReply,
    ReadReply,
    ResolveAnchorReply,
    SectionDigest,
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
from milepost.wire.summaries import Answer, AskReply, Estimate, ReadingReply, SummarizeReply, SummaryStats

__all__ = [
    "METHODS",
    "OUTLINE_CHANGED",
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
    "Estimate",
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
    "ReadingReply",
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
    "outline_from_core",
    "parse_request",
    "section_from_core",
    "sections_from_core",
    "to_json",
]
