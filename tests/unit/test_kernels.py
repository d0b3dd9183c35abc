"""Compiled code: it is of its source, and goes without a word when the interpreter ends."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
COMPILED = sorted((CHECKOUT / "server").rglob("*.wasm"))


def test_every_compiled_file_is_of_its_source(tmp_path: Path) -> None:
    """`make kernels`, with the compiler of Debian 12, gives the files that are there byte by byte."""
    if shutil.which("clang-14") is None or not (shutil.which("wasm-ld-14") or shutil.which("wasm-ld")):
        pytest.skip("clang 14 and lld are not installed: not compiled")
    subprocess.run(["make", "kernels", f"TO={tmp_path}"], cwd=CHECKOUT, check=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert made == {path.name: path.read_bytes() for path in COMPILED}


@pytest.mark.parametrize("name", ["tables.kernel.TableKernel", "structure.json_kernel.JsonKernel"])
def test_one_that_lives_to_the_end_says_nothing(name: str) -> None:
    """Closed by wasmtime itself it would find its own module gone, and say so on the error stream."""
    module, _, kernel = name.rpartition(".")
    code = f"from milepost.core.{module} import {kernel}\nkept = {kernel}()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
