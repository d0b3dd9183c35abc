"""The entries of a profile that cost the most, counted in bounded memory."""

from __future__ import annotations

from collections import Counter
from typing import Any

#: So many names are counted; past twice as many the cheapest are dropped.
_MOST_NAMES = 20_000
_SHOWN = 10


class Hottest:
    """Costs by name."""

    def __init__(self) -> None:
        self.costs: Counter[str] = Counter()
        self.is_cut = False

    def add(self, name: str, cost: float) -> None:
        """Count a cost."""
        self.costs[name] += cost  # type: ignore[assignment]
        if len(self.costs) > 2 * _MOST_NAMES:
            self.costs = Counter(dict(most(self.costs, _MOST_NAMES)))
            self.is_cut = True

    def facts(self, total: float = 0.0) -> dict[str, Any]:
        """The most expensive names, with their share of `total` in percent where that is known."""
        found = [
            {"name": name[:200], "cost": _plain(cost), **({"percent": round(100 * cost / total, 2)} if total else {})}
            for name, cost in most(self.costs, _SHOWN)
        ]
        return {"hottest": found} if found else {}

    def said(self, total: float = 0.0, number: int = 3) -> str:
        """The most expensive names in one line."""
        if not total:
            return ", ".join(f"{name} {_plain(cost):,}" for name, cost in most(self.costs, number))
        return ", ".join(f"{name} {100 * cost / total:.1f} %" for name, cost in most(self.costs, number))


def most(costs: Counter[str], number: int) -> list[tuple[str, int]]:
    """The most expensive names, the same for the same costs."""
    return sorted(costs.items(), key=lambda item: (-item[1], item[0]))[:number]


def _plain(cost: float) -> float | int:
    return int(cost) if float(cost).is_integer() else round(cost, 6)
