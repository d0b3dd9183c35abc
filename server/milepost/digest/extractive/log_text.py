"""What a log says: the incidents first, then what happened when, how fast, and where it fell silent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from milepost.core.logs.timestamps import find_stamp
from milepost.core.outline import Section, walk
from milepost.digest.extractive.texts import Read, Text, at_lines, counted, opening, sentence, wording

_CAUSES = frozenset({"compile", "link", "dependency", "test", "crash"})
_RANKS = {"fatal": 4, "critical": 4, "error": 3, "warning": 2}
_MOST_PERIODS = 9
_GAP_FACTOR = 20
_SEVERITY_NOUNS = (
    ("fatal", "fatal error", "fatal errors"),
    ("error", "error", "errors"),
    ("warning", "warning", "warnings"),
)


@dataclass(slots=True)
class _Kind:
    """Incidents of one wording: the first, how many there are, and the last line of any of them."""

    first: Section
    count: int
    last_line: int
    places: int
    weight: float
    severity: str
    burst: bool


def tell_log(read: Read, text: Text) -> list[str]:
    """Write the text; what to ask next."""
    stats = read.outline.stats if read.whole else {}
    segments = [section for section in read.sections() if section.kind == "segment"]
    what = str(read.outline.stats.get("layout", "log"))
    what = what[:1].upper() + what[1:]
    first = opening(read, what if "log" in what.lower() or "output" in what.lower() else f"{what} log")
    times = _times(segments, stats)
    if times:
        first += f" It covers {times[0]} to {times[1]}."
    kinds = _kinds(read)
    first += f" {_severities(segments, stats)}"
    text.paragraph(first)
    grave = [kind for kind in kinds if kind.weight >= 0.5 or kind.severity in ("error", "fatal", "critical")]
    other = [kind for kind in kinds if kind not in grave]
    if grave:
        text.listing(_head_of(grave), [_incident(read, kind) for kind in grave], share=0.55)
    elif segments:
        text.paragraph("No error, crash or burst stands out.")
    text.listing("What happened when:", _periods(segments, text), share=0.6)
    text.paragraph(_pace(segments))
    text.paragraph(_templates(segments, read.whole))
    if other:
        text.listing("Also rare or noteworthy:", [_incident(read, kind) for kind in other], share=1.0)
    return _questions(grave or other, segments)


def _times(segments: list[Section], stats: Any) -> tuple[str, str] | None:
    if "from" in stats:
        return str(stats["from"]), str(stats["to"])
    starts = [str(one.facts["from"]) for one in segments if "from" in one.facts]
    ends = [str(one.facts["to"]) for one in segments if "to" in one.facts]
    return (min(starts), max(ends)) if starts and ends else None


def _severities(segments: list[Section], stats: Any) -> str:
    totals = {name: 0 for name, _, _ in _SEVERITY_NOUNS}
    for segment in segments:
        for name, count in segment.facts.get("severities", {}).items():
            totals[name] = totals.get(name, 0) + count
    if "severities" in stats:
        totals.update(stats["severities"])
    parts = [counted(totals[name], one, many) for name, one, many in _SEVERITY_NOUNS if totals.get(name)]
    if not parts:
        return "It records no errors and no warnings."
    missing = "" if totals.get("error") or totals.get("fatal") else " and no errors"
    return f"It records {', '.join(parts)}{missing}."


# --- incidents --------------------------------------------------------------------------------------------------------


def _kinds(read: Read) -> list[_Kind]:
    """The kinds of incidents, the gravest first."""
    kinds: dict[tuple[str, bool], _Kind] = {}
    for section in walk(read.sections()):
        if section.kind != "incident" or section.facts.get("category") == "other":
            continue
        burst = section.facts.get("category") == "burst"
        key = (wording(section.title), burst)
        count = max(1, section.count)
        last = int(section.facts.get("last_line", section.end_line))
        kind = kinds.get(key)
        if kind is None:
            severity = str(section.facts.get("severity", ""))
            kinds[key] = _Kind(section, count, last, 1, section.weight, severity, burst)
        else:
            kind.count += count
            kind.last_line = max(kind.last_line, last)
            kind.places += 1
            kind.weight = max(kind.weight, section.weight)
    return sorted(kinds.values(), key=_gravity)


def _gravity(kind: _Kind) -> tuple[float, float, int]:
    category = kind.first.facts.get("category")
    boost = 0.3 if category in _CAUSES else 0.0
    return (-round(kind.weight + boost, 2), -_RANKS.get(kind.severity, 0), kind.first.start_line)


def _head_of(kinds: list[_Kind]) -> str:
    total = sum(kind.count for kind in kinds)
    if len(kinds) == 1:
        return "One incident stands out:" if total == 1 else f"One kind of incident stands out, ×{total:,}:"
    return f"{len(kinds):,} kinds of incidents stand out ({total:,} occurrences), the gravest first:"


def _incident(read: Read, kind: _Kind) -> str:
    section = kind.first
    severity = kind.severity.upper() if kind.severity in ("fatal", "error", "critical") else kind.severity
    category = str(section.facts.get("category", ""))
    label = severity or category
    if category in _CAUSES and category != label.lower():
        label = f"{category} {label}".strip()
    title = sentence(section.title, 160)
    parts = [f"{label}: {title}" if label and not title.lower().startswith(label.lower()) else title]
    if kind.burst:
        parts.append(f"{counted(kind.count, 'time')} in bursts" if kind.places > 1 else f"a burst of {kind.count:,}")
    elif kind.count > 1:
        parts.append(f"×{kind.count:,}")
    parts[-1] += f" {at_lines(section.start_line, section.end_line)}"
    if kind.count > 1 and kind.last_line > section.end_line:
        parts.append(f"last (line {kind.last_line})")
    moment = _moment(read, section)
    if moment:
        parts.append(f"first at {moment}" if kind.count > 1 else f"at {moment}")
    digest = section.digest.split(" · ")[0]
    is_count = digest.startswith(("burst", "last of", "×", "again"))
    if digest and not is_count and wording(digest) != wording(section.title):
        parts.append(sentence(digest, 140))
    return "; ".join(parts)


def _moment(read: Read, section: Section) -> str:
    """When an incident was, as its line says it, if that line was read again."""
    place = read.place_at(section.start_byte)
    if place is None:
        return ""
    line = place.text.partition("\n")[0].encode("utf-8", "replace")
    stamp = find_stamp(line, 1970)
    return line[stamp.start : stamp.end].decode("utf-8", "replace").strip() if stamp is not None else ""


# --- time -------------------------------------------------------------------------------------------------------------


def _periods(segments: list[Section], text: Text) -> list[str]:
    """What each stretch of time holds; short ones that hold nothing of note together."""
    groups: list[list[Section]] = []
    limit = max(1, sum(segment.count for segment in segments) // _MOST_PERIODS)
    for segment in segments:
        quiet = not segment.facts.get("incidents")
        if groups and quiet and not groups[-1][-1].facts.get("incidents"):
            if sum(one.count for one in groups[-1]) + segment.count <= max(limit, segment.count):
                groups[-1].append(segment)
                continue
            groups[-1].append(segment)
            continue
        groups.append([segment])
    while len(groups) > _MOST_PERIODS:
        place = min(
            range(len(groups) - 1),
            key=lambda at: (
                sum(_weight_of(one) for one in (*groups[at], *groups[at + 1])),
                sum(one.count for one in (*groups[at], *groups[at + 1])),
                at,
            ),
        )
        groups[place : place + 2] = [groups[place] + groups[place + 1]]
    return [_period(group) for group in groups] if len(groups) > 1 or segments else []


def _weight_of(segment: Section) -> float:
    return max((child.weight for child in segment.children), default=0.0)


def _period(group: list[Section]) -> str:
    first, last = group[0], group[-1]
    lines = sum(one.count for one in group)
    name = _span(first, last)
    totals: dict[str, int] = {}
    for one in group:
        for severity, count in one.facts.get("severities", {}).items():
            totals[severity] = totals.get(severity, 0) + count
    counts = [counted(totals[name_], one, many) for name_, one, many in _SEVERITY_NOUNS if totals.get(name_)]
    incidents = sorted(
        (child for one in group for child in one.children if child.kind == "incident"), key=lambda one: -one.weight
    )
    worst = next((child for child in incidents if child.weight >= 0.5), None)
    parts = [counted(lines, "line"), *counts]
    if worst is not None:
        parts.append(f"{sentence(worst.title, 80)} (line {worst.start_line})")
    else:
        commonest = _commonest(group)
        if commonest:
            parts.append(f"mostly {commonest}")
    return f"{name} {at_lines(first.start_line, last.end_line)}: {', '.join(parts)}"


def _span(first: Section, last: Section) -> str:
    begin, end = first.facts.get("from"), last.facts.get("to")
    if begin and end:
        begin, end = str(begin), str(end)
        if begin == end:
            return begin
        same_day = len(begin) > 10 and begin[:10] == end[:10]
        return f"{begin} → {end[11:] if same_day else end}"
    if first is last:
        return sentence(first.title, 80)
    return f"{sentence(first.title, 50)} … {sentence(last.title, 50)}"


def _commonest(group: list[Section]) -> str:
    counts: dict[str, int] = {}
    of = 0
    for one in group:
        of += int(one.facts.get("templates_of_lines", 0))
        for entry in one.facts.get("templates", ()):
            counts[entry["template"]] = counts.get(entry["template"], 0) + entry["count"]
    if not counts or not of:
        return ""
    template, count = max(counts.items(), key=lambda item: (item[1], item[0]))
    return f"‹{sentence(template, 70)}›" if count * 5 >= of else ""


def _pace(segments: list[Section]) -> str:
    """The busiest stretch, and the longest silences."""
    timed = [one for one in segments if "lines_per_second" in one.facts and one.count >= 20]
    parts = []
    if len(timed) > 1:
        busiest = max(timed, key=lambda one: (one.facts["lines_per_second"], -one.start_line))
        calmest = min(timed, key=lambda one: (one.facts["lines_per_second"], one.start_line))
        if busiest.facts["lines_per_second"] >= 3 * calmest.facts["lines_per_second"]:
            parts.append(
                f"Busiest: {_rate(busiest.facts['lines_per_second'])} from {busiest.facts['from']}"
                f" {at_lines(busiest.start_line, busiest.end_line)}; calmest: {_rate(calmest.facts['lines_per_second'])}"
                f" from {calmest.facts['from']} {at_lines(calmest.start_line, calmest.end_line)}."
            )
    gaps = []
    for before, after in pairwise(segments):
        silence = _seconds_between(before.facts.get("to"), after.facts.get("from"))
        if silence:
            gaps.append((silence, after))
    usual = sorted(silence for silence, _ in gaps)[len(gaps) // 2] if gaps else 0.0
    longest = sorted(gaps, key=lambda gap: (-gap[0], gap[1].start_line))[:3]
    told = [f"{_duration(silence)} before line {after.start_line}" for silence, after in longest if silence >= 60]
    if told and (len(gaps) < 4 or longest[0][0] >= usual):
        parts.append(f"Longest silences: {', '.join(told)}.")
    return " ".join(parts)


def _seconds_between(before: object, after: object) -> float:
    try:
        return (datetime.fromisoformat(str(after)) - datetime.fromisoformat(str(before))).total_seconds()
    except ValueError:
        return 0.0


def _duration(seconds: float) -> str:
    for unit, size in (("days", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}" if seconds >= 10 * size else f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def _rate(per_second: float) -> str:
    for unit, size in (("s", 1), ("min", 60), ("h", 3600)):
        if per_second * size >= 1:
            return f"{per_second * size:,.0f} lines/{unit}"
    return f"{per_second * 86400:,.1f} lines/day"


def _templates(segments: list[Section], whole: bool) -> str:
    counts: dict[str, int] = {}
    of = 0
    at_least = sampled = False
    for one in segments:
        of += int(one.facts.get("templates_of_lines", 0))
        at_least |= bool(one.facts.get("templates_at_least"))
        sampled |= bool(one.facts.get("templates_sampled"))
        for entry in one.facts.get("templates", ()):
            counts[entry["template"]] = counts.get(entry["template"], 0) + entry["count"]
    if not of or not counts:
        return ""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    top = [(template, count) for template, count in ranked[:4] if count * 50 >= of]
    if not top:
        return ""
    about = "at least " if len(segments) > 1 or at_least else ""
    items = [f"{100 * count / of:.0f} % ‹{sentence(template, 110)}›" for template, count in top]
    of_what = " of a sample" if sampled else ""
    return f"What most lines say ({about}this share{of_what}): {'; '.join(items)}."


def _questions(kinds: list[_Kind], segments: list[Section]) -> list[str]:
    questions = []
    for kind in kinds[:2]:
        title = sentence(kind.first.title, 80)
        questions.append(f"What led to “{title}” in line {kind.first.start_line}?")
    if kinds and kinds[0].count > 1:
        questions.append(f"Is “{sentence(kinds[0].first.title, 80)}” always preceded by the same lines?")
    if not kinds and segments:
        busiest = max(segments, key=lambda one: (one.facts.get("lines_per_second", 0), one.count))
        questions.append(f"What goes on in lines {busiest.start_line}–{busiest.end_line}?")
    return questions
