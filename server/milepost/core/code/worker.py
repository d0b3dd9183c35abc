"""The process that parses: it reads pieces from standard input and writes their symbols to standard output.

It holds no state between pieces, imports little (no numpy), and so stays small: the tree of a piece is what it needs.
A message is its length in four bytes, then a header in JSON, a line end, and the text.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from milepost.core.code.languages import language_named
from milepost.core.code.messages import headers_from, headers_to, read_message, write_message
from milepost.core.code.parse import parse_piece


def main() -> None:
    """Answer until standard input ends."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    while (message := read_message(source)) is not None:
        request, _, body = message.partition(b"\n")
        try:
            reply = _answer(json.loads(request), body)
        except Exception as problem:  # the piece is then outlined by its line heads
            reply = {"error": f"{type(problem).__name__}: {problem}"[:200]}
        write_message(sink, json.dumps(reply).encode())


def _answer(request: dict[str, Any], body: bytes) -> dict[str, Any]:
    language = language_named(request["language"])
    assert language is not None
    headers = headers_from(request["headers"])
    found = parse_piece(language, body, headers, request["low"], request["final"], request["must_cut"])
    if found is None:
        return {}
    size, open_headers, symbols = found
    return {"size": size, "headers": headers_to(open_headers), "symbols": symbols}


if __name__ == "__main__":
    main()
