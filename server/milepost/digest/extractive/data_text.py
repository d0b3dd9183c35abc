"""What data says: its shape, what its fields hold, and what is odd in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from milepost.core.outline import Section, walk
from milepost.digest.extractive.texts import Read, Text, at_lines, counted, joined, opening, sentence

_MOST_FIELDS = 24
_MOST_GROUPS = 10
_FEW_MEMBERS = 8


def tell_table(read: Read, text: Text) -> list[str]:
    """Write the text of a CSV; what to ask next."""
    stats = read.outline.stats
    columns: Sequence[Mapping[str, Any]] = stats.get("columns", ())
    records = _records(read)
    dialect = stats.get("dialect", {})
    delimiter = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}.get(dialect.get("delimiter"), "")
    first = opening(read, "A table" + (f" separated by {delimiter}" if delimiter else ""))
    header = "with a header" if stats.get("header") else "without a header"
    fields = counted(int(stats.get("fields", len(columns))), "column")
    at_least = "" if read.told_whole else "At least "
    first += f" {at_least}{counted(records, 'record')} of {fields}, {header}."
    text.paragraph(first)
    names = [str(column.get("name", "")) for column in columns if column.get("name")]
    if read.whole:
        basis = f", from a sample of {stats['sampled_records']:,} records" if stats.get("sampled") else ""
        items = [_column(column, stats) for column in columns]
        text.listing(f"Columns{basis}:", items, share=0.7, most=40)
    elif names and stats.get("header"):
        # What they hold is known of the whole file only.
        text.paragraph(f"Columns: {joined([sentence(name, 48) for name in names], 40)}.")
    oddities = []
    if read.whole and stats.get("ragged_records"):
        oddities.append(f"{counted(int(stats['ragged_records']), 'record')} with another number of fields")
    if read.whole and stats.get("multi_line_records"):
        oddities.append(f"{counted(int(stats['multi_line_records']), 'record')} over several lines")
    if stats.get("misplaced_quotes"):
        oddities.append("quotes where none belong")
    oddities += _problems(read)
    text.listing("Odd:", oddities)
    text.listing("Records with a value unlike their neighbours':", _noted(read))
    questions = []
    numeric = next((column for column in columns if "min" in column and column.get("name")), None)
    if numeric is not None and read.whole:
        questions.append(f"Which record has {numeric['name']} {numeric['max']}?")
    if names:
        questions.append(f"Where does {names[0]} change?")
    return questions


def _records(read: Read) -> int:
    if read.whole:
        return int(read.outline.stats.get("records", 0))
    return sum(
        int(one.facts["last_record"]) - int(one.facts["first_record"]) + 1
        for one in read.sections()
        if "last_record" in one.facts and "first_record" in one.facts
    )


def _column(column: Mapping[str, Any], stats: Mapping[str, Any]) -> str:
    name = sentence(str(column.get("name", "")), 48) or "(no name)"
    kind = str(column.get("type", ""))
    parts = []
    if "min" in column:
        low, high = sentence(str(column["min"]), 32), sentence(str(column["max"]), 32)
        parts.append(f"{kind} {low} to {high}" if low != high else f"{kind}, always {low}")
    else:
        examples = [sentence(str(one), 28) for one in column.get("examples", ())]
        parts.append(f"{kind}, such as {', '.join(examples)}" if examples else kind)
    if column.get("distinct"):
        parts.append("no value twice")
    empty = int(column.get("empty", 0))
    records = int(stats.get("empty_counted_in", stats.get("records", 0)))
    if empty and empty == records:
        parts.append("always empty")
    elif empty:
        parts.append(f"{empty:,} empty")
    return f"{name}: {', '.join(part for part in parts if part)}"


def tell_ndjson(read: Read, text: Text) -> list[str]:
    """Write the text of a file of JSON records; what to ask next."""
    stats = read.outline.stats
    records = int(stats.get("records", 0)) if read.whole else read.lines
    first = opening(read, "One JSON record a line" if not stats.get("log") else "A log of JSON records")
    first += f" {counted(records, 'record')}."
    if read.whole and stats.get("bad_records"):
        first += f" {counted(int(stats['bad_records']), 'line is', 'lines are')} no JSON."
    text.paragraph(first)
    fields: Mapping[str, Mapping[str, Any]] = stats.get("fields", {})
    basis = str(stats.get("fields_from", ""))
    if read.whole and list(fields) != ["(value)"]:
        items = [_field(name, field) for name, field in list(fields.items())[:_MOST_FIELDS]]
        text.listing(f"Fields{f' (from {basis})' if basis else ''}:", items, share=0.7, most=40)
    else:
        text.listing("Its records:", [_member(one) for one in read.sections()], share=0.7, most=6)
    text.listing("Odd:", _problems(read))
    text.listing("Records with a value unlike their neighbours':", _noted(read))
    questions = []
    kind = stats.get("kind_field")
    if kind:
        questions.append(f"Where is the first record of each {kind}?")
    names = [name for name, field in fields.items() if "values" not in field and "min" in field]
    if names and read.whole:
        questions.append(f"Which record has {names[0]} {sentence(str(fields[names[0]]['max']), 40)}?")
    return questions


def _field(name: str, field: Mapping[str, Any]) -> str:
    parts = [str(field.get("type", ""))]
    values = field.get("values")
    if values:
        top = sorted(values.items(), key=lambda item: (-item[1], str(item[0])))[:5]
        listed = ", ".join(f"{sentence(str(value), 28) or '(empty)'} ×{count:,}" for value, count in top)
        parts.append(listed + (f" and {len(values) - 5} more" if len(values) > 5 else ""))
    elif "min" in field:
        low, high = sentence(str(field["min"]), 36), sentence(str(field["max"]), 36)
        parts.append(f"{low} to {high}" if low != high else f"always {low}")
    if "longest" in field:
        parts.append(f"up to {field['longest']:,} characters")
    if "in" in field:
        parts.append(f"in {field['in']}")
    return f"{sentence(name, 60)}: {', '.join(part for part in parts if part)}"


def tell_tree(read: Read, text: Text) -> list[str]:
    """Write the text of JSON, YAML, XML, settings or record stanzas; what to ask next."""
    outline, stats = read.outline, read.outline.stats
    names = {"json": "JSON", "yaml": "YAML", "xml": "XML", "ini": "settings", "records": "records"}
    title = str(stats.get("title", ""))
    first = opening(read, title or names.get(outline.format, outline.format))
    details = []
    if "root" in stats and read.whole:
        details.append(f"an {stats['root']} of {counted(int(stats.get('members', 0)), 'member')}")
    if "documents" in stats and read.whole and stats["documents"] > 1:
        details.append(counted(int(stats["documents"]), "document"))
    if "elements" in stats and read.whole:
        details.append(f"{counted(int(stats['elements']), 'element')} down to level {stats.get('depth', '?')}")
    if "max_depth" in stats and read.whole:
        details.append(f"nested {stats['max_depth']} deep")
    if details:
        joined_details = ", ".join(details)
        first += f" {joined_details[:1].upper()}{joined_details[1:]}."
    text.paragraph(first)
    text.listing("Broken:", _problems(read), share=0.3)
    sections = [one for one in read.sections() if one.kind not in ("prolog", "lines", "comment")]
    kinds = Counter(str(one.facts["kind"]) for one in sections if one.kind == "document" and "kind" in one.facts)
    if sum(kinds.values()) > 2:
        text.paragraph(f"Kinds of documents: {joined([f'{kind} ×{n:,}' for kind, n in kinds.most_common()], 12)}.")
    top = _unwrapped(sections)
    whole = max(sections, key=lambda one: one.end_byte - one.start_byte, default=None)
    if outline.format == "xml" and whole is not None and whole not in top and whole.digest:
        text.paragraph(f"It is one {sentence(whole.title, 80)}: {sentence(whole.digest, 240)}.")
    # Settings are read in their order; of what is large the largest is asked for first.
    small = sum(one.end_line - one.start_line < 80 and len(one.children) < 8 for one in top)
    is_settings = outline.format in ("yaml", "ini") and 10 * small >= 9 * len(top)
    few = len(top) <= _FEW_MEMBERS
    members = [_member(one, tell_inside=few) for one in (top if is_settings else _folded(top))]
    most = _MOST_GROUPS if outline.format == "xml" or any(one.kind == "group" for one in top) else len(members)
    if len(members) > most + 1:
        members = [*members[:most], f"and {len(members) - most:,} more"]
    order = "" if is_settings else ", the largest first"
    text.listing(f"It holds{order}:" if read.whole else f"This part holds{order}:", members, share=0.9, most=24)
    text.listing("Odd:", _noted(read))
    biggest = max(top, key=lambda one: (one.end_byte - one.start_byte, -one.start_byte), default=None)
    return [f"What is in {sentence(biggest.title, 60)}?"] if biggest is not None else []


def _unwrapped(sections: list[Section]) -> list[Section]:
    """The members of what holds everything, where one thing does."""
    total = sum(one.end_byte - one.start_byte for one in sections) or 1
    while True:
        biggest = max(sections, key=lambda one: one.end_byte - one.start_byte, default=None)
        if biggest is None or len(sections) > 3 or not len(biggest.children) > 1 or biggest.kind == "array":
            return sections
        if biggest.end_byte - biggest.start_byte < 0.9 * total:
            return sections
        if all(child.kind == "group" for child in biggest.children):
            return [one for one in sections if one is not biggest] + [biggest]
        place = sections.index(biggest)
        sections = [*sections[:place], *biggest.children, *sections[place + 1 :]]


def _folded(sections: Sequence[Section]) -> list[Section]:
    """The largest first; those of the very same digest once."""
    ranked = sorted(sections, key=lambda one: (one.start_byte - one.end_byte, one.start_byte))
    seen: set[tuple[str, str]] = set()
    found = []
    for one in ranked[:400]:
        key = (one.kind, one.digest)
        if len(one.digest) > 24 and key in seen and len(ranked) > 12:
            continue
        seen.add(key)
        found.append(one)
    return found


_COUNT_ONLY = re.compile(r"[\d,]+ (?:keys?|lines?)$")


def _member(section: Section, *, tell_inside: bool = False) -> str:
    title = sentence(section.title, 72)
    digest = sentence(section.digest, 150) if not _COUNT_ONLY.match(section.digest) else ""
    name = f"{title} {at_lines(section.start_line, section.end_line)}"
    if not digest:
        children = [sentence(child.title, 40) for child in section.children if child.title]
        digest = f"{counted(len(children), 'part')}: {joined(children, 5)}" if children else ""
    elif tell_inside and len(section.children) > 1:
        inside = [sentence(child.title, 40) for child in section.children if child.kind != "group"]
        digest += f"; {joined(inside, 8)}" if inside and inside[0] not in digest else ""
    return f"{name}: {digest}" if digest else name


def tell_sql(read: Read, text: Text) -> list[str]:
    """Write the text of a database dump; what to ask next."""
    stats = read.outline.stats
    dialects = {
        "mysql": "MySQL",
        "postgresql": "PostgreSQL",
        "sqlite": "SQLite",
        "mssql": "SQL Server",
        "oracle": "Oracle",
    }
    dialect = dialects.get(str(stats.get("dialect", "")), "")
    first = opening(read, f"A {dialect} dump" if dialect else "SQL")
    if read.whole:
        groups = ("tables", "views", "functions", "procedures", "triggers", "indexes", "constraints", "rows")
        singular = {"indexes": "index"}
        parts = [
            counted(int(stats[name]), singular.get(name, name[:-1]), name)
            for name in groups
            if int(stats.get(name, 0) or 0)
        ]
        first += f" {counted(int(stats.get('statements', 0)), 'statement')}{': ' + ', '.join(parts) if parts else ''}."
    text.paragraph(first)
    sections = read.sections()
    text.listing("Broken:", _problems(read), share=0.3)
    data = sorted((one for one in sections if one.kind == "data"), key=lambda one: -int(one.facts.get("rows", 0)))
    tables = [one for one in walk(sections) if one.kind == "table"]
    text.listing(
        "Data, the largest first:",
        [
            f"{one.facts.get('table', one.title)}: {counted(int(one.facts.get('rows', 0)), 'row')} "
            f"{at_lines(one.start_line, one.end_line)}"
            for one in data
        ],
        share=0.5,
    )
    text.listing("Tables:", [_table(one) for one in tables], share=0.6)
    others = [one for one in walk(sections) if one.kind in ("function", "procedure", "view", "trigger")]
    text.listing("Routines and views:", [_member(one) for one in others], share=0.9)
    rest = [one for one in sections if one.kind not in ("data", "table", "function", "procedure", "view", "trigger")]
    text.listing("Also:", [_member(one) for one in rest if one.title])
    if data:
        return [f"Which columns does {data[0].facts.get('table', data[0].title)} have?"]
    return [f"What refers to {sentence(tables[0].title, 60)}?"] if tables else []


def _table(section: Section) -> str:
    columns = section.facts.get("columns")
    names = [str(one.get("name", one)) if isinstance(one, Mapping) else str(one) for one in columns or ()]
    listed = f": {joined(names, 8)}" if names else f": {sentence(section.digest, 120)}" if section.digest else ""
    return f"{sentence(section.title, 72)} {at_lines(section.start_line, section.end_line)}{listed}"


def _problems(read: Read) -> list[str]:
    """What the outline found wrong in the part that was read."""
    start, end = read.facts.examined
    return [
        f"{sentence(problem.message, 140)} (line {problem.line})"
        for problem in read.outline.problems
        if start <= problem.byte < end or (read.whole and problem.byte >= end)
    ]


def _noted(read: Read) -> list[str]:
    """The places that were noted as odd."""
    return [
        f"{at_lines(place.start_line, place.end_line)[1:-1]}: {sentence(place.text, 140)}"
        for score, place in read.noted()[:6]
        if score > 0 and place.text.strip()
    ]


_NAMES = {
    "opaque": "Opaque data",
    "minified": "Minified code",
    "gc_log": "A garbage collection log",
    "thread_dump": "A thread dump",
    "strace": "A trace of system calls (strace)",
}


def tell_sections(read: Read, text: Text) -> list[str]:
    """Write the text of what has no better way: its parts, the notable ones first; what to ask next."""
    outline, stats = read.outline, read.outline.stats
    first = opening(read, _NAMES.get(outline.format, outline.format))
    numbers = [
        _number(str(name), value)
        for name, value in stats.items()
        if name != "nodes" and isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if numbers and read.whole:
        first += f" It has {joined(numbers, 10)}."
    text.paragraph(first)
    for name, value in stats.items() if read.whole else ():
        if isinstance(value, Mapping) and value and all(isinstance(count, int) for count in value.values()):
            listed = [f"{sentence(str(key), 40)} ×{count:,}" for key, count in value.items()]
            text.paragraph(f"{str(name).replace('_', ' ').capitalize()}: {joined(listed, 10)}.")
    text.listing("Broken:", _problems(read), share=0.3)
    sections = read.sections()
    if outline.format == "thread_dump":
        text.listing("Where the threads are:", _frames(sections), share=0.6, most=10)
        text.listing("What they wait for:", _waits(sections), share=0.5, most=6)
    notable = [one for one in walk(sections) if one.weight >= 0.55 and one.kind not in ("segment", "dump")]
    notable.sort(key=lambda one: (-one.weight, one.start_byte))
    text.listing("Noteworthy:", [_member(one) for one in notable], share=0.5, most=10)
    known = {one.id for one in notable}
    rest = [one for one in sections if one.id not in known and one.title != "(blank)"]
    text.listing("Its parts:", [_member(one) for one in rest], most=12)
    if notable:
        return [f"What happened around line {notable[0].start_line}?"]
    return [f"What is in lines {rest[0].start_line}–{rest[0].end_line}?"] if rest else []


_NUMBERS = {
    "full": "{:,} of them full",
    "stopped_seconds": "{:.3g} s stopped in all",
    "longest_seconds": "{:.3g} s the longest",
    "usual_seconds": "{:.3g} s the usual",
}


def _number(name: str, value: float) -> str:
    """A number of an outline's facts in words."""
    pattern = _NUMBERS.get(name, "{:,} " if isinstance(value, int) else "{:.3g} ")
    return pattern.format(value) + (name.replace("_", " ") if pattern.endswith(" ") else "")


def _frames(sections: Sequence[Section]) -> list[str]:
    """In which state and which call how many threads are, the most common first."""
    firsts: dict[str, Section] = {}
    counts: Counter[str] = Counter()
    for one in walk(sections):
        if one.kind == "thread" and ", in " in one.digest:
            where = ", ".join(one.digest.split(", ")[:2])
            counts[where] += 1
            firsts.setdefault(where, one)
    return [
        f"{sentence(where, 120)} ×{count:,}, first {at_lines(firsts[where].start_line, firsts[where].end_line)}"
        for where, count in sorted(counts.items(), key=lambda item: (-item[1], firsts[item[0]].start_byte))
    ]


def _waits(sections: Sequence[Section]) -> list[str]:
    """The locks that more than one thread waits for."""
    counts = Counter(str(one.facts["waits_for"]) for one in walk(sections) if "waits_for" in one.facts)
    return [f"{sentence(lock, 120)} ×{count:,}" for lock, count in counts.most_common() if count > 1]
