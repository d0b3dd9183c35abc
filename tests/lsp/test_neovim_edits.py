"""Whatever is edited in Neovim, our text stays Neovim's buffer: its client tells the edits, in each of the encodings."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NEOVIM = shutil.which("nvim")
SCRIPT = Path(__file__).with_name("neovim_edits.lua")
SERVER = Path(__file__).with_name("text_server.py")

pytestmark = pytest.mark.skipif(NEOVIM is None, reason="Neovim is not installed (Debian: apt-get install neovim)")

LINE_ENDS = {"unix": "\n", "dos": "\r\n", "mac": "\r"}

#: What only looks like a line end, characters of one to four bytes, a combining mark, a joined emoji, a wide word.
BITS = [
    "a",
    "b ",
    "\t",
    "\f",
    "\v",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "é",
    "€",
    "𐐀",
    "🌍",
    "e\u0301",
    "👩\u200d💻",
    "x" * 300,
]

EDITS = 120
COMPARE_EVERY = 4

#: What Neovim does by itself, whatever the text: undo and redo, lines deleted, moved, doubled, joined, replaced.
COMMANDS = [
    "undo",
    "undo",
    "redo",
    "normal! ggdd",
    "1move $",
    "1copy $",
    "1join",
    "%s/a/🌍\\r/ge",
    "g/^$/d",
    "normal! Gdd",
    "earlier 5",
]

COMMANDS_RUN = 30


class Lines:
    """A plain reference for a buffer, and a source of edits."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.lines = [self.words() for _ in range(12)]
        self.lines[3] = "é🌍 " * 40_000

    def words(self) -> str:
        return "".join(self.chance.choices(BITS, k=self.chance.choice([0, 0, 1, 2, 5])))

    def place(self) -> tuple[int, int]:
        row = self.chance.randrange(len(self.lines))
        return row, self.chance.randint(0, len(self.lines[row]))

    def edit(self) -> dict[str, Any]:
        """Make an edit, and say it in Neovim's terms.

        As whole lines: `nvim_buf_set_text` of Neovim 0.7 mixes lines up where one is huge.
        """
        (row, column), (end_row, end_column) = sorted((self.place(), self.place()))
        if self.chance.random() < 0.7:  # near, else all would soon be gone
            end_row, end_column = row, min(len(self.lines[row]), column + self.chance.randrange(4))
        new = [self.words() for _ in range(self.chance.choice([1, 1, 2, 4]))]
        new[0] = self.lines[row][:column] + new[0]
        new[-1] += self.lines[end_row][end_column:]
        self.lines[row : end_row + 1] = new
        return {"row": row, "end_row": end_row + 1, "lines": new}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
@pytest.mark.parametrize("line_ends", LINE_ENDS)
def test_our_text_is_neovims_buffer(tmp_path: Path, line_ends: str, encoding: str) -> None:
    lines, end = Lines(random.Random(f"{line_ends} {encoding}")), LINE_ENDS[line_ends]
    file, task_file, out = tmp_path / "edited.txt", tmp_path / "task.json", tmp_path / "found.json"

    def text() -> str:
        return "".join(line + end for line in lines.lines)

    file.write_bytes(text().encode())
    wanted, edits = [text()], []
    for number in range(EDITS):
        edits.append({**lines.edit(), "compare": number % COMPARE_EVERY == COMPARE_EVERY - 1})
        if number % COMPARE_EVERY == COMPARE_EVERY - 1:
            wanted.append(text())
    edits += [{"command": lines.chance.choice(COMMANDS), "compare": True} for _ in range(COMMANDS_RUN)]
    task = {"file": str(file), "format": line_ends, "encoding": encoding, "edits": edits}
    task_file.write_text(json.dumps(task, ensure_ascii=False), encoding="utf-8")
    found = run_neovim(tmp_path, task_file, out)
    assert found["format"] == line_ends
    for number, (text_now, texts) in enumerate(zip(wanted, found["texts"], strict=False)):
        assert texts["buffer"] == text_now, f"Neovim made something else of the edits before {COMPARE_EVERY * number}"
    for number, texts in enumerate(found["texts"]):
        assert texts["server"] == texts["buffer"], f"at comparison {number}"
    assert len(found["texts"]) == len(wanted) + COMMANDS_RUN


def run_neovim(folder: Path, task_file: Path, out: Path) -> Any:
    assert NEOVIM is not None
    environment = {
        **os.environ,
        "HOME": str(folder),
        **{f"XDG_{kind}_HOME": str(folder) for kind in ("STATE", "DATA", "CACHE")},
        "MILEPOST_TEST_SERVER": json.dumps([sys.executable, str(SERVER)]),
        "MILEPOST_TEST_EDITS": str(task_file),
        "MILEPOST_TEST_OUT": str(out),
    }
    command = [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(SCRIPT)]
    done = subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True, check=False)
    assert out.exists(), done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in found, found["problem"]
    return found
