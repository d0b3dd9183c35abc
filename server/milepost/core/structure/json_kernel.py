"""The strings, brackets and depths of a stretch of JSON found by compiled code (`json_kernel.c`), for big files.

What is found is what `json_bits` and `json_levels` find, array for array.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from milepost.core.structure.json_bits import Words
from milepost.core.wasm import WasmModule

#: A longer stretch is left to the general code.
MOST_BYTES = 8 << 20

_MODULE = Path(__file__).with_name("json_kernel.wasm")
_PARTS = ("text", "quotes", "strings", "openers", "closers", "before", "lowest", "byte_lows")


class JsonKernel:
    """One instance of the compiled code: for one file, and one thread at a time."""

    def __init__(self) -> None:
        self._module = WasmModule(_MODULE, _PARTS)
        self._mark, self._measure = self._module.function("mark"), self._module.function("measure")

    def mark(self, array: npt.NDArray[np.uint8], in_string: bool) -> tuple[Words, Words, Words, Words]:
        """Quotes that nothing escapes, what lies inside strings, openers and closers outside of them: a bit for a byte."""
        words = (len(array) + 63) // 64
        self._module.part("text", len(array))[:] = array
        self._mark(len(array), int(in_string))
        quotes, strings, openers, closers = (
            self._module.part(name, 8 * words).view(np.uint64).copy()
            for name in ("quotes", "strings", "openers", "closers")
        )
        return quotes, strings, openers, closers

    def measure(
        self, openers: Words, closers: Words
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int8], int]:
        """What `Levels` says of these brackets: `before`, `lowest`, `byte_lows`, and the greatest depth."""
        words = len(openers)
        self._module.part("openers", 8 * words).view(np.uint64)[:] = openers
        self._module.part("closers", 8 * words).view(np.uint64)[:] = closers
        greatest = self._measure(words)
        before = self._module.part("before", 4 * (words + 1)).view(np.int32).copy()
        lowest = self._module.part("lowest", 4 * words).view(np.int32).copy()
        return before, lowest, self._module.part("byte_lows", 8 * words).view(np.int8).copy(), greatest
