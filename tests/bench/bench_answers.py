"""How often an answer without a model quotes a line that answers: on the questions of tests/corpus/questions.toml.

Top-1: the first quote holds such a line; top-3: one of the first three. The held-out third was never looked at while
tuning; but who wrote the words that stand for each other wrote the questions too.

    python tests/bench/bench_answers.py [--all] [--failed]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "corpus")]

from answering import Outcome, outcomes  # noqa: E402
from measure import table  # noqa: E402
from questions import asked, lines_of, shared_words  # noqa: E402

from corpus_path import corpus_folder  # noqa: E402


def main() -> int:
    """Print the tables; 1 where there is no corpus."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="read each file to its end")
    parser.add_argument("--failed", action="store_true", help="list the tuned questions that were not answered")
    options = parser.parse_args()
    corpus = corpus_folder()
    if corpus is None:
        print("no corpus: MILEPOST_CORPUS is not set", file=sys.stderr)
        return 1
    found = list(outcomes(asked(), corpus, read_all=options.all))
    questions = [one for one in found if one.asked.kind == "question"]
    builds = [one for one in found if one.asked.kind == "build"]
    absent = [one for one in found if one.asked.kind == "absent"]
    tuned, held_out = (lambda one: not one.asked.held_out), (lambda one: one.asked.held_out)
    shares = {one.asked: _shares_words(one, corpus) for one in questions}
    groups: list[tuple[str, Callable[[Outcome], bool]]] = [
        ("tuned", tuned),
        ("tuned, shared words", lambda one: tuned(one) and shares[one.asked]),
        ("tuned, none shared", lambda one: tuned(one) and not shares[one.asked]),
        ("held out", held_out),
        ("held out, shared words", lambda one: held_out(one) and shares[one.asked]),
        ("held out, none shared", lambda one: held_out(one) and not shares[one.asked]),
    ]
    groups += [
        (name, lambda one, name=name: one.asked.format == name)
        for name in sorted({one.asked.format for one in questions})
    ]
    rows = [_row(name, filter(belongs, questions)) for name, belongs in groups]
    rows.append(_row("why did the build fail?", builds))
    print(table("Answers without a model", ("questions", "number", "top-1", "top-3", "answer claimed"), rows))
    for name, belongs in (("tuned", tuned), ("held out", held_out)):
        those = [one for one in absent if belongs(one)]
        print(f"no answer in the file, {name}: {sum(one.is_false_claim for one in those)} of {len(those)} claimed")
    print(f"stopped early: {sum(one.stopped for one in found)} of {len(found)}")
    if options.failed:
        for one in found:
            if not one.asked.held_out and (one.is_false_claim or (one.asked.kind != "absent" and not one.hits(3))):
                print(f"{one.asked.file}: {one.asked.ask} -> {one.answer.text[:160]}")
    return 0


def _row(name: str, outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    those = list(outcomes)
    count = max(1, len(those))
    return (
        name,
        str(len(those)),
        *(f"{sum(one.hits(most) for one in those) / count:.0%}" for most in (1, 3)),
        f"{sum(one.answer.found for one in those) / count:.0%}",
    )


def _shares_words(one: Outcome, corpus: Path) -> bool:
    path = one.asked.path(corpus)
    assert path is not None
    lines = lines_of(path)
    return bool(shared_words(one.asked.ask, [line for a, b in one.asked.answers for line in lines[a - 1 : b]]))


if __name__ == "__main__":
    sys.exit(main())
