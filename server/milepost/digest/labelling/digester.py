"""A digester with a model: it labels pieces by their ids, carries a running summary on, and quotes what can be checked."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from milepost.core.source import StopFlag
from milepost.core.text import clip_text, cut_text
from milepost.digest.labelling import prompts
from milepost.digest.labelling.asking import Asker
from milepost.digest.labelling.checking import Checked, check_final, check_reply
from milepost.digest.labelling.parts import Part, Room, divided, fits, parts_of
from milepost.digest.labelling.quotes import QuoteFinder
from milepost.digest.labelling.spending import Spending
from milepost.digest.labelling.texts import FINAL_SUMMARY_MAX_BYTES, SUMMARY_MAX_BYTES, Cleaner
from milepost.digest.models.protocol import Model
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import (
    Brief,
    ChunkDigest,
    ChunkText,
    Conclusion,
    FileFacts,
    Label,
    Note,
    Place,
    State,
    Usage,
)
from milepost.errors import ContextExceeded, MilepostError, ModelError

_MIN_CONTEXT_TOKENS = 256
_SHRINK = 0.7
_LEAST_SHARE = 0.2
"""A context that proves too long is made smaller by steps, down to a fifth of what the settings say."""

_PLACE_BYTES = 1000


class ModelDigester:
    """`Digester` over any `Model`. One for each run: it counts what the run spends. Thread-safe."""

    def __init__(self, model: Model, *, max_tokens_per_run: int = 0) -> None:
        self._model = model
        self._asker = Asker(model, Spending(max_tokens_per_run))
        self._context_tokens = model.context_tokens

    @property
    def name(self) -> str:
        """The model's."""
        return self._model.name

    def digest(self, chunk: ChunkText, state: State, brief: Brief, *, should_stop: StopFlag) -> ChunkDigest:
        """What the model says of a chunk, in as many calls as it takes; see `Digester.digest`."""
        waiting = deque(parts_of(chunk, brief, Room.of(self._context_tokens, brief)))
        finder = QuoteFinder(chunk)
        labels: dict[str, Label] = {}
        notes: list[Note] = []
        summary, answers, usage = state.summary, False, Usage()
        while waiting:
            part = waiting.popleft()
            room = Room.of(self._context_tokens, brief)
            if not fits(part, room):  # the context proved smaller since the parts were made
                waiting.extendleft(reversed(divided(part, room)))
                continue
            try:
                checked, spent = self._digest_part(chunk, part, summary, brief, finder, should_stop)
            except ContextExceeded as error:
                self._shrink(error)
                waiting.appendleft(part)
                continue
            except MilepostError:
                self._asker.spending.lose(usage)
                raise
            labels.update(checked.labels)
            notes += checked.notes
            summary = checked.summary or summary
            answers = answers or checked.answers
            usage += spent + Usage(dropped=checked.dropped)
            if answers and brief.stops_early:
                break
        return ChunkDigest(labels, summary, tuple(notes), answers, self._asker.spending.told(usage))

    def merge(self, summaries: Sequence[str], brief: Brief, *, should_stop: StopFlag) -> tuple[str, Usage]:
        """Join summaries group by group, then the joined ones, until one is left: at most as many calls as summaries."""
        level = [summary for summary in summaries if summary]
        usage = Usage()
        while len(level) > 1:
            joined: list[str] = []
            for group in self._groups(level, brief):
                if len(group) == 1:
                    joined.append(group[0])
                    continue
                text, spent = self._merge_group(group, brief, should_stop)
                joined.append(text)
                usage += spent
            level = joined
        return (level[0] if level else ""), self._asker.spending.told(usage)

    def conclude(self, state: State, facts: FileFacts, brief: Brief, *, should_stop: StopFlag) -> Conclusion:
        """The final text. What answers is quoted from `facts.places`, or nothing is said to answer."""
        if brief.question and not facts.places and not brief.wants_summary:
            return Conclusion(state.summary)
        try:
            return self._conclude(state, facts, brief, should_stop)
        except ContextExceeded as error:
            self._shrink(error)
        return self.conclude(state, facts, brief, should_stop=should_stop)

    def _digest_part(
        self, chunk: ChunkText, part: Part, summary: str, brief: Brief, finder: QuoteFinder, should_stop: StopFlag
    ) -> tuple[Checked, Usage]:
        room = Room.of(self._context_tokens, brief)
        head = f"Format: {chunk.format}. Chunk {chunk.index + 1} of {chunk.total}"
        user = prompts.chunk_prompt(
            head=f"{head}, part {part.number} of {part.of}." if part.of > 1 else f"{head}.",
            question=brief.question,
            summary=_fitted(summary, room.summary),
            pieces=part.pieces,
            context=part.context,
            text=part.text(),
        )
        name, schema = prompts.chunk_schema(brief)
        reply = self._asker.ask(user, name, schema, room.output, should_stop)
        checked = check_reply(reply.value, reply.shown, part.pieces, finder, is_question=bool(brief.question))
        return checked, reply.usage

    def _conclude(self, state: State, facts: FileFacts, brief: Brief, should_stop: StopFlag) -> Conclusion:
        room = Room.of(self._context_tokens, brief)
        # Best first: a small context shows the first few only.
        ranked = sorted(zip(state.notes, facts.places, strict=False), key=lambda pair: -pair[0].score)
        places = [place for _, place in ranked]
        asks = bool(brief.question and places)
        shared = room.rows + room.text
        shown_places = _fitting_places(places, shared if asks else shared // 3)
        rows = [prompts.entry_row(entry) for entry in state.entries] if brief.wants_summary else []
        user = prompts.final_prompt(
            head=f"Format: {facts.outline.format}. All parts were read.",
            question=brief.question if asks else "",
            summary=_fitted(state.summary, room.summary),
            rows=_fitting(rows, shared - sum(map(estimate_tokens, shown_places))),
            places=shown_places,
        )
        name, schema = ("final_answer", prompts.FINAL_ANSWER_SCHEMA) if asks else ("final", prompts.FINAL_SCHEMA)
        reply = self._asker.ask(user, name, schema, room.output, should_stop)
        shown = tuple(places[: len(shown_places)])
        checked = check_final(reply.value, reply.shown, shown if asks else (), FINAL_SUMMARY_MAX_BYTES)
        return Conclusion(
            summary=checked.summary or state.summary,
            answer=checked.answer,
            found=checked.found,
            quotes=checked.quotes,
            followups=checked.followups,
            usage=self._asker.spending.told(reply.usage + Usage(dropped=checked.dropped)),
        )

    def _groups(self, summaries: Sequence[str], brief: Brief) -> list[list[str]]:
        """Neighbours that fit one call; two at least, so that each level has at most half as many (and one, if odd)."""
        room = Room.of(self._context_tokens, brief)
        limit = room.summary + room.rows + room.text
        groups: list[list[str]] = [[]]
        tokens = 0
        for summary in summaries:
            cost = estimate_tokens(prompts.fenced(summary))
            if len(groups[-1]) >= 2 and tokens + cost > limit:
                groups.append([])
                tokens = 0
            groups[-1].append(summary)
            tokens += cost
        return groups

    def _merge_group(self, group: Sequence[str], brief: Brief, should_stop: StopFlag) -> tuple[str, Usage]:
        while True:
            room = Room.of(self._context_tokens, brief)
            each = (room.summary + room.rows + room.text) // len(group)
            user = prompts.merge_prompt([_fitted(summary, each) for summary in group], brief.question)
            try:
                reply = self._asker.ask(user, "merge", prompts.MERGE_SCHEMA, room.output, should_stop)
            except ContextExceeded as error:
                self._shrink(error)
                continue
            except ModelError as error:
                if error.is_fatal:
                    raise
                return _shortened(group), Usage()
            cleaner = Cleaner(reply.shown)
            text = cleaner.text(reply.value.get("summary"), SUMMARY_MAX_BYTES)
            return text or _shortened(group), reply.usage + Usage(dropped=cleaner.dropped)

    def _shrink(self, error: ContextExceeded) -> None:
        """Believe the endpoint rather than the settings. Raises the error where that has gone far enough."""
        smaller = int(self._context_tokens * _SHRINK)
        if smaller < _LEAST_SHARE * self._model.context_tokens or smaller < _MIN_CONTEXT_TOKENS:
            raise error
        self._context_tokens = smaller


def _fitted(text: str, max_tokens: int) -> str:
    """The beginning of a text that is at most so many tokens."""
    size = len(text.encode("utf-8", "replace"))
    while text and (tokens := estimate_tokens(text)) > max_tokens:
        size = min(size - 1, size * max_tokens // tokens)
        text = clip_text(text, size)
    return text


def _fitting(rows: Sequence[str], max_tokens: int) -> list[str]:
    """The rows, the longest cut first, until they fit; the last ones go where even that is not enough."""
    width = 360
    kept = list(rows)
    while kept and sum(map(estimate_tokens, kept)) > max_tokens:
        if width > 60:
            width = width * 2 // 3
            kept = [clip_text(row, width) for row in kept]
        else:
            kept.pop()
    return kept


def _fitting_places(places: Sequence[Place], max_tokens: int) -> list[str]:
    """The rows of as many places as fit, in order."""
    rows: list[str] = []
    for number, place in enumerate(places, 1):
        row = prompts.place_row(number, place, _PLACE_BYTES)
        cost = estimate_tokens(row)
        if cost > max_tokens and rows:
            break
        rows.append(row if cost <= max_tokens else _fitted(row, max(32, max_tokens)))
        max_tokens -= cost
    return rows


def _shortened(summaries: Sequence[str]) -> str:
    """Summaries joined without a model: an equal share of each."""
    share = SUMMARY_MAX_BYTES // len(summaries) - 1
    return cut_text(" ".join(clip_text(summary, max(8, share)) for summary in summaries), SUMMARY_MAX_BYTES)
