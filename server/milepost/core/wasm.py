"""Code that was compiled to WebAssembly, run in this process: the inner loops that whole-array operations are too slow for.

One compiled file runs on every platform that wasmtime has a wheel for, and cannot touch memory but its own. Loading one
takes some 50 ms and 10 MB the first time, so it is for big files; without wasmtime the general code does the same.
`kernels.h` has what their sources share; `make kernels` compiles them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

#: A file is gone through without it up to here; then there must be so much left. It goes when nearly all is done.
AFTER_BYTES = 4 << 20
WORTH_BYTES = 24 << 20
RELEASED_BYTES = 8 << 20


class WasmModule:
    """One instance of a compiled file, with memory of its own: for one thread at a time.

    The file exports functions of numbers, one memory that does not grow, and for each part of it that is read or written a
    function that says where it is. Raises ImportError without wasmtime, and what wasmtime raises where it cannot run here.
    """

    def __init__(self, path: Path, parts: tuple[str, ...]) -> None:
        import ctypes

        from wasmtime import Engine, Instance, Module, Store

        engine = Engine()
        self._store = store = Store(engine)
        # Before the interpreter ends, too, when closing it would find nothing of its module.
        weakref.finalize(self, store.close)
        # Typed as whatever a module may export.
        exports: Any = Instance(store, Module(engine, path.read_bytes()), []).exports(store)
        memory = exports["memory"]
        size = memory.data_len(store)
        #: The memory as a buffer, for `struct`. The store keeps it where it is.
        self.memory = (ctypes.c_ubyte * size).from_address(ctypes.addressof(memory.data_ptr(store).contents))
        self._bytes = np.frombuffer(self.memory, np.uint8)
        self._exports = exports
        self._places = {name: int(exports[name](store)) for name in parts}

    def place(self, name: str) -> int:
        """Where a part begins in the memory."""
        return self._places[name]

    def part(self, name: str, size: int) -> npt.NDArray[np.uint8]:
        """The first `size` bytes of a part, as they are at any time: not to be kept longer than the module."""
        return self._bytes[self._places[name] : self._places[name] + size]

    def function(self, name: str) -> Callable[..., int]:
        """A function of numbers."""
        called, store = self._exports[name], self._store

        def call(*numbers: int) -> int:
            found: int = called(store, *numbers)
            return found

        return call


class OnDemand(Generic[T]):
    """Something of compiled code (`make` gives it) for the scan of one file, while it is worth its start and its memory."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: T | None = None
        self._is_spent = False

    def spent(self) -> OnDemand[T]:
        """One that never gives anything, for the copy of a scanner: what was made is of one thread."""
        twin = OnDemand(self._make)
        twin._is_spent = True
        return twin

    def at(self, done_bytes: int, left_bytes: int) -> T | None:
        """It, where so much of the file is done and so much left; None where the general code is to do it."""
        if left_bytes < RELEASED_BYTES:
            self._made = None
        elif not self._is_spent and done_bytes >= AFTER_BYTES and left_bytes >= WORTH_BYTES:
            self._made, self._is_spent = loaded(self._make), True
        return self._made


def loaded(make: Callable[[], T]) -> T | None:
    """What `make` gives; None where there is no wasmtime, or none that runs on this machine."""
    try:
        from wasmtime import WasmtimeError
    except (ImportError, OSError, RuntimeError):  # not installed, or no library for this machine
        return None
    try:
        return make()
    except (WasmtimeError, MemoryError, OSError):
        return None
