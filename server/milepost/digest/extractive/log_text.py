"""What a log says: the incidents first, then what happened when, how fast, and where it fell silent."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from milepost.core.formats.log_sections import format_time
from milepost.core.logs.timestamps import find_stamp
from milepost.core.outline import Section, walk
from milepost.digest.extractive.texts import Read, Text, at_lines, counted, opening, sentence, wording

_CAUSES = frozenset({"compile", "link", "dependency", "test", "crash"})
_CATEGORIES = {
    "value": "odd value",
    "failure": "failure",
    "retry": "retries",
    "restart": "start or stop",
    "rare": "seen rarely",
    "warning": "warning",
    "pause": "long pause",
    "full": "full collection",
}
#: What follows from a failure and does not say why: the causes come first.
_CONSEQUENCE = re.compile(
    r"(?i)bad exit status|returned \d+ exit status|ld returned|build stopped|rpm build errors|command failed|^FAILED:|\*\*\*"
    r"|build failed|failed to resolve the transaction|waiting for unfinished|copr build error|exception: \[error"
    r"|^error: exception|exit(?:ed)? (?:with )?(?:code|status)|job failed|non-zero exit|^make(?:\[\d+\])?:|ELIFECYCLE"
    r"|npm ERR! (?:code|errno|A complete)|Performing Test .* - Failed|checking (?:for|whether|if|command)"
)
#: A segment that has no name of its own.
_NO_TITLE = re.compile(r"lines [\d,]+ to [\d,]+$")
_WORD = re.compile(r"[^\W\d_]{3,}")
_GAP = re.compile(r"after a gap of (([\d,.]+) (\w+))")
_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "day": 86400.0, "days": 86400.0}
_MOST_INCIDENTS = 14
_FATAL = 4
_RANKS = {"fatal": 4, "critical": 4, "error": 3, "warning": 2}
_MOST_PERIODS = 9
_SEVERITY_NOUNS = (
    ("fatal", "critical or fatal error", "critical or fatal errors"),
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
    kind = (
        what if what.startswith("log ") or what.endswith("log") or "(" in what or "output" in what else f"log ({what})"
    )
    first = opening(read, f"{kind[:1].upper()}{kind[1:]}")
    times = _times(segments, stats)
    if times and read.told_whole:
        first += f" It covers {times[0]} to {times[1]}."
    elif times:
        first += f" It begins at {times[0]}."
    console = what.lower().startswith("console") or all("from" not in one.facts for one in segments)
    kinds = _kinds(read, console)
    first += f" {_severities(segments, stats, exact=read.told_whole)}"
    text.paragraph(first)
    grave = [kind for kind in kinds if kind.weight >= 0.5 or kind.severity in ("error", "fatal", "critical")]
    other = [kind for kind in kinds if kind not in grave]
    failed = console and any(_CONSEQUENCE.search(kind.first.title) for kind in grave)
    if failed and grave:
        text.paragraph(f"It tells of a failure. The likeliest cause: {_cause(grave[0].first)}.")
    if grave:
        shown = grave[:_MOST_INCIDENTS]
        items = [_incident(read, kind) for kind in shown]
        if len(grave) > len(shown):
            items.append(f"and {len(grave) - len(shown):,} kinds more")
        text.listing(_head_of(grave), items, share=0.5)
    elif segments and read.told_whole:
        text.paragraph("No error, crash or burst stands out.")
    text.listing("What happened when:", _periods(segments, text), share=0.6)
    text.paragraph(_pace(segments))
    text.paragraph(_templates(segments, read.whole))
    if other:
        text.listing("Also rare or noteworthy:", [_incident(read, kind) for kind in other], share=1.0)
    questions = _questions(grave or other, segments)
    return ["Why did the build fail?", *questions] if failed else questions


def _times(segments: list[Section], stats: Any) -> tuple[str, str] | None:
    if "from" in stats:
        return str(stats["from"]), str(stats["to"])
    starts = [str(one.facts["from"]) for one in segments if "from" in one.facts]
    ends = [str(one.facts["to"]) for one in segments if "to" in one.facts]
    return (min(starts), max(ends)) if starts and ends else None


def _severities(segments: list[Section], stats: Any, *, exact: bool) -> str:
    """How much went wrong; where not all was counted, at least how much, and nothing of what there is not."""
    totals = {name: 0 for name, _, _ in _SEVERITY_NOUNS}
    for segment in segments:
        for name, count in segment.facts.get("severities", {}).items():
            totals[name] = totals.get(name, 0) + count
    if "severities" in stats:
        totals.update(stats["severities"])
    parts = [counted(totals[name], one, many) for name, one, many in _SEVERITY_NOUNS if totals.get(name)]
    if not exact:
        return f"It records at least {', '.join(parts)}." if parts else ""
    if not parts:
        return "It records no errors and no warnings."
    missing = "" if totals.get("error") or totals.get("fatal") else " and no errors"
    return f"It records {', '.join(parts)}{missing}."


# --- incidents --------------------------------------------------------------------------------------------------------


def _kinds(read: Read, console: bool) -> list[_Kind]:
    """The kinds of incidents, the gravest first."""
    kinds: dict[tuple[str, bool], _Kind] = {}
    for section in walk(read.sections()):
        if section.kind != "incident" or section.facts.get("category") == "other":
            continue
        burst = section.facts.get("category") == "burst"
        key = (wording(section.title), burst)
        count = max(1, section.count)
        last = int(section.facts.get("last_line", section.end_line))
        if last > read.end_line:
            count, last = 1, section.end_line  # the others may not have been read
        kind = kinds.get(key)
        if kind is None:
            severity = str(section.facts.get("severity", ""))
            kinds[key] = _Kind(section, count, last, 1, section.weight, severity, burst)
        else:
            kind.count += count
            kind.last_line = max(kind.last_line, last)
            kind.places += 1
            kind.weight = max(kind.weight, section.weight)
    return sorted(kinds.values(), key=lambda kind: _gravity(kind, console))


def _gravity(kind: _Kind, console: bool) -> tuple[float, float, int, int]:
    """By weight, then severity, then how often, then where; in a build what causes a failure before what follows from it."""
    boost = 0.0
    if console and _CONSEQUENCE.search(kind.first.title):
        boost = -0.25
    elif console and kind.first.facts.get("category") in _CAUSES:
        boost = 0.3
    times = int(math.log10(kind.count))
    rank = _RANKS.get(kind.severity, 0)
    is_fatal = rank == _FATAL and not console
    return (-2.0 * is_fatal - round(kind.weight + boost, 2), -rank, -times, kind.first.start_line)


def _head_of(kinds: list[_Kind]) -> str:
    total = sum(kind.count for kind in kinds)
    if all(kind.severity not in _RANKS and not kind.burst for kind in kinds):
        return "No error stands out. Worth a look:"
    if len(kinds) == 1:
        return "One incident stands out:" if total == 1 else f"One kind of incident stands out, ×{total:,}:"
    return f"{len(kinds):,} kinds of incidents stand out ({total:,} occurrences), the gravest first:"


def _incident(read: Read, kind: _Kind) -> str:
    section = kind.first
    category = str(section.facts.get("category", ""))
    label = _CATEGORIES.get(category, category)
    if kind.severity in _RANKS:
        label = kind.severity.upper() if kind.severity != "warning" else kind.severity
        if category in _CAUSES and "from" not in read.outline.stats:
            label = f"{category} {label}"
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
    digest = _addition(section)
    if digest:
        parts.append(sentence(digest, 140))
    return "; ".join(parts)


def _cause(section: Section) -> str:
    title, where = sentence(section.title, 180), at_lines(section.start_line, section.end_line)
    digest = _addition(section)
    return f"{title} {where}{f': {sentence(digest, 200)}' if digest else ''}"


def _addition(section: Section) -> str:
    """What an incident's digest says beyond its title and its count."""
    digest = section.digest.split(" · ")[0]
    said, title = wording(digest)[:60], wording(section.title)
    if not digest or digest.startswith(("burst", "last of", "×", "again")) or said in title or title[:60] in said:
        return ""
    return digest


