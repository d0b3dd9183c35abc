"""The table of requests: what each is called on LSP, as a command and in settings, what it takes and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from milepost.wire import replies, requests, summaries
from milepost.wire.base import Reply, Request

#: The notification that an outline is no longer what was said.
OUTLINE_CHANGED = "milepost/outlineChanged"


@dataclass(frozen=True, slots=True)
class Method:
    """One request. `name` is the word in settings (`limits.per_command`) and on the command line."""

    name: str
    method: str
    command: str
    request: type[Request]
    reply: type[Reply]


def _method(name: str, lsp_name: str, request: type[Request], reply: type[Reply]) -> Method:
    return Method(name, f"milepost/{lsp_name}", f"milepost.{lsp_name}", request, reply)


#: Every request of LSP and `workspace/executeCommand`, in the order of the documentation.
METHODS: tuple[Method, ...] = (
    _method("outline", "outline", requests.OutlineRequest, replies.OutlineReply),
    _method("read", "read", requests.ReadRequest, replies.ReadReply),
    _method("find", "find", requests.FindRequest, replies.FindReply),
    _method("plan", "plan", requests.PlanRequest, replies.PlanReply),
    _method("summarize", "summarize", requests.SummarizeRequest, summaries.SummarizeReply),
    _method("ask", "ask", requests.AskRequest, summaries.AskReply),
    _method("resolve_anchor", "resolveAnchor", requests.ResolveAnchorRequest, replies.ResolveAnchorReply),
)


def method_of(name: str) -> Method:
    """The request with this name (`resolve_anchor`), method (`milepost/resolveAnchor`) or command. Raises KeyError."""
    for entry in METHODS:
        if name in (entry.name, entry.method, entry.command):
            return entry
    raise KeyError(name)
