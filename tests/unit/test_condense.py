"""The condensed view: it stands for every byte once, folds like with like, keeps incidents, and shows no secret."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import lines_of, texts

from milepost.core.encoding import Encoding
from milepost.digest.condense import View, ViewLine, condense
from milepost.digest.tokens import estimate_tokens
from milepost.digest.values import Piece
from views import chunk_of, faults_of, strangers

FORMATS = (
    "log", "text", "markup", "json", "yaml", "xml", "ini", "records", "csv", "ndjson", "sql", "minified", "code", "diff",
    "gc_log", "strace", "thread_dump", "opaque",
)  # fmt: skip

FRAGMENTS = (
    b"ERROR disk full\n", b"INFO ok 17\n", b"INFO ok 18\n", b"{\n", b"}\n", b'  "a": 1,\n', b'  "b": [1]\n', b"key: value\n",
    b"- item\n", b"<a x='1'>\n", b"</a>\n", b"# comment\n", b"def f():\n", b"    return g(1)\n", b"a,b,c\n", b'1,"x\ny",3\n',
    b"INSERT INTO t VALUES (1,'x'),(2,'y');\n", b"CREATE TABLE t (\n", b"+added\n", b"-removed\n", b"@@ -1 +1 @@\n",
    b'{"a":1,"b":{"c":2}}\n', b"\tat a.b.C(D.java:1)\n", b"java.lang.IllegalStateException: x\n", b"\n", b"\r\n", b"\r",
    "é€\n".encode(), b"\xff\xfe\n", b"x" * 3000 + b"\n", b'{"k":[' + b'{"i":1},' * 400 + b"{}]}\n", b"[section]\n", b"a=1\n",
    b"-----BEGIN PRIVATE KEY-----\n", b"-----END PRIVATE KEY-----\n", b"A" * 76 + b"\n", b"no line end",
)  # fmt: skip

documents = st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join)


def view_of(text: str | bytes, kind: str = "log") -> View:
    """The view of a text, nothing masked."""
    data = text.encode() if isinstance(text, str) else text
    chunk = chunk_of(data, kind)
    view = condense(chunk, mask=str)
    assert not faults_of(view, chunk)
    return view


def verbatim(view: View) -> list[str]:
    """The texts of lines that are by themselves."""
    return [line.text for line in view if line.count == 1]


# --- every byte once -----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.one_of(documents, texts), st.sampled_from(FORMATS), st.integers(1, 10_000), st.booleans())
def test_a_view_stands_for_every_byte_once(data: bytes, kind: str, first_line: int, is_first: bool) -> None:
    chunk = chunk_of(data, kind, first_line=first_line, start_byte=7 * first_line, index=int(not is_first))
    view = condense(chunk, mask=str)
    assert not faults_of(view, chunk)
    assert view == condense(chunk, mask=str)


@settings(deadline=None)
@given(documents, st.sampled_from(FORMATS), st.integers(1, 200))
def test_so_do_its_parts_together(data: bytes, kind: str, max_tokens: int) -> None:
    view = condense(chunk_of(data, kind), mask=str)
    parts = view.parts(max_tokens + 40, estimate_tokens)
    assert [line.ranges for part in parts for line in part] == [line.ranges for line in view]
    assert all(estimate_tokens(part.render()) <= 1.2 * (max_tokens + 40) for part in parts)


def test_an_empty_chunk_has_an_empty_view() -> None:
    assert view_of("") == View()
    assert view_of("").render() == ""
    assert View().parts(100, estimate_tokens) == []


def test_a_line_larger_than_a_part_is_clipped_and_says_so() -> None:
    view = View([ViewLine("word " * 1000, 1, 1, 1, ((0, 5000),))])
    (part,) = view.parts(60, estimate_tokens)
    assert estimate_tokens(part.render()) <= 60
    shown, left_out = re.fullmatch(r"1\| (.*) \[\+([\d,]+) bytes\]\n", part.render()).groups()  # type: ignore[union-attr]
    assert len(shown) + int(left_out.replace(",", "")) == 5000


@pytest.mark.parametrize("name", ["cp1252", "cp932"])
def test_other_encodings_are_read(name: str) -> None:
    data = (
        "".join(f"INFO größe {number} ok\n" for number in range(50)) if name == "cp1252" else "INFO 日本 1\n"
    ).encode(name)
    chunk = chunk_of(data, "log", encoding=Encoding(name, "legacy"))
    view = condense(chunk, mask=str)
    assert not faults_of(view, chunk)
    assert "größe" in view.render() or "日本" in view.render()


# --- like with like ------------------------------------------------------------------------------------------------------

WORDINGS = (
    "INFO store: saved block {n} in {m} ms",
    "INFO store: saved file {n}",
    "DEBUG cache: hit ratio 0.{n} of {m} entries",
    "WARN net: retry {n} to host 10.0.{m}.7",
    "ERROR db: cannot open table t{n}",
    "INFO user alice logged in from {m}",
)


@st.composite
def logs(draw: st.DrawFn) -> list[tuple[int, str]]:
    """Lines of a few wordings in any order, each with the number of its wording."""
    count = draw(st.integers(0, 120))
    chance = random.Random(draw(st.integers(0, 1000)))
    lines = []
    for number in range(count):
        wording = chance.randrange(len(WORDINGS))
        values = WORDINGS[wording].format(n=chance.randrange(10, 99), m=chance.randrange(10, 99))
        lines.append((wording, f"2024-03-05 10:{number // 60:02}:{number % 60:02} {values}"))
    return lines


def mask_values(line: bytes) -> bytes:
    """What is left of a line without its numbers: the other method."""
    return re.sub(rb"\d+", b"#", line)


@settings(deadline=None)
@given(logs())
def test_a_folded_line_stands_for_lines_of_one_wording(log: list[tuple[int, str]]) -> None:
    data = "".join(f"{line}\n" for _, line in log).encode()
    chunk = chunk_of(data, "log")
    view = condense(chunk, mask=str)
    assert not strangers(view, chunk)
    for line in view:
        covered = [text for start, end in line.ranges for text in lines_of(data[start:end])]
        assert len(covered) == line.count
        assert len({mask_values(text) for text in covered}) == 1


@settings(deadline=None)
@given(logs())
def test_numbers_are_exact(log: list[tuple[int, str]]) -> None:
    """Each range of numbers that is shown is that of the lines it is shown for."""
    data = "".join(f"{line}\n" for _, line in log).encode()
    for line in condense(chunk_of(data, "log"), mask=str):
        found = re.search(r"saved block \{(\d+)–(\d+)\} in", line.text)
        if found is None:
            continue
        covered = b"".join(data[start:end] for start, end in line.ranges)
        values = [int(value) for value in re.findall(rb"saved block (\d+)", covered)]
        assert (min(values), max(values)) == tuple(map(int, found.groups()))


def test_runs_and_interleavings_fold_to_one_line_each() -> None:
    lines = [
        f"2024-03-05 10:00:{n % 60:02} INFO {'app: served /index' if n % 3 else 'db: vacuum'} in {n % 7 + 1} ms"
        for n in range(600)
    ]
    view = view_of("\n".join(lines) + "\n")
    assert len(view) <= 6
    rendered = view.render()
    assert "app: served /index in {1–7} ms" in rendered
    assert sum(line.count for line in view) == 600


def test_what_differs_in_a_telling_word_is_not_folded_together() -> None:
    lines = [f"2024-03-05 10:00:{n % 60:02} INFO disk {'full' if n % 2 else 'ok'}" for n in range(100)]
    view = view_of("\n".join(lines))
    assert {line.text.split()[-1] for line in view if line.count > 1} == {"full", "ok"}


def test_distinct_words_are_shown_and_counted() -> None:
    lines = [f"2024-03-05 10:00:00 INFO login of user {name} done" for name in map("u{:c}x".format, range(97, 117))]
    (folded,) = [line for line in view_of("\n".join(lines * 2)) if line.count > 1]
    assert "20 distinct}" in folded.text
    assert "{ubx, ucx, udx …" in folded.text


# --- what stays ----------------------------------------------------------------------------------------------------------

TRACE = """ERROR worker: batch 7731 failed
java.lang.IllegalStateException: rolled back
\tat com.example.Committer.commit(Committer.java:212)
Caused by: java.net.SocketTimeoutException: Read timed out
\t... 14 more
"""


def filler(count: int, start: int = 0) -> str:
    """Lines that say nothing."""
    return "".join(
        f"2024-03-05 10:{n // 60 % 60:02}:{n % 60:02} INFO app: tick {n} ok\n" for n in range(start, start + count)
    )


def test_an_incident_stays_with_its_trace() -> None:
    text = filler(200) + "2024-03-05 10:03:20 " + TRACE + filler(200, 201)
    shown = view_of(text).render()
    for line in ("2024-03-05 10:03:20 " + TRACE).splitlines():
        assert line.strip() in shown


def test_repeats_of_an_incident_fold_with_their_traces() -> None:
    text = "".join(filler(20, n * 21) + f"2024-03-05 10:03:2{n % 10} " + TRACE for n in range(30))
    view = view_of(text)
    assert len(view) <= 12
    assert sum(line.count for line in view if "batch" in line.text) == 30
    assert "×28" in view.render() or "×29" in view.render()


@pytest.mark.parametrize(
    "wrong",
    ["free -2147483648 MB", "free 98213377421 MB", "free NaN MB"],
    ids=["negative", "far too large", "no number"],
)
@pytest.mark.parametrize("others", [1, 6, 60])
def test_a_value_unlike_all_others_stays(wrong: str, others: int) -> None:
    values = [f"free {380 + n} MB" for n in range(others)] + [wrong]
    text = "".join(filler(30, n * 31) + f"2024-03-05 10:03:20 INFO cache: {value}\n" for n, value in enumerate(values))
    assert any(wrong in line for line in verbatim(view_of(text)))


def test_what_is_rare_stays() -> None:
    text = filler(300) + "2024-03-05 10:05:00 INFO app: the moon is full\n" + filler(300, 301)
    assert any("the moon is full" in line for line in verbatim(view_of(text)))


def test_what_the_outline_calls_an_incident_stays() -> None:
    text = filler(400)
    start = sum(map(len, text.splitlines(keepends=True)[:123]))
    piece = Piece("s1", None, "tick 123", "incident", 124, 124, start, start + 44, weight=0.9)
    chunk = chunk_of(text.encode(), "log", pieces=(piece,))
    assert any(line.start_line == 124 and line.count == 1 for line in condense(chunk, mask=str))


# --- structure -----------------------------------------------------------------------------------------------------------


def test_json_records_fold_by_shape_and_the_odd_one_stays() -> None:
    records = [{"id": n, "name": f"n{n % 5}", "tags": ["a", "b"][: n % 3]} for n in range(80)]
    records[40] = {"id": 40, "error": "broken"}
    view = view_of(json.dumps({"version": 3, "records": records}, indent=1), "json")
    shown = view.render()
    assert '"version": 3' in shown
    assert '"error": "broken"' in shown
    assert re.search(r'"id": \{\d+–79\}', shown)
    assert len(view) < 60


def test_ndjson_folds_and_a_broken_record_stays() -> None:
    lines = [json.dumps({"ts": n, "level": "info", "user": {"id": n % 9}}) for n in range(300)]
    lines[150] = '{"ts": 150, "lev'
    lines[200] = json.dumps({"ts": 200, "level": "error", "user": {"id": 1}})
    view = view_of("\n".join(lines) + "\n", "ndjson")
    assert '{"ts": 150, "lev' in verbatim(view)
    assert any('"error"' in line for line in verbatim(view))
    assert len(view) < 14
    assert "user.id: {0–8}" in view.render()


def test_csv_keeps_its_header_and_ragged_records() -> None:
    rows = ["id,city,price"] + [f"{n},{'Oslo' if n % 2 else 'Bergen'},{n % 50 + 10}" for n in range(1, 500)]
    rows[300] = "300,Oslo,20,extra"
    rows[400] = "400,Oslo,2000000"
    view = view_of("\n".join(rows) + "\n", "csv")
    kept = verbatim(view)
    assert {"id,city,price", "300,Oslo,20,extra", "400,Oslo,2000000"} <= set(kept)
    assert "price: {10–59}" in view.render()
    assert "Oslo, Bergen" in view.render()


def test_a_quoted_line_end_does_not_divide_a_record() -> None:
    view = view_of('a,b\n1,"x\ny"\n2,z\n3,w\n', "csv")
    assert any((line.start_line, line.end_line, line.count) == (2, 3, 1) for line in view)


def test_sql_rows_fold_and_definitions_stay() -> None:
    text = "CREATE TABLE film (\n  id INT,\n  title TEXT\n);\n"
    text += "".join(f"INSERT INTO film VALUES ({n},'title {n}');\n" for n in range(200))
    view = view_of(text, "sql")
    assert "  title TEXT" in verbatim(view)
    assert len(view) < 10


def test_a_huge_line_is_cut_at_its_marks() -> None:
    text = '{"rows":[' + ",".join(f'{{"id":{n},"name":"n{n}"}}' for n in range(2000)) + "]}"
    view = view_of(text, "json")
    assert all(line.start_line == line.end_line == 1 for line in view)
    assert len(view) < 12
    assert sum(line.count for line in view) >= 1900


def test_code_keeps_declarations_and_tells_bodies() -> None:
    body = "".join(f"        step_{n}(x)\n" for n in range(30))
    text = '"""Module."""\n\nimport os\n\n\nclass A:\n    """What A is."""\n\n'
    text += f"    def run(self, x):\n{body}\n    def stop(self):\n        pass\n"
    shown = view_of(text, "code").render()
    for declaration in ("class A:", "def run(self, x):", "def stop(self):", "What A is."):
        assert declaration in shown
    assert "calls step_0" in shown
    assert "step_20" not in shown


def test_a_long_string_is_clipped_with_its_size() -> None:
    view = view_of('{\n "a": 1,\n "blob": "' + "QUJD" * 500 + '"\n}\n', "json")
    (shown,) = [line.text for line in view if "blob" in line.text]
    assert len(shown) < 100
    found = re.search(r"\[\+([\d,]+) bytes\]", shown)
    assert found is not None
    assert int(found[1].replace(",", "")) > 1900


def test_base64_lines_fold() -> None:
    chance = random.Random(3)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text = "".join("".join(chance.choices(alphabet, k=76)) + "\n" for _ in range(300))
    assert len(view_of(text, "text")) <= 4


# --- secrets -------------------------------------------------------------------------------------------------------------


def hide(text: str) -> str:
    """A mask for passwords and for keys, as the real one might be."""
    text = re.sub(r"hunter\w+", "***", text)
    return re.sub(r"-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----", "[private key]", text, flags=re.DOTALL)


@settings(deadline=None)
@given(documents, st.sampled_from(FORMATS), st.lists(st.integers(0, 400), min_size=1, max_size=5))
def test_what_is_masked_is_never_shown(data: bytes, kind: str, places: list[int]) -> None:
    for place in places:
        at = min(place, len(data))
        data = data[:at] + b"password=hunter2abc " + data[at:]
    chunk = chunk_of(data, kind)
    view = condense(chunk, mask=hide)
    assert not faults_of(view, chunk)
    assert "hunter" not in view.render()


@pytest.mark.parametrize("kind", FORMATS)
def test_a_key_over_several_lines_is_not_shown(kind: str) -> None:
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvSecretSecretSecret\nc2VjcmV0bGluZQ==\n-----END PRIVATE KEY-----\n"
    shown = condense(chunk_of(("a: 1\n" * 5 + key + "b: 2\n" * 5).encode(), kind), mask=hide).render()
    assert "Secret" not in shown
    assert "c2VjcmV0" not in shown


@pytest.mark.parametrize("kind", ["log", "yaml", "text"])
def test_a_secret_that_no_line_shows_by_itself_is_not_shown(kind: str) -> None:
    def hide_pair(text: str) -> str:
        return re.sub(r"user alice\nbob42", "[pair]", text)

    shown = condense(chunk_of(b"one: 1\nuser alice\nbob42\ntwo: 2\n", kind), mask=hide_pair).render()
    assert "alice" not in shown
    assert "bob42" not in shown
    assert "two" in shown
