"""Tables condensed: CSV and NDJSON, whose records fold by shape with what each field holds.

The first records stay, so do those of another shape and those with a value unlike all others'. The rest is told in a few
stretches, so that it shows where in the chunk values change.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from milepost.digest.condense.lines import ChunkLines, shown
from milepost.digest.condense.variations import describe_values, odd_rows
from milepost.digest.condense.view import View, ViewLine, ordered
from milepost.digest.values import ChunkText

_LINE_BYTES = 240
_FOLD_BYTES = 1600
_STRETCHES = 4
_STRETCH_RECORDS = 50
_MOST_ODD = 24
_DELIMITERS = (b",", b"\t", b";", b"|", b"\x01")
_MOST_FIELDS = 64
_MOST_SHAPES = 6
_GRAVE = frozenset({"error", "fatal", "critical", "crit", "alert", "emerg", "panic", "severe"})
_LEVELS = ("level", "severity", "lvl", "loglevel", "log.level", "levelname")

Record = list[int]
"""The indexes of its lines."""


def condense_csv(lines: ChunkLines) -> View:
    """The view of a chunk of a delimited table."""
    texts = lines.lines()
    records = _csv_records(texts)
    delimiter = _delimiter(texts)
    rows = [_csv_fields(b"\n".join(texts[index] for index in record), delimiter) for record in records]
    usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    starts_file = lines.chunk.index == 0
    names = [f"{lines.decode(name[:40])}: " if starts_file else "" for name in rows[0]] if rows else []
    kept = list(range(min(len(rows), 2 if starts_file else 1)))
    groups = {place: len(row) == usual for place, row in enumerate(rows)}
    plain = [place for place, fits in groups.items() if fits and place not in kept]
    kept += [place for place, fits in groups.items() if not fits and place not in kept]
    return _table(lines, records, rows, plain, kept, names)


def condense_ndjson(lines: ChunkLines) -> View:
    """The view of a chunk of JSON records, one a line."""
    texts = lines.lines()
    parsed = [_json_fields(lines, index, texts[index]) for index in range(lines.count)]
    shapes: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    kept: list[int] = []
    for index, fields in enumerate(parsed):
        if fields is None:
            kept.append(index)
        else:
            shapes[(_level(fields), *fields)].append(index)
    if len(shapes) > _MOST_SHAPES:
        merged: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for shape, indexes in shapes.items():
            merged[shape[:2]].extend(indexes)
        shapes = merged
    out: list[ViewLine] = []
    for shape, indexes in shapes.items():
        indexes.sort()
        names = list(dict.fromkeys(name for index in indexes for name in parsed[index] or ()))[:_MOST_FIELDS]
        rows = {index: [(parsed[index] or {}).get(name, b"") for name in names] for index in indexes}
        first = 3 if shape[0] in _GRAVE else 1
        odd = [indexes[place] for place in odd_rows([rows[index] for index in indexes])] if len(shapes) < 40 else []
        kept += dict.fromkeys([*indexes[:first], *odd])
        known = set(kept)
        rest = [index for index in indexes if index not in known]
        titles = [f"{name}: " for name in names]
        for stretch in _stretches(rest):
            out.append(
                _stretch(lines, [[index] for index in stretch], [rows[index] for index in stretch], titles, "{", "}")
            )
    out.extend(_whole(lines, [index]) for index in kept)
    return ordered(out)


def _table(
    lines: ChunkLines,
    records: Sequence[Record],
    rows: Sequence[list[bytes]],
    plain: list[int],
    kept: list[int],
    names: Sequence[str],
) -> View:
    odd = [plain[place] for place in odd_rows([rows[place] for place in plain])]
    out = [_whole(lines, records[place]) for place in [*kept, *odd][:_MOST_ODD]]
    for place in [*kept, *odd][_MOST_ODD:]:
        number = lines.number(records[place][0])
        text = shown(lines.decode(rows[place][0] if rows[place] else b""), 40)
        last = lines.number(records[place][-1])
        out.append(ViewLine(f"({len(rows[place])} fields) {text} …", number, last, 1, lines.ranges(records[place])))
    known = set(odd)
    rest = [place for place in plain if place not in known]
    for stretch in _stretches(rest):
        out.append(
            _stretch(lines, [records[place] for place in stretch], [rows[place] for place in stretch], names, "", "")
        )
    return ordered(out)


def _stretches(places: list[int]) -> Iterable[list[int]]:
    count = min(_STRETCHES, max(1, len(places) // _STRETCH_RECORDS))
    size = -(-len(places) // count) if places else 1
    return [places[start : start + size] for start in range(0, len(places), size)]


def _stretch(
    lines: ChunkLines,
    records: Sequence[Record],
    rows: Sequence[list[bytes]],
    names: Sequence[str],
    begin: str,
    end: str,
) -> ViewLine:
    if len(records) == 1:
        return _whole(lines, records[0])
    parts = []
    for number, column in enumerate(zip(*rows, strict=True)):
        name = names[number] if number < len(names) else ""
        parts.append(f"{name}{describe_values(column, lines.decode)}")
    text = shown(f"{begin}{'; '.join(parts)}{end}", _FOLD_BYTES)
    return lines.folded([index for record in records for index in record], text, len(records))


def _whole(lines: ChunkLines, record: Record) -> ViewLine:
    if len(record) == 1:
        return lines.verbatim(record[0], _LINE_BYTES)
    number, last = lines.number(record[0]), lines.number(record[-1])
    text = shown(" ⏎ ".join(lines.text(index, _LINE_BYTES) for index in record[:8]), 2 * _LINE_BYTES)
    return ViewLine(text, number, last, 1, lines.ranges(record))


# --- CSV --------------------------------------------------------------------------------------------------------------


def _csv_records(texts: Sequence[bytes]) -> list[Record]:
    """Lines by record: one with an odd number of quotes goes on, unless it never ends."""
    records: list[Record] = []
    start = 0
    inside = False
    for index, text in enumerate(texts):
        if text.count(b'"') % 2:
            inside = not inside
        if inside and index - start < 200:
            continue
        inside = False
        records.append(list(range(start, index + 1)))
        start = index + 1
    if start < len(texts):
        records.append(list(range(start, len(texts))))
    return records


def _delimiter(texts: Sequence[bytes]) -> bytes:
    sample = [text for text in texts[:: max(1, len(texts) // 40)] if text.strip()]
    counts = {mark: sorted(text.count(mark) for text in sample) for mark in _DELIMITERS}
    return max(_DELIMITERS, key=lambda mark: counts[mark][len(sample) // 4] if sample else 0)


def _csv_fields(record: bytes, delimiter: bytes) -> list[bytes]:
    if b'"' not in record:
        return record.split(delimiter)
    text = record.decode("latin-1")
    try:
        row = next(csv.reader([text], delimiter=delimiter.decode()), [])
    except csv.Error:
        return record.split(delimiter)
    return [field.encode("latin-1") for field in row]


# --- JSON -------------------------------------------------------------------------------------------------------------


def _json_fields(lines: ChunkLines, index: int, text: bytes) -> dict[str, bytes] | None:
    """The fields of a record by their path, values as they are shown; None if it is no record."""
    try:
        value = json.loads(text if len(text) >= lines.size(index) - 2 else lines.decode(text))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list) or not value:
        return None
    fields: dict[str, bytes] = {}
    _flatten("", value if isinstance(value, dict) else dict(enumerate(value)), fields, 0)
    return fields


def _flatten(path: str, value: Any, fields: dict[str, bytes], depth: int) -> None:
    if len(fields) >= _MOST_FIELDS:
        return
    if isinstance(value, dict) and value and depth < 4:
        for name, inner in value.items():
            _flatten(f"{path}.{name}" if path else str(name), inner, fields, depth + 1)
        return
    if isinstance(value, str):
        text = value if len(value) < 400 else value[:400]
    elif isinstance(value, list | dict):
        text = f"[{len(value)} items]" if isinstance(value, list) else "{}"
    else:
        text = json.dumps(value)
    fields[path] = text.encode("utf-8", "replace")


def _level(fields: dict[str, bytes]) -> str:
    for name in _LEVELS:
        if name in fields:
            return fields[name].decode("utf-8", "replace").lower()
    return ""


def odd_records(chunk: ChunkText) -> list[tuple[int, int]]:
    """The byte ranges in a chunk's `data` of records with a value unlike that of all others, or of another length."""
    lines = ChunkLines(chunk, lambda text: text)
    texts = lines.lines()
    if chunk.format == "ndjson":
        records: list[Record] = [[index] for index in range(lines.count)]
        parsed = [_json_fields(lines, index, text) for index, text in enumerate(texts)]
        common = Counter(tuple(fields) for fields in parsed if fields).most_common(1)
        names = common[0][0] if common else ()
        rows = [list(fields.values()) if fields is not None and tuple(fields) == names else [] for fields in parsed]
    else:
        records = _csv_records(texts)
        delimiter = _delimiter(texts)
        rows = [_csv_fields(b"\n".join(texts[index] for index in record), delimiter) for record in records]
    usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    plain = [place for place, row in enumerate(rows) if len(row) == usual and not (place == 0 and chunk.index == 0)]
    found = [plain[place] for place in odd_rows([rows[place] for place in plain])]
    return [(lines.starts[records[place][0]], lines.starts[records[place][-1] + 1]) for place in found]
