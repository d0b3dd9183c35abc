"""The choice of sections by itself: on the core's sections, with rows of a screen as cost."""

from __future__ import annotations

from milepost.core.outline import More, Section
from milepost.core.selection import Costs, Kept, select_sections


def section(name: str, weight: float = 0.3, *children: Section, more: int = 0) -> Section:
    return Section(name, name, "block", 1, 1, 0, 1, children=children, weight=weight, more=More(more) if more else None)


#: One row for a section, a row for "and 3 more", a row for a merged entry.
ROWS: Costs[Section] = Costs(lambda section, depth: 1, lambda section: 1, lambda first, last, members: 1)

FILE = (
    section("a", 0.1, section("a1"), section("a2", 0.9), section("a3")),
    section("b", 0.2),
    section("c", 0.2, section("c1", 0.8, section("c1x", 0.1)), more=7),
    section("d", 0.2),
)


def drawn(kept: Kept[Section], indent: str = "") -> list[str]:
    if kept.members > 1:
        return [f"{indent}{kept.section.title}..{kept.last.title} ({kept.members})"]
    rows = [f"{indent}{kept.section.title}", *(row for child in kept.children for row in drawn(child, indent + "  "))]
    if kept.left_out:
        rows.append(f"{indent}  +{kept.left_out} from {kept.next_child.title if kept.next_child else '?'}")
    return rows


def rows_within(budget: int, **bounds: int | bool) -> list[str]:
    selection = select_sections(FILE, budget, ROWS, **bounds)  # type: ignore[arg-type]
    rows = [row for root in selection.roots for row in drawn(root)]
    assert selection.cost == len(rows), "the cost is what it comes to"
    return rows


def test_a_screen_fills_up_by_weight() -> None:
    assert rows_within(1) == ["a..d (4)"]
    assert rows_within(4) == ["a", "  a2", "  +2 from a1", "b..d (3)"]
    assert rows_within(9) == ["a", "  a2", "  +2 from a1", "b", "c", "  c1", "    c1x", "  +7 from ?", "d"]
    assert rows_within(12) == [
        *["a", "  a1", "  a2", "  a3", "b"],
        *["c", "  c1", "    c1x", "  +7 from ?", "d"],
    ]


def test_no_budget_is_exceeded_and_none_is_wasted_without_need() -> None:
    for budget in range(1, 15):
        assert len(rows_within(budget)) <= budget
    assert len(rows_within(14)) == 10, "one row for each of the nine sections, and one for the seven that are not known"


def test_bounds_besides_the_budget() -> None:
    assert rows_within(99, depth=1) == ["a", "  +3 from a1", "b", "c", "  +8 from c1", "d"]
    assert rows_within(99, max_nodes=3) == ["a", "  a2", "  +2 from a1", "b..d (3)"]


def test_a_page_begins_at_its_start_and_says_what_follows() -> None:
    page = select_sections(FILE, 4, ROWS, in_order=True)
    assert [row for root in page.roots for row in drawn(root)] == ["a", "  a2", "  +2 from a1", "b"]
    assert page.rest is FILE[2]
    least = select_sections(FILE[2:], 0, ROWS, in_order=True)
    assert [root.section for root in least.roots] == [FILE[2]], "a page always gets on"


def test_nothing_gives_nothing() -> None:
    selection = select_sections((), 10, ROWS)
    assert (selection.roots, selection.cost, selection.omitted, selection.rest) == ((), 0, 0, None)
