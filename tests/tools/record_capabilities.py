"""Record what editors say that they can do, as a server receives it.

python tests/tools/record_capabilities.py [neovim-0.7] [eglot] [vscode]

Starts Neovim and Emacs headless on this very script as their language server, and writes the `initialize` request's
capabilities to `tests/data/capabilities`. The editors must be installed (Debian: neovim; emacs-nox, elpa-eglot). VS Code's
are those that the library in the extension (`client-vscode/node_modules`) computes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent.parent
CAPABILITIES = TESTS / "data" / "capabilities"
VSCODE_CLIENT = TESTS.parent / "client-vscode" / "node_modules" / "vscode-languageclient"

_NEOVIM = """
vim.lsp.start_client({ name = 'recorder', cmd = vim.json.decode([==[%s]==]), root_dir = vim.fn.getcwd() })
vim.wait(20000, function() return vim.fn.filereadable([==[%s]==]) == 1 end, 50)
vim.cmd('qa!')
"""

_EGLOT = """
(let ((default-directory "/usr/share/emacs/site-lisp/elpa-src"))
  (when (file-directory-p default-directory) (normal-top-level-add-subdirs-to-load-path)))
(require 'eglot)
(setq eglot-sync-connect 20 vc-handled-backends nil)
(with-temp-buffer
  (setq buffer-file-name (expand-file-name "x.txt"))
  (text-mode)
  (condition-case nil
      (eglot--connect '(text-mode) (cons 'transient default-directory) 'eglot-lsp-server
                      (append (json-parse-string %s) nil) "log")
    (error nil))
  (set-buffer-modified-p nil))
"""


def answer(out: Path) -> None:
    """Be the server: keep what `initialize` says, answer it, and end with the input."""
    while True:
        length = 0
        while (header := sys.stdin.buffer.readline().strip()) != b"":
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if length == 0:
            return
        message = json.loads(sys.stdin.buffer.read(length))
        if message.get("method") == "initialize":
            out.write_text(json.dumps(message["params"]), encoding="utf-8")
        if "id" in message:
            result: Any = {"capabilities": {}} if message["method"] == "initialize" else None
            body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            sys.stdout.buffer.flush()


def record(editor: str, folder: Path) -> None:
    """Have the editor say what it can do, and write it down."""
    version, capabilities = _of_vscode() if editor == "vscode" else _of_server_start(editor, folder)
    recorded = {
        "source": f"Recorded from {version} by tests/tools/record_capabilities.py.",
        "editor": version,
        "capabilities": capabilities,
    }
    (CAPABILITIES / f"{editor}.json").write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
    print(f"{editor}: {version}")


def _of_vscode() -> tuple[str, Any]:
    package = json.loads((VSCODE_CLIENT / "package.json").read_text(encoding="utf-8"))
    printed = _output("node", str(Path(__file__).with_name("vscode_capabilities.cjs")), str(VSCODE_CLIENT))
    return f"vscode-languageclient {package['version']}", json.loads(printed)


def _of_server_start(editor: str, folder: Path) -> tuple[str, Any]:
    out = folder / "initialize.json"
    command = json.dumps([sys.executable, __file__, "--answer", str(out)])
    if editor.startswith("neovim"):
        script = folder / "record.lua"
        script.write_text(_NEOVIM % (command, out), encoding="utf-8")
        start = ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-S", str(script)]
        version = _output("nvim", "--version").splitlines()[0]
    else:
        script = folder / "record.el"
        script.write_text(_EGLOT % json.dumps(command), encoding="utf-8")
        start = ["emacs", "-Q", "--batch", "-l", str(script)]
        version = f"{_output('emacs', '--version').splitlines()[0]}, eglot {_version_of_eglot()}"
    subprocess.run(start, cwd=folder, timeout=60, check=False, capture_output=True)
    return version, json.loads(out.read_text(encoding="utf-8"))["capabilities"]


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _version_of_eglot() -> str:
    """From the name of its folder: `eglot-1.9`."""
    names = [folder.name for folder in Path("/usr/share/emacs/site-lisp/elpa-src").glob("eglot-*")]
    return max(names).removeprefix("eglot-") if names else "of this Emacs"


def main() -> None:
    """Record the editors that are named, or all."""
    if sys.argv[1:2] == ["--answer"]:
        answer(Path(sys.argv[2]))
        return
    for editor in sys.argv[1:] or ["neovim-0.7", "eglot", "vscode"]:
        with tempfile.TemporaryDirectory() as folder:
            record(editor, Path(folder))


if __name__ == "__main__":
    main()
