"""What a run may spend on a model, and what it has spent."""

from __future__ import annotations

import threading

from milepost.digest.values import Usage
from milepost.errors import BudgetExceeded


class Spending:
    """Counts tokens against a limit (0 is none). A call is booked before it is made, so that calls side by side cannot
    overdraw together. Thread-safe."""

    def __init__(self, max_tokens: int) -> None:
        self._max_tokens = max_tokens
        self._lock = threading.Lock()
        self._tokens = 0
        self._untold = Usage()

    def book(self, tokens: int) -> None:
        """Set this much aside for a call. Raises `BudgetExceeded` where that is more than is left."""
        with self._lock:
            if self._max_tokens and self._tokens + tokens > self._max_tokens:
                raise BudgetExceeded(
                    f"The next call may take {tokens:,} tokens, and {self._tokens:,} of the {self._max_tokens:,} that a run "
                    "may use are spent; raise model.max_tokens_per_run and go on from the cursor."
                )
            self._tokens += tokens

    def settle(self, booked: int, spent: int) -> None:
        """What a booked call really took."""
        with self._lock:
            self._tokens += spent - booked

    def lose(self, usage: Usage) -> None:
        """Calls were made whose result is lost: what they cost is told with the next result."""
        with self._lock:
            self._untold += usage

    def told(self, usage: Usage) -> Usage:
        """What a result cost, with what was lost before it."""
        with self._lock:
            untold, self._untold = self._untold, Usage()
        return usage + untold