def _moment(read: Read, section: Section) -> str:
    """When an incident was, as its line says it, if that line was read again."""
    place = read.place_at(section.start_byte)
    if place is None:
        return ""
    line = place.text.partition("\n")[0].encode("utf-8", "replace")
    stamp = find_stamp(line, 1970)
    if stamp is None:
        return ""
    if stamp.has_year and stamp.has_date:
        return format_time(stamp.seconds)
    return line[stamp.start : stamp.end].decode("utf-8", "replace").strip()


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
    parts = [*counts]
    if worst is not None:
        parts.append(f"{sentence(worst.title, 80)} (line {worst.start_line})")
    else:
        commonest = _commonest(group)
        if commonest:
            parts.append(f"mostly {commonest}")
    where = at_lines(first.start_line, last.end_line)
    return f"{name} {where}: {', '.join(parts) or 'nothing of note'}".lstrip()


def _span(first: Section, last: Section) -> str:
    begin = first.facts.get("from")
    if begin:
        # Where a stretch ends is known no closer than where the next one begins.
        label = first.title.partition(" · ")[2]
        return f"from {begin}{f', {sentence(label, 60)}' if label else ''}"
    titles = dict.fromkeys(
        sentence(one.title, 80 if first is last else 50) for one in (first, last) if not _NO_TITLE.match(one.title)
    )
    return " … ".join(titles)


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
    return f"‹{_readable(template, 80)}›" if count * 5 >= of and _WORD.search(template) else ""


