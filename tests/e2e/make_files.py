"""Makes the files that the end-to-end tests open, from real ones: `python make_files.py FOLDER`. What is there stays."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "bench")]

from grow import corpus_folder, grown_log  # noqa: E402

DATA = TESTS / "data"


def copied(source: Path) -> Callable[[Path], None]:
    """Makes a file by copying another."""
    return lambda target: shutil.copyfile(source, target)


def grown(name: str, megabytes: int) -> Callable[[Path], None]:
    """Makes a log of this size from a real one."""
    return lambda target: shutil.copyfile(grown_log(name, megabytes * 1_000_000, seed=5)[0], target)


def one_line(source: Path, megabytes: int) -> Callable[[Path], None]:
    """Makes a JSON document of this size on one line, from a real one."""

    def make(target: Path) -> None:
        value = json.loads(source.read_text("utf-8"))
        text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        copies = megabytes * 1_000_000 // len(text.encode()) + 1
        target.write_text("[" + ",".join([text] * copies) + "]", "utf-8")

    return make


def main() -> None:
    """Make what is missing."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    corpus = corpus_folder()
    files = {
        "postgresql.log": copied(DATA / "captures" / "postgresql.log"),
        "service.log": copied(DATA / "captures" / "python-logging.log"),
        "catalog.json": copied(corpus / "nativejson-benchmark" / "data" / "citm_catalog.json"),
        "cities.csv": copied(corpus / "rust-csv-bench" / "bench" / "worldcitiespop.csv"),
        "broken.json": copied(DATA / "mini" / "cut-off.json"),
        "program.bin": copied(DATA / "mini" / "machine-code.bin"),
        "empty.log": lambda target: target.write_bytes(b""),
        "hadoop-30mb.log": grown("Hadoop", 30),
        "hadoop-60mb.log": grown("Hadoop", 60),
        "hadoop-300mb.log": grown("Hadoop", 300),
        "one-line-10mb.json": one_line(corpus / "nativejson-benchmark" / "data" / "citm_catalog.json", 10),
    }
    for name, make in files.items():
        target = folder / name
        if not target.exists():
            part = target.with_name(f".{name}.part")
            make(part)
            part.rename(target)


if __name__ == "__main__":
    main()
