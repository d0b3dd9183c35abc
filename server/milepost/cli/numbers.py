"""Numbers and counts as people read them."""

from __future__ import annotations

_UNITS = ("bytes", "KB", "MB", "GB", "TB", "PB")


def size_text(size_bytes: int) -> str:
    """A size in decimal units, as file managers and `ls -h --si` give it: `1.2 GB`; exact below 1,000 bytes."""
    value, unit = float(size_bytes), 0
    while value >= 999.5 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    if unit == 0:
        return count_text(size_bytes, "byte")
    return f"{value:.1f} {_UNITS[unit]}" if value < 9.95 else f"{value:,.0f} {_UNITS[unit]}"


def count_text(count: int, noun: str) -> str:
    """`1 line`, `4,000 lines`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