def _readable(template: str, max_bytes: int) -> str:
    """A template's wording, dots for what varies."""
    return sentence(template.replace("<*>", "…").lstrip("… "), max_bytes)


def _pace(segments: list[Section]) -> str:
    """The busiest stretch, and the longest silences."""
    timed = [one for one in segments if "lines_per_second" in one.facts and one.count >= 20]
    parts = []
    if len(timed) > 1:
        busiest = max(timed, key=lambda one: (one.facts["lines_per_second"], -one.start_line))
        calmest = min(timed, key=lambda one: (one.facts["lines_per_second"], one.start_line))
        if busiest.facts["lines_per_second"] >= 3 * calmest.facts["lines_per_second"]:
            parts.append(f"Busiest: {_at_rate(busiest)}; calmest: {_at_rate(calmest)}.")
    gaps = [(_seconds(match), match[1], one) for one in segments if (match := _GAP.search(one.title)) is not None]
    longest = sorted(gaps, key=lambda gap: (-gap[0], gap[2].start_line))[:3]
    if longest:
        told = [f"{length} before line {after.start_line}" for _, length, after in longest]
        parts.append(f"Longest silences: {', '.join(told)}.")
    return " ".join(parts)


def _seconds(match: re.Match[str]) -> float:
    """How long a gap is that a segment's title tells of."""
    return float(match[2].replace(",", "")) * _UNITS.get(match[3], 1.0)


def _at_rate(segment: Section) -> str:
    per_second = segment.facts["lines_per_second"]
    rate = "less than 2 lines an hour"
    for unit, size in (("s", 1), ("min", 60), ("h", 3600)):
        if per_second * size >= 2:
            rate = f"{per_second * size:,.0f} lines/{unit}"
            break
    return f"{rate} from {segment.facts['from']} {at_lines(segment.start_line, segment.end_line)}"


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
    top = [(template, count) for template, count in ranked[:5] if count * 33 >= of and _WORD.search(template)]
    if not top or top[0][1] * 20 < of:
        return ""
    about = "at least " if len(segments) > 1 or at_least else ""
    items = [f"{100 * count / of:.0f} % ‹{_readable(template, 110)}›" for template, count in top]
    of_what = " of a sample" if sampled else ""
    return f"What most lines say ({about}this share{of_what}): {'; '.join(items)}."


def _questions(kinds: list[_Kind], segments: list[Section]) -> list[str]:
    questions = []
    for kind in kinds[:2]:
        title = sentence(kind.first.title, 80)
        questions.append(f"What led to “{title}” in line {kind.first.start_line}?")
    if not kinds and segments:
        busiest = max(segments, key=lambda one: (one.facts.get("lines_per_second", 0), one.count))
        questions.append(f"What goes on in lines {busiest.start_line}–{busiest.end_line}?")
    return questions
