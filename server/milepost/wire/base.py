"""What all messages have in common: their spelling, how a request is read, how a reply is written.

Attributes are snake_case here, in the command line's `--json` and in MCP; on LSP the same models are camelCase. A
request may come in either spelling. In a reply, a field without a default is always there (null where it is unknown),
and a field with a default is left out when it has that default: `optional` in the schemas means exactly that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, PydanticCustomError

from milepost.core.text import clip_text
from milepost.errors import InvalidParams

if TYPE_CHECKING:
    from typing_extensions import Self

#: How much of a wrong value an error sentence repeats, in bytes.
_SHOWN_VALUE_BYTES = 60


#: A number that counts from 0: bytes, offsets.
Natural = Annotated[int, Field(ge=0)]

#: A number that counts from 1: lines, and how many of something are wanted.
Positive = Annotated[int, Field(ge=1)]


class WireModel(BaseModel):
    """Base of everything that is sent or received."""

    # Building all models takes a tenth of a second; most runs use a few.
    model_config = ConfigDict(
        defer_build=True,
        alias_generator=to_camel,
        populate_by_name=True,
        from_attributes=True,
        frozen=True,
        extra="forbid",
    )


class Request(WireModel):
    """Base of every request. The file is named by `uri` or by `path`, never by both."""

    model_config = ConfigDict(strict=True)

    uri: str | None = None
    """The file, as a `file:` URI. Exactly one of `uri` and `path` is needed."""

    path: str | None = None
    """The file, as a path on the machine where the server runs. Exactly one of `uri` and `path` is needed."""

    work_done_token: int | str | None = None
    """Under this token the progress of the request is reported, and it can be cancelled."""

    max_bytes: Natural | None = None
    """The reply may be at most this many bytes long once serialized; without it the setting for this request holds."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_file()
        self.check()
        return self

    def check_file(self) -> None:
        """Refuse a request that names no file, or two."""
        if self.uri is None and self.path is None:
            raise wrong("the request names no file: give uri or path")
        if self.uri is not None and self.path is not None:
            raise wrong("the request names the file twice: give uri or path, not both")
        for name in ("uri", "path"):
            if getattr(self, name) == "":
                raise wrong("{name} is empty: name the file", name=name)

    def check(self) -> None:
        """What must hold between the fields of one kind of request; raises `wrong(...)`."""


def _encodable(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


#: A path as it can be shown and sent: bytes of a file name that are no UTF-8 become U+FFFD.
ShownPath = Annotated[str, AfterValidator(_encodable)]


class Reply(WireModel):
    """Base of every reply."""


def wrong(sentence: str, **values: Any) -> PydanticCustomError:
    """The error for a validator to raise: one sentence, with `{names}` for the values that are to blame."""
    return PydanticCustomError("milepost", sentence, values or None)


def check_lines(start_line: int | None, end_line: int | None) -> None:
    """A line range as requests give it: 1-based, inclusive, forwards; an end needs a start."""
    if end_line is None:
        return
    if start_line is None:
        raise wrong("end_line is {value} but start_line is missing", value=end_line)
    if end_line < start_line:
        raise wrong("end_line {end} lies before start_line {start}", end=end_line, start=start_line)


RequestType = TypeVar("RequestType", bound=Request)


def parse_request(model: type[RequestType], data: Any) -> RequestType:
    """The request that `data` (JSON values, in either spelling) stands for.

    Raises InvalidParams with one sentence that names the first field that is wrong, as the caller spelled it.
    """
    if data is None:
        data = {}
    if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
        raise InvalidParams(f"the parameters must be one object, not {_shown(data)}")
    given = dict(data)
    for name, field in model.model_fields.items():
        alias = field.alias or name
        if alias != name and alias in given and name in given:
            raise InvalidParams(f"{name} is given twice, as {name} and as {alias}: give one")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise InvalidParams(_sentence(model, given, error.errors(include_url=False)[0])) from None


def _sentence(model: type[Request], given: Mapping[str, Any], error: ErrorDetails) -> str:
    kind = error["type"]
    if kind == "milepost":
        return str(error["msg"])
    location = [str(part) for part in error["loc"]]
    # A union's location ends in the member that was tried (`workDoneToken.int`); what counts is the field.
    in_union = location[-1:] in (["int"], ["str"])
    if in_union:
        location.pop()
    name = clip_text(".".join([_as_given(model, given, location[0]), *location[1:]]), _SHOWN_VALUE_BYTES)
    if kind == "missing":
        return f"{name} is missing"
    if kind == "extra_forbidden":
        known = f": known are {', '.join(sorted(model.model_fields))}" if len(location) == 1 else ""
        return f"unknown field {name}{known}"
    if in_union:
        expected = "a whole number or a text"
    elif kind == "literal_error":
        expected = str(error.get("ctx", {}).get("expected", ""))
    elif kind == "greater_than_equal":
        expected = f"{error.get('ctx', {}).get('ge')} or more"
    else:
        expected = _EXPECTED.get(kind) or str(error["msg"]).removeprefix("Input should be ")
    return f"{name} must be {expected}, not {_shown(error['input'])}"


_EXPECTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "string_type": "a text",
    "string_unicode": "a text without broken characters",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
}


def _as_given(model: type[Request], given: Mapping[str, Any], alias: str) -> str:
    if alias in given:
        return alias
    for name, field in model.model_fields.items():
        if field.alias == alias:
            return name
    return alias


def _shown(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=lambda _: "…")
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    return clip_text(text, _SHOWN_VALUE_BYTES)


def dump_lsp(model: BaseModel) -> dict[str, Any]:
    """The model as LSP's JSON values: camelCase, optional fields left out."""
    return model.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def dump_plain(model: BaseModel) -> dict[str, Any]:
    """The model as JSON values for the command line and MCP: snake_case, optional fields left out."""
    return model.model_dump(mode="json", exclude_defaults=True)


def to_json(model: BaseModel, *, camel: bool) -> bytes:
    """The model as compact JSON in UTF-8, in the spelling of LSP (`camel`) or of the command line."""
    return model.__pydantic_serializer__.to_json(model, by_alias=camel, exclude_defaults=True)
