"""Models that say what a test wants: one with a queue, one that lies in every field; and the chunks of a file."""

from __future__ import annotations

import json
import random
import re
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from milepost.core.analysis import Analysis
from milepost.core.chunks import plan_chunks
from milepost.core.outline import Outline
from milepost.core.source import StopFlag, open_source
from milepost.digest.chunk_texts import ChunkReader, Scope
from milepost.digest.models.protocol import Completion, FinishReason, Prompt
from milepost.digest.tokens import estimate_tokens

Answer = str | dict[str, Any] | Completion | Exception | Callable[[Prompt], "Answer"]

_TEXT = re.compile(r"Text:\n<(DATA-\w+)>\n(.*?)\n</\1>", re.DOTALL)
_ROWS = re.compile(r"Sections:\n<(DATA-\w+)>\n(.*?)\n</\1>", re.DOTALL)
_PLACES = re.compile(r"Lines read again from the file:\n<(DATA-\w+)>\n(.*?)\n</\1>", re.DOTALL)


class FakeModel:
    """Answers from a queue, then by `otherwise` (honestly, unless told otherwise). Keeps the prompts it was sent."""

    def __init__(self, context_tokens: int = 8192, otherwise: Answer | None = None) -> None:
        self.name = "fake-model"
        self.host = "fake.invalid"
        self.context_tokens = context_tokens
        self.prompts: list[Prompt] = []
        self._otherwise = otherwise or honest
        self._queue: deque[Answer] = deque()
        self._lock = threading.Lock()

    def enqueue(self, *answers: Answer) -> None:
        """What to say next: a text, an object, a completion, an error to raise, or a function of the prompt."""
        self._queue.extend(answers)

    def complete(self, prompt: Prompt, *, should_stop: StopFlag) -> Completion:
        with self._lock:
            self.prompts.append(prompt)
            answer: Any = self._queue.popleft() if self._queue else self._otherwise
        while callable(answer):
            answer = answer(prompt)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else completion(answer, prompt)

    def close(self) -> None:
        pass

    @property
    def sent(self) -> str:
        """All that it was sent."""
        return "\n".join(f"{prompt.system}\n{prompt.user}" for prompt in self.prompts)


def completion(answer: str | dict[str, Any], prompt: Prompt, finish: FinishReason = "stop") -> Completion:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return Completion(
        text, finish, estimate_tokens(prompt.system) + estimate_tokens(prompt.user), estimate_tokens(text), True
    )


def ids_in(prompt: str) -> list[str]:
    """The ids of the sections that a prompt asks for."""
    rows = _ROWS.search(prompt)
    return re.findall(r"(?m)^(s\d+): ", rows[2]) if rows else []


def rows_in(prompt: str) -> list[str]:
    """The rows of the text in a prompt that stand for one line each, without their numbers."""
    text = _TEXT.search(prompt)
    return re.findall(r"(?m)^\d+\| (.+)$", text[2] if text else "")


def lines_in(prompt: str) -> list[str]:
    """Those of them that can be quoted."""
    return [line for line in rows_in(prompt) if line != "(blank)" and 6 <= len(line) < 1500]


def places_in(prompt: str) -> list[str]:
    """The ids of the places that a final prompt shows."""
    rows = _PLACES.search(prompt)
    return re.findall(r"(?m)^(q\d+): ", rows[2]) if rows else []


def honest_reply(name: str, user: str) -> dict[str, Any]:
    """A true, if dull, reply to a prompt of that name."""
    sections = [
        {"id": one, "title": f"Title of {one}", "kind": "section", "digest": f"What {one} holds."}
        for one in ids_in(user)
    ]
    quotes = lines_in(user)[:2]
    answer = {"found": bool(quotes), "text": "It is there.", "quotes": quotes}
    if name == "summary":
        return {"summary": "So far so good.", "quotes": quotes, "sections": sections}
    if name == "question":
        return {"summary": "So far so good.", "answer": answer, "sections": sections}
    if name == "ask":
        return {"answer": answer, "summary": "So far so good."}
    if name == "merge":
        return {"summary": "Joined."}
    if name == "final_answer":
        places = places_in(user)[:2]
        return {
            "answer": {"found": bool(places), "text": "The answer.", "quotes": places},
            "summary": "All in all.",
            "followups": ["And then?"],
        }
    return {"summary": "All in all.", "followups": ["And then?"]}


def honest(prompt: Prompt) -> dict[str, Any]:
    return honest_reply(prompt.schema_name, prompt.user)


LIES = [
    "All tests passed at line 99999, see lines 12-3.", "\x1b[31mred\x1b[0m \u202eevil\u2066 title\x07", "x" * 5000, "", None,
    17, ["list"], {"nested": True}, "Ignore the file.\nline 0", "ERROR: disk on fire at L123456", "\ud800 broken",
]  # fmt: skip


def lying_reply(user: str, draw: random.Random) -> dict[str, Any]:
    """A reply in which nothing is true: ids, lines, quotes, types."""
    lie = lambda: draw.choice(LIES)  # noqa: E731
    real = ids_in(user) or ["s1"]
    sections = [
        {
            "id": draw.choice([*real, "s999", "", None, "S1 ", 5]),
            "title": lie(),
            "kind": lie(),
            "digest": lie(),
            "start_line": 10**9,
        }
        for _ in range(draw.randrange(12))
    ]
    lines = lines_in(user) or ["nothing"]
    quotes = [
        draw.choice([lie(), f"{draw.choice(lines)} NOT", "invented line of a log", "q77", draw.choice(lines)[:3]])
        for _ in range(draw.randrange(9))
    ]
    return {
        "summary": lie(),
        "quotes": draw.choice([quotes, lie()]),
        "answer": draw.choice([{"found": True, "text": lie(), "quotes": quotes}, {"found": "yes", "quotes": 5}, lie()]),
        "sections": draw.choice([sections, {"s1": lie(), "s404": {"title": lie()}}, lie()]),
        "followups": draw.choice([[lie(), lie()], lie()]),
        "start_line": 1,
    }


def liar(seed: int) -> Callable[[Prompt], Answer]:
    """Lies, each time others."""
    draw = random.Random(seed)
    return lambda prompt: lying_reply(prompt.user, draw)


@contextmanager
def chunks_of(path: Path, target_bytes: int = 180_000) -> Iterator[tuple[ChunkReader, Outline]]:
    """The chunks of a file, and its outline."""
    with open_source(path) as source:
        analysis = Analysis(source)
        outline = analysis.outline()
        plan = plan_chunks(analysis.view, target_bytes=target_bytes, index=analysis.index)
        scope = Scope(1, plan.line_count, 0, plan.byte_count)
        yield ChunkReader(analysis.view, analysis.encoding, plan, outline, scope, 800), outline
