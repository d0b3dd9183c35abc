"""The wire is what its schemas say, in both spellings, and refuses in one clear sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest

from milepost import wire
from milepost.core import outline as core
from milepost.errors import InvalidParams
from milepost.schemas import build_schemas, schema_folder

SCHEMAS = build_schemas()


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_the_committed_schema_is_the_model(name: str) -> None:
    committed = json.loads((schema_folder() / name).read_text("utf-8"))
    assert committed == SCHEMAS[name], "run: python -m milepost.schemas --write"


def test_no_other_schemas_are_committed() -> None:
    assert {path.name for path in schema_folder().glob("*.json")} == set(SCHEMAS)


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_every_message_and_field_is_described(name: str) -> None:
    for title, definition in SCHEMAS[name]["$defs"].items():
        assert definition.get("description"), title
        for field, schema in definition["properties"].items():
            assert schema.get("description", "").endswith("."), f"{title}.{field}"


def test_both_spellings_are_one_wire() -> None:
    def snake(name: str) -> str:
        return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)

    lsp, cli = SCHEMAS["lsp.json"]["$defs"], SCHEMAS["cli.json"]["$defs"]
    assert lsp.keys() == cli.keys()
    for title in lsp:
        assert [snake(name) for name in lsp[title]["properties"]] == list(cli[title]["properties"])
        assert [snake(name) for name in lsp[title].get("required", [])] == cli[title].get("required", [])


def test_all_is_sorted_and_true() -> None:
    def order(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)

    assert wire.__all__ == sorted(wire.__all__, key=order)
    assert all(hasattr(wire, name) for name in wire.__all__)


#: What DESIGN §8 promises to be in a reply, whatever the file.
PROMISED = {
    "OutlineReply": "path format encoding line_ending lone_cr total_lines total_bytes state degraded truncated "
    "sections stats",
    "Section": "id title kind start_line end_line start_byte end_byte digest count facts children",
    "PlanReply": "chunks line_count byte_count plan_hash",
    "ReadReply": "content lossy start_line end_line start_byte end_byte total_lines truncated omitted_bytes next",
    "Quote": "text start_line end_line start_byte end_byte section verified",
    "SummarizeReply": "summary outline cursor truncated followups stats",
    "SummaryStats": "total_lines total_bytes chunks_read chunks_total bytes_examined calls input_tokens output_tokens "
    "dropped_entries duration_ms summarizer",
    "More": "count cursor",
}


@pytest.mark.parametrize("title", PROMISED)
def test_promised_fields_are_always_there(title: str) -> None:
    assert set(PROMISED[title].split()) <= set(SCHEMAS["cli.json"]["$defs"][title]["required"])


def test_what_is_not_sent_is_not_in_the_schema() -> None:
    assert "weight" not in SCHEMAS["cli.json"]["$defs"]["Section"]["properties"]


def test_every_request_has_a_name_a_method_and_a_command() -> None:
    assert [(entry["name"], entry["method"], entry["command"]) for entry in SCHEMAS["lsp.json"]["x-requests"]] == [
        ("outline", "milepost/outline", "milepost.outline"),
        ("read", "milepost/read", "milepost.read"),
        ("find", "milepost/find", "milepost.find"),
        ("plan", "milepost/plan", "milepost.plan"),
        ("summarize", "milepost/summarize", "milepost.summarize"),
        ("ask", "milepost/ask", "milepost.ask"),
        ("resolve_anchor", "milepost/resolveAnchor", "milepost.resolveAnchor"),
    ]
    for entry in wire.METHODS:
        assert wire.method_of(entry.name) is wire.method_of(entry.method) is wire.method_of(entry.command)


SAMPLES: list[tuple[type[wire.Request], dict[str, Any]]] = [
    (wire.OutlineRequest, {"depth": 2, "max_nodes": 10, "format": "log", "section": "segment-1-0"}),
    (wire.OutlineRequest, {"cursor": "abc", "work_done_token": "t-1", "max_bytes": 0}),
    (wire.ReadRequest, {"start_line": 3, "end_line": 3}),
    (wire.ReadRequest, {"offset": 1, "limit": 0}),
    (wire.ReadRequest, {"start_byte": 0, "length": 10}),
    (wire.ReadRequest, {"anchor": "10-20", "work_done_token": 7}),
    (wire.FindRequest, {"pattern": "a", "regex": True, "case_sensitive": False, "max_hits": 1}),
    (wire.PlanRequest, {"chunk_bytes": 1}),
    (wire.SummarizeRequest, {"max_chunks": 2, "detail": "deep", "mode": "parallel", "start_line": 1, "end_line": 2}),
    (wire.AskRequest, {"question": "why?", "all": True, "section": "x"}),
    (wire.ResolveAnchorRequest, {"anchor": {"start_line": 1, "end_line": 2, "head_hash": "ff"}}),
    (wire.CheckRequest, {}),
]


@pytest.mark.parametrize("model, fields", SAMPLES)
def test_a_request_may_come_in_either_spelling(model: type[wire.Request], fields: dict[str, Any]) -> None:
    request = wire.parse_request(model, {"path": "a.log", **fields})
    assert request.model_dump(include=set(fields)) == fields
    assert wire.parse_request(model, wire.dump_lsp(request)) == request
    assert wire.parse_request(model, wire.dump_plain(request)) == request


REFUSED: list[tuple[type[wire.Request], Any, str]] = [
    (wire.OutlineRequest, {}, "the request names no file: give uri or path"),
    (wire.OutlineRequest, None, "the request names no file: give uri or path"),
    (wire.OutlineRequest, [], "the parameters must be one object, not []"),
    (wire.OutlineRequest, {"path": "a", "uri": "b"}, "the request names the file twice: give uri or path, not both"),
    (wire.OutlineRequest, {"path": ""}, "path is empty: name the file"),
    (wire.OutlineRequest, {"path": "a", "dept": 1}, "unknown field dept: known are cursor, depth,"),
    (wire.OutlineRequest, {"path": "a", "depth": "2"}, 'depth must be a whole number, not "2"'),
    (wire.OutlineRequest, {"path": "a", "depth": True}, "depth must be a whole number, not true"),
    (wire.OutlineRequest, {"path": "a", "depth": 0}, "depth must be 1 or more, not 0"),
    (wire.OutlineRequest, {"path": "a", "maxBytes": -1}, "maxBytes must be 0 or more, not -1"),
    (wire.OutlineRequest, {"path": "a", "max_bytes": -1}, "max_bytes must be 0 or more, not -1"),
    (wire.OutlineRequest, {"path": "a", "max_bytes": 1, "maxBytes": 1}, "max_bytes is given twice, as max_bytes and"),
    (wire.OutlineRequest, {"path": "a", "workDoneToken": []}, "workDoneToken must be a whole number or a text, not []"),
    (wire.OutlineRequest, {"path": "a", "cursor": "c", "section": "s"}, "give cursor or section, not both"),
    (wire.ReadRequest, {"path": "a", "start_line": 5, "end_line": 4}, "end_line 4 lies before start_line 5"),
    (wire.ReadRequest, {"path": "a", "end_line": 4}, "end_line is 4 but start_line is missing"),
    (
        wire.ReadRequest,
        {"path": "a", "start_line": 1, "offset": 4},
        "the range is given twice, by start_line and by offset",
    ),
    (wire.ReadRequest, {"path": "a", "length": 4}, "length is given but start_byte is missing"),
    (wire.FindRequest, {"path": "a"}, "pattern is missing"),
    (wire.FindRequest, {"path": "a", "pattern": ""}, "pattern is empty: give the text to look for"),
    (wire.FindRequest, {"path": "a", "pattern": "x", "regex": "yes"}, 'regex must be true or false, not "yes"'),
    (
        wire.SummarizeRequest,
        {"path": "a", "detail": "all"},
        "detail must be 'outline', 'standard' or 'deep', not \"all\"",
    ),
    (wire.SummarizeRequest, {"path": "a", "section": "s", "start_line": 1}, "give section or lines, not both"),
    (wire.AskRequest, {"path": "a", "question": " "}, "question is empty: say what to find out"),
    (wire.ResolveAnchorRequest, {"path": "a", "anchor": 3}, "anchor must be an object, not 3"),
    (wire.ResolveAnchorRequest, {"path": "a", "anchor": {"startLine": 3}}, "anchor.endLine is missing"),
    (
        wire.ResolveAnchorRequest,
        {"path": "a", "anchor": {"startLine": 1, "endLine": 1, "x": 1}},
        "unknown field anchor.x",
    ),
]


@pytest.mark.parametrize("model, data, sentence", REFUSED)
def test_a_wrong_request_is_refused_in_one_sentence(model: type[wire.Request], data: Any, sentence: str) -> None:
    with pytest.raises(InvalidParams) as refused:
        wire.parse_request(model, data)
    assert str(refused.value).startswith(sentence)
    assert "\n" not in str(refused.value)


def test_an_anchor_may_bring_its_path_along() -> None:
    assert wire.parse_request(wire.ReadRequest, {"anchor": "a.log:3-4"}).path is None


def sample_outline() -> core.Outline:
    child = core.Section("incident-2-5", "boom", "incident", 2, 2, 5, 9, weight=0.9, start_column=1)
    parent = core.Section(
        "segment-1-0", "start", "segment", 1, 2, 0, 9, "2 lines", 2, {"severity": "error"}, (child,), more=core.More(3)
    )
    problem = core.Problem("no end", 2, 5)
    return core.Outline(
        "a.log", "log", "utf-8", "lf", 0, None, 9, sections=(parent,), problems=(problem,), stats={"x": 1}
    )


def test_an_outline_of_the_core_is_sent_as_it_is() -> None:
    reply = wire.outline_from_core(sample_outline(), lambda section, byte: f"{section}@{byte}")
    parent = wire.dump_plain(reply)["sections"][0]
    assert parent["more"] == {"count": 3, "cursor": "segment-1-0@0"}
    assert parent["children"] == [
        {
            "id": "incident-2-5",
            "title": "boom",
            "kind": "incident",
            "start_line": 2,
            "end_line": 2,
            "start_byte": 5,
            "end_byte": 9,
            "digest": "",
            "count": 1,
            "facts": {},
            "children": [],
            "start_column": 1,
        }
    ]


def test_optional_fields_are_left_out_and_unknown_ones_null() -> None:
    reply = wire.outline_from_core(sample_outline(), lambda section, byte: "c")
    sent = wire.dump_lsp(reply)
    assert sent["totalLines"] is None
    assert sent["next"] is None
    assert "section" not in sent
    assert sent["problems"] == [{"message": "no end", "line": 2, "byte": 5}]
    assert set(sent) <= set(SCHEMAS["lsp.json"]["$defs"]["OutlineReply"]["properties"])
    assert set(sent) >= set(SCHEMAS["lsp.json"]["$defs"]["OutlineReply"]["required"])
    assert json.loads(wire.to_json(reply, camel=True)) == sent


def test_a_path_that_is_no_text_can_be_sent() -> None:
    reply = wire.CheckReply(path="caf\udce9.log", ok=True, checks=(), truncated=False)
    assert "caf\N{REPLACEMENT CHARACTER}" in json.loads(wire.to_json(reply, camel=False))["path"]
