"""The scanner of source code.

Blocks go to the parser's process as they come; what it says is put into the outline in the order of the file. Until then,
past a budget of bytes, for a language without a grammar and where the parser fails, symbols are found by the heads of
lines and the indentation, and the outline says that it is degraded. Which of the two it is in the exact outline depends
on the bytes alone.
"""

from __future__ import annotations

import copy
from collections import deque
from concurrent.futures import Future
from typing import Any

from milepost.core.code.assemble import Assembler
from milepost.core.code.client import Chain, ParserClient, Piece
from milepost.core.code.languages import Language, language_named
from milepost.core.code.line_heads import symbols_by_lines
from milepost.core.code.messages import headers_from
from milepost.core.code.sniffing import language_of
from milepost.core.scan import Block, Context, End, Findings

#: What is parsed exactly. Beyond it, line heads have to do: the parser does some five megabytes a second.
BUDGET_BYTES = 32 << 20
#: So many blocks may wait for the parser; then the scan waits too.
_MOST_WAITING = 8


class CodeScanner:
    """Outlines a source file of any language that is told apart, or of none."""

    def __init__(self, context: Context) -> None:
        resume = context.resume or {}
        self._context = context
        name = str(resume.get("language", ""))
        found = language_named(name) if name else None if resume else language_of(context.name, context.head)[0]
        self.language: Language | None = found
        headers = list(resume.get("headers", ()))
        self._assembler = Assembler(found, context.max_nodes, context.start_byte, context.start_line, context.encoding)
        self._assembler.headers = headers
        self._assembler.is_in_held = bool(resume.get("held"))
        self._last_byte = context.start_byte + context.total_bytes if resume else context.total_bytes
        self._client: ParserClient | None = None
        self._chain: Future[Chain] | None = None
        self._is_shared = False
        self._waiting: deque[Future[list[Piece]]] = deque()
        self._blocks: deque[tuple[int, bytes]] = deque()
        self._fed = context.start_byte
        self._reasons: list[str] = []
        if found is None:
            self._reasons.append("the language is not known: by indentation and line heads")
        elif not found.has_grammar:
            self._reasons.append(f"no {found.title} grammar is installed (the extra `code` has it): by line heads")
        else:
            self._client = ParserClient(found.name)
            self._chain = self._client.begin(context.start_byte, headers_from(headers))

    def __deepcopy__(self, memo: dict[int, Any]) -> CodeScanner:
        twin = copy.copy(self)
        memo[id(self)] = twin
        twin._assembler = copy.deepcopy(self._assembler, memo)
        twin._waiting = deque(self._waiting)
        twin._blocks = deque(self._blocks)
        twin._reasons = list(self._reasons)
        twin._is_shared = True
        return twin

    def extend(self, context: Context) -> None:
        """The file grew."""
        self._context = context
        self._last_byte = context.total_bytes

    def feed(self, block: Block) -> None:
        """Take the next block."""
        self._fed = block.end
        self._blocks.append((block.start, block.data))
        if self._client is None:
            self._by_lines(block.start, block.data)
            return
        if block.start - self._context.start_byte >= BUDGET_BYTES:
            self._end_exact()
            return
        self._waiting.append(self._client.feed(self._own_chain(), block.data))
        # Towards the end ever fewer may wait: each wait is a moment at which the scan can be stopped, or asked.
        self._collect(min(_MOST_WAITING, (self._last_byte - block.end) >> 20))

    def _own_chain(self) -> Future[Chain]:
        """The state of the parsing, forked where it is shared with the scanner that this one is a copy of."""
        assert self._client is not None
        assert self._chain is not None
        if self._is_shared:
            self._chain = self._client.fork(self._chain)
            self._is_shared = False
        return self._chain

    def _end_exact(self) -> None:
        """Past the budget: what waits is waited for, the rest goes by line heads."""
        assert self._client is not None
        self._waiting.append(self._client.drain(self._own_chain()))
        self._collect(0)
        self._client.rest()
        self._client = None
        megabytes = BUDGET_BYTES >> 20
        self._reasons.append(f"past the first {megabytes} MB by line heads, which miss what an unusual layout hides")
        for start, data in list(self._blocks):
            self._by_lines(start, data)

    def _collect(self, most: int) -> None:
        """Put what the parser has said into the outline; wait while more than `most` blocks are not done."""
        while self._waiting and (len(self._waiting) > most or self._waiting[0].done()):
            for piece in self._waiting.popleft().result():
                self._add(piece)
        while self._blocks and self._blocks[0][0] + len(self._blocks[0][1]) <= self._assembler.end:
            self._blocks.popleft()

    def _add(self, piece: Piece) -> None:
        symbols = piece.symbols
        if symbols is None:
            if piece.error:
                self._reasons.append(
                    f"{len(piece.body):,} bytes from byte {piece.start:,} by line heads ({piece.error})"
                )
            symbols = self._line_symbols(piece.body)
        self._assembler.add(piece, symbols)

    def _line_symbols(self, body: bytes) -> list[Any]:
        language = self.language
        return [] if language is None else symbols_by_lines(body, language, self._assembler.open_indents)

    def _by_lines(self, start: int, data: bytes) -> None:
        """Outline bytes that have not been by their line heads."""
        skip = max(0, self._assembler.end - start)
        if skip < len(data):
            body = data[skip:]
            self._assembler.add(Piece(start + skip, body, None), self._line_symbols(body))
        while self._blocks and self._blocks[0][0] + len(self._blocks[0][1]) <= self._assembler.end:
            self._blocks.popleft()

    def finish(self, end: End) -> Findings:
        """Say what was found. What the parser is not done with is told by line heads if the file goes on."""
        if self._client is not None:
            if end.byte >= self._last_byte:
                self._waiting.append(self._client.feed(self._own_chain(), b"", final=True))
                self._collect(0)
                self._client.rest()
            else:
                self._collect(len(self._waiting))
        for start, data in list(self._blocks):
            self._by_lines(start, data)
        sections = self._assembler.finish(end.byte, max(end.line, 1))
        facts: dict[str, Any] = {"language": self.language.title if self.language else "unknown"}
        facts.update({f"{kind}": count for kind, count in sorted(self._assembler.counts.items())})
        degraded = "; ".join(self._reasons[:3])
        return Findings(sections, degraded=degraded, facts=facts)
